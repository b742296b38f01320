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

/// What a patch says of one list: by the list itself, and by the directives beside it.
#[derive(Debug)]
pub(super) struct PatchList<'t> {
    pub(super) nodes: ListNodes,
    pub(super) plain: Vec<PatchElement<'t>>,
    /// The elements that are directives: their keys are those of the elements that they are about.
    pub(super) directives: Vec<(Command, PatchElement<'t>)>,
    pub(super) schema: Option<FieldSchema<'t>>,
    /// How its elements and the target's pair up.
    pub(super) pairing: Pairing<'t>,
}

/// Where a patch speaks of one list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ListNodes {
    /// The list itself.
    pub(super) list: Option<NodeId>,
    /// That of `$deleteFromPrimitiveList`.
    pub(super) deletion: Option<NodeId>,
    /// That of `$setElementOrder`.
    pub(super) order: Option<NodeId>,
}

impl<'t> PatchList<'t> {
    /// What is known of an element.
    pub(super) fn element_schema(&self) -> Option<FieldSchema<'t>> {
        self.schema.map(FieldSchema::element)
    }

    /// The keys of the elements that are deleted.
    pub(super) fn deleted(&self) -> impl Iterator<Item = ElementKey<'t>> {
        let directives = self.directives.iter();
        let deletions = directives.filter(|(command, _)| *command == Command::Delete);
        deletions.filter_map(|(_, element)| element.key)
    }

    /// Whether a directive says this.
    pub(super) fn has(&self, command: Command) -> bool {
        self.directives.iter().any(|(said, _)| *said == command)
    }
}

impl<'a> Patcher<'a> {
    /// What the patch says of a list, by what `schema` says of it.
    pub(super) fn patch_list(
        &self,
        nodes: ListNodes,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided<PatchList<'a>> {
        let tree = self.patch;
        let mut patch_list = PatchList {
            nodes,
            plain: Vec::new(),
            directives: Vec::new(),
            schema,
            pairing: Pairing::of(schema, self.dialect),
        };
        let entries = nodes.list.map(|list| tree.entries(tree.resolve(list)));
        for entry in entries.into_iter().flatten() {
            let key = patch_list.pairing.key(tree, tree.entry(entry).value);
            let element = PatchElement { entry, key };
            match self.directive(element, patch_list.pairing)? {
                Some(command) => patch_list.directives.push((command, element)),
                None => patch_list.plain.push(element),
            }
        }
        Ok(patch_list)
    }

    /// Elements that merge into the target's have a key each, and no two the same one. Where
    /// nothing merges they need none.
    pub(super) fn must_have_keys(&self, patch_list: &PatchList<'a>) -> Decided<()> {
        let pairing = patch_list.pairing;
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

    /// The directive that an element is; `None` if it merges or comes.
    fn directive(
        &self,
        element: PatchElement<'a>,
        pairing: Pairing<'a>,
    ) -> Decided<Option<Command>> {
        let value = self.patch.entry(element.entry).value;
        if shape(self.patch, value) != Shape::Map {
            return Ok(None);
        }
        let directed = self.directed(value)?;
        let Some(command) = directed.command() else {
            return Ok(None);
        };
        let is_alone = directed.fields.is_empty();
        match (command, pairing.is_by_fields()) {
            (Command::Replace, _) if is_alone => Ok(Some(command)),
            (Command::Replace, _) => Err(self.wrong(
                self.at_command(value),
                "`$patch: replace` in an element replaces the \
                 whole list, and this element's fields are lost",
                "write `- $patch: replace` as an element of its own; the others are the new list",
            )),
            (Command::Delete, true) if element.key.is_none() => {
                Err(self.without_key(value, pairing))
            }
            (Command::Delete, true) => self.only_key(value, pairing).map(|()| Some(command)),
            (Command::Merge, true) if is_alone => Ok(Some(command)),
            (Command::Merge, true) => Ok(None),
            (Command::Delete | Command::Merge, false) => Err(self.wrong(
                self.at_command(value),
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

    /// The keys that `$setElementOrder` names, in its order; `None` where there is none.
    pub(super) fn ordered(
        &self,
        patch_list: &PatchList<'a>,
    ) -> Decided<Option<Vec<ElementKey<'a>>>> {
        let (tree, pairing) = (self.patch, patch_list.pairing);
        let Some(order) = patch_list.nodes.order else {
            return Ok(None);
        };
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
        Ok(Some(keys))
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
