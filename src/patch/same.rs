//! Equality with other rules than the merge's (rules: Equality): the caller says which fields count
//! and which scalars are equal.

use crate::merge::{FieldIndex, Shape, key_of, shape};
use crate::yaml::{EntryId, NodeId, Tree};

/// The rules by which two values are equal.
pub(super) struct Equality {
    /// Whether a field of a map counts.
    pub(super) counts: fn(&Tree<'_>, EntryId) -> bool,
    /// Whether two values are equal that are neither two maps nor two lists.
    pub(super) equal: fn(&Tree<'_>, NodeId, &Tree<'_>, NodeId) -> bool,
}

impl Equality {
    /// Whether two values are equal. The order of fields does not matter, the order of elements
    /// does.
    pub(super) fn is_same(&self, left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
        let (l, r) = (left.resolve(l), right.resolve(r));
        let equal_entries = |left_entry: EntryId, right_entry: EntryId| {
            let (left_entry, right_entry) =
                (left.entry(left_entry).value, right.entry(right_entry).value);
            self.is_same(left, left_entry, right, right_entry)
        };
        match (shape(left, l), shape(right, r)) {
            (Shape::Map, Shape::Map) => {
                let (left_fields, right_fields) = (self.fields(left, l), self.fields(right, r));
                let index = FieldIndex::new(right, right_fields.iter().copied()).in_json();
                let has = |entry: &EntryId| {
                    let other = key_of(left, *entry).and_then(|key| index.find(key));
                    other.is_some_and(|other| equal_entries(*entry, other))
                };
                left_fields.len() == right_fields.len() && left_fields.iter().all(has)
            }
            (Shape::List, Shape::List) => {
                let (left_fields, right_fields) = (left.entries(l), right.entries(r));
                left_fields.len() == right_fields.len()
                    && left_fields
                        .zip(right_fields)
                        .all(|(left_entry, right_entry)| equal_entries(left_entry, right_entry))
            }
            _ => (self.equal)(left, l, right, r),
        }
    }

    /// Returns the fields of a map that count.
    fn fields(&self, tree: &Tree<'_>, map: NodeId) -> Vec<EntryId> {
        let entries = tree.entries(map);
        entries
            .filter(|entry| (self.counts)(tree, *entry))
            .collect()
    }
}
