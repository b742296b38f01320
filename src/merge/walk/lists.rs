//! Lists whose elements have an identity (rules: Lists with a key).

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

/// The elements of three lists, paired by their identity.
struct Pairing<'k> {
    key: &'k ListKey,
    trees: Triple<&'k Tree<'k>>,
    indexes: Triple<Elements<'k>>,
    renames: Renames,
}

impl Pairing<'_> {
    /// The element of a side that has the identity of an element of another one.
    fn same_identity(&self, from: Side, element: EntryId, to: Side) -> Option<EntryId> {
        let identity = self.key.identity(self.trees[from], element);
        self.indexes[to].find(identity.as_ref())
    }

    /// An element of local's, with its partners.
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

    /// What an element of updated's was in the original, and which one of local's it is.
    fn of_updated(&self, element: EntryId) -> (Option<EntryId>, Option<EntryId>) {
        let old = self.renames.of_updated(element);
        let before = old.or_else(|| self.same_identity(Side::Updated, element, Side::Original));
        let local = before
            .and_then(|before| self.renames.in_local(before))
            .or_else(|| self.same_identity(Side::Original, old?, Side::Local))
            .or_else(|| self.same_identity(Side::Updated, element, Side::Local));
        (before, local)
    }
}

impl<'a> Walker<'a> {
    /// A list on both sides.
    pub(super) fn list(&mut self, nodes: Nodes) -> Outcome {
        if let Some(key) = self.pairing_key(nodes) {
            return self.elements(&key, nodes);
        }
        match self.ruled_lists(nodes).unwrap_or(self.options.lists) {
            Lists::Replace | Lists::Set => self.one_value_list(nodes),
            Lists::Merge => self.sequence(nodes),
        }
    }

