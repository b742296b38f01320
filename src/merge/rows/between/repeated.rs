//! Drops comments of updated's that local has already, or deleted.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::comment_index::{CommentIndex, comment_starts};
use super::super::{Ref, Side};
use super::SegmentMerger;

/// Indexes of the comments of local's row that stay, and of those around it.
pub(super) struct LocalComments {
    /// The comments in the head above the row.
    head: CommentIndex,
    /// The comments that follow the row.
    below: CommentIndex,
    /// All comments of the row.
    all: CommentIndex,
    /// Those that are not directly above an entry that only local has.
    not_above_local_entries: CommentIndex,
}

/// The place in local at which updated's pieces are inserted.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// Local's insertions between the same two lines.
    pub(super) ours: &'p [Ref],
    /// The number of those above the place.
    pub(super) above: usize,
    /// The piece of local that follows `ours`.
    pub(super) below: Option<Ref>,
}

impl SegmentMerger<'_, '_> {
    /// Removes from `theirs` each run of new comments that local has already: at the place where
    /// they are inserted, or elsewhere. Comments in `overridden`, which the result does not have,
    /// do not count.
    pub(super) fn drop_repeated(
        &self,
        theirs: &mut Vec<Ref>,
        place: Place<'_>,
        overridden: &FxHashSet<Ref>,
    ) {
        let is_set_off = |piece| self.rows.blanks(piece) > 0;
        self.drop_runs(theirs, is_set_off, |run, ends| {
            self.is_in_local(run, place, ends, overridden)
        });
    }

    /// Removes from `theirs` each run of comments that updated only moved, and that local deleted.
    /// Paragraphs between new ones are not moved: updated commented out something that has lines in
    /// common with another comment.
    pub(super) fn drop_deleted(&self, theirs: &mut Vec<Ref>) {
        let is_set_off = |_| false;
        self.drop_runs(theirs, is_set_off, |run, _| {
            let words = run.iter().filter(|it| self.rows.has_words(**it));
            let mut words = words.peekable();
            words.peek().is_some() && words.all(|it| self.is_moved_and_deleted(*it))
        });
    }

    /// Removes from `theirs` each run of comments that is dropped. A run begins where a comment
    /// `is_set_off` from the one above. `is_dropped` also takes whether no entry of `theirs` is
    /// above and below the run.
    fn drop_runs(
        &self,
        theirs: &mut Vec<Ref>,
        is_set_off: impl Fn(Ref) -> bool,
        is_dropped: impl Fn(&[Ref], [bool; 2]) -> bool,
    ) {
        let is_comment = |piece: &Ref| self.rows.is_comment(*piece);
        let entries = theirs.iter().filter(|piece| !is_comment(piece)).count();
        let (mut start, mut entries_above) = (0, 0);
        while start < theirs.len() {
            let run = theirs[start..].iter().enumerate();
            let run = run
                .take_while(|(at, piece)| is_comment(piece) && (*at == 0 || !is_set_off(**piece)));
            let end = start + run.count();
            // an entry of updated's separates the run from local's pieces on its other side
            let ends = [entries_above == 0, entries_above == entries];
            if end == start {
                start += 1;
                entries_above += 1;
            } else if is_dropped(&theirs[start..end], ends) {
                theirs.drain(start..end);
            } else {
                start = end;
            }
        }
    }

    /// Whether updated only moved a comment, which local deleted without the entry below it.
    fn is_moved_and_deleted(&self, comment: Ref) -> bool {
        let rows = self.rows;
        let count = |side: Side| rows.count(side, comment);
        let owner = || self.owner(rows.first_with_text(rows.comment(comment)?)?);
        count(Side::Local) == 0
            && (1..=count(Side::Original)).contains(&count(Side::Updated))
            && owner().is_none_or(|owner| rows.has(Side::Local, owner))
    }

