//! Equality as a JSON patch's `test` has it (RFC 6902, section 4.6): numbers by what they are worth.

use crate::merge::{FieldIndex, Shape, key_of, shape};
use crate::yaml::{NodeId, Scalar, ScalarType, Tree, equal};

/// Whether two values are the same in JSON.
pub(super) fn is_same(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    let (l, r) = (left.resolve(l), right.resolve(r));
    match (shape(left, l), shape(right, r)) {
        (Shape::Map, Shape::Map) => {
            let fields = FieldIndex::new(right, right.entries(r));
            left.entries(l).len() == right.entries(r).len()
                && left.entries(l).all(|entry| {
                    let other = key_of(left, entry).and_then(|key| fields.find(key));
                    other.is_some_and(|other| {
                        is_same(
                            left,
                            left.entry(entry).value,
                            right,
                            right.entry(other).value,
                        )
                    })
                })
        }
        (Shape::List, Shape::List) => {
            left.entries(l).len() == right.entries(r).len()
                && left.entries(l).zip(right.entries(r)).all(|(entry, other)| {
                    is_same(
                        left,
                        left.entry(entry).value,
                        right,
                        right.entry(other).value,
                    )
                })
        }
        (Shape::Scalar, Shape::Scalar) => {
            equal(left, l, right, r) || is_same_number(left.scalar(l), right.scalar(r))
        }
        _ => false,
    }
}

fn is_same_number(left: Option<&Scalar<'_>>, right: Option<&Scalar<'_>>) -> bool {
    let number = |scalar: Option<&Scalar<'_>>| {
        let scalar =
            scalar.filter(|it| matches!(it.scalar_type, ScalarType::Int | ScalarType::Float))?;
        scalar.content.parse::<f64>().ok()
    };
    matches!((number(left), number(right)), (Some(left), Some(right)) if left == right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_by_their_worth() {
        let same = |left, right| {
            let left = Tree::parse(left).unwrap().unwrap();
            let right = Tree::parse(right).unwrap().unwrap();
            is_same(&left, left.root().value, &right, right.root().value)
        };
        assert!(same("{a: [1, 2.0]}", "a: [1.0, 2]\n"));
        assert!(same("10", "1e1"));
        assert!(!same("1", "'1'"));
        assert!(!same("[1, 2]", "[2, 1]"));
        assert!(!same("{a: 1}", "{a: 1, b: 2}"));
    }
}
