//! Merges and orders what both sides changed between two lines that stay.

use rustc_hash::FxHashSet;

use super::super::{CommentConflict, Id, Placed, Ref, Side};
use super::SegmentMerger;
use super::inserted::SharedLine;
use super::repeated::Place;
use crate::merge::Resolution;
use crate::merge::rows::piece::own;
use crate::triple::Triple;

/// The changes of both sides between two lines that stay.
#[derive(Default)]
pub(super) struct Changes {
    /// The pieces that local inserted.
    pub(super) ours: Vec<Ref>,
    /// The pieces that updated inserted.
    pub(super) theirs: Vec<Ref>,
    /// Comment lines of the original that both sides removed or rewrote.
    pub(super) rewritten: Vec<Ref>,
    /// The pieces that updated removed and local has.
    pub(super) removed: Vec<Removed>,
    /// The comment lines that local removed and updated has, in the original and in updated.
    pub(super) removed_locally: Vec<(Ref, Ref)>,
    /// The lines above and below, if they are comments that both sides inserted.
    pub(super) shared_lines: [Option<SharedLine>; 2],
}

/// A piece that updated removed and local has.
pub(super) struct Removed {
    pub(super) original: Ref,
    pub(super) local: Ref,
    /// The number of local's insertions above it.
    pub(super) insertions_above: usize,
}

/// Pieces of one side in the order of the result.
struct Run<'p> {
    pieces: &'p [Ref],
    /// The piece whose blank lines are above the first of them, if it is another one.
    blanks: Option<Ref>,
}

impl<'p> Run<'p> {
    const fn of(pieces: &'p [Ref]) -> Self {
        Self {
            pieces,
            blanks: None,
        }
    }

    /// Returns the pieces, each with its own blank lines.
    fn placed(&self) -> impl Iterator<Item = Placed> {
        let all = self.pieces.iter().enumerate();
        all.map(|(at, piece)| Placed {
            blanks: self.blanks.filter(|_| at == 0).or(Some(*piece)),
            ..own(*piece)
        })
    }
}

impl SegmentMerger<'_, '_> {
    /// Adds the changes to `merged`. Local's insertions come before updated's, but its comments
    /// directly above the next piece stay there. Where both sides rewrote a comment, the policy
    /// decides whose lines are in the result. What updated put in the place of removed pieces takes
    /// their place and their blank lines.
    pub(super) fn flush(&self, mut changes: Changes, below: Option<Ref>, merged: &mut Vec<Placed>) {
        if self.are_one_comment(&changes) {
            return self.settle_inserted(&changes, merged);
        }
        let Changes {
            ours,
            theirs,
            rewritten,
            removed,
            ..
        } = &mut changes;
        let kept = self.comments_kept_without_entry(rewritten, removed, ours);
        rewritten.retain(|piece| !self.is_above_deleted_entry(*piece) || kept.contains(piece));
        self.drop_deleted(theirs);
        // a comment above an entry that a side added is no new text for another one
        let new_texts = |row: &[Ref]| -> Vec<Ref> {
            let row = row.iter().copied();
            row.filter(|piece| self.is_new_text(*piece)).collect()
        };
        let all = new_texts(ours);
        let stays = all.iter().filter(|it| !self.goes_with_entry(**it));
        let of_local = [stays.copied().collect(), all];
        // where local deleted a comment, updated's below an entry that it added are no new text
        let added = theirs.iter().position(|piece| self.is_added(*piece));
        let end = added.filter(|_| of_local.iter().all(Vec::is_empty));
        let mut of_updated = new_texts(&theirs[..end.unwrap_or(theirs.len())]);
        if !rewritten.is_empty() && self.is_same_text(&of_local, &of_updated) {
            // the texts differ at most in white space: local's stays
            theirs.retain(|piece| !of_updated.contains(piece));
            of_updated.clear();
            rewritten.clear();
        }
        let [of_local, _] = of_local;
        // a comment that upstream removed with its entry is not rewritten
        rewritten.retain(|piece| !self.goes_with_entry(*piece) || kept.contains(piece));
        let disagree = !rewritten.is_empty() && (!of_local.is_empty() || !of_updated.is_empty());
        let local_stays = disagree && of_updated.is_empty();
        let is_marked = disagree && self.resolution == Resolution::Markers;
        let overridden = match disagree {
            true => self.settle_comment(&mut changes, &of_updated, &of_local),
            false => FxHashSet::default(),
        };
        let Changes {
            ours,
            mut theirs,
            rewritten,
            removed,
            ..
        } = changes;
        let place = Place {
            ours: &ours,
            above: self.insertion_point(&ours, &theirs, below, removed.first()),
            below,
        };
        self.drop_repeated(&mut theirs, place, &overridden);
        let sides = self.ordered(&ours, &theirs, (&removed, below), local_stays);
        match is_marked {
            true => merged.extend(self.marked_conflict(&rewritten, &sides)),
            false => merged.extend(sides.iter().flat_map(Run::placed)),
        }
    }

