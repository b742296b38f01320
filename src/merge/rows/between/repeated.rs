//! New comments of updated's that local has already.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::known::{Known, tops as tops_in};
use super::super::{Ref, Side};
use super::Between;

/// The comments of local's row that stay, and those that follow it.
pub(super) struct LocalComments {
    below: Known,
    all: Known,
    /// Without those right above an entry that only local has.
    of_others: Known,
    /// Those right above no entry.
    loose: Known,
}

impl Between<'_, '_> {
    /// Takes the new comments away that are among local's already, line by line: `here`, or
    /// elsewhere, but for those that are lost here.
    pub(super) fn drop_repeated(&self, theirs: &mut Vec<Ref>, here: &[Ref], lost: &FxHashSet<Ref>) {
        let is_comment = |piece: &Ref| self.rows.is_comment(*piece);
        let mut start = 0;
        while start < theirs.len() {
            let run = theirs[start..].iter().enumerate();
            let run = run.take_while(|(at, piece)| {
                is_comment(piece) && (*at == 0 || self.rows.token(**piece).blanks == 0)
            });
            let end = start + run.count();
            if end == start {
                start += 1;
            } else if self.stands_in_local(&theirs[start..end], here, lost) {
                theirs.drain(start..end);
            } else {
                start = end;
            }
        }
    }

    /// Whether these lines are new, and local has them one below the other and keeps them. Where
    /// local has the entry that they are right above, the same words elsewhere than next to it are
    /// another comment; where that entry comes, the same words above another one are. Above an
    /// entry that only local has, they always are, but for those `here`.
    fn stands_in_local(&self, run: &[Ref], here: &[Ref], lost: &FxHashSet<Ref>) -> bool {
        let words = |piece: &Ref| self.rows.token(*piece).words();
        let lines: Vec<&str> = run.iter().filter_map(words).collect();
        let is_old = |line: &&str| self.rows.count(Side::Original, line) > 0;
        if lines.iter().all(is_old) {
            return false;
        }
        let numbers = lines.iter().map(|line| self.rows.number(line));
        let Some(numbers) = numbers.collect::<Option<Vec<u32>>>() else {
            return false;
        };
        let known = self.of_local.get_or_init(|| self.comments_of_local());
        let is_in = |known: &Known, part: Range<usize>| {
            let mut places = known.find(&numbers, part);
            places.any(|at| !lost.contains(&Ref::new(Side::Local, at)))
        };
        let owner = run.last().filter(|_| self.rows.below.is_some());
        let owner = owner.and_then(|last| self.owner(*last));
        let owner = owner.map(|owner| self.rows.place(Side::Local, owner));
        let here = here.first().zip(here.last());
        let here = here.map_or(0..0, |(first, last)| first.at()..last.at() + 1);
        known.below.find(&numbers, 0..usize::MAX).next().is_some()
            || is_in(&known.all, here)
            || match owner {
                None => is_in(&known.of_others, 0..usize::MAX),
                Some(None) => is_in(&known.loose, 0..usize::MAX),
                Some(Some(at)) => is_in(&known.all, self.comments_above(Ref::new(Side::Local, at))),
            }
    }

    /// Where the comments are that are between a piece and the entry above it.
    pub(super) fn comments_above(&self, piece: Ref) -> Range<usize> {
        let row = self.rows.row(piece.side());
        let tops = self.tops[piece.side()].get_or_init(|| tops_in(row));
        tops[piece.at()] as usize..piece.at()
    }

    /// The comments of local's row, and those that follow it.
    fn comments_of_local(&self) -> LocalComments {
        let below = self.rows.below.unwrap_or_default().iter();
        let below = below.map(|line| self.rows.number(line.trim()));
        let has = |side: Side, entry| self.rows.place(side, entry).is_some();
        let is_own = |entry| !has(Side::Original, entry) && !has(Side::Updated, entry);
        let kept = |filter: &dyn Fn(Option<u32>) -> bool| {
            let row = self.rows.row(Side::Local).iter().enumerate();
            let row = row.map(|(at, token)| {
                let piece = Ref::new(Side::Local, at);
                let is_kept = !self.goes_with_entry(piece) && filter(self.owner(piece));
                let words = token.words().filter(|_| is_kept);
                words.and_then(|words| self.rows.number(words))
            });
            Known::of(row.collect())
        };
        LocalComments {
            below: Known::of(below.collect()),
            all: kept(&|_| true),
            of_others: kept(&|owner| !owner.is_some_and(is_own)),
            loose: kept(&|owner| owner.is_none()),
        }
    }
}
