//! A position in a document's text, which finds where the token at that position ends.
//!
//! The parser has validated the text, so this module only looks for ends.

use super::stream::byte_order_mark;
use super::tree::Span;
use crate::line_breaks::{line_end, line_start, next_line};

/// A document's text and the current position in it.
#[derive(Debug)]
pub(crate) struct Cursor<'s> {
    pub(crate) text: &'s str,
    pub(crate) pos: usize,
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(crate) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether two texts are equal. Most texts are short: for these, an inlined comparison is faster
/// than a call.
#[inline]
pub(crate) fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    const LONG: usize = 32;
    left.len() == right.len()
        && match left.len() {
            0..LONG => memchr::arch::all::is_equal(left, right),
            _ => left == right,
        }
}

/// Returns the first offset from `at` on that is not a space.
pub(super) fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
    const SPACES: u64 = u64::from_le_bytes(*b"        ");
    let rest = |at: usize| bytes.get(at..).unwrap_or_default();
    while let Some(eight) = rest(at).first_chunk() {
        let others = u64::from_le_bytes(*eight) ^ SPACES;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + rest(at).iter().take_while(|byte| **byte == b' ').count()
}

/// Whether white space or the end of the text is at `at`.
pub(super) fn is_white(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at);
    next.is_none_or(|next| is_blank(*next) || is_break(*next))
}

impl<'s> Cursor<'s> {
    pub(crate) fn bytes(&self) -> &'s [u8] {
        self.text.as_bytes()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.pos).copied()
    }

    /// Whether an indicator is here, followed by white space or the end of the text.
    pub(crate) fn at_indicator(&self, indicator: u8) -> bool {
        self.peek() == Some(indicator) && is_white(self.bytes(), self.pos + 1)
    }

    /// Returns the start of the line of `at`, after a byte order mark.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        match line_start(self.text, at) {
            0 => byte_order_mark(self.text).min(at),
            start => start,
        }
    }

    /// Returns the column of `at` in characters, as the parser counts.
    pub(crate) fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    /// Returns the end of the anchor or alias that starts here.
    pub(crate) fn anchor_end(&self) -> usize {
        let end = self.end_where(self.pos + 1, |byte| b",[]{}".contains(&byte));
        // the parser does not accept a byte order mark in a name either
        self.text[self.pos..end]
            .find('\u{feff}')
            .map_or(end, |at| self.pos + at)
    }

    /// Returns the end of the tag that starts here. Only a verbatim tag can contain a comma.
    pub(crate) fn tag_end(&self, in_flow: bool) -> usize {
        if self.bytes()[self.pos..].starts_with(b"!<") {
            let rest = &self.bytes()[self.pos..];
            return memchr::memchr(b'>', rest).map_or(self.text.len(), |end| self.pos + end + 1);
        }
        self.end_where(self.pos + 1, |byte| in_flow && b",[]{}".contains(&byte))
    }

    /// Returns the offset of the next white space, or of a byte for which `stop` is true.
    fn end_where(&self, from: usize, stop: impl Fn(u8) -> bool) -> usize {
        self.bytes()[from..]
            .iter()
            .position(|byte| is_blank(*byte) || is_break(*byte) || stop(*byte))
            .map_or(self.text.len(), |end| from + end)
    }

    /// Returns the end of the quoted scalar that starts here.
    pub(crate) fn quoted_end(&self) -> Option<usize> {
        let bytes = self.bytes();
        let is_single = bytes.get(self.pos) == Some(&b'\'');
        let (quote, escape) = match is_single {
            true => (b'\'', b'\''),
            false => (b'"', b'\\'),
        };
        let mut at = self.pos + 1;
        loop {
            at += memchr::memchr2(quote, escape, bytes.get(at..)?)?;
            let is_escaped =
                bytes[at] == escape && (!is_single || bytes.get(at + 1) == Some(&quote));
            if !is_escaped {
                return Some(at + 1);
            }
            at += 2;
        }
    }

    /// Returns the end of the plain scalar with this content that starts here.
    pub(crate) fn plain_end(&self, content: &str) -> Option<usize> {
        let source = &self.bytes()[self.pos..];
        if source.starts_with(content.as_bytes()) {
            return Some(self.pos + content.len());
        }
        // the parser folds white space with line breaks: only the words have to be the same
        let mut at = 0;
        for word in content.split([' ', '\t', '\n']) {
            let rest = source.get(at..)?;
            at += rest
                .iter()
                .take_while(|byte| is_blank(**byte) || is_break(**byte))
                .count();
            at += source
                .get(at..)?
                .starts_with(word.as_bytes())
                .then_some(word.len())?;
        }
        Some(self.pos + at)
    }

    /// Reads the header of the block scalar that starts here, inside a block collection in column
    /// `parent`. Moves to the end of the scalar, and returns the comment in the header.
    pub(crate) fn block_scalar(&mut self, parent: Option<usize>) -> Option<Span> {
        let is_indicator = |byte: &&u8| b"+-0123456789".contains(byte);
        let indicators = self.bytes()[self.pos + 1..].iter().take_while(is_indicator);
        let mut end = self.pos + 1 + indicators.count();
        let header = &self.text[self.pos..end];
        self.pos = end;
        let comment = self.comment_on_line();
        let mut at = next_line(self.text, self.pos);
        let increment = header.chars().find_map(|c| c.to_digit(10));
        let mut indent = increment.map(|increment| parent.unwrap_or(0) + increment as usize);
        // the first line that is not blank has the indentation, but not less than the lines above
        let mut widest = parent.map_or(0, |column| column + 1);
        let mut last_blank = None;
        while at < self.text.len() {
            let line_end = line_end(self.text, at);
            let line = &self.bytes()[at..line_end];
            let spaces = skip_spaces(line, 0);
            widest = widest.max(spaces);
            if spaces < line.len() {
                indent = indent.or(Some(widest));
            }
            let spaces = spaces.min(indent.unwrap_or(spaces));
            if spaces == line.len() {
                // white space without a line break is not a line at the end of a text
                if line_end < self.text.len() {
                    last_blank = Some(line_end);
                }
            } else if Some(spaces) == indent
                && !(spaces == 0 && line.starts_with(b"...") && is_white(line, 3))
            {
                end = line_end;
                last_blank = None;
            } else {
                break;
            }
            at = next_line(self.text, line_end);
        }
        if header.contains('+') {
            end = last_blank.unwrap_or(end);
        }
        self.pos = end;
        comment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_counted() {
        for count in 0..40 {
            let text = format!("a{}b", " ".repeat(count));
            assert_eq!(skip_spaces(text.as_bytes(), 1), 1 + count);
            assert_eq!(
                skip_spaces(text.trim_end_matches('b').as_bytes(), 1),
                1 + count
            );
        }
        assert_eq!(skip_spaces(b"a", 5), 5);
        assert_eq!(skip_spaces(b"a\t!", 1), 1);
    }
}
