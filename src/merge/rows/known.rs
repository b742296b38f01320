//! What is asked of the comments of a row again and again: answered without looking at all of them.

use std::ops::Range;

use super::{Token, TokenKind};

/// The comments of a row, by the numbers of their words.
pub(super) struct Known {
    row: Vec<Option<u32>>,
    /// Each with its place, in the order of the numbers.
    places: Vec<(u32, u32)>,
}

impl Known {
    /// Of a row; what is no comment there has no words.
    pub(super) fn of(row: Vec<Option<u32>>) -> Self {
        let all = (0..).zip(&row);
        let comments = all.filter_map(|(at, words)| words.map(|words| (words, at)));
        let mut places: Vec<(u32, u32)> = comments.collect();
        places.sort_unstable();
        Self { row, places }
    }

    /// Where these lines are, one below the other: the places of the last one, as far as it is in
    /// that part of the row.
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
        let lasts = places.iter().map(move |(_, place)| *place as usize + below);
        let lasts = lasts.take_while(move |last| *last < part.end);
        lasts.filter(move |last| {
            let first = (last + 1).checked_sub(run.len());
            let here = first.and_then(|first| self.row.get(first..=*last));
            here.is_some_and(|here| here.iter().copied().eq(run.iter().copied().map(Some)))
        })
    }

    /// The places of a line from there on.
    fn places_of(&self, line: u32, start: usize) -> &[(u32, u32)] {
        let is_before = |it: &(u32, u32)| (it.0, it.1 as usize) < (line, start);
        let first = self.places.partition_point(is_before);
        let rest = &self.places[first..];
        let count = rest.partition_point(|(words, _)| *words == line);
        &rest[..count]
    }
}

/// For each piece of a row, the entry that it is right above, with none but comments and no
/// blank line between.
pub(super) fn owners(row: &[Token<'_>]) -> Vec<Option<u32>> {
    let mut owners = vec![None; row.len()];
    for at in (1..row.len()).rev() {
        owners[at - 1] = match row[at].kind {
            _ if row[at].blanks > 0 => None,
            TokenKind::Comment(_) => owners[at],
            TokenKind::Entry(entry) => Some(entry),
            TokenKind::End => None,
        };
    }
    owners
}

/// For each piece of a row, where the comments begin that are between it and the entry above it.
pub(super) fn tops(row: &[Token<'_>]) -> Vec<u32> {
    let mut top = 0;
    let of_piece = |(at, token): (usize, &Token<'_>)| {
        let is_comment = matches!(token.kind, TokenKind::Comment(_));
        let below = if is_comment { top } else { at as u32 + 1 };
        std::mem::replace(&mut top, below)
    };
    row.iter().enumerate().map(of_piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_by_their_rarest_line() {
        let known = Known::of(vec![Some(1), Some(2), None, Some(1), Some(3)]);
        let find = |run: &[u32]| known.find(run, 0..9).collect::<Vec<_>>();
        assert_eq!(find(&[1, 2]), [1]);
        assert_eq!(find(&[1, 3]), [4]);
        assert_eq!(find(&[1]), [0, 3]);
        assert_eq!(known.find(&[1, 3], 4..5).collect::<Vec<_>>(), [4]);
        assert_eq!(known.find(&[1], 1..3).next(), None);
        assert!(find(&[2, 1]).is_empty() && find(&[3, 1]).is_empty() && find(&[4]).is_empty());
    }
}
