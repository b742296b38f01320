//! The merged files that are not assembled from documents: those that are local's or upstream's as
//! they are (laws 2 and 3), those that have only comments on one side, and those that differ from
//! git's line merge only by blank lines and by the `---` and `...` lines around their documents, or
//! where the head has conflicts (rules: Text).

use super::Content;
use super::assemble::{Action, Assembly, is_verified};
use super::document::is_resource;
use super::documents::FileMerge;
use super::head::begins_with_marker;
use super::pair::Group;
use super::parsed::{Parsed, ParsedFile};
use crate::line_breaks::{LineBreaks, ends_line, line_break_of, lines, with_line_break};
use crate::merge::pins::may_pin;
use crate::merge::text::merge_clean_lines;
use crate::merge::{HEAD, MergedAround, Nulls, merge_without_entries};
use crate::triple::Triple;
use crate::white_space::{trimmed, trimmed_end};
use crate::yaml::stream::split;

impl<'a> FileMerge<'_, '_, 'a> {
    /// Returns true if local's bytes are upstream's and each of its documents pairs with the same
    /// one of upstream's file (law 3).
    pub(super) fn is_already_there(&self) -> bool {
        let sides = &self.context.files[self.target].triple.sides;
        let texts = sides.local.as_ref().zip(sides.updated.as_ref());
        texts.is_some_and(|(local, updated)| local.bytes == updated.bytes)
            && self.job.moving_out.is_empty()
            && self.inserted.is_empty()
            && self.job.staying.iter().all(|it| it.local == it.updated)
    }

    /// Returns upstream's file if local's bytes are the original's and all pairs are within (law
    /// 2).
    pub(super) fn fast_forward(&self) -> Option<Content> {
        let sides = &self.context.files[self.target].triple.sides;
        let local = sides.local.as_ref()?;
        if sides.original.as_ref()?.bytes != local.bytes || may_pin(&local.bytes) {
            return None;
        }
        let stays_within_file = |group: &Group| {
            group.original.is_some_and(|it| it.triple() == self.target)
                && group.updated.is_none_or(|it| it.triple() == self.target)
        };
        let is_new = |group: &Group| group.local.is_none();
        let staying = &self.job.staying;
        let of_updated = staying.iter().filter(|group| group.updated.is_some());
        let expected = of_updated.count() + self.inserted.len();
        let count = self.sides.updated?.documents.len();
        let is_forward = staying.iter().all(stays_within_file)
            && self.inserted.iter().all(is_new)
            && self.job.moving_out.is_empty()
            && count == expected
            && !staying.iter().any(|it| self.may_delete_by_null(it));
        is_forward.then_some(Content::Updated)
    }

    /// Returns true if upstream may have added a null to this document that deletes a field (rules:
    /// Nulls). Then it merges by fields, which gives upstream's text if there is no such null.
    fn may_delete_by_null(&self, group: &Group) -> bool {
        let members = self.members(group);
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        let nulls = self.context.options.nulls;
        members.updated.is_some_and(|updated| updated.may_have_null)
            && text(members.original) != text(members.updated)
            && nulls.map_or_else(|| is_resource(&members), |it| it == Nulls::Clear)
    }
}

impl FileMerge<'_, '_, '_> {
    /// Returns the merged text of a file that is left without a document, if updated or local has
    /// only comments (rules: Text). `None` for any other file, and if local's text stays.
    pub(super) fn comments_only(
        &self,
        file: &ParsedFile<'_>,
        actions: &[Action],
    ) -> Option<MergedAround> {
        let (original, updated) = (self.sides.original?, self.sides.updated?);
        let all_removed = actions.iter().all(|action| *action == Action::Remove);
        let has_comments_only = is_comments_only(updated) || is_comments_only(file);
        let mut sides = [original, updated, file].into_iter();
        if !all_removed || !has_comments_only || !sides.all(is_plain) {
            return None;
        }
        let sides = Triple::new(original, updated, file).map(|file| file.text);
        let line_break = line_break_of(file.text);
        let has_frame = self.begins_with_marker();
        merge_without_entries(sides, has_frame, line_break, self.context.options)
    }

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

/// Returns true if a file has comments and no document.
pub(super) fn is_comments_only(file: &ParsedFile<'_>) -> bool {
    file.documents.is_empty() && lines(file.text).any(|line| line.starts_with('#'))
}

/// Returns true if a file has at most one document, which is a block collection, and no line that
/// begins with `%` or `.` (directives, `...`).
fn is_plain(file: &ParsedFile<'_>) -> bool {
    let is_block = |it: &Parsed<'_>| it.block.is_some();
    file.documents.len() < 2
        && file.documents.iter().all(is_block)
        && !lines(file.text).any(|line| line.starts_with(['%', '.']))
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
    let text = trimmed_end(file.text);
    text.strip_suffix("...").is_some_and(ends_line)
}

/// Returns true if a text has line breaks of one kind and no directives.
fn has_plain_lines(text: &str) -> bool {
    !matches!(LineBreaks::of(text), LineBreaks::Mixed)
        && !lines(text).any(|line| line.starts_with('%'))
}

/// Returns true if two texts have the same lines, blank, `---` and `...` lines aside.
fn has_same_content(one: &str, other: &str) -> bool {
    let is_content = |line: &&str| !matches!(trimmed(line), "" | "---" | "...");
    let content = |text| lines(text).filter(is_content);
    content(one).eq(content(other))
}

/// Returns true if two texts have documents with the same lines, blank lines around them aside. In
/// documents that are alike, a line merge of the file may change the wrong one.
fn has_same_bodies(one: &str, other: &str) -> bool {
    let bodies = |text| {
        let bodies = split(text).into_iter();
        bodies.map(|it| trimmed(&it.text[it.body.range()]))
    };
    bodies(one).eq(bodies(other))
}
