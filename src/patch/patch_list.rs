//! Reads a list of a patch: the elements that merge or are added, and the elements that are
//! directives.

use rustc_hash::FxHashSet;

use crate::merge::{Shape, name_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId};

use super::directives::{Command, PATCH};
use super::pairing::{ElementKey, Pairing};
use super::{PatchError, PatchResult, Patcher};

/// An element that merges or is added, or a directive for one.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchElement<'t> {
    pub(super) entry: EntryId,
    /// The key of the element; `None` if it has none.
    pub(super) key: Option<ElementKey<'t>>,
}

/// What a patch says about one list: in the list itself, and in the directives beside it.
#[derive(Debug)]
pub(super) struct PatchList<'t> {
    pub(super) nodes: ListNodes,
    pub(super) elements: Vec<PatchElement<'t>>,
    /// The elements that are directives, with the keys of the elements that they are for.
    pub(super) directives: Vec<(Command, PatchElement<'t>)>,
    pub(super) schema: Option<FieldSchema<'t>>,
    /// How its elements pair with the target's.
    pub(super) pairing: Pairing<'t>,
}

/// The nodes of a patch that are about one list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ListNodes {
    /// The list itself.
    pub(super) list: Option<NodeId>,
    /// The list of `$deleteFromPrimitiveList`.
    pub(super) deletion: Option<NodeId>,
    /// The list of `$setElementOrder`.
    pub(super) order: Option<NodeId>,
}

impl<'t> PatchList<'t> {
    /// The schema of the elements.
    pub(super) fn element_schema(&self) -> Option<FieldSchema<'t>> {
        self.schema.map(FieldSchema::element)
    }

    /// Returns the keys of the elements that directives delete.
    pub(super) fn deleted(&self) -> impl Iterator<Item = ElementKey<'t>> {
        let directives = self.directives.iter();
        let deletions = directives.filter(|(command, _)| *command == Command::Delete);
        deletions.filter_map(|(_, element)| element.key)
    }

    /// Whether the list has a directive with this command.
    pub(super) fn has(&self, command: Command) -> bool {
        self.directives.iter().any(|(found, _)| *found == command)
    }
}

