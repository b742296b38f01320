//! What changed between two lines that stay, put in its order.

use rustc_hash::FxHashSet;

use super::super::known::owners as owners_in;
use super::super::{Disagreement, Id, Placed, Ref, Side};
use super::Between;
use crate::merge::Resolution;
use crate::merge::rows::piece::own;
use crate::triple::Triple;

/// What changed between two lines that stay.
#[derive(Default)]
pub(super) struct Changed {
    pub(super) ours: Vec<Ref>,
    pub(super) theirs: Vec<Ref>,
    /// Comment lines of the original that neither side has any more.
    pub(super) rewritten: Vec<Ref>,
    /// The pieces that updated took away and local has.
    pub(super) gone: Vec<Gone>,
}

/// A piece that updated took away.
pub(super) struct Gone {
    pub(super) original: Ref,
    pub(super) local: Ref,
    /// How many of local's insertions it is below.
    pub(super) below: usize,
}

fn own_of(pieces: &[Ref]) -> Vec<Placed> {
    pieces.iter().map(|piece| own(*piece)).collect()
}

impl Between<'_, '_> {
    /// Local's insertions before updated's, but its comments right above a piece stay there. Where
    /// both rewrote a comment, one side's lines stand, as the policy says. What updated puts in the
    /// place of something that it removed takes its place and its blank lines.
    pub(super) fn flush(&self, changed: Changed, below: Option<Ref>, merged: &mut Vec<Placed>) {
        let Changed {
            mut ours,
            mut theirs,
            mut rewritten,
            gone,
        } = changed;
        rewritten.retain(|piece| !self.is_of_deleted(*piece));
        let stays: Vec<Ref> = ours
            .iter()
            .copied()
            .filter(|it| !self.goes_with_entry(*it))
            .collect();
        if !rewritten.is_empty() && self.is_alike([&stays, &ours], &theirs) {
            // at most white space differs: local's stays
            theirs.retain(|piece| self.rows.is_entry(*piece));
            rewritten.clear();
        }
        // what upstream took away with an entry, it has not rewritten; and what either side says of
        // an entry of its own is no other text for it
        rewritten.retain(|piece| !self.goes_with_entry(*piece));
        let answers = |row: &[Ref]| -> Vec<Ref> {
            let answers = row.iter().filter(|piece| self.is_answer(**piece));
            answers.copied().collect()
        };
        let disagree = self.disagree(&answers(&stays), &answers(&theirs), &rewritten);
        // what local has written anew stays as it is, with the lines around that upstream took away
        let stands = disagree && answers(&theirs).is_empty();
        let is_marked = disagree && self.resolution == Resolution::Markers;
        if stands {
            rewritten = self.with_lines_around(rewritten, gone.iter().map(|it| it.original));
            ours = self.with_lines_around(ours, gone.iter().map(|it| it.local));
        }
        let mut lost = FxHashSet::default();
        let is_answer = |piece: &Ref| self.is_answer(*piece);
        match self.resolution {
            Resolution::Updated if disagree && !stands => {
                lost.extend(ours.extract_if(.., |piece| is_answer(piece)));
            }
            Resolution::Local | Resolution::Open if disagree && !stands => {
                theirs.retain(|piece| !is_answer(piece));
            }
            _ => {}
        }
        self.drop_repeated(&mut theirs, &ours, &lost);
        let sides = self.in_order(&ours, &theirs, (&gone, below), stands);
        if is_marked {
            self.push_sides([(own_of(&rewritten), Side::Original)], merged);
            self.push_sides(sides, merged);
        } else {
            merged.extend(sides.into_iter().flat_map(|(pieces, _)| pieces));
        }
    }

