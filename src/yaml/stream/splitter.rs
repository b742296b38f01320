//! Finds the starts and ends of the documents of a file.

use super::super::comments::span;
use super::{
    Document, below_marker, byte_order_mark, count_lines, is_marker_line, marker,
    skip_set_off_comments,
};
use crate::line_breaks::{line_end, lines_with_breaks, next_line};

/// Collects the chunks of a file, marker by marker.
pub(super) struct Splitter<'s> {
    pub(super) text: &'s str,
    pub(super) documents: Vec<Document<'s>>,
    /// The current chunk: its start in bytes, its line, its `---` and its `...`.
    pub(super) start: usize,
    pub(super) line: usize,
    pub(super) marker: Option<usize>,
    pub(super) end: Option<usize>,
}

impl Splitter<'_> {
    /// Returns the start of the chunk whose `---` is at `at`: the directives above it belong to it.
    pub(super) fn chunk_start(&mut self, at: usize) -> usize {
        self.push_bare_document(at);
        // directives are only valid if no document is open: in a first chunk, or after `...`
        let is_first = || self.documents.is_empty() && marker(&self.text[..self.start]).is_none();
        if self.end.is_none() && (self.marker.is_some() || !is_first()) {
            return at;
        }
        let from = self.end.map_or(self.start, |end| next_line(self.text, end));
        directives_start(self.text, from, at).unwrap_or(at)
    }

    /// Ends the current chunk, if a document without `---` follows its `...` line.
    pub(super) fn push_bare_document(&mut self, until: usize) {
        let Some(end) = self.end else { return };
        let mut start = next_line(self.text, end);
        let mut at = start;
        while at < until {
            let line = self.text[at..line_end(self.text, at)].trim_matches([' ', '\t']);
            let next = next_line(self.text, at);
            if line.starts_with('%') {
                return;
            }
            if line.starts_with("...") && is_marker_line(self.text, at) {
                start = next;
            } else if !line.is_empty() && !line.starts_with('#') {
                self.push_chunk(start);
                return;
            }
            at = next;
        }
    }

    /// Ends the current chunk at `end`, where the next one starts.
    pub(super) fn push_chunk(&mut self, end: usize) {
        if end <= self.start {
            return;
        }
        let below = match self.marker {
            Some(marker) => below_marker(self.text, marker).ok_or(marker + 3),
            None => Ok(self.start),
        };
        let below = below.map(|below| skip_set_off_comments(&self.text[..end], below));
        // otherwise, the body starts on the line of the marker
        let body_start = below.unwrap_or_else(|on_line| on_line);
        let body_end = self.end.unwrap_or(end).max(body_start);
        let text = &self.text[self.start..end];
        let head = match self.documents.is_empty() {
            true => &self.text[..self.start],
            false => "",
        };
        self.documents.push(Document {
            text,
            head,
            start: self.start,
            body: span(body_start - self.start, body_end - self.start),
            line: self.line,
        });
        if end < self.text.len() {
            self.line += count_lines(text);
        }
        self.start = end;
        self.marker = None;
        self.end = None;
    }
}

/// Returns the start of the directives between `from` and `at`.
fn directives_start(text: &str, from: usize, at: usize) -> Option<usize> {
    let from = from + byte_order_mark(&text[from..]);
    let above = lines_with_breaks(&text[from..at]);
    let above = above.take_while(|line| line.starts_with(['#', ' ', '\t', '\n', '\r']));
    let start = from + above.map(str::len).sum::<usize>();
    text[start..at].starts_with('%').then_some(start)
}
