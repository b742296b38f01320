//! Aligns the rows of a segment: the original's with updated's, and local's with both.

use super::super::subsequence::{heaviest, heaviest_between};
use super::super::{Id, NumberMap, Ref, Side, StoredId};
use super::SegmentMerger;

// The weights for the alignment with local: an entry of the result weighs more than all other
// pieces, which may all be removed. Of equal lines, one above the same entry is preferred, then one
// that the original has, then one that updated has.
const WEIGHT_ENTRY: u32 = 1 << 16;
const WEIGHT_REMOVED_ENTRY: u32 = 32;
const WEIGHT_COMMENT: u32 = 16;
/// A comment without letters and digits, such as the frame of a banner.
const WEIGHT_FRAME: u32 = 8;
/// A comment that is directly above the same entry in both rows.
const WEIGHT_SAME_OWNER: u32 = 4;
const WEIGHT_IN_ORIGINAL: u32 = 2;
const WEIGHT_IN_UPDATED: u32 = 1;
/// The largest number of lines in which to look for runs that both sides inserted.
const MAX_LINES_FOR_RUNS: usize = 512;

/// A line of the list of the original's pieces and updated's insertions.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) original: Option<Ref>,
    pub(super) updated: Option<Ref>,
}

impl Line {
    const fn new(original: Option<Ref>, updated: Option<Ref>) -> Self {
        Self { original, updated }
    }
}

impl SegmentMerger<'_, '_> {
    /// Returns one list of the original's pieces and those that updated inserted.
    pub(super) fn with_insertions(&self, original: &[Ref], updated: &[Ref]) -> Vec<Line> {
        let pairs = heaviest_between(
            &self.ids(original),
            &self.ids(updated),
            |at| self.weight(original[at]),
            |i, j| self.owner(original[i]) == self.owner(updated[j]),
        );
        let ends = [[original.len(), updated.len()]];
        let mut lines = Vec::with_capacity(original.len() + updated.len());
        let (mut i, mut j) = (0, 0);
        let pairs = pairs.into_iter().map(|pair| pair.map(|at| at as usize));
        for [n, m] in pairs.chain(ends) {
            let (removed, new) = (&original[i..n], &updated[j..m]);
            // a comment stays above what was below it, below entries that updated inserted
            let comments = self.count_comments_at_end(new);
            let moved = match new.iter().any(|piece| self.rows.is_comment(*piece)) {
                true if comments == 0 => 0,
                true => self.count_comments_at_end(removed),
                false => self.count_above_entry(removed),
            };
            let (removed, moved) = removed.split_at(removed.len() - moved);
            let (new, below) = new.split_at(new.len() - comments);
            let of_original = |piece: &Ref| Line::new(Some(*piece), None);
            let of_updated = |piece: &Ref| Line::new(None, Some(*piece));
            lines.extend(removed.iter().map(of_original));
            lines.extend(new.iter().map(of_updated));
            if moved.len() == below.len() {
                // each line of a comment was rewritten
                let pairs = moved.iter().zip(below);
                lines.extend(pairs.flat_map(|(old, new)| [of_original(old), of_updated(new)]));
            } else {
                lines.extend(moved.iter().map(of_original));
                lines.extend(below.iter().map(of_updated));
            }
            let both = n < original.len();
            lines.extend(both.then(|| Line::new(Some(original[n]), Some(updated[m]))));
            (i, j) = (n + 1, m + 1);
        }
        lines
    }

    /// Returns how many of the last pieces are comments directly above one entry.
    fn count_above_entry(&self, row: &[Ref]) -> usize {
        let owner = row.last().and_then(|last| self.owner(*last));
        let is_above = |piece: &&Ref| owner.is_some() && self.owner(**piece) == owner;
        row.iter().rev().take_while(is_above).count()
    }

    /// Returns how many of the last pieces are comments.
    fn count_comments_at_end(&self, row: &[Ref]) -> usize {
        let is_comment = |piece: &&Ref| self.rows.is_comment(**piece);
        row.iter().rev().take_while(is_comment).count()
    }

