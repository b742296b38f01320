//! Merges segments of the three rows between entries that stay in their order.
//!
//! A segment that only one side changed is taken from that side. One that both changed is merged
//! line by line: `changes` orders the changes between two lines that stay, `both` merges blank
//! lines, `removed` finds the comments that updated removed, and `repeated` drops new comments of
//! updated's that local has already.

mod both;
mod changed;
mod removed;
mod repeated;

use rustc_hash::FxHashSet;

use changed::{Changes, Removed};
use repeated::{LocalComments, Place};

use super::piece::own;
use super::subsequence::{heaviest, heaviest_between};
use super::{CommentConflict, Id, NumberMap, Placed, Ref, Rows, Side, StoredId};
use crate::merge::Resolution;
use crate::triple::Triple;

// The weights for the alignment with local: an entry of the result weighs more than all other
// pieces, which may all be removed. Of equal lines, one that the original has is preferred, then
// one that updated has.
const WEIGHT_ENTRY: u32 = 1 << 16;
const WEIGHT_REMOVED_ENTRY: u32 = 32;
const WEIGHT_COMMENT: u32 = 16;
/// A comment without letters and digits, such as the frame of a banner.
const WEIGHT_FRAME: u32 = 8;
const WEIGHT_IN_ORIGINAL: u32 = 2;
const WEIGHT_IN_UPDATED: u32 = 1;
/// The largest number of lines in which to look for runs that both sides inserted.
const MAX_LINES_FOR_RUNS: usize = 512;

/// Merges segments of three rows.
pub(super) struct SegmentMerger<'r, 'a> {
    pub(super) rows: &'r Rows<'a>,
    /// Whether the result has an entry.
    stays: &'r dyn Fn(u32) -> bool,
    resolution: Resolution,
    comment_conflicts: std::cell::RefCell<Vec<CommentConflict>>,
    /// The entry that each piece is directly above.
    owners: Triple<std::cell::OnceCell<NumberMap>>,
    /// The position of the first of the comments between each piece and the entry above it.
    gap_starts: Triple<std::cell::OnceCell<Vec<u32>>>,
    /// The comments in local's row and below it, to find those of updated's that local has already.
    local_comments: std::cell::OnceCell<LocalComments>,
}

/// A segment of each of the three rows.
type Segment<'s> = Triple<&'s [Ref]>;

/// A line of the list of the original's pieces and updated's insertions.
#[derive(Clone, Copy)]
struct Line {
    original: Option<Ref>,
    updated: Option<Ref>,
}

impl<'r, 'a> SegmentMerger<'r, 'a> {
    pub(super) fn new(
        rows: &'r Rows<'a>,
        stays: &'r dyn Fn(u32) -> bool,
        resolution: Resolution,
    ) -> Self {
        Self {
            rows,
            stays,
            resolution,
            comment_conflicts: std::cell::RefCell::default(),
            owners: Triple::default(),
            gap_starts: Triple::default(),
            local_comments: std::cell::OnceCell::new(),
        }
    }

    /// Returns the comments that both sides changed in different ways.
    pub(super) fn comment_conflicts(self) -> Vec<CommentConflict> {
        self.comment_conflicts.into_inner()
    }

    /// Merges the three rows, cut at the entries `cuts` and at the end.
    pub(super) fn merge_rows(&self, rows: Triple<Vec<Ref>>, cuts: &FxHashSet<u32>) -> Vec<Placed> {
        let is_cut = |piece: &Ref| match self.rows.id(*piece) {
            Id::Entry(entry) => cuts.contains(&entry),
            Id::End => true,
            Id::Comment { .. } => false,
        };
        let places = rows.as_ref().map(|row| {
            let all = (0..).zip(row);
            let cuts = all.filter(|(_, piece)| is_cut(piece)).map(|(at, _)| at);
            cuts.collect::<Vec<u32>>()
        });
        let mut merged = Vec::with_capacity(rows.local.len());
        let mut start = Triple::new(0, 0, 0);
        for cut in 0..places.local.len() {
            let at = places.as_ref().map(|places| places[cut] as usize);
            let segment = Triple::new(
                &rows.original[start.original..at.original],
                &rows.updated[start.updated..at.updated],
                &rows.local[start.local..at.local],
            );
            let end = Triple::new(
                rows.original[at.original],
                rows.updated[at.updated],
                rows.local[at.local],
            );
            self.merge_segment(segment, Some(end.local), &mut merged);
            self.push_merged(Some(end.original), end.updated, end.local, &mut merged);
            start = at.map(|at| at + 1);
        }
        merged
    }