    /// The pieces of both sides: updated's in the place of what it took away, or last; the comments
    /// that it has right above local's piece below stay with that. `stands` says that local's are
    /// in the place of what updated took away.
    fn in_order(
        &self,
        ours: &[Ref],
        theirs: &[Ref],
        (gone, below): (&[Gone], Option<Ref>),
        stands: bool,
    ) -> [(Vec<Placed>, Side); 6] {
        let (leading, theirs) = theirs.split_at(self.leading(ours, theirs, gone));
        let piece_below = below.filter(|below| self.rows.id(*below) != Id::End);
        let comments = piece_below.map_or(0, |below| self.above_piece(theirs, below));
        let (before, above) = theirs.split_at(theirs.len() - comments);
        let (of_before, of_above) = (gone.first(), self.gone_above(gone, piece_below));
        let has_entries_alone = theirs.iter().all(|piece| self.rows.is_entry(*piece));
        let first = match stands && has_entries_alone {
            // a field that a comment became
            true => ours.len(),
            false => self.place(ours, before, below, of_before.filter(|_| !stands)),
        };
        let second = of_above.filter(|_| !stands);
        let second = second.map_or(ours.len(), |gone| gone.below);
        let second = second.clamp(first, ours.len());
        let new = |pieces: &[Ref], gone: Option<&Gone>| {
            let mut new = own_of(pieces);
            if let (Some(gone), Some(first)) = (gone, new.first_mut()) {
                let (old, own) = (self.top(gone.original), self.top(gone.local));
                let is_below_own = old == gone.original && self.goes_with_entry(own);
                let own = if is_below_own { own } else { gone.local };
                first.blanks = Some(self.blanks(gone.original, first.piece, own));
            }
            new
        };
        [
            (own_of(leading), Side::Updated),
            (own_of(&ours[..first]), Side::Local),
            (new(before, of_before), Side::Updated),
            (own_of(&ours[first..second]), Side::Local),
            (new(above, of_above), Side::Updated),
            (own_of(&ours[second..]), Side::Local),
        ]
    }

    /// How many of updated's pieces come before local's: comments above an entry that local
    /// deleted, for what local has may be in its place, and more lines of the comment above, where
    /// local's begin with something else.
    fn leading(&self, ours: &[Ref], theirs: &[Ref], gone: &[Gone]) -> usize {
        let rewritten = gone.first().map(|gone| self.owner(gone.original));
        let is_above = |it: &&Ref| self.is_of_deleted(**it) && rewritten != Some(self.owner(**it));
        let above = theirs.iter().take_while(is_above).count();
        let continues = |piece: &&Ref| {
            let previous = piece.at().checked_sub(1);
            let previous = previous.map(|at| Ref::new(piece.side(), at));
            self.rows.is_comment(**piece)
                && self.rows.token(**piece).blanks == 0
                && previous.is_some_and(|previous| self.rows.is_comment(previous))
        };
        if above > 0 || !gone.is_empty() || ours.iter().take(1).any(|piece| continues(&piece)) {
            return above;
        }
        let more = theirs.iter().take_while(continues).count();
        let is_set_off = |last: &Ref| self.owner(*last).is_none();
        let is_whole = more > 0 && is_set_off(&theirs[more - 1]);
        if is_whole { more } else { 0 }
    }

    /// How many of updated's pieces, at the end, are comments right above local's piece below.
    fn above_piece(&self, theirs: &[Ref], below: Ref) -> usize {
        let rows = self.rows;
        let row = rows.row(Side::Updated);
        let is_above = |(distance, piece): &(usize, &Ref)| {
            let next = Ref::new(Side::Updated, piece.at() + 1);
            let is_next = match distance {
                0 => rows.id(next) == rows.id(below),
                _ => piece.at() + distance == theirs[theirs.len() - 1].at(),
            };
            rows.is_comment(**piece) && is_next && row[next.at()].blanks == 0
        };
        theirs.iter().rev().enumerate().take_while(is_above).count()
    }

