//! Gives a local list or map exactly upstream's value, and keeps the text of each part that has
//! that value already.
//!
//! A list that is one value (rules: One value) is taken as a whole. To replace its text would lose
//! local's comments and quoting on elements that did not change. Therefore the elements are
//! aligned, and only those that differ are edited.

use std::sync::Arc;

use super::align::Lists;
use super::element_pairs::{pair_elements, positions_of};
use super::pairing::Index;
use super::positions::{Positions, once_in_both, unique_positions};
use super::record::Segment;
use super::similarity::{Threshold, similarity};
use super::{Entries, Nodes, Shape, Walker, entries_of, shape};
use crate::differences::{AlignedRange, differences};
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId, equal};

impl Walker<'_> {
    /// Returns the outcome that gives a local node updated's value.
    pub(crate) fn exact_value(&mut self, updated: NodeId, local: NodeId) -> Outcome {
        self.exact_outcome(Triple::new(None, Some(updated), Some(local)))
    }

    /// Returns the outcome that gives the local node updated's value. The original serves only to
    /// merge comments.
    pub(super) fn exact_outcome(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        match (shape(trees.updated, updated), shape(trees.local, local)) {
            (Shape::List, Shape::List) => {
                let children = self.within(nodes, |walker| walker.aligned_elements(nodes));
                self.collection_outcome(nodes, children)
            }
            (Shape::Map, Shape::Map) => self.exact_fields(nodes),
            _ if equal(trees.updated, updated, trees.local, local) => Outcome::Keep,
            _ => Outcome::Take(Incoming::whole(updated)),
        }
    }

    /// Returns the elements of a local list, edited so that the list equals the updated one.
    fn aligned_elements(&mut self, nodes: Nodes) -> Vec<Child> {
        let lists = self.lists(self.with_original_list(nodes));
        let counts = lists.elements.as_ref().map(Vec::len);
        let differences = differences(&lists.values.local, &lists.values.updated);
        let aligned: Vec<_> = differences.ranges().collect();
        let mut partners = positions_of(&differences, counts.local).inverse(counts.updated);
        pair_moved(&lists.values, &mut partners);
        let of_locals = partners.inverse(counts.local);
        for AlignedRange { old, new, .. } in aligned.iter().filter(|it| is_in_place(it)).cloned() {
            let unpaired = old
                .zip(new)
                .filter(|(old, _)| of_locals.get(*old).is_none());
            for (old, new) in unpaired {
                partners.set(new, partners.get(new).or(Some(old)));
            }
        }
        lists.pair_similar(&aligned, &mut partners);
        let of_locals = partners.inverse(counts.local);
        let [originals_of_updateds, originals_of_locals] =
            [Side::Updated, Side::Local].map(|side| lists.originals_of(side));
        let (updateds, locals) = (lists.elements.updated, lists.elements.local);
        let mut children = Vec::with_capacity(updateds.len());
        for range in aligned {
            let is_in_place = is_in_place(&range);
            let starts = (range.old.start, range.new.start);
            let stays = |local: usize, at: usize| is_in_place && local + starts.1 == at + starts.0;
            for at in range.old.filter(|at| of_locals.get(*at).is_none()) {
                let sides = Triple::new(originals_of_locals[at], None, Some(locals[at]));
                children.push(Child::local(locals[at], Outcome::Remove).with_sides(sides));
            }
            for at in range.new {
                let original = match partners.get(at) {
                    Some(local) if !stays(local, at) => {
                        let originals = (originals_of_locals[local], originals_of_updateds[at]);
                        self.original_of_moved(locals[local], originals)
                    }
                    _ => originals_of_updateds[at],
                };
                let local = partners.get(at).map(|local| locals[local]);
                let sides = Triple::new(original, Some(updateds[at]), local);
                match partners.get(at) {
                    Some(local) => self.exact_element(sides, local, &mut children),
                    None => children.push(self.take_element(updateds[at]).with_sides(sides)),
                }
            }
        }
        children
    }

    /// Returns the original of an element that updated has at another place than local: that of
    /// local's if it is equal, or else that of updated's.
    fn original_of_moved(
        &self,
        local: EntryId,
        (of_local, of_updated): (Option<EntryId>, Option<EntryId>),
    ) -> Option<EntryId> {
        let (old_tree, own_tree) = (self.trees.original, self.trees.local);
        let own = own_tree.entry(local).value;
        let is_same = |it: &EntryId| equal(old_tree, old_tree.entry(*it).value, own_tree, own);
        of_local.filter(is_same).or(of_updated).or(of_local)
    }

    /// Gives a local element updated's value: edits its text if the two have enough in common, and
    /// replaces it otherwise.
    fn exact_element(&mut self, sides: Entries, index: usize, children: &mut Vec<Child>) {
        let (Some(updated), Some(local)) = (sides.updated, sides.local) else {
            return;
        };
        let nodes = self.values_of(sides);
        let prints = self.fingerprints.as_ref();
        let similarity = similarity(
            (prints.local, local),
            (prints.updated, updated),
            Threshold::Half,
        );
        if similarity.is_none() && !self.has_something_in_common(nodes) {
            let removed = Triple::new(sides.original, None, sides.local);
            children.push(Child::local(local, Outcome::Remove).with_sides(removed));
            children.push(self.take_element(updated));
            return;
        }
        children.extend(self.exact_entry(Segment::Index(index), sides));
    }

    /// Gives a local entry updated's value, and merges its comments. Returns `None` if neither side
    /// has the entry.
    fn exact_entry(&mut self, segment: Segment, sides: Entries) -> Option<Child> {
        let child = match (sides.updated, sides.local) {
            (None, local) => Child::local(local?, Outcome::Remove),
            (Some(updated), None) => self.take_element(updated),
            (Some(_), Some(local)) => self.at(segment, sides, |walker| {
                walker.merge_both(sides, local, Self::exact_outcome)
            }),
        };
        Some(child.with_sides(sides))
    }

    /// Gives a local map updated's fields.
    fn exact_fields(&mut self, nodes: Nodes) -> Outcome {
        let pairing = self.paired_by_key(None, nodes);
        let sides = self.sides_of_local(&pairing, nodes);
        let children = self.placed_entries(None, nodes, pairing, sides, Self::exact_entry);
        self.collection_outcome(nodes, children)
    }

    /// Returns an updated element that is added as a whole.
    pub(super) fn take_element(&self, updated: EntryId) -> Child {
        let value = self.trees.updated.entry(updated).value;
        Child::updated(updated, Outcome::Take(Incoming::whole(value)))
    }

    /// Returns true if editing local's value into updated's keeps some of it: both are scalars,
    /// both are lists, or both are maps and at least half of local's fields are the same.
    fn has_something_in_common(&self, nodes: Nodes) -> bool {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return false;
        };
        let trees = self.trees;
        match (shape(trees.updated, updated), shape(trees.local, local)) {
            (Shape::Map, Shape::Map) => {
                let fields = Index::of(trees.updated, Some(updated), None);
                let same = entries_of(trees.local, local).filter(|entry| {
                    fields.find(trees.local, *entry).is_some_and(|updated| {
                        let sides = Triple::new(None, Some(updated), Some(*entry));
                        self.is_equal_updated_local(self.values_of(sides))
                    })
                });
                same.count() * 2 >= entries_of(trees.local, local).len()
            }
            (updated, local) => updated == local,
        }
    }
}

