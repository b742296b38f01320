//! Finds the parents of nodes and entries of a tree.

use crate::yaml::{EntryId, NodeId, Tree};

const NONE: u32 = u32::MAX;

/// The parent of each node and entry of a tree.
#[derive(Debug)]
pub(super) struct Holders {
    /// The entry that has a node as its value, by the number of the node, or [`NONE`]. A plain
    /// number takes half the memory of an option.
    entry_of_value: Vec<u32>,
    /// The collection of an entry, by the number of the entry, or [`NONE`].
    collection_of_entry: Vec<u32>,
}

impl Holders {
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut holders = Self {
            entry_of_value: vec![NONE; tree.node_ids().len()],
            collection_of_entry: vec![NONE; tree.all_entries().len()],
        };
        for node in tree.node_ids() {
            for entry in tree.entries(node) {
                holders.collection_of_entry[entry.number() as usize] = node.number();
                let value = tree.entry(entry).value;
                holders.entry_of_value[value.number() as usize] = entry.number();
            }
        }
        holders
    }

    /// Returns the entry that has a node as its value; `None` for the root and for a key.
    pub(super) fn entry_of(&self, value: NodeId) -> Option<EntryId> {
        holder_of(&self.entry_of_value, value.number()).map(EntryId::new)
    }

    /// Returns the map or list of an entry.
    pub(super) fn collection_of(&self, entry: EntryId) -> Option<NodeId> {
        holder_of(&self.collection_of_entry, entry.number()).map(NodeId::new)
    }
}

fn holder_of(holders: &[u32], held: u32) -> Option<u32> {
    let holder = holders.get(held as usize).copied();
    holder.filter(|holder| *holder != NONE)
}