    /// Merges the comments of one entry, which is at different places in the rows.
    pub(super) fn merge_carried(&self, lines: &Triple<Vec<Ref>>) -> Vec<Placed> {
        let mut merged = Vec::new();
        self.merge_segment(lines.as_ref().map(Vec::as_slice), None, &mut merged);
        merged
    }

    /// Merges one segment. `below` is the piece that follows it in local.
    fn merge_segment(&self, here: Segment<'_>, below: Option<Ref>, merged: &mut Vec<Placed>) {
        if here.local.is_empty() && here.updated.is_empty() {
            return;
        }
        if self.same_ids(here.original, here.updated) && self.same_ids(here.original, here.local) {
            let pieces = here.original.iter().zip(here.updated).zip(here.local);
            merged.extend(pieces.map(|((o, u), d)| self.merged_piece(Some(*o), *u, *d)));
        } else if self.is_same(here.updated, here.local)
            || self.is_same(here.updated, here.original) && !self.restores_below_a_comment(here)
        {
            let removed = self.removed_comments(here.local);
            let stay = here.local.iter().filter(|it| !removed.contains(it));
            merged.extend(stay.map(|piece| own(*piece)));
        } else if self.is_same(here.local, here.original) {
            let mut theirs = here.updated.to_vec();
            let place = Place {
                ours: &[],
                above: 0,
                below,
            };
            self.drop_deleted(&mut theirs);
            self.drop_repeated(&mut theirs, place, &FxHashSet::default());
            merged.extend(theirs.into_iter().map(own));
        } else {
            self.merge_by_line(here, below, merged);
        }
    }

    /// Whether a piece of updated's is an entry that local deleted and that the result has.
    fn is_restored(&self, piece: Ref) -> bool {
        let entry = self.rows.entry(piece);
        entry.is_some_and(|entry| !self.rows.has(Side::Local, entry) && (self.stays)(entry))
    }

    fn restores_below_a_comment(&self, here: Segment<'_>) -> bool {
        let is_below = |it: Ref| self.rows.first_comment_above(it) != it;
        let mut updated = here.updated.iter();
        updated.any(|it| self.is_restored(*it) && is_below(*it))
    }

    fn same_ids(&self, left: &[Ref], right: &[Ref]) -> bool {
        let id = |piece: &Ref| self.rows.stored_id(*piece);
        left.iter().map(id).eq(right.iter().map(id))
    }

    /// Whether two segments are the same, apart from the indentation of their comments.
    fn is_same(&self, left: &[Ref], right: &[Ref]) -> bool {
        let line = |piece: &Ref| {
            let line = self.rows.comment(*piece);
            (self.rows.blanks(*piece), line.map(str::trim_start))
        };
        self.same_ids(left, right) && left.iter().map(line).eq(right.iter().map(line))
    }

    /// Merges a segment that both sides changed: aligns local with a list of the original's lines
    /// and updated's insertions, and decides of each of these lines whether it stays.
    fn merge_by_line(&self, here: Segment<'_>, below: Option<Ref>, merged: &mut Vec<Placed>) {
        let lines = self.with_insertions(here.original, here.updated);
        let positions = self.positions_in_local(&lines, here.local);
        let position = |line: usize| positions.get(line as u32).map(|at| at as usize);
        let removed = self.removed_comments(here.local);
        let is_kept = |piece: &&Ref| !removed.contains(piece);
        let mut changes = Changes::default();
        let (mut next, mut ahead) = (0, 0);
        for (at, line) in lines.iter().map(Some).chain([None]).enumerate() {
            let found = position(at);
            let to = match line {
                Some(_) => found.unwrap_or(next),
                None => here.local.len(),
            };
            let ours = here.local[next..to].iter().filter(is_kept).copied();
            changes.ours.extend(ours);
            next = to + usize::from(found.is_some());
            let local = found.map(|at| here.local[at]);
            match (line, local) {
                (None, _) => self.flush(std::mem::take(&mut changes), below, merged),
                (Some(line), Some(local)) if line.updated.is_some() || line.original.is_none() => {
                    self.flush(std::mem::take(&mut changes), Some(local), merged);
                    let updated = line.updated.unwrap_or(local);
                    self.push_merged(line.original, updated, local, merged);
                }
                (Some(line), local) => {
                    while ahead <= at || ahead < lines.len() && position(ahead).is_none() {
                        ahead += 1;
                    }
                    let own = &here.local[next..position(ahead).unwrap_or(here.local.len())];
                    if local.is_none() && self.is_rewritten(*line, own, &changes.theirs) {
                        // local's text for this comment belongs below what updated put above it
                        self.flush(std::mem::take(&mut changes), own.first().copied(), merged);
                    }
                    self.push_change(*line, local, &mut changes);
                }
            }
        }
    }

