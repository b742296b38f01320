//! Assembles the text of a merged file from its documents (rules: Laws, Text).
//!
//! [`Assembly`] takes the local file, an [`Action`] for each of its documents, and the documents to
//! insert. Kept documents are copied to the byte. A removed document loses its `---` line too, and
//! an inserted document gets one where it needs one.

use std::path::Path;

use super::head::{has_directives, has_marker, without_marker};
use super::parsed::{Parsed, ParsedFile};
use super::verified::{holds, is_verified, with_end};
use crate::error::Error;
use crate::line_breaks::{ends_line, line_break_of};
use crate::merge::set_off;
use crate::yaml::stream::{byte_order_mark, marker};

/// What the merge does with a document of the local file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Copies the document to the byte.
    Keep,
    /// Replaces its chunk with this text.
    Replace(String),
    /// Puts this document of another file in its place.
    Arrive(String),
    /// Removes the document.
    Remove,
    /// Keeps the document, between conflict markers.
    Mark(Marks),
}

impl Parsed<'_> {
    /// Returns the action that removes a document and keeps its tail.
    pub(super) fn removed(&self) -> Action {
        match self.tail {
            "" => Action::Remove,
            tail => Action::Replace(tail.to_owned()),
        }
    }
}

/// The conflict markers around a document that one side has and the other one deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// The marker lines above the document.
    pub(crate) above: String,
    /// The marker lines below the document.
    pub(crate) below: String,
}

/// A document to insert.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// The index of the document that it is inserted before; the number of documents for the end.
    pub(crate) before: usize,
    /// The text of its chunk.
    pub(crate) text: String,
    /// The conflict markers around it, if it is a conflict.
    pub(crate) marks: Option<Marks>,
}

/// The parts of a merged file.
pub(super) struct Assembly<'c> {
    /// The file that `actions` change.
    pub(super) file: &'c ParsedFile<'c>,
    /// The head of the merged file.
    pub(super) head: &'c str,
    /// Whether the merged file begins with a `---` line.
    pub(super) has_marker: bool,
    /// One action for each document of `file`.
    pub(super) actions: &'c [Action],
    /// The inserted documents, sorted by [`Insertion::before`].
    pub(super) insertions: &'c [Insertion],
}

impl<'c> Assembly<'c> {
    /// Returns the chunks of the merged file, in order.
    pub(super) fn chunks(&self) -> Vec<&'c str> {
        let mut insertions = self.insertions.iter().peekable();
        let mut chunks: Vec<&str> = Vec::new();
        for (index, (parsed, action)) in self.file.documents.iter().zip(self.actions).enumerate() {
            while let Some(insertion) = insertions.next_if(|insertion| insertion.before <= index) {
                chunks.push(&insertion.text);
            }
            match action {
                Action::Keep | Action::Mark(_) => chunks.push(parsed.whole(self.file.text)),
                Action::Replace(text) | Action::Arrive(text) => chunks.push(text),
                Action::Remove => {}
            }
        }
        chunks.extend(insertions.map(|insertion| insertion.text.as_str()));
        chunks
    }

    /// Returns the text of the merged file. `ends_line` says whether it ends with a line break;
    /// this is ignored where it would change a value. An added line break comes with the blank
    /// lines at the end of `updated`.
    pub(super) fn text(&self, ends_line: bool, updated: Option<&str>) -> String {
        let chunks = self.chunks();
        let mut text = self.joined();
        if chunks.is_empty() {
            // without a document, no blank line has to set the head off
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
            text.push_str(line_break_of(self.file.text));
        }
        let mut candidates = with_end(&text, ends_line, updated).into_iter().flatten();
        candidates.find(|it| holds(it, &chunks)).unwrap_or(text)
    }

    /// Checks that a text has exactly the documents of this assembly (law 6).
    ///
    /// # Errors
    /// [`Error::Verification`] if it does not. `path` is the file that the error names.
    pub(super) fn verify(&self, path: &Path, text: &str) -> Result<(), Error> {
        match is_verified(text, &self.chunks()) {
            true => Ok(()),
            false => Err(Error::Verification {
                file: path.to_owned(),
                path: String::new(),
                message: "its documents are not those that were put into it".to_owned(),
            }),
        }
    }

    /// Returns the text of the merged file; its end is not merged yet.
    fn joined(&self) -> String {
        let (file, head, actions) = (self.file, self.head, self.actions);
        let mut writer = Writer {
            text: String::with_capacity(file.text.len()),
            line_break: line_break_of(file.text),
            omits_marker: !self.has_marker || marker(head).is_some(),
            is_below_marker: marker(head).is_some(),
            has_no_document: true,
            last_own: None,
        };
        writer.text.push_str(head);
        let mut insertions = self.insertions.iter().peekable();
        for (index, (parsed, action)) in file.documents.iter().zip(actions).enumerate() {
            while let Some(insertion) = insertions.next_if(|insertion| insertion.before <= index) {
                writer.insert(&insertion.text, insertion.marks.as_ref());
            }
            let (text, marks) = match action {
                Action::Remove => continue,
                Action::Keep => (parsed.whole(file.text), None),
                Action::Replace(text) | Action::Arrive(text) => (text.as_str(), None),
                Action::Mark(marks) => (parsed.whole(file.text), Some(marks)),
            };
            // it may have been the first document of its file, or may not be the first one here
            let is_of_other_file = matches!(action, Action::Arrive(_));
            if is_of_other_file || lost_end_marker_above(file, actions, index) {
                writer.insert(text, marks);
                writer.last_own = Some(index);
            } else {
                writer.keep(index, text, marks);
            }
        }
        for insertion in insertions {
            writer.insert(&insertion.text, insertion.marks.as_ref());
        }
        writer.text
    }
}

