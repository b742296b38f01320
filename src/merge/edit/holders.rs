//! The way up in a tree: what holds a node or an entry.

use crate::yaml::{EntryId, NodeId, Tree};

/// What holds each node and each entry of a tree.
#[derive(Debug)]
pub(super) struct Holders {
    entry_of_value: Vec<Option<EntryId>>,
    collection_of_entry: Vec<Option<NodeId>>,
}

impl Holders {
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut holders = Self {
            entry_of_value: vec![None; tree.nodes.len()],
            collection_of_entry: vec![None; tree.entries.len()],
        };
        for node in (0..tree.nodes.len() as u32).map(NodeId) {
            for entry in tree.entries(node) {
                holders.collection_of_entry[entry.0 as usize] = Some(node);
                let value = tree.entry(entry).value;
                holders.entry_of_value[value.0 as usize] = Some(entry);
            }
        }
        holders
    }

    /// The entry whose value a node is; none for the root and for a key.
    pub(super) fn entry_of(&self, value: NodeId) -> Option<EntryId> {
        self.entry_of_value.get(value.0 as usize).copied().flatten()
    }

    /// The map or list that an entry is in.
    pub(super) fn collection_of(&self, entry: EntryId) -> Option<NodeId> {
        self.collection_of_entry
            .get(entry.0 as usize)
            .copied()
            .flatten()
    }
}
