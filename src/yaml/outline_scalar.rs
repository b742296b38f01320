//! Where the scalars of plain block YAML end.

use memchr::{memchr, memchr2, memchr3_iter};

use super::outline::{Reader, Text};

/// Where a value ends.
pub(super) enum Ended {
    /// Here, on a line with more to read.
    At(usize),
    /// With the line before the one that starts here.
    Line(usize),
}

impl<'s> Reader<'s> {
    /// A scalar without quotes, and the lines on which it goes on: those indented deeper than
    /// `column`.
    pub(super) fn plain(&self, at: usize, column: usize) -> Option<(Text<'s>, Ended)> {
        let (end, is_commented) = self.plain_line(at)?;
        let text = Text::Is(self.text[at..end].trim_end_matches(' '));
        if is_commented {
            return Some((text, Ended::At(end)));
        }
        let mut next = end + 1;
        let mut text = text;
        while next < self.bytes.len() {
            let start = self.skip_spaces(next);
            match self.bytes.get(start) {
                // one that goes on after a blank line, or that only seems to, is left to a tree
                None | Some(b'\n' | b'#') => break,
                Some(_) if start - next <= column => break,
                Some(b'-' | b'?' | b':' | b'\t') => return None,
                Some(_) => {}
            }
            let (end, is_commented) = self.plain_line(start)?;
            if is_commented {
                return None;
            }
            text = Text::Unread;
            next = end + 1;
        }
        Some((text, Ended::Line(next)))
    }

    /// The end of the part of a scalar that stands on one line, and whether a comment follows.
    fn plain_line(&self, at: usize) -> Option<(usize, bool)> {
        let end = self.line_end(at);
        if memchr(b'\t', &self.bytes[at..end]).is_some() {
            return None;
        }
        match self.sign_in(at, end) {
            None => Some((end, false)),
            Some(sign) if self.bytes[sign] == b'#' => Some((sign - 1, true)),
            Some(_) => None,
        }
    }

    /// A scalar between quotes.
    pub(super) fn quoted(&self, at: usize, column: usize) -> Option<(Text<'s>, Ended)> {
        let quote = self.bytes[at];
        let mut end = at + 1;
        let mut escapes = false;
        loop {
            end += memchr2(quote, b'\\', self.bytes.get(end..)?)?;
            match (self.bytes[end], quote) {
                (b'\\', b'"') => {
                    let escaped = self.bytes.get(end + 1)?;
                    matches!(escaped, b'"' | b'\\' | b'n' | b't' | b'r' | b'/').then_some(())?;
                    end += 2;
                    escapes = true;
                }
                (b'\'', _) if self.bytes.get(end + 1) == Some(&b'\'') => {
                    end += 2;
                    escapes = true;
                }
                (found, quote) if found == quote => break,
                _ => end += 1,
            }
        }
        let content = &self.text[at + 1..end];
        let is_long = memchr(b'\n', content.as_bytes()).is_some();
        if is_long && !self.goes_on_well(content, column) {
            return None;
        }
        let text = if is_long || escapes {
            Text::Unread
        } else {
            Text::Is(content)
        };
        Some((text, Ended::At(end + 1)))
    }

    /// Whether the lines of a quoted scalar, but for the first one, are indented deeper than
    /// `column`; the last one too where nothing but the quote stands on it.
    fn goes_on_well(&self, content: &str, column: usize) -> bool {
        let indent = |line: &str| line.bytes().take_while(|byte| *byte == b' ').count();
        let (above, last) = content.rsplit_once('\n').unwrap_or_default();
        let mut between = above.split('\n').skip(1);
        memchr(b'\t', content.as_bytes()).is_none()
            && indent(last) > column
            && between.all(|line| indent(line) > column || line.is_empty())
    }

    /// The line after a block scalar whose indicator stands here.
    pub(super) fn block_scalar(&self, at: usize, column: usize) -> Option<usize> {
        let chomping = usize::from(matches!(self.bytes.get(at + 1), Some(b'-' | b'+')));
        let header_end = self.skip_spaces(at + 1 + chomping);
        if self.bytes.get(header_end) != Some(&b'\n') {
            return None;
        }
        let first = header_end + 1;
        let indent = self.skip_spaces(first) - first;
        // blank lines above the first one may be indented deeper: that is left to a tree
        if indent <= column || matches!(self.bytes.get(first + indent), None | Some(b'\n' | b'\t'))
        {
            return None;
        }
        let mut line = first;
        while line < self.bytes.len() {
            let start = self.skip_spaces(line);
            let is_blank = matches!(self.bytes.get(start), None | Some(b'\n'));
            if start - line < indent && !is_blank {
                break;
            }
            line = self.line_end(start) + 1;
        }
        Some(line)
    }
}

/// Whether a scalar without quotes can begin with this byte, without any doubt.
pub(super) fn first_of_plain(bytes: &[u8], at: usize) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    match bytes[at] {
        b'-' => bytes
            .get(at + 1)
            .is_some_and(|next| is_safe(*next) || *next == b'-'),
        byte => is_safe(byte) || b"_/.$(+<=~^;\\)".contains(&byte),
    }
}

/// Whether there are characters in a text that readers of YAML may take for line breaks, or may not
/// take at all.
pub(super) fn has_odd_characters(text: &str) -> bool {
    // no branch for each byte: this is compiled to vector instructions
    let (mut odd, mut high) = (false, false);
    for byte in text.bytes() {
        odd |= (byte < 0x20 && byte != b'\n' && byte != b'\t') | (byte == 0x7f);
        high |= byte >= 0x80;
    }
    odd || (high && has_odd_high_characters(text))
}

fn has_odd_high_characters(text: &str) -> bool {
    let is_odd = |c: char| {
        matches!(
            c,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    // the bytes that each of these begins with
    let mut candidates = memchr3_iter(0xc2, 0xe2, 0xef, text.as_bytes());
    candidates.any(|at| text[at..].starts_with(is_odd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_characters_are_found_among_others() {
        let odd = ('\u{0}'..='\u{10ffff}').filter(|c| has_odd_characters(&format!("aé{c}✓🎉")));
        let odd: Vec<u32> = odd.map(u32::from).collect();
        let expected = (0..0x20)
            .chain(0x7f..0xa0)
            .chain([0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff]);
        let expected = expected.filter(|c| !matches!(*c, 0x9 | 0xa));
        assert_eq!(odd, expected.collect::<Vec<_>>());
    }
}
