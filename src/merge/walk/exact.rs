//! Gives a local list or map exactly upstream's value, and keeps the text of each part that has
//! that value already.
//!
//! A list that is one value (rules: One value) is taken as a whole. To replace its text would lose
//! local's comments and quoting on elements that did not change. Therefore the elements are
//! aligned, and only those that differ are edited.

use super::element_pairs::{pair_elements, positions_of};
use super::pairing::Index;
use super::positions::{Positions, unique_positions};
use super::record::Segment;
use super::similarity::{Threshold, similarity};
use super::{Entries, Nodes, Shape, Walker, entries_of, shape};
use crate::differences::{AlignedRange, differences};
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::triple::Triple;
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
                let children = self.within(nodes, |walker| {
                    walker.aligned_elements(nodes, updated, local)
                });
                self.collection_outcome(nodes, children)
            }
            (Shape::Map, Shape::Map) => self.exact_fields(nodes),
            _ if equal(trees.updated, updated, trees.local, local) => Outcome::Keep,
            _ => Outcome::Take(Incoming::whole(updated)),
        }
    }

    /// Returns the elements of a local list, edited so that the list equals the updated one.
    pub(super) fn aligned_elements(
        &mut self,
        nodes: Nodes,
        updated: NodeId,
        local: NodeId,
    ) -> Vec<Child> {
        let updateds: Vec<EntryId> = entries_of(self.trees.updated, updated).collect();
        let locals: Vec<EntryId> = entries_of(self.trees.local, local).collect();
        let local_values = self.fingerprints.local.of_elements(local);
        let updated_values = self.fingerprints.updated.of_elements(updated);
        let originals_of_locals = self.originals_of(nodes, &local_values);
        let originals_of_updateds = self.originals_of(nodes, &updated_values);
        let differences = differences(&local_values, &updated_values);
        let aligned: Vec<_> = differences.ranges().collect();
        let mut partners = positions_of(&differences, locals.len()).inverse(updateds.len());
        pair_moved(&local_values, &updated_values, &mut partners);
        let of_locals = partners.inverse(locals.len());
        for AlignedRange { old, new, .. } in aligned.iter().filter(|it| is_in_place(it)).cloned() {
            let unpaired = old
                .zip(new)
                .filter(|(old, _)| of_locals.get(*old).is_none());
            for (old, new) in unpaired {
                partners.set(new, partners.get(new).or(Some(old)));
            }
        }
        self.pair_similar(
            (&locals, &local_values),
            (&updateds, &updated_values),
            &aligned,
            &mut partners,
        );
        let of_locals = partners.inverse(locals.len());
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

    /// Pairs similar elements in ranges where elements were also inserted or deleted.
    fn pair_similar(
        &self,
        (locals, local_values): (&[EntryId], &[u64]),
        (updateds, updated_values): (&[EntryId], &[u64]),
        aligned: &[AlignedRange],
        partners: &mut Positions,
    ) {
        let prints = self.fingerprints.as_ref();
        let of_locals = partners.inverse(locals.len());
        for AlignedRange { old, new, .. } in aligned.iter().cloned() {
            if old.len() == new.len() || old.is_empty() || new.is_empty() {
                continue;
            }
            let values = (&local_values[old.clone()], &updated_values[new.clone()]);
            let is_unpaired_local = |at: usize| of_locals.get(old.start + at).is_none();
            let is_unpaired_updated = |at: usize| partners.get(new.start + at).is_none();
            let positions = pair_elements(
                values.0,
                values.1,
                (is_unpaired_local, is_unpaired_updated),
                |at, other, threshold| {
                    let local = (prints.local, locals[old.start + at]);
                    let updated = (prints.updated, updateds[new.start + other]);
                    similarity(local, updated, threshold)
                },
            );
            for (local, at) in old.zip(positions.iter()) {
                if let Some(at) = at {
                    partners.set(new.start + at, Some(local));
                }
            }
        }
    }

    /// Returns, for each fingerprint in `elements`, the original's element that it aligns with.
    fn originals_of(&self, nodes: Nodes, elements: &[u64]) -> Vec<Option<EntryId>> {
        let mut aligned = vec![None; elements.len()];
        let tree = self.trees.original;
        let list = nodes
            .original
            .filter(|node| shape(tree, *node) == Shape::List);
        let Some(list) = list else {
            return aligned;
        };
        let originals: Vec<EntryId> = entries_of(tree, list).collect();
        let original_values = self.fingerprints.original.of_elements(list);
        let differences = differences(&original_values, elements);
        for AlignedRange { old, new, .. } in differences.ranges().filter(is_in_place) {
            old.zip(new)
                .for_each(|(old, new)| aligned[new] = Some(originals[old]));
        }
        aligned
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

/// Returns true if the elements of a range pair by position: nothing was inserted or deleted there.
fn is_in_place(range: &AlignedRange) -> bool {
    range.old.len() == range.new.len()
}

/// Pairs elements that occur once in each list and have no partner at their place.
fn pair_moved(locals: &[u64], updateds: &[u64], partners: &mut Positions) {
    let of_locals = partners.inverse(locals.len());
    let in_local = unique_positions(locals.iter().map(Some));
    for (value, updated) in unique_positions(updateds.iter().map(Some)) {
        let pair = updated.zip(in_local.get(value).copied().flatten());
        let Some((updated, local)) = pair.map(|(new, old)| (new as usize, old as usize)) else {
            continue;
        };
        if partners.get(updated).is_none() && of_locals.get(local).is_none() {
            partners.set(updated, Some(local));
        }
    }
}
