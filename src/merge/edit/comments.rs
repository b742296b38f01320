//! Comments of entries that stay: those that are taken from the source replace the target's (SPEC 7).

use super::Editor;
use super::layout::{is_blank, starts_its_line};
use crate::merge::decision::CommentChoices;
use crate::yaml::{Comments, Entry, NodeKind, ScalarStyle, Span};

impl Editor<'_> {
    /// Carries out the choices for an entry whose value keeps its place.
    pub(super) fn comments(&mut self, entry: &Entry, choices: CommentChoices) {
        let Some(theirs) = self.chosen(choices) else {
            return;
        };
        self.leading_comment(entry, choices);
        if choices.line.is_updated() {
            self.line_comment(
                entry.comments.line,
                theirs.line,
                self.end_of_key_line(entry),
            );
        }
        if choices.tail.is_updated() {
            self.line_comment(
                entry.comments.tail,
                theirs.tail,
                Some(self.end_of_entry(entry)),
            );
        }
    }

    fn chosen(&self, choices: CommentChoices) -> Option<Comments> {
        let from = choices.from.filter(|_| !choices.is_keep())?;
        Some(self.source.entry(from).comments)
    }

    /// The comment lines above an entry.
    pub(super) fn leading_comment(&mut self, entry: &Entry, choices: CommentChoices) {
        let Some(theirs) = self
            .chosen(choices)
            .filter(|_| choices.leading.is_updated())
        else {
            return;
        };
        if !starts_its_line(self.target, entry) {
            return;
        }
        let ours = entry.comments.leading;
        let at = if ours.is_empty() {
            let line = self.target.line_start(entry.span.start);
            line..line
        } else {
            ours.start..ours.end
        };
        let indent = " ".repeat(self.target.column(entry.span.start) as usize);
        let mut text = String::new();
        for line in self.source.slice(theirs.leading).lines() {
            text.push_str(&indent);
            text.push_str(line.trim());
            text.push_str(self.line_break);
        }
        self.edits.replace(at, text);
    }

    /// A comment on a line: replaced, taken away with the white space before it, or added at `end`, where a line has room.
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
    fn end_of_key_line(&self, entry: &Entry) -> Option<u32> {
        let node = self.target.node(entry.value);
        let key_line_end = self.target.line_end(entry.span.start);
        if entry.span.end <= key_line_end {
            return Some(self.end_of_entry(entry));
        }
        match &node.kind {
            NodeKind::Scalar(scalar)
                if !matches!(scalar.style, ScalarStyle::Literal | ScalarStyle::Folded) =>
            {
                None
            }
            _ => {
                let line = self.target.slice(Span::new(entry.span.start, key_line_end));
                Some(entry.span.start + line.trim_end().len() as u32)
            }
        }
    }

    /// Where an entry ends, its comma included.
    fn end_of_entry(&self, entry: &Entry) -> u32 {
        entry.comma.map_or(entry.span.end, |comma| comma + 1)
    }
}
