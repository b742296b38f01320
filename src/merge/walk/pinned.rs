//! Handles what pins hold back: `# merge3: keep` comments in the local document (rules: Pins).

use super::keys::ListKey;
use super::record::Segment;
use super::{Nodes, Walker};
use crate::merge::decision::Outcome;
use crate::merge::{ConflictKind, Resolution};
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
            self.record(ConflictKind::Pinned, nodes, Resolution::Local);
        }
    }

    /// Returns true if a field is part of the key of an element that upstream deleted, but in which
    /// something is pinned: the key stays with it. The field is the last step of the path.
    pub(super) fn is_key_of_deleted_element(&self, field: EntryId) -> bool {
        let [.., element, _] = &self.steps[..] else {
            return false;
        };
        let is_part_of = |key: &ListKey| key.has_field(self.trees.local, field);
        element.entries.updated.is_none()
            && matches!(&element.segment, Segment::Element(key) if is_part_of(key))
    }
}
