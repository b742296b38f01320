//! Merges lists whose elements have an identity (rules: Lists with a key).
//!
//! Elements pair if they have the same key, or if one side renamed one to the other. The result
//! keeps local's order unless only upstream moved elements.

use super::keys::{Elements, ListKey};
use super::order::{in_updated_order, put_in_order};
use super::place::{Arrival, Resident, place, place_to_end};
use super::position;
use super::record::{Segment, Step};
use super::renames::Renames;
use super::{Entries, Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{Child, Outcome, Slot};
use crate::merge::{ConflictKind, Lists, Resolution, Sides};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, Tree};

/// The elements of three lists, paired by identity.
struct Pairing<'k> {
    key: &'k ListKey,
    trees: Triple<&'k Tree<'k>>,
    indexes: Triple<Elements<'k>>,
    renames: Renames,
}

impl Pairing<'_> {
    /// Returns the element of side `to` with the same identity as `element` of side `from`.
    fn same_identity(&self, from: Side, element: EntryId, to: Side) -> Option<EntryId> {
        let identity = self.key.identity(self.trees[from], element);
        self.indexes[to].find(identity.as_ref())
    }

    /// Returns the entries that pair with a local element.
    fn sides_of_local(&self, element: EntryId) -> Entries {
        let renamed = self.renames.of_local(element);
        let original = renamed.or_else(|| self.same_identity(Side::Local, element, Side::Original));
        let updated = original.and_then(|original| self.renames.in_updated(original));
        let updated = updated.or_else(|| match renamed {
            Some(original) => self.same_identity(Side::Original, original, Side::Updated),
            None => self.same_identity(Side::Local, element, Side::Updated),
        });
        Triple::new(original, updated, Some(element))
    }

    /// Returns the original and the local element that pair with an updated element.
    fn of_updated(&self, element: EntryId) -> (Option<EntryId>, Option<EntryId>) {
        let renamed_from = self.renames.of_updated(element);
        let original =
            renamed_from.or_else(|| self.same_identity(Side::Updated, element, Side::Original));
        let local = original
            .and_then(|original| self.renames.in_local(original))
            .or_else(|| self.same_identity(Side::Original, renamed_from?, Side::Local))
            .or_else(|| self.same_identity(Side::Updated, element, Side::Local));
        (original, local)
    }
}

impl<'a> Walker<'a> {
    /// Merges a list that both updated and local have.
    pub(super) fn merge_list(&mut self, nodes: Nodes) -> Outcome {
        if let Some(key) = self.pairing_key(nodes) {
            return self.merge_keyed_list(&key, nodes);
        }
        match self.lists_by_rule(nodes).unwrap_or(self.options.lists) {
            Lists::Replace | Lists::Set => self.one_value_list(nodes),
            Lists::Merge => self.merge_unkeyed_list(nodes),
        }
    }

    /// Merges lists whose elements pair by identity.
    fn merge_keyed_list(&mut self, key: &ListKey, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let pairing = self.pairing(key, nodes);
        let mut sides: Vec<(EntryId, Entries)> = entries_of(trees.local, local)
            .map(|element| (element, pairing.sides_of_local(element)))
            .collect();
        let is_order_conflict = self.order_elements(nodes, &mut sides);
        let mut position_of = vec![0; sides.len()];
        for (index, (element, _)) in sides.iter().enumerate() {
            position_of[position(entries_of(trees.local, local), *element)] = index;
        }
        let residents = self.residents(key, nodes, &sides);
        let arrivals = entries_of(trees.updated, updated)
            .map(|element| match pairing.of_updated(element) {
                (_, Some(resident)) => {
                    let at = position(entries_of(trees.local, local), resident);
                    Arrival::Resident(position_of[at])
                }
                (original, None) => {
                    self.arriving_element(key, Triple::new(original, Some(element), None))
                }
            })
            .collect();
        let mut children = match key {
            ListKey::Scalar => place(residents, arrivals),
            _ => place_to_end(residents, arrivals),
        };
        if self.options.sides == Sides::Equal {
            let is_added_locally = |entry| {
                let has = |side| pairing.same_identity(Side::Local, entry, side).is_some();
                !has(Side::Original) && !has(Side::Updated)
            };
            self.insertions_as_conflicts(nodes, &mut children, is_added_locally);
        }
        if !is_order_conflict {
            drop((pairing, sides, position_of));
            return self.collection_outcome(nodes, children);
        }
        let reordered = in_updated_order(&children, |entry| {
            pairing.same_identity(Side::Local, entry, Side::Updated)
        });
        let local = self.collection_outcome(nodes, children);
        let recorded = self.conflicts.len();
        // Records the same conflicts again.
        let updated = self.collection_outcome(nodes, reordered);
        self.conflicts.truncate(recorded);
        self.conflict_for_local(ConflictKind::Order, nodes, local, updated)
    }

