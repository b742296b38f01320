//! Giving a local list or map exactly upstream's value while every part of it that has that value
//! already keeps its text.
//!
//! A list that is one value (rules: One value) is taken whole. Taken as text, it would lose local's
//! comments and quoting on elements that did not even change, so the elements are aligned, and only
//! those that differ are touched.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::align::found_in;
use super::alike::{Least, likeness};
use super::fields::fields_of_all;
use super::index::{FieldIndex, key_of};
use super::place::{Arrival, Resident, place};
use super::record::{Segment, Step};
use super::{Entries, Nodes, Shape, Walker, entries_of, position, shape};
use crate::differences::{AlignedRange, differences};
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, equal};

impl Walker<'_> {
    /// Updated's value for a local node, whatever local holds.
    pub(crate) fn exact_value(&mut self, updated: NodeId, local: NodeId) -> Outcome {
        self.exact(Triple::new(None, Some(updated), Some(local)))
    }

    /// Updated's value for a local node, whatever local holds; `original` serves the comments
    /// alone.
    pub(super) fn exact(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        match (shape(trees.updated, updated), shape(trees.local, local)) {
            (Shape::List, Shape::List) => {
                let children = self.aligned_elements(nodes, updated, local);
                self.merged(nodes, children)
            }
            (Shape::Map, Shape::Map) => self.exact_fields(nodes, updated, local),
            _ if equal(trees.updated, updated, trees.local, local) => Outcome::Keep,
            _ => Outcome::Take(Incoming::whole(updated)),
        }
    }

    /// Updated's list for a local one.
    pub(super) fn aligned_elements(
        &mut self,
        nodes: Nodes,
        updated: NodeId,
        local: NodeId,
    ) -> Vec<Child> {
        let trees = self.trees;
        let updateds: Vec<EntryId> = entries_of(trees.updated, updated).collect();
        let locals: Vec<EntryId> = entries_of(trees.local, local).collect();
        let of_locals = self.fingerprints.local.of_elements(local);
        let of_updateds = self.fingerprints.updated.of_elements(updated);
        let before_local = self.originals_of(nodes, &of_locals);
        let before_updated = self.originals_of(nodes, &of_updateds);
        let aligned: Vec<_> = differences(&of_locals, &of_updateds).ranges().collect();
        let has_lines = self.have_lines(nodes);
        let mut children = Vec::with_capacity(updateds.len());
        let mut moved = moved(&aligned, &of_locals, &of_updateds);
        self.add_alike(
            (&locals, &of_locals),
            (&updateds, &of_updateds),
            &aligned,
            &mut moved,
        );
        let leaving: FxHashSet<usize> = moved.values().copied().collect();
        for AlignedRange { old, new, .. } in aligned {
            self.has_lines = has_lines;
            if old.len() == new.len() {
                for (old, new) in old.zip(new) {
                    let sides =
                        Triple::new(before_updated[new], Some(updateds[new]), Some(locals[old]));
                    self.has_lines = has_lines;
                    self.exact_element(sides, old, &mut children);
                }
            } else {
                let gone = old.filter(|at| !leaving.contains(at));
                children.extend(gone.map(|at| {
                    let sides = Triple::new(before_local[at], None, Some(locals[at]));
                    Child::local(locals[at], Outcome::Remove).of_sides(sides)
                }));
                for at in new {
                    if let Some(local) = moved.get(&at).copied() {
                        let original = before_local[local];
                        let sides = Triple::new(original, Some(updateds[at]), Some(locals[local]));
                        self.has_lines = has_lines;
                        self.exact_element(sides, local, &mut children);
                        continue;
                    }
                    let sides = Triple::new(before_updated[at], Some(updateds[at]), None);
                    children.push(self.whole(updateds[at]).of_sides(sides));
                }
            }
        }
        children
    }

    /// Adds the elements that upstream changed beside others that came or went.
    fn add_alike(
        &self,
        (locals, of_locals): (&[EntryId], &[u64]),
        (updateds, of_updateds): (&[EntryId], &[u64]),
        aligned: &[AlignedRange],
        moved: &mut FxHashMap<usize, usize>,
    ) {
        let prints = self.fingerprints.as_ref();
        let leaving: FxHashSet<usize> = moved.values().copied().collect();
        for AlignedRange { old, new, .. } in aligned.iter().cloned() {
            if old.len() == new.len() || old.is_empty() || new.is_empty() {
                continue;
            }
            let comes = |at: usize| !moved.contains_key(&(new.start + at));
            let values = (&of_locals[old.clone()], &of_updateds[new.clone()]);
            let found = found_in(values.0, values.1, comes, |at, other, least| {
                let stays = !leaving.contains(&(old.start + at));
                let local = (prints.local, locals[old.start + at]);
                let updated = (prints.updated, updateds[new.start + other]);
                stays.then(|| likeness(local, updated, least))?
            });
            let pairs = old.zip(found);
            moved.extend(pairs.filter_map(|(local, at)| Some((new.start + at?, local))));
        }
    }

    /// For each element of a list, given by its fingerprint, the one that it was in the original.
    fn originals_of(&self, nodes: Nodes, elements: &[u64]) -> Vec<Option<EntryId>> {
        let mut found = vec![None; elements.len()];
        let tree = self.trees.original;
        let list = nodes
            .original
            .filter(|node| shape(tree, *node) == Shape::List);
        let Some(list) = list else {
            return found;
        };
        let originals: Vec<EntryId> = entries_of(tree, list).collect();
        let of_originals = self.fingerprints.original.of_elements(list);
        for AlignedRange { old, new, .. } in differences(&of_originals, elements).ranges() {
            if old.len() == new.len() {
                for (old, new) in old.zip(new) {
                    found[new] = Some(originals[old]);
                }
            }
        }
        found
    }

    /// One element with updated's value: local's text, edited, where the two have something in
    /// common.
    fn exact_element(&mut self, sides: Entries, index: usize, children: &mut Vec<Child>) {
        let (Some(updated), Some(local)) = (sides.updated, sides.local) else {
            return;
        };
        let nodes = self.values_of(sides);
        let prints = self.fingerprints.as_ref();
        let alike = likeness(
            (prints.local, local),
            (prints.updated, updated),
            Least::Half,
        );
        if alike.is_none() && !self.has_something_in_common(nodes) {
            let gone = Triple::new(sides.original, None, sides.local);
            children.push(Child::local(local, Outcome::Remove).of_sides(gone));
            children.push(self.whole(updated));
            return;
        }
        let step = self.indexed_step(sides, index);
        let child = self.at(step, |walker| walker.exact_entry(nodes, sides, local));
        children.push(child);
    }

    fn exact_entry(&mut self, nodes: Nodes, sides: Entries, local: EntryId) -> Child {
        let has_lines = self.has_lines;
        if let Some(rewritten) = self.fast_forward(sides) {
            return rewritten;
        }
        let outcome = self.exact(nodes);
        self.has_lines = has_lines;
        let below = match has_lines.local {
            true => self.merged_below(sides, &outcome),
            false => None,
        };
        let remarks = self.remarks(sides, &outcome);
        let child = Child::local(local, outcome).of_sides(sides);
        child.with_remarks(remarks).with_below(below)
    }

    fn exact_fields(&mut self, nodes: Nodes, updated: NodeId, local: NodeId) -> Outcome {
        let trees = self.trees;
        let is_map = |node: &NodeId| shape(trees.original, *node) == Shape::Map;
        let original = nodes.original.filter(is_map);
        let has_lines = self.have_lines(nodes);
        let fields = fields_of_all(trees, Triple { original, ..nodes });
        let residents = entries_of(trees.local, local)
            .map(|entry| {
                self.has_lines = has_lines;
                let key = key_of(trees.local, entry);
                let sides = fields.beside(key, entry);
                let child = match sides.updated {
                    Some(_) => {
                        let step = Step {
                            segment: Segment::Field,
                            entries: sides,
                        };
                        let nodes = self.values_of(sides);
                        self.at(step, |walker| walker.exact_entry(nodes, sides, entry))
                            .under_key_of(fields.restyled_key(sides))
                    }
                    None => Child::local(entry, Outcome::Remove).of_sides(sides),
                };
                Resident { child, own: false }
            })
            .collect();
        let arrivals = entries_of(trees.updated, updated)
            .map(|entry| {
                match key_of(trees.updated, entry).and_then(|key| fields.local.find(key)) {
                    Some(resident) => {
                        Arrival::Resident(position(entries_of(trees.local, local), resident))
                    }
                    None => Arrival::New(self.whole(entry)),
                }
            })
            .collect();
        self.merged(nodes, place(residents, arrivals))
    }

    /// A whole element from upstream.
    pub(super) fn whole(&self, updated: EntryId) -> Child {
        let value = self.trees.updated.entry(updated).value;
        Child::updated(updated, Outcome::Take(Incoming::whole(value)))
    }

    /// Whether editing the one into the other leaves anything of it: two scalars, two lists, two
    /// maps of which at least half of the fields are the same.
    fn has_something_in_common(&self, nodes: Nodes) -> bool {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return false;
        };
        let trees = self.trees;
        match (shape(trees.updated, updated), shape(trees.local, local)) {
            (Shape::Map, Shape::Map) => {
                let fields = FieldIndex::of(trees.updated, updated);
                let same = entries_of(trees.local, local).filter(|entry| {
                    let other = key_of(trees.local, *entry).and_then(|key| fields.find(key));
                    other.is_some_and(|other| {
                        let value = trees.updated.entry(other).value;
                        equal(
                            trees.updated,
                            value,
                            trees.local,
                            trees.local.entry(*entry).value,
                        )
                    })
                });
                same.count() * 2 >= entries_of(trees.local, local).len()
            }
            (updated, local) => updated == local,
        }
    }
}

/// The elements that updated has elsewhere, and each list once: where updated has them, and where
/// local does.
fn moved(aligned: &[AlignedRange], locals: &[u64], updateds: &[u64]) -> FxHashMap<usize, usize> {
    let once = |values: &[u64], range: fn(&AlignedRange) -> Range<usize>| {
        let mut places: FxHashMap<u64, Option<usize>> = FxHashMap::default();
        for (at, value) in values.iter().enumerate() {
            let place = places.entry(*value).or_insert(Some(at));
            *place = place.filter(|place| *place == at);
        }
        let is_unpaired = |it: &&AlignedRange| it.old.len() != it.new.len();
        let unpaired = aligned.iter().filter(is_unpaired).flat_map(range);
        unpaired
            .filter(|at| places.get(&values[*at]) == Some(&Some(*at)))
            .map(|at| (values[at], at))
            .collect::<FxHashMap<u64, usize>>()
    };
    let ours = once(locals, |it| it.old.clone());
    let theirs = once(updateds, |it| it.new.clone()).into_iter();
    theirs
        .filter_map(|(value, at)| Some((at, *ours.get(&value)?)))
        .collect()
}
