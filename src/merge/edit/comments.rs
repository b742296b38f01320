//! Edits the comments of entries that stay: comments taken from the source replace the target's
//! (rules: Text).

use std::ops::Range;

use super::Editor;
use super::layout::{ends_within_text, has_dash, indents_of_comments, is_blank, starts_its_line};
use crate::line_breaks;
use crate::merge::decision::{CommentChoice, Remarks};
use crate::white_space::trimmed;
use crate::yaml::{Comments, Entry, NodeKind, Span, Tree};

impl Editor<'_> {
    /// Edits the comments of an entry whose value stays in its place.
    pub(super) fn edit_comments(&mut self, entry: Entry<'_>, remarks: Remarks) {
        if remarks.is_keep() {
            return;
        }
        if !begins_on_line(self.target, entry) {
            self.edit_comments_at(entry, remarks, self.end_of_key_line(entry));
            return self.move_up_to_dash(entry, remarks);
        }
        // a new comment goes after the dash, and the first entry moves below it
        self.edit_comments_at(entry, remarks, None);
        if let Some(comment) = self.new_line_comment(entry, remarks) {
            let first = self.target.node(entry.value).span.start;
            let indent = " ".repeat(self.target.column(first) as usize);
            let dash_end = self.before_white_space(first);
            self.edits.replace(
                dash_end..first,
                format!("{comment}{}{indent}", self.line_break),
            );
        }
    }

    /// Edits the comments of an entry whose value was replaced up to `end`, so that a new comment
    /// cannot go after the value's first line.
    pub(super) fn comments_of_replaced(&mut self, entry: Entry<'_>, remarks: Remarks, end: u32) {
        let end = match entry.comments().line.is_empty() {
            true => Some(end),
            false => self.end_of_key_line(entry),
        };
        self.edit_comments_at(entry, remarks, end);
    }

    /// Moves the first entry up to the dash if the remark between them was removed and upstream has
    /// the entry on the line of the dash.
    fn move_up_to_dash(&mut self, entry: Entry<'_>, remarks: Remarks) {
        let (Some(from), ours) = (remarks.from, entry.comments().line) else {
            return;
        };
        let theirs = self.source.entry(from);
        let is_on_dash_line = has_dash(self.source, theirs) && begins_on_line(self.source, theirs);
        let is_removed = remarks.line.is_updated() && theirs.comments().beside().is_empty();
        if !is_removed || !is_on_dash_line || ours.is_empty() || !has_dash(self.target, entry) {
            return;
        }
        let row = self.target.row(entry.value, Some(entry));
        let end_of_value = || self.target.end_of_value_lines(entry);
        // the row may have been written anew, with the comments below the value
        let range = entry.span.start..row.map_or_else(end_of_value, |row| row.span.end);
        let text = self.edits.take_text(self.target.text(), range.clone());
        let column = self.target.column(entry.span.start) as usize;
        let above = format!("-{}{}", self.line_break, " ".repeat(column + 1));
        let moved = text.strip_prefix(&above).filter(|rest| {
            let first = rest.trim_start_matches(' ');
            first.len() < rest.len() && !first.starts_with(['#', '\r', '\n'])
        });
        let text = moved.map_or_else(|| text.clone(), |rest| format!("-{rest}"));
        self.edits.replace(range, text);
    }

    /// Returns the source's comment on the first line of an entry, with the white space before it,
    /// if it is taken and the target has none there.
    pub(super) fn new_line_comment(&self, entry: Entry<'_>, remarks: Remarks) -> Option<String> {
        let theirs = self.taken_comments(remarks)?.beside();
        let is_new = remarks.line.is_updated() && entry.comments().beside().is_empty();
        (is_new && !theirs.is_empty()).then(|| self.with_gap(theirs))
    }

    /// Edits the comments of an entry whose value is on the lines below its key and was replaced: a
    /// new comment goes after the key.
    pub(super) fn comments_at_key(&mut self, entry: Entry<'_>, remarks: Remarks) {
        let Some(theirs) = self.taken_comments(remarks) else {
            return;
        };
        self.replace_comments_above(entry, remarks);
        if remarks.line.is_updated() {
            let end = self.before_white_space(self.target.line_end(entry.span.start));
            let ours = entry.comments().line;
            self.edit_line_comment(ours, theirs.beside(), remarks.line, Some(end));
        }
    }

    /// Edits the comments of an entry. `end` is the offset at which a new comment can go on the
    /// first line; `None` if there is no such place.
    fn edit_comments_at(&mut self, entry: Entry<'_>, remarks: Remarks, end: Option<u32>) {
        let Some(theirs) = self.taken_comments(remarks) else {
            return;
        };
        // where the target has comments nevertheless, they are kept up to date
        if self.flow.is_some_and(|style| !style.allows_comments())
            && entry.comments() == Comments::default()
            && self.target.lines_above(entry).is_empty()
        {
            return;
        }
        self.replace_comments_above(entry, remarks);
        if remarks.line.is_updated() {
            let ours = entry.comments().beside();
            let is_behind_value = theirs.line.is_empty();
            let end_of_value = self.end_behind_comment(entry).filter(|_| is_behind_value);
            self.edit_line_comment(ours, theirs.beside(), remarks.line, end_of_value.or(end));
        }
        if remarks.tail.is_updated() {
            let ours = entry.comments().behind();
            let end = self.end_behind_comment(entry);
            self.edit_line_comment(ours, theirs.behind(), remarks.tail, end);
        }
    }

    /// Returns the source's comments of an entry, if any of them is taken.
    pub(super) fn taken_comments(&self, remarks: Remarks) -> Option<Comments> {
        let from = remarks.from.filter(|_| !remarks.is_keep())?;
        Some(self.source.entry(from).comments())
    }

    /// Replaces the comment lines above an entry, if the source's are taken.
    pub(super) fn replace_comments_above(&mut self, entry: Entry<'_>, remarks: Remarks) {
        let Some(from) = remarks.from.filter(|_| remarks.above.is_updated()) else {
            return;
        };
        let theirs = self.source.comments_above(self.source.entry(from));
        if !starts_its_line(self.target, entry) {
            return;
        }
        let ours = self.target.comments_above(entry);
        let column = self.target.column(entry.span.start);
        let text = self.leading_lines(theirs, column);
        self.edits.replace(ours, text);
    }

    /// Returns comment lines of the source, indented to a column.
    pub(super) fn leading_lines(&self, comment: Span, column: u32) -> String {
        let indent = " ".repeat(column as usize);
        let mut text = String::new();
        for line in line_breaks::lines(self.source.slice(comment)) {
            text.push_str(&indent);
            text.push_str(trimmed(line));
            text.push_str(self.line_break);
        }
        text
    }

    /// Moves the comment lines from the line start `at` on, up to the next other line, out to a
    /// column, if they would be lines of the block scalar above, which has its lines in the column
    /// `inside` (`None`: not known).
    pub(super) fn outdent_comments(&mut self, at: u32, column: u32, inside: Option<u32>) {
        let excess = indents_of_comments(&self.target.text()[at as usize..], column);
        let is_inside =
            |first: &Range<u32>| inside.is_none_or(|inside| column + first.len() as u32 >= inside);
        if excess.first().is_some_and(is_inside) {
            for deep in excess {
                self.edits.delete(at + deep.start..at + deep.end);
            }
        }
    }

    /// Replaces the target's comment on a line, deletes it with the white space before it, or adds
    /// the source's at `end` if the line ends there.
    fn edit_line_comment(
        &mut self,
        ours: Span,
        theirs: Span,
        choice: CommentChoice,
        end: Option<u32>,
    ) {
        if !ours.is_empty() && !theirs.is_empty() && choice == CommentChoice::UpdatedText {
            self.edits.replace(ours, self.source.slice(theirs));
        } else if !ours.is_empty() {
            let range = self.before_white_space(ours.start)..ours.end;
            self.edits.replace(range, self.with_gap(theirs));
        } else if let Some(end) = end.filter(|end| self.line_ends_at(*end)) {
            self.edits.insert(end, self.with_gap(theirs));
        }
    }

    /// Returns a comment of the source on a line with the white space before it, which is at least
    /// one space; nothing if there is no comment.
    pub(super) fn with_gap(&self, comment: Span) -> String {
        let gap = self.source.white_space_before(comment.start);
        let gap = self.source.slice(gap);
        match self.source.slice(comment) {
            "" => String::new(),
            text if gap.is_empty() => format!(" {text}"),
            text => format!("{gap}{text}"),
        }
    }

    /// Returns the offset at which the white space before `at` starts.
    pub(super) fn before_white_space(&self, at: u32) -> u32 {
        self.target.white_space_before(at).start
    }

    /// Whether only white space follows on the line.
    fn line_ends_at(&self, at: u32) -> bool {
        is_blank(self.target, at..self.target.line_end(at))
    }

    /// Returns the offset at which a new comment can go on the line of the key; `None` if it
    /// cannot.
    fn end_of_key_line(&self, entry: Entry<'_>) -> Option<u32> {
        let node = self.target.node(entry.value);
        let key_line_end = self.target.line_end(entry.span.start);
        if entry.span.end <= key_line_end {
            return Some(self.end_of_entry(entry));
        }
        match &node.kind {
            NodeKind::Scalar(scalar) if !scalar.style.is_block() => Some(self.end_of_entry(entry)),
            // the first entry is on the line of the dash: the comment would be that entry's
            _ if begins_on_line(self.target, entry) => None,
            _ if ends_within_text(self.target, entry, key_line_end) => None,
            // entries that come to that line would come behind the comment
            _ if self.edits.replaces_around(node.span.start, key_line_end) => {
                self.end_behind_comment(entry)
            }
            _ => Some(self.before_white_space(key_line_end)),
        }
    }

    /// Returns the offset at which a second comment can go: after a value of several lines that is
    /// not in block style.
    fn end_behind_comment(&self, entry: Entry<'_>) -> Option<u32> {
        let is_not_block = !self.target.is_block_collection(entry.value)
            && !self.target.is_block_scalar(entry.value);
        let has_several_lines = entry.span.end > self.target.line_end(entry.span.start);
        (is_not_block && has_several_lines).then(|| self.end_of_entry(entry))
    }

    /// Returns the end of an entry, with its comma.
    pub(super) fn end_of_entry(&self, entry: Entry<'_>) -> u32 {
        entry.comma().map_or(entry.span.end, |comma| comma + 1)
    }
}

/// Whether the value of an entry is a block collection that begins on the entry's first line.
fn begins_on_line(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    let first = tree.node(entry.value).span.start;
    tree.is_block_collection(entry.value) && first < tree.line_end(entry.span.start)
}
