//! The lines around a document's value, as pieces of a row, and where its `---` line is among them.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::is_comment;
use crate::line_breaks::lines_with_breaks;
use crate::merge::rows::{Token, TokenKind};
use crate::triple::Triple;
use crate::yaml::stream::{byte_order_mark, count_lines};

/// The same rows, with a frame on all sides if one has it: rows align at it. Where a side lacks it
/// it is below the comments that are above it on another side. Where local moved it, all sides
/// have it as local does. `stays` says whether the result has it.
pub(super) fn framed<'t>(rows: Triple<Row<'t>>, stays: bool) -> Triple<Row<'t>> {
    let above = rows.as_ref().map(Row::above_frame);
    let Triple {
        original,
        updated,
        local,
    } = above.as_ref().map(Option::as_ref);
    let is_moved = original.zip(local).is_some_and(|(original, local)| {
        let all: FxHashSet<&str> = rows.local.words().collect();
        let is_below = |words: &str| all.contains(words) && !local.contains(words);
        let is_above = |words: &str| local.contains(words) && !original.contains(words);
        let mut words = rows.original.words();
        words.any(|it| original.contains(it) && is_below(it) || is_above(it))
    });
    let Some(known) = local
        .filter(|_| is_moved)
        .or(updated)
        .or(local)
        .or(original)
    else {
        return rows;
    };
    let known = known.clone();
    let lacks_frame = original.is_some() && updated.is_none() && local.is_some();
    let is_set_off = stays && lacks_frame && !rows.updated.end.is_empty();
    let Triple {
        original,
        updated,
        local,
    } = rows;
    let framed = |row: Row<'t>, is_moved: bool, above: &FxHashSet<&str>| match row.frame {
        Some(_) if !is_moved => row,
        _ => row.with_empty_frame(above),
    };
    let original = framed(original, is_moved, &known);
    // the others have it where the original has it, if there is anything around it there
    let above = original.above_frame().filter(|_| original.pieces.len() > 1);
    let above = above.unwrap_or(known);
    let updated = framed(updated, is_moved, &above);
    Triple {
        updated: match is_set_off {
            true => updated.with_blanks_of(&original),
            false => updated,
        },
        local: framed(local, false, &above),
        original,
    }
}

/// The same rows without their frames, where neither local nor the result has one: it is above no
/// comment and below none.
pub(super) fn unframed<'t>(rows: Triple<Row<'t>>) -> Triple<Row<'t>> {
    let has_frame = rows.as_ref().map(|row| row.frame.is_some()).into_array();
    let brings_comments = rows.local.pieces.is_empty() && rows.updated.has_comments();
    let end = Some(rows.local.end).filter(|_| !brings_comments);
    rows.map(|row| match (has_frame.contains(&true), end) {
        (true, Some(end)) => row.without_frame().with_end(end),
        (true, None) => row.without_frame(),
        (false, _) => row,
    })
}

/// The number of a document's own `---` line among the entries of a row.
pub(super) const FRAME: u32 = 0;

/// The lines around a document's value, as pieces of a row.
#[derive(Debug, Default)]
pub(super) struct Row<'t> {
    pub(super) pieces: Vec<Piece<'t>>,
    /// Which piece is the document's own `---` line, with its directives.
    pub(super) frame: Option<usize>,
    /// The blank lines at the end.
    end: &'t str,
}

/// A comment line, a `---` line, or the first line of an entry, with its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    blank: &'t str,
    pub(super) text: &'t str,
    /// The line in which it starts.
    pub(super) line: usize,
    /// The number of the entry that begins here, where it is one.
    entry: Option<u32>,
}

impl<'t> Row<'t> {
    pub(super) fn of(text: &'t str, frame: Option<Range<usize>>) -> Self {
        let mut row = Self::default();
        let mut start = byte_order_mark(text);
        if let Some(frame) = frame {
            row.add(text, start..frame.start);
            row.frame = Some(row.pieces.len());
            row.push(text, frame.clone());
            start = frame.end;
        }
        row.add(text, start..text.len());
        row
    }

    /// The same of a document, its entries numbered by their keys. What is indented below an entry
    /// is in it.
    pub(super) fn with_entries(self, keys: &mut FxHashMap<&'t str, u32>) -> Self {
        let mut here: FxHashSet<u32> = FxHashSet::default();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        let mut frame = None;
        for (at, piece) in self.pieces.into_iter().enumerate() {
            let is_frame = self.frame == Some(at);
            let is_comment =
                piece.text.starts_with('#') || here.is_empty() && is_comment(piece.text);
            let is_inside = !here.is_empty() && piece.text.starts_with([' ', '\t']);
            let mut entry = None;
            if is_frame {
                frame = Some(pieces.len());
            } else if is_inside {
                continue;
            } else if !is_comment {
                let key = piece
                    .text
                    .split_once(':')
                    .map_or(piece.text, |(key, _)| key);
                let next = FRAME + 1 + u32::try_from(keys.len()).unwrap_or(u32::MAX);
                let number = *keys.entry(key).or_insert(next);
                if !here.insert(number) {
                    continue;
                }
                entry = Some(number);
            }
            pieces.push(Piece { entry, ..piece });
        }
        Self {
            pieces,
            frame,
            ..self
        }
    }

