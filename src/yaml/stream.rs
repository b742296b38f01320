//! Splits a file into its head and its documents.

mod splitter;

use std::ops::Range;

use memchr::memmem;

use super::cursor::is_white;
use super::tree::Span;
use crate::line_breaks::{line_end, lines_with_breaks, next_line};
use crate::white_space::trimmed;
use splitter::Splitter;

/// A document of a file, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'s> {
    /// The whole chunk: the directives above the marker, the `---` line, the body, and the `...`
    /// line with the lines below it that start no document. The head of the file is not included.
    pub text: &'s str,
    /// The head of the file, if this is its first document.
    pub head: &'s str,
    /// The start of the chunk, as a byte offset into the file.
    pub start: usize,
    /// The body within the chunk. It starts after the `---`, or at the start of a chunk without
    /// `---`. If only white space or a comment follows the `---` on its line, the body starts below
    /// that line and below the comments that a blank line separates from the content. It ends at
    /// the `...` line or at the end of the chunk.
    pub body: Span,
    /// The number of the line in the file where the chunk starts, from 0.
    pub line: usize,
}

/// Splits a file into documents at its `---` lines, and after a `...` line if a document without
/// `---` follows.
///
/// The head ([`head`]) and the texts of all chunks, joined, are exactly the file. A chunk may have
/// no content, only comments and blank lines. A file that only has a head has no chunks.
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
        marker: None,
        end: None,
    };
    let marker_lines = |marker: &'static str| {
        let found = memmem::find_iter(text.as_bytes(), marker);
        found.filter(|at| *at >= head.len() && is_marker_line(text, *at))
    };
    let mut markers: Vec<usize> = marker_lines("---").chain(marker_lines("...")).collect();
    markers.sort_unstable();
    for at in markers {
        if text[at..].starts_with("...") {
            splitter.end = splitter.end.or(Some(at));
            continue;
        }
        let cut = splitter.chunk_start(at);
        splitter.push_chunk(cut);
        splitter.marker = Some(at);
    }
    splitter.push_bare_document(text.len());
    splitter.push_chunk(text.len());
    splitter.documents
}

/// Returns the head of a file, which belongs to no document: a byte order mark, and either the
/// first comments, if a blank line separates them from what follows, or everything above the first
/// `---` line. If the file starts with a bare `---` line, the first comments are those below that
/// line, and the head includes both.
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
    let is_comment_or_blank = |line: &str| line.is_empty() || line.starts_with('#');
    let top = skip_lines(text, start, is_comment_or_blank);
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

/// Returns the end of the first comments from the start of a line, with the blank lines below them,
/// or `None` if no blank line separates them from content.
fn end_of_head_comments(text: &str, from: usize) -> Option<usize> {
    let first = skip_blank_lines(text, from);
    let at = skip_lines(text, first, |line| line.starts_with('#'));
    let end = skip_blank_lines(text, at);
    (at > first && (end > at || at == text.len())).then_some(end)
}

/// Returns the end of the lines from `from` on that are all a part. `is_part` takes a line without
/// the white space around it.
fn skip_lines(text: &str, from: usize, is_part: impl Fn(&str) -> bool) -> usize {
    let lines = lines_with_breaks(&text[from..]);
    let lines = lines.take_while(|line| is_part(trimmed(line)));
    from + lines.map(str::len).sum::<usize>()
}

/// Returns the end of the blank lines that start at `from`.
fn skip_blank_lines(text: &str, from: usize) -> usize {
    skip_lines(text, from, str::is_empty)
}

/// Returns the start of the lines that belong to a document, from the start of a line: below the
/// comments that a blank line separates. If there are only comments, returns the end of the text.
fn skip_set_off_comments(text: &str, from: usize) -> usize {
    let (mut at, mut end) = (from, from);
    while at < text.len() {
        let next = next_line(text, at);
        match trimmed(&text[at..next]) {
            "" => end = next,
            line if line.starts_with('#') => {}
            _ => return end,
        }
        at = next;
    }
    text.len()
}

/// Returns the offset of the `---` of a head or a chunk. Only comments, directives and blank lines
/// may precede it.
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

/// Returns the frame of a document: its directives and the last `---` line above it.
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

/// Whether only white space follows a marker on its line.
pub(crate) fn is_bare_marker(text: &str) -> bool {
    text[..line_end(text, 0)].trim_end_matches([' ', '\t']) == "---"
}

/// Returns the start of the line below the `---` at `at`, if only white space or a comment follows
/// the `---`.
pub(crate) fn below_marker(text: &str, at: usize) -> Option<usize> {
    let behind = text[at + 3..line_end(text, at)].trim_start_matches([' ', '\t']);
    (behind.is_empty() || behind.starts_with('#')).then(|| next_line(text, at))
}

/// Returns the length of the byte order mark of a text, or 0 if it has none.
pub(crate) fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// Whether the `---` or `...` at `at` is at the start of a line and followed by white space.
pub(super) fn is_marker_line(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let line_start = at == byte_order_mark(text) || matches!(bytes[at.max(1) - 1], b'\n' | b'\r');
    (line_start || at == 0) && is_white(bytes, at + 3)
}

/// Whether a text at the start of a line would start or end a document.
pub(crate) fn starts_with_marker(text: &str) -> bool {
    (text.starts_with("---") || text.starts_with("...")) && is_marker_line(text, 0)
}

/// Returns the number of line breaks in a text: LF, CRLF, or a lone CR.
pub(crate) fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    if memchr::memchr(b'\r', bytes).is_none() {
        return memchr::memchr_iter(b'\n', bytes).count();
    }
    line_ends(bytes).count()
}

/// Returns the offset of the last byte of each line break: LF, CRLF, or a lone CR.
pub(super) fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests;
