//! Merges lists whose elements have no identity: as one value (rules: One value), or element by
//! element (`--lists merge`, rules: Lists without a key).

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::aligned_lists::{AlignedLists, Stretch};
use super::entry::holds_null;
use super::record::{Segment, winning_outcome};
use super::similarity::is_multiline;
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{Child, Outcome};
use crate::merge::fingerprint::Fingerprints;
use crate::merge::{CombinedBy, Resolution, Sides};
use crate::triple::{Change, Side, Triple};
use crate::yaml::{EntryId, NodeId, Tree};

impl Walker<'_> {
    /// Merges a list as one value.
    pub(super) fn one_value_list(&mut self, nodes: Nodes) -> Outcome {
        if self.unchanged_upstream(nodes) {
            return self.merge_elements(nodes);
        }
        if self.is_equal_updated_local(nodes) {
            return match self.merges_formats {
                true => self.merge_elements(nodes),
                false => Outcome::Keep,
            };
        }
        if self.holds_pin(nodes) {
            return self.keep_whole_for_pin(nodes);
        }
        let updated_outcome = self.exact_outcome(nodes);
        self.override_local(nodes, updated_outcome)
    }

    /// Merges a list element by element, as `diff3` merges lines. A stretch that one side changed
    /// becomes that side's; a stretch that both sides changed can be a conflict.
    pub(super) fn merge_unkeyed_list(&mut self, nodes: Nodes) -> Outcome {
        let lists = self.with_original_list(nodes);
        let is_unchanged_locally = self.unchanged_locally(nodes);
        let merges_as_one_value = lists.original.is_none()
            || self.nothing_to_merge(nodes)
            || is_unchanged_locally
                && !self.merges_to_updated(lists)
                && !self.has_commented_elements(nodes);
        if merges_as_one_value || self.holds_pin(nodes) || self.local_replaced_all(lists) {
            return self.one_value_list(nodes);
        }
        let recorded = self.conflicts.len();
        let merged = self.merge_elements(lists);
        if self.conflicts.len() == recorded && !is_unchanged_locally {
            self.record_combined(CombinedBy::Elements, nodes);
        }
        merged
    }

    /// Returns true if local, as one of two equal sides, wrote comments in or above elements of a
    /// list whose values it did not change.
    fn has_commented_elements(&self, nodes: Nodes) -> bool {
        let mut pairs = self
            .entries_on(Side::Original, nodes)
            .zip(self.entries_on(Side::Local, nodes));
        let is_commented =
            |(original, local)| self.has_new_comments(original, (Side::Local, local));
        self.options.sides == Sides::Equal && pairs.any(is_commented)
    }

    /// Returns true if an element-by-element merge of a list that local did not change is sure to
    /// give upstream's list: all elements are maps or lists, no element repeats, upstream moved
    /// none, and no null acts as a deletion.
    fn merges_to_updated(&self, lists: Nodes) -> bool {
        let (Some(original), Some(updated)) = (lists.original, lists.updated) else {
            return false;
        };
        let (old_tree, new_tree) = (self.trees.original, self.trees.updated);
        let has_scalar =
            |tree: &Tree<'_>, list| entries_of(tree, list).any(|it| is_scalar(tree, it));
        if has_scalar(old_tree, original)
            || has_scalar(new_tree, updated)
            || self.nulls_clear && holds_null(new_tree, updated)
        {
            return false;
        }
        let originals = self.fingerprints.original.of_elements(original);
        let updateds = self.fingerprints.updated.of_elements(updated);
        let sets = [&originals, &updateds].map(|it| it.iter().collect::<FxHashSet<_>>());
        let [in_original, in_updated] = &sets;
        let kept = originals.iter().filter(|it| in_updated.contains(it));
        in_original.len() == originals.len()
            && in_updated.len() == updateds.len()
            && kept.eq(updateds.iter().filter(|it| in_original.contains(it)))
    }

    /// Returns true if local replaced all of two or more scalars and upstream added a scalar that
    /// local does not have. There is no place for it among local's elements. Texts of several lines
    /// do not count: they pair with each other if they are alike.
    fn local_replaced_all(&self, lists: Nodes) -> bool {
        let Some(lists) = lists
            .transpose()
            .filter(|_| self.options.sides == Sides::Upstream)
        else {
            return false;
        };
        let lists = self.fingerprints.as_ref().zip(lists);
        let are_at_least = |count: usize, (prints, list): (&Fingerprints<'_>, NodeId)| {
            let tree = prints.tree();
            let is_multiline = |it| is_multiline((prints, tree.entry(it).value));
            let mut elements = entries_of(tree, list);
            elements.len() >= count && elements.all(|it| is_scalar(tree, it) && !is_multiline(it))
        };
        if !are_at_least(2, lists.original) || !are_at_least(1, lists.local) {
            return false;
        }
        let values = lists.map(|(prints, list)| -> FxHashSet<u64> {
            prints.of_elements(list).iter().copied().collect()
        });
        let is_new = |it: &u64| !values.original.contains(it) && !values.local.contains(it);
        values.original.is_disjoint(&values.local) && values.updated.iter().any(is_new)
    }

    /// Merges lists element by element.
    fn merge_elements(&mut self, nodes: Nodes) -> Outcome {
        let lists = self.aligned_lists(nodes);
        let children = self.within(nodes, |walker| {
            let mut merger = ElementMerger {
                walker,
                lists: &lists,
                children: Vec::with_capacity(lists.elements.local.len()),
            };
            for stretch in lists.stretches() {
                match stretch {
                    Stretch::Element(at) => merger.merge_element(at),
                    Stretch::Between(ranges) => merger.merge_stretch(ranges),
                }
            }
            merger.merge_moved_elements();
            merger.children
        });
        drop(lists);
        self.collection_outcome(nodes, children)
    }
}

