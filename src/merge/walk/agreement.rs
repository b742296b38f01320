//! Merges a stretch of a list without a key in a merge of equal sides, if the sides agree.

use std::ops::Range;

use super::sequences::ElementMerger;
use crate::differences::positions_in;
use crate::merge::decision::{Child, Outcome};
use crate::triple::{Side, Triple};

impl ElementMerger<'_, '_> {
    /// Returns the result of a stretch in which the sides do not contradict each other: both only
    /// deleted elements; both only inserted elements, and one side inserted all that the other did;
    /// or both inserted elements of which it is known which come first.
    pub(super) fn agreement(
        &self,
        values: Triple<&[u64]>,
        stretch: &Triple<Range<usize>>,
    ) -> Option<Vec<Child>> {
        match values.original.is_empty() {
            true => self.both_insertions(values, stretch),
            false => self.both_deletions(values, stretch),
        }
    }

    fn both_deletions(
        &self,
        values: Triple<&[u64]>,
        stretch: &Triple<Range<usize>>,
    ) -> Option<Vec<Child>> {
        let in_updated = positions_in(values.updated, values.original)?;
        let in_local = positions_in(values.local, values.original)?;
        let locals = self.lists.elements_in(stretch).local.iter().zip(in_local);
        let children = locals.map(|(local, position)| {
            // `in_updated` is sorted.
            let stays = in_updated.binary_search(&position).is_ok();
            let outcome = if stays {
                Outcome::Keep
            } else {
                Outcome::Remove
            };
            Child::local(*local, outcome)
        });
        Some(children.collect())
    }

    fn both_insertions(
        &self,
        values: Triple<&[u64]>,
        stretch: &Triple<Range<usize>>,
    ) -> Option<Vec<Child>> {
        let elements = self.lists.elements_in(stretch);
        let mut locals = elements.local.iter().map(|local| Child::keep(*local));
        if let Some(positions) = positions_in(values.local, values.updated) {
            let mut positions = positions.into_iter().peekable();
            let children = stretch
                .updated
                .clone()
                .enumerate()
                .map(|(position, updated)| {
                    let is_shared = positions.next_if_eq(&position).is_some();
                    let local = is_shared.then(|| locals.next()).flatten();
                    local.unwrap_or_else(|| self.taken(updated))
                });
            return Some(children.collect());
        }
        if positions_in(values.updated, values.local).is_some() {
            return Some(locals.collect());
        }
        let first = self.walker.first_in_order(self.lists, stretch)?;
        if values.local.iter().any(|it| values.updated.contains(it)) {
            return None;
        }
        let updateds = stretch.updated.clone().map(|updated| self.taken(updated));
        Some(match first {
            Side::Updated => updateds.chain(locals).collect(),
            _ => locals.chain(updateds).collect(),
        })
    }
}
