//! Compares and writes values as patches need them.

use crate::patch::same::Equality;
use crate::yaml::{NodeId, ScalarStyle, Tree, equal, scalar};

/// Whether two values are equal if a null field of a map counts as absent.
pub(super) fn is_same(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    let without_nulls = Equality {
        counts: |tree, entry| !tree.is_null(tree.entry(entry).value),
        equal,
    };
    without_nulls.is_same(left, l, right, r)
}

/// Returns a scalar as text that is valid anywhere on a line.
pub(super) fn scalar_text(tree: &Tree<'_>, node: NodeId) -> String {
    let Some(scalar) = tree.scalar(node) else {
        return String::new();
    };
    let write = |style| scalar::write(scalar.content, scalar.scalar_type, style, true);
    write(scalar.style)
        .filter(|text| !text.contains('\n'))
        .or_else(|| write(ScalarStyle::Plain))
        .or_else(|| write(ScalarStyle::DoubleQuoted))
        .unwrap_or_else(|| scalar.content.to_string())
}