/// Merges the elements of three aligned lists.
pub(super) struct ElementMerger<'w, 'a> {
    pub(super) walker: &'w mut Walker<'a>,
    pub(super) lists: &'w AlignedLists,
    /// The decisions about the elements so far.
    pub(super) children: Vec<Child>,
}

impl ElementMerger<'_, '_> {
    /// Merges an element that all three lists have.
    pub(super) fn merge_element(&mut self, at: Triple<usize>) {
        let sides = self.lists.at(at).map(Some);
        let child = self.walker.merge_entry(Segment::Index(at.local), sides);
        self.children.extend(child);
    }

    /// Merges a stretch between two elements that all three lists have.
    fn merge_stretch(&mut self, stretch: Triple<Range<usize>>) {
        let lists = self.lists;
        let values = lists.values.as_ref().zip(stretch.clone());
        let values = values.map(|(values, range)| &values[range]);
        let sides = lists.elements_in(&stretch);
        let is_fork = self.is_fork();
        let change = values.change();
        if !is_fork && self.deletes_commented(change, &stretch) {
            return self.merge_beside_moved(stretch, true);
        }
        match change {
            Change::Neither | Change::Local => self.keep_stretch(values, stretch),
            Change::BothSame => self.merge_equal_stretch(values, stretch),
            Change::Upstream => {
                let pairs = sides.original.iter().zip(sides.local);
                self.children.extend(
                    pairs.map(|(original, local)| Child::deleted_upstream(*original, *local)),
                );
                if is_fork && lists.local_has_inserted(values.updated) {
                    return;
                }
                for at in stretch.updated {
                    if !is_fork || !lists.is_handled_elsewhere(at) {
                        self.children.push(self.taken(at));
                    }
                }
            }
            Change::BothDiffer if is_fork => self.merge_regions(stretch),
            Change::BothDiffer => {
                if !self.agreement(values, &stretch) && !self.merge_by_position(values, &stretch) {
                    self.merge_beside_moved(stretch, false);
                }
            }
        }
    }

