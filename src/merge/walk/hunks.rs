//! A stretch of a list without a key that both sides changed: what each did to the original's
//! elements, put together (rules: Lists without a key).
//!
//! A hunk is what one side put in the place of some elements. Hunks of both sides that have
//! elements in common are one place; all others are places of their own. At one place, local's
//! elements come first, then upstream's, what is equal once. Only where both put something else in
//! the place of the same elements is there a conflict.

use std::ops::Range;

use super::align::{Alignment, Found};
use super::hunks_of_sides::{Hunk, hunks, places};
use super::inserted::Lists;
use super::sequences::Apart;
use super::{Shape, Walker, shape};
use crate::differences::differences;
use crate::merge::ConflictKind;
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, Tree};

/// What is at a place and not in the original, by position: what only one side has, what both have,
/// and what both took away.
struct Rest {
    gone: Vec<usize>,
    updated: Vec<usize>,
    local: Vec<usize>,
    shared: Vec<(usize, usize)>,
    /// What upstream put in the place of elements that local replaced too.
    disputed: Vec<usize>,
    /// Whether local has what only upstream has here, at one place of its own.
    there_already: bool,
}

impl Walker<'_> {
    /// A stretch that both sides changed.
    pub(super) fn changed_by_both(
        &mut self,
        lists: &Lists<'_>,
        stretch: Triple<Range<usize>>,
        children: &mut Vec<Child>,
    ) {
        let Alignment {
            in_updated,
            in_local,
            ..
        } = lists.alignment;
        let updated = hunks(in_updated, &stretch.original, &stretch.updated);
        let local = hunks(in_local, &stretch.original, &stretch.local);
        let (mut updated_start, mut local_start) = (stretch.updated.start, stretch.local.start);
        for place in places(&updated, &local) {
            let end = |found: &Found, came: Option<usize>, start: usize| {
                let kept = place.olds.clone().filter_map(|old| found[old]);
                kept.map(|new| new + 1).chain(came).max().unwrap_or(start)
            };
            let updated_end = end(in_updated, place.updated, updated_start);
            let local_end = end(in_local, place.local, local_start);
            let ranges = Triple::new(
                place.olds.clone(),
                updated_start..updated_end,
                local_start..local_end,
            );
            (updated_start, local_start) = (updated_end, local_end);
            self.changed_place(lists, ranges, &place.hunks, children);
        }
    }

    fn changed_place(
        &mut self,
        lists: &Lists<'_>,
        place: Triple<Range<usize>>,
        hunks: &[&Hunk],
        children: &mut Vec<Child>,
    ) {
        let rest = Rest::of(lists, &place, hunks);
        if let Some(scalar) = self.changed_scalar(lists, &place, &rest) {
            self.paired_element(lists.elements, scalar, children);
            return;
        }
        let mut apart = rest.disagrees().then(|| {
            let sides = Triple::new(&rest.gone, &rest.disputed, &rest.local);
            let sides = lists.elements.as_ref().zip(sides);
            let sides = sides.map(|(elements, at)| -> Vec<EntryId> {
                at.iter().map(|at| elements[*at]).collect()
            });
            self.apart(sides.as_ref().map(Vec::as_slice))
        });
        let is_theirs_first =
            rest.shared.is_empty() && self.first_in_order(lists, &place) == Some(Side::Updated);
        let mut theirs = place.updated;
        if is_theirs_first {
            for updated in theirs.by_ref() {
                children.extend(self.child_of_updated(lists, &rest, updated, apart.as_mut()));
            }
        }
        let has_lines = self.has_lines;
        for local in place.local {
            let namesake = || lists.namesakes.of_local(local);
            let same = rest.same_as_local(local).or_else(namesake);
            if let Some(same) = same.filter(|same| theirs.contains(same)) {
                for updated in theirs.start..same {
                    children.extend(self.child_of_updated(lists, &rest, updated, apart.as_mut()));
                }
                theirs.start = same + 1;
            }
            self.has_lines = has_lines;
            let child = match &mut apart {
                Some(apart) if rest.local.binary_search(&local).is_ok() => {
                    apart.local(lists.elements.local[local])
                }
                _ => self.child_of_local(lists, local, same),
            };
            children.push(child);
        }
        for updated in theirs {
            children.extend(self.child_of_updated(lists, &rest, updated, apart.as_mut()));
        }
    }

    /// A scalar that each side put another one in the place of: where it is. (A null is no word of
    /// command there.)
    fn changed_scalar(
        &self,
        lists: &Lists<'_>,
        place: &Triple<Range<usize>>,
        rest: &Rest,
    ) -> Option<Triple<usize>> {
        let is_one = |range: &Range<usize>| range.len() == 1;
        let is_scalar = |(tree, element): (&Tree<'_>, EntryId)| {
            let value = tree.entry(element).value;
            shape(tree, value) == Shape::Scalar && !tree.is_null(value)
        };
        if !rest.disagrees() || !place.as_ref().into_array().into_iter().all(is_one) {
            return None;
        }
        let at = place.as_ref().map(|range| range.start);
        let elements = lists
            .elements
            .as_ref()
            .zip(at)
            .map(|(elements, at)| elements[at]);
        let sides = self.trees.zip(elements).into_array();
        sides.into_iter().all(is_scalar).then_some(at)
    }

    /// An element of local's that is no part of a disagreement, and the one of upstream's that is
    /// equal or has its name, where both inserted it.
    pub(super) fn child_of_local(
        &mut self,
        lists: &Lists<'_>,
        at: usize,
        same: Option<usize>,
    ) -> Child {
        let elements = lists.elements;
        let local = elements.local[at];
        let before = lists.alignment.of_local[at];
        let sides = Triple::new(
            before.map(|before| elements.original[before]),
            same.map(|same| elements.updated[same]),
            Some(local),
        );
        let step = self.indexed_step(sides, at);
        let child = match (before, same) {
            (Some(before), _) if lists.values.original[before] != lists.values.local[at] => {
                let nodes = self.values_of(sides);
                let kind = ConflictKind::DeletedUpstream;
                let outcome = self.at(step, |walker| walker.conflict(kind, nodes, Outcome::Remove));
                Child::local(local, outcome)
            }
            (Some(_), _) => Child::local(local, Outcome::Remove),
            (None, Some(_)) => {
                let child = self.at(step, |walker| walker.entry(sides));
                child.unwrap_or_else(|| Child::keep(local))
            }
            (None, None) if lists.is_moved_and_deleted(at) => Child::local(local, Outcome::Remove),
            (None, None) => Child::keep(local),
        };
        child.of_sides(sides)
    }

    /// An element of upstream's that local has not got.
    fn child_of_updated(
        &mut self,
        lists: &Lists<'_>,
        rest: &Rest,
        at: usize,
        apart: Option<&mut Apart>,
    ) -> Option<Child> {
        let elements = lists.elements;
        let updated = elements.updated[at];
        if rest.updated.binary_search(&at).is_ok() {
            return match apart {
                Some(apart) if rest.disputed.binary_search(&at).is_ok() => {
                    apart.updated(self.whole(updated))
                }
                _ => (!rest.there_already).then(|| self.whole(updated)),
            };
        }
        let before = lists.alignment.of_updated[at]?;
        let sides = Triple::new(Some(elements.original[before]), Some(updated), None);
        if lists.values.original[before] == lists.values.updated[at] {
            return Some(Child::updated(updated, Outcome::Remove).of_sides(sides));
        }
        let nodes = self.values_of(sides);
        let step = self.indexed_step(sides, at);
        let value = self.trees.updated.entry(updated).value;
        let taken = Outcome::Take(Incoming::whole(value));
        let outcome = self.at(step, |walker| {
            walker.conflict_over(ConflictKind::DeletedLocally, nodes, Outcome::Remove, taken)
        });
        Some(Child::updated(updated, outcome).of_sides(sides))
    }
}