    /// Settles a comment that both sides changed: `of_updated` and `of_local` are their new lines.
    /// A text that is in the result has the lines around it that the other side removed. Returns
    /// local's lines that are not in the result.
    fn settle_comment(
        &self,
        changes: &mut Changes,
        of_updated: &[Ref],
        of_local: &[Ref],
    ) -> FxHashSet<Ref> {
        let (mut in_original, mut in_updated, mut in_local) = (Vec::new(), Vec::new(), Vec::new());
        for removed in &changes.removed {
            in_original.push(removed.original);
            in_local.push(removed.local);
        }
        for (original, updated) in &changes.removed_locally {
            in_original.push(*original);
            in_updated.push(*updated);
        }
        let texts = Triple::new(
            self.with_lines_around(&changes.rewritten, &in_original),
            self.with_lines_around(of_updated, &in_updated),
            self.with_lines_around(of_local, &in_local),
        );
        self.record_comment_conflict(&texts);
        changes.rewritten = texts.original;
        // a comment that local rewrote and upstream removed stays
        let has_updated = self.resolution == Resolution::Updated && !of_updated.is_empty();
        match self.resolution == Resolution::Markers || has_updated {
            true => changes.theirs = self.with_lines_around(&changes.theirs, &in_updated),
            false => changes.theirs.retain(|piece| !of_updated.contains(piece)),
        }
        if has_updated {
            let overridden = changes
                .ours
                .extract_if(.., |piece| self.is_new_text(*piece));
            return overridden.collect();
        }
        changes.ours = self.with_lines_around(&changes.ours, &in_local);
        changes.removed.clear();
        FxHashSet::default()
    }

