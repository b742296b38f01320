//! Measures how much two documents have in common, by their leaves. Formatting does not count.

use std::cmp::Reverse;

use super::parsed::Parsed;
use crate::merge::Leaves;
use crate::yaml::Tree;

/// Returns the pairs of indexes in two lists for which `similarity` returns a value: the most
/// similar first, then the nearest. Only documents at most `max_distance` positions apart are
/// compared: a file may have thousands of them.
pub(super) fn most_similar_first(
    lefts: &[usize],
    rights: &[usize],
    max_distance: usize,
    mut similarity: impl FnMut(usize, usize) -> Option<u16>,
) -> Vec<[u32; 2]> {
    // a file of many small documents has many more pairs than bytes: each takes little memory
    let mut pairs: Vec<(Reverse<u16>, u16, u32, u32)> = Vec::new();
    for (left, one) in lefts.iter().enumerate() {
        let near = left.saturating_sub(max_distance)..rights.len().min(left + max_distance + 1);
        for right in near {
            if let Some(similarity) = similarity(*one, rights[right]) {
                let distance = left.abs_diff(right) as u16;
                pairs.push((Reverse(similarity), distance, left as u32, right as u32));
            }
        }
    }
    pairs.sort_unstable();
    let pairs = pairs.into_iter();
    let index = |list: &[usize], at: u32| list[at as usize] as u32;
    pairs
        .map(|(_, _, left, right)| [index(lefts, left), index(rights, right)])
        .collect()
}

impl Leaves {
    /// Returns the leaves of a document, without apiVersion, name and namespace.
    pub(super) fn of_document(parsed: &Parsed<'_>) -> Self {
        let tree = parsed.tree();
        tree.map(|tree| Self::in_tree(&tree)).unwrap_or_default()
    }

    /// Returns the leaves of the document with this tree.
    pub(super) fn in_tree(tree: &Tree<'_>) -> Self {
        Self::of(tree, tree.root().value, is_identity)
    }

    /// Returns the similarity of two resources of one kind: the share of this one's leaves that
    /// `other` has too, in thousandths. `None` if that is less than two thirds, if this one lacks
    /// more than half of `other`'s leaves, or if only the kind is common.
    pub(super) fn similarity(&self, other: &Self) -> Option<u16> {
        let (len, other_len, common) = (self.len(), other.len(), self.common(other));
        let shares_more_than_kind = common > 1 || common == len.max(other_len);
        (shares_more_than_kind && common * 3 >= len * 2 && common * 2 >= other_len)
            .then(|| (common * 1000 / len.max(1)) as u16)
    }

    /// Returns the number of leaves that only one of the two documents has.
    pub(super) fn distance(&self, other: &Self) -> usize {
        self.len() + other.len() - 2 * self.common(other)
    }
}

/// Returns true if this is the path of a resource's apiVersion, name or namespace.
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

    fn similarity(left: &str, right: &str) -> Option<u16> {
        let leaves = |text| {
            let file = ParsedFile::parse("a.yaml".as_ref(), text).unwrap();
            Leaves::of_document(&file.documents[0])
        };
        leaves(left).similarity(&leaves(right))
    }

    #[test]
    fn two_thirds_of_the_leaves_are_enough() {
        let with_kind = |rest: &str| format!("kind: A\n{rest}");
        let similarity = |left: &str, right: &str| similarity(&with_kind(left), &with_kind(right));
        let all = Some(1000);
        assert_eq!(similarity("a: 1\nb: [1, 2]\n", "b:\n- 2\n- 1\na: 1\n"), all);
        assert_eq!(similarity("a: 1\nb: 1\n", "a: 1\nb: 2\n"), Some(666));
        assert_eq!(
            similarity("a: 1\nb: {c: 1, d: 1}\n", "a: 1\nb: {c: 2, d: 2}\n"),
            None
        );
        assert_eq!(similarity("a: 1\n", "a: 1\nb: 1\nc: 1\n"), all);
        assert_eq!(similarity("a: 1\n", "a: 1\nb: 1\nc: 1\nd: 1\n"), None);
    }

    #[test]
    fn the_kind_alone_is_not_enough() {
        assert_eq!(similarity("kind: A\na: 1\n", "kind: A\na: '1'\n"), None);
        assert_eq!(similarity("kind: A\n", "kind: A\na: 1\n"), None);
        assert_eq!(similarity("kind: A\n", "kind: A\n"), Some(1000));
    }

    #[test]
    fn name_and_namespace_are_not_leaves() {
        let named = |name: &str| {
            format!("apiVersion: {name}\nkind: A\nmetadata: {{name: {name}, namespace: {name}}}\n")
        };
        assert_eq!(similarity(&named("a"), &named("b")), Some(1000));
    }

    #[test]
    fn an_alias_has_the_leaves_of_its_anchor() {
        assert_eq!(
            similarity("a: &a [x]\nb: *a\n", "a: [x]\nb: [x]\n"),
            Some(1000)
        );
    }
}
