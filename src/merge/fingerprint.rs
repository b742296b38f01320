//! A hash of a value: equal values (SPEC 4) have equal fingerprints. For aligning elements; never a proof of equality.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxHashMap;

use crate::yaml::{NodeId, NodeKind, ScalarType, Tree};

/// The fingerprints of the elements of a list.
pub(crate) fn of_elements(tree: &Tree<'_>, list: NodeId) -> Vec<u64> {
    let mut fingerprints = Fingerprints {
        tree,
        targets: FxHashMap::default(),
    };
    tree.entries(tree.resolve(list))
        .map(|element| fingerprints.of(tree.entry(element).value))
        .collect()
}

struct Fingerprints<'a> {
    tree: &'a Tree<'a>,
    /// What aliases stand for is hashed once: a document may repeat them beyond measure.
    targets: FxHashMap<NodeId, u64>,
}

impl Fingerprints<'_> {
    fn of(&mut self, node: NodeId) -> u64 {
        let tree = self.tree;
        match &tree.node(node).kind {
            NodeKind::Alias(target) => {
                let target = tree.resolve(*target);
                if let Some(known) = self.targets.get(&target) {
                    return *known;
                }
                let fingerprint = self.of(target);
                self.targets.insert(target, fingerprint);
                fingerprint
            }
            NodeKind::Scalar(scalar) => {
                let content = if scalar.scalar_type == ScalarType::Null {
                    ""
                } else {
                    scalar.content
                };
                hash_of(&(scalar.scalar_type, content))
            }
            NodeKind::Sequence(_) => {
                let elements: Vec<u64> = tree
                    .entries(node)
                    .map(|element| self.of(tree.entry(element).value))
                    .collect();
                hash_of(&("list", elements))
            }
            NodeKind::Mapping(_) => {
                let mut fields: Vec<(u64, u64)> = tree
                    .entries(node)
                    .map(|field| {
                        let entry = tree.entry(field);
                        (
                            entry.key.map_or(0, |key| self.of(key)),
                            self.of(entry.value),
                        )
                    })
                    .collect();
                fields.sort_unstable();
                hash_of(&("map", fields))
            }
        }
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
