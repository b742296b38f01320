//! Equality as a JSON patch's `test` has it (RFC 6902, section 4.6): numbers by what they are
//! worth.

use crate::patch::same::Equality;
use crate::yaml::go_json::{decimal, is_true};
use crate::yaml::{NodeId, Scalar, ScalarType, Tree, equal};

/// Whether two values are the same in JSON.
pub(super) fn is_same(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    let in_json = Equality {
        counts: |_, _| true,
        equal: |left, l, right, r| {
            equal(left, l, right, r) || is_same_scalar(left.scalar(l), right.scalar(r))
        },
    };
    in_json.is_same(left, l, right, r)
}

/// Whether two scalars that are written otherwise are one number, or one boolean.
fn is_same_scalar(left: Option<Scalar<'_>>, right: Option<Scalar<'_>>) -> bool {
    match (left.and_then(Worth::of), right.and_then(Worth::of)) {
        (Some(Worth::Int(left)), Some(Worth::Int(right))) => left == right,
        (Some(Worth::Bool(left)), Some(Worth::Bool(right))) => left == right,
        (Some(left), Some(right)) => left.float().is_some_and(|it| right.float() == Some(it)),
        _ => false,
    }
}

/// What a scalar is to JSON that is no text.
enum Worth {
    Bool(bool),
    /// In decimal digits.
    Int(String),
    Float(f64),
}

impl Worth {
    fn of(scalar: Scalar<'_>) -> Option<Self> {
        match scalar.scalar_type {
            ScalarType::Bool => Some(Self::Bool(is_true(scalar.content))),
            ScalarType::Int => decimal(scalar.content).map(Self::Int),
            ScalarType::Float => scalar.content.parse().ok().map(Self::Float),
            _ => None,
        }
    }

    fn float(&self) -> Option<f64> {
        match self {
            Self::Bool(_) => None,
            Self::Int(digits) => digits.parse().ok(),
            Self::Float(number) => Some(*number),
        }
    }
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
        assert!(same("[0644, yes]", "[420, true]"));
        assert!(!same("0644", "644"));
        assert!(!same("1", "true"));
        assert!(!same("1", "'1'"));
        assert!(!same("[1, 2]", "[2, 1]"));
        assert!(!same("{a: 1}", "{a: 1, b: 2}"));
    }
}
