//! The elements of a patch's list: those that merge or come, and those that are directives.

use rustc_hash::FxHashSet;

use crate::merge::{Shape, name_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId};

use super::directives::{Command, PATCH};
use super::pairing::{ElementKey, Pairing};
use super::{Decided, PatchError, Patcher};

/// An element that merges or comes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchElement<'t> {
    pub(super) entry: EntryId,
    /// What identifies it; `None` if nothing does.
    pub(super) key: Option<ElementKey<'t>>,
}

/// An element that is a directive.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementDirective<'t> {
    pub(super) entry: EntryId,
    pub(super) command: Command,
    /// The key of the element that it is about.
    pub(super) key: Option<ElementKey<'t>>,
}

/// The elements of a list of the patch.
#[derive(Debug, Default)]
pub(super) struct PatchList<'t> {
    pub(super) plain: Vec<PatchElement<'t>>,
    pub(super) directives: Vec<ElementDirective<'t>>,
}

impl<'t> PatchList<'t> {
    /// Whether the plain elements replace the target's.
    pub(super) fn replace(&self) -> bool {
        let mut commands = self.directives.iter().map(|directive| directive.command);
        commands.any(|command| command == Command::Replace)
    }

    /// The keys of the elements that are deleted.
    pub(super) fn deleted(&self) -> impl Iterator<Item = ElementKey<'t>> {
        let directives = self.directives.iter();
        directives
            .filter(|directive| directive.command == Command::Delete)
            .filter_map(|directive| directive.key)
    }
}

impl<'a> Patcher<'a> {
    /// The elements of a list of the patch, by what `schema` says of it.
    pub(super) fn patch_list(
        &self,
        list: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided<PatchList<'a>> {
        let tree = self.patch;
        let pairing = self.pairing(schema);
        let mut patch_list = PatchList::default();
        for entry in tree.entries(tree.resolve(list)) {
            let value = tree.entry(entry).value;
            let command = self.element_command(value)?;
            let key = pairing.key(tree, value);
            if let Some((command, is_alone)) = command
                && let Some(directive) = self.directive(entry, command, key, is_alone, pairing)?
            {
                patch_list.directives.push(directive);
                continue;
            }
            patch_list.plain.push(PatchElement { entry, key });
        }
        Ok(patch_list)
    }