    /// Adds the lines between two places.
    fn add(&mut self, text: &'t str, range: Range<usize>) {
        let mut at = range.start;
        for line in lines_with_breaks(&text[range]) {
            let end = at + line.len();
            match line.trim().is_empty() {
                true => self.end = &text[at - self.end.len()..end],
                false => self.push(text, at..end),
            }
            at = end;
        }
    }

    fn push(&mut self, text: &'t str, range: Range<usize>) {
        self.pieces.push(Piece {
            blank: std::mem::take(&mut self.end),
            line: count_lines(&text[..range.start]),
            text: &text[range],
            entry: None,
        });
    }

    pub(super) fn frame_text(&self) -> &'t str {
        self.frame.map_or("", |at| self.pieces[at].text)
    }

    /// The comments above the frame, if there is one.
    fn above_frame(&self) -> Option<FxHashSet<&'t str>> {
        Some(self.words().take(self.frame?).collect())
    }

    /// The row with these blank lines at the end, which set comments off where there is no frame;
    /// if there are neither comments nor blank lines, it stays so.
    fn with_end(self, end: &'t str) -> Self {
        match self.has_comments() || !self.end.is_empty() {
            true => Self { end, ..self },
            false => self,
        }
    }

    fn has_comments(&self) -> bool {
        self.pieces.len() > usize::from(self.frame.is_some())
    }

    /// The row with as many blank lines above the frame, and at the end, as another has: without a
    /// frame its own set the comments off.
    fn with_blanks_of(mut self, other: &Self) -> Self {
        if let (Some(at), Some(other_at)) = (self.frame, other.frame) {
            self.pieces[at].blank = other.pieces[other_at].blank;
        }
        self.end = other.end;
        self
    }

    /// What the comments say.
    fn words(&self) -> impl Iterator<Item = &'t str> {
        self.pieces.iter().map(|piece| piece.text.trim())
    }

    /// The row without its frame, whose blank lines are above what is below it.
    pub(super) fn without_frame(mut self) -> Self {
        let frame = self.frame.take().map(|at| (at, self.pieces.remove(at)));
        if let Some((at, frame)) = frame {
            let below = self.pieces.get_mut(at).map(|piece| &mut piece.blank);
            let below = below.unwrap_or(&mut self.end);
            if below.is_empty() {
                *below = frame.blank;
            }
        }
        self
    }

    /// The row with a frame that has no text, in the place of its own: below these comments, as
    /// far as it has them.
    fn with_empty_frame(mut self, above: &FxHashSet<&str>) -> Self {
        let had_frame = self.frame.is_some();
        if let Some(at) = self.frame.take() {
            self.pieces.remove(at);
        }
        let is_above = |piece: &Piece<'_>| above.contains(piece.text.trim());
        let at = match self.pieces.iter().rposition(is_above) {
            // comments with no blank line between are one
            Some(last) => {
                let below = self.pieces[last + 1..].iter();
                last + 1 + below.take_while(|piece| piece.blank.is_empty()).count()
            }
            None if above.is_empty() => 0,
            None => self.pieces.len(),
        };
        let line = self.pieces.get(at).map_or(0, |piece| piece.line);
        // what set the comments off is above it then
        let is_below_all = !had_frame && at > 0 && at == self.pieces.len();
        let piece = Piece {
            blank: if is_below_all {
                std::mem::take(&mut self.end)
            } else {
                ""
            },
            text: "",
            line,
            entry: None,
        };
        self.pieces.insert(at, piece);
        self.frame = Some(at);
        self
    }

    /// The blank lines above a piece, or above the end.
    pub(super) fn blank(&self, at: usize) -> &'t str {
        self.pieces.get(at).map_or(self.end, |piece| piece.blank)
    }

    pub(super) fn tokens(&self) -> Vec<Token<'t>> {
        let blanks = |blank: &str| u32::try_from(count_lines(blank)).unwrap_or(u32::MAX);
        let tokens = self.pieces.iter().enumerate().map(|(at, piece)| Token {
            kind: match piece.entry {
                _ if self.frame == Some(at) => TokenKind::Entry(FRAME),
                Some(entry) => TokenKind::Entry(entry),
                None => TokenKind::Comment(piece.text.trim_end_matches(['\r', '\n'])),
            },
            blanks: blanks(piece.blank),
        });
        let end = Token {
            kind: TokenKind::End,
            blanks: blanks(self.end),
        };
        tokens.chain([end]).collect()
    }
}
