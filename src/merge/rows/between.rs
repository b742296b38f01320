//! What is between two entries that stay in their order: the three-way rule, and where both
//! sides changed, line by line.

mod both;
mod changed;
mod repeated;

use rustc_hash::FxHashSet;

use changed::{Changed, Gone};
use repeated::LocalComments;

use super::piece::own;
use super::subsequence::{heaviest, heaviest_between};
use super::{Carried, Disagreement, Id, Placed, Ref, Rows, Side, TokenKind};
use crate::merge::Resolution;
use crate::triple::Triple;

/// An entry weighs more than any comments around it, and a line that the original has more than one
/// that came later. Of lines alike it is one that updated has too.
const ENTRY: u32 = 80;
const ENTRY_THAT_GOES: u32 = 32;
const COMMENT: u32 = 16;
/// A line of signs, such as frames a banner, says nothing.
const FRAME: u32 = 8;
const OF_ORIGINAL: u32 = 2;
const OF_UPDATED: u32 = 1;
/// In longer stretches runs of lines are not looked for.
const LONGEST_FOR_RUNS: usize = 512;

/// Merges stretches of three rows.
pub(super) struct Between<'r, 'a> {
    rows: &'r Rows<'a>,
    /// Whether the result has an entry.
    stays: &'r dyn Fn(u32) -> bool,
    resolution: Resolution,
    disagreements: std::cell::RefCell<Vec<Disagreement>>,
    /// The entry that each piece is right above.
    owners: Triple<std::cell::OnceCell<Vec<Option<u32>>>>,
    /// Where the comments begin that are between each piece and the entry above it.
    tops: Triple<std::cell::OnceCell<Vec<u32>>>,
    /// The comments that follow local's row, and those in it: looked for where updated's may be
    /// there already.
    of_local: std::cell::OnceCell<LocalComments>,
}

/// Stretches of the three rows.
type Stretch<'s> = Triple<&'s [Ref]>;

/// A line of the original's row with updated's insertions: where it is in each.
#[derive(Clone, Copy)]
struct Line {
    original: Option<Ref>,
    updated: Option<Ref>,
}

impl<'r, 'a> Between<'r, 'a> {
    pub(super) fn new(
        rows: &'r Rows<'a>,
        stays: &'r dyn Fn(u32) -> bool,
        resolution: Resolution,
    ) -> Self {
        Self {
            rows,
            stays,
            resolution,
            disagreements: std::cell::RefCell::default(),
            owners: Triple::default(),
            tops: Triple::default(),
            of_local: std::cell::OnceCell::new(),
        }
    }

    /// The comments that both sides changed.
    pub(super) fn disagreements(self) -> Vec<Disagreement> {
        self.disagreements.into_inner()
    }

    /// The three rows, cut at these entries and at the end.
    pub(super) fn whole(&self, rows: Triple<Vec<Ref>>, cuts: &FxHashSet<u32>) -> Vec<Placed> {
        let is_cut = |piece: &Ref| match self.rows.id(*piece) {
            Id::Entry(entry) => cuts.contains(&entry),
            Id::End => true,
            Id::Comment { .. } => false,
        };
        let places = rows.as_ref().map(|row| {
            let all = row.iter().enumerate();
            let cuts = all.filter(|(_, piece)| is_cut(piece)).map(|(at, _)| at);
            cuts.collect::<Vec<usize>>()
        });
        let mut merged = Vec::with_capacity(rows.local.len());
        let mut start = Triple::new(0, 0, 0);
        for cut in 0..places.local.len() {
            let at = places.as_ref().map(|places| places[cut]);
            let stretch = Triple::new(
                &rows.original[start.original..at.original],
                &rows.updated[start.updated..at.updated],
                &rows.local[start.local..at.local],
            );
            let here = Triple::new(
                rows.original[at.original],
                rows.updated[at.updated],
                rows.local[at.local],
            );
            self.stretch(stretch, Some(here.local), &mut merged);
            self.push_piece(Some(here.original), here.updated, here.local, &mut merged);
            start = at.map(|at| at + 1);
        }
        merged
    }

