//! Merges files that have only comments on one side: all comment lines merge as one row.

use super::assemble::Action;
use super::documents::FileMerge;
use super::parsed::{Parsed, ParsedFile};
use crate::line_breaks::{line_break_of, lines};
use crate::merge::{MergedAround, merge_without_entries};
use crate::triple::Triple;

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
