//! Reads ordinary documents line by line, which is several times faster than reading the parser's
//! events.
//!
//! An ordinary document has block maps and lists, scalars of every style, comments and brackets. If
//! a document has anything else (an anchor, a tag, `?`, a tab, a directive) or anything that may be
//! wrong, the reader gives up, and the parser reads the whole document and reports the errors. For
//! the documents that it reads, the reader makes the same tree as `events`.
//!
//! Methods return `None` to give up.

mod block_scalar;
mod flow;
mod quoted;
mod scalar;

use super::builder::{DEPTH_LIMIT, TreeBuilder};
use super::comments::span;
use super::cursor::{is_white, skip_spaces};
use super::stored::Tree;
use super::stream::{byte_order_mark, starts_with_marker};
use super::tree::ScalarStyle;
use crate::line_breaks::line_end;
use scalar::{MAX_KEY_LEN, ScannedScalar, Stop};

/// Reads a document. Returns `None` if it is not ordinary or has no content.
pub(super) fn read(text: &str) -> Option<Tree<'_>> {
    // the lines of an ordinary document end with LF or CRLF
    let bytes = text.as_bytes();
    let mut crs = memchr::memchr_iter(b'\r', bytes);
    match crs.any(|cr| bytes.get(cr + 1) != Some(&b'\n')) {
        true => None,
        false => LineReader::new(text).document(),
    }
}

/// A block collection that is being read.
struct Frame {
    /// The column of its entries.
    column: usize,
    is_list: bool,
}

/// Reads an ordinary document line by line.
struct LineReader<'s> {
    builder: TreeBuilder<'s>,
    bytes: &'s [u8],
    /// The start of the current line.
    line: usize,
    frames: Vec<Frame>,
    /// The offset of the `---`, if there is one.
    marker: Option<usize>,
}

impl<'s> LineReader<'s> {
    fn new(text: &'s str) -> Self {
        let start = byte_order_mark(text);
        // an estimate that is usually enough
        let nodes = memchr::memchr_iter(b'\n', text.as_bytes()).count() * 2 + 1;
        Self {
            builder: TreeBuilder::new(Tree::new(text, nodes), start),
            bytes: text.as_bytes(),
            line: start,
            frames: Vec::with_capacity(16),
            marker: None,
        }
    }

