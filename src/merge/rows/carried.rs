//! Comments that move with their entry, because the entry is at different places in the rows.

use rustc_hash::{FxHashMap, FxHashSet};

use super::subsequence::longest_increasing;
use super::{Ref, Rows, TokenKind};
use crate::triple::{Side, Triple};

/// The comments of one entry on each side that move with it.
#[derive(Debug, Default)]
pub(super) struct CarriedComments {
    pub(super) lines: Triple<Vec<Ref>>,
}

impl CarriedComments {
    pub(super) fn all(&self) -> impl Iterator<Item = Ref> {
        let Triple {
            original,
            updated,
            local,
        } = &self.lines;
        original.iter().chain(updated).chain(local).copied()
    }
}

impl Rows<'_> {
    /// Returns the entries that all three rows have in the same order, and the comments directly
    /// above each entry at different places: one side moved it, or both sides added it. These
    /// comments move with it.
    pub(super) fn carried(
        &self,
        stays: impl Fn(u32) -> bool,
    ) -> (FxHashSet<u32>, FxHashMap<u32, CarriedComments>) {
        let shared: Vec<(u32, usize, usize)> = self
            .tokens
            .original
            .iter()
            .filter_map(|token| match token.kind {
                TokenKind::Entry(entry) => Some((
                    entry,
                    self.position(Side::Updated, entry)?,
                    self.position(Side::Local, entry)?,
                )),
                TokenKind::Comment(_) | TokenKind::End => None,
            })
            .collect();
        let in_order = |numbers: Vec<usize>| -> FxHashSet<u32> {
            let row = longest_increasing(&numbers).into_iter();
            row.map(|at| shared[at].0).collect()
        };
        let updated = in_order(shared.iter().map(|(_, updated, _)| *updated).collect());
        let local = in_order(shared.iter().map(|(_, _, local)| *local).collect());
        let in_order_on_both: FxHashSet<u32> = updated.intersection(&local).copied().collect();
        let moved = shared.iter().map(|(entry, ..)| *entry);
        let moved = moved.filter(|entry| !in_order_on_both.contains(entry));
        let added = self.added_at_two_places(&in_order_on_both).into_iter();
        let all = moved.chain(added.filter(|entry| stays(*entry)));
        let carried = all
            .map(|entry| (entry, self.carried_comments(entry)))
            .collect();
        (in_order_on_both, carried)
    }

    /// Returns the entries that both sides added, but at different places among the entries
    /// `in_order`.
    fn added_at_two_places(&self, in_order: &FxHashSet<u32>) -> Vec<u32> {
        let added = |side: Side, other: Side| {
            let mut segment = 0;
            let entries = self.row(side).iter().filter_map(|token| match token.kind {
                TokenKind::Entry(entry) => Some(entry),
                TokenKind::Comment(_) | TokenKind::End => None,
            });
            let entries = entries.filter_map(|entry| {
                segment += u32::from(in_order.contains(&entry));
                let is_added = !self.entry_positions.original.has(entry)
                    && self.entry_positions[other].has(entry);
                is_added.then_some((entry, segment))
            });
            entries.collect::<Vec<_>>()
        };
        let updated = added(Side::Updated, Side::Local);
        if updated.is_empty() {
            return Vec::new();
        }
        let local: FxHashMap<u32, u32> = added(Side::Local, Side::Updated).into_iter().collect();
        let (at_one_place, mut at_two_places): (Vec<_>, Vec<_>) = updated
            .into_iter()
            .partition(|(entry, segment)| local.get(entry) == Some(segment));
        let positions = at_one_place
            .iter()
            .filter_map(|(entry, _)| self.position(Side::Local, *entry));
        let row = longest_increasing(&positions.collect::<Vec<_>>());
        let row: FxHashSet<usize> = row.into_iter().collect();
        let crossed = at_one_place
            .iter()
            .enumerate()
            .filter(|(at, _)| !row.contains(at));
        at_two_places.extend(crossed.map(|(_, added)| *added));
        at_two_places.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Returns the comments directly above an entry on each side that move with it.
    fn carried_comments(&self, entry: u32) -> CarriedComments {
        let own = |side: Side| -> Vec<Ref> {
            let Some(at) = self.position(side, entry) else {
                return Vec::new();
            };
            let own = self.comments_start(side, at)..at;
            own.map(|at| Ref::new(side, at)).collect()
        };
        let sides = [Side::Original, Side::Updated, Side::Local];
        let lines = sides.map(own);
        // a comment that one side has here and another side elsewhere does not belong to the entry
        let is_elsewhere = |piece: &Ref| {
            let text = self.token(*piece).comment_text();
            let counts = sides.iter().zip(&lines).map(|(side, own)| {
                let here = own
                    .iter()
                    .filter(|it| self.token(**it).comment_text() == text);
                let here = here.count();
                (here, text.map_or(0, |text| self.count(*side, text)) - here)
            });
            let is_moved = |(here, elsewhere)| {
                let mut others = counts.clone();
                others.any(|other: (usize, usize)| other.0 < here && other.1 > elsewhere)
            };
            counts.clone().any(is_moved)
        };
        let [original, updated, local] = lines.clone().map(|mut own| {
            own.retain(|piece| !is_elsewhere(piece));
            own
        });
        CarriedComments {
            lines: Triple::new(original, updated, local),
        }
    }
}