    /// Elements that merge into the target's have a key each, and no two the same one. Where
    /// nothing merges they need none.
    pub(super) fn must_have_keys(
        &self,
        patch_list: &PatchList<'a>,
        pairing: Pairing<'a>,
    ) -> Decided<()> {
        let mut seen: FxHashSet<ElementKey<'a>> = FxHashSet::default();
        for element in &patch_list.plain {
            let value = self.patch.entry(element.entry).value;
            match (pairing, element.key) {
                (Pairing::Scalar, None) => {
                    let message = "this list is a set of scalars, and this is none";
                    return Err(self.wrong(value, message, "give it scalars"));
                }
                (_, None) if pairing.is_by_fields() => {
                    return Err(self.without_key(value, pairing));
                }
                (_, Some(key)) if pairing.is_by_fields() && !seen.insert(key) => {
                    let message = format!("`{pairing}` is {key} in this list already");
                    let help = "write what is to become of one element into one element, or begin \
                        the list with `- $patch: replace`";
                    return Err(self.wrong(value, message, help));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn without_key(&self, element: NodeId, pairing: Pairing<'a>) -> PatchError {
        self.wrong(
            element,
            format!("this element has no `{pairing}`, by which elements of this list pair up"),
            &format!(
                "add `{pairing}` to say which element it \
                 is, or begin the list with `- $patch: replace`"
            ),
        )
    }

    /// What `$patch` in an element says, and whether nothing is beside it.
    fn element_command(&self, element: NodeId) -> Decided<Option<(Command, bool)>> {
        if shape(self.patch, element) != Shape::Map {
            return Ok(None);
        }
        let directed = self.directed(element)?;
        let command = directed.command();
        Ok(command.map(|command| (command, directed.fields.is_empty())))
    }

    /// The directive that an element is; `None` if it is an element as well.
    fn directive(
        &self,
        entry: EntryId,
        command: Command,
        key: Option<ElementKey<'a>>,
        is_alone: bool,
        pairing: Pairing<'a>,
    ) -> Decided<Option<ElementDirective<'a>>> {
        let element = self.patch.entry(entry).value;
        let directive = ElementDirective {
            entry,
            command,
            key,
        };
        let is_by_fields = pairing.is_by_fields();
        match (command, is_by_fields) {
            (Command::Replace, _) if is_alone => Ok(Some(directive)),
            (Command::Replace, _) => Err(self.wrong(
                self.at_command(element),
                "`$patch: replace` in an element replaces the \
                 whole list, and this element's fields are lost",
                "write `- $patch: replace` as an element of its own; the others are the new list",
            )),
            (Command::Delete, true) if key.is_none() => Err(self.without_key(element, pairing)),
            (Command::Delete, true) => self.only_key(element, pairing).map(|()| Some(directive)),
            (Command::Merge, true) if is_alone => Ok(Some(directive)),
            (Command::Merge, true) => Ok(None),
            (Command::Delete | Command::Merge, false) => Err(self.wrong(
                self.at_command(element),
                "no key identifies the elements of this list, \
                 so a directive cannot be about one of them",
                "give the whole list as it is to be; of a set of \
                 scalars, $deleteFromPrimitiveList/FIELD takes some away",
            )),
        }
    }

    /// The place of `$patch` in an element.
    fn at_command(&self, element: NodeId) -> NodeId {
        let field = self.patch.find(element, PATCH);
        let key = field.and_then(|field| self.patch.entry(field).key);
        key.unwrap_or(element)
    }

    /// An element that is deleted by its key has nothing else to say.
    fn only_key(&self, element: NodeId, pairing: Pairing<'a>) -> Decided<()> {
        let tree = self.patch;
        for entry in tree.entries(tree.resolve(element)) {
            let name = name_of(tree, entry);
            let name = name.as_deref().unwrap_or_default();
            if name != PATCH && pairing.names().all(|key| key != name) {
                let at = tree.entry(entry).key.unwrap_or(element);
                let message = "a field of an element that `$patch: delete` deletes";
                let help = format!("leave it out: `{pairing}` alone says which element goes");
                return Err(self.wrong(at, message, &help));
            }
        }
        Ok(())
    }

    /// The keys that `$setElementOrder` names, in its order.
    pub(super) fn ordered(
        &self,
        order: NodeId,
        patch_list: &PatchList<'a>,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided<Vec<ElementKey<'a>>> {
        let tree = self.patch;
        let pairing = self.pairing(schema);
        let mut keys = Vec::new();
        for entry in tree.entries(tree.resolve(order)) {
            let value = tree.entry(entry).value;
            let key = pairing.key(tree, value);
            keys.push(key.ok_or_else(|| match pairing.names().next() {
                Some(field) => self.wrong(
                    value,
                    format!("`$setElementOrder` needs the `{pairing}` of each element"),
                    &format!("write `- {field}: NAME`"),
                ),
                None => self.wrong(
                    value,
                    "`$setElementOrder` of a list without a key needs scalars",
                    "give the whole list in the order that it is to have",
                ),
            })?);
        }
        self.refuse_other_order(&keys, patch_list)?;
        Ok(keys)
    }

    /// Elements of the patch are in the order that `$setElementOrder` gives, which names them
    /// all.
    fn refuse_other_order(
        &self,
        keys: &[ElementKey<'a>],
        patch_list: &PatchList<'a>,
    ) -> Decided<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut last = None;
        for element in &patch_list.plain {
            let at = keys.iter().position(|key| Some(*key) == element.key);
            let value = self.patch.entry(element.entry).value;
            if at.is_none() {
                return Err(self.wrong(
                    value,
                    "`$setElementOrder` does not name this element",
                    "name in it every element that the patch \
                     has, in the order that they are to have",
                ));
            }
            if at < last {
                return Err(self.wrong(
                    value,
                    "`$setElementOrder` gives another order than this list has",
                    "give both the same order",
                ));
            }
            last = at;
        }
        Ok(())
    }
}
