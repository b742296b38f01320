//! Which pieces two rows share: lines of texts, elements of lists, pieces of collections.

mod compaction;

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, Hunk, Interner, Token};

use compaction::compacted;

/// How an old and a new row align.
pub(crate) struct Differences {
    hunks: Vec<Hunk>,
    lengths: [usize; 2],
}

/// A part of both rows, which is the same in both or differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AlignedRange {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) is_same: bool,
}

/// How two rows of anything align, by a longest common subsequence, or nearly so.
pub(crate) fn differences<T: Eq + Hash>(old: &[T], new: &[T]) -> Differences {
    let [old, new] = numbered(old, new);
    Differences::of(&old, &new)
}

/// How the lines of two texts align. As in git, what goes and what comes are one part where they
/// can be, and else as far down as they can be.
pub(crate) fn differences_of_lines<T: Eq + Hash>(old: &[T], new: &[T]) -> Differences {
    let [old, new] = numbered(old, new);
    differences_of_tokens(&old, &new)
}

/// The same, where each line is a number, the same for the same line.
pub(crate) fn differences_of_tokens(old: &[Token], new: &[Token]) -> Differences {
    let Differences { hunks, lengths } = Differences::of(old, new);
    let hunks = compacted(old, new, hunks);
    Differences { hunks, lengths }
}

/// A number for each piece of two rows, the same for the same piece.
fn numbered<T: Eq + Hash>(old: &[T], new: &[T]) -> [Vec<Token>; 2] {
    let mut known = Interner::new(old.len());
    [old, new].map(|row| row.iter().map(|piece| known.intern(piece)).collect())
}

/// For each piece of a row, which piece of the old row it is.
pub(crate) fn places_in<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; new.len()];
    for (old, new) in differences(old, new).same() {
        found[new] = Some(old);
    }
    found
}

/// Where each of `part` is in `whole`, in the same order; `None` if `whole` has not all of them.
pub(crate) fn positions_in(part: &[u64], whole: &[u64]) -> Option<Vec<usize>> {
    let mut next = 0;
    part.iter()
        .map(|value| {
            let found = next + whole[next..].iter().position(|other| other == value)?;
            next = found + 1;
            Some(found)
        })
        .collect()
}

impl Differences {
    fn of(old: &[Token], new: &[Token]) -> Self {
        let tokens = old.iter().chain(new).map(|token| token.0 + 1);
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, old, new, tokens.max().unwrap_or(0));
        Self {
            hunks: diff.hunks().collect(),
            lengths: [old.len(), new.len()],
        }
    }

    /// The parts that differ, from top to bottom, in few bytes.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = Hunk> {
        self.hunks.iter().cloned()
    }

    /// The parts that differ, from top to bottom.
    pub(crate) fn changed(&self) -> impl Iterator<Item = AlignedRange> {
        let wide = |range: Range<u32>| range.start as usize..range.end as usize;
        self.hunks().map(move |hunk| AlignedRange {
            old: wide(hunk.before),
            new: wide(hunk.after),
            is_same: false,
        })
    }

    /// All parts, from top to bottom.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = AlignedRange> {
        let [old, new] = self.lengths;
        let end = AlignedRange {
            old: old..old,
            new: new..new,
            is_same: false,
        };
        let mut last = [0, 0];
        let parts = self.changed().chain([end]).flat_map(move |changed| {
            let same = AlignedRange {
                old: last[0]..changed.old.start,
                new: last[1]..changed.new.start,
                is_same: true,
            };
            last = [changed.old.end, changed.new.end];
            [same, changed]
        });
        parts.filter(|part| !part.old.is_empty() || !part.new.is_empty())
    }

    /// The places of each piece that both rows share, in order.
    pub(crate) fn same(&self) -> impl Iterator<Item = (usize, usize)> {
        let same = self.ranges().filter(|part| part.is_same);
        same.flat_map(|part| part.old.zip(part.new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_one_range_next_to_repeated_lines() {
        // its blank lines could as well be those below it
        let old = ["a", "b", "", "", "c"];
        let new = ["a", "", "", "B", "", "", "c"];
        let changed: Vec<_> = differences_of_lines(&old, &new).changed().collect();
        let b = AlignedRange {
            old: 1..2,
            new: 1..4,
            is_same: false,
        };
        assert_eq!(changed, [b]);
    }

    #[test]
    fn ranges_cover_both_rows() {
        let rows: [&[u32]; 5] = [&[], &[1], &[1, 2, 3], &[0, 2, 3, 4], &[3, 2, 1]];
        for (old, new) in rows.iter().flat_map(|old| rows.map(|new| (*old, new))) {
            let (mut olds, mut news): (Vec<u32>, Vec<u32>) = Default::default();
            for part in differences(old, new).ranges() {
                assert_eq!(part.is_same, old[part.old.clone()] == new[part.new.clone()]);
                olds.extend(&old[part.old]);
                news.extend(&new[part.new]);
            }
            assert_eq!([&*olds, &*news], [old, new]);
        }
        assert_eq!(places_in(&[1, 2, 3], &[2, 4, 3]), [Some(1), None, Some(2)]);
    }
}
