//! Looking up the fields of a map, in constant time where it is large.

use rustc_hash::FxHashMap;

use crate::yaml::{EntryId, NodeKind, ScalarType, Tree};

/// From this many fields on, a table is worth its making.
const TABLE_FROM: usize = 12;

/// What makes two scalars the same key: type and content.
pub(crate) type ScalarKey<'t> = (ScalarType, &'t str);

/// The fields of one map by their keys.
pub(crate) struct FieldIndex<'t> {
    fields: Vec<(ScalarKey<'t>, EntryId)>,
    table: Option<FxHashMap<ScalarKey<'t>, EntryId>>,
}

impl<'t> FieldIndex<'t> {
    pub(crate) fn new(tree: &'t Tree<'_>, entries: impl Iterator<Item = EntryId>) -> Self {
        let fields: Vec<_> = entries
            .filter_map(|entry| Some((key_of(tree, entry)?, entry)))
            .collect();
        let table = (fields.len() >= TABLE_FROM).then(|| fields.iter().copied().collect());
        Self { fields, table }
    }

    pub(crate) fn find(&self, key: ScalarKey<'_>) -> Option<EntryId> {
        match &self.table {
            Some(table) => table.get(&key).copied(),
            None => self
                .fields
                .iter()
                .find(|(candidate, _)| *candidate == key)
                .map(|(_, entry)| *entry),
        }
    }
}

/// A field's key as a scalar.
pub(crate) fn key_of<'t>(tree: &'t Tree<'_>, entry: EntryId) -> Option<ScalarKey<'t>> {
    scalar_key(tree, tree.entry(entry).key?)
}

/// A scalar as a key, an alias being what it stands for; none for a map or a list.
pub(crate) fn scalar_key<'t>(
    tree: &'t Tree<'_>,
    node: crate::yaml::NodeId,
) -> Option<ScalarKey<'t>> {
    match &tree.node(tree.resolve(node)).kind {
        NodeKind::Scalar(scalar) if scalar.scalar_type == ScalarType::Null => {
            Some((ScalarType::Null, ""))
        }
        NodeKind::Scalar(scalar) => Some((scalar.scalar_type, &scalar.content)),
        _ => None,
    }
}