    /// Whether local may have rewritten a comment that it lacks: `own`, its pieces here, have a
    /// comment, and `above`, updated's insertions above the line, are comments only.
    fn is_rewritten(&self, line: Line, own: &[Ref], above: &[Ref]) -> bool {
        let is_comment = |piece: &Ref| self.rows.is_comment(*piece);
        line.original.is_some()
            && line.updated.as_ref().is_some_and(is_comment)
            && own.iter().any(is_comment)
            && above.iter().all(is_comment)
    }

    /// Adds a line that one side or both changed to `changes`.
    fn push_change(&self, line: Line, local: Option<Ref>, changes: &mut Changes) {
        match (line.original, line.updated) {
            (None, Some(updated)) => changes.theirs.push(updated),
            (Some(original), None) => match local {
                Some(local) => changes.removed.push(Removed {
                    original,
                    local,
                    insertions_above: changes.ours.len(),
                }),
                None if self.rows.is_comment(original) => changes.rewritten.push(original),
                None => {}
            },
            (Some(_), Some(updated)) => {
                if local.is_none() && self.is_restored(updated) {
                    self.restore(updated, changes);
                }
            }
            (None, None) => {}
        }
    }

    /// Adds an entry that local deleted and the result has, with its comments that local lacks.
    fn restore(&self, updated: Ref, changes: &mut Changes) {
        for comment in self.rows.comments_above(updated) {
            let is_in_local = self.rows.count(Side::Local, comment) > 0;
            if !is_in_local && !changes.theirs.contains(&comment) {
                changes.theirs.push(comment);
            }
        }
        changes.theirs.push(updated);
    }

    /// Returns one list of the original's pieces and those that updated inserted.
    fn with_insertions(&self, original: &[Ref], updated: &[Ref]) -> Vec<Line> {
        let pairs = heaviest_between(&self.ids(original), &self.ids(updated), |at| {
            self.weight(original[at])
        });
        let ends = [[original.len(), updated.len()]];
        let mut lines = Vec::with_capacity(original.len() + updated.len());
        let (mut i, mut j) = (0, 0);
        let pairs = pairs.into_iter().map(|pair| pair.map(|at| at as usize));
        for [n, m] in pairs.chain(ends) {
            let removed = original[i..n].iter().map(|piece| (Some(*piece), None));
            let new = updated[j..m].iter().map(|piece| (None, Some(*piece)));
            let both = (n < original.len()).then(|| (Some(original[n]), Some(updated[m])));
            let line = |(original, updated)| Line { original, updated };
            lines.extend(removed.chain(new).chain(both).map(line));
            (i, j) = (n + 1, m + 1);
        }
        lines
    }

    /// Returns for each line its position in local. A run of lines that updated inserted and that
    /// local has one below the other pairs first; the lines around it pair by weight.
    fn positions_in_local(&self, lines: &[Line], local: &[Ref]) -> NumberMap {
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
        let weight = |at: usize| {
            let line: &Line = &lines[at];
            let of_original = u32::from(line.original.is_some()) * WEIGHT_IN_ORIGINAL;
            let of_updated = u32::from(line.updated.is_some()) * WEIGHT_IN_UPDATED;
            let piece = line.original.or(line.updated);
            piece.map_or(0, |piece| self.weight(piece)) + of_original + of_updated
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
