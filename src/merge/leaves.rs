//! Measures how similar two values are, by the number of leaves that they share. Formatting does
//! not matter.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;

use crate::yaml::{NodeId, NodeKind, ScalarType, Tree};

/// The leaves of a value: each scalar, line of a text, empty map and empty list, with the keys that
/// lead to it. Positions in lists do not matter.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    /// The hashes of the leaves, sorted.
    hashes: Box<[u64]>,
}

impl Leaves {
    /// Returns the leaves of a value, without those below a path of keys for which `is_skipped` is
    /// true.
    pub(crate) fn of(tree: &Tree<'_>, node: NodeId, is_skipped: impl Fn(&[&str]) -> bool) -> Self {
        let mut hashes = Vec::new();
        add(tree, node, &is_skipped, &mut Vec::new(), &mut hashes);
        hashes.sort_unstable();
        Self {
            hashes: hashes.into(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns how many leaves two values share.
    pub(crate) fn common(&self, other: &Self) -> usize {
        count_common(&self.hashes, &other.hashes)
    }
}

/// Adds the hashes of the leaves of a value at `path`.
fn add<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    is_skipped: &impl Fn(&[&str]) -> bool,
    path: &mut Vec<&'t str>,
    hashes: &mut Vec<u64>,
) {
    if is_skipped(path) {
        return;
    }
    let node = tree.resolve(node);
    let mut hasher = FxHasher::default();
    (path.as_slice(), tree.custom_tag(node)).hash(&mut hasher);
    match &tree.node(node).kind {
        NodeKind::Scalar(scalar) if scalar.scalar_type == ScalarType::Null => {
            ScalarType::Null.hash(&mut hasher);
        }
        NodeKind::Scalar(scalar) => {
            scalar.scalar_type.hash(&mut hasher);
            for line in lines(scalar.content) {
                let mut hasher = hasher.clone();
                line.hash(&mut hasher);
                hashes.push(hasher.finish());
            }
            return;
        }
        NodeKind::Mapping(_) | NodeKind::Sequence(_) if tree.entries(node).len() > 0 => {
            for entry in tree.entries(node) {
                path.push(tree.key_text(entry).unwrap_or("-"));
                add(tree, tree.entry(entry).value, is_skipped, path, hashes);
                path.pop();
            }
            return;
        }
        kind => std::mem::discriminant(kind).hash(&mut hasher),
    }
    hashes.push(hasher.finish());
}

/// Returns how many numbers two sorted slices share.
pub(crate) fn count_common(left: &[u64], right: &[u64]) -> usize {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut common = 0;
    while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
        let order = one.cmp(two);
        common += usize::from(order.is_eq());
        order.is_le().then(|| left.next());
        order.is_ge().then(|| right.next());
    }
    common
}

/// Returns the lines of a text. An empty text has one empty line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let is_empty = text.is_empty();
    text.lines().chain(is_empty.then_some(""))
}