impl<'a> Patcher<'a> {
    /// Reads the patch's list and the directives for it.
    pub(super) fn patch_list(
        &self,
        nodes: ListNodes,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult<PatchList<'a>> {
        let tree = self.patch;
        let mut patch_list = PatchList {
            nodes,
            elements: Vec::new(),
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
                None => patch_list.elements.push(element),
            }
        }
        Ok(patch_list)
    }

    /// Checks that each element of a set is a scalar, or that elements with key fields have
    /// distinct keys.
    pub(super) fn require_unique_keys(&self, patch_list: &PatchList<'a>) -> PatchResult<()> {
        let pairing = patch_list.pairing;
        let mut seen: FxHashSet<ElementKey<'a>> = FxHashSet::default();
        for element in &patch_list.elements {
            let value = self.patch.entry(element.entry).value;
            match (pairing, element.key) {
                (Pairing::Scalar, None) => {
                    let message = "this list is a set of scalars, and this is not a scalar";
                    return Err(self.patch_error(value, message, "give it scalars"));
                }
                (_, None) if pairing.is_by_fields() => {
                    return Err(self.missing_key_error(value, pairing));
                }
                (_, Some(key)) if pairing.is_by_fields() && !seen.insert(key) => {
                    let message = format!("`{pairing}` is {key} in this list already");
                    let help = "write what is to become of one element into one element, or begin \
                        the list with `- $patch: replace`";
                    return Err(self.patch_error(value, message, help));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn missing_key_error(&self, element: NodeId, pairing: Pairing<'a>) -> PatchError {
        self.patch_error(
            element,
            format!("this element has no `{pairing}`, by which elements of this list pair up"),
            &format!(
                "add `{pairing}` to say which element it \
                 is, or begin the list with `- $patch: replace`"
            ),
        )
    }

    /// Returns the directive that an element is, or `None` if it merges or is added.
    fn directive(
        &self,
        element: PatchElement<'a>,
        pairing: Pairing<'a>,
    ) -> PatchResult<Option<Command>> {
        let value = self.patch.entry(element.entry).value;
        if shape(self.patch, value) != Shape::Map {
            return Ok(None);
        }
        let patch_map = self.patch_map(value)?;
        let Some(command) = patch_map.command() else {
            return Ok(None);
        };
        let has_only_command = patch_map.fields.is_empty();
        match (command, pairing.is_by_fields()) {
            (Command::Replace, _) if has_only_command => Ok(Some(command)),
            (Command::Replace, _) => Err(self.patch_error(
                self.command_node(value),
                "`$patch: replace` in an element replaces the \
                 whole list, and this element's fields are lost",
                "write `- $patch: replace` as an element of its own; the others are the new list",
            )),
            (Command::Delete, true) if element.key.is_none() => {
                Err(self.missing_key_error(value, pairing))
            }
            (Command::Delete, true) => self
                .refuse_other_fields(value, pairing)
                .map(|()| Some(command)),
            (Command::Merge, true) if has_only_command => Ok(Some(command)),
            (Command::Merge, true) => Ok(None),
            (Command::Delete | Command::Merge, false) => Err(self.patch_error(
                self.command_node(value),
                "no key identifies the elements of this list, \
                 so a directive cannot be about one of them",
                "give the whole list as it is to be; of a set of \
                 scalars, $deleteFromPrimitiveList/FIELD takes some away",
            )),
        }
    }

    /// Returns the key node of `$patch` in an element.
    fn command_node(&self, element: NodeId) -> NodeId {
        let field = self.patch.find(element, PATCH);
        let key = field.and_then(|field| self.patch.entry(field).key);
        key.unwrap_or(element)
    }

    /// Checks that an element with `$patch: delete` has no fields other than its key.
    fn refuse_other_fields(&self, element: NodeId, pairing: Pairing<'a>) -> PatchResult<()> {
        let tree = self.patch;
        for entry in tree.entries(tree.resolve(element)) {
            let name = name_of(tree, entry);
            let name = name.as_deref().unwrap_or_default();
            if name != PATCH && pairing.names().all(|key| key != name) {
                let at = tree.entry(entry).key.unwrap_or(element);
                let message = "a field of an element that `$patch: delete` deletes";
                let help = format!("leave it out: `{pairing}` alone says which element goes");
                return Err(self.patch_error(at, message, &help));
            }
        }
        Ok(())
    }

    /// Returns the keys that `$setElementOrder` names, in its order, or `None` if the list has no
    /// such directive.
    pub(super) fn element_order(
        &self,
        patch_list: &PatchList<'a>,
    ) -> PatchResult<Option<Vec<ElementKey<'a>>>> {
        let (tree, pairing) = (self.patch, patch_list.pairing);
        let Some(order) = patch_list.nodes.order else {
            return Ok(None);
        };
        let mut keys = Vec::new();
        for entry in tree.entries(tree.resolve(order)) {
            let value = tree.entry(entry).value;
            let key = pairing.key(tree, value);
            keys.push(key.ok_or_else(|| match pairing.names().next() {
                Some(field) => self.patch_error(
                    value,
                    format!("`$setElementOrder` needs the `{pairing}` of each element"),
                    &format!("write `- {field}: NAME`"),
                ),
                None => self.patch_error(
                    value,
                    "`$setElementOrder` of a list without a key needs scalars",
                    "give the whole list in the order that it is to have",
                ),
            })?);
        }
        self.refuse_other_order(&keys, patch_list)?;
        Ok(Some(keys))
    }

    /// Checks that the elements of the patch are in the order of `$setElementOrder`, which has to
    /// name them all.
    fn refuse_other_order(
        &self,
        keys: &[ElementKey<'a>],
        patch_list: &PatchList<'a>,
    ) -> PatchResult<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut last = None;
        for element in &patch_list.elements {
            let at = keys.iter().position(|key| Some(*key) == element.key);
            let value = self.patch.entry(element.entry).value;
            if at.is_none() {
                return Err(self.patch_error(
                    value,
                    "`$setElementOrder` does not name this element",
                    "name in it every element that the patch \
                     has, in the order that they are to have",
                ));
            }
            if at < last {
                return Err(self.patch_error(
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