    /// Elements that pair by their identity.
    fn elements(&mut self, key: &ListKey, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let pairing = self.pairing(key, nodes);
        let mut sides: Vec<(EntryId, Entries)> = entries_of(trees.local, local)
            .map(|element| (element, pairing.sides_of_local(element)))
            .collect();
        let both_moved = self.in_one_order(nodes, &mut sides);
        let mut position_of = vec![0; sides.len()];
        for (place, (element, _)) in sides.iter().enumerate() {
            position_of[position(entries_of(trees.local, local), *element)] = place;
        }
        let residents = self.residents(key, nodes, &sides);
        let arrivals = entries_of(trees.updated, updated)
            .map(|element| match pairing.of_updated(element) {
                (_, Some(resident)) => {
                    let at = position(entries_of(trees.local, local), resident);
                    Arrival::Resident(position_of[at])
                }
                (before, None) => {
                    self.arriving_element(key, Triple::new(before, Some(element), None))
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
            self.part_insertions(nodes, &mut children, is_added_locally);
        }
        if !both_moved {
            drop((pairing, sides, position_of));
            return self.merged(nodes, children);
        }
        let theirs = in_updated_order(&children, |entry| {
            pairing.same_identity(Side::Local, entry, Side::Updated)
        });
        let local = self.merged(nodes, children);
        let recorded = self.conflicts.len();
        let updated = self.merged(nodes, theirs);
        self.conflicts.truncate(recorded);
        self.conflict_kept(ConflictKind::Order, nodes, local, updated)
    }

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

    /// Local's elements, with what becomes of each.
    fn residents(
        &mut self,
        key: &ListKey,
        nodes: Nodes,
        sides: &[(EntryId, Entries)],
    ) -> Vec<Resident> {
        let has_lines = self.have_lines(nodes);
        let residents = sides.iter().map(|(element, sides)| {
            self.has_lines = has_lines;
            let child = self.resident_element(key, *element, *sides);
            Resident {
                child: child.of_sides(*sides),
                own: sides.updated.is_none(),
            }
        });
        residents.collect()
    }

    /// Puts local's elements in the order that one side gave them. Whether both sides moved some,
    /// and not alike.
    fn in_one_order(&mut self, nodes: Nodes, sides: &mut Vec<(EntryId, Entries)>) -> bool {
        if !sides.iter().any(|(element, _)| self.pins.has(*element)) {
            return put_in_order(sides);
        }
        // what is pinned stays where it is, and a list has one order
        let mut moved = sides.clone();
        if put_in_order(&mut moved) || moved != *sides {
            self.hold_back(nodes);
        }
        false
    }

    fn resident_element(&mut self, key: &ListKey, local: EntryId, sides: Entries) -> Child {
        match (sides.original, sides.updated) {
            (None, None) => Child::keep(local),
            (Some(original), None) => self.deleted_element(key, original, local),
            (None, Some(updated)) if self.is_added_apart(sides) && !self.pins.has(local) => {
                let step = self.keyed_step(key, sides);
                let nodes = self.values_of(sides);
                let taken = self.whole(updated).outcome;
                let conflict = ConflictKind::BothAdded;
                let outcome = self.at(step, |walker| walker.conflict(conflict, nodes, taken));
                Child::local(local, outcome)
            }
            (_, Some(_)) => {
                let step = self.keyed_step(key, sides);
                self.at(step, |walker| walker.entry(sides))
                    .unwrap_or_else(|| Child::keep(local))
            }
        }
    }

    /// Whether, between equals, both sides added an element, and not alike.
    fn is_added_apart(&self, sides: Entries) -> bool {
        self.options.sides == Sides::Equal
            && sides.original.is_none()
            && !self.is_equal_updated_local(self.values_of(sides))
    }

    /// Where both sides added elements at one place, nobody knows which come first, or whether both
    /// are meant: a conflict.
    fn part_insertions(
        &mut self,
        nodes: Nodes,
        children: &mut [Child],
        is_added_locally: impl Fn(EntryId) -> bool,
    ) {
        let is_ours =
            |child: &Child| matches!(child.slot, Slot::Local(entry) if is_added_locally(entry));
        let is_theirs = |child: &Child| {
            matches!(
                (child.slot, &child.outcome),
                (Slot::Updated(_), Outcome::Take(_))
            )
        };
        let mut start = 0;
        while start < children.len() {
            let ours = children[start..]
                .iter()
                .take_while(|child| is_ours(child))
                .count();
            let theirs = children[start + ours..]
                .iter()
                .take_while(|child| is_theirs(child))
                .count();
            let pinned = children[start..start + ours]
                .iter()
                .any(|child| matches!(child.slot, Slot::Local(entry) if self.pins.has(entry)));
            if ours > 0 && theirs > 0 && !pinned {
                let stays = self.conflict(ConflictKind::BothAdded, nodes, Outcome::Remove);
                for child in &mut children[start..start + ours] {
                    child.outcome = stays.clone();
                }
                for child in &mut children[start + ours..start + ours + theirs] {
                    let taken = std::mem::replace(&mut child.outcome, Outcome::Remove);
                    child.outcome = match self.resolution() {
                        Resolution::Updated => taken,
                        Resolution::Local | Resolution::Open => Outcome::Remove,
                        Resolution::Markers => Outcome::apart(Outcome::Remove, taken),
                    };
                }
            }
            start += (ours + theirs).max(1);
        }
    }

    fn arriving_element(&mut self, key: &ListKey, sides: Entries) -> Arrival {
        let step = self.keyed_step(key, sides);
        if let (ListKey::Scalar, None, Some(updated)) = (key, sides.original, sides.updated) {
            // In a set a null is a member like any other.
            return Arrival::New(self.whole(updated));
        }
        let outcome = self.at(step, |walker| walker.absent_locally(sides, Some(key)));
        let outcome = outcome.unwrap_or(Outcome::Remove);
        match sides.updated {
            Some(updated) => Arrival::New(Child::updated(updated, outcome).of_sides(sides)),
            None => Arrival::Nothing,
        }
    }

    /// The step to an element that is named by its key.
    pub(super) fn keyed_step(&self, key: &ListKey, sides: Entries) -> Step {
        Step {
            segment: Segment::Element(key.clone()),
            entries: sides,
        }
    }

    /// The step to an element that is named by its position.
    pub(super) fn indexed_step(&self, sides: Entries, index: usize) -> Step {
        Step {
            segment: Segment::Index(index),
            entries: sides,
        }
    }
}
