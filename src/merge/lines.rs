//! Texts as sequences of lines in a compact form, for the merge by lines.

use std::ops::Range;

use gix_imara_diff::{Interner, Token};
use memchr::memchr_iter;

use crate::differences::{Differences, differences_of_tokens};
use crate::line_breaks::lines_with_breaks;
use crate::triple::Triple;

/// The lines of a text, with their line breaks.
pub(super) struct Lines<'t> {
    pub(super) whole: &'t str,
    /// The offset of each line.
    starts: Vec<u32>,
    /// A number for each line. Equal lines of the three texts have equal numbers.
    pub(super) tokens: Vec<Token>,
}

impl<'t> Lines<'t> {
    /// Returns the lines of three texts.
    fn of(texts: Triple<&'t str>) -> Triple<Self> {
        // a lone CR ends a line too, but few texts have one
        let count_of = |text: &str| memchr_iter(b'\n', text.as_bytes()).count() + 1;
        let mut known = Interner::new(count_of(texts.original));
        texts.map(|whole| {
            let (mut next, count) = (0, count_of(whole));
            let (mut starts, mut tokens) = (Vec::with_capacity(count), Vec::with_capacity(count));
            for line in lines_with_breaks(whole) {
                starts.push(next);
                tokens.push(known.intern(line));
                next += line.len() as u32;
            }
            Self {
                whole,
                starts,
                tokens,
            }
        })
    }

    /// Returns the text of a range of lines.
    pub(super) fn text(&self, lines: Range<usize>) -> &'t str {
        &self.whole[self.start_of(lines.start)..self.start_of(lines.end)]
    }

    /// Returns the text of a line.
    pub(super) fn text_of(&self, line: usize) -> &'t str {
        self.text(line..line + 1)
    }

    /// Returns the offset of a line; the length of the text for a line behind the last one.
    fn start_of(&self, line: usize) -> usize {
        let start = self.starts.get(line);
        start.map_or(self.whole.len(), |start| *start as usize)
    }
}

/// The lines of three texts. Those of updated and of local are aligned with the original's.
pub(super) struct AlignedLines<'t> {
    pub(super) lines: Triple<Lines<'t>>,
    pub(super) to_updated: Differences,
    pub(super) to_local: Differences,
}

impl<'t> AlignedLines<'t> {
    pub(super) fn of(texts: Triple<&'t str>) -> Self {
        let lines = Lines::of(texts);
        let to = |side: &Lines<'t>| differences_of_tokens(&lines.original.tokens, &side.tokens);
        let (to_updated, to_local) = (to(&lines.updated), to(&lines.local));
        Self {
            lines,
            to_updated,
            to_local,
        }
    }

    /// Returns the tokens of the lines.
    pub(super) fn rows(&self) -> Triple<&[Token]> {
        self.lines.as_ref().map(|lines| lines.tokens.as_slice())
    }
}