    /// Returns the pieces of both sides in the order of the result. Updated's are in the place of
    /// the removed pieces, or last; those of its comments that are directly above the next piece of
    /// local, `below`, stay above it. `local_stays` says that local's pieces take the place of the
    /// removed ones.
    fn ordered<'p>(
        &self,
        ours: &'p [Ref],
        theirs: &'p [Ref],
        (removed, below): (&[Removed], Option<Ref>),
        local_stays: bool,
    ) -> [Run<'p>; 6] {
        let (leading, theirs) = theirs.split_at(self.count_leading(ours, theirs, removed));
        let piece_below = below.filter(|below| self.rows.id(*below) != Id::End);
        let comments = piece_below.map_or(0, |below| self.count_comments_above(theirs, below));
        let (before, above) = theirs.split_at(theirs.len() - comments);
        let (of_before, of_above) = (removed.first(), self.removed_above(removed, piece_below));
        let has_only_entries = !theirs.iter().any(|piece| self.rows.is_comment(*piece));
        let first = match local_stays && has_only_entries {
            // updated replaced the comment by a field
            true => ours.len(),
            false => self.insertion_point(ours, before, below, of_before),
        };
        let second = of_above.map_or(ours.len(), |removed| removed.insertions_above);
        let second = second.clamp(first, ours.len());
        let new = |pieces: &'p [Ref], removed: Option<&Removed>| {
            let mut new = Run::of(pieces);
            if let (Some(removed), Some(first)) = (removed, pieces.first()) {
                let [old, own] = [removed.original, removed.local]
                    .map(|piece| self.rows.first_comment_above(piece));
                let stays_here = ours.contains(&own) && !self.goes_with_entry(own);
                let is_below_own = old == removed.original && !stays_here;
                let own = if is_below_own { own } else { removed.local };
                new.blanks = Some(self.merged_blanks(removed.original, *first, own));
            }
            new
        };
        [
            Run::of(leading),
            Run::of(&ours[..first]),
            new(before, of_before),
            Run::of(&ours[first..second]),
            new(above, of_above),
            Run::of(&ours[second..]),
        ]
    }

    /// Returns how many of updated's pieces come before local's: comments above an entry that local
    /// deleted, because local's pieces may be in the place of the entry; or further lines of the
    /// comment above the segment, if local's pieces do not begin with such lines.
    fn count_leading(&self, ours: &[Ref], theirs: &[Ref], removed: &[Removed]) -> usize {
        let rewritten = removed.first().map(|removed| self.owner(removed.original));
        let is_above =
            |it: &&Ref| self.is_above_deleted_entry(**it) && rewritten != Some(self.owner(**it));
        let above = theirs.iter().take_while(is_above).count();
        let continues = |piece: &&Ref| {
            self.rows.is_comment(**piece) && self.rows.first_comment_above(**piece) != **piece
        };
        if above > 0 || !removed.is_empty() || ours.iter().take(1).any(|piece| continues(&piece)) {
            return above;
        }
        let more = theirs.iter().take_while(continues).count();
        let is_set_off = |last: &Ref| self.owner(*last).is_none();
        let is_whole = more > 0 && is_set_off(&theirs[more - 1]);
        if is_whole { more } else { 0 }
    }

    /// Returns how many of updated's last pieces are comments directly above local's piece `below`.
    fn count_comments_above(&self, theirs: &[Ref], below: Ref) -> usize {
        let rows = self.rows;
        let is_above = |(distance, piece): &(usize, &Ref)| {
            let next = piece.below();
            let is_next = match distance {
                0 => rows.id(next) == rows.id(below),
                _ => piece.at() + distance == theirs[theirs.len() - 1].at(),
            };
            rows.is_comment(**piece) && is_next && rows.blanks(next) == 0
        };
        theirs.iter().rev().enumerate().take_while(is_above).count()
    }

    /// Returns the first of the comments directly above local's piece `below` that updated removed.
    fn removed_above<'g>(&self, removed: &'g [Removed], below: Option<Ref>) -> Option<&'g Removed> {
        let first = self.rows.first_comment_above(below?);
        removed
            .iter()
            .find(|removed| removed.local.at() >= first.at())
    }

    /// Returns the position among local's pieces at which updated's are inserted: at the removed
    /// piece `removed`, or at the end. Entries, and comments that a blank line sets off from the
    /// next piece, come above the comments that local has directly above that piece.
    fn insertion_point(
        &self,
        ours: &[Ref],
        theirs: &[Ref],
        below: Option<Ref>,
        removed: Option<&Removed>,
    ) -> usize {
        let has_entry = theirs.iter().any(|piece| !self.rows.is_comment(*piece));
        let last = theirs.last();
        let is_set_off = || last.is_some_and(|last| self.rows.blanks(last.below()) > 0);
        let at = match below {
            Some(below) if has_entry || self.rows.id(below) != Id::End && is_set_off() => {
                self.count_insertions_above(ours, below)
            }
            _ => ours.len(),
        };
        removed.map_or(at, |removed| at.min(removed.insertions_above))
    }

    /// Returns `lines` with those of `around` that are comments and are not removed with an entry,
    /// or are above the same entry as the lines, in the order of the row.
    fn with_lines_around(&self, lines: &[Ref], around: &[Ref]) -> Vec<Ref> {
        let owners: FxHashSet<Option<u32>> = lines.iter().map(|it| self.owner(*it)).collect();
        let is_kept = |piece: &&Ref| {
            self.rows.is_comment(**piece)
                && (!self.goes_with_entry(**piece) || owners.contains(&self.owner(**piece)))
        };
        let mut all: Vec<Ref> = around
            .iter()
            .filter(is_kept)
            .chain(lines)
            .copied()
            .collect();
        all.sort_unstable_by_key(|piece| piece.at());
        all.dedup();
        all
    }

    /// Returns the pieces of a comment conflict, each with its side. The original's lines are
    /// directly above the first one of a side: one hunk has all three.
    fn marked_conflict(&self, original: &[Ref], sides: &[Run<'_>]) -> Vec<Placed> {
        let marked = |placed: Placed| Placed {
            of_side: Some(placed.piece.side()).filter(|_| self.is_new_text(placed.piece)),
            ..placed
        };
        let sides = sides.iter().flat_map(Run::placed).map(marked);
        let mut pieces: Vec<Placed> = sides.collect();
        let first = pieces.iter().position(|it| it.of_side.is_some());
        let (at, original) = (first.unwrap_or(0), original.iter().map(|it| own(*it)));
        pieces.splice(at..at, original.map(marked));
        pieces
    }

    /// Whether updated's comments have the text of one of two lists of local's, white space aside.
    fn is_same_text(&self, ours: &[Vec<Ref>; 2], theirs: &[Ref]) -> bool {
        let theirs = self.text_without_white_space(theirs);
        ours.iter()
            .any(|ours| self.text_without_white_space(ours) == theirs)
    }

    /// Returns the text of comments without any white space.
    fn text_without_white_space(&self, row: &[Ref]) -> String {
        let lines = row.iter().filter_map(|piece| self.rows.comment(*piece));
        lines.flat_map(str::split_whitespace).collect()
    }

    /// Whether a piece is an entry of the result.
    fn is_added(&self, piece: Ref) -> bool {
        self.rows.entry(piece).is_some_and(|it| (self.stays)(it))
    }

    /// Whether a piece can be the new text of a rewritten comment: it is a comment, not directly
    /// above an entry that is new on its side, and no line of an entry that was commented out.
    fn is_new_text(&self, piece: Ref) -> bool {
        let is_new = |entry| {
            let is_known = piece.side() == Side::Local && self.rows.has(Side::Updated, entry);
            !self.rows.has(Side::Original, entry) && !is_known
        };
        self.rows.is_comment(piece)
            && !self.rows.commented_out.contains(&piece)
            && !self.owner(piece).is_some_and(is_new)
    }

    /// Whether a comment is directly above an entry that the result lacks.
    pub(in crate::merge::rows) fn goes_with_entry(&self, piece: Ref) -> bool {
        self.owner(piece).is_some_and(|entry| !(self.stays)(entry))
    }

    /// Whether a comment is directly above an entry that local deleted and that stays deleted.
    pub(super) fn is_above_deleted_entry(&self, piece: Ref) -> bool {
        let is_deleted = |entry| {
            self.rows.has(Side::Original, entry)
                && !self.rows.has(Side::Local, entry)
                && !(self.stays)(entry)
        };
        self.owner(piece).is_some_and(is_deleted)
    }

    /// Returns the entry that a comment is directly above.
    pub(super) fn owner(&self, piece: Ref) -> Option<u32> {
        let side = piece.side();
        let owners = self.owners[side].get_or_init(|| self.rows.owners(side));
        owners.get(piece.at() as u32)
    }

    /// Records a comment that both sides changed, with its lines in the three versions.
    pub(super) fn record_comment_conflict(&self, texts: &Triple<Vec<Ref>>) {
        let ends = [
            texts.original.len(),
            texts.original.len() + texts.updated.len(),
        ];
        let lines = [&texts.original, &texts.updated, &texts.local]
            .into_iter()
            .flatten();
        let mut comment_conflicts = self.comment_conflicts.borrow_mut();
        comment_conflicts.push(CommentConflict {
            lines: lines.map(|piece| piece.at() as u32).collect(),
            ends: ends.map(|end| end as u32),
        });
    }

    /// Returns how many of local's insertions are above the comments directly above its piece
    /// `below`. If that is the end of the row, the comments from the first blank line on belong to
    /// it.
    fn count_insertions_above(&self, ours: &[Ref], below: Ref) -> usize {
        let rows = self.rows;
        let first = match rows.id(below) {
            Id::Comment { .. } | Id::Entry(_) => rows.first_comment_above(below).at(),
            Id::End => {
                let pieces = self.comments_between(below).chain([below.at()]);
                let mut pieces = pieces.map(|at| Ref::new(below.side(), at));
                let set_off = pieces.find(|piece| rows.blanks(*piece) > 0);
                set_off.unwrap_or(below).at()
            }
        };
        let own = ours.iter().rev().take_while(|piece| piece.at() >= first);
        ours.len() - own.count()
    }
}