    /// Whether one side replaced or deleted the elements of a stretch, and the other side wrote
    /// comments in or above one of them. Moved elements do not count: they take the comments along.
    fn deletes_commented(&self, change: Change, stretch: &Triple<Range<usize>>) -> bool {
        let side = match change {
            Change::Upstream => Side::Local,
            Change::Local => Side::Updated,
            Change::Neither | Change::BothSame | Change::BothDiffer => return false,
        };
        self.has_new_comments(side, stretch.original.clone().zip(stretch[side].clone()))
    }

    /// Whether a side wrote comments in or above one of these elements that stays at its place.
    /// `pairs` has the positions in the original and on the side.
    pub(super) fn has_new_comments(
        &self,
        side: Side,
        mut pairs: impl Iterator<Item = (usize, usize)>,
    ) -> bool {
        let elements = &self.lists.elements;
        pairs.any(|(original, at)| {
            let moved = &self.lists.moved_positions().original;
            let (old, new) = (elements.original[original], elements[side][at]);
            !moved.contains(&original) && self.walker.has_new_comments(old, (side, new))
        })
    }

    /// Whether local is a fork of upstream, and not an equal side.
    fn is_fork(&self) -> bool {
        self.walker.options.sides == Sides::Upstream
    }

    /// Returns an updated element that is added as a whole.
    pub(super) fn taken(&self, updated: usize) -> Child {
        self.walker
            .take_element(self.lists.elements.updated[updated])
    }

    /// Keeps local's elements, and merges changes that upstream made to their text.
    fn keep_stretch(&mut self, values: Triple<&[u64]>, stretch: Triple<Range<usize>>) {
        let (lists, is_fork) = (self.lists, self.is_fork());
        let is_deleted = |at: usize| is_fork && lists.is_moved_and_deleted(at);
        let namesake = |at: usize| lists.namesakes.of_local(at);
        let mut locals = stretch.local.clone();
        if !locals.any(|at| is_deleted(at) || namesake(at).is_some())
            && self.merge_by_position(values, &stretch)
        {
            return;
        }
        let sides = lists.elements_in(&stretch);
        for at in stretch.local {
            let local = lists.elements.local[at];
            let child = match namesake(at) {
                Some(_) => self.child_of_local(at, namesake(at)),
                None if is_deleted(at) => self.child_of_local(at, None),
                None => Child::keep(local),
            };
            self.children.push(child);
        }
        let pairs = sides.original.iter().zip(sides.updated);
        self.children
            .extend(pairs.map(|(original, updated)| Child::deleted_locally(*original, *updated)));
    }

    /// Merges a stretch that both sides changed to equal elements.
    fn merge_equal_stretch(&mut self, values: Triple<&[u64]>, stretch: Triple<Range<usize>>) {
        if self.merge_by_position(values, &stretch) {
            return;
        }
        let elements = self.lists.elements_in(&stretch);
        for (at, (local, updated)) in elements.local.iter().zip(elements.updated).enumerate() {
            let sides = Triple::new(None, Some(*updated), Some(*local));
            let segment = Segment::Index(stretch.local.start + at);
            self.children
                .extend(self.walker.merge_entry(segment, sides));
        }
    }

