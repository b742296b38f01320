//! Compares maps field by field: changed and new fields have their new text, and removed fields are
//! null.

use crate::merge::{Child, FieldIndex, Outcome, Shape, key_of, name_of, shape};
use crate::schema::FieldSchema;
use crate::yaml::NodeId;

use super::{MergeDiffer, scalar_text};

/// The fields of `metadata` that identify the resource of a patch.
const IDENTITY_FIELDS: [&str; 3] = ["name", "namespace", "generateName"];

impl<'a> MergeDiffer<'a> {
    /// Returns the fields of a map that are in the patch. The fields in `kept_names` always are,
    /// and so are those in the `metadata` of the root that identify the resource.
    pub(super) fn fields(
        &mut self,
        old: NodeId,
        new: NodeId,
        schema: Option<FieldSchema<'a>>,
        kept_names: &[&str],
        is_root: bool,
    ) -> Vec<Child> {
        let (old_tree, new_tree) = (self.old, self.new);
        let (old, new) = (old_tree.resolve(old), new_tree.resolve(new));
        let old_index = FieldIndex::of(old_tree, old).in_json();
        let new_index = FieldIndex::of(new_tree, new).in_json();
        let mut children = Vec::new();
        for entry in new_tree.entries(new) {
            let name = name_of(new_tree, entry).unwrap_or_default();
            let value = new_tree.entry(entry).value;
            let old_entry = key_of(new_tree, entry).and_then(|key| old_index.find(key));
            let old_value = old_entry.map(|old_entry| old_tree.entry(old_entry).value);
            let old_value = old_value.filter(|old| !old_tree.is_null(*old));
            let schema = schema.map(|schema| schema.field(&name));
            let shapes = old_value.map(|old| (shape(old_tree, old), shape(new_tree, value)));
            let outcome = match old_value.zip(shapes) {
                _ if kept_names.contains(&&*name) => Outcome::Keep,
                None if new_tree.is_null(value) => self.unchanged(),
                None => Outcome::Keep,
                Some((old, (Shape::Map, Shape::Map))) if is_root && name == "metadata" => {
                    let children = self.fields(old, value, schema, &IDENTITY_FIELDS, false);
                    self.entries(value, children)
                }
                Some((old, (Shape::List, Shape::List))) if self.is_strategic => {
                    let (directives, outcome) = self.list(old, value, &name, schema);
                    children.extend(directives);
                    outcome
                }
                Some((old, _)) => self.value(old, value, schema),
            };
            children.push(Child::local(entry, outcome));
        }
        for entry in old_tree.entries(old) {
            let is_removed =
                key_of(old_tree, entry).is_none_or(|key| new_index.find(key).is_none());
            let entry = old_tree.entry(entry);
            if let Some(key) = entry.key.filter(|_| is_removed)
                && !old_tree.is_null(entry.value)
            {
                let key = scalar_text(old_tree, key);
                children.push(self.additions.entry(format!("{key}: null\n")));
            }
        }
        children
    }
}