impl Rest {
    fn of(lists: &Lists<'_>, place: &Triple<Range<usize>>, hunks: &[&Hunk]) -> Self {
        let (values, found) = (lists.values, lists.alignment);
        let is_gone =
            |old: &usize| found.in_updated[*old].is_none() && found.in_local[*old].is_none();
        let came = |range: &Range<usize>, originals: &Found| -> Vec<usize> {
            range
                .clone()
                .filter(|at| originals[*at].is_none())
                .collect()
        };
        let mut rest = Self {
            gone: place.original.clone().filter(is_gone).collect(),
            updated: came(&place.updated, &found.of_updated),
            local: came(&place.local, &found.of_local),
            shared: Vec::new(),
            disputed: Vec::new(),
            there_already: false,
        };
        let of = |values: &[u64], came: &[usize]| -> Vec<u64> {
            came.iter().map(|at| values[*at]).collect()
        };
        let updated = of(&values.updated, &rest.updated);
        let local = of(&values.local, &rest.local);
        let differences = differences(&updated, &local);
        let pairs = differences.same();
        rest.shared = pairs
            .map(|(updated, local)| (rest.updated[updated], rest.local[local]))
            .collect();
        let is_shared = |at: usize| rest.shared.binary_search_by_key(&at, |pair| pair.0).is_ok();
        rest.updated
            .retain(|at| !is_shared(*at) && !lists.is_settled(*at));
        let is_shared = |at: usize| rest.shared.binary_search_by_key(&at, |pair| pair.1).is_ok();
        rest.local.retain(|at| {
            !is_shared(*at) && !lists.is_moved_and_deleted(*at) && !lists.is_there_too(*at)
        });
        for Hunk { olds, news } in hunks {
            let gone = olds
                .clone()
                .filter(|old| found.in_local[*old].is_none())
                .count();
            let [start, end] =
                [news.start, news.end].map(|end| rest.updated.partition_point(|at| *at < end));
            if gone + (end - start) > news.len() {
                rest.disputed.extend_from_slice(&rest.updated[start..end]);
            }
        }
        rest.there_already = lists.has_inserted(&of(&values.updated, &rest.updated));
        rest
    }

    /// Whether both put something else in the place of the same elements. Where upstream has
    /// nothing that local lacks, local has done what upstream did.
    fn disagrees(&self) -> bool {
        !self.disputed.is_empty() && !self.there_already
    }

    /// Upstream's element that is equal to one of local's, where both put it there.
    fn same_as_local(&self, local: usize) -> Option<usize> {
        let at = self
            .shared
            .binary_search_by_key(&local, |pair| pair.1)
            .ok()?;
        Some(self.shared[at].0)
    }
}
