//! Merges maps, and lists whose elements have an identity (rules: Maps, Lists with a key).
//!
//! Entries pair if they have the same key, or if one side renamed one to the other. The result
//! keeps local's order, but if only upstream moved elements of a list, it has upstream's.

use super::keys::ListKey;
use super::order::{in_updated_order, put_in_order};
use super::pairing::Pairing;
use super::place::{SharedComment, UpdatedEntry, place};
use super::record::{Segment, winning_outcome};
use super::{Entries, Nodes, Walker};
use crate::merge::decision::{Child, Outcome, Slot};
use crate::merge::{ConflictKind, Lists, Sides};
use crate::triple::{Side, Triple};
use crate::yaml::EntryId;

impl Walker<'_> {
    /// Merges a list that both updated and local have.
    pub(super) fn merge_list(&mut self, nodes: Nodes) -> Outcome {
        if let Some(key) = self.pairing_key(nodes) {
            return self.merge_keyed(Some(&key), nodes);
        }
        match self.lists_by_rule(nodes).unwrap_or(self.options.lists) {
            Lists::Replace | Lists::Set => self.one_value_list(nodes),
            Lists::Merge => self.merge_unkeyed_list(nodes),
        }
    }

    /// Merges a map or, with a `key`, an associative list that both updated and local have. An
    /// original of another kind counts as missing.
    pub(super) fn merge_keyed(&mut self, key: Option<&ListKey>, nodes: Nodes) -> Outcome {
        let pairing = self.paired(key, nodes);
        let mut sides = self.sides_of_local(&pairing, nodes);
        if key.is_none() && self.both_replaced(nodes, &pairing, &sides) && !self.holds_pin(nodes) {
            return self.one_value(nodes);
        }
        let is_order_conflict = key.is_some() && self.order_elements(nodes, &mut sides);
        let mut children = self.placed_entries(key, nodes, pairing, sides, Self::merge_entry);
        if key.is_some() && self.options.sides == Sides::Equal {
            self.insertions_as_conflicts(nodes, &mut children);
        }
        if !is_order_conflict {
            return self.collection_outcome(nodes, children);
        }
        let reordered = in_updated_order(&children);
        let local = self.collection_outcome(nodes, children);
        let recorded = self.conflicts.len();
        // Records the same conflicts again.
        let updated = self.collection_outcome(nodes, reordered);
        self.conflicts.truncate(recorded);
        self.conflict_for_local(ConflictKind::Order, nodes, local, updated)
    }

    /// Returns true if two equal sides each removed all fields of a map and added others: there is
    /// no field to merge by. `sides` has local's fields.
    fn both_replaced(&self, nodes: Nodes, pairing: &Pairing<'_>, sides: &[Entries]) -> bool {
        let is_own = |it: &Entries| it.into_iter().flatten().count() == 1;
        let mut updateds = self.entries_on(Side::Updated, nodes).peekable();
        self.options.sides == Sides::Equal
            && self.entries_on(Side::Original, nodes).next().is_some()
            && updateds.peek().is_some()
            && !sides.is_empty()
            && sides.iter().all(is_own)
            && updateds.all(|updated| is_own(&pairing.of_updated(updated)))
    }

    /// Returns local's entries, each with those that pair with it.
    pub(super) fn sides_of_local(&self, pairing: &Pairing<'_>, nodes: Nodes) -> Vec<Entries> {
        let locals = self.entries_on(Side::Local, nodes);
        locals.map(|entry| pairing.of_local(entry)).collect()
    }

    /// Merges the entries of a map or associative list with `merge`, and returns them in the order
    /// of the result. `sides` has local's entries, in the order that they will have.
    pub(super) fn placed_entries(
        &mut self,
        key: Option<&ListKey>,
        nodes: Nodes,
        pairing: Pairing<'_>,
        sides: Vec<Entries>,
        merge: fn(&mut Self, Segment, Entries) -> Option<Child>,
    ) -> Vec<Child> {
        let first = sides.iter().filter_map(|sides| sides.local).min();
        let place_of =
            |local: EntryId| (local.number() - first.map_or(0, EntryId::number)) as usize;
        let mut positions = vec![0_u32; sides.len()];
        for (position, local) in (0..).zip(&sides) {
            positions[local.local.map_or(0, place_of)] = position;
        }
        let comments = match key.is_some() && self.both_insert(nodes, &sides) {
            true => self.shared_comments(nodes),
            false => Vec::new(),
        };
        let position_below = |local: usize| local.checked_sub(1).map_or(0, |it| positions[it] + 1);
        let above = |it: &Triple<usize>| SharedComment {
            updated_above: it.updated,
            local_above: position_below(it.local),
        };
        let comments: Vec<SharedComment> = comments.iter().map(above).collect();
        self.within(nodes, |walker| {
            let renames = &pairing.renames;
            let merged_entry = |walker: &mut Self, sides: Entries| {
                let child = merge(walker, Segment::under(key), sides)?;
                let key = walker.new_key(renames, sides);
                Some(child.with(|extras| extras.key = key))
            };
            let mut existing = Vec::with_capacity(sides.len());
            existing.resize_with(sides.len(), || None);
            walker.merge_each(&sides, &mut existing, &merged_entry);
            let own = existing.iter().zip(&sides).filter(|(it, _)| it.is_some());
            let own: Vec<bool> = own.map(|(_, sides)| sides.updated.is_none()).collect();
            #[expect(clippy::filter_map_identity, reason = "`flatten` needs another vector")]
            let existing = existing.into_iter().filter_map(|entry| entry).collect();
            let updateds = walker.entries_on(Side::Updated, nodes);
            let updated_entries = updateds.map(|entry| {
                let sides = pairing.of_updated(entry);
                match sides.local {
                    Some(local) => UpdatedEntry::Existing(positions[place_of(local)]),
                    None => merge(walker, Segment::under(key), sides)
                        .map_or(UpdatedEntry::Absent, UpdatedEntry::New),
                }
            });
            let to_end = !matches!(key, None | Some(ListKey::Scalar));
            place(existing, &own, updated_entries, to_end, &comments)
        })
    }

    /// Returns true if upstream and local may both have inserted entries. `sides` has local's.
    fn both_insert(&self, nodes: Nodes, sides: &[Entries]) -> bool {
        let shared = sides.iter().filter(|it| it.updated.is_some()).count();
        let is_own = |it: &Entries| it.updated.is_none() && it.original.is_none();
        sides.iter().any(is_own) && self.entries_on(Side::Updated, nodes).count() > shared
    }

    /// Puts the local elements into the order of the result. Returns true if both sides moved
    /// elements and their orders differ.
    fn order_elements(&mut self, nodes: Nodes, sides: &mut Vec<Entries>) -> bool {
        let is_pinned = |sides: &Entries| sides.local.is_some_and(|local| self.pins.has(local));
        if !sides.iter().any(is_pinned) {
            return put_in_order(sides);
        }
        // A list has one order: to take upstream's could move a pinned element.
        let mut moved = sides.clone();
        if put_in_order(&mut moved) || moved != *sides {
            self.record_held_back(nodes);
        }
        false
    }

    /// Turns insertions of both sides at one place into conflicts: their order is unknown, and so
    /// is whether both are wanted.
    fn insertions_as_conflicts(&mut self, nodes: Nodes, children: &mut [Child]) {
        let is_local = |child: &Child| {
            let sides = child.sides();
            sides.original.or(sides.updated).is_none()
        };
        let is_updated = |child: &Child| {
            matches!(child.slot, Slot::Updated(_)) && matches!(child.outcome(), Outcome::Take(_))
        };
        let are_insertions = |above: &Child, below: &Child| match is_updated(below) {
            true => is_local(above) || is_updated(above),
            false => is_local(above) && is_local(below),
        };
        for insertions in children.chunk_by_mut(are_insertions) {
            let local_count = insertions
                .iter()
                .take_while(|child| is_local(child))
                .count();
            let (locals, updateds) = insertions.split_at_mut(local_count);
            let is_pinned = |child: &Child| child.sides().local.is_some_and(|it| self.pins.has(it));
            if locals.is_empty() || updateds.is_empty() || locals.iter().any(is_pinned) {
                continue;
            }
            let local_outcome = self.conflict(ConflictKind::BothAdded, nodes, Outcome::Remove);
            for child in locals {
                *child.outcome_mut() = local_outcome.clone();
            }
            for child in updateds {
                let updated_outcome = std::mem::replace(child.outcome_mut(), Outcome::Remove);
                *child.outcome_mut() =
                    winning_outcome(self.resolution(), Outcome::Remove, updated_outcome);
            }
        }
    }
}
