//! Where the documents of a file begin and end.

use super::super::tree::Span;
use super::{
    Document, below_marker, byte_order_mark, count_lines, is_marker_line, line_before, set_off,
};
use crate::line_breaks::{line_end, next_line};

pub(super) struct Splitter<'s> {
    pub(super) text: &'s str,
    pub(super) documents: Vec<Document<'s>>,
    /// Of the chunk that is being read: where it starts, in bytes and lines, its `---` and its
    /// `...`.
    pub(super) start: usize,
    pub(super) line: usize,
    pub(super) marker: Option<usize>,
    pub(super) end: Option<usize>,
    /// Whether directives may be at its start: not below a `---` in the head.
    pub(super) takes_directives: bool,
}

impl Splitter<'_> {
    pub(super) fn document_start(&mut self, at: usize) {
        let cut = self.cut_before(at);
        self.push(cut);
        self.marker = Some(at);
    }

    pub(super) fn document_end(&mut self, at: usize) {
        if self.end.is_none() {
            self.end = Some(at);
        }
    }

    pub(super) fn finish(&mut self) {
        self.bare_document(self.text.len());
        self.push(self.text.len());
    }

    /// Where the document whose `---` is at `at` begins: with the directives and the comment
    /// lines right above.
    fn cut_before(&mut self, at: usize) -> usize {
        self.bare_document(at);
        // directives are only where no document is open: in a first chunk, or after `...`
        if self.marker.is_none() && self.takes_directives || self.end.is_some() {
            let from = self.end.map_or(self.start, |end| next_line(self.text, end));
            if let Some(cut) = directives_start(self.text, from, at) {
                return cut;
            }
        }
        let open = &self.text[self.body_start()..at];
        let from = self
            .end
            .map_or_else(|| self.body_start(), |end| next_line(self.text, end));
        let cut = comments_above(self.text, from, at);
        let lines = &self.text[cut..at];
        let above = &open[..open.len().saturating_sub(lines.len())];
        if self.end.is_none() && owns_hash_lines(above, lines) {
            return at;
        }
        cut
    }

    /// After a `...` line a document may follow that has no `---`: it is a chunk of its own.
    fn bare_document(&mut self, until: usize) {
        let Some(end) = self.end else { return };
        let mut at = next_line(self.text, end);
        while at < until {
            let line = self.text[at..line_end(self.text, at)].trim_matches([' ', '\t']);
            if line.starts_with('%') {
                return;
            }
            let is_end = line.starts_with("...") && is_marker_line(self.text, at);
            if !(line.is_empty() || line.starts_with('#') || is_end) {
                let cut = comments_above(self.text, next_line(self.text, end), at);
                self.push(cut);
                return;
            }
            at = next_line(self.text, at);
        }
    }

    fn body_start(&self) -> usize {
        let Some(marker) = self.marker else {
            return self.start;
        };
        below_marker(self.text, marker).unwrap_or(marker + 3)
    }

    /// Ends the chunk at `end`, and starts the next one there.
    fn push(&mut self, end: usize) {
        if end <= self.start {
            return;
        }
        let body_start = match self.body_start() {
            // what is behind a marker on its line
            start if self.marker == start.checked_sub(3) => start,
            start => set_off(&self.text[..end], start),
        };
        let body_end = self.end.unwrap_or(end).max(body_start);
        let text = &self.text[self.start..end];
        let span = |offset: usize| u32::try_from(offset - self.start).unwrap_or(u32::MAX);
        let head = match self.documents.is_empty() {
            true => &self.text[..self.start],
            false => "",
        };
        self.documents.push(Document {
            text,
            head,
            start: self.start,
            body: Span::new(span(body_start), span(body_end)),
            line: self.line,
        });
        if end < self.text.len() {
            self.line += count_lines(text);
        }
        self.start = end;
        self.marker = None;
        self.end = None;
        self.takes_directives = false;
    }
}

/// Where the comment lines in column 0 begin that are right above `at`, a line's start; `at`
/// where there are none.
fn comments_above(text: &str, from: usize, at: usize) -> usize {
    let mut cut = at;
    while cut > from {
        let above = line_before(text, cut);
        if above < from || !text[above..].starts_with('#') {
            break;
        }
        cut = above;
    }
    cut
}

/// Where the directives between `from` and `at` begin, with the comment lines right above them.
fn directives_start(text: &str, from: usize, at: usize) -> Option<usize> {
    let first = from + byte_order_mark(&text[from..]);
    let mut line = first;
    while line < at {
        if text[line..].starts_with('%') {
            return Some(comments_above(text, first, line));
        }
        if !matches!(text.as_bytes()[line], b'#' | b' ' | b'\t' | b'\n' | b'\r') {
            return None;
        }
        line = next_line(text, line);
    }
    None
}

/// Whether lines that look like comments are, or may be, a part of the root scalar of the document
/// above them.
fn owns_hash_lines(open: &str, lines: &str) -> bool {
    let mut root = open.trim_start();
    loop {
        root = match root.as_bytes().first() {
            Some(b'&' | b'!') => root
                .find([' ', '\t', '\n', '\r'])
                .map_or("", |end| root[end..].trim_start()),
            Some(b'#') => root[line_end(root, 0)..].trim_start(),
            _ => break,
        };
    }
    match root.as_bytes().first() {
        Some(b'|' | b'>') => true,
        Some(b'"' | b'\'') => !is_closed(root),
        Some(b'{' | b'[') => lines.contains(['"', '\'']),
        _ => false,
    }
}

/// Whether the quotes that a text begins with are closed in it.
fn is_closed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((quote, rest)) = bytes.split_first() else {
        return false;
    };
    let mut rest = rest.iter().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' if *quote == b'"' => {
                rest.next();
            }
            _ if byte != quote => {}
            b'\'' if rest.next_if_eq(&quote).is_some() => {}
            _ => return true,
        }
    }
    false
}
