//! Finds the parents of nodes and entries of a tree.

use crate::yaml::{EntryId, NodeId, Tree};

const NONE: u32 = u32::MAX;

/// The parent of each node and entry of a tree.
#[derive(Debug)]
pub(super) struct Parents {
    /// The entry that has a node as its value, by the number of the node, or [`NONE`]. A plain
    /// number takes half the memory of an option.
    entry_of_value: Vec<u32>,
    /// The collection of an entry, by the number of the entry, or [`NONE`].
    collection_of_entry: Vec<u32>,
}

impl Parents {
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut parents = Self {
            entry_of_value: vec![NONE; tree.node_ids().len()],
            collection_of_entry: vec![NONE; tree.all_entries().len()],
        };
        for node in tree.node_ids() {
            for entry in tree.entries(node) {
                parents.collection_of_entry[entry.number() as usize] = node.number();
                let value = tree.entry(entry).value;
                parents.entry_of_value[value.number() as usize] = entry.number();
            }
        }
        parents
    }

    /// Returns the entry that has a node as its value; `None` for the root and for a key.
    pub(super) fn entry_of(&self, value: NodeId) -> Option<EntryId> {
        parent_of(&self.entry_of_value, value.number()).map(EntryId::new)
    }

    /// Returns the map or list of an entry.
    pub(super) fn collection_of(&self, entry: EntryId) -> Option<NodeId> {
        parent_of(&self.collection_of_entry, entry.number()).map(NodeId::new)
    }
}

fn parent_of(parents: &[u32], child: u32) -> Option<u32> {
    let parent = parents.get(child as usize).copied();
    parent.filter(|parent| *parent != NONE)
}
