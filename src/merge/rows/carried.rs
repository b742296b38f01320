//! Comments that go along with an entry, because it is at different places in the rows.

use rustc_hash::{FxHashMap, FxHashSet};

use super::subsequence::longest_increasing;
use super::{Ref, Rows, TokenKind};
use crate::triple::{Side, Triple};

/// The comments of one entry on each side.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) lines: Triple<Vec<Ref>>,
}

impl Carried {
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
    /// The entries that all three rows have in one order, and the comments right above those that
    /// are at different places: one side moved such an entry, or both sides added it, and its
    /// comments go along.
    pub(super) fn carried(
        &self,
        stays: impl Fn(u32) -> bool,
    ) -> (FxHashSet<u32>, FxHashMap<u32, Carried>) {
        let shared: Vec<(u32, usize, usize)> = self
            .tokens
            .original
            .iter()
            .filter_map(|token| match token.kind {
                TokenKind::Entry(entry) => Some((
                    entry,
                    self.place(Side::Updated, entry)?,
                    self.place(Side::Local, entry)?,
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
        let straight: FxHashSet<u32> = updated.intersection(&local).copied().collect();
        let moved = shared.iter().map(|(entry, ..)| *entry);
        let moved = moved.filter(|entry| !straight.contains(entry));
        let added = self.added_at_two_places(&straight).into_iter();
        let all = moved.chain(added.filter(|entry| stays(*entry)));
        let carried = all.map(|entry| (entry, self.own_of(entry))).collect();
        (straight, carried)
    }

    /// The entries that both sides added, each at another place among those in order.
    fn added_at_two_places(&self, in_order: &FxHashSet<u32>) -> Vec<u32> {
        let added = |side: Side, other: Side| {
            let mut stretch = 0;
            let entries = self.row(side).iter().filter_map(|token| match token.kind {
                TokenKind::Entry(entry) => Some(entry),
                TokenKind::Comment(_) | TokenKind::End => None,
            });
            let entries = entries.filter_map(|entry| {
                stretch += u32::from(in_order.contains(&entry));
                let is_added = !self.places.original.has(entry) && self.places[other].has(entry);
                is_added.then_some((entry, stretch))
            });
            entries.collect::<Vec<_>>()
        };
        let updated = added(Side::Updated, Side::Local);
        if updated.is_empty() {
            return Vec::new();
        }
        let local: FxHashMap<u32, u32> = added(Side::Local, Side::Updated).into_iter().collect();
        let (together, mut apart): (Vec<_>, Vec<_>) = updated
            .into_iter()
            .partition(|(entry, stretch)| local.get(entry) == Some(stretch));
        let places = together
            .iter()
            .filter_map(|(entry, _)| self.place(Side::Local, *entry));
        let row = longest_increasing(&places.collect::<Vec<_>>());
        let row: FxHashSet<usize> = row.into_iter().collect();
        let crossed = together
            .iter()
            .enumerate()
            .filter(|(at, _)| !row.contains(at));
        apart.extend(crossed.map(|(_, added)| *added));
        apart.into_iter().map(|(entry, _)| entry).collect()
    }

    fn own_of(&self, entry: u32) -> Carried {
        let own = |side: Side| -> Vec<Ref> {
            let Some(at) = self.place(side, entry) else {
                return Vec::new();
            };
            let own = self.own_above(side, at)..at;
            own.map(|at| Ref::new(side, at)).collect()
        };
        let sides = [Side::Original, Side::Updated, Side::Local];
        let lines = sides.map(own);
        // what one side has here, and another elsewhere, is no part of this entry
        let is_elsewhere = |piece: &Ref| {
            let words = self.token(*piece).words();
            let counts = sides.iter().zip(&lines).map(|(side, own)| {
                let here = own.iter().filter(|it| self.token(**it).words() == words);
                let here = here.count();
                (
                    here,
                    words.map_or(0, |words| self.count(*side, words)) - here,
                )
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
        Carried {
            lines: Triple::new(original, updated, local),
        }
    }
}
