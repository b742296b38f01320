//! What is asked of the comments of a row again and again: answered without looking at all of them.

use rustc_hash::FxHashMap;

use super::{Token, TokenKind};

/// The comments of a row, by their words.
pub(super) struct Known<'a> {
    row: Vec<Option<&'a str>>,
    places: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Known<'a> {
    /// Of a row; what is no comment there has no words.
    pub(super) fn of(row: Vec<Option<&'a str>>) -> Self {
        let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, words) in row.iter().enumerate() {
            if let Some(words) = words {
                places.entry(words).or_default().push(at);
            }
        }
        Self { row, places }
    }

    /// Whether these lines are there, one below the other.
    pub(super) fn have(&self, run: &[&str]) -> bool {
        let places = run.iter().map(|line| self.places.get(line));
        let rarest = places
            .enumerate()
            .min_by_key(|(_, it)| it.map_or(0, Vec::len));
        let Some((nth, Some(places))) = rarest else {
            return false;
        };
        places.iter().any(|place| {
            let first = place.checked_sub(nth);
            let here = first.and_then(|first| self.row.get(first..first + run.len()));
            here.is_some_and(|here| here.iter().copied().eq(run.iter().copied().map(Some)))
        })
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
        let known = Known::of(vec![Some("a"), Some("b"), None, Some("a"), Some("c")]);
        assert!(known.have(&["a", "b"]) && known.have(&["a", "c"]) && known.have(&["a"]));
        assert!(!known.have(&["b", "a"]) && !known.have(&["c", "a"]) && !known.have(&["x"]));
    }
}
