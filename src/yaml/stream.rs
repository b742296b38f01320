//! A file's text, cut into its head and its documents.

mod splitter;

use std::ops::Range;

use memchr::memmem;

use super::tree::Span;
use crate::line_breaks::{line_end, line_start, lines_with_breaks, next_line};
use splitter::Splitter;

/// One document of a file, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'s> {
    /// The whole chunk: the directives above the marker, the `---` line, the body, a `...` line if
    /// there is one and what follows it that begins no document. Of the first document without the
    /// head of the file.
    pub text: &'s str,
    /// The head of the file, where this is its first document.
    pub head: &'s str,
    /// Where the chunk starts in the file, in bytes.
    pub start: usize,
    /// The body within the chunk: from after the `---` (where nothing but white space or a comment
    /// follows on that line, after its line break and the comments that a blank line sets off),
    /// else from the start, to the `...` line or the end.
    pub body: Span,
    /// The line of the file in which the chunk starts, from 0.
    pub line: usize,
}

/// Cuts a file into documents at its `---` lines (and after a `...` line, where a document follows
/// without `---`).
///
/// The head ([`head`]) and the chunks' texts joined are the file, to the byte. A chunk may be
/// without content (only comments and blank lines), and a file that is all head has no chunk.
///
/// ```
/// use merge3::yaml::stream::split;
///
/// let documents = split("# license\n\n# one\na: 1\n---\n# two\na: 2\n");
/// let texts: Vec<&str> = documents.iter().map(|document| document.text).collect();
/// assert_eq!(texts, ["# one\na: 1\n", "---\n# two\na: 2\n"]);
/// assert_eq!(&texts[1][documents[1].body.range()], "# two\na: 2\n");
/// assert_eq!(documents[1].line, 4);
/// ```
pub fn split(text: &str) -> Vec<Document<'_>> {
    let head = head(text);
    let mut splitter = Splitter {
        text,
        documents: Vec::new(),
        start: head.len(),
        line: count_lines(head),
        takes_directives: marker(head).is_none(),
        marker: None,
        end: None,
    };
    let bytes = text.as_bytes();
    let below = |at: &usize| *at >= head.len();
    let mut starts = memmem::find_iter(bytes, b"---").filter(below).peekable();
    let mut ends = memmem::find_iter(bytes, b"...").filter(below).peekable();
    loop {
        let at = match (starts.peek(), ends.peek()) {
            (Some(start), Some(end)) if start > end => ends.next(),
            (Some(_), _) => starts.next(),
            (None, Some(_)) => ends.next(),
            (None, None) => break,
        };
        let Some(at) = at.filter(|at| is_marker_line(text, *at)) else {
            continue;
        };
        if bytes[at] == b'-' {
            splitter.document_start(at);
        } else {
            splitter.document_end(at);
        }
    }
    splitter.finish();
    splitter.documents
}

/// The head of a file, which is of none of its documents: a byte order mark, and the first comments
/// where a blank line sets them off from what is below, or all that is above the first `---` line.
/// Where the file begins with a `---` line that has nothing behind it, the head is below that.
///
/// ```
/// use merge3::yaml::stream::head;
///
/// assert_eq!(head("# license\n\n# of a\n\na: 1\n"), "# license\n\n");
/// assert_eq!(head("# license\n---\n# of a\n\na: 1\n"), "# license\n");
/// assert_eq!(head("---\n# license\n\na: 1\n"), "---\n# license\n\n");
/// assert_eq!(head("# of a\na: 1\n"), "");
/// ```
pub fn head(text: &str) -> &str {
    let start = byte_order_mark(text);
    let top = skip_comments(text, start);
    let rest = &text[top..];
    let is_at_marker = starts_with_marker(rest) && rest.starts_with('-');
    let end = if rest.is_empty() || rest.starts_with('%') {
        top
    } else if !is_at_marker {
        end_of_head_comments(text, start).unwrap_or_else(|| skip_blank_lines(text, start))
    } else if skip_blank_lines(text, start) < top || !is_bare_marker(rest) {
        top
    } else {
        end_of_head_comments(text, next_line(text, top)).unwrap_or(top)
    };
    &text[..end]
}

/// Where the first comments below a line's start end, with the blank lines below them; `None` where
/// no blank line sets them off from content.
fn end_of_head_comments(text: &str, from: usize) -> Option<usize> {
    let mut at = skip_blank_lines(text, from);
    let first = at;
    while is_comment_line(text, at) {
        at = next_line(text, at);
    }
    let end = skip_blank_lines(text, at);
    (at > first && (end > at || at == text.len())).then_some(end)
}

