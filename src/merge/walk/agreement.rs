//! Merges a stretch of a list without a key in a merge of equal sides, if the sides agree.

use std::ops::Range;

use super::sequences::ElementMerger;
use crate::differences::positions_in;
use crate::merge::decision::Child;
use crate::triple::{Side, Triple};

impl ElementMerger<'_, '_> {
    /// Merges a stretch in which the sides do not contradict each other: both only deleted
    /// elements; both only inserted elements or replaced all, and one side inserted all that the
    /// other did; or both only inserted elements of which it is known which come first. Otherwise
    /// returns false and does nothing.
    pub(super) fn agreement(
        &mut self,
        values: Triple<&[u64]>,
        stretch: &Triple<Range<usize>>,
    ) -> bool {
        let are_replaced = || {
            let sides = [values.updated, values.local];
            let has_original = |side: &[u64]| side.iter().any(|it| values.original.contains(it));
            let lists = self.lists;
            let mut originals = stretch.original.clone();
            sides
                .iter()
                .all(|side| !side.is_empty() && !has_original(side))
                && originals.all(|at| {
                    lists
                        .in_updated
                        .get(at)
                        .or(lists.in_local.get(at))
                        .is_none()
                })
        };
        if values.original.is_empty() || are_replaced() {
            return self.both_insertions(values, stretch);
        }
        self.both_deletions(values, stretch)
    }

    fn both_deletions(&mut self, values: Triple<&[u64]>, stretch: &Triple<Range<usize>>) -> bool {
        let [in_updated, in_local] =
            [values.updated, values.local].map(|it| positions_in(it, values.original));
        let Some((in_updated, in_local)) = in_updated.zip(in_local) else {
            return false;
        };
        let starts = stretch.as_ref().map(|range| range.start);
        let kept = [
            (Side::Updated, &in_updated, &in_local),
            (Side::Local, &in_local, &in_updated),
        ];
        for (side, kept, by_other) in kept {
            let deleted = kept
                .iter()
                .enumerate()
                .filter(|it| by_other.binary_search(it.1).is_err());
            let pairs = deleted.map(|(nth, at)| (starts.original + at, starts[side] + nth));
            if self.has_new_comments(side, pairs) {
                return false;
            }
        }
        let elements = &self.lists.elements;
        for (nth, position) in in_local.iter().enumerate() {
            let (original, local) = (starts.original + position, starts.local + nth);
            // `in_updated` is sorted
            match in_updated.binary_search(position) {
                Ok(nth) => {
                    self.merge_element(Triple::new(original, starts.updated + nth, local));
                }
                Err(_) => {
                    let (original, local) = (elements.original[original], elements.local[local]);
                    self.children.push(Child::deleted_upstream(original, local));
                }
            }
        }
        let of_updated = in_updated.iter().enumerate();
        let deleted = of_updated.filter(|(_, position)| in_local.binary_search(position).is_err());
        self.children.extend(deleted.map(|(nth, position)| {
            let updated = elements.updated[starts.updated + nth];
            let original = elements.original[starts.original + position];
            Child::deleted_locally(original, updated)
        }));
        true
    }

    fn both_insertions(&mut self, values: Triple<&[u64]>, stretch: &Triple<Range<usize>>) -> bool {
        let (updateds, locals) = (stretch.updated.clone(), stretch.local.clone());
        let pairs: Vec<(Option<usize>, Option<usize>)> =
            if let Some(positions) = positions_in(values.local, values.updated) {
                let pairs = paired(updateds, positions, locals);
                pairs
                    .map(|(updated, local)| (Some(updated), local))
                    .collect()
            } else if let Some(positions) = positions_in(values.updated, values.local) {
                let pairs = paired(locals, positions, updateds);
                pairs
                    .map(|(local, updated)| (updated, Some(local)))
                    .collect()
            } else {
                let are_apart = !values.local.iter().any(|it| values.updated.contains(it));
                let is_insertion = values.original.is_empty();
                let first = is_insertion.then(|| self.walker.first_in_order(self.lists, stretch));
                let first = first.flatten();
                let updateds = updateds.map(|updated| (Some(updated), None));
                let locals = locals.map(|local| (None, Some(local)));
                match first.filter(|_| are_apart) {
                    Some(Side::Updated) => updateds.chain(locals).collect(),
                    Some(_) => locals.chain(updateds).collect(),
                    None => return false,
                }
            };
        for (updated, local) in pairs {
            let child = match (updated, local) {
                (Some(_), Some(local)) => self.child_of_local(local, updated),
                (None, Some(local)) => Child::keep(self.lists.elements.local[local]),
                (Some(updated), None) => self.taken(updated),
                (None, None) => continue,
            };
            self.children.push(child);
        }
        true
    }
}

/// Pairs all elements of one side with those of the other side, which has a part of them: each at
/// its position in `positions`.
fn paired(
    all: Range<usize>,
    positions: Vec<usize>,
    part: Range<usize>,
) -> impl Iterator<Item = (usize, Option<usize>)> {
    let mut shared = positions.into_iter().zip(part).peekable();
    all.enumerate().map(move |(position, element)| {
        let partner = shared.next_if(|(at, _)| *at == position);
        (element, partner.map(|(_, partner)| partner))
    })
}
