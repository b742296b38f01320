//! A position in a document's text, which finds where the token at that position ends.
//!
//! The parser has validated the text, so this module only looks for ends.

use std::borrow::Cow;

use super::stream::line_start_of;
use crate::line_breaks::{line_end, next_line};

/// A document's text and the current position in it.
#[derive(Debug)]
pub(crate) struct Cursor<'s> {
    pub(crate) text: &'s str,
    pub(crate) pos: usize,
}

/// The end of a block scalar, and the comment in its header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BlockScalar {
    pub(crate) end: usize,
    pub(crate) comment: Option<(usize, usize)>,
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

/// Eight spaces.
const SPACES: u64 = u64::from_le_bytes(*b"        ");

/// Returns the first offset from `at` on that is not a space.
pub(super) fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
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

/// Returns the number of spaces at the end.
pub(super) fn spaces_at_end(bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some(eight) = bytes[..bytes.len() - count].last_chunk() {
        let others = u64::from_le_bytes(*eight) ^ SPACES;
        if others != 0 {
            return count + others.leading_zeros() as usize / 8;
        }
        count += 8;
    }
    let rest = bytes[..bytes.len() - count].iter().rev();
    count + rest.take_while(|byte| **byte == b' ').count()
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
        self.peek() == Some(indicator)
            && self
                .bytes()
                .get(self.pos + 1)
                .is_none_or(|next| is_blank(*next) || is_break(*next))
    }

    /// Returns the start of the line of `at`, after a byte order mark.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        line_start_of(self.text, at)
    }

    /// Returns the end of the line of `at`, without its line break.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        line_end(self.text, at)
    }

    /// Returns the column of `at` in characters, as the parser counts.
    pub(crate) fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    pub(crate) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.pos += 1;
        }
    }

    /// Skips a line break. Returns false if there is none.
    pub(crate) fn skip_break(&mut self) -> bool {
        match &self.bytes()[self.pos..] {
            [b'\r', b'\n', ..] => self.pos += 2,
            [b'\r' | b'\n', ..] => self.pos += 1,
            _ => return false,
        }
        true
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
        let mut at = self.pos + 1;
        if bytes.get(self.pos) == Some(&b'\'') {
            loop {
                at += memchr::memchr(b'\'', bytes.get(at..)?)? + 1;
                if bytes.get(at) != Some(&b'\'') {
                    return Some(at);
                }
                at += 1;
            }
        }
        loop {
            at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[at] == b'"' {
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
        let content = content.as_bytes();
        let (mut at, mut matched) = (0, 0);
        while matched < content.len() {
            let byte = *source.get(at)?;
            if !(is_blank(byte) || is_break(byte)) {
                if content[matched] != byte {
                    return None;
                }
                (at, matched) = (at + 1, matched + 1);
                continue;
            }
            let (length, breaks) = white_space(&source[at..]);
            let folded: Cow<'_, [u8]> = match breaks {
                0 => source[at..at + length].into(),
                1 => b" ".as_slice().into(),
                more => b"\n".repeat(more - 1).into(),
            };
            if !content[matched..].starts_with(&folded) {
                return None;
            }
            (at, matched) = (at + length, matched + folded.len());
        }
        Some(self.pos + at)
    }

    /// Returns the end of the block scalar that starts here, inside a block collection in column
    /// `parent`.
    pub(crate) fn block_scalar(&self, parent: Option<usize>) -> BlockScalar {
        let header = BlockHeader::read(self, self.pos);
        let mut end = header.end;
        let mut at = header.next_line;
        let indent = header.indent(self, parent);
        let mut last_blank = None;
        while at < self.text.len() {
            let line_end = self.line_end(at);
            let line = &self.bytes()[at..line_end];
            let spaces = line
                .iter()
                .take(indent)
                .take_while(|byte| **byte == b' ')
                .count();
            if spaces == line.len() {
                // white space without a line break is not a line at the end of a text
                if line_end < self.text.len() {
                    last_blank = Some(line_end);
                }
            } else if spaces == indent && !(indent == 0 && is_document_end(line)) {
                end = line_end;
                last_blank = None;
            } else {
                break;
            }
            at = next_line(self.text, line_end);
        }
        if header.keep {
            end = last_blank.unwrap_or(end);
        }
        BlockScalar {
            end,
            comment: header.comment,
        }
    }
}

/// Returns the length of the white space at the start, and the number of line breaks in it.
fn white_space(source: &[u8]) -> (usize, usize) {
    let (mut length, mut breaks) = (0, 0);
    while let Some(byte) = source.get(length) {
        match byte {
            b'\r' if source.get(length + 1) == Some(&b'\n') => {}
            b'\r' | b'\n' => breaks += 1,
            b' ' | b'\t' => {}
            _ => break,
        }
        length += 1;
    }
    (length, breaks)
}

fn is_document_end(line: &[u8]) -> bool {
    line.starts_with(b"...") && line.get(3).is_none_or(|byte| is_blank(*byte))
}

/// The first line of a block scalar.
struct BlockHeader {
    end: usize,
    next_line: usize,
    increment: usize,
    keep: bool,
    comment: Option<(usize, usize)>,
}

impl BlockHeader {
    fn read(cursor: &Cursor<'_>, start: usize) -> Self {
        let bytes = cursor.bytes();
        let mut end = start + 1;
        let (mut increment, mut keep) = (0, false);
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'+' => keep = true,
                b'-' => {}
                b'0'..=b'9' => increment = usize::from(byte - b'0'),
                _ => break,
            }
            end += 1;
        }
        let line_end = cursor.line_end(end);
        let comment = memchr::memchr(b'#', &bytes[end..line_end]).map(|at| {
            let comment = cursor.text[end + at..line_end].trim_end_matches([' ', '\t']);
            (end + at, end + at + comment.len())
        });
        Self {
            end,
            next_line: next_line(cursor.text, line_end),
            increment,
            keep,
            comment,
        }
    }

    /// Returns the indentation of the content: from the header, or else from the first line that is
    /// not empty.
    fn indent(&self, cursor: &Cursor<'_>, parent: Option<usize>) -> usize {
        if self.increment > 0 {
            return parent.unwrap_or(0) + self.increment;
        }
        let mut indent = 0;
        let mut at = self.next_line;
        while at < cursor.text.len() {
            let line_end = cursor.line_end(at);
            let line = &cursor.bytes()[at..line_end];
            let spaces = line.iter().take_while(|byte| **byte == b' ').count();
            indent = indent.max(spaces);
            if spaces < line.len() {
                break;
            }
            at = next_line(cursor.text, line_end);
        }
        indent.max(parent.map_or(0, |column| column + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_counted_from_either_side() {
        for count in 0..40 {
            let text = format!("a{}b", " ".repeat(count));
            assert_eq!(skip_spaces(text.as_bytes(), 1), 1 + count);
            assert_eq!(
                skip_spaces(text.trim_end_matches('b').as_bytes(), 1),
                1 + count
            );
            assert_eq!(spaces_at_end(text.trim_end_matches('b').as_bytes()), count);
            assert_eq!(
                spaces_at_end(text.trim_matches(['a', 'b']).as_bytes()),
                count
            );
            assert_eq!(spaces_at_end(text.as_bytes()), 0);
        }
        assert_eq!(skip_spaces(b"a", 5), 5);
        assert_eq!(skip_spaces(b"a\t!", 1), 1);
    }
}
