//! Merges the text around the body of a document: the comments, blank lines and `---` lines above
//! it, and those below it that belong to no row of entries.
//!
//! [`FileMerge::with_around`] takes a merged document and adds this text. `head` merges the head of
//! the file.

use super::documents::FileMerge;
use super::pair::{DocRef, Group};
use super::parsed::merges_around;
use crate::line_breaks::{cut_first_line, line_break_of, lines};
use crate::merge::{Conflict, Merged, MergedAround, merge_above, merge_below, push_line, set_off};
use crate::triple::{Side, Triple};
use crate::white_space::{is_white_space, trimmed_start};
use crate::yaml::Document;
use crate::yaml::stream::{count_lines, frame, is_bare_marker, marker};

impl<'a> FileMerge<'_, '_, 'a> {
    /// Returns the text above and below a document's chunk that merges with the document.
    pub(super) fn head_and_tail(&self, group: &Group, side: Side) -> (&str, &str) {
        let head = match self.top_of(group) {
            Some(top) => top.heads[side],
            None => self.owned_head(group, side),
        };
        let tail = self.members(group)[side].map_or("", |parsed| parsed.tail);
        (head, tail)
    }

    /// Returns the documents of a group as they merge. If the text around their values merges
    /// apart from these, the body of each is cut to the lines of its value.
    pub(super) fn documents(&self, group: &Group) -> Triple<Option<Document<'a>>> {
        let members = self.members(group);
        let merges_around = merges_around(&members);
        members.map(|parsed| {
            let parsed = parsed?;
            let lines = parsed.value_lines.filter(|_| merges_around);
            let body = lines.unwrap_or(parsed.document.body);
            Some(Document {
                body,
                ..parsed.document
            })
        })
    }

    /// Adds the merged text around its body to a merged document.
    pub(super) fn with_around(&self, group: &Group, merged: Merged) -> Merged {
        let Some(local) = self.documents(group).local else {
            return merged;
        };
        let (head, tail) = self.head_and_tail(group, Side::Local);
        let text = merged.text.as_deref().unwrap_or(local.text);
        let (above, below) = match merged.is_held_back() {
            true => (None, None),
            false => (
                self.merged_above(group, text),
                self.merged_below(group, text),
            ),
        };
        let unmerged = |text| (0, MergedAround::without_conflicts(text));
        let (start, above) = above.unwrap_or_else(|| unmerged(head));
        let (end, below) = below.unwrap_or_else(|| unmerged(tail));
        let body = text.get(start..text.len() - end).unwrap_or_default();
        let mut full_text = format!("{}{body}", above.text);
        // the last line may be spaces without a line break
        push_line(&mut full_text, &below.text, line_break_of(local.text));
        let mut conflicts = above.conflicts;
        conflicts.extend(below.conflicts);
        conflicts.extend(merged.conflicts);
        let is_local = full_text
            .strip_prefix(head)
            .and_then(|it| it.strip_suffix(tail))
            == Some(local.text);
        Merged {
            text: (!is_local).then_some(full_text),
            conflicts,
            notes: merged.notes,
        }
    }

    /// Merges the text above the body of local's document. Returns it with the number of bytes at
    /// the start of the merged document `text` that it replaces; `None` if local's stays.
    fn merged_above(&self, group: &Group, text: &str) -> Option<(usize, MergedAround)> {
        let documents = self.documents(group);
        let local = documents.local.as_ref()?;
        let old_above = local_above(text, local)?;
        // in another file, the text above the document is not its own
        let triple = |member: Option<DocRef>| member.map(|it| it.triple());
        let is_top = self.top_of(group).is_some();
        if !is_top && triple(group.original) != triple(group.local) {
            return None;
        }
        let is_first = |side: Side| group[side].is_some_and(|member| member.document() == 0);
        let with_head = |side: Side| {
            let own = match &documents[side] {
                Some(document) => above(document).to_owned(),
                None if is_top => self.comments_of_first(side),
                None => String::new(),
            };
            let head = self.head_and_tail(group, side).0;
            join_head(head, &own, is_first(side), is_top && side != Side::Updated)
        };
        let head = self.head_and_tail(group, Side::Local).0;
        let line_break = line_break_of(local.text);
        // documents come above it: it needs a `---` line
        let has_marker = marker(head).is_some() || frame(old_above).is_some();
        let head = match self.is_first(group) && !self.keeps_first() && !has_marker {
            true => format!("---{line_break}{head}"),
            false => head.to_owned(),
        };
        let sides = Triple::new(
            with_head(Side::Original),
            with_head(Side::Updated),
            join_head(&head, old_above, is_first(Side::Local), is_top),
        );
        let sides = sides.as_ref().map(String::as_str);
        let has_frame = match is_top {
            true => self.begins_with_marker(),
            false => frame(sides.local).is_some(),
        };
        let merged = merge_above(sides, has_frame, line_break, &self.options(group));
        let is_comment = |line: &str| trimmed_start(line).starts_with('#');
        let merges_around = merges_around(&self.members(group));
        // an empty document got an entry with a comment, which does not continue the one above
        let is_new_comment = |line: &str| is_comment(line) && !local.text.contains(line);
        let begins_with_comment = merges_around
            && lines(&text[old_above.len()..])
                .next()
                .is_some_and(is_new_comment);
        // where nothing changes, the join may have dropped a `---` line
        let is_joined = sides.local.len() < head.len() + old_above.len();
        let joined = (is_joined || begins_with_comment)
            .then(|| MergedAround::without_conflicts(sides.local));
        let mut merged = merged.or(joined)?;
        let ends_in_comment = lines(old_above).last().is_some_and(is_comment);
        if begins_with_comment || !merges_around && !ends_in_comment {
            set_off(&mut merged.text, line_break);
        }
        let lines_of_head = count_lines(&head);
        for conflict in &mut merged.conflicts {
            conflict.line = conflict.line.saturating_sub(lines_of_head);
        }
        Some((old_above.len(), merged))
    }

    /// Returns the text between the head of a side's file and the body of its first document,
    /// without the `---` line; empty if the head belongs to that document.
    fn comments_of_first(&self, side: Side) -> String {
        let file = self.sides[side].filter(|_| !self.is_head_owned(side));
        let first = file.and_then(|file| file.documents.first());
        let above = first.map_or("", |first| above(&first.document));
        let frame = frame(above).unwrap_or_default();
        format!("{}{}", &above[..frame.start], &above[frame.end..])
    }

    /// Merges the text below local's document that belongs to no row of entries. Returns it with
    /// the number of bytes at the end of the merged document `text` that it replaces; `None` if
    /// local's stays.
    fn merged_below(&self, group: &Group, text: &str) -> Option<(usize, MergedAround)> {
        let documents = self.documents(group);
        let local = documents.local.as_ref()?;
        let merges_around = merges_around(&self.members(group));
        let with_tail = |side: Side| {
            let own = documents[side].as_ref().filter(|_| merges_around);
            let own = own.map_or("", |it| &it.text[it.body.end as usize..]);
            format!("{own}{}", self.head_and_tail(group, side).1)
        };
        let sides = Side::ALL.map(with_tail);
        let old_len = sides.local.len() - self.head_and_tail(group, Side::Local).1.len();
        if !text.ends_with(&sides.local[..old_len]) {
            return None;
        }
        let sides = sides.as_ref().map(String::as_str);
        let mut merged = merge_below(sides, line_break_of(local.text), &self.options(group))?;
        let lines_above = count_lines(&local.text[..local.text.len() - old_len]);
        let move_down = |conflict: &mut Conflict| conflict.line += lines_above;
        merged.conflicts.iter_mut().for_each(move_down);
        Some((old_len, merged))
    }
}

