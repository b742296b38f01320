//! What a comment `# merge3: keep` in local holds back (rules: Pins).

use super::index::key_of;
use super::keys::ListKey;
use super::{Nodes, Walker};
use crate::merge::decision::Outcome;
use crate::yaml::EntryId;

impl Walker<'_> {
    /// Whether anything in local's map or list is pinned.
    pub(super) fn holds_pin(&self, nodes: Nodes) -> bool {
        !self.pins.is_empty() && nodes.local.is_some_and(|local| self.pins.are_in(local))
    }

    /// Local's value stays whole, as upstream's cannot come without touching what is pinned in it.
    pub(super) fn held_whole(&mut self, nodes: Nodes) -> Outcome {
        self.hold_back(nodes);
        Outcome::Keep
    }

    /// Records that a pin kept upstream's change away, if upstream changed anything that local has
    /// not got already.
    pub(super) fn hold_back(&mut self, nodes: Nodes) {
        if !self.settled(nodes) && (nodes.original.is_some() || nodes.updated.is_some()) {
            self.record_pinned(nodes);
        }
    }

    /// What is left of an element that upstream removed and that holds something pinned: that, and
    /// its key.
    pub(super) fn pinned_rest(&mut self, key: &ListKey, nodes: Nodes) -> Outcome {
        match (nodes.original, nodes.local) {
            (Some(original), Some(local)) => self.deleted_fields(nodes, original, local, Some(key)),
            _ => self.deleted_upstream(nodes),
        }
    }

    pub(super) fn is_key(&self, key: &ListKey, entry: EntryId) -> bool {
        key_of(self.trees.local, entry)
            .is_some_and(|(_, name)| key.names().any(|part| part == name))
    }
}
