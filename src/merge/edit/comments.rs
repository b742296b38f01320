//! Comments of entries that stay: those that are taken from the source replace the target's (rules:
//! Text).

use super::Editor;
use super::layout::{
    ends_within_text, has_dash, indents_of_comments, is_blank, starts_its_line, trimmed,
};
use super::reindent::is_block;
use super::rendered::is_block_scalar;
use crate::line_breaks;
use crate::merge::decision::Remarks;
use crate::yaml::{Comments, Entry, NodeKind, Span, Tree};

impl Editor<'_> {
    /// Carries out the choices for an entry whose value keeps its place.
    pub(super) fn comments(&mut self, entry: Entry<'_>, choices: Remarks) {
        if choices.is_keep() {
            return;
        }
        if begins_on_line(self.target, entry) {
            self.comments_behind_dash(entry, choices, 0);
        } else {
            self.comments_with(entry, choices, self.end_of_key_line(entry));
            self.move_up_to_dash(entry, choices);
        }
    }

    /// The same where the lines of the value were replaced, so that no comment can come behind the
    /// first of them.
    pub(super) fn comments_of_replaced(&mut self, entry: Entry<'_>, choices: Remarks) {
        let end = match entry.comments().line.is_empty() {
            true => Some(self.end_of_entry(entry)),
            false => self.end_of_key_line(entry),
        };
        self.comments_with(entry, choices, end);
    }

    /// The same where the lines of the collection that begins behind the dash were put together
    /// anew: a comment beside it stays with the dash, and the first entry comes below, with so many
    /// blank lines between.
    pub(super) fn comments_behind_dash(
        &mut self,
        entry: Entry<'_>,
        choices: Remarks,
        blanks: usize,
    ) {
        self.comments_with(entry, choices, None);
        if let Some(theirs) = self.new_beside(entry, choices) {
            let first = self.target.node(entry.value).span.start;
            let indent = " ".repeat(self.target.column(first) as usize);
            let text = self.source.slice(theirs);
            let breaks = self.line_break.repeat(blanks + 1);
            self.edits.insert(first, format!("{text}{breaks}{indent}"));
        }
    }

    /// Moves the first entry up to the dash where the remark between the two went and upstream has
    /// the entry there.
    fn move_up_to_dash(&mut self, entry: Entry<'_>, choices: Remarks) {
        let (Some(from), ours) = (choices.from, entry.comments().line) else {
            return;
        };
        let theirs = self.source.entry(from);
        let is_there = has_dash(self.source, theirs) && begins_on_line(self.source, theirs);
        let goes = choices.line.is_updated() && theirs.comments().beside().is_empty();
        if !goes || !is_there || ours.is_empty() || !has_dash(self.target, entry) {
            return;
        }
        let range = entry.span.start..self.target.end_of_value_lines(entry);
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

    /// The same where the lines of the collection come below the dash, which ends at `dash`.
    pub(super) fn comments_above_row(&mut self, entry: Entry<'_>, choices: Remarks, dash: u32) {
        self.comments_with(entry, choices, None);
        if let Some(theirs) = self.new_beside(entry, choices) {
            let text = format!("{}{}", self.gap_before(theirs), self.source.slice(theirs));
            self.edits.insert(dash, text);
        }
    }

    /// The source's comment beside an entry that has none.
    fn new_beside(&self, entry: Entry<'_>, choices: Remarks) -> Option<Span> {
        let theirs = self.chosen(choices)?.beside();
        let is_new = choices.line.is_updated() && entry.comments().beside().is_empty();
        (is_new && !theirs.is_empty()).then_some(theirs)
    }

    /// The same where the value is on lines below its key, and is another now: a comment beside
    /// it goes behind the key.
    pub(super) fn comments_at_key(&mut self, entry: Entry<'_>, choices: Remarks) {
        let Some(theirs) = self.chosen(choices) else {
            return;
        };
        self.leading_comment(entry, choices);
        if choices.line.is_updated() {
            let line = Span::new(entry.span.start, self.target.line_end(entry.span.start));
            let end = line.start + trimmed_end(self.target.slice(line));
            self.line_comment(entry.comments().line, theirs.beside(), Some(end));
        }
    }

    /// `end` is where a comment beside the value may come that local has not got.
    fn comments_with(&mut self, entry: Entry<'_>, choices: Remarks, end: Option<u32>) {
        let Some(theirs) = self.chosen(choices) else {
            return;
        };
        // where local has some all the same, it keeps up with them
        if self.no_new_comments
            && entry.comments() == Comments::default()
            && self.target.comments_above(entry).is_empty()
        {
            return;
        }
        self.leading_comment(entry, choices);
        if choices.line.is_updated() {
            self.line_comment(entry.comments().beside(), theirs.beside(), end);
        }
        if choices.tail.is_updated() {
            self.line_comment(
                entry.comments().behind(),
                theirs.behind(),
                self.end_behind_comment(entry),
            );
        }
    }

    /// The source's comments, where some of them are taken.
    pub(super) fn chosen(&self, choices: Remarks) -> Option<Comments> {
        let from = choices.from.filter(|_| !choices.is_keep())?;
        Some(self.source.entry(from).comments())
    }

    /// The comment lines above an entry.
    pub(super) fn leading_comment(&mut self, entry: Entry<'_>, choices: Remarks) {
        let Some(from) = choices.from.filter(|_| choices.above.is_updated()) else {
            return;
        };
        let theirs = self.source.comments_above(self.source.entry(from));
        if !starts_its_line(self.target, entry) {
            return;
        }
        let ours = self.target.comments_above(entry);
        let column = self.target.column(entry.span.start);
        let text = self.leading_lines(theirs, column);
        self.edits.replace(ours.start..ours.end, text);
    }

    /// Comment lines of the source, in a column.
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

    /// Moves the comment lines from a line's start `at` on, down to the next line that is none, out
    /// to a column. Below a block scalar, what is indented like its lines is one of them.
    pub(super) fn outdent_comments(&mut self, at: u32, column: u32) {
        for deep in indents_of_comments(&self.target.text()[at as usize..], column) {
            self.edits.delete(at + deep.start..at + deep.end);
        }
    }

    /// A comment on a line: replaced, taken away with the white space before it, or added at `end`,
    /// where a line has room.
    fn line_comment(&mut self, ours: Span, theirs: Span, end: Option<u32>) {
        let text = self.source.slice(theirs);
        if !ours.is_empty() && !text.is_empty() {
            self.edits.replace(ours.start..ours.end, text);
        } else if !ours.is_empty() {
            self.edits
                .delete(self.before_white_space(ours.start)..ours.end);
        } else if let Some(end) = end.filter(|end| self.line_ends_at(*end)) {
            self.edits
                .insert(end, format!("{}{text}", self.gap_before(theirs)));
        }
    }

    /// The white space that the source has before a comment on a line; at least one space.
    pub(super) fn gap_before(&self, comment: Span) -> &str {
        let before = &self.source.text()[..comment.start as usize];
        let gap = &before[before.trim_end_matches([' ', '\t']).len()..];
        if gap.is_empty() { " " } else { gap }
    }

    /// Where the white space before `at` starts.
    pub(super) fn before_white_space(&self, at: u32) -> u32 {
        let before = &self.target.text()[..at as usize];
        before.trim_end_matches([' ', '\t']).len() as u32
    }

    /// Whether nothing but white space follows on a line.
    fn line_ends_at(&self, at: u32) -> bool {
        is_blank(self.target, at..self.target.line_end(at).max(at))
    }

    /// Where a comment may follow the key of an entry, on the key's line.
    fn end_of_key_line(&self, entry: Entry<'_>) -> Option<u32> {
        let node = self.target.node(entry.value);
        let key_line_end = self.target.line_end(entry.span.start);
        if entry.span.end <= key_line_end {
            return Some(self.end_of_entry(entry));
        }
        match &node.kind {
            NodeKind::Scalar(scalar) if !scalar.style.is_block() => Some(self.end_of_entry(entry)),
            // Behind the dash there is the first entry, and its comment.
            _ if begins_on_line(self.target, entry) => None,
            _ if ends_within_text(self.target, entry, key_line_end) => None,
            _ => {
                let line = self.target.slice(Span::new(entry.span.start, key_line_end));
                Some(entry.span.start + trimmed_end(line))
            }
        }
    }

    /// Where a second comment may be: behind a value of several lines that is no block.
    fn end_behind_comment(&self, entry: Entry<'_>) -> Option<u32> {
        let is_open =
            !is_block(self.target, entry.value) && !is_block_scalar(self.target, entry.value);
        let is_long = entry.span.end > self.target.line_end(entry.span.start);
        (is_open && is_long).then(|| self.end_of_entry(entry))
    }

    /// Where an entry ends, its comma included.
    fn end_of_entry(&self, entry: Entry<'_>) -> u32 {
        entry.comma().map_or(entry.span.end, |comma| comma + 1)
    }
}

/// Where the white space at the end of a line starts.
fn trimmed_end(line: &str) -> u32 {
    line.trim_end_matches([' ', '\t']).len() as u32
}

/// Whether a block collection begins on the line of the dash that it belongs to.
fn begins_on_line(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    let first = tree.node(entry.value).span.start;
    is_block(tree, entry.value) && first < tree.line_end(entry.span.start)
}
