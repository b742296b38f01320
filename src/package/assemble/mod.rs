//! Assembles the text of a merged file from its documents (rules: Laws, Text).
//!
//! [`Assembly`] takes the local file, an [`Action`] for each of its documents, and the documents to
//! insert. Kept documents are copied to the byte. A removed document loses its `---` line too, and
//! an inserted document gets one where it needs one.

use std::borrow::Cow;
use std::path::Path;

use super::head::{has_directives, without_marker};
use super::parsed::{Parsed, ParsedFile};
use crate::error::Error;
use crate::line_breaks::{cut_first_line, ends_line, line_break_of, with_line_break};
use crate::merge::markers::write_hunk;
use crate::merge::{MarkerStyle, set_off};
use crate::triple::Triple;
use crate::white_space::is_white_space;
use crate::yaml::stream::{byte_order_mark, marker, split};
use crate::yaml::{Tree, equal_documents};

/// What the merge does with a document of the local file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Copies the document to the byte.
    Keep,
    /// Replaces its chunk with this text.
    Replace(String),
    /// Removes the document.
    Remove,
    /// Keeps the document, between conflict markers.
    Mark(Box<Marks>),
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marks {
    /// The original's document.
    pub(crate) original: String,
    /// Whether local has the document, and not upstream.
    pub(crate) is_local: bool,
    pub(crate) style: MarkerStyle,
}

/// A document to insert.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// The position of the document that it is inserted before; the number of documents for the
    /// end.
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
    /// The position in the merged file of each document of `file`, among these.
    pub(super) positions: &'c [usize],
    /// The inserted documents.
    pub(super) insertions: &'c [Insertion],
}

/// A document of the merged file.
struct Part<'c> {
    text: &'c str,
    marks: Option<&'c Marks>,
    /// Its position among the documents of the file; if it is inserted, [`Insertion::before`].
    place: usize,
    /// Its index in the file; `None` if it is inserted.
    index: Option<usize>,
}

impl<'c> Assembly<'c> {
    /// Returns the documents of the merged file, in order.
    fn parts(&self) -> Vec<Part<'c>> {
        let inserted = self.insertions.iter().map(|insertion| Part {
            text: &insertion.text,
            marks: insertion.marks.as_ref(),
            place: insertion.before,
            index: None,
        });
        let documents = self.file.documents.iter().zip(self.actions).enumerate();
        let own = documents.filter_map(|(index, (parsed, action))| {
            let (text, marks) = match action {
                Action::Remove => return None,
                Action::Keep => (parsed.whole(self.file.text), None),
                Action::Replace(text) => (text.as_str(), None),
                Action::Mark(marks) => (parsed.whole(self.file.text), Some(&**marks)),
            };
            Some(Part {
                text,
                marks,
                place: self.positions[index],
                index: Some(index),
            })
        });
        let mut parts = Vec::with_capacity(self.insertions.len() + self.actions.len());
        parts.extend(inserted.chain(own));
        parts.sort_by_key(|part| part.place);
        parts
    }

    /// Returns the chunks of the merged file, in order.
    pub(super) fn chunks(&self) -> Vec<&'c str> {
        // `into_iter` would collect into the memory of the parts, which is larger
        self.parts().iter().map(|part| part.text).collect()
    }

    /// Returns the text of the merged file, which has `chunks`. `ends_line` says whether it ends
    /// with a line break; this is ignored where it would change a value. An added line break comes
    /// with the blank lines at the end of `updated`.
    pub(super) fn text(&self, chunks: &[&str], ends_line: bool, updated: Option<&str>) -> String {
        let mut text = self.joined();
        if chunks.is_empty() {
            // without a document, no blank line has to set the head off
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
            text.push_str(line_break_of(self.file.text));
        }
        let mut candidates = with_end(&text, ends_line, updated).into_iter().flatten();
        candidates.find(|it| holds(it, chunks)).unwrap_or(text)
    }

    /// Returns the text of the merged file; its end is not merged yet.
    fn joined(&self) -> String {
        let mut writer = Writer {
            text: String::with_capacity(self.file.text.len()),
            line_break: line_break_of(self.file.text),
            has_marker: self.has_marker,
            keeps_head_marker: marker(self.file.head).is_some() && marker(self.head).is_some(),
            has_no_document: true,
        };
        writer.text.push_str(self.head);
        let mut above = None;
        for part in self.parts() {
            let is_in_place = part
                .index
                .is_some_and(|index| index.checked_sub(1) == above);
            above = part.index;
            writer.write(&part, is_in_place);
        }
        writer.text
    }
}

/// Checks that a text has exactly the chunks of an assembly (law 6).
///
/// # Errors
/// [`Error::Verification`] if it does not. `path` is the file that the error names.
pub(super) fn verify(path: &Path, text: &str, chunks: &[&str]) -> Result<(), Error> {
    match is_verified(text, chunks) {
        true => Ok(()),
        false => Err(Error::Verification {
            file: path.to_owned(),
            path: String::new(),
            message: "its documents are not those that were put into it".to_owned(),
        }),
    }
}

/// Returns true if the last line that is not blank is a `...` line.
fn ends_with_end_marker(text: &str) -> bool {
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !is_white_space(line));
    last.is_some_and(|line| line.starts_with("..."))
}

/// Returns true if a chunk has a `---` line below a conflict over the comments above it.
fn has_marker_below_conflict(text: &str) -> bool {
    // no content begins with this, whatever the size of the markers is
    let ends = text.match_indices("\n>>");
    let mut below = ends.map(|(at, _)| cut_first_line(&text[at + 1..]).1);
    below.any(|below| marker(below).is_some())
}