    fn document(mut self) -> Option<Tree<'s>> {
        let mut at = self.next_content()?;
        if self.bytes[at..].starts_with(b"---") && self.is_marker(at) {
            self.marker = Some(at);
            let rest = skip_spaces(self.bytes, at + 3);
            self.end_line(at + 3, rest)?;
            at = self.next_content()?;
        }
        self.builder.begin_root(at);
        if matches!(self.bytes.get(at), Some(b'[' | b'{')) {
            self.flow_value(at)?;
            at = self.next_content()?;
        }
        while at < self.bytes.len() {
            self.entry(at)?;
            at = self.next_content()?;
        }
        self.end_missing_value();
        while self.frames.pop().is_some() {
            self.builder.end_collection(None).ok()?;
        }
        self.builder.tree.is_ordinary = true;
        (!self.builder.has_no_root()).then_some(self.builder.tree)
    }

    /// Skips blank lines and comment lines. Returns the start of the next content, or the end of
    /// the text.
    fn next_content(&mut self) -> Option<usize> {
        loop {
            let at = skip_spaces(self.bytes, self.line);
            let end = match self.bytes.get(at) {
                Some(b'\n' | b'\r') => at,
                Some(b'#') => line_end(self.builder.tree.text, at),
                Some(b'\t') => return None,
                None | Some(_) => return Some(at),
            };
            self.line = self.next_line(end);
        }
    }

    /// Reads the line with content at `at`, and the following lines of its last scalar.
    fn entry(&mut self, at: usize) -> Option<()> {
        if self.is_marker(at) {
            return None;
        }
        let is_element = self.is_dash(at);
        let column = at - self.line;
        let is_inside = self.frames.last().is_some_and(|top| column > top.column);
        if !is_element && is_inside && self.missing_value().is_some() {
            // the parser reads a block scalar below its key or dash
            let is_block = matches!(self.bytes[at], b'|' | b'>');
            return if is_block { None } else { self.value(at, true) };
        }
        self.enter_column(at, is_element)?;
        if is_element {
            return self.element(at);
        }
        let key = self.scan_scalar(at)?;
        self.field(at, key)
    }

    /// Reads an element of the innermost list, and the rest of its line.
    fn element(&mut self, at: usize) -> Option<()> {
        let mut at = at;
        loop {
            self.builder.begin_entry(at);
            let value = skip_spaces(self.bytes, at + 1);
            if self.is_line_end(value) || self.bytes[value] == b'#' {
                return self.end_line(at + 1, value);
            }
            if !self.is_dash(value) {
                return self.value(value, true);
            }
            self.begin_collection(value, true)?;
            at = value;
        }
    }

    /// Ends the collections that end above a line with content in this column, and begins the one
    /// that starts there.
    fn enter_column(&mut self, at: usize, is_element: bool) -> Option<()> {
        let column = at - self.line;
        while let Some(top) = self.frames.last() {
            // a list may be at the indentation of its key
            if column > top.column || column == top.column && is_element && !top.is_list {
                // deeper content has to be the missing value
                self.missing_value()?;
                return self.begin_collection(at, is_element);
            }
            let is_next = column == top.column && top.is_list == is_element;
            self.end_missing_value();
            if is_next {
                return Some(());
            }
            self.frames.pop();
            self.builder.end_collection(None).ok()?;
        }
        // a document has only one root
        self.builder.has_no_root().then_some(())?;
        self.begin_collection(at, is_element)
    }

    /// Begins a block collection.
    fn begin_collection(&mut self, at: usize, is_list: bool) -> Option<()> {
        if self.frames.len() == DEPTH_LIMIT {
            return None;
        }
        self.builder.begin_collection(at, !is_list, false);
        let column = at - self.line;
        self.frames.push(Frame { column, is_list });
        Some(())
    }

    /// Reads a field of the innermost map by its key, and the rest of its line.
    fn field(&mut self, at: usize, key: ScannedScalar) -> Option<()> {
        let Stop::Colon(colon) = key.stop else {
            return None;
        };
        if colon - at > MAX_KEY_LEN || !is_white(self.bytes, colon + 1) {
            return None;
        }
        self.builder.begin_entry(at);
        self.push_scalar(at, key);
        self.builder.set_colon(colon);
        let value = skip_spaces(self.bytes, colon + 1);
        if self.is_line_end(value) || self.bytes[value] == b'#' {
            return self.end_line(colon + 1, value);
        }
        self.value(value, false)
    }

    /// Reads the value at `at`. With `may_be_map`, it may be a map that starts on this line.
    fn value(&mut self, at: usize, may_be_map: bool) -> Option<()> {
        match self.bytes[at] {
            b'|' => self.block_scalar(at, ScalarStyle::Literal),
            b'>' => self.block_scalar(at, ScalarStyle::Folded),
            b'[' | b'{' => self.flow_value(at),
            _ => {
                let scanned = self.scan_scalar(at)?;
                if may_be_map && matches!(scanned.stop, Stop::Colon(_)) {
                    self.begin_collection(at, false)?;
                    return self.field(at, scanned);
                }
                self.scalar_value(at, scanned)
            }
        }
    }

    /// Returns the end of the indicator of the innermost entry, if its value is missing. The value
    /// may be on a line below.
    fn missing_value(&self) -> Option<usize> {
        let entry = self.builder.last_entry();
        let entry = entry.filter(|entry| !entry.has_value())?;
        Some(entry.colon().unwrap_or(entry.span.start) as usize + 1)
    }

    /// Adds an empty scalar for a value that is still missing.
    fn end_missing_value(&mut self) {
        if let Some(end) = self.missing_value() {
            self.push_scalar(end, ScannedScalar::plain(end, Stop::LineEnd(end)));
        }
    }

    /// Reads the rest of a line, which may only have a comment. `end` is the end of the last token,
    /// and `at` the next offset that is not white space. Moves to the next line.
    fn end_line(&mut self, end: usize, at: usize) -> Option<()> {
        let line_end = if self.is_line_end(at) {
            at
        } else if self.bytes[at] == b'#' && at > end {
            let line_end = line_end(self.builder.tree.text, at);
            let text = self.builder.tree.text[at..line_end].trim_end_matches([' ', '\t']);
            let comment = span(at, at + text.len());
            self.builder.add_comment(comment, self.line, self.marker);
            line_end
        } else {
            return None;
        };
        self.line = self.next_line(line_end);
        Some(())
    }

    fn is_dash(&self, at: usize) -> bool {
        self.bytes[at] == b'-' && is_white(self.bytes, at + 1)
    }

    /// Whether `---` or `...` is at `at`, at the start of a line.
    fn is_marker(&self, at: usize) -> bool {
        at == self.line && starts_with_marker(&self.builder.tree.text[at..])
    }

    /// Whether a line ends at `at`.
    fn is_line_end(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), None | Some(b'\n' | b'\r'))
    }

    /// Returns the start of the line after the one that ends at `end`.
    fn next_line(&self, end: usize) -> usize {
        match self.bytes.get(end) {
            None => end,
            Some(b'\r') => end + 2,
            Some(_) => end + 1,
        }
    }
}