    /// Pairs the elements of three lists by identity, and by renames.
    fn pairing<'k>(&self, key: &'k ListKey, nodes: Nodes) -> Pairing<'k>
    where
        'a: 'k,
    {
        let trees = self.trees;
        let mut pairing = Pairing {
            key,
            trees,
            indexes: key.indexes(trees, nodes),
            renames: Renames::default(),
        };
        let elements = trees.zip(nodes).map(|(tree, node)| -> Vec<EntryId> {
            let list = node.filter(|node| shape(tree, *node) == Shape::List);
            list.map(|list| entries_of(tree, list).collect())
                .unwrap_or_default()
        });
        let key_fields = key.names().count();
        pairing.renames = self.renames(elements, key_fields, |from, element, to| {
            pairing.same_identity(from, element, to)
        });
        pairing
    }

    /// Merges the local elements, in the order of `sides`.
    fn residents(
        &mut self,
        key: &ListKey,
        nodes: Nodes,
        sides: &[(EntryId, Entries)],
    ) -> Vec<Resident> {
        let on_own_lines = self.entries_on_own_lines(nodes);
        let residents = sides.iter().map(|(element, sides)| {
            self.on_own_lines = on_own_lines;
            let child = self.resident_element(key, *element, *sides);
            Resident {
                child: child.of_sides(*sides),
                own: sides.updated.is_none(),
            }
        });
        residents.collect()
    }

    /// Puts the local elements into the order of the result. Returns true if both sides moved
    /// elements and their orders differ.
    fn order_elements(&mut self, nodes: Nodes, sides: &mut Vec<(EntryId, Entries)>) -> bool {
        if !sides.iter().any(|(element, _)| self.pins.has(*element)) {
            return put_in_order(sides);
        }
        // A list has one order: to take upstream's could move a pinned element.
        let mut moved = sides.clone();
        if put_in_order(&mut moved) || moved != *sides {
            self.record_held_back(nodes);
        }
        false
    }

    /// Merges an element that local has.
    fn resident_element(&mut self, key: &ListKey, local: EntryId, sides: Entries) -> Child {
        match (sides.original, sides.updated) {
            (None, None) => Child::keep(local),
            (Some(original), None) => self.deleted_element(key, original, local),
            (None, Some(updated))
                if self.both_added_differently(sides) && !self.pins.has(local) =>
            {
                let step = self.keyed_step(key, sides);
                let nodes = self.values_of(sides);
                let updated_outcome = self.take_element(updated).outcome;
                let kind = ConflictKind::BothAdded;
                let outcome = self.at(step, |walker| walker.conflict(kind, nodes, updated_outcome));
                Child::local(local, outcome)
            }
            (_, Some(_)) => {
                let step = self.keyed_step(key, sides);
                self.at(step, |walker| walker.merge_entry(sides))
                    .unwrap_or_else(|| Child::keep(local))
            }
        }
    }

    /// Returns true if, in a merge of equal sides, both sides added the element with different
    /// values.
    fn both_added_differently(&self, sides: Entries) -> bool {
        self.options.sides == Sides::Equal
            && sides.original.is_none()
            && !self.is_equal_updated_local(self.values_of(sides))
    }

    /// Turns insertions of both sides at one place into conflicts: their order is unknown, and so
    /// is whether both are wanted.
    fn insertions_as_conflicts(
        &mut self,
        nodes: Nodes,
        children: &mut [Child],
        is_added_locally: impl Fn(EntryId) -> bool,
    ) {
        let is_local =
            |child: &Child| matches!(child.slot, Slot::Local(entry) if is_added_locally(entry));
        let is_updated = |child: &Child| {
            matches!(
                (child.slot, &child.outcome),
                (Slot::Updated(_), Outcome::Take(_))
            )
        };
        let mut start = 0;
        while start < children.len() {
            let local_count = children[start..]
                .iter()
                .take_while(|child| is_local(child))
                .count();
            let updated_count = children[start + local_count..]
                .iter()
                .take_while(|child| is_updated(child))
                .count();
            let has_pin = children[start..start + local_count]
                .iter()
                .any(|child| matches!(child.slot, Slot::Local(entry) if self.pins.has(entry)));
            if local_count > 0 && updated_count > 0 && !has_pin {
                let local_outcome = self.conflict(ConflictKind::BothAdded, nodes, Outcome::Remove);
                for child in &mut children[start..start + local_count] {
                    child.outcome = local_outcome.clone();
                }
                for child in &mut children[start + local_count..start + local_count + updated_count]
                {
                    let updated_outcome = std::mem::replace(&mut child.outcome, Outcome::Remove);
                    child.outcome = match self.resolution() {
                        Resolution::Updated => updated_outcome,
                        Resolution::Local | Resolution::Open => Outcome::Remove,
                        Resolution::Markers => Outcome::apart(Outcome::Remove, updated_outcome),
                    };
                }
            }
            start += (local_count + updated_count).max(1);
        }
    }

    /// Decides how much of an element that local does not have is added.
    fn arriving_element(&mut self, key: &ListKey, sides: Entries) -> Arrival {
        let step = self.keyed_step(key, sides);
        if let (ListKey::Scalar, None, Some(updated)) = (key, sides.original, sides.updated) {
            // In a set, a null is an element and not a deletion.
            return Arrival::New(self.take_element(updated));
        }
        let outcome = self.at(step, |walker| walker.absent_locally(sides, Some(key)));
        let outcome = outcome.unwrap_or(Outcome::Remove);
        match sides.updated {
            Some(updated) => Arrival::New(Child::updated(updated, outcome).of_sides(sides)),
            None => Arrival::Nothing,
        }
    }

    /// Returns the path step to an element that is named by its key.
    pub(super) fn keyed_step(&self, key: &ListKey, sides: Entries) -> Step {
        Step {
            segment: Segment::Element(key.clone()),
            entries: sides,
        }
    }

    /// Returns the path step to an element that is named by its position.
    pub(super) fn indexed_step(&self, sides: Entries, index: usize) -> Step {
        Step {
            segment: Segment::Index(index),
            entries: sides,
        }
    }
}
