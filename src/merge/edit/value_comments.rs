//! Writes the comment lines above and below a value that is not a block collection.

use super::Editor;
use super::layout::{end_of_indicator, is_blank};
use crate::line_breaks::cut_first_line;
use crate::merge::decision::{Child, Outcome, Piece, PieceKind, RowLines};
use crate::white_space::trimmed;
use crate::yaml::{Entry, Span, Tree};

/// Where comment lines go that are between the key or dash of an entry and its value.
enum Place {
    /// Instead of these lines of the target.
    Lines(Span),
    /// Instead of this white space in front of the value, which is then indented by a number of
    /// columns on a line of its own. It is empty if the value was replaced: what is inserted there
    /// is the new value.
    Gap(Span, u32),
    /// Below the first line of the entry, whose value was replaced by a block collection.
    FirstLine,
    /// Below the value: it has to begin on the line of the key or dash.
    BelowValue,
}

impl Editor<'_> {
    /// Returns the lines of an entry of the target with its edits, and with these comments above
    /// and below its value.
    pub(super) fn lines_with_comments(
        &mut self,
        entry: Entry<'_>,
        child: &Child,
        comments: &[Piece],
        column: u32,
    ) -> String {
        let start = self.target.lines_of(entry).start;
        let end = self.target.end_of_value_lines(entry);
        if !child.outcome().children().any(Child::stays)
            && let Some(row) = self.target.row(entry.value, Some(entry))
            && self.target.line_start(row.span.start) == row.span.start
        {
            // `comments` has those of the collection that becomes empty
            self.edits.delete(row.span.start..row.span.end.min(end));
        }
        let value = comments.iter().position(Piece::is_entry);
        let above = value.unwrap_or_else(|| self.count_above_their_value(child, comments));
        let (above, below) = comments.split_at(above);
        let (mut behind_key, mut behind_value) = (String::new(), &[][..]);
        match self.place_above_value(entry, child) {
            Place::BelowValue => behind_value = above,
            Place::FirstLine => behind_key = self.lines_in_front(child, above, column),
            Place::Lines(lines) => {
                let mut text = self.lines_in_front(child, above, column);
                text.extend(below.first().map(|value| self.blank_lines(value.blanks)));
                self.replace_in_front(entry, child, lines, text);
            }
            Place::Gap(gap, indent) => {
                let text = self.lines_in_front(child, above, column);
                if !text.is_empty() {
                    let indent = " ".repeat((column + indent) as usize);
                    let behind = match gap.is_empty() {
                        true => self.edits.take_text(self.target.text(), gap),
                        false => String::new(),
                    };
                    let text = format!("{}{text}{indent}{behind}", self.line_break);
                    self.edits.replace(gap, text);
                }
            }
        }
        let text = self.edits.take_text(self.target.text(), start..end);
        let mut text = self.on_own_lines(entry, text, column);
        text.insert_str(cut_first_line(&text).0.len(), &behind_key);
        let below = RowLines::without_entries(&below[usize::from(value.is_some())..]);
        let is_below_text = self.ends_in_block_scalar(child);
        let lines_behind_value = RowLines::without_entries(behind_value);
        text = self.composed_below(text, is_below_text, lines_behind_value, column);
        let is_below_text = is_below_text && behind_value.is_empty();
        self.composed_below(text, is_below_text, below, column)
    }

    /// Returns how many of the comments go above a value that is put in the place of a block
    /// collection: those down to the last one that the source has above its value.
    fn count_above_their_value(&self, child: &Child, comments: &[Piece]) -> usize {
        let (source, trees) = (self.source, self.trees());
        let theirs = child.sides().updated.map(|id| source.entry(id));
        let theirs = theirs.map_or("", |it| source.slice(source.lines_above_value(it)));
        let is_above = |piece: &Piece| match &piece.kind {
            PieceKind::Comment(comment) => {
                let line = trimmed(trees[comment.side].slice(comment.span));
                theirs.lines().any(|it| trimmed(it) == line)
            }
            _ => false,
        };
        let last = comments.iter().rposition(is_above);
        last.map_or(0, |last| last + 1)
    }

    /// Returns where comments go that are above the value of an entry of the target. The edits of
    /// the value are made already.
    fn place_above_value(&self, entry: Entry<'_>, child: &Child) -> Place {
        let value = self.target.node(entry.value).span;
        let indicator = end_of_indicator(self.target, entry);
        let theirs = child.sides().updated.map(|id| self.source.entry(id));
        let their_indent = theirs.and_then(|theirs| indent_of_value(self.source, theirs));
        // such a value was written right behind the indicator, which a `? key` may lack
        let fills_empty = value.is_empty()
            && matches!(child.outcome(), Outcome::Take(_))
            && (entry.key.is_none() || entry.colon().is_some());
        if fills_empty || self.edits.replaces_around(indicator, value.start) {
            return match (child.outcome(), their_indent) {
                (Outcome::Take(incoming), _) if self.source.is_block_collection(incoming.node) => {
                    Place::FirstLine
                }
                // the new value begins with a space
                (outcome, Some(indent))
                    if matches!(outcome, Outcome::Take(_)) || outcome.is_emptied() =>
                {
                    Place::Gap(Span::new(indicator, indicator), indent.saturating_sub(1))
                }
                _ => Place::BelowValue,
            };
        }
        let line = self.target.next_line(indicator);
        let has_place = !self.target.is_block_collection(entry.value) && !value.is_empty();
        match their_indent.filter(|_| has_place) {
            _ if has_place && value.start >= line => {
                Place::Lines(self.target.lines_above_value(entry))
            }
            Some(indent) => {
                let gap = self.before_white_space(value.start);
                Place::Gap(Span::new(gap, value.start), indent)
            }
            None => Place::BelowValue,
        }
    }

    /// Replaces the lines above the value of an entry by `text`. If they all go, and upstream has
    /// the value on the line of the key or dash, it is moved there.
    fn replace_in_front(&mut self, entry: Entry<'_>, child: &Child, lines: Span, text: String) {
        let indicator = end_of_indicator(self.target, entry);
        let theirs = child.sides().updated.map(|id| self.source.entry(id));
        let is_moved_up = text.is_empty()
            && !lines.is_empty()
            && theirs.is_some_and(|theirs| indent_of_value(self.source, theirs).is_none())
            && is_blank(self.target, indicator..self.target.line_end(indicator));
        match is_moved_up {
            true => {
                let value = self.target.node(entry.value).span;
                self.edits.replace(indicator..value.start, " ");
            }
            false => self.edits.replace(lines, text),
        }
    }

    /// Returns the lines of comments above the value of an entry in `column`. Those of the other
    /// sides keep their distance to the value.
    fn lines_in_front(&mut self, child: &Child, pieces: &[Piece], column: u32) -> String {
        let indents = self.trees().zip(child.sides());
        let indents = indents.map(|(tree, id)| indent_of_value(tree, tree.entry(id?)));
        let mut pieces = pieces.to_vec();
        for piece in &mut pieces {
            if let PieceKind::Comment(comment) = &mut piece.kind
                && let (Some(new), Some(old)) = (indents.local, indents[comment.side])
            {
                comment.moved += new as i32 - old as i32;
            }
        }
        self.composed(RowLines::without_entries(&pieces), column, 0)
    }
}

/// Returns the number of columns by which the value of an entry is indented, if it is on another
/// line than the key or dash and not a block collection.
fn indent_of_value(tree: &Tree<'_>, entry: Entry<'_>) -> Option<u32> {
    let value = tree.node(entry.value).span;
    let is_below = tree.line_end(entry.span.start) < value.start;
    (is_below && !tree.is_block_collection(entry.value)).then(|| {
        let column = tree.column(value.start);
        column.saturating_sub(tree.column(entry.span.start))
    })
}
