//! Equality for the `test` operation of a JSON patch (RFC 6902, section 4.6): numbers are compared
//! by value.

use crate::patch::same::Equality;
use crate::yaml::go_json::{is_true, number};
use crate::yaml::{NodeId, Scalar, ScalarType, Tree, equal};

/// Whether two values are equal in JSON.
pub(super) fn is_same(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    let in_json = Equality {
        counts: |_, _| true,
        equal: |left, l, right, r| {
            let scalars = left.scalar(l).zip(right.scalar(r));
            equal(left, l, right, r) || scalars.is_some_and(|(l, r)| is_same_scalar(l, r))
        },
    };
    in_json.is_same(left, l, right, r)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let same = |left, right| {
            let left = Tree::parse(left).unwrap().unwrap();
            let right = Tree::parse(right).unwrap().unwrap();
            is_same(&left, left.root().value, &right, right.root().value)
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
