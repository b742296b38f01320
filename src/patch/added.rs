//! Decides which parts of the patch's values are added where the target has no value: all but
//! directives and nulls.
//!
//! The outcomes here are about the patch's own entries. In `Incoming::part`, they select the
//! entries that are added.

use crate::merge::{Child, Outcome, Shape, name_of, part_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId};

use super::directives::{Command, PatchMap};
use super::patch_list::PatchNodes;
use super::{Context, PatchResult, Patcher};

impl<'a> Patcher<'a> {
    /// Selects the parts of a value that are added. The value is not null.
    pub(super) fn added_value(
        &self,
        patch: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        match shape(self.patch, patch) {
            Shape::Map => self.added_map(patch, schema),
            Shape::List => self.added_list(patch, None, schema),
            Shape::Scalar => Ok(Outcome::Keep),
        }
    }

    /// Selects the fields of a map that are added.
    fn added_map(&self, patch: NodeId, schema: Option<FieldSchema<'a>>) -> PatchResult {
        if self.is_apply() && self.is_one_value(schema) {
            return Ok(Outcome::Keep);
        }
        let patch_map = self.patch_map(patch)?;
        let tree = self.patch;
        let mut children = Vec::new();
        for entry in tree.entries(tree.resolve(patch)) {
            let is_field = patch_map.fields.contains(&entry);
            let is_deleted = patch_map.command() == Some(Command::Delete);
            let part = if is_field && !is_deleted {
                let name = name_of(tree, entry).unwrap_or_default();
                self.added_field(tree.entry(entry).value, &name, &patch_map, schema)?
            } else {
                None
            };
            children.push(Child::local(entry, part.unwrap_or(Outcome::Remove)));
        }
        Ok(part_of(children))
    }

    /// Selects the parts of a field that are added; `None` if the field is not added.
    pub(super) fn added_field(
        &self,
        value: NodeId,
        name: &str,
        patch_map: &PatchMap,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult<Option<Outcome>> {
        if self.patch.is_null(value) {
            return Ok(None);
        }
        let field_schema = schema.map(|schema| schema.field(name));
        match shape(self.patch, value) {
            Shape::List => {
                let order = patch_map.orders.get(name).copied();
                self.added_list(value, order, field_schema).map(Some)
            }
            Shape::Map if self.patch_map(value)?.command() == Some(Command::Delete) => Ok(None),
            Shape::Map | Shape::Scalar => self.added_value(value, field_schema).map(Some),
        }
    }

    /// Selects the parts of a list that are added. Its elements have to be in the order of
    /// `$setElementOrder`, if there is one.
    fn added_list(
        &self,
        patch: NodeId,
        order: Option<NodeId>,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let nodes = PatchNodes {
            order,
            ..PatchNodes::of(patch)
        };
        let patch_list = self.patch_list(None, nodes, Context::of(schema))?;
        if self.is_apply() && !patch_list.pairing.is_by_fields() {
            // its nulls are values
            return Ok(Outcome::Keep);
        }
        self.element_order(&patch_list)?;
        let mut elements = patch_list.elements.iter().map(|it| it.entry).peekable();
        let element = patch_list.element_schema();
        let entries = self.patch.entries(self.patch.resolve(patch));
        let children = entries.map(|entry| {
            let part = match elements.next_if_eq(&entry) {
                Some(_) => self.added_element(entry, element)?,
                None => Outcome::Remove,
            };
            Ok(Child::local(entry, part))
        });
        Ok(part_of(children.collect::<PatchResult<_>>()?))
    }

    /// Selects the parts of an element that are added.
    pub(super) fn added_element(
        &self,
        entry: EntryId,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let value = self.patch.entry(entry).value;
        if self.patch.is_null(value) {
            return Ok(Outcome::Keep);
        }
        self.added_value(value, schema)
    }
}
