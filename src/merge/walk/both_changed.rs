//! Merges a stretch of a list without a key that both sides changed (rules: Lists without a key).
//!
//! Hunks of both sides that share elements of the original form one region; every other hunk is a
//! region of its own. In a region, local's elements come first, then upstream's; equal elements
//! come once. A region is a conflict only if both sides replaced the same elements with different
//! ones.

use std::ops::Range;

use super::aligned_lists::AlignedLists;
use super::hunks::{Hunk, regions};
use super::positions::Positions;
use super::record::Segment;
use super::same_text::same_entry_text;
use super::sequences::{ElementConflict, ElementMerger};
use super::similarity::{Threshold, similarity};
use super::{Shape, shape};
use crate::differences::differences;
use crate::merge::ConflictKind;
use crate::merge::decision::{Child, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::EntryId;

/// The changed elements of a region, as positions in the lists. The vectors are sorted.
struct RegionChanges {
    /// Elements of the original that neither side has.
    deleted: Vec<usize>,
    /// Elements that only updated inserted.
    only_updated: Vec<usize>,
    /// Elements that only local inserted.
    only_local: Vec<usize>,
    /// Equal elements that both inserted: the position in updated, and that in local.
    in_both: Vec<(usize, usize)>,
    /// Those of `only_updated` that upstream put in the place of elements that local changed too.
    conflicting: Vec<usize>,
    /// Whether local inserted the elements of `only_updated` already, together and in this order.
    local_has_updated: bool,
}

impl ElementMerger<'_, '_> {
    /// Merges a stretch that the sides changed differently.
    pub(super) fn merge_regions(&mut self, stretch: Triple<Range<usize>>) {
        let lists = self.lists;
        let regions = regions(lists, &stretch);
        let mut start = stretch.map(|range| range.start);
        for region in regions {
            let end = |positions: &Positions, side: Side| {
                let kept = region.original.clone().filter_map(|old| positions.get(old));
                let ends = kept.map(|new| new + 1).chain(region.ends[side]);
                ends.max().unwrap_or(start[side])
            };
            let end = Triple::new(
                region.original.end,
                end(&lists.in_updated, Side::Updated),
                end(&lists.in_local, Side::Local),
            );
            let ranges = start.zip(end).map(|(start, end)| start..end);
            start = end;
            self.merge_region(ranges, &region.updated_hunks);
        }
    }

    fn merge_region(&mut self, region: Triple<Range<usize>>, hunks: &[Hunk]) {
        let lists = self.lists;
        let changes = RegionChanges::of(lists, &region, hunks);
        if let Some(replaced) = self.replaced_element(&region, &changes) {
            return self.merge_element(replaced);
        }
        let mut conflict = changes.is_conflict().then(|| {
            let sides = Triple::new(&changes.deleted, &changes.conflicting, &changes.only_local);
            let sides = lists.elements.as_ref().zip(sides);
            let sides = sides.map(|(elements, at)| -> Vec<EntryId> {
                at.iter().map(|at| elements[*at]).collect()
            });
            self.element_conflict(sides.as_ref().map(Vec::as_slice))
        });
        let is_updated_first = changes.in_both.is_empty()
            && self.walker.first_in_order(lists, &region) == Some(Side::Updated);
        let mut updateds = region.updated;
        if is_updated_first {
            let all = std::mem::replace(&mut updateds, 0..0);
            self.add_updated(&changes, all, &mut conflict);
        }
        for local in region.local {
            let namesake = || lists.namesakes.of_local(local);
            let same = changes.updated_in_both(local).or_else(namesake);
            if let Some(same) = same.filter(|same| updateds.contains(same)) {
                self.add_updated(&changes, updateds.start..same, &mut conflict);
                updateds.start = same + 1;
            }
            let child = match &mut conflict {
                Some(conflict) if changes.only_local.binary_search(&local).is_ok() => {
                    conflict.local(lists.elements.local[local])
                }
                _ => self.child_of_local(local, same),
            };
            self.children.push(child);
        }
        self.add_updated(&changes, updateds, &mut conflict);
    }

    /// Merges updated elements that local does not have.
    fn add_updated(
        &mut self,
        changes: &RegionChanges,
        updateds: Range<usize>,
        conflict: &mut Option<ElementConflict>,
    ) {
        for at in updateds {
            let child = self.child_of_updated(changes, at, conflict);
            self.children.extend(child);
        }
    }

    /// Returns the positions of an element that both sides replaced with an equal one, of a map that
    /// each replaced with a similar map, or of a scalar that each replaced with another scalar: it
    /// merges as one element. Nulls are
    /// excluded, because they would act as deletions then, and so is a scalar of local's that
    /// upstream has too at another place: it would be lost.
    fn replaced_element(
        &self,
        region: &Triple<Range<usize>>,
        changes: &RegionChanges,
    ) -> Option<Triple<usize>> {
        let is_one = |range: &Range<usize>| range.len() == 1;
        if !region.as_ref().into_iter().all(is_one) {
            return None;
        }
        let at = region.as_ref().map(|range| range.start);
        let elements = self.walker.trees.zip(self.lists.at(at));
        let are_all = |wanted: Shape| {
            elements.into_iter().all(|(tree, element)| {
                let value = tree.entry(element).value;
                shape(tree, value) == wanted && !tree.is_null(value)
            })
        };
        let replaced_alike = !changes.in_both.is_empty();
        let differ = || changes.is_conflict() && !changes.only_local.is_empty();
        let are_similar = || {
            let element = |side: Side| {
                (
                    &self.walker.fingerprints[side],
                    self.lists.elements[side][at[side]],
                )
            };
            let [updated, local] = [Side::Updated, Side::Local].map(element);
            similarity(updated, local, Threshold::Half).is_some()
        };
        let is_one_element = replaced_alike
            || differ() && (are_all(Shape::Scalar) || are_all(Shape::Map) && are_similar());
        is_one_element.then_some(at)
    }

    /// Merges a local element that is not part of a conflict. `same` is the updated element that
    /// both sides inserted: it is equal or has the same name.
    pub(super) fn child_of_local(&mut self, at: usize, same: Option<usize>) -> Child {
        let lists = self.lists;
        let elements = &lists.elements;
        let local = elements.local[at];
        if lists.moved_positions().local.contains(&at) {
            return Child::keep(local);
        }
        let original = lists.of_local.get(at);
        let original = original.or_else(|| lists.changed_and_deleted(at));
        let sides = Triple::new(
            original.map(|original| elements.original[original]),
            same.map(|same| elements.updated[same]),
            Some(local),
        );
        let segment = Segment::Index(at);
        let child = match (original, same) {
            (Some(original), _) if self.is_changed(original, (Side::Local, at)) => {
                let nodes = self.walker.values_of(sides);
                let kind = ConflictKind::DeletedUpstream;
                let outcome = self.walker.at(segment, sides, |walker| {
                    walker.conflict(kind, nodes, Outcome::Remove)
                });
                Child::local(local, outcome)
            }
            (Some(_), _) => Child::local(local, Outcome::Remove),
            (None, Some(_)) => {
                let child = self.walker.merge_entry(segment, sides);
                child.unwrap_or_else(|| Child::keep(local))
            }
            (None, None) if lists.is_moved_and_deleted(at) => Child::local(local, Outcome::Remove),
            (None, None) => Child::keep(local),
        };
        child.with_sides(sides)
    }

    /// Whether a side changed an element of the original. One with an alias is not changed if only
    /// the value of the anchor is.
    fn is_changed(&self, original: usize, (side, at): (Side, usize)) -> bool {
        let (lists, trees) = (self.lists, self.walker.trees);
        let old = (trees.original, lists.elements.original[original]);
        lists.values.original[original] != lists.values[side][at]
            && !same_entry_text([old, (trees[side], lists.elements[side][at])])
    }

    /// Merges an updated element that local does not have.
    fn child_of_updated(
        &mut self,
        changes: &RegionChanges,
        at: usize,
        conflict: &mut Option<ElementConflict>,
    ) -> Option<Child> {
        let lists = self.lists;
        if lists.moved_positions().updated.contains(&at) {
            return Some(self.taken(at));
        }
        if changes.only_updated.binary_search(&at).is_ok() {
            return match conflict {
                Some(conflict) if changes.conflicting.binary_search(&at).is_ok() => {
                    conflict.updated(self.taken(at))
                }
                _ => (!changes.local_has_updated).then(|| self.taken(at)),
            };
        }
        let (at_original, updated) = (lists.of_updated.get(at)?, lists.elements.updated[at]);
        let original = lists.elements.original[at_original];
        if !self.is_changed(at_original, (Side::Updated, at)) {
            return Some(Child::deleted_locally(original, updated));
        }
        let sides = Triple::new(Some(original), Some(updated), None);
        let nodes = self.walker.values_of(sides);
        let kind = ConflictKind::DeletedLocally;
        let updated_outcome = self.taken(at).into_outcome();
        let outcome = self.walker.at(Segment::Index(at), sides, |walker| {
            walker.conflict_over(kind, nodes, Outcome::Remove, updated_outcome)
        });
        Some(Child::updated(updated, outcome).with_sides(sides))
    }
}

impl RegionChanges {
    fn of(lists: &AlignedLists, region: &Triple<Range<usize>>, hunks: &[Hunk]) -> Self {
        let values = &lists.values;
        let is_deleted = |old: &usize| {
            lists.in_updated.get(*old).is_none() && lists.in_local.get(*old).is_none()
        };
        let inserted = |range: &Range<usize>, originals: &Positions| -> Vec<usize> {
            range
                .clone()
                .filter(|at| originals.get(*at).is_none())
                .collect()
        };
        let mut changes = Self {
            deleted: region.original.clone().filter(is_deleted).collect(),
            only_updated: inserted(&region.updated, &lists.of_updated),
            only_local: inserted(&region.local, &lists.of_local),
            in_both: Vec::new(),
            conflicting: Vec::new(),
            local_has_updated: false,
        };
        let of = |values: &[u64], inserted: &[usize]| -> Vec<u64> {
            inserted.iter().map(|at| values[*at]).collect()
        };
        let updated = of(&values.updated, &changes.only_updated);
        let local = of(&values.local, &changes.only_local);
        let differences = differences(&updated, &local);
        let pairs = differences.same();
        changes.in_both = pairs
            .map(|(updated, local)| (changes.only_updated[updated], changes.only_local[local]))
            .collect();
        let (in_both, moved) = (&changes.in_both, lists.moved_positions());
        let is_shared = |at| in_both.binary_search_by_key(&at, |pair| pair.0).is_ok();
        changes.only_updated.retain(|at| {
            !is_shared(*at) && !moved.updated.contains(at) && !lists.is_handled_elsewhere(*at)
        });
        let is_shared = |at| in_both.binary_search_by_key(&at, |pair| pair.1).is_ok();
        changes.only_local.retain(|at| {
            let is_handled = lists.is_moved_and_deleted(*at) || lists.is_inserted_by_both(*at);
            !is_shared(*at) && !moved.local.contains(at) && !is_handled
        });
        changes.add_conflicting(hunks, &lists.in_local);
        changes.local_has_updated =
            lists.local_has_inserted(&of(&values.updated, &changes.only_updated));
        changes
    }

    /// Adds the elements of upstream's hunks that conflict with what local did there.
    fn add_conflicting(&mut self, hunks: &[Hunk], in_local: &Positions) {
        for Hunk {
            original,
            replacement,
        } in hunks
        {
            let olds = original.clone();
            let deleted = olds.filter(|old| in_local.get(*old).is_none()).count();
            let [start, end] = [replacement.start, replacement.end]
                .map(|end| self.only_updated.partition_point(|at| *at < end));
            // Local deleted more of the hunk's elements than it inserted of its replacement.
            if deleted + (end - start) > replacement.len() {
                let conflicting = &self.only_updated[start..end];
                self.conflicting.extend_from_slice(conflicting);
            }
        }
    }

    /// Returns true if the sides replaced the same elements with different ones. It is no conflict
    /// if local already has what upstream inserted.
    fn is_conflict(&self) -> bool {
        !self.conflicting.is_empty() && !self.local_has_updated
    }

    /// Returns the updated element that is equal to a local one, if both sides inserted it here.
    fn updated_in_both(&self, local: usize) -> Option<usize> {
        let at = self.in_both.binary_search_by_key(&local, |pair| pair.1);
        Some(self.in_both[at.ok()?].0)
    }
}
