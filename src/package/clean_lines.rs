//! A file whose lines merge without a conflict (rules: Text): the blank lines and the `---` and `...`
//! lines around its document stand where git puts them.

use super::assemble::Assembly;
use super::documents::FileMerge;
use super::head::begins_with_marker;
use super::parsed::ParsedFile;
use super::verified::is_verified;
use crate::line_breaks::{LineBreaks, ends_line, line_break_of, lines, with_line_break};
use crate::merge::text::merge_clean_lines;

impl FileMerge<'_, '_, '_> {
    /// Whether the `---` line at the top of the local file and the `...` line at its end stay.
    pub(super) fn keeps_markers(&self, file: &ParsedFile<'_>) -> bool {
        self.begins_with_marker() == begins_with_marker(file)
            && self.sides.original.map(ends_with_marker) == self.sides.updated.map(ends_with_marker)
    }

    /// A merge of the file's lines, where it differs from the assembled text by blank lines, `---`
    /// and `...` lines only. `None` if it does not, differs by more or has a conflict; if nothing is
    /// above the document and no `...` below it; or if a file has several documents, directives or
    /// mixed line breaks.
    pub(super) fn merged_lines(&self, assembly: &Assembly<'_>, assembled: &str) -> Option<String> {
        let sides = self.sides.try_map(|file| file.ok_or(())).ok()?;
        let has_reports = !self.outcome.conflicts.is_empty() || !self.outcome.noted.is_empty();
        let has_several = |file: &ParsedFile<'_>| file.documents.len() > 1;
        let files = || sides.into_array().into_iter();
        if has_reports
            || files().any(has_several)
            || !files().any(has_frame)
            || !files().all(|file| is_plain(file.text))
        {
            return None;
        }
        let texts = sides.map(ParsedFile::written);
        let texts = texts.map(|text| with_line_break(text, line_break_of(sides.local.text)));
        let merged = merge_clean_lines(texts.as_ref().map(AsRef::as_ref), 1).ok()?;
        let is_same = merged != assembled
            && has_same_content(&merged, assembled)
            && is_verified(&merged, &assembly.chunks());
        is_same.then_some(merged)
    }
}

/// Whether a file has comments, directives or a `---` line above its first document's content, or a
/// `...` line below it.
fn has_frame(file: &ParsedFile<'_>) -> bool {
    let first = file.documents.first();
    !file.head.is_empty()
        || first.is_some_and(|first| first.document.body.start > 0)
        || ends_with_marker(file)
}

/// Whether the last line of a file is `...`.
fn ends_with_marker(file: &ParsedFile<'_>) -> bool {
    let text = file.text.trim_end();
    text.strip_suffix("...").is_some_and(ends_line)
}

/// Whether a text has line breaks of one kind, and no directives.
fn is_plain(text: &str) -> bool {
    !matches!(LineBreaks::of(text), LineBreaks::Mixed)
        && !lines(text).any(|line| line.starts_with('%'))
}

/// Whether two texts have the same lines, but for blank ones, `---` and `...`.
fn has_same_content(one: &str, other: &str) -> bool {
    let says_something = |line: &&str| !matches!(line.trim(), "" | "---" | "...");
    let content = |text| lines(text).filter(says_something);
    content(one).eq(content(other))
}
