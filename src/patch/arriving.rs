//! What of a patch comes where the target has nothing: all of it but its directives and its nulls.

use crate::merge::{Child, Outcome, Shape, name_of, part_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId};

use super::directives::{Command, Directed};
use super::patch_list::ListNodes;
use super::{Decided, Patcher};

impl<'a> Patcher<'a> {
    /// The part of a value that comes, which is no null.
    pub(super) fn arriving(&self, patch: NodeId, schema: Option<FieldSchema<'a>>) -> Decided {
        match shape(self.patch, patch) {
            Shape::Map => self.arriving_map(patch, schema),
            Shape::List => self.arriving_list(patch, None, schema),
            Shape::Scalar => Ok(Outcome::Keep),
        }
    }

    fn arriving_map(&self, patch: NodeId, schema: Option<FieldSchema<'a>>) -> Decided {
        if self.is_apply() && self.is_one_value(schema) {
            return Ok(Outcome::Keep);
        }
        let directed = self.directed(patch)?;
        let tree = self.patch;
        let mut children = Vec::new();
        for entry in tree.entries(tree.resolve(patch)) {
            let is_field = directed.fields.contains(&entry);
            let is_deleted = directed.command() == Some(Command::Delete);
            let part = if is_field && !is_deleted {
                let name = name_of(tree, entry).unwrap_or_default();
                self.arriving_field(tree.entry(entry).value, &name, &directed, schema)?
            } else {
                None
            };
            children.push(Child::local(entry, part.unwrap_or(Outcome::Remove)));
        }
        Ok(part_of(children))
    }

    /// The part of a field that comes; `None` if nothing does.
    pub(super) fn arriving_field(
        &self,
        value: NodeId,
        name: &str,
        directed: &Directed,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided<Option<Outcome>> {
        if self.patch.is_null(value) {
            return Ok(None);
        }
        let below = schema.map(|schema| schema.field(name));
        match shape(self.patch, value) {
            Shape::List => {
                let order = directed.order(name);
                self.arriving_list(value, order, below).map(Some)
            }
            Shape::Map if self.directed(value)?.command() == Some(Command::Delete) => Ok(None),
            Shape::Map | Shape::Scalar => self.arriving(value, below).map(Some),
        }
    }

    /// The part of a list that comes. Its elements are in the order that `$setElementOrder` gives,
    /// if it gives one.
    fn arriving_list(
        &self,
        patch: NodeId,
        order: Option<NodeId>,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided {
        if self.is_apply() && self.comes_whole(patch, schema)? {
            return Ok(Outcome::Keep);
        }
        let nodes = ListNodes {
            list: Some(patch),
            order,
            deletion: None,
        };
        let patch_list = self.patch_list(nodes, schema)?;
        self.ordered(&patch_list)?;
        let directives = patch_list.directives.iter();
        let mut directives = directives.map(|(_, it)| it.entry).peekable();
        let element = patch_list.element_schema();
        let entries = self.patch.entries(self.patch.resolve(patch));
        let children = entries.map(|entry| {
            let part = match directives.next_if_eq(&entry) {
                Some(_) => Outcome::Remove,
                None => self.element_part(entry, element)?,
            };
            Ok(Child::local(entry, part))
        });
        Ok(part_of(children.collect::<Decided<_>>()?))
    }

    /// The part of an element of the patch that comes.
    pub(super) fn element_part(&self, entry: EntryId, schema: Option<FieldSchema<'a>>) -> Decided {
        let value = self.patch.entry(entry).value;
        if self.patch.is_null(value) {
            return Ok(Outcome::Keep);
        }
        self.arriving(value, schema)
    }
}
