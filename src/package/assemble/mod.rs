//! A file's text, put together from its documents (rules: Laws, Text): what stays is copied to the
//! byte, what goes takes its `---` along, what comes gets one where it needs one.

use std::path::Path;

use super::head::{has_directives, has_marker, without_marker};
use super::parsed::{Parsed, ParsedFile};
use super::verified::{holds, is_verified, with_end};
use crate::error::Error;
use crate::line_breaks::{ends_line, line_break_of};
use crate::merge::set_off;
use crate::yaml::stream::{byte_order_mark, marker};

/// What becomes of a document of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// It stays as it is.
    Keep,
    /// Its chunk takes this text.
    Replace(String),
    /// A document of another file takes its place.
    Arrive(String),
    /// It goes.
    Remove,
    /// It stays, between conflict markers.
    Mark(Marks),
}

impl Parsed<'_> {
    /// What becomes of a document that goes, while what is below it stays.
    pub(super) fn removed(&self) -> Action {
        match self.tail {
            "" => Action::Remove,
            tail => Action::Replace(tail.to_owned()),
        }
    }
}

/// The conflict markers above and below a document that one side has and the other deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// The lines above it.
    pub(crate) above: String,
    /// The lines below it.
    pub(crate) below: String,
}

/// A document that comes.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// The index of the document before which it is put; their number for the end.
    pub(crate) before: usize,
    /// Its chunk.
    pub(crate) text: String,
    /// The conflict markers around it.
    pub(crate) marks: Option<Marks>,
}

/// A file that is put together: its head, its documents with what becomes of each, and those that
/// come, in the order they are to have.
pub(super) struct Assembly<'c> {
    pub(super) file: &'c ParsedFile<'c>,
    pub(super) head: &'c str,
    /// Whether it begins with a `---` line.
    pub(super) has_marker: bool,
    pub(super) actions: &'c [Action],
    pub(super) insertions: &'c [Insertion],
}

impl<'c> Assembly<'c> {
    /// The chunks that the file is to consist of.
    pub(super) fn chunks(&self) -> Vec<&'c str> {
        let mut coming = self.insertions.iter().peekable();
        let mut chunks: Vec<&str> = Vec::new();
        for (index, (parsed, action)) in self.file.documents.iter().zip(self.actions).enumerate() {
            while let Some(insertion) = coming.next_if(|insertion| insertion.before <= index) {
                chunks.push(&insertion.text);
            }
            match action {
                Action::Keep | Action::Mark(_) => chunks.push(parsed.whole(self.file.text)),
                Action::Replace(text) | Action::Arrive(text) => chunks.push(text),
                Action::Remove => {}
            }
        }
        chunks.extend(coming.map(|insertion| insertion.text.as_str()));
        chunks
    }

    /// The text, with a line break at its end or without, unless a value would be another one by
    /// that. A line break that comes, comes with the blank lines that `updated` has there.
    pub(super) fn text(&self, ends_line: bool, updated: Option<&str>) -> String {
        let chunks = self.chunks();
        let mut text = self.joined();
        if chunks.is_empty() {
            // nothing is below the head that a blank line sets it off from
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
            text.push_str(line_break_of(self.file.text));
        }
        let ended = with_end(&text, ends_line, updated).into_iter().flatten();
        { ended }.find(|it| holds(it, &chunks)).unwrap_or(text)
    }

    /// Checks that a text has these documents and no others (law 6).
    ///
    /// # Errors
    /// Where it has not.
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

    fn joined(&self) -> String {
        let (file, head, actions) = (self.file, self.head, self.actions);
        let mut writer = Writer {
            text: String::with_capacity(file.text.len()),
            line_break: line_break_of(file.text),
            bare: !self.has_marker || marker(head).is_some(),
            is_below_marker: marker(head).is_some(),
            is_empty: true,
            last: None,
        };
        writer.text.push_str(head);
        let mut coming = self.insertions.iter().peekable();
        for (index, (parsed, action)) in file.documents.iter().zip(actions).enumerate() {
            while let Some(insertion) = coming.next_if(|insertion| insertion.before <= index) {
                writer.insert(&insertion.text, insertion.marks.as_ref());
            }
            let (text, marks) = match action {
                Action::Remove => continue,
                Action::Keep => (parsed.whole(file.text), None),
                Action::Replace(text) | Action::Arrive(text) => (text.as_str(), None),
                Action::Mark(marks) => (parsed.whole(file.text), Some(marks)),
            };
            // it may have begun its file, or not begin this one
            let is_other = matches!(action, Action::Arrive(_));
            if is_other || loses_its_start(file, actions, index) {
                writer.insert(text, marks);
                writer.last = Some(index);
            } else {
                writer.keep(index, text, marks);
            }
        }
        for insertion in coming {
            writer.insert(&insertion.text, insertion.marks.as_ref());
        }
        writer.text
    }
}