    /// Merges a stretch that the sides changed differently. The elements that a side only moved are
    /// left to [`ElementMerger::merge_moved_elements`]; the others are one conflict if both sides
    /// changed them, or one side only wrote comments (`has_new_comments`).
    fn merge_beside_moved(&mut self, stretch: Triple<Range<usize>>, has_new_comments: bool) {
        let lists = self.lists;
        let none = Triple::default();
        // an element that both sides inserted comes at one place at most without a conflict
        let is_inserted_by_both = stretch
            .local
            .clone()
            .any(|at| lists.is_inserted_by_both(at))
            || stretch
                .updated
                .clone()
                .any(|at| lists.is_inserted_by_local(at));
        let moved = match is_inserted_by_both {
            true => &none,
            false => lists.moved_positions(),
        };
        let rest = Side::ALL.map(|side| {
            let range = stretch[side].clone();
            Vec::from_iter(range.filter(|at| !moved[side].contains(at)))
        });
        let values = Side::ALL.map(|side| {
            let values = rest[side].iter().map(|at| lists.values[side][*at]);
            values.collect::<Vec<_>>()
        });
        let change = match has_new_comments {
            true => Change::BothDiffer,
            false => values.change(),
        };
        let mut conflict = (change == Change::BothDiffer).then(|| {
            let sides = Side::ALL.map(|side| {
                let elements = rest[side].iter().map(|at| lists.elements[side][*at]);
                elements.collect::<Vec<_>>()
            });
            self.element_conflict(sides.as_ref().map(Vec::as_slice))
        });
        for at in stretch.local {
            let local = lists.elements.local[at];
            self.children.push(match &mut conflict {
                _ if moved.local.contains(&at) => Child::keep(local),
                Some(conflict) => conflict.local(local),
                None if change == Change::Upstream => Child::local(local, Outcome::Remove),
                None => Child::keep(local),
            });
        }
        for at in stretch.updated {
            let taken = self.taken(at);
            self.children.extend(match &mut conflict {
                _ if moved.updated.contains(&at) => Some(taken),
                Some(conflict) => conflict.updated(taken),
                None => (change == Change::Upstream).then_some(taken),
            });
        }
    }

    /// Records a conflict over elements that the sides replaced with different ones.
    pub(super) fn element_conflict(&mut self, sides: Triple<&[EntryId]>) -> ElementConflict {
        ElementConflict {
            local_outcome: self.walker.conflict_over_elements(sides),
            resolution: self.walker.resolution(),
            base: sides.original.to_vec(),
        }
    }

    /// Merges the elements of a stretch by position, if all sides have as many and no element moved
    /// or was changed by both sides. Otherwise returns false and does nothing.
    fn merge_by_position(
        &mut self,
        values: Triple<&[u64]>,
        stretch: &Triple<Range<usize>>,
    ) -> bool {
        let [original, updated, local] = values.map(<[u64]>::len).into_array();
        if original != updated || original != local {
            return false;
        }
        let moved = self.lists.moved_positions();
        let has_moved = |side: Side| stretch[side].clone().any(|at| moved[side].contains(&at));
        let change = |index| values.map(|values| values[index]).change();
        let is_possible = !Side::ALL.into_iter().any(has_moved)
            && (0..local).all(|index| change(index) != Change::BothDiffer);
        for index in (0..local).filter(|_| is_possible) {
            self.merge_element(stretch.as_ref().map(|range| range.start + index));
        }
        is_possible
    }
}

pub(super) fn is_scalar(tree: &Tree<'_>, element: EntryId) -> bool {
    shape(tree, tree.entry(element).value) == Shape::Scalar
}

/// The outcome of conflicting elements. The first one carries the original's elements as the base
/// of the conflict.
pub(super) struct ElementConflict {
    local_outcome: Outcome,
    resolution: Resolution,
    base: Vec<EntryId>,
}

impl ElementConflict {
    /// Returns the outcome of a local element.
    pub(super) fn local(&mut self, entry: EntryId) -> Child {
        Child::local(entry, self.with_base(self.local_outcome.clone()))
    }

    /// Returns the outcome of an updated element, or `None` if it is not added.
    pub(super) fn updated(&mut self, mut child: Child) -> Option<Child> {
        let updated = std::mem::replace(child.outcome_mut(), Outcome::Remove);
        let outcome = winning_outcome(self.resolution, Outcome::Remove, updated);
        if outcome == Outcome::Remove {
            return None;
        }
        *child.outcome_mut() = self.with_base(outcome);
        Some(child)
    }

    fn with_base(&mut self, outcome: Outcome) -> Outcome {
        outcome.with_base(std::mem::take(&mut self.base))
    }
}