    /// The comments of one entry, wherever it is on each side.
    pub(super) fn lines(&self, carried: &Carried) -> Vec<Placed> {
        let mut merged = Vec::new();
        let lines = carried.lines.as_ref().map(Vec::as_slice);
        self.stretch(lines, None, &mut merged);
        merged
    }

    /// `below` is local's piece that follows.
    fn stretch(&self, here: Stretch<'_>, below: Option<Ref>, merged: &mut Vec<Placed>) {
        if here.local.is_empty() && here.updated.is_empty() {
            return;
        }
        if self.same_ids(here.original, here.updated) && self.same_ids(here.original, here.local) {
            let pieces = here.original.iter().zip(here.updated).zip(here.local);
            merged.extend(pieces.map(|((o, u), d)| self.piece(Some(*o), *u, *d)));
        } else if self.same(here.updated, here.local)
            || self.same(here.updated, here.original) && !self.comes_back_below_a_comment(here)
        {
            merged.extend(here.local.iter().map(|piece| own(*piece)));
        } else if self.same(here.local, here.original) {
            let mut theirs = here.updated.to_vec();
            if self.rows.below.is_some_and(|below| !below.is_empty()) || self.rows.has_own_comments
            {
                self.drop_repeated(&mut theirs, &[], &FxHashSet::default());
            }
            merged.extend(theirs.into_iter().map(own));
        } else {
            self.line_by_line(here, below, merged);
        }
    }

    /// Whether a piece of updated's is an entry that local deleted, and that is in the result.
    fn comes_back(&self, piece: Ref) -> bool {
        matches!(self.rows.id(piece), Id::Entry(entry)
            if self.rows.place(Side::Local, entry).is_none() && (self.stays)(entry))
    }

    fn comes_back_below_a_comment(&self, here: Stretch<'_>) -> bool {
        let is_below = |it: &Ref| self.rows.own_above(it.side(), it.at()) < it.at();
        let mut updated = here.updated.iter();
        updated.any(|it| self.comes_back(*it) && is_below(it))
    }

    fn same_ids(&self, left: &[Ref], right: &[Ref]) -> bool {
        let ids = |row: &[Ref]| row.iter().map(|it| self.rows.id(*it)).collect::<Vec<_>>();
        left.len() == right.len() && ids(left) == ids(right)
    }

