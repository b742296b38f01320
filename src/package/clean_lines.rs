//! Takes git's line merge of a file if it differs from the assembled text only by blank lines and
//! by the `---` and `...` lines around its document (rules: Text).

use super::assemble::Assembly;
use super::documents::FileMerge;
use super::head::begins_with_marker;
use super::parsed::ParsedFile;
use super::verified::is_verified;
use crate::line_breaks::{LineBreaks, ends_line, line_break_of, lines, with_line_break};
use crate::merge::text::merge_clean_lines;

impl FileMerge<'_, '_, '_> {
    /// Returns true if the `---` line at the top of the local file and the `...` line at its end
    /// stay as they are.
    pub(super) fn keeps_markers(&self, file: &ParsedFile<'_>) -> bool {
        self.begins_with_marker() == begins_with_marker(file)
            && self.sides.original.map(ends_with_marker) == self.sides.updated.map(ends_with_marker)
    }

    /// Returns the line merge of the file if it differs from the `assembled` text only by blank
    /// lines, `---` and `...` lines.
    ///
    /// Returns `None` if both are equal, if they differ by more or if the line merge has a
    /// conflict; if no side has a line above its document or a `...` below it; or if a side has
    /// several documents, directives or mixed line breaks.
    pub(super) fn merged_lines(&self, assembly: &Assembly<'_>, assembled: &str) -> Option<String> {
        let sides = self.sides.transpose()?;
        let has_reports = !self.outcome.conflicts.is_empty() || !self.outcome.notes.is_empty();
        let has_several = |file: &ParsedFile<'_>| file.documents.len() > 1;
        let files = || sides.into_iter();
        if has_reports
            || files().any(has_several)
            || !files().any(has_frame)
            || !files().all(|file| has_plain_lines(file.text))
        {
            return None;
        }
        let texts = sides.map(ParsedFile::written);
        let texts = texts.map(|text| with_line_break(text, line_break_of(sides.local.text)));
        let lines = merge_clean_lines(texts.as_ref().map(AsRef::as_ref), 1);
        let merged = lines.merged.ok()?;
        let is_accepted = merged != assembled
            && has_same_content(&merged, assembled)
            && is_verified(&merged, &assembly.chunks());
        is_accepted.then_some(merged)
    }
}

/// Returns true if a file has comments, directives or a `---` line above the content of its first
/// document, or a `...` line at its end.
fn has_frame(file: &ParsedFile<'_>) -> bool {
    let first = file.documents.first();
    !file.head.is_empty()
        || first.is_some_and(|first| first.document.body.start > 0)
        || ends_with_marker(file)
}

/// Returns true if the last line of a file is `...`.
fn ends_with_marker(file: &ParsedFile<'_>) -> bool {
    let text = file.text.trim_end();
    text.strip_suffix("...").is_some_and(ends_line)
}

/// Returns true if a text has line breaks of one kind and no directives.
fn has_plain_lines(text: &str) -> bool {
    !matches!(LineBreaks::of(text), LineBreaks::Mixed)
        && !lines(text).any(|line| line.starts_with('%'))
}

/// Returns true if two texts have the same lines, blank, `---` and `...` lines aside.
fn has_same_content(one: &str, other: &str) -> bool {
    let is_content = |line: &&str| !matches!(line.trim(), "" | "---" | "...");
    let content = |text| lines(text).filter(is_content);
    content(one).eq(content(other))
}