impl Lists<'_> {
    /// Pairs similar elements in ranges where elements were also inserted or deleted. `partners` are
    /// the positions of updated's elements in local.
    fn pair_similar(&self, aligned: &[AlignedRange], partners: &mut Positions) {
        let of_locals = partners.inverse(self.elements.local.len());
        for AlignedRange { old, new, .. } in aligned.iter().cloned() {
            if old.len() == new.len() || old.is_empty() || new.is_empty() {
                continue;
            }
            let is_unpaired_local = |at: usize| of_locals.get(old.start + at).is_none();
            let is_unpaired_updated = |at: usize| partners.get(new.start + at).is_none();
            let positions = pair_elements(
                &self.values.local[old.clone()],
                &self.values.updated[new.clone()],
                (is_unpaired_local, is_unpaired_updated),
                |at, other, threshold| {
                    let local = (Side::Local, old.start + at);
                    self.similarity(local, (Side::Updated, new.start + other), threshold)
                },
            );
            for (local, at) in old.zip(positions.iter()) {
                if let Some(at) = at {
                    partners.set(new.start + at, Some(local));
                }
            }
        }
    }

    /// Returns, for each element of a side, the original's element that it aligns with.
    fn originals_of(&self, side: Side) -> Vec<Option<EntryId>> {
        let mut aligned = vec![None; self.elements[side].len()];
        let differences = differences(&self.values.original, &self.values[side]);
        for AlignedRange { old, new, .. } in differences.ranges().filter(is_in_place) {
            old.zip(new)
                .for_each(|(old, new)| aligned[new] = Some(self.elements.original[old]));
        }
        aligned
    }
}

/// Returns true if the elements of a range pair by position: nothing was inserted or deleted there.
fn is_in_place(range: &AlignedRange) -> bool {
    range.old.len() == range.new.len()
}

/// Pairs elements that occur once in each list and have no partner at their place.
fn pair_moved(values: &Triple<Arc<[u64]>>, partners: &mut Positions) {
    let of_locals = partners.inverse(values.local.len());
    let [updateds, locals] =
        [&values.updated, &values.local].map(|it| unique_positions(it.iter().map(Some)));
    for (updated, local) in once_in_both(updateds, locals) {
        if partners.get(updated).is_none() && of_locals.get(local).is_none() {
            partners.set(updated, Some(local));
        }
    }
}
