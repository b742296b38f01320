//! Hashes of values, for aligning elements of lists. Equal values (rules: Equality) have equal
//! fingerprints; equal fingerprints do not prove that values are equal.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::index::scalar_key;
use super::leaves::Leaves;
use crate::yaml::{NodeId, NodeKind, Tree};

/// The fingerprints of a tree's values, with caches for those that are needed again.
pub(crate) struct Fingerprints<'a> {
    tree: &'a Tree<'a>,
    /// The fingerprints of lists, which are needed again when an inner list is merged, and of the
    /// targets of aliases, because aliases of aliases can repeat a value very often.
    known: RefCell<FxHashMap<NodeId, u64>>,
    /// The leaves of values.
    leaves: RefCell<FxHashMap<NodeId, Arc<Leaves>>>,
}

impl<'a> Fingerprints<'a> {
    pub(crate) fn new(tree: &'a Tree<'a>) -> Self {
        Self {
            tree,
            known: RefCell::default(),
            leaves: RefCell::default(),
        }
    }

    /// Returns the tree.
    pub(crate) const fn tree(&self) -> &'a Tree<'a> {
        self.tree
    }

    /// Returns the fingerprints of the elements of a list.
    pub(crate) fn of_elements(&self, list: NodeId) -> Arc<[u64]> {
        let elements = self.tree.values(list);
        elements.map(|element| self.of(element)).collect()
    }

    /// Returns the leaves of a value.
    pub(crate) fn leaves(&self, node: NodeId) -> Arc<Leaves> {
        let node = self.tree.resolve(node);
        let cached = self.leaves.borrow().get(&node).cloned();
        cached.unwrap_or_else(|| {
            let leaves = Arc::new(Leaves::of(self.tree, node, |_| false));
            self.leaves.borrow_mut().insert(node, Arc::clone(&leaves));
            leaves
        })
    }

    /// Returns the fingerprint of a list or of the value of an anchor.
    pub(crate) fn of_known(&self, node: NodeId) -> u64 {
        let cached = self.known.borrow().get(&node).copied();
        cached.unwrap_or_else(|| {
            let fingerprint = match self.tree.node(node).kind {
                NodeKind::Sequence(_) => hash_of(&("list", self.of_elements(node))),
                _ => self.of(node),
            };
            self.known.borrow_mut().insert(node, fingerprint);
            fingerprint
        })
    }

    fn of(&self, node: NodeId) -> u64 {
        let tree = self.tree;
        match &tree.node(node).kind {
            NodeKind::Alias(target) => self.of_known(tree.resolve(*target)),
            NodeKind::Scalar(_) => scalar_key(tree, node).map_or(0, |scalar| hash_of(&scalar)),
            NodeKind::Sequence(_) => self.of_known(node),
            NodeKind::Mapping(_) => {
                let fields = tree.entries(node).map(|field| tree.entry(field));
                let fields = fields.map(|field| {
                    let key = field.key.map_or(0, |key| self.of(key));
                    (key, self.of(field.value))
                });
                let mut fields: Vec<(u64, u64)> = fields.collect();
                fields.sort_unstable();
                hash_of(&("map", fields))
            }
        }
    }
}

/// Returns a hash of a value or a name.
pub(super) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
