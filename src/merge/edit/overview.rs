//! Caches facts about a tree that are computed once, on first use, and shared by editors.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::OnceLock;

use super::habits::Habits;
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, Tree};

/// A tree with cached facts about it.
pub(super) struct Overview<'a> {
    pub(super) tree: &'a Tree<'a>,
    habits: OnceLock<Habits>,
    parents: OnceLock<Parents>,
    anchor_names: OnceLock<HashSet<&'a str>>,
}

/// The parent of each node and entry of a tree.
struct Parents {
    /// The entry that has a node as its value, by the number of the node.
    entry_of_value: Vec<Option<EntryId>>,
    /// The collection of an entry, by the number of the entry.
    collection_of_entry: Vec<Option<NodeId>>,
}

impl<'a> Deref for Overview<'a> {
    type Target = Tree<'a>;

    fn deref(&self) -> &Tree<'a> {
        self.tree
    }
}

impl<'a> Overview<'a> {
    pub(super) const fn of(tree: &'a Tree<'a>) -> Self {
        Self {
            tree,
            habits: OnceLock::new(),
            parents: OnceLock::new(),
            anchor_names: OnceLock::new(),
        }
    }

    /// Returns the tree as each of the three sides, for edits that bring nothing from another one.
    pub(super) const fn on_all_sides(&'a self) -> Triple<&'a Self> {
        Triple::new(self, self, self)
    }

    pub(super) fn habits(&self) -> Habits {
        *self.habits.get_or_init(|| Habits::of(self.tree))
    }

    /// Returns the entry that has a node as its value; `None` for the root and for a key.
    pub(super) fn entry_of(&self, value: NodeId) -> Option<EntryId> {
        self.parents().entry_of_value[value.number() as usize]
    }

    /// Returns the map or list of an entry.
    pub(super) fn collection_of(&self, entry: EntryId) -> Option<NodeId> {
        self.parents().collection_of_entry[entry.number() as usize]
    }

    /// Whether an entry is in a flow collection.
    pub(super) fn is_in_flow(&self, entry: EntryId) -> bool {
        let collection = self.collection_of(entry);
        collection.and_then(|node| self.is_flow(node)) == Some(true)
    }

    /// Whether an anchor with this name, which includes the `&`, is in the tree.
    pub(super) fn has_anchor(&self, name: &str) -> bool {
        let names = || self.tree.anchor_names().collect();
        self.anchor_names.get_or_init(names).contains(name)
    }

    fn parents(&self) -> &Parents {
        self.parents.get_or_init(|| {
            let tree = self.tree;
            let mut parents = Parents {
                entry_of_value: vec![None; tree.node_ids().len()],
                collection_of_entry: vec![None; tree.all_entries().len()],
            };
            for node in tree.node_ids() {
                for entry in tree.entries(node) {
                    parents.collection_of_entry[entry.number() as usize] = Some(node);
                    let value = tree.entry(entry).value;
                    parents.entry_of_value[value.number() as usize] = Some(entry);
                }
            }
            parents
        })
    }
}
