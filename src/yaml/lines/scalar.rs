//! Reads scalars as values and keys, and plain scalars.

use super::super::comments::span;
use super::super::cursor::{is_white, skip_spaces};
use super::super::scalar::type_of_plain;
use super::super::stream::byte_order_mark;
use super::super::tree::{ScalarStyle, ScalarType};
use super::LineReader;

/// A scalar that was read up to the end of its line. A plain scalar may continue below.
#[derive(Clone, Copy)]
pub(super) struct ScannedScalar {
    pub(super) style: ScalarStyle,
    /// The start of its content in [`Tree::resolved`], if the text has it in another form.
    ///
    /// [`Tree::resolved`]: crate::yaml::Tree::resolved
    pub(super) resolved: Option<usize>,
    pub(super) end: usize,
    pub(super) stop: Stop,
}

/// What follows a scalar on its line, after white space.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// A colon with white space after it.
    Colon(usize),
    /// A comment.
    Comment(usize),
    /// The end of the line.
    LineEnd(usize),
    /// Something else.
    Other,
}

impl ScannedScalar {
    pub(super) const fn plain(end: usize, stop: Stop) -> Self {
        Self {
            style: ScalarStyle::Plain,
            resolved: None,
            end,
            stop,
        }
    }
}

/// The maximum length of a key in bytes. The parser's limit is 1024 characters.
pub(super) const MAX_KEY_LEN: usize = 1000;

impl LineReader<'_> {
    /// Reads the scalar at `at`, and what follows it on its line.
    #[inline]
    pub(super) fn scan_scalar(&mut self, at: usize) -> Option<ScannedScalar> {
        match self.bytes[at] {
            b'\'' | b'"' => self.scan_quoted(at),
            _ if !self.may_start_plain(at) => None,
            _ => {
                let (end, stop) = self.scan_plain(at)?;
                Some(ScannedScalar::plain(end, stop))
            }
        }
    }

    /// Whether the byte at `at` can start a plain scalar.
    #[inline]
    pub(super) fn may_start_plain(&self, at: usize) -> bool {
        match self.bytes[at] {
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%'
            | b'@' | b'`' | b'\t' => false,
            b'-' | b'?' | b':' => !is_white(self.bytes, at + 1),
            0xef => byte_order_mark(&self.builder.tree.text[at..]) == 0,
            _ => true,
        }
    }

    /// Finds the end of the plain scalar that starts at `start` on its line.
    #[inline]
    pub(super) fn scan_plain(&self, start: usize) -> Option<(usize, Stop)> {
        let mut at = start;
        let stop = loop {
            at = next_special(self.bytes, at);
            match self.bytes.get(at) {
                Some(b':') if is_white(self.bytes, at + 1) => break Stop::Colon(at),
                Some(b'#') if at > start && self.bytes[at - 1] == b' ' => break Stop::Comment(at),
                Some(b'\t') => return None,
                _ if self.is_line_end(at) => break Stop::LineEnd(at),
                _ => at += 1,
            }
        };
        let spaces = self.bytes[start..at].iter().rev();
        let spaces = spaces.take_while(|byte| **byte == b' ').count();
        Some((at - spaces, stop))
    }

    /// Reads a scalar as a value, with what follows it on its line and with its continuation lines.
    pub(super) fn scalar_value(&mut self, at: usize, mut scanned: ScannedScalar) -> Option<()> {
        let line_end = match scanned.stop {
            Stop::Colon(_) | Stop::Other => return None,
            Stop::Comment(comment) => comment,
            Stop::LineEnd(end) if scanned.style != ScalarStyle::Plain => end,
            Stop::LineEnd(end) => self.continuation_lines(at, end, &mut scanned)?,
        };
        let end = scanned.end;
        self.push_scalar(at, scanned);
        self.end_line(end, line_end)
    }

    /// Reads the continuation lines of a plain scalar, which are indented deeper than the
    /// collection around it. Returns the end of the last line, or the start of the comment on it.
    fn continuation_lines(
        &mut self,
        start: usize,
        line_end: usize,
        scanned: &mut ScannedScalar,
    ) -> Option<usize> {
        let column = self.frames.last()?.column;
        let text = self.builder.tree.text;
        let (mut end, mut line_end) = (scanned.end, line_end);
        loop {
            let mut line = self.next_line(line_end);
            let mut blank_lines = 0;
            let mut at = skip_spaces(self.bytes, line);
            while at < self.bytes.len() && self.is_line_end(at) {
                blank_lines += 1;
                line = self.next_line(at);
                at = skip_spaces(self.bytes, line);
            }
            if at - line <= column || matches!(self.bytes.get(at), None | Some(b'#')) {
                break;
            }
            // `scan_plain` gives up at any tab
            let (plain_end, stop) = self.scan_plain(at)?;
            let content = &mut self.builder.tree.resolved;
            if scanned.resolved.is_none() {
                scanned.resolved = Some(content.len());
                content.push_str(&text[start..end]);
            }
            match blank_lines {
                0 => content.push(' '),
                lines => content.extend(std::iter::repeat_n('\n', lines)),
            }
            content.push_str(&text[at..plain_end]);
            (self.line, end) = (line, plain_end);
            line_end = match stop {
                Stop::Colon(_) | Stop::Other => return None,
                Stop::LineEnd(end) => end,
                Stop::Comment(comment) => {
                    line_end = comment;
                    break;
                }
            };
        }
        scanned.end = end;
        Some(line_end)
    }

    /// Adds a scalar as a key or a value.
    #[inline]
    pub(super) fn push_scalar(&mut self, start: usize, scanned: ScannedScalar) {
        let span = span(start, scanned.end);
        let content = match scanned.resolved {
            Some(resolved) => &self.builder.tree.resolved[resolved..],
            None => &self.builder.tree.text[span.range()],
        };
        let scalar_type = match scanned.style {
            ScalarStyle::Plain => type_of_plain(content),
            _ => ScalarType::Str,
        };
        let (style, resolved) = (scanned.style, scanned.resolved);
        let tree = &mut self.builder.tree;
        let node = tree.push_scalar(span, style, scalar_type, resolved);
        self.builder.set_node(node, span.end);
    }
}

/// Returns the offset of the next colon, `#` or control character. These can end a plain scalar; at
/// a tab, the reader gives up.
#[inline]
fn next_special(bytes: &[u8], mut at: usize) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST_BITS: u64 = EACH << 7;
    // sets the highest bit of the first byte that is less than `limit`, and maybe of later bytes
    let less_than =
        |eight: u64, limit: u8| eight.wrapping_sub(EACH * u64::from(limit)) & !eight & HIGHEST_BITS;
    let rest = |at: usize| bytes.get(at..).unwrap_or_default();
    while let Some(eight) = rest(at).first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let is = |byte: u8| less_than(eight ^ (EACH * u64::from(byte)), 1);
        let ends = less_than(eight, b' ') | is(b':') | is(b'#');
        if ends != 0 {
            return at + ends.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let is_end = |byte: &u8| *byte < b' ' || matches!(byte, b':' | b'#');
    let rest = rest(at);
    at + rest.iter().position(is_end).unwrap_or(rest.len())
}
