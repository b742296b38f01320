//! Elements that are the same thing before and after a change, although nothing identifies them.

use super::index::{FieldIndex, key_of};
use super::{Shape, Walker, entries_of, shape};
use crate::yaml::{EntryId, Tree, equal};

/// Fields that name a thing, where they are there: a step of a workflow, a rule, an alert.
const NAMING_FIELDS: [&str; 6] = ["name", "id", "alert", "record", "path", "uses"];

impl Walker<'_> {
    /// Whether two elements are maps that are alike: they have the same name, or, where none has one, at least half of
    /// their fields with equal values.
    pub(super) fn are_alike(
        &self,
        (left_tree, left): (&Tree<'_>, EntryId),
        (right_tree, right): (&Tree<'_>, EntryId),
    ) -> bool {
        let (left, right) = (left_tree.entry(left).value, right_tree.entry(right).value);
        if shape(left_tree, left) != Shape::Map || shape(right_tree, right) != Shape::Map {
            return false;
        }
        let fields = FieldIndex::of(right_tree, right);
        let same = |entry: EntryId| {
            let other = key_of(left_tree, entry).and_then(|key| fields.find(key))?;
            let value = left_tree.entry(entry).value;
            Some(equal(
                left_tree,
                value,
                right_tree,
                right_tree.entry(other).value,
            ))
        };
        for name in NAMING_FIELDS {
            if let Some(entry) = left_tree.find(left_tree.resolve(left), name)
                && let Some(same) = same(entry)
            {
                return same;
            }
        }
        let count = entries_of(left_tree, left)
            .filter(|entry| same(*entry) == Some(true))
            .count();
        let larger = entries_of(left_tree, left)
            .len()
            .max(entries_of(right_tree, right).len());
        count > 0 && count * 2 >= larger
    }
}