/// Whether a document that begins below a `...`, without a `---`, has another text above it now
/// that does not end in one.
fn loses_its_start(file: &ParsedFile<'_>, actions: &[Action], index: usize) -> bool {
    let above = index.checked_sub(1).and_then(|above| actions.get(above));
    !has_marker(&file.documents[index].document)
        && matches!(above, Some(Action::Replace(text)) if !ends_in_dots(text))
}

/// Whether the last line with something on it is a `...`.
fn ends_in_dots(text: &str) -> bool {
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !line.trim_end().is_empty());
    last.is_some_and(|line| line.starts_with("..."))
}

struct Writer {
    text: String,
    line_break: &'static str,
    /// Whether the next document is one that starts the file, and does it without `---`.
    bare: bool,
    /// Whether the head ends in a `---`.
    is_below_marker: bool,
    /// Whether no document is written yet.
    is_empty: bool,
    /// The index of the file's own document that was written last, if nothing came after it.
    last: Option<usize>,
}

impl Writer {
    fn keep(&mut self, index: usize, text: &str, marks: Option<&Marks>) {
        let follows = index == 0 || self.last == Some(index - 1);
        let is_framed_otherwise =
            self.is_empty && !self.is_below_marker && self.bare == marker(text).is_some();
        if !follows || is_framed_otherwise || self.is_cut_off(index, text) || self.needs_end(text) {
            self.insert(text, marks);
        } else {
            self.end_document();
            self.mark(marks, |writer| writer.push_chunk(text));
        }
        self.last = Some(index);
        self.bare = false;
    }

    /// Whether a chunk begins with directives, and what is above it does not end in the `...`
    /// that those need.
    fn needs_end(&self, text: &str) -> bool {
        !self.is_empty && has_directives(text) && !ends_in_dots(&self.text)
    }

    /// Whether the first document has lost the place in which it needs no `---`.
    fn is_cut_off(&self, index: usize, text: &str) -> bool {
        index == 0 && !self.is_empty && marker(text).is_none()
    }

    fn insert(&mut self, text: &str, marks: Option<&Marks>) {
        self.end_document();
        let text = &self.after_others(text);
        let bare = std::mem::take(&mut self.bare);
        self.mark(marks, |writer| writer.push_document(text, bare));
        self.last = None;
    }

    /// What `write` writes, between conflict markers.
    fn mark(&mut self, marks: Option<&Marks>, write: impl FnOnce(&mut Self)) {
        let Some(marks) = marks else {
            return write(self);
        };
        self.end_line();
        self.text.push_str(&marks.above);
        write(self);
        self.end_line();
        self.text.push_str(&marks.below);
    }

    /// Has a marker begin a line. To YAML a lone CR ends one, to those who read markers it does
    /// not.
    fn end_line(&mut self) {
        let written = self.text.trim_start_matches('\u{feff}');
        if !written.is_empty() && !written.ends_with('\n') {
            self.text.push_str(self.line_break);
        }
    }

    /// A document with its `---`, unless it is a `bare` one.
    fn push_document(&mut self, text: &str, bare: bool) {
        match (marker(text), without_marker(text)) {
            // behind a marker a byte order mark would be a part of the text
            (None, _) if !bare => {
                let text = &text[byte_order_mark(text)..];
                self.push_chunk(&format!("---{}{text}", self.line_break));
            }
            (Some(_), Some(text)) if bare => self.push_chunk(&text),
            _ => self.push_chunk(text),
        }
    }

    /// A document without a `---` is set off from the comments at the end of the head. One with
    /// directives would be the second document below the `---` of the head.
    fn push_chunk(&mut self, text: &str) {
        if self.is_empty && marker(text).is_none() {
            set_off(&mut self.text, self.line_break);
        }
        if self.is_empty
            && has_directives(text)
            && let Some(head) = without_marker(&self.text)
        {
            self.text = head;
        }
        self.is_empty = false;
        self.text.push_str(text);
    }

    /// A chunk as it can be behind another document: directives need a `...` before them, and
    /// the one that names the version of YAML says there what the head of the file says, or
    /// nothing.
    fn after_others(&mut self, text: &str) -> String {
        if self.is_empty || !has_directives(text) {
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

    /// Repairs a missing newline between two documents.
    fn end_document(&mut self) {
        let written = self.text.trim_start_matches('\u{feff}');
        if !written.is_empty() && !ends_line(written) {
            self.text.push_str(self.line_break);
        }
    }
}

#[cfg(test)]
mod tests;
