//! Writes the pieces of a row as text. The sides of an open conflict go into a hunk, for which the
//! text has a placeholder: see `open_hunks`.

use super::Editor;
use super::block_scalar::{column_of_last_lines, ends_in_block_scalar};
use super::draft::shifted;
use super::habits::Habits;
use super::layout::{indents_of_comments, starts_its_line};
use super::open_hunks::OpenHunk;
use super::reindent::Reindent;
use crate::line_breaks::{ends_line, with_line_break};
use crate::merge::decision::{
    Blanks, Child, CommentChoice, CommentPiece, Outcome, Piece, PieceKind, Remarks, RowLines, Slot,
};
use crate::parallel::is_in_pool;
use crate::triple::Side;
use crate::yaml::{Entry, EntryId, Tree};

/// The least number of pieces that are worth a thread.
const MIN_PIECES: usize = 1024;

/// The state of writing a row.
pub(super) struct Composition<'p> {
    /// The column of the entries.
    pub(super) column: u32,
    pub(super) text: String,
    /// The hunk at the end of the text, to which the next piece may belong.
    pub(super) open_hunk: Option<OpenHunk>,
    /// The start in the text of the entry above, if that ends with a block scalar, which a deeper
    /// comment would become part of.
    pub(super) block_scalar_above: Option<usize>,
    /// The end in the target of the last piece, if that was written unchanged.
    pub(super) unchanged_end: Option<u32>,
    /// The last entry.
    pub(super) above: Option<&'p Child>,
}

