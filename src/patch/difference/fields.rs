//! Compares maps field by field: changed and new fields have their new text, and removed fields are
//! null.

use crate::merge::{Child, FieldIndex, Shape, key_of, name_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId};

use super::values::scalar_text;
use super::{MergeDiffer, Part};

/// The fields of `metadata` that identify the resource of a patch.
const IDENTITY_FIELDS: [&str; 3] = ["name", "namespace", "generateName"];

impl<'a> MergeDiffer<'a> {
    /// Returns the fields of a map that are in the patch. The fields in `kept` always are.
    pub(super) fn fields(
        &mut self,
        old: NodeId,
        new: NodeId,
        schema: Option<FieldSchema<'a>>,
        kept_names: &[&str],
        is_root: bool,
    ) -> Vec<Child> {
        let (old, new) = (self.old.resolve(old), self.new.resolve(new));
        let old_index = FieldIndex::of(self.old, old).in_json();
        let new_index = FieldIndex::of(self.new, new).in_json();
        let mut children = Vec::new();
        for entry in self.new.entries(new) {
            let name = name_of(self.new, entry).unwrap_or_default().into_owned();
            let before = key_of(self.new, entry).and_then(|key| old_index.find(key));
            if kept_names.contains(&name.as_str()) {
                children.push(Child::keep(entry));
            } else if is_root && name == "metadata" {
                children.extend(self.metadata(entry, before, schema));
            } else {
                let below = schema.map(|schema| schema.field(&name));
                children.extend(self.field(entry, before, &name, below));
            }
        }
        for entry in self.old.entries(old) {
            let value = self.old.entry(entry).value;
            let is_gone = key_of(self.old, entry).is_none_or(|key| new_index.find(key).is_none());
            if let Some(key) = self.old.entry(entry).key.filter(|_| is_gone)
                && !self.old.is_null(value)
            {
                let key = scalar_text(self.old, key);
                children.push(self.additions.add(format!("{key}: null\n")));
            }
        }
        children
    }

    /// Returns the `metadata` of the root, which always has the fields that identify the resource.
    fn metadata(
        &mut self,
        entry: EntryId,
        before: Option<EntryId>,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let value = self.new.entry(entry).value;
        let before = before.map(|before| self.old.entry(before).value);
        let is_map = shape(self.new, value) == Shape::Map;
        let before = before.filter(|it| is_map && shape(self.old, *it) == Shape::Map);
        let part = match before {
            Some(before) => {
                let below = schema.map(|schema| schema.field("metadata"));
                let children = self.fields(before, value, below, &IDENTITY_FIELDS, false);
                self.part(entry, children)
            }
            None => Part::Whole,
        };
        self.child(entry, part)
    }

    /// Compares a field with the one in the old map, `before`.
    fn field(
        &mut self,
        entry: EntryId,
        before: Option<EntryId>,
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let value = self.new.entry(entry).value;
        let before = before.map(|before| self.old.entry(before).value);
        let before = before.filter(|before| !self.old.is_null(*before));
        let Some(before) = before else {
            let is_nothing = self.new.is_null(value);
            let part = if is_nothing {
                Part::Unchanged
            } else {
                Part::Whole
            };
            return self.child(entry, part);
        };
        let are_lists =
            shape(self.old, before) == Shape::List && shape(self.new, value) == Shape::List;
        if self.is_strategic && are_lists {
            return self.list(entry, before, value, name, schema);
        }
        let part = self.value(entry, before, schema);
        self.child(entry, part)
    }
}
