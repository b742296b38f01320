//! Writes the pieces of a row as text. The sides of an open conflict go into a [`Hunk`], for which
//! the text has a placeholder.

use super::Editor;
use super::block_scalar::ends_in_block_scalar;
use super::draft::{Hunk, PLACEHOLDER, shared_lines, shifted};
use super::layout::{indents_of_comments, starts_its_line};
use super::reindent::Reindent;
use crate::line_breaks::ends_line;
use crate::merge::decision::{
    Blanks, Child, CommentChoice, CommentPiece, Outcome, Piece, PieceKind, Remarks, Slot,
};
use crate::triple::Side;
use crate::yaml::{EntryId, Span, Tree};

/// The state of writing a row.
struct Composition {
    text: String,
    /// The hunk at the end of the text, to which the next piece may belong.
    open_hunk: Option<Hunk>,
    /// Whether the text ends with a block scalar, which a deeper comment would become part of.
    is_below_text: bool,
    /// The span in the target of the last piece, if that was written unchanged.
    last: Option<Span>,
}

impl Editor<'_> {
    /// Returns the lines of pieces with entries in `column`, all indented by `moved` more columns.
    pub(super) fn composed(&mut self, pieces: &[Piece], column: u32, moved: i64) -> String {
        self.composed_below(pieces, (column, moved), false)
    }

    /// [`Self::composed`] for pieces that may be below a block scalar.
    fn composed_below(
        &mut self,
        pieces: &[Piece],
        (column, moved): (u32, i64),
        is_below_text: bool,
    ) -> String {
        let mut row = Composition {
            text: String::new(),
            open_hunk: None,
            is_below_text,
            last: None,
        };
        let mut above: Option<&Child> = None;
        for piece in pieces {
            match &piece.kind {
                PieceKind::End => {
                    self.close_hunk(&mut row);
                    row.text.push_str(&self.blank_lines(piece.blanks));
                }
                PieceKind::Comment(comment) => {
                    self.comment(&mut row, piece.blanks, comment, column)
                }
                PieceKind::Original(entry) => {
                    let lines = self
                        .original_lines_of(&[*entry], column)
                        .unwrap_or_default();
                    let hunk = row.open_hunk.get_or_insert_default();
                    hunk.texts.original.push_str(&lines);
                }
                PieceKind::Entry(child) => {
                    let needs_indicator = self.needs_key_indicator(above, child);
                    self.entry_piece(&mut row, piece.blanks, child, column, needs_indicator);
                    above = child.stays().then_some(child).or(above);
                }
            }
        }
        self.close_hunk(&mut row);
        shifted(row.text, moved)
    }

    /// Writes a comment with the blank lines above it.
    fn comment(
        &mut self,
        row: &mut Composition,
        blanks: Blanks,
        comment: &CommentPiece,
        column: u32,
    ) {
        let tree = match comment.side {
            Side::Local => Some(self.target.tree),
            Side::Updated => Some(self.source.tree),
            Side::Original => self.original,
        };
        let Some(tree) = tree else {
            return;
        };
        let follows_last = comment.side == Side::Local
            && row
                .last
                .is_some_and(|last| last.end == self.start_with(blanks, comment.span));
        let mut text = self.mover(tree).lines(comment.span, comment.moved);
        if row.is_below_text && !follows_last {
            outdent_comments(&mut text, column);
        }
        match comment.of_side {
            None => {
                self.close_hunk(row);
                row.text.push_str(&self.blank_lines(blanks));
                row.text.push_str(&text);
                row.is_below_text &= !indents_of_comments(&text, column).is_empty();
            }
            Some(of_side) => {
                let blanks = self.blank_lines(blanks);
                let hunk = row.open_hunk.get_or_insert_default();
                let side = &mut hunk.texts[of_side];
                side.push_str(&blanks);
                side.push_str(&text);
            }
        }
        row.last = follows_last.then_some(comment.span);
    }

    /// Returns where the blank lines above a piece start, if they are its own; else `u32::MAX`.
    fn start_with(&self, blanks: Blanks, span: Span) -> u32 {
        match blanks {
            Blanks::Local(blank) if blank.end == span.start => blank.start,
            Blanks::Count(0) => span.start,
            _ => u32::MAX,
        }
    }

    /// Writes an entry with the blank lines above it, and with a `?` if its empty key needs one.
    fn entry_piece(
        &mut self,
        row: &mut Composition,
        blanks: Blanks,
        child: &Child,
        column: u32,
        needs_indicator: bool,
    ) {
        if self.is_open(child) {
            self.hunk(row, blanks, child, column);
            return;
        }
        if !child.stays() {
            return;
        }
        self.close_hunk(row);
        row.text.push_str(&self.blank_lines(blanks));
        let text = self.entry_lines(child, column);
        match needs_indicator {
            true => row.text.push_str(&self.with_key_indicator(&text, column)),
            false => row.text.push_str(&text),
        }
        self.update_state(row, child);
    }

    /// Updates the state after an entry.
    fn update_state(&self, row: &mut Composition, child: &Child) {
        row.is_below_text = self.ends_in_block_scalar(child);
        row.last = match child.slot {
            Slot::Local(id) if child.is_untouched() => {
                Some(self.target.lines_of(self.target.entry(id)))
            }
            _ => None,
        };
    }

    /// Whether an entry has an open conflict that has to be a hunk of the whole entry.
    pub(super) fn is_open(&self, child: &Child) -> bool {
        if !child.has_choice() {
            return false;
        }
        let below = child.below().into_iter().flatten();
        let Slot::Local(id) = child.slot else {
            return true;
        };
        let value = self.target.entry(id).value;
        let is_inside = child.outcome.is_merge()
            && self.target.is_block_collection(value)
            && !self.begins_with_choice(value, &child.outcome)
            && !child.remarks().has_choice()
            && !below
                .into_iter()
                .any(|piece| matches!(piece.kind, PieceKind::Comment(it) if it.of_side.is_some()));
        !is_inside
    }

    /// Writes both sides of an entry as a hunk, without lines that all sides begin or end with.
    fn hunk(&mut self, row: &mut Composition, blanks: Blanks, child: &Child, column: u32) {
        let sides = [Side::Local, Side::Updated].map(|side| child.choose(side));
        let stays = sides.iter().all(Child::stays);
        let is_below_text = sides.iter().any(|side| self.ends_in_block_scalar(side));
        let [local, updated] = sides.map(|side| match side.stays() {
            true => self.entry_lines(&side, column),
            false => String::new(),
        });
        let original = match &child.outcome {
            Outcome::Apart(apart) if apart.base.is_some() => {
                let base = apart.base.as_deref().unwrap_or_default();
                self.original_lines_of(base, column)
            }
            _ => child
                .sides()
                .original
                .and_then(|id| Some(self.mover(self.original?).entry(id, column))),
        };
        let (above, below) = match stays {
            true => shared_lines(&local, &updated, original.as_deref()),
            false => (0, 0),
        };
        // of an entry that both sides added, neither side of the hunk may be empty
        let is_shown = |side: &String| original.is_some() || side.len() > above + below;
        let (above, below) = match is_shown(&local) && is_shown(&updated) {
            true => (above, below),
            false => (0, 0),
        };
        let original = original.unwrap_or_default();
        if above > 0 {
            self.close_hunk(row);
        }
        let mut blank = self.blank_lines(blanks);
        if row.open_hunk.is_none() && stays {
            row.text.push_str(&std::mem::take(&mut blank));
        }
        row.text.push_str(&local[..above]);
        let hunk = row.open_hunk.get_or_insert_default();
        for (text, lines) in [
            (&mut hunk.texts.local, &local),
            (&mut hunk.texts.updated, &updated),
        ] {
            if !lines.is_empty() {
                text.push_str(&blank);
                text.push_str(&lines[above..lines.len() - below]);
            }
        }
        let base = match original.is_empty() {
            true => "",
            false => &original[above..original.len() - below],
        };
        hunk.texts.original.push_str(base);
        if below > 0 {
            self.close_hunk(row);
            row.text.push_str(&local[local.len() - below..]);
        }
        row.last = None;
        row.is_below_text = is_below_text;
    }

    /// Moves lines of a tree that stay as they are written.
    fn mover<'t>(&self, tree: &'t Tree<'t>) -> Reindent<'t> {
        Reindent::as_written(tree, self.line_break)
    }

    /// Returns the original's lines of consecutive entries, and the comments above, in a column.
    fn original_lines_of(&self, entries: &[EntryId], column: u32) -> Option<String> {
        let tree = self.original?;
        let (first, last) = (tree.entry(*entries.first()?), tree.entry(*entries.last()?));
        let by = i64::from(column) - i64::from(tree.column(first.span.start));
        let lines = Span::new(tree.row_start(first), tree.lines_of(last).end);
        Some(self.mover(tree).lines(lines, by))
    }

    /// Ends the open hunk, if there is one, and writes its placeholder.
    fn close_hunk(&mut self, row: &mut Composition) {
        let Some(mut hunk) = row.open_hunk.take() else {
            return;
        };
        if hunk.texts.local == hunk.texts.updated {
            row.text.push_str(&hunk.texts.local);
            return;
        }
        row.text.push_str(&hunk.take_shared_blanks());
        row.text.push(PLACEHOLDER);
        row.text.push_str(&self.hunks.len().to_string());
        row.text.push_str(self.line_break);
        self.hunks.push(hunk);
    }

    /// Returns the lines of an entry of the result, with the comments below that belong to it.
    pub(super) fn entry_lines(&mut self, child: &Child, column: u32) -> String {
        match (child.slot, &child.outcome) {
            (Slot::Local(_), _) if child.text().is_some() => {
                let from = child.text().unwrap_or(EntryId::new(0));
                self.mover(self.source).entry(from, column)
            }
            (Slot::Local(id), _) => self.kept_entry_lines(id, child, column),
            (Slot::Updated(id), Outcome::Take(incoming)) => {
                let lines = self.arriving_lines(id, incoming, column);
                match column {
                    0 => self.with_marker_key_quoted(id, lines),
                    _ => lines,
                }
            }
            (Slot::Updated(_), _) => String::new(),
        }
    }

    /// Returns the lines of an entry of the target that stays, with its edits.
    fn kept_entry_lines(&mut self, id: EntryId, child: &Child, column: u32) -> String {
        let entry = self.target.entry(id);
        let lines = self.target.lines_of(entry);
        let remarks = Remarks {
            above: CommentChoice::Local,
            ..child.remarks()
        };
        self.replace_key(child, entry);
        self.edit_value(entry, &child.outcome, remarks);
        let end = match child.below() {
            Some(_) => self.target.end_of_value_lines(entry),
            None => lines.end,
        };
        if child.below().is_some()
            && !child.outcome.children().any(Child::stays)
            && let Some(row) = self.target.row(entry.value, Some(entry))
            && self.target.line_start(row.span.start) == row.span.start
        {
            // `below` has the comments of the collection that becomes empty
            self.edits.delete(row.span.start..row.span.end.min(end));
        }
        let mut text = self.edits.take_text(self.target.text(), lines.start..end);
        if !starts_its_line(self.target, entry) {
            text.insert_str(0, &" ".repeat(column as usize));
        }
        if !ends_line(&text) {
            text.push_str(self.line_break);
        }
        if let Some(below) = child.below() {
            let is_below_text = self.ends_in_block_scalar(child);
            text.push_str(&self.composed_below(below, (column, 0), is_below_text));
        }
        text
    }

    /// Returns the text of blank lines.
    fn blank_lines(&self, blanks: Blanks) -> String {
        match blanks {
            Blanks::Local(span) => {
                let text = self.target.slice(span);
                match text.is_empty() || ends_line(text) {
                    true => text.to_owned(),
                    false => format!("{text}{}", self.line_break),
                }
            }
            Blanks::Count(count) => self.line_break.repeat(count as usize),
        }
    }

    /// Whether an entry of the result ends with a block scalar.
    fn ends_in_block_scalar(&self, child: &Child) -> bool {
        match (&child.outcome, child.slot) {
            (Outcome::Take(incoming), _) => ends_in_block_scalar(self.source, incoming.node),
            (Outcome::Merge(_) | Outcome::Row(_), _) => {
                let last = child
                    .outcome
                    .children()
                    .filter(|child| child.stays())
                    .last();
                last.is_some_and(|last| self.ends_in_block_scalar(last))
            }
            (_, Slot::Local(id)) => ends_in_block_scalar(self.target, self.target.entry(id).value),
            (_, Slot::Updated(_)) => false,
        }
    }
}

/// Moves the comment lines at the start of a text out to a column.
fn outdent_comments(text: &mut String, column: u32) {
    for deep in indents_of_comments(text, column).into_iter().rev() {
        text.replace_range(deep.start as usize..deep.end as usize, "");
    }
}
