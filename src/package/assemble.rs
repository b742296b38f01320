//! A file's text, put together from its documents (rules: Laws, Text): what stays is copied to the
//! byte, what goes takes its `---` along, what comes gets one where it needs one.

use super::head::{has_directives, has_marker, without_marker};
use super::parsed::ParsedFile;
use crate::line_breaks::{ends_line, line_break_of, push};
use crate::merge::set_off;
use crate::yaml::stream::{byte_order_mark, marker, split};

/// What becomes of a document of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// It stays as it is.
    Keep,
    /// Its chunk takes this text.
    Replace(String),
    /// It goes.
    Remove,
    /// It stays, between conflict markers.
    Mark(Marks),
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

/// Puts a file together: its head, its documents with what becomes of each, and those that come, in
/// the order they are to have.
pub(crate) fn assemble(
    file: &ParsedFile<'_>,
    head: &str,
    actions: &[Action],
    insertions: &[Insertion],
) -> String {
    let first = file.documents.iter().find(|parsed| parsed.has_content);
    let first_is_bare = first.is_some_and(|parsed| !has_marker(&parsed.document));
    let mut writer = Writer {
        text: String::with_capacity(file.text.len()),
        line_break: line_break_of(file.text),
        bare: first_is_bare || marker(head).is_some(),
        is_empty: true,
        last: None,
        chunk: 0,
    };
    writer.text.push_str(head);
    let mut coming = insertions.iter().peekable();
    for (index, (parsed, action)) in file.documents.iter().zip(actions).enumerate() {
        while let Some(insertion) = coming.next_if(|insertion| insertion.before <= index) {
            writer.insert(&insertion.text, insertion.marks.as_ref());
        }
        let (text, marks) = match action {
            Action::Remove => continue,
            Action::Keep => (parsed.document.text, None),
            Action::Replace(text) => (text.as_str(), None),
            Action::Mark(marks) => (parsed.document.text, Some(marks)),
        };
        // a document of another file takes its place, where it began that file, or does not begin
        // this one
        let is_other = has_marker(&parsed.document) != marker(text).is_some();
        if is_other || loses_its_start(file, actions, index) {
            writer.insert(text, marks);
            writer.last = Some(index);
        } else {
            writer.keep(index, text, parsed.has_content, marks);
        }
    }
    for insertion in coming {
        writer.insert(&insertion.text, insertion.marks.as_ref());
    }
    writer.text
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

/// Whether the last lines of a chunk would not be its own with a `---` below them.
fn loses_comments(chunk: &str) -> bool {
    let mut lines = chunk.lines().rev();
    lines.next().is_some_and(|line| line.starts_with('#'))
        && split(&format!("{chunk}---\n"))
            .last()
            .is_some_and(|next| next.start < chunk.len())
}

struct Writer {
    text: String,
    line_break: &'static str,
    /// Whether the next document is one that starts the file, and does it without `---`.
    bare: bool,
    /// Whether no document is written yet.
    is_empty: bool,
    /// The index of the file's own document that was written last, if nothing came after it.
    last: Option<usize>,
    /// Where the document starts that was written last.
    chunk: usize,
}

impl Writer {
    fn keep(&mut self, index: usize, text: &str, is_document: bool, marks: Option<&Marks>) {
        let follows = index == 0 || self.last == Some(index - 1);
        if !follows || self.is_cut_off(index, text) || self.needs_end(text) {
            self.insert(text, marks);
        } else {
            self.separate();
            self.mark(marks, |writer| writer.push_chunk(text));
        }
        self.last = Some(index);
        self.bare &= !is_document;
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
        self.separate();
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
            (None, _) => self.push_chunk(text),
            (Some(_), None) if bare => {
                // below the `---` of the head it would be the second document
                if let Some(head) = without_marker(&self.text) {
                    self.text = head;
                }
                self.push_chunk(text);
            }
            (Some(_), _) => self.push_chunk(text),
        }
    }

    /// A document without a `---` is set off from the comments at the end of the head.
    fn push_chunk(&mut self, text: &str) {
        if self.is_empty && marker(text).is_none() {
            set_off(&mut self.text, self.line_break);
        }
        self.is_empty = false;
        self.chunk = self.text.len();
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

    /// Repairs a missing newline between two documents. Comment lines at the end of the one that is
    /// written would belong to the one that comes: a blank line sets them off.
    fn separate(&mut self) {
        let written = self.text.trim_start_matches('\u{feff}');
        if !written.is_empty() && !ends_line(written) {
            self.text.push_str(self.line_break);
        }
        if !self.is_empty && loses_comments(&self.text[self.chunk..]) {
            push(&mut self.text, self.line_break);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parsed::Trees;
    use super::*;
    use pretty_assertions::assert_eq;

    fn assembled(text: &str, removed: &[usize], coming: &[(usize, &str)]) -> String {
        let file = ParsedFile::parse(std::path::Path::new("a.yaml"), text, Trees::Dropped).unwrap();
        let actions: Vec<Action> = (0..file.documents.len())
            .map(|index| match removed.contains(&index) {
                true => Action::Remove,
                false => Action::Keep,
            })
            .collect();
        let insertions: Vec<Insertion> = coming
            .iter()
            .map(|(before, text)| Insertion {
                before: *before,
                text: (*text).to_owned(),
                marks: None,
            })
            .collect();
        assemble(&file, file.head, &actions, &insertions)
    }

    #[test]
    fn what_nobody_touches_is_copied() {
        for text in [
            "a: 1\n---\nb: 2",
            "\u{feff}---\r\na: 1\r\n---\r\n",
            "%YAML 1.2\n---\na: 1\n...\nb: 2\n",
            "# only a comment\n",
        ] {
            assert_eq!(assembled(text, &[], &[]), text);
        }
    }

    #[test]
    fn a_document_takes_its_marker_along() {
        assert_eq!(
            assembled("a: 1\n---\nb: 2\n---\nc: 3\n", &[1], &[]),
            "a: 1\n---\nc: 3\n"
        );
        assert_eq!(assembled("a: 1\n---\nb: 2\n", &[1], &[]), "a: 1\n");
        assert_eq!(
            assembled("---\na: 1\n---\nb: 2\n", &[0], &[]),
            "---\nb: 2\n"
        );
    }

    #[test]
    fn a_file_does_not_start_with_a_marker_it_did_not_have() {
        assert_eq!(
            assembled("a: 1\n# b's\n---\nb: 2\n", &[0], &[]),
            "# b's\nb: 2\n"
        );
        assert_eq!(
            assembled("a: 1\n--- # b\nb: 2\n", &[0], &[]),
            "--- # b\nb: 2\n"
        );
    }

    fn replaced(text: &str, actions: &[Action]) -> String {
        let file = ParsedFile::parse(std::path::Path::new("a.yaml"), text, Trees::Dropped).unwrap();
        assemble(&file, file.head, actions, &[])
    }

    #[test]
    fn directives_stand_below_the_end_of_a_document() {
        let with = |text: &str| {
            let actions = [Action::Keep, Action::Replace(text.to_owned())];
            replaced("a: 1\n---\nb: 2\n", &actions)
        };
        assert_eq!(with("%YAML 1.2\n---\nb: 3\n"), "a: 1\n---\nb: 3\n");
        let tag = "%TAG !x! tag:x\n---\nb: !x!y 3\n";
        assert_eq!(with(tag), format!("a: 1\n...\n{tag}"));
    }

    #[test]
    fn a_document_without_a_marker_gets_one_below_another_text() {
        let with = |text: &str| {
            let actions = [Action::Replace(text.to_owned()), Action::Keep];
            replaced("a: 1\n...\nb: 2\n", &actions)
        };
        assert_eq!(with("a: 2\n...\n"), "a: 2\n...\nb: 2\n");
        assert_eq!(with("a: 2\n"), "a: 2\n---\nb: 2\n");
    }

    #[test]
    fn the_head_of_the_file_stays() {
        assert_eq!(
            assembled("# license\n\n# a's\na: 1\n---\nb: 2\n", &[0], &[]),
            "# license\n\nb: 2\n"
        );
        assert_eq!(
            assembled("---\n# license\n\na: 1\n---\nb: 2\n", &[0], &[]),
            "---\n# license\n\nb: 2\n"
        );
        assert_eq!(
            assembled("# license\n\nb: 2\n", &[], &[(0, "---\na: 1\n")]),
            "# license\n\na: 1\n---\nb: 2\n"
        );
    }

    #[test]
    fn what_comes_gets_a_marker() {
        assert_eq!(
            assembled("a: 1\n", &[], &[(1, "b: 2\n")]),
            "a: 1\n---\nb: 2\n"
        );
        assert_eq!(
            assembled("b: 2\n", &[], &[(0, "---\na: 1\n")]),
            "a: 1\n---\nb: 2\n"
        );
        assert_eq!(
            assembled("---\nb: 2\n", &[], &[(0, "a: 1\n")]),
            "---\na: 1\n---\nb: 2\n"
        );
        assert_eq!(
            assembled("a: 1\n---\nc: 3\n", &[0], &[(1, "---\nb: 2\n")]),
            "b: 2\n---\nc: 3\n"
        );
    }

    #[test]
    fn a_missing_newline_is_repaired_between_documents() {
        assert_eq!(
            assembled("a: 1", &[], &[(1, "---\nb: 2")]),
            "a: 1\n---\nb: 2"
        );
        assert_eq!(
            assembled("a: 1\r\nb: 1", &[], &[(1, "c: 2\r\n")]),
            "a: 1\r\nb: 1\r\n---\r\nc: 2\r\n"
        );
    }

    #[test]
    fn a_document_after_an_end_marker_keeps_to_it() {
        assert_eq!(
            assembled("a: 1\n...\nb: 2\n", &[], &[(1, "---\nx: 1\n")]),
            "a: 1\n...\n---\nx: 1\n---\nb: 2\n"
        );
        assert_eq!(
            assembled("x: 1\n---\na: 1\n...\nb: 2\n", &[1], &[]),
            "x: 1\n---\nb: 2\n"
        );
    }
}
