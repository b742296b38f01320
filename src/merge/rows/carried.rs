//! Comments that move with their entry, because the entry is at different places in the rows.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::between::SegmentMerger;
use super::subsequence::longest_increasing;
use super::{Id, Placed, Ref, Rows, side_of_blanks};
use crate::triple::{Side, Triple};

impl Rows<'_> {
    /// Returns the entries that all three rows have in the same order, and the entries at different
    /// places: one side moved the entry, or both sides added it. The comments directly above and
    /// below the latter and the blank lines above these move with them.
    pub(super) fn carried(&self, stays: impl Fn(u32) -> bool) -> (FxHashSet<u32>, FxHashSet<u32>) {
        let entries = self.entries(Side::Original).map(|(entry, _)| entry);
        let shared =
            entries.filter(|it| self.has(Side::Updated, *it) && self.has(Side::Local, *it));
        let shared: Vec<u32> = shared.collect();
        let mut in_order = self.in_order(&shared, Side::Updated);
        let in_local = self.in_order(&shared, Side::Local);
        in_order.retain(|entry| in_local.contains(entry));
        let moved = shared.into_iter().filter(|entry| !in_order.contains(entry));
        let added = self.added_at_two_places(&in_order);
        let all = moved.chain(added.filter(|entry| stays(*entry)));
        let carried = all.collect();
        (in_order, carried)
    }

    /// Returns those of some entries that a side has in the same order, as many as possible.
    pub(super) fn in_order(&self, entries: &[u32], side: Side) -> FxHashSet<u32> {
        let places = entries.iter().filter_map(|entry| self.find(side, *entry));
        let places: Vec<u32> = places.map(|piece| piece.at() as u32).collect();
        let in_order = longest_increasing(&places).into_iter();
        let in_order = in_order.map(|at| Ref::new(side, places[at as usize] as usize));
        in_order.filter_map(|piece| self.entry(piece)).collect()
    }

    /// Returns the entries that both sides added, but at different places among the entries
    /// `in_order`, or locally above an entry that a side moved.
    fn added_at_two_places(&self, in_order: &FxHashSet<u32>) -> impl Iterator<Item = u32> {
        // each added entry with the number of entries `in_order` above it
        let added = |side: Side, other: Side| -> Vec<(u32, usize)> {
            let mut count = 0;
            let entries = self.entries(side).map(|(entry, _)| {
                count += usize::from(in_order.contains(&entry));
                (entry, count)
            });
            let is_added = |entry| !self.has(Side::Original, entry) && self.has(other, entry);
            entries.filter(|(entry, _)| is_added(*entry)).collect()
        };
        let updated = added(Side::Updated, Side::Local);
        let above_moved = self.above_moved(in_order);
        let local = added(Side::Local, Side::Updated).into_iter();
        let local = local.filter(|(entry, _)| !above_moved.contains(entry));
        let local: FxHashSet<(u32, usize)> = local.collect();
        let at_one_place = updated.iter().filter(|added| local.contains(added));
        let at_one_place: Vec<u32> = at_one_place.map(|(entry, _)| *entry).collect();
        let at_one_place = self.in_order(&at_one_place, Side::Local);
        let entries = updated.into_iter().map(|(entry, _)| entry);
        entries.filter(move |entry| !at_one_place.contains(entry))
    }

    /// Returns the entries of local that are above a moved entry, with none of `in_order` between.
    fn above_moved(&self, in_order: &FxHashSet<u32>) -> FxHashSet<u32> {
        let is_moved = |entry| self.has(Side::Original, entry) && self.has(Side::Updated, entry);
        let mut above_moved = FxHashSet::default();
        let mut is_above = false;
        let entries: Vec<u32> = self.entries(Side::Local).map(|(entry, _)| entry).collect();
        for entry in entries.into_iter().rev() {
            if in_order.contains(&entry) {
                is_above = false;
            } else if is_moved(entry) {
                is_above = true;
            } else if is_above {
                above_moved.insert(entry);
            }
        }
        above_moved
    }

    /// Returns the comments directly above an entry on each side that move with it, and those
    /// directly below it.
    pub(super) fn carried_comments(&self, entry: u32) -> [Triple<Vec<Ref>>; 2] {
        let on_each = |comments: &dyn Fn(Ref) -> Range<usize>| {
            let lines = Side::ALL.map(|side| -> Vec<Ref> {
                let places = self.find(side, entry).map(comments).unwrap_or_default();
                places.map(|at| Ref::new(side, at)).collect()
            });
            self.without_staying(&lines)
        };
        let above = |piece: Ref| self.first_comment_above(piece).at()..piece.at();
        [
            on_each(&above),
            on_each(&|piece| self.comments_below(piece)),
        ]
    }

    /// Returns the places of the comments directly below an entry that are above no other one:
    /// below them is a blank line or the end of the row.
    fn comments_below(&self, piece: Ref) -> Range<usize> {
        let mut end = piece.below();
        while self.is_comment(end) && self.blanks(end) == 0 {
            end = end.below();
        }
        let start = piece.below().at();
        match self.blanks(end) > 0 || self.id(end) == Id::End {
            true => start..end.at(),
            false => start..start,
        }
    }

    /// Removes the comments that do not move with their entry from those that it has at one place
    /// on each side.
    fn without_staying(&self, lines: &Triple<Vec<Ref>>) -> Triple<Vec<Ref>> {
        // a comment that one side has here and another side elsewhere does not belong to the entry
        let is_elsewhere = |piece: Ref| {
            let counts = Side::ALL.zip(lines.as_ref()).map(|(side, own)| {
                let is_same = |it: &&Ref| self.text_id(**it) == self.text_id(piece);
                let here = own.iter().filter(is_same).count();
                (here, self.count(side, piece) - here)
            });
            let counts = counts.into_array();
            let is_moved = |(here, elsewhere): &(usize, usize)| {
                counts
                    .iter()
                    .any(|other| other.0 < *here && other.1 > *elsewhere)
            };
            counts.iter().any(is_moved)
        };
        // the moved entry left its comments behind: a side's new words for them do not move either
        let original = &lines.original;
        let are_left = !original.is_empty() && original.iter().all(|it| is_elsewhere(*it));
        let is_rewritten = |piece: Ref| {
            are_left
                && self.count(Side::Original, piece) == 0
                && original.iter().any(|it| self.count(piece.side(), *it) == 0)
        };
        let stays = |piece: &Ref| !is_elsewhere(*piece) && !is_rewritten(*piece);
        let staying = |own: &Vec<Ref>| own.iter().copied().filter(stays).collect();
        lines.as_ref().map(staying)
    }
}

