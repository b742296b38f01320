//! Lists whose elements have an identity (SPEC 6).

use super::keys::ListKey;
use super::order::{in_updated_order, put_in_order};
use super::place::{Arrival, Resident, place};
use super::position;
use super::record::{Segment, Step};
use super::{Entries, Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{Child, Outcome};
use crate::merge::{ConflictKind, Lists};
use crate::triple::Triple;
use crate::yaml::EntryId;

impl Walker<'_> {
    /// A list on both sides.
    pub(super) fn list(&mut self, nodes: Nodes) -> Outcome {
        if let Some(key) = self.list_key(nodes) {
            return self.elements(&key, nodes);
        }
        match self.options.lists {
            Lists::Replace => self.one_value_list(nodes),
            Lists::Set => match self.set_key(nodes) {
                Some(key) => self.elements(&key, nodes),
                None => self.one_value_list(nodes),
            },
            Lists::Merge => self.sequence(nodes),
        }
    }

    /// Elements that pair by their identity.
    fn elements(&mut self, key: &ListKey, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let original = nodes
            .original
            .filter(|node| shape(trees.original, *node) == Shape::List);
        let originals = original
            .map(|node| key.index(trees.original, node))
            .unwrap_or_default();
        let updateds = key.index(trees.updated, updated);
        let locals = key.index(trees.local, local);

        let mut sides: Vec<(EntryId, Entries)> = entries_of(trees.local, local)
            .map(|element| {
                let identity = key.identity(trees.local, element);
                let sides = Triple::new(
                    identity.and_then(|identity| originals.get(&identity).copied()),
                    identity.and_then(|identity| updateds.get(&identity).copied()),
                    Some(element),
                );
                (element, sides)
            })
            .collect();
        let both_moved = put_in_order(&mut sides);
        let mut position_of = vec![0; entries_of(trees.local, local).len()];
        for (place, (element, _)) in sides.iter().enumerate() {
            position_of[position(entries_of(trees.local, local), *element)] = place;
        }
        let residents = sides
            .iter()
            .map(|(element, sides)| Resident {
                child: self.resident_element(key, *element, *sides),
                own: sides.original.is_none() && sides.updated.is_none(),
            })
            .collect();
        let arrivals = entries_of(trees.updated, updated)
            .map(|element| {
                let identity = key.identity(trees.updated, element);
                if let Some(resident) = identity.and_then(|identity| locals.get(&identity)) {
                    return Arrival::Resident(
                        position_of[position(entries_of(trees.local, local), *resident)],
                    );
                }
                let before = identity.and_then(|identity| originals.get(&identity).copied());
                self.arriving_element(key, Triple::new(before, Some(element), None))
            })
            .collect();
        let children = place(residents, arrivals);
        if !both_moved {
            return self.merged(nodes, children);
        }
        let theirs = in_updated_order(&children, |entry| {
            let identity = key.identity(trees.local, entry);
            identity.and_then(|identity| updateds.get(&identity).copied())
        });
        let (local, updated) = (self.merged(nodes, children), self.merged(nodes, theirs));
        self.conflict_kept(ConflictKind::Order, nodes, local, updated)
    }

    fn resident_element(&mut self, key: &ListKey, local: EntryId, sides: Entries) -> Child {
        match (sides.original, sides.updated) {
            (None, None) => Child::keep(local),
            (Some(original), None) => self.deleted_element(key, original, local),
            (_, Some(_)) => {
                let step = self.keyed_step(key, sides);
                self.at(step, |walker| walker.entry(sides))
                    .unwrap_or_else(|| Child::keep(local))
            }
        }
    }

    fn arriving_element(&mut self, key: &ListKey, sides: Entries) -> Arrival {
        let step = self.keyed_step(key, sides);
        let nodes = self.values_of(sides);
        let outcome = self.at(step, |walker| walker.absent_locally(nodes, Some(key)));
        match (sides.updated, outcome) {
            (Some(updated), Some(outcome)) => Arrival::New(Child::updated(updated, outcome)),
            _ => Arrival::Nothing,
        }
    }

    /// The step to an element that is named by its key.
    pub(super) fn keyed_step(&self, key: &ListKey, sides: Entries) -> Step {
        Step {
            segment: Segment::Element(self.key_for_path(key, sides)),
            offset: self.local_offset(sides),
        }
    }

    /// The step to an element that is named by its position.
    pub(super) fn indexed_step(&self, sides: Entries, index: usize) -> Step {
        Step {
            segment: Segment::Index(index),
            offset: self.local_offset(sides),
        }
    }

    /// Where local has an entry.
    pub(super) fn local_offset(&self, sides: Entries) -> Option<u32> {
        sides
            .local
            .map(|entry| self.trees.local.entry(entry).span.start)
    }
}
