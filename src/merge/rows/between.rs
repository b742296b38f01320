//! Merges segments of the three rows between entries that stay in their order.
//!
//! A segment that only one side changed is taken from that side. One that both changed is merged
//! line by line: `alignment` pairs the lines, `changed` orders the changes between two lines that
//! stay, `inserted` finds a comment of which both inserted a version, `both` merges blank lines,
//! `removed` finds the comments that updated removed, and
//! `repeated` drops new comments of updated's that local has already.

mod alignment;
mod both;
mod changed;
mod inserted;
mod removed;
mod repeated;

use rustc_hash::FxHashSet;

use alignment::Line;
use changed::{Changes, Removed};
use repeated::{LocalComments, Place};

use super::piece::own;
use super::{CommentConflict, Id, NumberMap, Placed, Ref, Rows, Side};
use crate::merge::Resolution;
use crate::triple::Triple;
use crate::white_space::trimmed_start;

/// Merges segments of three rows.
pub(super) struct SegmentMerger<'r, 'a> {
    pub(super) rows: &'r Rows<'a>,
    /// Whether the result has an entry.
    pub(super) stays: &'r dyn Fn(u32) -> bool,
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
            (self.rows.blanks(*piece), line.map(trimmed_start))
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
                    let shared = self.shared_line(line, local);
                    changes.shared_lines[1] = shared;
                    self.flush(std::mem::take(&mut changes), Some(local), merged);
                    changes.shared_lines[0] = shared;
                    let updated = line.updated.unwrap_or(local);
                    self.push_merged(line.original, updated, local, merged);
                }
                (Some(line), local) => {
                    while ahead <= at || ahead < lines.len() && position(ahead).is_none() {
                        ahead += 1;
                    }
                    let own = &here.local[next..position(ahead).unwrap_or(here.local.len())];
                    // local's text for this comment belongs below what updated put above it, and a
                    // line that both replaced alike has no part in the changes above it
                    let is_removed = local.is_none() && line.updated.is_none();
                    let is_replaced_alike = is_removed
                        && position(at + 1).is_some()
                        && lines.get(at + 1).is_some_and(|it| it.original.is_none())
                        && !changes.removed.is_empty();
                    if is_replaced_alike
                        || local.is_none() && self.is_rewritten(*line, own, &changes)
                    {
                        let below = here.local.get(next).copied();
                        self.flush(std::mem::take(&mut changes), below, merged);
                    }
                    self.push_change(*line, local, &mut changes);
                }
            }
        }
    }

    /// Whether local may have rewritten a comment that it lacks: `own`, its pieces here, have a
    /// comment, and updated's insertions in `above`, the changes above the line, are comments only.
    /// They may have entries if `own` is one paragraph and local kept all other lines. A line
    /// directly below lines that both sides rewrote is changed with them.
    fn is_rewritten(&self, line: Line, own: &[Ref], above: &Changes) -> bool {
        let is_comment = |piece: &Ref| self.rows.is_comment(*piece);
        let removed = above.removed_locally.last().map(|(original, _)| original);
        let ends = removed.into_iter().chain(above.rewritten.last());
        let last = ends.copied().max_by_key(|it| it.at());
        let is_below_rewritten = |original: Ref| {
            let is_next = last.is_some_and(|last| Some(last) == original.above());
            is_next && !above.rewritten.is_empty() && self.rows.blanks(original) == 0
        };
        let is_one_paragraph = || own.iter().skip(1).all(|it| self.rows.blanks(*it) == 0);
        line.original
            .is_some_and(|original| !is_below_rewritten(original))
            && line.updated.as_ref().is_some_and(is_comment)
            && own.iter().any(is_comment)
            && !above.theirs.is_empty()
            && (above.theirs.iter().all(is_comment)
                || above.removed_locally.is_empty() && is_one_paragraph())
    }

    /// Adds a line that one side or both changed to `changes`.
    fn push_change(&self, line: Line, local: Option<Ref>, changes: &mut Changes) {
        match (line.original, line.updated) {
            (None, Some(updated)) => changes.theirs.push(updated),
            (Some(original), None) => match local {
                Some(local) if self.is_now_above_own_entry(original, local) => {
                    changes.ours.push(local);
                }
                Some(local) => changes.removed.push(Removed {
                    original,
                    local,
                    insertions_above: changes.ours.len(),
                }),
                None if self.rows.is_comment(original) => changes.rewritten.push(original),
                None => {}
            },
            (Some(original), Some(updated)) if local.is_none() => {
                if self.is_restored(updated) {
                    self.restore(updated, changes);
                } else if self.rows.is_comment(updated) {
                    changes.removed_locally.push((original, updated));
                }
            }
            _ => {}
        }
    }

    /// Whether a comment of the original and of local is above an entry that neither updated nor
    /// local has any more, and local has it above an entry of its own.
    fn is_now_above_own_entry(&self, original: Ref, local: Ref) -> bool {
        let is_in = |side: Side, entry: u32| self.rows.has(side, entry);
        let is_deleted = |entry| !is_in(Side::Updated, entry) && !is_in(Side::Local, entry);
        let is_own = |entry| !is_in(Side::Original, entry) && !is_in(Side::Updated, entry);
        self.rows.is_comment(local)
            && self.owner(original).is_some_and(is_deleted)
            && self.owner(local).is_some_and(is_own)
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
}
