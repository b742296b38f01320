//! How much two documents have in common, by their leaves: formatting plays no part.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHasher};

use super::parsed::Parsed;
use crate::yaml::{NodeId, NodeKind, ScalarType, Tree};

/// The leaves of a document: each scalar, empty map and empty list, with the keys that lead to it.
/// A resource's version, name and namespace are left out, and so are the positions in lists.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    /// How often each occurs, by its hash.
    counts: FxHashMap<u64, usize>,
    total: usize,
}

impl Leaves {
    pub(super) fn of(parsed: &Parsed<'_>) -> Self {
        let mut leaves = Self::default();
        if let Some(tree) = parsed.tree() {
            leaves.add(&tree, tree.root().value, &mut Vec::new());
        }
        leaves
    }

    fn add<'t>(&mut self, tree: &'t Tree<'_>, node: NodeId, path: &mut Vec<&'t str>) {
        if is_identity(path) {
            return;
        }
        let node = tree.resolve(node);
        let mut hasher = FxHasher::default();
        (path.as_slice(), tree.custom_tag(node)).hash(&mut hasher);
        match &tree.node(node).kind {
            NodeKind::Scalar(scalar) if scalar.scalar_type == ScalarType::Null => {
                ScalarType::Null.hash(&mut hasher);
            }
            NodeKind::Scalar(scalar) => (scalar.scalar_type, scalar.content).hash(&mut hasher),
            NodeKind::Mapping(_) | NodeKind::Sequence(_) => {
                let entries = tree.entries(node);
                if entries.len() > 0 {
                    for entry in entries {
                        let entry = tree.entry(entry);
                        let key = entry.key.and_then(|key| tree.scalar(key));
                        path.push(key.map_or("-", |key| key.content));
                        self.add(tree, entry.value, path);
                        path.pop();
                    }
                    return;
                }
            }
            NodeKind::Alias(_) => return,
        }
        *self.counts.entry(hasher.finish()).or_default() += 1;
        self.total += 1;
    }

    /// How alike two resources of one kind are, in thousandths: how much of this one is in the
    /// other. None where that is less than two thirds, where more than half of the other is not in
    /// this one, or where they share their kind alone.
    pub(super) fn likeness(&self, other: &Self) -> Option<usize> {
        let common = self.common(other);
        let shares_more = common > 1 || common == self.total.max(other.total);
        (shares_more && common * 3 >= self.total * 2 && common * 2 >= other.total)
            .then(|| common * 1000 / self.total.max(1))
    }

    /// How many leaves one of two documents has and the other has not.
    pub(super) fn apart(&self, other: &Self) -> usize {
        self.total + other.total - 2 * self.common(other)
    }

    /// How many leaves two documents have in common.
    fn common(&self, other: &Self) -> usize {
        let counts = self.counts.iter();
        counts
            .map(|(leaf, count)| other.counts.get(leaf).map_or(0, |it| *it.min(count)))
            .sum()
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
    use super::super::parsed::{ParsedFile, Trees};
    use super::*;
    use pretty_assertions::assert_eq;

    fn likeness(left: &str, right: &str) -> Option<usize> {
        let leaves = |text| {
            let file = ParsedFile::parse("a.yaml".as_ref(), text, Trees::Dropped).unwrap();
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