    /// The first comment that updated took away of those right above local's piece below.
    fn gone_above<'g>(&self, gone: &'g [Gone], below: Option<Ref>) -> Option<&'g Gone> {
        let below = below?;
        let first = self.rows.own_above(below.side(), below.at());
        gone.iter().find(|gone| gone.local.at() >= first)
    }

    /// Before which of local's pieces updated's come, in the place of what it took away. Entries,
    /// and comments that are set off from local's piece below, come above the comments right above
    /// that.
    fn place(
        &self,
        ours: &[Ref],
        theirs: &[Ref],
        below: Option<Ref>,
        gone: Option<&Gone>,
    ) -> usize {
        let has_entry = theirs.iter().any(|piece| self.rows.is_entry(*piece));
        let row = self.rows.row(Side::Updated);
        let is_set_off = || {
            theirs
                .last()
                .is_some_and(|last| row[last.at() + 1].blanks > 0)
        };
        let at = match below {
            Some(below) if has_entry || self.rows.id(below) != Id::End && is_set_off() => {
                self.above_below(ours, below)
            }
            _ => ours.len(),
        };
        gone.map_or(at, |gone| at.min(gone.below))
    }

    /// These, in order, with the comments among others that do not go with an entry.
    fn with_lines_around(&self, lines: Vec<Ref>, around: impl Iterator<Item = Ref>) -> Vec<Ref> {
        let is_kept = |piece: &Ref| self.rows.is_comment(*piece) && !self.goes_with_entry(*piece);
        let mut all: Vec<Ref> = around.filter(is_kept).chain(lines).collect();
        all.sort_unstable_by_key(|piece| piece.at());
        all
    }

    /// Puts in pieces whose comments are a side of a disagreement each.
    fn push_sides<const N: usize>(
        &self,
        sides: [(Vec<Placed>, Side); N],
        merged: &mut Vec<Placed>,
    ) {
        for (pieces, side) in sides {
            merged.extend(pieces.into_iter().map(|placed| Placed {
                of_side: self.is_answer(placed.piece).then_some(side),
                ..placed
            }));
        }
    }

    /// Whether comments say the same as those of one of local's rows.
    fn is_alike(&self, ours: [&[Ref]; 2], theirs: &[Ref]) -> bool {
        ours.map(|ours| self.letters(ours))
            .contains(&self.letters(theirs))
    }

    /// The words of comments without any white space.
    fn letters(&self, row: &[Ref]) -> String {
        let words = row
            .iter()
            .filter_map(|piece| self.rows.token(*piece).words());
        words.flat_map(str::split_whitespace).collect()
    }

    /// Whether a piece is a comment, and not right above an entry that is new on its side.
    fn is_answer(&self, piece: Ref) -> bool {
        let has = |side: Side, entry| self.rows.place(side, entry).is_some();
        let is_new = |entry| {
            let is_known = piece.side() == Side::Local && has(Side::Updated, entry);
            !has(Side::Original, entry) && !is_known
        };
        self.rows.is_comment(piece) && !self.owner(piece).is_some_and(is_new)
    }

    /// Whether a comment is right above an entry that goes.
    pub(in crate::merge::rows) fn goes_with_entry(&self, piece: Ref) -> bool {
        self.owner(piece).is_some_and(|entry| !(self.stays)(entry))
    }

    /// Whether a comment is right above an entry that local deleted, and that stays deleted.
    fn is_of_deleted(&self, piece: Ref) -> bool {
        let is_deleted = |entry| {
            self.rows.place(Side::Original, entry).is_some()
                && self.rows.place(Side::Local, entry).is_none()
                && !(self.stays)(entry)
        };
        self.owner(piece).is_some_and(is_deleted)
    }

    /// The entry that a comment is right above.
    pub(super) fn owner(&self, piece: Ref) -> Option<u32> {
        let owners = self.owners.as_ref().zip(self.rows.tokens.as_ref());
        let owners = owners.map(|(owners, row)| owners.get_or_init(|| owners_in(row)));
        owners[piece.side()].get(piece.at()).copied().flatten()
    }

    /// Records that both sides rewrote a comment, if they did.
    fn disagree(&self, ours: &[Ref], theirs: &[Ref], rewritten: &[Ref]) -> bool {
        let lines = |row: &[Ref]| -> Vec<usize> {
            let comments = row.iter().filter(|piece| self.rows.is_comment(**piece));
            comments.map(|piece| piece.at()).collect()
        };
        let lines = Triple::new(lines(rewritten), lines(theirs), lines(ours));
        let is_left = !lines.local.is_empty() || !lines.updated.is_empty();
        let apart = !rewritten.is_empty() && is_left;
        if apart {
            let mut disagreements = self.disagreements.borrow_mut();
            disagreements.push(Disagreement { lines });
        }
        apart
    }

    /// How many of local's insertions are above the comments that are right above its piece
    /// below; those at the end are the end's from the first blank line on.
    fn above_below(&self, ours: &[Ref], below: Ref) -> usize {
        let first = match self.rows.id(below) {
            Id::Comment { .. } | Id::Entry(_) => self.rows.own_above(below.side(), below.at()),
            Id::End => {
                let above = self.comments_above(below).start;
                let mut rest = (above..below.at() + 1).zip(&self.rows.row(below.side())[above..]);
                let set_off = rest.find(|(_, token)| token.blanks > 0);
                set_off.map_or(below.at(), |(at, _)| at)
            }
        };
        let own = ours.iter().rev().take_while(|piece| piece.at() >= first);
        ours.len() - own.count()
    }
}
