//! What changed between two lines that stay, put in its order.

use super::super::known::{Known, owners as owners_in};
use super::super::{Disagreement, Placed, Ref, Side};
use super::{Between, own};
use crate::merge::Resolution;
use crate::triple::Triple;

/// What changed between two lines that stay.
#[derive(Default)]
pub(super) struct Changed {
    pub(super) ours: Vec<Ref>,
    pub(super) theirs: Vec<Ref>,
    /// All that local has here: ours, and what updated took away.
    pub(super) local: Vec<Ref>,
    /// Comment lines of the original that neither side has any more.
    pub(super) rewritten: Vec<Ref>,
    /// The first piece that updated took away and local has: in original and local, and how many of
    /// ours are above it.
    pub(super) gone: Option<(Ref, Ref, usize)>,
}

impl Between<'_, '_> {
    /// Local's insertions before updated's, but its comments right above an entry stay there. Where
    /// both rewrote a comment, one side's lines stand, as the policy says. What updated puts in the
    /// place of something that it removed takes its place and its blank lines.
    pub(super) fn flush(&self, changed: Changed, below: Option<Ref>, merged: &mut Vec<Placed>) {
        let Changed {
            mut ours,
            mut theirs,
            mut rewritten,
            gone,
            local,
        } = changed;
        // what upstream says of an entry that local deleted is no answer to local's comments
        theirs.retain(|piece| self.rows.is_entry(*piece) || !self.is_of_deleted(*piece));
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
        let disagree = self.disagree(&stays, &theirs, &rewritten);
        let apart = disagree && theirs.iter().any(|piece| self.rows.is_comment(*piece));
        if disagree && !apart {
            ours = self.with_lines_around(&ours, local);
        }
        let loses = match self.resolution {
            Resolution::Updated => Some(&mut ours),
            Resolution::Local | Resolution::Open => Some(&mut theirs),
            Resolution::Markers => None,
        };
        if let Some(comments) = loses.filter(|_| apart) {
            comments.retain(|piece| self.rows.is_entry(*piece));
        }
        self.drop_repeated(&mut theirs);
        let at = match disagree && !apart {
            // what local has written anew stays together, where it was
            true => ours.len(),
            false => self.place(&ours, &theirs, below, gone.map(|gone| gone.2)),
        };
        let mut new: Vec<Placed> = theirs.iter().map(|piece| own(*piece)).collect();
        if let (Some((original, local, _)), Some(first)) = (gone, new.first_mut()) {
            first.blanks = Some(self.blanks(original, first.piece, local));
        }
        let (before, after) = ours.split_at(at.min(ours.len()));
        let own_of = |pieces: &[Ref]| pieces.iter().map(|it| own(*it)).collect::<Vec<_>>();
        let (before, after) = (own_of(before), own_of(after));
        if apart && self.resolution == Resolution::Markers {
            self.push_sides(
                [
                    (own_of(&rewritten), Side::Original),
                    (before, Side::Local),
                    (new, Side::Updated),
                    (after, Side::Local),
                ],
                merged,
            );
        } else {
            merged.extend(before.into_iter().chain(new).chain(after));
        }
    }

    /// Before which of local's pieces updated's come, if `above` of them are above what updated took
    /// away.
    fn place(
        &self,
        ours: &[Ref],
        theirs: &[Ref],
        below: Option<Ref>,
        above: Option<usize>,
    ) -> usize {
        let has_entry = theirs.iter().any(|piece| self.rows.is_entry(*piece));
        let at = match below {
            Some(below) if has_entry => self.above_below(ours, below),
            _ => ours.len(),
        };
        above.map_or(at, |above| at.min(above))
    }

    /// What local has written anew stays as it is, with the lines around that upstream took away with
    /// it.
    fn with_lines_around(&self, ours: &[Ref], local: Vec<Ref>) -> Vec<Ref> {
        let is_kept = |piece: &Ref| {
            ours.contains(piece) || self.rows.is_comment(*piece) && !self.goes_with_entry(*piece)
        };
        local.into_iter().filter(is_kept).collect()
    }

    /// Puts in pieces whose comments are a side of a disagreement each.
    fn push_sides(&self, sides: [(Vec<Placed>, Side); 4], merged: &mut Vec<Placed>) {
        for (pieces, side) in sides {
            merged.extend(pieces.into_iter().map(|placed| Placed {
                of_side: self.rows.is_comment(placed.piece).then_some(side),
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

    /// Whether a comment is right above an entry that goes.
    fn goes_with_entry(&self, piece: Ref) -> bool {
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
    fn owner(&self, piece: Ref) -> Option<u32> {
        let owners = self.owners.as_ref().zip(self.rows.tokens.as_ref());
        let owners = owners.map(|(owners, row)| owners.get_or_init(|| owners_in(row)));
        owners[piece.side].get(piece.at()).copied().flatten()
    }

    /// Takes the new comments away that are among local's already, line by line.
    pub(super) fn drop_repeated(&self, theirs: &mut Vec<Ref>) {
        let words = |piece: &Ref| self.rows.token(*piece).words();
        let mut start = 0;
        while start < theirs.len() {
            let run = theirs[start..].iter().enumerate().map_while(|(at, piece)| {
                let is_apart = at > 0 && self.rows.token(*piece).blanks > 0;
                words(piece).filter(|_| !is_apart)
            });
            let run: Vec<&str> = run.collect();
            if run.is_empty() {
                start += 1;
            } else if self.stands_in_local(&run) {
                theirs.drain(start..start + run.len());
            } else {
                start += run.len();
            }
        }
    }

    /// Whether these lines are new, and local has them one below the other and keeps them.
    fn stands_in_local(&self, run: &[&str]) -> bool {
        let is_old = |line: &&str| self.rows.count(Side::Original, line) > 0;
        if run.iter().all(is_old) {
            return false;
        }
        let [below, locals] = self.of_local.get_or_init(|| {
            let below = self.rows.below.iter();
            let below = below.map(|line| self.rows.number(line.trim()));
            let locals = self.rows.row(Side::Local).iter().enumerate();
            let locals = locals.map(|(at, token)| {
                let side = Side::Local;
                let words = token.words();
                let words = words.filter(|_| !self.goes_with_entry(Ref::new(side, at)));
                words.and_then(|words| self.rows.number(words))
            });
            [Known::of(below.collect()), Known::of(locals.collect())]
        });
        let numbers: Option<Vec<u32>> = run.iter().map(|line| self.rows.number(line)).collect();
        numbers.is_some_and(|run| below.have(&run) || locals.have(&run))
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
    /// below; those at the end are the end's if a blank line sets them off.
    fn above_below(&self, ours: &[Ref], below: Ref) -> usize {
        let first = match self.rows.is_comment(below) {
            true => return ours.len(),
            false => self.rows.own_above(below.side, below.at()),
        };
        let is_end = !self.rows.is_entry(below);
        let is_set_off = |at: usize| self.rows.row(below.side)[at].blanks > 0;
        if is_end && !is_set_off(first) {
            return ours.len();
        }
        let own = ours.iter().rev().take_while(|piece| piece.at() >= first);
        ours.len() - own.count()
    }
}
