//! Handles what pins hold back: `# merge3: keep` comments in the local document (rules: Pins).

use super::index::key_of;
use super::keys::ListKey;
use super::{Nodes, Walker};
use crate::merge::decision::Outcome;
use crate::yaml::EntryId;

impl Walker<'_> {
    /// Returns true if an entry inside the local map or list is pinned.
    pub(super) fn holds_pin(&self, nodes: Nodes) -> bool {
        !self.pins.is_empty() && nodes.local.is_some_and(|local| self.pins.are_in(local))
    }

    /// Keeps local's value as a whole, because taking upstream's would change something pinned in
    /// it.
    pub(super) fn keep_whole_for_pin(&mut self, nodes: Nodes) -> Outcome {
        self.record_held_back(nodes);
        Outcome::Keep
    }

    /// Records that a pin holds back a change, if upstream changed something that local does not
    /// have.
    pub(super) fn record_held_back(&mut self, nodes: Nodes) {
        if !self.nothing_to_merge(nodes) && (nodes.original.is_some() || nodes.updated.is_some()) {
            self.record_pinned(nodes);
        }
    }

    /// Deletes an element that upstream deleted, except for its key and what is pinned in it.
    pub(super) fn keep_pinned_part(&mut self, key: &ListKey, nodes: Nodes) -> Outcome {
        match (nodes.original, nodes.local) {
            (Some(original), Some(local)) => self.deleted_fields(nodes, original, local, Some(key)),
            _ => self.deleted_upstream(nodes),
        }
    }

    /// Returns true if a local field is part of the key of an element.
    pub(super) fn is_key(&self, key: &ListKey, entry: EntryId) -> bool {
        key_of(self.trees.local, entry)
            .is_some_and(|(_, name)| key.names().any(|part| part == name))
    }
}
