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
            let old_entry = key_of(self.new, entry).and_then(|key| old_index.find(key));
            if kept_names.contains(&name.as_str()) {
                children.push(Child::keep(entry));
            } else if is_root && name == "metadata" {
                children.extend(self.metadata(entry, old_entry, schema));
            } else {
                let field_schema = schema.map(|schema| schema.field(&name));
                children.extend(self.field(entry, old_entry, &name, field_schema));
            }
        }
        for entry in self.old.entries(old) {
            let value = self.old.entry(entry).value;
            let is_removed =
                key_of(self.old, entry).is_none_or(|key| new_index.find(key).is_none());
            if let Some(key) = self.old.entry(entry).key.filter(|_| is_removed)
                && !self.old.is_null(value)
            {
                let key = scalar_text(self.old, key);
                children.push(self.additions.entry(format!("{key}: null\n")));
            }
        }
        children
    }

    /// Returns the `metadata` of the root, which always has the fields that identify the resource.
    fn metadata(
        &mut self,
        entry: EntryId,
        old_entry: Option<EntryId>,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let value = self.new.entry(entry).value;
        let old = old_entry.map(|old_entry| self.old.entry(old_entry).value);
        let is_map = shape(self.new, value) == Shape::Map;
        let old = old.filter(|it| is_map && shape(self.old, *it) == Shape::Map);
        let part = match old {
            Some(old) => {
                let metadata_schema = schema.map(|schema| schema.field("metadata"));
                let children = self.fields(old, value, metadata_schema, &IDENTITY_FIELDS, false);
                self.part(entry, children)
            }
            None => Part::Whole,
        };
        self.child(entry, part)
    }

    /// Compares a field with the one in the old map, `old_entry`.
    fn field(
        &mut self,
        entry: EntryId,
        old_entry: Option<EntryId>,
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let value = self.new.entry(entry).value;
        let old = old_entry.map(|old_entry| self.old.entry(old_entry).value);
        let old = old.filter(|old| !self.old.is_null(*old));
        let Some(old) = old else {
            let is_null = self.new.is_null(value);
            let part = if is_null {
                Part::Unchanged
            } else {
                Part::Whole
            };
            return self.child(entry, part);
        };
        let are_lists =
            shape(self.old, old) == Shape::List && shape(self.new, value) == Shape::List;
        if self.is_strategic && are_lists {
            return self.list(entry, old, value, name, schema);
        }
        let part = self.value(entry, old, schema);
        self.child(entry, part)
    }
}
