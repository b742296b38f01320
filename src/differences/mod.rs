//! Aligns two sequences: lines of texts, elements of lists, or items of rows.
//!
//! `compaction` moves the changes of lines to where git has them.

mod compaction;

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, Hunk, Interner, Token};

use compaction::compact_hunks;

/// The alignment of an old and a new sequence.
pub(crate) struct Differences {
    hunks: Vec<Hunk>,
    lengths: [usize; 2],
}

/// A range of both sequences that is equal in both or differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AlignedRange {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) is_same: bool,
}

/// Aligns two sequences by a longest common subsequence, or one that is nearly as long.
pub(crate) fn differences<T: Eq + Hash>(old: &[T], new: &[T]) -> Differences {
    let [old, new] = intern(old, new);
    Differences::of(&old, &new)
}

/// Aligns the lines of two texts. As in git, a deletion and an insertion become one change if
/// possible, and other changes are as far down as possible.
pub(crate) fn differences_of_lines<T: Eq + Hash>(old: &[T], new: &[T]) -> Differences {
    let [old, new] = intern(old, new);
    differences_of_tokens(&old, &new)
}

/// Aligns lines as [`differences_of_lines`] does. Equal lines have equal tokens.
pub(crate) fn differences_of_tokens(old: &[Token], new: &[Token]) -> Differences {
    let Differences { hunks, lengths } = Differences::of(old, new);
    let hunks = compact_hunks(old, new, hunks);
    Differences { hunks, lengths }
}

/// Returns a token for each item of two sequences. Equal items have equal tokens.
fn intern<T: Eq + Hash>(old: &[T], new: &[T]) -> [Vec<Token>; 2] {
    let mut known = Interner::new(old.len());
    [old, new].map(|row| row.iter().map(|item| known.intern(item)).collect())
}

/// Returns the position in `old` of each item of `new`, if the two are paired.
pub(crate) fn places_in<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; new.len()];
    for (old, new) in differences(old, new).same() {
        found[new] = Some(old);
    }
    found
}

/// Returns the positions in `whole` of the items of `part`, which have to be in the same order.
/// Returns `None` if `part` is not a subsequence of `whole`.
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
    /// Aligns two sequences of tokens.
    fn of(old: &[Token], new: &[Token]) -> Self {
        let tokens = old.iter().chain(new).map(|token| token.0 + 1);
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, old, new, tokens.max().unwrap_or(0));
        Self {
            hunks: diff.hunks().collect(),
            lengths: [old.len(), new.len()],
        }
    }

    /// Returns the changes in order, with 32-bit positions.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = Hunk> {
        self.hunks.iter().cloned()
    }

    /// Returns the changes in order.
    pub(crate) fn changed(&self) -> impl Iterator<Item = AlignedRange> {
        let widen = |range: Range<u32>| range.start as usize..range.end as usize;
        self.hunks().map(move |hunk| AlignedRange {
            old: widen(hunk.before),
            new: widen(hunk.after),
            is_same: false,
        })
    }

    /// Returns all ranges in order.
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

    /// Returns the old and new position of each paired item, in order.
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
        // the first change could also include the blank lines below it
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
            let (mut old_items, mut new_items): (Vec<u32>, Vec<u32>) = Default::default();
            for part in differences(old, new).ranges() {
                assert_eq!(part.is_same, old[part.old.clone()] == new[part.new.clone()]);
                old_items.extend(&old[part.old]);
                new_items.extend(&new[part.new]);
            }
            assert_eq!([&*old_items, &*new_items], [old, new]);
        }
        assert_eq!(places_in(&[1, 2, 3], &[2, 4, 3]), [Some(1), None, Some(2)]);
    }
}