impl Editor<'_> {
    /// Returns the lines of pieces with entries in `column`, all indented by `moved` more columns.
    pub(super) fn composed(&mut self, pieces: RowLines<'_>, column: u32, moved: i64) -> String {
        let text = self.composed_below(String::new(), false, pieces, column);
        shifted(text, column, moved)
    }

    /// Returns the lines of an entry and of pieces below it. The lines may end with a block scalar.
    pub(super) fn composed_below(
        &mut self,
        text: String,
        ends_in_block_scalar: bool,
        pieces: RowLines<'_>,
        column: u32,
    ) -> String {
        let mut row = Composition {
            column,
            text,
            open_hunk: None,
            block_scalar_above: ends_in_block_scalar.then_some(0),
            unchanged_end: None,
            above: None,
        };
        self.compose(&mut row, pieces);
        self.close_hunk(&mut row);
        row.text
    }

    /// Writes pieces at the end of a row. In a thread pool, the halves of many pieces are written
    /// in parallel.
    fn compose<'p>(&mut self, row: &mut Composition<'p>, pieces: RowLines<'p>) {
        let Some((middle, above)) = self.middle_of(pieces) else {
            for piece in pieces.pieces {
                self.piece(row, piece, pieces.entry(piece));
            }
            return;
        };
        let (pieces, more_pieces) = pieces.split_at(middle);
        let mut other = self.without_edits();
        let mut more = Composition {
            text: String::new(),
            open_hunk: None,
            ..*row
        };
        self.end_at(&mut more, above);
        rayon::join(
            || self.compose(row, pieces),
            || other.compose(&mut more, more_pieces),
        );
        row.text.push_str(&more.text);
        self.hunks.append(&mut other.hunks);
        self.edits.append(other.edits);
        more.text = std::mem::take(&mut row.text);
        *row = more;
    }

    /// Returns the number of pieces above the middle of many, and the entry there, which ends no
    /// hunk. `None` if they are few, or if they are not written in a thread pool.
    fn middle_of<'p>(&self, pieces: RowLines<'p>) -> Option<(usize, &'p Child)> {
        let half = pieces.pieces.len() / 2;
        let is_free = || self.edits.is_empty() && !self.target.has_aliases();
        if half < MIN_PIECES || !is_in_pool() || !is_free() || self.source.has_aliases() {
            return None;
        }
        let entries = pieces.pieces.iter().map(|piece| pieces.entry(piece));
        let entries = entries.enumerate().skip(half);
        let mut entries = entries.filter_map(|(at, child)| Some((at + 1, child?)));
        let is_middle = |child: &Child| {
            child.stays() && !self.is_open(child) && !self.ends_in_block_scalar(child)
        };
        let middle = entries.find(|(_, child)| is_middle(child));
        // below the last piece there would be no second half
        middle.filter(|(above, _)| *above < pieces.pieces.len())
    }

    /// Writes a piece at the end of a row. `entry` is the decision about it if it is an entry.
    fn piece<'p>(&mut self, row: &mut Composition<'p>, piece: &Piece, entry: Option<&'p Child>) {
        let blanks = self.blank_lines(piece.blanks);
        match &piece.kind {
            PieceKind::End => {
                self.close_hunk(row);
                row.text.push_str(&blanks);
            }
            PieceKind::Comment(comment) => self.comment(row, piece.blanks, comment),
            PieceKind::Original(entry) => {
                let lines = self.original_lines_of(&[*entry], row.column);
                let hunk = row.open_hunk.get_or_insert_default();
                hunk.push(Side::Original, ["", &lines.unwrap_or_default()]);
            }
            PieceKind::Entry(_) => match entry {
                Some(child) if self.is_open(child) => self.hunk(row, blanks, child),
                Some(child) if child.stays() => {
                    self.close_hunk(row);
                    row.text.push_str(&blanks);
                    self.entry(row, child);
                }
                _ => {}
            },
        }
        row.above = entry.filter(|it| it.stays()).or(row.above);
    }

    /// Writes a comment with the blank lines above it.
    fn comment(&mut self, row: &mut Composition<'_>, blanks: Blanks, comment: &CommentPiece) {
        let tree = self.trees()[comment.side].tree;
        let start = match blanks {
            Blanks::Lines(Side::Local, blank) if blank.end == comment.span.start => {
                Some(blank.start)
            }
            Blanks::Count(0) => Some(comment.span.start),
            _ => None,
        };
        let follows_unchanged =
            comment.side == Side::Local && start.is_some() && start == row.unchanged_end;
        let moved = i64::from(comment.moved);
        let old_column = i64::from(row.column) - moved;
        let own = tree.slice(comment.span);
        let is_whole = tree.column(comment.span.start) == 0 && ends_line(own);
        let mut text = match comment.side == Side::Local && moved == 0 && is_whole {
            true => own.to_owned(),
            false => self.mover(tree).lines(comment.span, old_column, moved),
        };
        let excess = indents_of_comments(&text, row.column).pop();
        if let (Some(above), Some(excess)) = (row.block_scalar_above, &excess)
            && !follows_unchanged
            && row
                .text
                .get(above..)
                .and_then(column_of_last_lines)
                .is_none_or(|column| excess.end >= column)
        {
            text.replace_range(excess.start as usize..excess.end as usize, "");
        }
        text.insert_str(0, &self.blank_lines(blanks));
        match comment.of_side {
            None => {
                self.close_hunk(row);
                row.text.push_str(&text);
                row.block_scalar_above
                    .take_if(|_| !follows_unchanged || excess.is_none());
            }
            Some(side) => {
                let hunk = row.open_hunk.get_or_insert_default();
                hunk.push(side, ["", &text]);
            }
        }
        row.unchanged_end = follows_unchanged.then_some(comment.span.end);
    }

    /// Writes an entry.
    fn entry<'p>(&mut self, row: &mut Composition<'p>, child: &'p Child) {
        if self.needs_key_indicator(row.above, child) {
            let indent = " ".repeat(row.column as usize);
            row.text.push_str(&format!("{indent}?{}", self.line_break));
        }
        let lines = self.entry_lines(child, row.column);
        self.end_at(row, child);
        row.text.push_str(&lines);
    }

    /// Notes an entry as the last one of a row.
    fn end_at<'p>(&self, row: &mut Composition<'p>, child: &'p Child) {
        row.above = Some(child);
        row.block_scalar_above = self.ends_in_block_scalar(child).then_some(row.text.len());
        row.unchanged_end = match child.slot {
            Slot::Local(id) if child.is_untouched() => {
                Some(self.target.end_of_lines(self.target.entry(id)))
            }
            _ => None,
        };
    }

    /// Moves lines of a tree that stay as they are written.
    pub(super) fn mover<'t>(&self, tree: &'t Tree<'t>) -> Reindent<'t> {
        Reindent {
            tree,
            from: Habits::default(),
            to: Habits::default(),
            line_break: self.line_break,
        }
    }

    /// Returns the lines of an entry of the result, with the comments below that belong to it.
    pub(super) fn entry_lines(&mut self, child: &Child, column: u32) -> String {
        match (child.slot, child.outcome()) {
            (Slot::Local(id), _) => match child.text() {
                Some(from) => self.mover(self.source).entry(from, column),
                None => self.kept_entry_lines(id, child, column),
            },
            (Slot::Updated(id), Outcome::Take(incoming)) => {
                self.arriving_lines(id, incoming, column)
            }
            (Slot::Updated(_), _) => String::new(),
        }
    }

    /// Returns the lines of an entry of the target that stays, with its edits.
    fn kept_entry_lines(&mut self, id: EntryId, child: &Child, column: u32) -> String {
        let entry = self.target.entry(id);
        let lines = self.target.lines_of(entry);
        if !child.is_untouched() {
            let remarks = Remarks {
                above: CommentChoice::Local,
                ..child.extras().remarks
            };
            self.edit_entry(id, child, remarks);
        }
        match &child.extras().value_comments {
            Some(comments) => self.lines_with_comments(entry, child, comments, column),
            None => {
                let text = self.edits.take_text(self.target.text(), lines);
                self.on_own_lines(entry, text, column)
            }
        }
    }

    /// Returns the text of an entry as whole lines.
    pub(super) fn on_own_lines(&self, entry: Entry<'_>, mut text: String, column: u32) -> String {
        if !starts_its_line(self.target, entry) {
            text.insert_str(0, &" ".repeat(column as usize));
        }
        if !ends_line(&text) {
            text.push_str(self.line_break);
        }
        text
    }

    /// Returns the text of blank lines.
    pub(super) fn blank_lines(&self, blanks: Blanks) -> String {
        match blanks {
            Blanks::Lines(side, span) => {
                let text = self.trees()[side].slice(span);
                let text = match side {
                    Side::Local => text.into(),
                    Side::Original | Side::Updated => with_line_break(text, self.line_break),
                };
                match text.is_empty() || ends_line(&text) {
                    true => text.into_owned(),
                    false => format!("{text}{}", self.line_break),
                }
            }
            Blanks::Count(count) => self.line_break.repeat(count as usize),
        }
    }

    /// Whether an entry of the result ends with a block scalar.
    pub(super) fn ends_in_block_scalar(&self, child: &Child) -> bool {
        match (child.outcome(), child.slot) {
            (Outcome::Take(incoming), _) => ends_in_block_scalar(self.source, incoming.node),
            (Outcome::Merge(_) | Outcome::Row(_), _) => {
                let last = child.outcome().staying().last();
                last.is_some_and(|last| self.ends_in_block_scalar(last))
            }
            (_, Slot::Local(id)) => ends_in_block_scalar(self.target, self.target.entry(id).value),
            (_, Slot::Updated(_)) => false,
        }
    }
}
