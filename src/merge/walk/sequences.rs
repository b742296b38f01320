//! Lists whose elements have no identity: one value (rules: One value), or merged element by
//! element (`--lists merge`, rules: Lists without a key).

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::agreement::{Agreed, agreement, all_of_both};
use super::align::Stretch;
use super::inserted::Lists;
use super::namesakes::Namesakes;
use super::{Nodes, Shape, Walker, entries_of, holds_null, shape};
use crate::merge::decision::{Child, Outcome};
use crate::merge::fingerprint::Fingerprints;
use crate::merge::{Means, Resolution, Sides};
use crate::triple::{Change, Triple};
use crate::yaml::{EntryId, NodeId, Tree};

impl Walker<'_> {
    /// A list that is one value.
    pub(super) fn one_value_list(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        if self.unchanged_upstream(nodes) {
            return match self.is_equal_updated_local(nodes) {
                true => self.comments_of_elements(nodes),
                false => self.merged_elements(nodes),
            };
        }
        if self.is_equal_updated_local(nodes) {
            return match self.merges_lines {
                true => self.merged_elements(nodes),
                false => Outcome::Keep,
            };
        }
        if self.holds_pin(nodes) {
            return self.held_whole(nodes);
        }
        let children = self.aligned_elements(nodes, updated, local);
        let taken = self.merged(nodes, children);
        self.override_local(nodes, taken)
    }

    /// Three lists of equal values: only comments can have changed.
    fn comments_of_elements(&mut self, nodes: Nodes) -> Outcome {
        let trees = self.trees;
        let elements = |tree, node: Option<NodeId>| -> Vec<EntryId> {
            node.map(|node| entries_of(tree, node).collect())
                .unwrap_or_default()
        };
        let originals = elements(trees.original, nodes.original);
        let updateds = elements(trees.updated, nodes.updated);
        let has_lines = self.have_lines(nodes);
        let children = elements(trees.local, nodes.local)
            .into_iter()
            .enumerate()
            .map(|(index, local)| {
                self.has_lines = has_lines;
                let sides = Triple::new(
                    originals.get(index).copied(),
                    updateds.get(index).copied(),
                    Some(local),
                );
                let step = self.indexed_step(sides, index);
                let child = self.at(step, |walker| walker.entry(sides));
                child.unwrap_or_else(|| Child::keep(local)).of_sides(sides)
            })
            .collect();
        self.merged(nodes, children)
    }

    /// A list merged element by element, as `diff3` merges lines: a stretch that one side changed
    /// is that side's, one that both changed is a conflict.
    pub(super) fn sequence(&mut self, nodes: Nodes) -> Outcome {
        let original = nodes
            .original
            .filter(|node| shape(self.trees.original, *node) == Shape::List);
        let lists = Triple::new(original, nodes.updated, nodes.local);
        let is_taken = self.unchanged_locally(nodes);
        let simple =
            original.is_none() || self.settled(nodes) || is_taken && !self.has_plain_changes(lists);
        if simple || self.holds_pin(nodes) || self.is_replaced(lists) {
            return self.one_value_list(nodes);
        }
        let known = self.conflicts.len();
        let merged = self.merged_elements(lists);
        if self.conflicts.len() == known && !is_taken {
            self.record_combined(Means::Elements, nodes);
        }
        merged
    }

    /// Whether all elements are maps or lists, none occurs twice in a version, upstream moved none,
    /// and there is no null that would be a command: element by element, a list that local left
    /// alone becomes upstream's.
    fn has_plain_changes(&self, lists: Nodes) -> bool {
        let (Some(original), Some(updated)) = (lists.original, lists.updated) else {
            return false;
        };
        let (old_tree, new_tree) = (self.trees.original, self.trees.updated);
        let has_scalar = |tree: &Tree<'_>, list| {
            let mut elements = entries_of(tree, list);
            elements.any(|it| shape(tree, tree.entry(it).value) == Shape::Scalar)
        };
        if has_scalar(old_tree, original)
            || has_scalar(new_tree, updated)
            || self.nulls_clear && holds_null(new_tree, updated)
        {
            return false;
        }
        let originals = self.fingerprints.original.of_elements(original);
        let updateds = self.fingerprints.updated.of_elements(updated);
        let sets = [&originals, &updateds].map(|it| it.iter().collect::<FxHashSet<_>>());
        let [olds, news] = &sets;
        let stays = originals.iter().filter(|it| news.contains(it));
        olds.len() == originals.len()
            && news.len() == updateds.len()
            && stays.eq(updateds.iter().filter(|it| olds.contains(it)))
    }

    /// Whether the owner of a fork replaced all of two or more scalars, and upstream inserted one
    /// that the fork has not: it has no place among the others.
    fn is_replaced(&self, lists: Nodes) -> bool {
        let [Some(original), Some(updated), Some(local)] = lists.into_array() else {
            return false;
        };
        let is_scalar = |tree: &Tree<'_>, list| {
            let mut elements = entries_of(tree, list);
            elements.all(|it| shape(tree, tree.entry(it).value) == Shape::Scalar)
        };
        if self.options.sides != Sides::Upstream
            || entries_of(self.trees.original, original).len() < 2
            || entries_of(self.trees.local, local).len() == 0
            || !is_scalar(self.trees.original, original)
            || !is_scalar(self.trees.local, local)
        {
            return false;
        }
        let values = |prints: &Fingerprints<'_>, list| -> FxHashSet<u64> {
            prints.of_elements(list).iter().copied().collect()
        };
        let originals = values(&self.fingerprints.original, original);
        let locals = values(&self.fingerprints.local, local);
        let updateds = values(&self.fingerprints.updated, updated);
        let is_new = |it: &u64| !originals.contains(it) && !locals.contains(it);
        originals.is_disjoint(&locals) && updateds.iter().any(is_new)
    }

    /// The same, element by element.
    fn merged_elements(&mut self, lists: Nodes) -> Outcome {
        let (nodes, trees) = (lists, self.trees);
        let elements = trees.zip(lists).map(|(tree, list)| -> Vec<EntryId> {
            list.map(|list| entries_of(tree, list).collect())
                .unwrap_or_default()
        });
        let values = self
            .fingerprints
            .as_ref()
            .zip(lists)
            .map(|(known, list)| list.map(|list| known.of_elements(list)).unwrap_or_default());
        let has_lines = self.have_lines(nodes);
        let mut children = Vec::with_capacity(elements.local.len());
        let alignment = self.aligned(&elements, &values);
        let namesakes = match self.options.sides {
            Sides::Upstream => {
                Namesakes::of(self.fingerprints.as_ref(), &elements, &values, &alignment)
            }
            Sides::Equal => Namesakes::default(),
        };
        let lists = Lists::new(&elements, &values, &alignment, &namesakes);
        for stretch in &alignment.stretches {
            self.has_lines = has_lines;
            match stretch {
                Stretch::Element(sides) => self.paired_element(&elements, *sides, &mut children),
                Stretch::Between(ranges) => self.stretch(&lists, ranges.clone(), &mut children),
            }
        }
        self.has_lines = has_lines;
        self.moved_elements(&lists, &mut children);
        drop(lists);
        drop((elements, values, alignment));
        self.merged(nodes, children)
    }

    /// An element that all three lists have.
    pub(super) fn paired_element(
        &mut self,
        elements: &Triple<Vec<EntryId>>,
        at: Triple<usize>,
        children: &mut Vec<Child>,
    ) {
        let sides = elements
            .as_ref()
            .zip(at)
            .map(|(entries, index)| Some(entries[index]));
        let step = self.indexed_step(sides, at.local);
        let has_lines = self.has_lines;
        let child = self.at(step, |walker| walker.entry(sides));
        self.has_lines = has_lines;
        children.extend(child.map(|child| child.of_sides(sides)));
    }

    fn stretch(
        &mut self,
        lists: &Lists<'_>,
        stretch: Triple<Range<usize>>,
        children: &mut Vec<Child>,
    ) {
        let values = lists.values.as_ref().zip(stretch.clone());
        let values = values.map(|(values, range)| &values[range]);
        let sides = lists.elements.as_ref().zip(stretch.clone());
        let sides = sides.map(|(elements, range)| &elements[range]);
        let is_fork = self.options.sides == Sides::Upstream;
        match values.change() {
            Change::Nobody | Change::Local => {
                self.unchanged_upstream_stretch(lists, stretch, sides, children);
            }
            Change::BothAlike => self.changed_alike(stretch.local.start, sides, children),
            Change::Upstream => {
                let pairs = sides.original.iter().zip(sides.local);
                children.extend(pairs.map(|(original, local)| {
                    let sides = Triple::new(Some(*original), None, Some(*local));
                    Child::local(*local, Outcome::Remove).of_sides(sides)
                }));
                if is_fork && lists.has_inserted(values.updated) {
                    return;
                }
                let comes = stretch
                    .updated
                    .filter(|at| !is_fork || !lists.is_settled(*at));
                children.extend(comes.map(|at| self.whole(lists.elements.updated[at])));
            }
            Change::BothApart if is_fork => self.changed_by_both(lists, stretch, children),
            Change::BothApart => {
                let agreed = agreement(values).or_else(|| {
                    let first = self.first_in_order(lists, &stretch)?;
                    all_of_both(values, first)
                });
                if let Some(agreed) = agreed {
                    children.extend(agreed.into_iter().map(|element| match element {
                        Agreed::Local(index) => Child::keep(sides.local[index]),
                        Agreed::Gone(index) => Child::local(sides.local[index], Outcome::Remove),
                        Agreed::Updated(index) => self.whole(sides.updated[index]),
                    }));
                } else if !self.merge_one_by_one(lists.elements, values, stretch, children) {
                    self.stretch_apart(sides, children);
                }
            }
        }
    }

    /// Local's values, with what upstream changed in their text.
    fn unchanged_upstream_stretch(
        &mut self,
        lists: &Lists<'_>,
        stretch: Triple<Range<usize>>,
        sides: Triple<&[EntryId]>,
        children: &mut Vec<Child>,
    ) {
        let is_fork = self.options.sides == Sides::Upstream;
        let goes = |at: usize| is_fork && lists.is_moved_and_deleted(at);
        let namesake = |at: usize| lists.namesakes.of_local(at);
        let lengths = sides.map(<[EntryId]>::len);
        if lengths.local == lengths.updated
            && lengths.local == lengths.original
            && !stretch
                .local
                .clone()
                .any(|at| goes(at) || namesake(at).is_some())
        {
            for index in 0..lengths.local {
                let at = stretch.as_ref().map(|range| range.start + index);
                self.paired_element(lists.elements, at, children);
            }
            return;
        }
        let has_lines = self.has_lines;
        children.extend(stretch.local.map(|at| {
            let local = lists.elements.local[at];
            self.has_lines = has_lines;
            match namesake(at) {
                Some(_) => self.child_of_local(lists, at, namesake(at)),
                None if goes(at) => Child::local(local, Outcome::Remove),
                None => Child::keep(local),
            }
        }));
        let pairs = sides.original.iter().zip(sides.updated);
        children.extend(pairs.map(|(original, updated)| {
            let sides = Triple::new(Some(*original), Some(*updated), None);
            Child::updated(*updated, Outcome::Remove).of_sides(sides)
        }));
    }

    /// Elements that both sides put there, equal one by one.
    fn changed_alike(
        &mut self,
        start: usize,
        sides: Triple<&[EntryId]>,
        children: &mut Vec<Child>,
    ) {
        let is_paired = sides.original.len() == sides.local.len();
        let has_lines = self.has_lines;
        for (index, (local, updated)) in sides.local.iter().zip(sides.updated).enumerate() {
            let original = sides.original.get(index).filter(|_| is_paired).copied();
            let sides = Triple::new(original, Some(*updated), Some(*local));
            let step = self.indexed_step(sides, start + index);
            self.has_lines = has_lines;
            let child = self.at(step, |walker| walker.entry(sides));
            children.push(child.unwrap_or_else(|| Child::keep(*local)).of_sides(sides));
        }
    }

    /// A stretch that both sides changed, and not alike.
    fn stretch_apart(&mut self, sides: Triple<&[EntryId]>, children: &mut Vec<Child>) {
        let mut apart = self.apart(sides);
        children.extend(sides.local.iter().map(|entry| apart.local(*entry)));
        let theirs = sides.updated.iter();
        children.extend(theirs.filter_map(|entry| apart.updated(self.whole(*entry))));
    }

    /// Elements that both sides put in the place of the same ones, and that are not equal: a
    /// conflict.
    pub(super) fn apart(&mut self, sides: Triple<&[EntryId]>) -> Apart {
        Apart {
            ours: self.conflict_over_elements(sides),
            resolution: self.resolution(),
            base: sides.original.to_vec(),
        }
    }

    /// A stretch of the same length in all three, in which no element was changed by both sides, or
    /// only maps were: its elements pair up. False where it is not one.
    fn merge_one_by_one(
        &mut self,
        elements: &Triple<Vec<EntryId>>,
        values: Triple<&[u64]>,
        stretch: Triple<Range<usize>>,
        children: &mut Vec<Child>,
    ) -> bool {
        let lengths = stretch.clone().map(|range| range.len());
        if lengths.original != lengths.updated || lengths.original != lengths.local {
            return false;
        }
        let sides: Vec<_> = (0..lengths.original)
            .map(|index| {
                elements
                    .as_ref()
                    .zip(stretch.clone())
                    .map(|(entries, range)| entries[range.start + index])
            })
            .collect();
        let mergeable = |(index, sides): (usize, &Triple<EntryId>)| {
            values.map(|values| values[index]).change() != Change::BothApart
                || self
                    .trees
                    .zip(*sides)
                    .into_array()
                    .into_iter()
                    .all(|(tree, entry)| shape(tree, tree.entry(entry).value) == Shape::Map)
        };
        if !sides.iter().enumerate().all(mergeable) {
            return false;
        }
        for index in 0..lengths.original {
            let at = stretch.as_ref().map(|range| range.start + index);
            self.paired_element(elements, at, children);
        }
        true
    }
}

/// What becomes of elements that are a conflict. The first has all of the original's as its base.
pub(super) struct Apart {
    ours: Outcome,
    resolution: Resolution,
    base: Vec<EntryId>,
}

impl Apart {
    pub(super) fn local(&mut self, entry: EntryId) -> Child {
        Child::local(entry, self.with_base(self.ours.clone()))
    }

    /// One that upstream put there, if it comes.
    pub(super) fn updated(&mut self, mut whole: Child) -> Option<Child> {
        match self.resolution {
            Resolution::Updated => {}
            Resolution::Local | Resolution::Open => return None,
            Resolution::Markers => {
                whole.outcome = self.with_base(Outcome::apart(Outcome::Remove, whole.outcome));
            }
        }
        Some(whole)
    }

    fn with_base(&mut self, outcome: Outcome) -> Outcome {
        outcome.with_base(std::mem::take(&mut self.base))
    }
}
