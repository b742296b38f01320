//! What is asked of the comments of a row again and again: answered without looking at all of them.

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

    /// Whether these lines are there, one below the other.
    pub(super) fn have(&self, run: &[u32]) -> bool {
        let places = run.iter().map(|line| self.places_of(*line));
        let rarest = places.enumerate().min_by_key(|(_, it)| it.len());
        let Some((nth, places)) = rarest else {
            return false;
        };
        places.iter().any(|(_, place)| {
            let first = (*place as usize).checked_sub(nth);
            let here = first.and_then(|first| self.row.get(first..first + run.len()));
            here.is_some_and(|here| here.iter().copied().eq(run.iter().copied().map(Some)))
        })
    }

    fn places_of(&self, line: u32) -> &[(u32, u32)] {
        let first = self.places.partition_point(|(words, _)| *words < line);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_by_their_rarest_line() {
        let known = Known::of(vec![Some(1), Some(2), None, Some(1), Some(3)]);
        assert!(known.have(&[1, 2]) && known.have(&[1, 3]) && known.have(&[1]));
        assert!(!known.have(&[2, 1]) && !known.have(&[3, 1]) && !known.have(&[4]));
    }
}