    /// Returns for each line its position in local. A run of lines that updated inserted and that
    /// local has one below the other pairs first; the lines around it pair by weight.
    pub(super) fn positions_in_local(&self, lines: &[Line], local: &[Ref]) -> NumberMap {
        let mut found = NumberMap::over(0..lines.len() as u32);
        self.find_in_local((lines, local), (0, 0), &mut found);
        found
    }

    /// [`Self::positions_in_local`] for parts of `lines` and `local` with these starts.
    fn find_in_local(
        &self,
        (lines, local): (&[Line], &[Ref]),
        (line_start, start): (usize, usize),
        found: &mut NumberMap,
    ) {
        if !local.iter().any(|piece| self.may_pair(*piece)) {
            return;
        }
        let mut found_at =
            |line: usize, at: usize| found.insert((line_start + line) as u32, (start + at) as u32);
        let mut ids = Vec::with_capacity(lines.len());
        let pieces = lines.iter().filter_map(|it| it.original.or(it.updated));
        ids.extend(pieces.map(|piece| self.rows.stored_id(piece)));
        let local_ids = self.ids(local);
        if let Some((line, local_start, count)) = self.inserted_in_both(lines, &ids, &local_ids) {
            for at in 0..count {
                found_at(line + at, local_start + at);
            }
            self.find_in_local(
                (&lines[..line], &local[..local_start]),
                (line_start, start),
                found,
            );
            let (line, local_start) = (line + count, local_start + count);
            let starts = (line_start + line, start + local_start);
            return self.find_in_local((&lines[line..], &local[local_start..]), starts, found);
        }
        let weight = |line: usize, at: usize| {
            let line: &Line = &lines[line];
            let of_original = u32::from(line.original.is_some()) * WEIGHT_IN_ORIGINAL;
            let of_updated = u32::from(line.updated.is_some()) * WEIGHT_IN_UPDATED;
            let Some(piece) = line.original.or(line.updated) else {
                return 0;
            };
            let is_above_same = self.owner(piece) == self.owner(local[at]);
            let above_same = u32::from(is_above_same) * WEIGHT_SAME_OWNER;
            self.weight(piece) + above_same + of_original + of_updated
        };
        for [line, at] in heaviest(&ids, &local_ids, weight) {
            found_at(line as usize, at as usize);
        }
    }

    /// Whether original or updated may have a piece of local's, or a comment with its text.
    fn may_pair(&self, piece: Ref) -> bool {
        let (rows, entry) = (self.rows, self.rows.entry(piece));
        let has = |side| entry.is_some_and(|entry| rows.has(side, entry));
        let may_have = |side| has(side) || rows.count(side, piece) > 0;
        may_have(Side::Original) || may_have(Side::Updated)
    }

    /// Returns the first run of comments that updated inserted and local has too, if the original
    /// lacks one of them: its start in `lines` and in local, and its length.
    fn inserted_in_both(
        &self,
        lines: &[Line],
        ids: &[StoredId],
        local: &[StoredId],
    ) -> Option<(usize, usize, usize)> {
        let is_inserted = |at: usize| {
            let line: &Line = &lines[at];
            line.original.is_none() && line.updated.is_some_and(|it| self.rows.is_comment(it))
        };
        if lines.len() > MAX_LINES_FOR_RUNS {
            return None;
        }
        let mut start = 0;
        while start < lines.len() {
            let count = (start..lines.len())
                .take_while(|at| is_inserted(*at))
                .count();
            let run = &ids[start..start + count];
            let is_new = |id: &StoredId| !self.rows.ids.original.contains(id);
            if run.len() > 1
                && run.iter().any(is_new)
                && let Some(local_start) = local.windows(count).position(|window| window == run)
            {
                return Some((start, local_start, count));
            }
            start += count.max(1);
        }
        None
    }

    fn ids(&self, row: &[Ref]) -> Vec<StoredId> {
        row.iter()
            .map(|piece| self.rows.stored_id(*piece))
            .collect()
    }

    fn weight(&self, piece: Ref) -> u32 {
        match self.rows.id(piece) {
            Id::Comment { .. } if self.rows.has_words(piece) => WEIGHT_COMMENT,
            Id::Comment { .. } => WEIGHT_FRAME,
            Id::Entry(entry) if !(self.stays)(entry) => WEIGHT_REMOVED_ENTRY,
            Id::Entry(_) | Id::End => WEIGHT_ENTRY,
        }
    }
}
