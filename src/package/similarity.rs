//! How much two documents have in common, by their leaves: formatting plays no part.

use super::parsed::Parsed;
use crate::merge;

/// The leaves of a document. A resource's version, name and namespace are left out.
#[derive(Debug, Default)]
pub(super) struct Leaves(merge::Leaves);

impl Leaves {
    pub(super) fn of(parsed: &Parsed<'_>) -> Self {
        let tree = parsed.tree();
        let leaves = tree.map(|tree| merge::Leaves::of(&tree, tree.root().value, is_identity));
        Self(leaves.unwrap_or_default())
    }

    /// How alike two resources of one kind are, in thousandths: how much of this one is in the
    /// other. `None` if that is less than two thirds, where more than half of the other is not in
    /// this one, or where they share their kind alone.
    pub(super) fn likeness(&self, other: &Self) -> Option<usize> {
        let (own, others, common) = (self.0.len(), other.0.len(), self.0.common(&other.0));
        let shares_more = common > 1 || common == own.max(others);
        (shares_more && common * 3 >= own * 2 && common * 2 >= others)
            .then(|| common * 1000 / own.max(1))
    }

    /// How many leaves one of two documents has and the other has not.
    pub(super) fn distance(&self, other: &Self) -> usize {
        self.0.len() + other.0.len() - 2 * self.0.common(&other.0)
    }
}

/// Whether a path leads to the version, name or namespace of a resource.
fn is_identity(path: &[&str]) -> bool {
    matches!(
        path,
        ["apiVersion"] | ["metadata", "name" | "namespace" | "generateName"]
    )
}

#[cfg(test)]
mod tests {
    use super::super::parsed::ParsedFile;
    use super::*;
    use pretty_assertions::assert_eq;

    fn likeness(left: &str, right: &str) -> Option<usize> {
        let leaves = |text| {
            let file = ParsedFile::parse("a.yaml".as_ref(), text).unwrap();
            Leaves::of(&file.documents[0])
        };
        leaves(left).likeness(&leaves(right))
    }

    #[test]
    fn two_thirds_of_the_leaves_are_enough() {
        let named = |rest: &str| format!("kind: A\n{rest}");
        let likeness = |left: &str, right: &str| likeness(&named(left), &named(right));
        let all = Some(1000);
        assert_eq!(likeness("a: 1\nb: [1, 2]\n", "b:\n- 2\n- 1\na: 1\n"), all);
        assert_eq!(likeness("a: 1\nb: 1\n", "a: 1\nb: 2\n"), Some(666));
        assert_eq!(
            likeness("a: 1\nb: {c: 1, d: 1}\n", "a: 1\nb: {c: 2, d: 2}\n"),
            None
        );
        assert_eq!(likeness("a: 1\n", "a: 1\nb: 1\nc: 1\n"), all);
        assert_eq!(likeness("a: 1\n", "a: 1\nb: 1\nc: 1\nd: 1\n"), None);
    }

    #[test]
    fn their_kind_alone_is_not_enough() {
        assert_eq!(likeness("kind: A\na: 1\n", "kind: A\na: '1'\n"), None);
        assert_eq!(likeness("kind: A\n", "kind: A\na: 1\n"), None);
        assert_eq!(likeness("kind: A\n", "kind: A\n"), Some(1000));
    }

    #[test]
    fn what_a_resource_is_called_is_no_leaf() {
        let named = |name: &str| {
            format!("apiVersion: {name}\nkind: A\nmetadata: {{name: {name}, namespace: {name}}}\n")
        };
        assert_eq!(likeness(&named("a"), &named("b")), Some(1000));
    }

    #[test]
    fn an_alias_has_the_leaves_of_what_it_stands_for() {
        assert_eq!(
            likeness("a: &a [x]\nb: *a\n", "a: [x]\nb: [x]\n"),
            Some(1000)
        );
    }
}
