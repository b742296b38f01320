//! Texts as sequences of lines in a compact form, for the merge by lines.

use std::hash::BuildHasher;
use std::ops::Range;

use gix_imara_diff::Token;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::triple::Triple;

/// The lines of a text, with their line breaks.
pub(super) struct Lines<'t> {
    whole: &'t str,
    /// The offset of each line.
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Returns the lines of a text. `lines` are its pieces, which have to cover it.
    pub(super) fn of(whole: &'t str, lines: impl Iterator<Item = &'t str>) -> Self {
        let count = memchr::memchr_iter(b'\n', whole.as_bytes()).count() + 1;
        let mut starts = Vec::with_capacity(count);
        let mut start = 0;
        for line in lines {
            starts.push(start);
            start += line.len() as u32;
        }
        Self { whole, starts }
    }

    /// Returns the text of a range of lines.
    pub(super) fn text(&self, lines: Range<usize>) -> &'t str {
        &self.whole[self.start_of(lines.start)..self.start_of(lines.end)]
    }

    /// Returns the offset of a line; the length of the text for a line behind the last one.
    fn start_of(&self, line: usize) -> usize {
        let start = self.starts.get(line);
        start.map_or(self.whole.len(), |start| *start as usize)
    }
}

/// Returns a token for each line of three texts. Equal lines have equal tokens. A token is the
/// position of the first such line, with the lines of the three texts counted in one sequence.
pub(super) fn tokens(texts: &Triple<Lines<'_>>) -> Triple<Vec<Token>> {
    let updated = texts.original.starts.len();
    let local = updated + texts.updated.starts.len();
    let line = |at: u32| {
        let at = at as usize;
        let (text, at) = match at {
            _ if at < updated => (&texts.original, at),
            _ if at < local => (&texts.updated, at - updated),
            _ => (&texts.local, at - local),
        };
        text.text(at..at + 1)
    };
    let hash = |at: &u32| FxBuildHasher.hash_one(line(*at));
    let mut firsts: HashTable<u32> = HashTable::with_capacity(updated);
    let mut next = 0..;
    texts.as_ref().map(|text| {
        let number = |at: u32| {
            let entry = firsts.entry(hash(&at), |other| line(*other) == line(at), hash);
            Token(*entry.or_insert(at).get())
        };
        let own = next.by_ref().take(text.starts.len());
        own.map(number).collect()
    })
}
