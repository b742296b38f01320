//! Equality with other rules than the merge's (rules: Equality).

use crate::merge::{FieldIndex, Shape, key_of, shape};
use crate::yaml::go_json::{is_true, number};
use crate::yaml::{EntryId, NodeId, Scalar, ScalarType, Tree, equal};

/// Whether two values are equal if a null field of a map counts as absent.
pub(super) fn is_same_without_nulls(
    left: &Tree<'_>,
    l: NodeId,
    right: &Tree<'_>,
    r: NodeId,
) -> bool {
    is_same(left, l, right, r, true)
}

/// Whether two values are equal for the `test` operation of a JSON patch (RFC 6902, section 4.6):
/// numbers are compared by value.
pub(super) fn is_same_in_json(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    is_same(left, l, right, r, false)
}

/// Whether two scalars with different texts are the same number or the same boolean.
fn is_same_scalar(left: Scalar<'_>, right: Scalar<'_>) -> bool {
    let boolean =
        |it: Scalar<'_>| (it.scalar_type == ScalarType::Bool).then(|| is_true(it.content));
    match (number(left), number(right)) {
        (Some(left), Some(right)) if left.is_f64() || right.is_f64() => {
            left.as_f64() == right.as_f64()
        }
        (Some(left), Some(right)) => left == right,
        _ => boolean(left).is_some() && boolean(left) == boolean(right),
    }
}

/// Whether two values are equal. The order of fields does not matter, the order of elements does.
/// Either null fields count as absent, or numbers are compared by value.
fn is_same(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId, without_nulls: bool) -> bool {
    let (l, r) = (left.resolve(l), right.resolve(r));
    match (shape(left, l), shape(right, r)) {
        (Shape::Map, Shape::Map) => {
            let fields = |tree: &Tree<'_>, map| -> Vec<EntryId> {
                let is_null = |entry: &EntryId| tree.is_null(tree.entry(*entry).value);
                let entries = tree.entries(map);
                entries
                    .filter(|entry| !(without_nulls && is_null(entry)))
                    .collect()
            };
            let (left_fields, right_fields) = (fields(left, l), fields(right, r));
            let index = FieldIndex::new(right, right_fields.iter().copied()).in_json();
            let has = |entry: &EntryId| {
                let other = key_of(left, *entry).and_then(|key| index.find(key));
                other.is_some_and(|other| {
                    let (l, r) = (left.entry(*entry).value, right.entry(other).value);
                    is_same(left, l, right, r, without_nulls)
                })
            };
            left_fields.len() == right_fields.len() && left_fields.iter().all(has)
        }
        (Shape::List, Shape::List) => {
            let mut pairs = left.values(l).zip(right.values(r));
            left.values(l).len() == right.values(r).len()
                && pairs.all(|(l, r)| is_same(left, l, right, r, without_nulls))
        }
        _ => {
            let scalars = left.scalar(l).zip(right.scalar(r));
            equal(left, l, right, r)
                || !without_nulls && scalars.is_some_and(|(l, r)| is_same_scalar(l, r))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let same = |left, right| {
            let left = Tree::parse(left).unwrap().unwrap();
            let right = Tree::parse(right).unwrap().unwrap();
            is_same_in_json(&left, left.root().value, &right, right.root().value)
        };
        assert!(same("{a: [1, 2.0]}", "a: [1.0, 2]\n"));
        assert!(same("10", "1e1"));
        assert!(same("[0644, yes]", "[420, true]"));
        assert!(!same("0644", "644"));
        assert!(!same("1", "true"));
        assert!(!same("1", "'1'"));
        assert!(!same("[1, 2]", "[2, 1]"));
        assert!(!same("{a: 1}", "{a: 1, b: 2}"));
    }
}
