//! Aligns two sequences: lines of texts, elements of lists, or items of rows.
//!
//! `compaction` moves the changes of lines to where git has them.

mod compaction;

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, Interner, Token};

/// The alignment of an old and a new sequence.
pub(crate) struct Differences {
    /// The runs of paired items, in order: the old and new position of the first one, and their
    /// number. Most texts have far fewer runs than lines.
    runs: Vec<([u32; 2], u32)>,
    lengths: [u32; 2],
}

/// The alignment of two sequences of lines while it changes.
struct Pairs {
    /// The old and new position of each paired line, in order.
    pairs: Vec<[u32; 2]>,
    lengths: [u32; 2],
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
    let mut pairs = Pairs {
        pairs: Differences::of(old, new).pairs().collect(),
        lengths: [old, new].map(|lines| lines.len() as u32),
    };
    pairs.compact(old, new);
    Differences::with(pairs.pairs.into_iter(), pairs.lengths)
}

/// Returns a token for each item of two sequences. Equal items have equal tokens.
fn intern<T: Eq + Hash>(old: &[T], new: &[T]) -> [Vec<Token>; 2] {
    let mut known = Interner::new(old.len());
    [old, new].map(|row| row.iter().map(|item| known.intern(item)).collect())
}

/// Returns the position in `old` of each item of `new`, if the two are paired.
pub(crate) fn places_in<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<u32>> {
    let mut found = vec![None; new.len()];
    for [old, new] in differences(old, new).pairs() {
        found[new as usize] = Some(old);
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
        let mut diff = Diff::default();
        // Myers' algorithm does not use the number of tokens
        diff.compute_with(Algorithm::Myers, old, new, 0);
        let lengths = [old.len() as u32, new.len() as u32];
        let same_old = (0..lengths[0]).filter(|at| !diff.is_removed(*at));
        let same_new = (0..lengths[1]).filter(|at| !diff.is_added(*at));
        Self::with(same_old.zip(same_new).map(<[u32; 2]>::from), lengths)
    }

    /// Returns the alignment with these pairs, which are in order.
    pub(crate) fn with(pairs: impl Iterator<Item = [u32; 2]>, lengths: [u32; 2]) -> Self {
        let mut runs: Vec<([u32; 2], u32)> = Vec::new();
        for pair in pairs {
            match runs.last_mut() {
                Some((start, count)) if start.map(|at| at + *count) == pair => *count += 1,
                _ => runs.push((pair, 1)),
            }
        }
        Self { runs, lengths }
    }

    /// Returns the changes in order.
    pub(crate) fn changed(&self) -> impl Iterator<Item = AlignedRange> {
        self.ranges().filter(|part| !part.is_same)
    }

    /// Returns all ranges in order.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = AlignedRange> {
        let runs = self.runs.iter().copied();
        let mut last = [0, 0];
        let parts = runs
            .chain([(self.lengths, 0)])
            .flat_map(move |(start, count)| {
                let start = start.map(|at| at as usize);
                let end = start.map(|at| at + count as usize);
                let range = |start: [usize; 2], end: [usize; 2], is_same| AlignedRange {
                    old: start[0]..end[0],
                    new: start[1]..end[1],
                    is_same,
                };
                let parts = [range(last, start, false), range(start, end, true)];
                last = end;
                parts
            });
        parts.filter(|part| !part.old.is_empty() || !part.new.is_empty())
    }

    /// Returns the old and new position of each paired item, in order.
    pub(crate) fn same(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pairs().map(|[old, new]| (old as usize, new as usize))
    }

    /// [`Self::same`] in the form that takes less memory.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let runs = self.runs.iter();
        runs.flat_map(|(start, count)| (0..*count).map(|at| start.map(|start| start + at)))
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
