//! Values as patches see them.

use crate::merge::{FieldIndex, Shape, key_of, shape};
use crate::yaml::{EntryId, NodeId, ScalarStyle, ScalarType, Tree, equal, scalar};

/// Whether two values are the same where a null field of a map counts as absent.
pub(super) fn is_same(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    let (l, r) = (left.resolve(l), right.resolve(r));
    match (shape(left, l), shape(right, r)) {
        (Shape::Map, Shape::Map) => {
            let (ls, rs) = (fields(left, l), fields(right, r));
            let index = FieldIndex::new(right, rs.iter().copied());
            ls.len() == rs.len()
                && ls.iter().all(|entry| {
                    let other = key_of(left, *entry).and_then(|key| index.find(key));
                    other.is_some_and(|other| {
                        let (ours, theirs) = (left.entry(*entry).value, right.entry(other).value);
                        is_same(left, ours, right, theirs)
                    })
                })
        }
        (Shape::List, Shape::List) => {
            left.entries(l).len() == right.entries(r).len()
                && left.entries(l).zip(right.entries(r)).all(|(ours, theirs)| {
                    is_same(
                        left,
                        left.entry(ours).value,
                        right,
                        right.entry(theirs).value,
                    )
                })
        }
        _ => equal(left, l, right, r),
    }
}

/// The fields of a map that are not null.
fn fields(tree: &Tree<'_>, map: NodeId) -> Vec<EntryId> {
    let entries = tree.entries(map);
    entries
        .filter(|entry| !tree.is_null(tree.entry(*entry).value))
        .collect()
}

/// A scalar as it can stand anywhere on a line.
pub(super) fn scalar_text(tree: &Tree<'_>, node: NodeId) -> String {
    let Some(scalar) = tree.scalar(node) else {
        return String::new();
    };
    let write = |style| scalar::write(&scalar.content, scalar.scalar_type, style, true);
    write(scalar.style)
        .filter(|text| !text.contains('\n'))
        .or_else(|| write(ScalarStyle::Plain))
        .or_else(|| write(ScalarStyle::DoubleQuoted))
        .unwrap_or_else(|| scalar.content.to_string())
}

/// A field's name as a key.
pub(super) fn key_text(name: &str) -> String {
    let write = |style| scalar::write(name, ScalarType::Str, style, true);
    write(ScalarStyle::Plain)
        .or_else(|| write(ScalarStyle::DoubleQuoted))
        .unwrap_or_else(|| format!("{name:?}"))
}
