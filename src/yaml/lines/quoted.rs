//! Reads quoted scalars on one line or more.

use std::iter::repeat_n;

use super::super::cursor::{Cursor, skip_spaces};
use super::super::tree::ScalarStyle;
use super::LineReader;
use super::scalar::{ScannedScalar, Stop};

impl LineReader<'_> {
    /// Reads the quoted scalar that starts at `at`. If it ends on another line, that becomes the
    /// current line.
    pub(super) fn scan_quoted(&mut self, at: usize) -> Option<ScannedScalar> {
        let is_double = self.bytes[at] == b'"';
        let text = self.builder.tree.text;
        let end = Cursor { text, pos: at }.quoted_end()?;
        let source = &text[at + 1..end - 1];
        let first_line = self.line;
        let (style, escape) = match is_double {
            true => (ScalarStyle::DoubleQuoted, b'\\'),
            false => (ScalarStyle::SingleQuoted, b'\''),
        };
        let resolved = match memchr::memchr3(b'\n', b'\r', escape, source.as_bytes()) {
            None => None,
            Some(_) => Some(self.resolve_content(source, at + 1, is_double)?),
        };
        let rest = skip_spaces(self.bytes, end);
        let stop = match self.bytes.get(rest) {
            // a key cannot have several lines
            Some(b':') if self.line == first_line => Stop::Colon(rest),
            Some(b'#') if rest > end => Stop::Comment(rest),
            _ if self.is_line_end(rest) => Stop::LineEnd(rest),
            _ => Stop::Other,
        };
        Some(ScannedScalar {
            style,
            resolved,
            end,
            stop,
        })
    }

    /// Resolves the escapes and folds the lines of a quoted scalar whose content starts at `start`.
    /// Returns the start of its content in
    /// [`Tree::resolved`](crate::yaml::Tree::resolved).
    fn resolve_content(&mut self, source: &str, start: usize, is_double: bool) -> Option<usize> {
        let column = self.frames.last().map(|frame| frame.column);
        let mut content = std::mem::take(&mut self.builder.tree.resolved);
        let resolved = content.len();
        let bytes = source.as_bytes();
        let escape = if is_double { b'\\' } else { b'\'' };
        let special = |byte: &u8| *byte == escape || matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let mut at = 0;
        while let Some(plain) = bytes[at..].iter().position(special) {
            content.push_str(&source[at..at + plain]);
            at += plain;
            match bytes[at] {
                b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                    let (end, breaks) = self.white_space(source, at + 1, start, column)?;
                    content.extend(repeat_n('\n', breaks - 1));
                    at = end;
                }
                b'\\' => at = unescape(&mut content, source, at)?,
                b'\'' => {
                    content.push('\'');
                    at += 2;
                }
                _ => {
                    let (end, breaks) = self.white_space(source, at, start, column)?;
                    match breaks {
                        0 => content.push_str(&source[at..end]),
                        1 => content.push(' '),
                        count => content.extend(repeat_n('\n', count - 1)),
                    }
                    at = end;
                }
            }
        }
        content.push_str(&source[at..]);
        self.builder.tree.resolved = content;
        Some(resolved)
    }

    /// Reads the white space at `at` of a source that starts at `start`. Returns its end and the
    /// number of its line breaks. A line break makes the following line the current one, which has
    /// to be indented deeper than the collection around the scalar.
    fn white_space(
        &mut self,
        source: &str,
        at: usize,
        start: usize,
        column: Option<usize>,
    ) -> Option<(usize, usize)> {
        let bytes = source.as_bytes();
        let (mut end, mut breaks, mut has_tab) = (at, 0, false);
        while let Some(byte) = bytes.get(end) {
            match byte {
                b' ' | b'\r' => {}
                b'\t' => has_tab = true,
                b'\n' => {
                    breaks += 1;
                    self.line = start + end + 1;
                }
                _ => break,
            }
            end += 1;
        }
        let is_deep_enough = column.is_some_and(|column| start + end - self.line > column);
        (breaks == 0 || (is_deep_enough && !has_tab)).then_some((end, breaks))
    }
}

/// Adds the character that the escape at `at` represents. Returns the end of the escape, or `None`
/// if it is invalid.
fn unescape(content: &mut String, source: &str, at: usize) -> Option<usize> {
    let mut after = source[at + 1..].chars();
    let letter = after.next()?;
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    let start = source.len() - after.as_str().len();
    if digits > 0 {
        let code = source.get(start..start + digits)?;
        if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        content.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        return Some(start + digits);
    }
    content.push(match letter {
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        ' ' | '"' | '/' | '\\' => letter,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    });
    Some(start)
}