/// Writes the documents of a file one after the other, and adds and drops `---` lines as needed.
struct Writer {
    text: String,
    line_break: &'static str,
    /// Whether the file begins with a `---` line.
    has_marker: bool,
    /// Whether the head has a `---` line, in the file and in the result.
    keeps_head_marker: bool,
    /// Whether no document was written yet.
    has_no_document: bool,
}

impl Writer {
    /// Writes a document. `is_in_place` says that it is below the same document as in its file, or
    /// is the first one there and here.
    fn write(&mut self, part: &Part<'_>, is_in_place: bool) {
        self.end_line(ends_line);
        let needs_no_marker = match self.has_no_document {
            true => self.keeps_head_marker,
            false => ends_with_end_marker(&self.text),
        };
        let text = match is_in_place && needs_no_marker {
            true => part.text.into(),
            false => self.adapted(part.text),
        };
        if part.marks.is_some() {
            // a lone CR is a line break in YAML, but not to programs that read conflict markers
            self.end_line(|written| written.ends_with('\n'));
        } else if self.has_no_document && marker(&text).is_none() {
            // the comments at the end of the head are not those of the document
            set_off(&mut self.text, self.line_break);
        }
        self.has_no_document = false;
        let Some(marks) = part.marks else {
            return self.text.push_str(&text);
        };
        let [updated, local] = match marks.is_local {
            true => ["", &text],
            false => [&text, ""],
        };
        let lines = Triple::new(&*marks.original, updated, local);
        write_hunk(&mut self.text, lines, &marks.style);
    }

    /// Ends the last line, unless `is_ended` says that the text already ends with a line break.
    fn end_line(&mut self, is_ended: impl Fn(&str) -> bool) {
        let written = self.text.trim_start_matches('\u{feff}');
        if !written.is_empty() && !is_ended(written) {
            self.text.push_str(self.line_break);
        }
    }

    /// Returns a chunk with a `---` line or without one, as its place needs it.
    fn adapted<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let needs_no_marker =
            self.has_no_document && (!self.has_marker || marker(&self.text).is_some());
        match marker(text) {
            Some(_) if needs_no_marker => match without_marker(text) {
                Some(text) => text.into(),
                None => {
                    // the `---` line of the head would begin a document of its own
                    if let Some(head) = without_marker(&self.text) {
                        self.text = head;
                    }
                    text.into()
                }
            },
            Some(at) if !self.has_no_document => self.adapt_directives(text, at),
            None if !needs_no_marker && !has_marker_below_conflict(text) => {
                // below a `---` line, a byte order mark would be part of the content
                let text = &text[byte_order_mark(text)..];
                format!("---{}{text}", self.line_break).into()
            }
            _ => text.into(),
        }
    }

    /// Returns a chunk as it can follow another document. `%YAML` is dropped. Other directives
    /// stay, and a `...` line is written above them. `marker` is the offset of its `---` line.
    fn adapt_directives<'t>(&mut self, text: &'t str, marker: usize) -> Cow<'t, str> {
        let (above, below) = text.split_at(marker);
        if !has_directives(text) {
            return text.into();
        }
        let lines = above.split_inclusive('\n');
        let kept: String = lines.filter(|line| !line.starts_with("%YAML")).collect();
        if kept.lines().any(|line| line.starts_with('%')) {
            self.text.push_str("...");
            self.text.push_str(self.line_break);
        }
        (kept + below).into()
    }
}

/// Returns the merged text with a line break at its end, or without one, in two variants, the
/// preferred one first; `None` if a variant is not needed. An added line break comes with the blank
/// lines that upstream has there; without one there are no blank lines.
pub(super) fn with_end(text: &str, ends: bool, updated: Option<&str>) -> [Option<String>; 2] {
    if ends {
        let end = updated.map_or("", |updated| {
            &updated[updated.trim_end_matches(['\r', '\n']).len()..]
        });
        let line_break = line_break_of(text);
        let ends = [with_line_break(end, line_break), line_break.into()];
        let lacks_end = !text.is_empty() && !ends_line(text);
        return ends.map(|end| (lacks_end && !end.is_empty()).then(|| text.to_owned() + &end));
    }
    let without_last = text.strip_suffix('\n');
    let without_last = without_last.map(|text| text.strip_suffix('\r').unwrap_or(text));
    let without_all = without_last.map(|text| text.trim_end_matches(['\r', '\n']));
    [without_all, without_last].map(|text| text.map(str::to_owned))
}

/// Returns true if a text has the documents of these chunks and no others (rules: Laws). If it
/// splits into these very chunks, their values need no comparison.
pub(super) fn is_verified(text: &str, chunks: &[&str]) -> bool {
    let texts = split(text).into_iter().map(|document| document.text);
    texts.eq(chunks.iter().copied()) || holds(text, chunks)
}

/// Returns true if `text` has the documents of these chunks and no others, each with equal values
/// (rules: Laws).
pub(crate) fn holds(text: &str, chunks: &[&str]) -> bool {
    // a chunk may have `---` lines above its document, or below
    let mut expected = chunks.iter().flat_map(|chunk| trees(chunk));
    let is_next = |found: Option<Tree<'_>>| {
        matches!((found, expected.next()), (Some(found), Some(Some(expected)))
            if equal_documents(&found, &expected))
    };
    trees(text).all(is_next) && expected.next().is_none()
}

/// Returns the trees of the documents with content; `None` for one that cannot be parsed.
pub(crate) fn trees(text: &str) -> impl Iterator<Item = Option<Tree<'_>>> {
    let documents = split(text).into_iter();
    let trees = documents.filter_map(|document| Tree::parse(document.text).transpose());
    trees.map(Result::ok)
}

#[cfg(test)]
mod tests;