    /// Whether updated added these lines, and local has them one below the other and keeps them.
    ///
    /// Which of local's comments count depends on the entry that is directly below the lines in
    /// updated. If local has that entry, only comments between it and the entry above it count. If
    /// local lacks it, only those count that will be there. Without such an entry, all count but
    /// those above an entry that only local has, and the comments below the row count too. Local's
    /// pieces at the place and the comments in the head always count. `[is_first, is_last]` says
    /// whether updated's insertions at the place have no entry above and below the lines.
    fn is_in_local(
        &self,
        run: &[Ref],
        place: Place<'_>,
        [is_first, is_last]: [bool; 2],
        overridden: &FxHashSet<Ref>,
    ) -> bool {
        let is_old = |piece: &Ref| self.rows.count(Side::Original, *piece) > 0;
        if run.iter().all(is_old) {
            return false;
        }
        let texts = run.iter().filter_map(|piece| self.rows.text_id(*piece));
        let texts: Vec<u32> = texts.collect();
        let index = self
            .local_comments
            .get_or_init(|| self.index_local_comments());
        let is_in = |index: &CommentIndex, part: Range<usize>| {
            let mut places = index.find(&texts, part);
            places.any(|at| !overridden.contains(&Ref::new(Side::Local, at)))
        };
        let owner = run.last().filter(|_| self.rows.context.around.is_some());
        let owner = owner.and_then(|last| self.owner(*last));
        let owner = owner.map(|owner| self.rows.find(Side::Local, owner));
        let next = place.ours.get(place.above).copied().or(place.below);
        let here = self.pieces_at(place, [is_first, is_last]);
        let is_around = |index: &CommentIndex| index.find(&texts, 0..usize::MAX).next().is_some();
        is_around(&index.head)
            || owner.is_none() && is_around(&index.below)
            || is_in(&index.all, here)
            || match owner {
                None => is_in(&index.not_above_local_entries, 0..usize::MAX),
                Some(None) => next
                    .filter(|_| is_first)
                    .is_some_and(|next| is_in(&index.all, self.comments_between(next))),
                Some(Some(piece)) => is_in(&index.all, self.comments_between(piece)),
            }
    }

    /// Returns the positions of local's pieces at a place that are in the same gap as lines which
    /// are inserted there, and of the comments that follow the place.
    fn pieces_at(&self, place: Place<'_>, [is_first, is_last]: [bool; 2]) -> Range<usize> {
        let ours = match (is_first, is_last) {
            (true, true) => place.ours,
            (true, false) => &place.ours[..place.above],
            (false, true) => &place.ours[place.above..],
            (false, false) => &[],
        };
        let below = place.below.filter(|_| is_last);
        let first = ours.first().copied().or(below);
        let end_of_ours = ours.last().map(|last| last.at() + 1);
        let end = below
            .map(|below| self.end_of_comments(below))
            .or(end_of_ours);
        let start = first.map_or(0, Ref::at);
        start..end.unwrap_or(start)
    }

    /// Returns the position of the first piece that is not a comment, from a piece on.
    fn end_of_comments(&self, piece: Ref) -> usize {
        let starts = self.gap_starts_of(piece.side());
        let start = starts[piece.at()];
        // the comments of a gap and the piece below them have the same start
        starts.partition_point(|it| *it <= start) - 1
    }

    /// Returns the positions of the comments between a piece and the entry above it.
    pub(in crate::merge::rows) fn comments_between(&self, piece: Ref) -> Range<usize> {
        self.gap_starts_of(piece.side())[piece.at()] as usize..piece.at()
    }

    fn gap_starts_of(&self, side: Side) -> &[u32] {
        self.gap_starts[side]
            .get_or_init(|| comment_starts(self.rows.rows[side].items, |_, _| true))
    }

    /// Builds the indexes of local's comments.
    fn index_local_comments(&self) -> LocalComments {
        let around = self.rows.context.around.unwrap_or_default();
        let index = |lines: &[&str]| {
            let texts = lines.iter().map(|line| self.rows.text_id_of(line));
            CommentIndex::of(texts.collect())
        };
        let has = |side: Side, entry| self.rows.has(side, entry);
        let is_own = |entry| !has(Side::Original, entry) && !has(Side::Updated, entry);
        let kept = |filter: &dyn Fn(Option<u32>) -> bool| {
            let is_kept = |piece: Ref| !self.goes_with_entry(piece) && filter(self.owner(piece));
            let row = self.rows.pieces(Side::Local);
            let row = row.map(|piece| self.rows.text_id(piece).filter(|_| is_kept(piece)));
            CommentIndex::of(row.collect())
        };
        LocalComments {
            head: index(around.head),
            below: index(around.below),
            all: kept(&|_| true),
            not_above_local_entries: kept(&|owner| !owner.is_some_and(is_own)),
        }
    }
}