/// Returns true if a document has no `---` line because the document above it ended with `...`,
/// and the new text of that one does not end with `...`.
fn lost_end_marker_above(file: &ParsedFile<'_>, actions: &[Action], index: usize) -> bool {
    let above = index.checked_sub(1).and_then(|above| actions.get(above));
    !has_marker(&file.documents[index].document)
        && matches!(above, Some(Action::Replace(text)) if !ends_with_end_marker(text))
}

/// Returns true if the last line that is not blank is a `...` line.
fn ends_with_end_marker(text: &str) -> bool {
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !line.trim_end().is_empty());
    last.is_some_and(|line| line.starts_with("..."))
}

/// Writes the chunks of a file one after the other, and adds and drops `---` lines as needed.
struct Writer {
    text: String,
    line_break: &'static str,
    /// Whether the next document is written without a `---` line: it is the first one, and the file
    /// begins without `---` or the head has it.
    omits_marker: bool,
    /// Whether the head has a `---` line.
    is_below_marker: bool,
    /// Whether no document was written yet.
    has_no_document: bool,
    /// The index of the file's own document that was written last; none if an inserted document
    /// was written after it.
    last_own: Option<usize>,
}

impl Writer {
    /// Writes a document of the file. Its `---` line stays as it is if the document is below the
    /// same document as before.
    fn keep(&mut self, index: usize, text: &str, marks: Option<&Marks>) {
        let follows = index == 0 || self.last_own == Some(index - 1);
        let changes_marker = self.has_no_document
            && !self.is_below_marker
            && self.omits_marker == marker(text).is_some();
        if !follows
            || changes_marker
            || self.needs_marker(index, text)
            || self.needs_end_marker(text)
        {
            self.insert(text, marks);
        } else {
            self.end_document();
            self.with_marks(marks, |writer| writer.push_chunk(text));
        }
        self.last_own = Some(index);
        self.omits_marker = false;
    }

    /// Returns true if a chunk begins with directives and the text above it lacks the `...` line
    /// that directives need.
    fn needs_end_marker(&self, text: &str) -> bool {
        !self.has_no_document && has_directives(text) && !ends_with_end_marker(&self.text)
    }

    /// Returns true if the file's first document has no `---` line and is no longer the first one.
    fn needs_marker(&self, index: usize, text: &str) -> bool {
        index == 0 && !self.has_no_document && marker(text).is_none()
    }

    /// Writes a document that may have been at another place, with or without a `---` line as
    /// needed.
    fn insert(&mut self, text: &str, marks: Option<&Marks>) {
        self.end_document();
        let text = &self.adapt_directives(text);
        let omits_marker = std::mem::take(&mut self.omits_marker);
        self.with_marks(marks, |writer| writer.push_document(text, omits_marker));
        self.last_own = None;
    }

    /// Calls `write`, and writes conflict markers around its text if there are any.
    fn with_marks(&mut self, marks: Option<&Marks>, write: impl FnOnce(&mut Self)) {
        let Some(marks) = marks else {
            return write(self);
        };
        self.end_line();
        self.text.push_str(&marks.above);
        write(self);
        self.end_line();
        self.text.push_str(&marks.below);
    }

    /// Ends the last line, so that a conflict marker begins a line. A lone CR is a line break in
    /// YAML, but not to programs that read conflict markers.
    fn end_line(&mut self) {
        let written = self.text.trim_start_matches('\u{feff}');
        if !written.is_empty() && !written.ends_with('\n') {
            self.text.push_str(self.line_break);
        }
    }

    /// Writes a chunk with a `---` line, or without one if `omits_marker` is set.
    fn push_document(&mut self, text: &str, omits_marker: bool) {
        match (marker(text), without_marker(text)) {
            // below a `---` line, a byte order mark would be part of the content
            (None, _) if !omits_marker => {
                let text = &text[byte_order_mark(text)..];
                self.push_chunk(&format!("---{}{text}", self.line_break));
            }
            (Some(_), Some(text)) if omits_marker => self.push_chunk(&text),
            _ => self.push_chunk(text),
        }
    }

    /// Writes a chunk. A first document without a `---` line is set off from the comments at the
    /// end of the head. If it has directives, the head loses its `---` line: below that line, they
    /// would begin a second document.
    fn push_chunk(&mut self, text: &str) {
        if self.has_no_document && marker(text).is_none() {
            set_off(&mut self.text, self.line_break);
        }
        if self.has_no_document
            && has_directives(text)
            && let Some(head) = without_marker(&self.text)
        {
            self.text = head;
        }
        self.has_no_document = false;
        self.text.push_str(text);
    }

    /// Returns a chunk as it can follow another document. `%YAML` is dropped. Other directives
    /// stay, and a `...` line is written above them.
    fn adapt_directives(&mut self, text: &str) -> String {
        if self.has_no_document || !has_directives(text) {
            return text.to_owned();
        }
        let above = marker(text).map_or("", |at| &text[..at]);
        let kept: String = above
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("%YAML"))
            .collect();
        if kept.lines().any(|line| line.starts_with('%')) {
            self.text.push_str("...");
            self.text.push_str(self.line_break);
        }
        format!("{kept}{}", &text[above.len()..])
    }

    /// Adds a missing line break between two documents.
    fn end_document(&mut self) {
        let written = self.text.trim_start_matches('\u{feff}');
        if !written.is_empty() && !ends_line(written) {
            self.text.push_str(self.line_break);
        }
    }
}

#[cfg(test)]
mod tests;