impl SegmentMerger<'_, '_> {
    /// Puts the comments that move with the entries in `carried` above and below these.
    pub(super) fn with_carried(
        &self,
        pieces: Vec<Placed>,
        carried: &FxHashSet<u32>,
    ) -> Vec<Placed> {
        if carried.is_empty() {
            return pieces;
        }
        let pieces = pieces.into_iter().flat_map(|placed| {
            let entry = self.rows.entry(placed.piece);
            match entry.filter(|entry| carried.contains(entry)) {
                Some(entry) => self.with_comments(placed, entry),
                None => vec![placed],
            }
        });
        pieces.collect()
    }

    /// Returns an entry between the comments that move with it. The blank lines above its comments
    /// move too: those of the side whose entry it is, or if upstream moved an entry of all three
    /// rows, what the blank lines merge to.
    fn with_comments(&self, placed: Placed, entry: u32) -> Vec<Placed> {
        let [lines, below] = self.rows.carried_comments(entry);
        let firsts = Side::ALL.map(|side| {
            let first = lines[side].first().copied();
            first.or_else(|| self.rows.find(side, entry))
        });
        let side = match (placed.piece.side(), firsts.transpose()) {
            (Side::Updated, Some(firsts)) => {
                side_of_blanks(&firsts.map(|first| self.rows.blanks_above(first)))
            }
            (side, _) => side,
        };
        let mut pieces = self.merge_carried(&lines);
        pieces.push(Placed {
            blanks: None,
            ..placed
        });
        pieces.extend(self.merge_carried(&below));
        // a comment that upstream adds keeps its own, if it has more
        let own = pieces[0].blanks.map_or(0, |own| self.rows.blanks(own));
        if let Some(first) = firsts[side].filter(|first| self.rows.blanks(*first) >= own) {
            pieces[0].blanks = Some(first);
        }
        pieces
    }
}