/// Where the blank lines end that begin at a line's start.
fn skip_blank_lines(text: &str, from: usize) -> usize {
    let mut at = from;
    while at < text.len()
        && text[at..next_line(text, at)]
            .trim_matches(WHITE_SPACE)
            .is_empty()
    {
        at = next_line(text, at);
    }
    at
}

/// Where the comment lines and blank lines end that begin at a line's start.
fn skip_comments(text: &str, from: usize) -> usize {
    let mut at = skip_blank_lines(text, from);
    while is_comment_line(text, at) {
        at = skip_blank_lines(text, next_line(text, at));
    }
    at
}

fn is_comment_line(text: &str, at: usize) -> bool {
    text[at..].trim_start_matches([' ', '\t']).starts_with('#')
}

/// What a blank line may consist of.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Where what belongs to a document begins, from a line's start: below the comments that a blank
/// line sets off. Where there are only comments, at the end.
fn skip_set_off_comments(text: &str, from: usize) -> usize {
    let (mut at, mut end) = (from, from);
    while at < text.len() {
        let next = next_line(text, at);
        match text[at..next].trim_matches(WHITE_SPACE) {
            "" => end = next,
            line if line.starts_with('#') => {}
            _ => return end,
        }
        at = next;
    }
    text.len()
}

/// Where the `---` of a head or a chunk is: before it there are comments, directives and blank
/// lines only.
pub(crate) fn marker(text: &str) -> Option<usize> {
    let mut at = byte_order_mark(text);
    while at < text.len() {
        let line = &text[at..line_end(text, at)];
        if line.starts_with("---") && is_marker_line(text, at) {
            return Some(at);
        }
        let words = line.trim_matches([' ', '\t']);
        if !(words.is_empty() || words.starts_with('#') || line.starts_with('%')) {
            return None;
        }
        at = next_line(text, at);
    }
    None
}

/// The directives and the last `---` line above a document: its own.
pub(crate) fn frame(text: &str) -> Option<Range<usize>> {
    let mut at = byte_order_mark(text);
    let mut start = marker(text)?;
    loop {
        let end = next_line(text, start);
        let Some(next) = marker(&text[end..]) else {
            let lines = lines_with_breaks(&text[at..start]);
            let above = lines.take_while(|line| !line.starts_with('%'));
            return Some(at + above.map(str::len).sum::<usize>()..end);
        };
        (at, start) = (end, end + next);
    }
}

/// Whether nothing but white space follows on the line of a marker.
pub(crate) fn is_bare_marker(text: &str) -> bool {
    text[..line_end(text, 0)].trim_end_matches([' ', '\t']) == "---"
}

/// Where the line below the `---` at `at` starts, if there is nothing but white space or a comment
/// behind the `---`.
pub(crate) fn below_marker(text: &str, at: usize) -> Option<usize> {
    let behind = text[at + 3..line_end(text, at)].trim_start_matches([' ', '\t']);
    (behind.is_empty() || behind.starts_with('#')).then(|| next_line(text, at))
}

/// The byte order mark's length, where a text has one.
pub(crate) fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// Whether three bytes that could be `---` or `...` are a line's first, with white space after
/// them.
fn is_marker_line(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let line_start = at == byte_order_mark(text) || matches!(bytes[at.max(1) - 1], b'\n' | b'\r');
    (line_start || at == 0)
        && matches!(bytes.get(at + 3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

/// Whether a text would begin or end a document, put at the start of a line.
pub(crate) fn starts_with_marker(text: &str) -> bool {
    (text.starts_with("---") || text.starts_with("...")) && is_marker_line(text, 0)
}

/// The start of the line that a byte is in; in the first one, after a byte order mark.
pub(super) fn line_start_of(text: &str, at: usize) -> usize {
    match line_start(text, at) {
        0 => byte_order_mark(text).min(at),
        start => start,
    }
}

/// How many line breaks a text has: LF, CRLF, or CR alone.
pub(crate) fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    if memchr::memchr(b'\r', bytes).is_none() {
        return memchr::memchr_iter(b'\n', bytes).count();
    }
    line_ends(bytes).count()
}

/// Where the last byte of each line break is: LF, CRLF, or CR alone.
pub(super) fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests;