    /// Whether two stretches are the same, but for the white space that their lines begin with.
    fn same(&self, left: &[Ref], right: &[Ref]) -> bool {
        left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| {
                let (left_token, right_token) = (self.rows.token(*left), self.rows.token(*right));
                let is_same = match (left_token.kind, right_token.kind) {
                    (TokenKind::Comment(left), TokenKind::Comment(right)) => {
                        left.trim_start() == right.trim_start()
                    }
                    _ => true,
                };
                is_same
                    && left_token.blanks == right_token.blanks
                    && self.rows.id(*left) == self.rows.id(*right)
            })
    }

    /// Both sides changed something. The original's lines and updated's insertions are made one
    /// row; local is held against it, and each line is there or not, three-way.
    fn line_by_line(&self, here: Stretch<'_>, below: Option<Ref>, merged: &mut Vec<Placed>) {
        let lines = self.with_insertions(here.original, here.updated);
        let in_local = self.found_in_local(&lines, here.local);
        let taken_away = self.taken_away(&lines);
        let is_kept = |piece: &&Ref| {
            let words = self.rows.token(**piece).words();
            words.is_none_or(|words| !taken_away.contains(words))
        };
        let mut changed = Changed::default();
        let (mut next, mut ahead) = (0, 0);
        for (at, line) in lines.iter().map(Some).chain([None]).enumerate() {
            let found = in_local.get(at).copied().flatten();
            let to = match line {
                Some(_) => found.unwrap_or(next),
                None => here.local.len(),
            };
            let ours = here.local[next..to].iter().filter(is_kept).copied();
            changed.ours.extend(ours);
            next = to + usize::from(found.is_some());
            let local = found.map(|at| here.local[at]);
            match (line, local) {
                (None, _) => self.flush(std::mem::take(&mut changed), below, merged),
                (Some(line), Some(local)) if line.updated.is_some() || line.original.is_none() => {
                    self.flush(std::mem::take(&mut changed), Some(local), merged);
                    let updated = line.updated.unwrap_or(local);
                    self.push_piece(line.original, updated, local, merged);
                }
                (Some(line), local) => {
                    while ahead <= at || in_local.get(ahead).is_some_and(Option::is_none) {
                        ahead += 1;
                    }
                    let end = in_local.get(ahead).copied().flatten();
                    let own = &here.local[next..end.unwrap_or(here.local.len())];
                    if local.is_none() && self.is_rewritten(*line, own, &changed.theirs) {
                        // local's text for this line is below what updated put above it
                        self.flush(std::mem::take(&mut changed), own.first().copied(), merged);
                    }
                    self.note(*line, local, &mut changed);
                }
            }
        }
    }

    /// Whether a comment that local has not got may be in its own words among its pieces here,
    /// `own`, below comments that updated put above it.
    fn is_rewritten(&self, line: Line, own: &[Ref], above: &[Ref]) -> bool {
        let is_comment = |piece: &Ref| self.rows.is_comment(*piece);
        line.original.is_some()
            && line.updated.as_ref().is_some_and(is_comment)
            && own.iter().any(is_comment)
            && above.iter().all(is_comment)
    }

    /// The words of the comments that updated took away: wherever local has put them, they go.
    fn taken_away(&self, lines: &[Line]) -> FxHashSet<&'a str> {
        let gone = lines.iter().filter(|line| line.updated.is_none());
        let originals = gone.filter_map(|line| line.original);
        let words = originals.filter_map(|piece| self.rows.token(piece).words());
        let is_gone = |words: &&str| {
            words.contains(char::is_alphanumeric) && self.rows.count(Side::Updated, words) == 0
        };
        words.filter(is_gone).collect()
    }

    fn note(&self, line: Line, local: Option<Ref>, changed: &mut Changed) {
        match (line.original, line.updated) {
            (None, Some(updated)) => changed.theirs.push(updated),
            (Some(original), None) => match local {
                Some(local) => changed.gone.push(Gone {
                    original,
                    local,
                    below: changed.ours.len(),
                }),
                None if self.rows.is_comment(original) => changed.rewritten.push(original),
                None => {}
            },
            (Some(_), Some(updated)) => {
                if local.is_none() && self.comes_back(updated) {
                    self.bring(updated, changed);
                }
            }
            (None, None) => {}
        }
    }

    /// An entry that local deleted and that comes back, with the comments right above it that local
    /// has not got.
    fn bring(&self, updated: Ref, changed: &mut Changed) {
        let has = |piece: Ref| {
            let words = self.rows.token(piece).words();
            words.is_some_and(|words| self.rows.count(Side::Local, words) > 0)
        };
        let first = self.rows.own_above(updated.side(), updated.at());
        let above = (first..updated.at()).map(|at| Ref::new(updated.side(), at));
        let missing = above.filter(|piece| !has(*piece) && !changed.theirs.contains(piece));
        let missing: Vec<Ref> = missing.collect();
        changed.theirs.extend(missing);
        changed.theirs.push(updated);
    }

    /// One row of the original's pieces and those that updated has inserted.
    fn with_insertions(&self, original: &[Ref], updated: &[Ref]) -> Vec<Line> {
        let pairs = heaviest_between(&self.ids(original), &self.ids(updated), |at| {
            self.weight(original[at])
        });
        let ends = [(original.len(), updated.len())];
        let mut lines = Vec::with_capacity(original.len() + updated.len());
        let (mut i, mut j) = (0, 0);
        for (n, m) in pairs.into_iter().chain(ends) {
            let gone = original[i..n].iter().map(|piece| (Some(*piece), None));
            let new = updated[j..m].iter().map(|piece| (None, Some(*piece)));
            let both = (n < original.len()).then(|| (Some(original[n]), Some(updated[m])));
            let line = |(original, updated)| Line { original, updated };
            lines.extend(gone.chain(new).chain(both).map(line));
            (i, j) = (n + 1, m + 1);
        }
        lines
    }

    /// For each of the lines, where it is in local. Lines that updated inserted and that local has
    /// in a row are those; around them each line is where most lines agree.
    fn found_in_local(&self, lines: &[Line], local: &[Ref]) -> Vec<Option<usize>> {
        let mut found = vec![None; lines.len()];
        self.find_in_local((lines, local), (0, 0), &mut found);
        found
    }

    /// The same for stretches that start so far down.
    fn find_in_local(
        &self,
        (lines, local): (&[Line], &[Ref]),
        (line_start, start): (usize, usize),
        found: &mut [Option<usize>],
    ) {
        let ids: Vec<Id> = lines
            .iter()
            .filter_map(|line| line.original.or(line.updated))
            .map(|piece| self.rows.id(piece))
            .collect();
        let local_ids = self.ids(local);
        if let Some((line, place, count)) = self.inserted_in_both(lines, &ids, &local_ids) {
            for at in 0..count {
                found[line_start + line + at] = Some(start + place + at);
            }
            self.find_in_local(
                (&lines[..line], &local[..place]),
                (line_start, start),
                found,
            );
            let (line, place) = (line + count, place + count);
            let starts = (line_start + line, start + place);
            return self.find_in_local((&lines[line..], &local[place..]), starts, found);
        }
        let weight = |at: usize| {
            let line: &Line = &lines[at];
            let of_original = u32::from(line.original.is_some()) * OF_ORIGINAL;
            let of_updated = u32::from(line.updated.is_some()) * OF_UPDATED;
            let piece = line.original.or(line.updated);
            piece.map_or(0, |piece| self.weight(piece)) + of_original + of_updated
        };
        for (line, place) in heaviest(&ids, &local_ids, weight) {
            found[line_start + line] = Some(start + place);
        }
    }

    /// The first run of comments that updated inserted and that local has line by line, at least
    /// one of them new: where it begins in each, and how long it is.
    fn inserted_in_both(
        &self,
        lines: &[Line],
        ids: &[Id],
        local: &[Id],
    ) -> Option<(usize, usize, usize)> {
        let is_inserted = |at: usize| {
            let line: &Line = &lines[at];
            let comment = line
                .updated
                .is_some_and(|piece| self.rows.is_comment(piece));
            line.original.is_none() && comment
        };
        if lines.len() > LONGEST_FOR_RUNS {
            return None;
        }
        let mut start = 0;
        while start < lines.len() {
            let count = (start..lines.len())
                .take_while(|at| is_inserted(*at))
                .count();
            let run = &ids[start..start + count];
            let is_new = |id: &Id| !self.rows.ids.original.contains(id);
            if run.len() > 1
                && run.iter().any(is_new)
                && let Some(place) = local.windows(count).position(|window| window == run)
            {
                return Some((start, place, count));
            }
            start += count.max(1);
        }
        None
    }

    fn ids(&self, row: &[Ref]) -> Vec<Id> {
        row.iter().map(|piece| self.rows.id(*piece)).collect()
    }

    fn weight(&self, piece: Ref) -> u32 {
        match self.rows.id(piece) {
            Id::Comment { .. } => match self.rows.token(piece).words() {
                Some(words) if !words.contains(char::is_alphanumeric) => FRAME,
                _ => COMMENT,
            },
            Id::Entry(entry) if !(self.stays)(entry) => ENTRY_THAT_GOES,
            Id::Entry(_) | Id::End => ENTRY,
        }
    }
}