/// Joins the head of a file with the text above the body of a document. If the document is not the
/// first one of its file and both texts have a `---` line, one is dropped: the document's, or the
/// head's if the document's has directives, a value or a comment. `is_separator` says that the
/// document's is dropped in any case: it only separates the document from the one above.
pub(super) fn join_head(head: &str, above: &str, is_first: bool, is_separator: bool) -> String {
    let Some(frame) = frame(above).filter(|_| !is_first) else {
        return format!("{head}{above}");
    };
    let is_bare = is_bare_marker(&above[frame.clone()]);
    match marker(head) {
        marker if is_bare && (is_separator || marker.is_some()) => {
            format!("{head}{}{}", &above[..frame.start], &above[frame.end..])
        }
        Some(marker) => format!(
            "{}{}{above}",
            &head[..marker],
            cut_first_line(&head[marker..]).1
        ),
        None => format!("{head}{above}"),
    }
}

/// Returns the part of the merged document `text` that is local's text above the body; `None` if
/// the merge changed that.
fn local_above<'t>(text: &'t str, local: &Document<'_>) -> Option<&'t str> {
    let own = above(local);
    // the merge may have added a comment on the line of the `---`
    let marker = own.trim_end_matches(['\r', '\n']);
    let own = if text.starts_with(own) { own } else { marker };
    let below = text.strip_prefix(own)?;
    // a value on the line of the `---` may have moved below it: its line is above the body then
    let line = cut_first_line(below).0;
    let is_below = own.ends_with("---") && is_white_space(line);
    let len = own.len() + if is_below { line.len() } else { 0 };
    text.get(..len)
}

/// Returns the text above a document's body.
pub(super) fn above<'a>(document: &Document<'a>) -> &'a str {
    &document.text[..document.body.start as usize]
}
