//! Reads a list of a patch: the elements that merge or are added, and the elements that are
//! directives.

use rustc_hash::FxHashSet;

use crate::merge::{Shape, name_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId};

use super::directives::{Command, PatchMap};
use super::pairing::{ElementKey, Pairing};
use super::{Context, PatchError, PatchResult, Patcher};

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
    pub(super) nodes: PatchNodes,
    pub(super) elements: Vec<PatchElement<'t>>,
    /// Whether it has `- $patch: replace`.
    pub(super) is_replaced: bool,
    /// The keys of the elements that directives in it delete.
    pub(super) deleted: Vec<ElementKey<'t>>,
    pub(super) schema: FieldSchema<'t>,
    /// How its elements pair with the target's.
    pub(super) pairing: Pairing<'t>,
}

/// The nodes of a patch that are about one value. Directives beside it are about a list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PatchNodes {
    /// The value itself.
    pub(super) value: Option<NodeId>,
    /// The list of `$deleteFromPrimitiveList`.
    pub(super) deletion: Option<NodeId>,
    /// The list of `$setElementOrder`.
    pub(super) order: Option<NodeId>,
}

impl PatchNodes {
    /// Returns a value of a patch without directives beside it.
    pub(super) fn of(value: NodeId) -> Self {
        Self {
            value: Some(value),
            ..Self::default()
        }
    }
}

impl<'a> Patcher<'a> {
    /// Reads the patch's list and the directives for it. `target` is the target's list.
    pub(super) fn patch_list(
        &self,
        target: Option<NodeId>,
        nodes: PatchNodes,
        context: Context<'a>,
    ) -> PatchResult<PatchList<'a>> {
        let (tree, schema) = (self.patch, context.schema);
        let mut patch_list = PatchList {
            nodes,
            elements: Vec::new(),
            is_replaced: false,
            deleted: Vec::new(),
            schema,
            pairing: match self.is_apply() {
                true => self.applied_pairing([nodes.value, target, context.last], schema)?,
                false => Pairing::of(schema, self.is_kustomize()),
            },
        };
        let entries = nodes.value.map(|list| tree.entries(tree.resolve(list)));
        for entry in entries.into_iter().flatten() {
            let key = patch_list.pairing.key(tree, tree.entry(entry).value);
            let element = PatchElement { entry, key };
            match self.directive(element, patch_list.pairing)? {
                Some(Command::Replace) => patch_list.is_replaced = true,
                Some(Command::Delete) => patch_list.deleted.extend(key),
                Some(Command::Merge) => {}
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
        let Some((command, command_key)) = patch_map.command else {
            return Ok(None);
        };
        let has_only_command = patch_map.fields.is_empty();
        let (at, message, help) = match (command, pairing.is_by_fields()) {
            (Command::Replace, _) | (Command::Merge, true) if has_only_command => {
                return Ok(Some(command));
            }
            (Command::Replace, _) => (
                command_key,
                "`$patch: replace` in an element replaces the \
                 whole list, and this element's fields are lost",
                "write `- $patch: replace` as an element of its own; the others are the new list"
                    .to_owned(),
            ),
            (Command::Delete, true) if element.key.is_none() => {
                return Err(self.missing_key_error(value, pairing));
            }
            (Command::Delete, true) => match self.field_beside_key(&patch_map, pairing) {
                Some(field) => (
                    field,
                    "a field of an element that `$patch: delete` deletes",
                    format!("leave it out: `{pairing}` alone says which element goes"),
                ),
                None => return Ok(Some(command)),
            },
            (Command::Merge, true) => return Ok(None),
            (Command::Delete | Command::Merge, false) => (
                command_key,
                "no key identifies the elements of this list, \
                 so a directive cannot be about one of them",
                "give the whole list as it is to be; of a set of \
                 scalars, $deleteFromPrimitiveList/FIELD takes some away"
                    .to_owned(),
            ),
        };
        Err(self.patch_error(at, message, &help))
    }

    /// Returns the key node of the first field that is not a part of an element's key.
    fn field_beside_key(&self, patch_map: &PatchMap, pairing: Pairing<'a>) -> Option<NodeId> {
        let mut fields = patch_map.fields.iter();
        let other = fields.find(|field| {
            let name = name_of(self.patch, **field).unwrap_or_default();
            pairing.names().all(|key| key != name)
        });
        let other = self.patch.entry(*other?);
        Some(other.key.unwrap_or(other.value))
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
        for value in tree.values(order) {
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
