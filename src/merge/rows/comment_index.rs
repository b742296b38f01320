//! Indexes over the comments of a row, so that a lookup does not visit all of them.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::Ref;
use crate::yaml::row::{Item, ItemKind};

/// An index of the comments of a row by the numbers of their texts.
pub(super) struct CommentIndex {
    row: Vec<Option<u32>>,
    /// Each number with its position, in the order of the numbers.
    places: Vec<(u32, u32)>,
}

impl CommentIndex {
    /// Builds the index. `row` has the number of each comment's text, and `None` for other pieces.
    pub(super) fn of(row: Vec<Option<u32>>) -> Self {
        let all = (0..).zip(&row);
        let comments = all.filter_map(|(at, text)| text.map(|text| (text, at)));
        let mut places: Vec<(u32, u32)> = comments.collect();
        places.sort_unstable();
        Self { row, places }
    }

    /// Returns where the row has the lines of `run` one below the other: the position of the last
    /// line for each occurrence, if it is in `part`.
    pub(super) fn find(&self, run: &[u32], part: Range<usize>) -> impl Iterator<Item = usize> {
        let places = run.iter().enumerate().map(|(nth, line)| {
            let below = run.len() - 1 - nth;
            (
                below,
                self.places_of(*line, part.start.saturating_sub(below)),
            )
        });
        let rarest = places.min_by_key(|(_, places)| places.len());
        let (below, places) = rarest.unwrap_or_default();
        let last_lines = places.iter().map(move |(_, place)| *place as usize + below);
        let last_lines = last_lines.take_while(move |last| *last < part.end);
        last_lines.filter(move |last| {
            let first = (last + 1).checked_sub(run.len());
            let here = first.and_then(|first| self.row.get(first..=*last));
            here.is_some_and(|here| here.iter().copied().eq(run.iter().copied().map(Some)))
        })
    }

    /// Returns the places of a line from the position `start` on.
    fn places_of(&self, line: u32, start: usize) -> &[(u32, u32)] {
        let is_before = |it: &(u32, u32)| (it.0, it.1 as usize) < (line, start);
        let first = self.places.partition_point(is_before);
        let rest = &self.places[first..];
        let count = rest.partition_point(|(text, _)| *text == line);
        &rest[..count]
    }
}

/// Returns, for each piece of a row, the position of the first of the comments directly above it. A
/// piece is above another one if `is_above` says so of its position and the piece below.
pub(super) fn comment_starts(row: &[Item], is_above: impl Fn(usize, &Item) -> bool) -> Vec<u32> {
    let mut starts: Vec<u32> = Vec::with_capacity(row.len());
    for (at, item) in row.iter().enumerate() {
        let is_comment = |above: &usize| row[*above].kind == ItemKind::Comment;
        let above = at.checked_sub(1).filter(is_comment);
        let above = above.filter(|above| is_above(*above, item));
        starts.push(above.map_or(at as u32, |above| starts[above]));
    }
    starts
}

/// Returns the first piece with the same key that was looked for in a table, which is `piece` if
/// there is none yet. The table has only the pieces, to save memory.
pub(super) fn first_alike<K: Eq + Hash>(
    table: &mut HashTable<Ref>,
    piece: Ref,
    key: impl Fn(Ref) -> K,
) -> Ref {
    let own = key(piece);
    let is_same = |it: &Ref| key(*it) == own;
    *table
        .entry(hash_of(&own), is_same, |it| hash_of(key(*it)))
        .or_insert(piece)
        .get()
}

pub(super) fn hash_of(key: impl Hash) -> u64 {
    FxBuildHasher.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_by_their_rarest_line() {
        let index = CommentIndex::of(vec![Some(1), Some(2), None, Some(1), Some(3)]);
        let find = |run: &[u32]| index.find(run, 0..9).collect::<Vec<_>>();
        assert_eq!(find(&[1, 2]), [1]);
        assert_eq!(find(&[1, 3]), [4]);
        assert_eq!(find(&[1]), [0, 3]);
        assert_eq!(index.find(&[1, 3], 4..5).collect::<Vec<_>>(), [4]);
        assert_eq!(index.find(&[1], 1..3).next(), None);
        assert!(find(&[2, 1]).is_empty() && find(&[3, 1]).is_empty() && find(&[4]).is_empty());
    }
}
