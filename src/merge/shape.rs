//! The kinds of values, and the entries of collections.

use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

/// The kind of a value: map, list or scalar (rules: Equality, Kinds that differ).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Map,
    List,
    Scalar,
}

/// Returns the kind of a node. Aliases are resolved.
pub(crate) fn shape(tree: &Tree<'_>, node: NodeId) -> Shape {
    match tree.node(tree.resolve(node)).kind {
        NodeKind::Mapping(_) => Shape::Map,
        NodeKind::Sequence(_) => Shape::List,
        NodeKind::Scalar(_) | NodeKind::Alias(_) => Shape::Scalar,
    }
}

/// Returns the entries of a node. Aliases are resolved.
pub(crate) fn entries_of<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
) -> impl DoubleEndedIterator<Item = EntryId> + ExactSizeIterator + use<'t> {
    tree.entries(tree.resolve(node))
}

/// Returns the position of `wanted` among the entries of its collection, whose ids are consecutive.
pub(crate) fn position(mut entries: impl Iterator<Item = EntryId>, wanted: EntryId) -> usize {
    let first = entries.next().unwrap_or(wanted);
    (wanted.number() - first.number()) as usize
}
