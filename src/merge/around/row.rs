//! The lines around a document's value as pieces of a row, and the position of its `---` line.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::is_comment;
use crate::line_breaks::lines_with_breaks;
use crate::triple::Triple;
use crate::white_space::{is_white_space, trimmed};
use crate::yaml::row::{Item, ItemKind};
use crate::yaml::stream::{byte_order_mark, count_lines};
use crate::yaml::{EntryId, Span};

/// The lines around a document's value, as pieces of a row.
#[derive(Debug, Default)]
pub(super) struct Row<'t> {
    pub(super) pieces: Vec<Piece<'t>>,
    /// The document's own `---` line, with its directives.
    pub(super) frame: Option<Frame<'t>>,
    /// The blank lines at the end.
    end: &'t str,
}

/// The `---` line of a document. It is not a piece of the row, which aligns without it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'t> {
    pub(super) text: &'t str,
    /// The number of pieces above it.
    pub(super) at: usize,
    /// The blank lines above it.
    pub(super) blank: &'t str,
    /// Whether the blank lines of the next piece are below the frame and not those above it.
    pub(super) has_blanks_below: bool,
}

/// A comment line, a `---` line, or the first line of an entry, with its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    blank: &'t str,
    pub(super) text: &'t str,
    /// The line in which it starts.
    pub(super) line: usize,
    /// The number of the entry, if it is the first line of one.
    entry: Option<u32>,
}

/// Gives original and updated local's blank lines at the end, where the result and local have no
/// frame: there, blank lines set the comments off that a frame sets off on the other sides.
pub(super) fn set_off_as_local(rows: &mut Triple<Row<'_>>) {
    let end = rows.local.end;
    let has_frame = rows.original.frame.is_some() || rows.updated.frame.is_some();
    let is_new = rows.local.pieces.is_empty() && !rows.updated.pieces.is_empty();
    if rows.local.frame.is_some() || !has_frame || is_new {
        return;
    }
    for row in [&mut rows.original, &mut rows.updated] {
        if !row.pieces.is_empty() || !row.end.is_empty() {
            row.end = end;
        }
    }
}

impl<'t> Row<'t> {
    /// Cuts a text into pieces. `frame` is the range of its `---` line with its directives.
    pub(super) fn of(text: &'t str, frame: Option<Range<usize>>) -> Self {
        let mut row = Self::default();
        let mut start = byte_order_mark(text);
        if let Some(frame) = frame {
            row.add(text, start..frame.start);
            start = frame.end;
            row.frame = Some(Frame {
                text: &text[frame],
                at: row.pieces.len(),
                blank: std::mem::take(&mut row.end),
                has_blanks_below: true,
            });
        }
        row.add(text, start..text.len());
        row
    }

    /// Gives the piece below the frame the blank lines above the frame, if it has none of its own.
    /// Rows without a frame have only one number of blank lines there.
    pub(super) fn move_blanks_below_frame(&mut self) {
        let Some(frame) = &mut self.frame else { return };
        let below = self.pieces.get_mut(frame.at).map(|piece| &mut piece.blank);
        let below = below.unwrap_or(&mut self.end);
        frame.has_blanks_below = !below.is_empty();
        if below.is_empty() {
            *below = frame.blank;
        }
    }

    /// Returns the row with the entries of a document numbered by their keys, in `keys`. Lines that
    /// are indented below an entry belong to it and are left out.
    pub(super) fn with_entries(self, keys: &mut FxHashMap<&'t str, u32>) -> Self {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in self.pieces {
            let is_comment =
                piece.text.starts_with('#') || seen.is_empty() && is_comment(piece.text);
            let is_inside = !seen.is_empty() && piece.text.starts_with([' ', '\t']);
            let mut entry = None;
            if is_inside {
                continue;
            } else if !is_comment {
                let key = piece
                    .text
                    .split_once(':')
                    .map_or(piece.text, |(key, _)| key);
                let next = u32::try_from(keys.len()).unwrap_or(u32::MAX);
                let number = *keys.entry(key).or_insert(next);
                if !seen.insert(number) {
                    continue;
                }
                entry = Some(number);
            }
            pieces.push(Piece { entry, ..piece });
        }
        Self { pieces, ..self }
    }

    /// Adds the lines of a range of the text.
    fn add(&mut self, text: &'t str, range: Range<usize>) {
        let (mut at, first) = (range.start, count_lines(&text[..range.start]));
        for (number, line) in lines_with_breaks(&text[range]).enumerate() {
            let start = at - self.end.len();
            at += line.len();
            match is_white_space(line) {
                true => self.end = &text[start..at],
                false => self.pieces.push(Piece {
                    blank: std::mem::take(&mut self.end),
                    text: line,
                    line: first + number,
                    entry: None,
                }),
            }
        }
    }

    /// Whether a piece is above the frame; `None` if there is no frame.
    pub(super) fn is_above_frame(&self, at: usize) -> Option<bool> {
        self.frame.map(|frame| at < frame.at)
    }

    /// Returns true if the frame is among the same pieces as in another row, those that only one
    /// row has aside.
    pub(super) fn has_frame_as_in(&self, other: &Self) -> bool {
        let is_same = |(at, piece): (usize, &Piece<'_>)| {
            let own = self.find(piece.text);
            own.is_none_or(|own| self.is_above_frame(own) == other.is_above_frame(at))
        };
        other.pieces.iter().enumerate().all(is_same)
    }

    /// Returns the position of the first piece with this text, white space around it aside.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let mut pieces = self.pieces.iter();
        pieces.position(|piece| trimmed(piece.text) == trimmed(text))
    }

    /// Returns the blank lines above a piece, or above the end.
    pub(super) fn blank(&self, at: usize) -> &'t str {
        self.pieces.get(at).map_or(self.end, |piece| piece.blank)
    }

    /// Returns the pieces as one text with its items, and the end.
    pub(super) fn joined(&self) -> (String, Vec<Item>) {
        let (mut text, mut items) = (String::new(), Vec::new());
        let mut push = |kind, blank: &str, piece: &str| {
            let blank_start = text.len() as u32;
            text.push_str(blank);
            let start = text.len() as u32;
            text.push_str(piece);
            items.push(Item {
                kind,
                blank_start,
                blanks: count_lines(blank) as u32,
                span: Span::new(start, text.len() as u32),
            });
        };
        for piece in &self.pieces {
            let entry = piece.entry.map(|it| ItemKind::Entry(EntryId::new(it)));
            push(entry.unwrap_or(ItemKind::Comment), piece.blank, piece.text);
        }
        push(ItemKind::End, self.end, "");
        (text, items)
    }
}
