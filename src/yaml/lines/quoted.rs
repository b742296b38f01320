//! Reads quoted scalars on one line or more.

use std::iter::repeat_n;

use super::super::tree::ScalarStyle;
use super::LineReader;
use super::scalar::{ScannedScalar, Stop};

impl LineReader<'_> {
    /// Reads the quoted scalar that starts at `at`. If it ends on another line, that becomes the
    /// current line.
    pub(super) fn scan_quoted(&mut self, at: usize) -> Option<ScannedScalar> {
        let is_double = self.bytes[at] == b'"';
        let (end, is_literal) = self.closing_quote(at, is_double)?;
        let source = &self.builder.tree.text[at + 1..end - 1];
        let first_line = self.line;
        let resolved = match is_literal {
            true => None,
            false => Some(self.resolve_content(source, at + 1, is_double)?),
        };
        let rest = self.skip_spaces(end);
        let stop = match self.bytes.get(rest) {
            // a key cannot have several lines
            Some(b':') if self.line == first_line => Stop::Colon(rest),
            Some(b'#') if rest > end => Stop::Comment(rest),
            _ if self.is_line_end(rest)? => Stop::LineEnd(rest),
            _ => Stop::Other,
        };
        let style = if is_double {
            ScalarStyle::DoubleQuoted
        } else {
            ScalarStyle::SingleQuoted
        };
        Some(ScannedScalar {
            style,
            resolved,
            end,
            stop,
        })
    }

    /// Returns the end of the quoted scalar that starts at `at`, and whether its content is the
    /// text between its quotes.
    fn closing_quote(&self, at: usize, is_double: bool) -> Option<(usize, bool)> {
        let (quote, escape) = if is_double {
            (b'"', b'\\')
        } else {
            (b'\'', b'\'')
        };
        let mut end = at + 1;
        let mut is_literal = true;
        loop {
            let rest = self.bytes.get(end..)?;
            let special =
                |byte: &u8| *byte == quote || *byte == escape || matches!(byte, b'\n' | b'\r');
            end += rest.iter().position(special)? + 1;
            match self.bytes[end - 1] {
                b'\\' => end += 1,
                b'\'' if !is_double && self.bytes.get(end) == Some(&b'\'') => end += 1,
                b'\n' | b'\r' => {}
                _ => break,
            }
            is_literal = false;
        }
        Some((end, is_literal))
    }

    /// Resolves the escapes and folds the lines of a quoted scalar whose content starts at `start`.
    /// Returns the start of its content in
    /// [`Tree::resolved`](crate::yaml::Tree::resolved).
    fn resolve_content(&mut self, source: &str, start: usize, is_double: bool) -> Option<usize> {
        let column = self.frames.last().map(|frame| frame.column);
        let mut content = std::mem::take(&mut self.builder.tree.resolved);
        let resolved = content.len();
        let bytes = source.as_bytes();
        let special = |byte: &u8| matches!(byte, b'\\' | b'\'' | b' ' | b'\n' | b'\r' | b'\t');
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().position(special);
            let plain_end = plain.map_or(bytes.len(), |length| at + length);
            content.push_str(&source[at..plain_end]);
            at = plain_end;
            match bytes.get(at) {
                None => break,
                Some(b'\\') if is_double && matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                    let lines = self.white_space(source, at + 1, start, column)?;
                    content.extend(repeat_n('\n', lines.breaks - 1));
                    at = lines.end;
                }
                Some(b'\\') if is_double => at = unescape(&mut content, source, at)?,
                Some(b'\'') if !is_double => {
                    content.push('\'');
                    at += 2;
                }
                Some(b' ' | b'\n' | b'\r' | b'\t') => {
                    let lines = self.white_space(source, at, start, column)?;
                    match lines.breaks {
                        0 => content.push_str(&source[at..lines.end]),
                        1 => content.push(' '),
                        count => content.extend(repeat_n('\n', count - 1)),
                    }
                    at = lines.end;
                }
                Some(byte) => {
                    content.push(char::from(*byte));
                    at += 1;
                }
            }
        }
        self.builder.tree.resolved = content;
        Some(resolved)
    }

    /// Reads the white space at `at` of a source that starts at `start`. A line break makes the
    /// following line the current one, which has to be indented deeper than the collection around
    /// the scalar.
    fn white_space(
        &mut self,
        source: &str,
        at: usize,
        start: usize,
        column: Option<usize>,
    ) -> Option<WhiteSpace> {
        let bytes = source.as_bytes();
        let (mut end, mut breaks, mut has_tab) = (at, 0, false);
        while let Some(byte) = bytes.get(end) {
            match byte {
                b' ' => {}
                b'\t' => has_tab = true,
                b'\r' if bytes.get(end + 1) == Some(&b'\n') => {}
                b'\n' => {
                    breaks += 1;
                    self.line = start + end + 1;
                }
                b'\r' => return None,
                _ => break,
            }
            end += 1;
        }
        let is_deep_enough = column.is_some_and(|column| start + end - self.line > column);
        (breaks == 0 || (is_deep_enough && !has_tab)).then_some(WhiteSpace { end, breaks })
    }
}

/// White space in a quoted scalar.
struct WhiteSpace {
    end: usize,
    breaks: usize,
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
