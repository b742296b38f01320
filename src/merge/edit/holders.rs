//! The way up in a tree: what holds a node or an entry.

use crate::yaml::{EntryId, NodeId, Tree};

const NOBODY: u32 = u32::MAX;

/// What holds each node and each entry of a tree.
#[derive(Debug)]
pub(super) struct Holders {
    /// By the number of the node; [`NOBODY`] where there is none. (There are as many as nodes: a
    /// number takes half of what an option does.)
    entry_of_value: Vec<u32>,
    /// By the number of the entry, likewise.
    collection_of_entry: Vec<u32>,
}

impl Holders {
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut holders = Self {
            entry_of_value: vec![NOBODY; tree.node_ids().len()],
            collection_of_entry: vec![NOBODY; tree.all_entries().len()],
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

    /// The entry whose value a node is; `None` for the root and for a key.
    pub(super) fn entry_of(&self, value: NodeId) -> Option<EntryId> {
        held_by(&self.entry_of_value, value.number()).map(EntryId::new)
    }

    /// The map or list that an entry is in.
    pub(super) fn collection_of(&self, entry: EntryId) -> Option<NodeId> {
        held_by(&self.collection_of_entry, entry.number()).map(NodeId::new)
    }
}

fn held_by(holders: &[u32], held: u32) -> Option<u32> {
    let holder = holders.get(held as usize).copied();
    holder.filter(|holder| *holder != NOBODY)
}
