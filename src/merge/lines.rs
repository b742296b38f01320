//! Texts as rows of lines, in few bytes: what is merged by lines has many.

use std::hash::BuildHasher;
use std::ops::Range;

use gix_imara_diff::Token;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::triple::Triple;

/// The lines of a text, with their line breaks.
pub(super) struct Lines<'t> {
    whole: &'t str,
    /// Where each begins.
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Those of a text that it is cut into.
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

    /// The text of some of them.
    pub(super) fn text(&self, lines: Range<usize>) -> &'t str {
        &self.whole[self.start_of(lines.start)..self.start_of(lines.end)]
    }

    /// Where a line begins, or the last one ends.
    fn start_of(&self, line: usize) -> usize {
        let start = self.starts.get(line);
        start.map_or(self.whole.len(), |start| *start as usize)
    }
}

/// A number for each line of three texts, the same for the same line, which is compared sooner and
/// takes less memory: where one like it is first, as if the texts were one.
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
    let mut known: HashTable<u32> = HashTable::with_capacity(updated);
    let mut next = 0..;
    texts.as_ref().map(|text| {
        let number = |at: u32| {
            let entry = known.entry(hash(&at), |other| line(*other) == line(at), hash);
            Token(*entry.or_insert(at).get())
        };
        let own = next.by_ref().take(text.starts.len());
        own.map(number).collect()
    })
}
