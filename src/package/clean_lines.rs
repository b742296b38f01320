//! Takes git's line merge of a file if it differs from the assembled text only by blank lines and
//! by the `---` and `...` lines around its documents, or where the head has conflicts (rules:
//! Text).

use super::assemble::Assembly;
use super::documents::FileMerge;
use super::head::begins_with_marker;
use super::parsed::ParsedFile;
use super::verified::is_verified;
use crate::line_breaks::{LineBreaks, ends_line, line_break_of, lines, with_line_break};
use crate::merge::HEAD;
use crate::merge::text::merge_clean_lines;
use crate::triple::Triple;
use crate::yaml::stream::split;

impl FileMerge<'_, '_, '_> {
    /// Returns true if the `---` line at the top of the local file and the `...` line at its end
    /// stay as they are.
    pub(super) fn keeps_markers(&self, file: &ParsedFile<'_>) -> bool {
        self.begins_with_marker() == begins_with_marker(file)
            && self.sides.original.map(ends_with_marker) == self.sides.updated.map(ends_with_marker)
    }

    /// Returns the line merge of the file if it differs from the `assembled` text only by blank
    /// lines, `---` and `...` lines, of several documents only around them; or if only the head has
    /// conflicts, and the values are the same.
    ///
    /// Returns `None` if both are equal, if they differ by more or if the line merge has a
    /// conflict; if no side has a line above its document or a `...` below it; or if a side has
    /// directives or mixed line breaks.
    pub(super) fn merged_lines(&self, assembly: &Assembly<'_>, assembled: &str) -> Option<String> {
        let sides = self.sides.transpose()?;
        let conflicts = &self.outcome.conflicts;
        let has_conflict = !conflicts.is_empty();
        let files = || sides.into_iter();
        let has_several = |file: &ParsedFile<'_>| file.documents.len() > 1;
        if conflicts.iter().any(|it| it.conflict.path() != HEAD)
            || !self.outcome.notes.is_empty()
            || !files().any(has_frame)
            || !files().all(|file| has_plain_lines(file.text))
        {
            return None;
        }
        let texts = sides.map(ParsedFile::written);
        let texts = texts.map(|text| with_line_break(text, line_break_of(sides.local.text)));
        let texts = texts.as_ref().map(AsRef::as_ref);
        let merge = |local| {
            merge_clean_lines(Triple { local, ..texts }, 0, || ())
                .merged
                .ok()
        };
        let merged = merge(texts.local)?;
        let is_accepted = merged != assembled
            && (has_conflict || has_same_content(&merged, assembled))
            && (!files().any(has_several) || has_same_bodies(&merged, assembled))
            && is_verified(&merged, &assembly.chunks())
            && merge(&merged).is_none_or(|again| again == merged);
        is_accepted.then_some(merged)
    }

    /// Returns the text of the merged file with or without a `...` line at its end, which merges as
    /// a three-way value.
    pub(super) fn with_end_marker(&self, assembly: &Assembly<'_>, text: String) -> String {
        let has_marker = self.sides.map(|file| file.map(ends_with_marker));
        let content = text.trim_end_matches(['\r', '\n']);
        let end = &text[content.len()..];
        let changed = match content.strip_suffix("...").filter(|above| ends_line(above)) {
            Some(above) if has_marker.updated == Some(false) => match end {
                "" => above.trim_end_matches(['\r', '\n']).to_owned(),
                _ => above.to_owned(),
            },
            None if has_marker.updated == Some(true) => match end {
                "" => format!("{text}{}...", line_break_of(&text)),
                _ => format!("{text}...{}", line_break_of(&text)),
            },
            _ => return text,
        };
        let is_changed_locally =
            has_marker.local.is_some() && has_marker.original != has_marker.local;
        let is_accepted = !is_changed_locally && is_verified(&changed, &assembly.chunks());
        if is_accepted { changed } else { text }
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

/// Returns true if two texts have documents with the same lines, blank lines around them aside. In
/// documents that are alike, a line merge of the file may change the wrong one.
fn has_same_bodies(one: &str, other: &str) -> bool {
    let bodies = |text| {
        let bodies = split(text).into_iter();
        bodies.map(|it| it.text[it.body.range()].trim())
    };
    bodies(one).eq(bodies(other))
}
