//! The decision about the lines of a block collection: its entries, comments and blank lines.

use std::borrow::Borrow;

use super::Child;
use crate::triple::Side;
use crate::yaml::{EntryId, Span};

/// The decision about the lines of a block collection of the local tree. It owns the decisions about
/// the entries, or refers to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row<C = Vec<Child>> {
    /// The span of local's text that they replace.
    pub(crate) span: Span,
    /// The decisions about the entries. Those without a piece have no effect.
    pub(crate) children: C,
    /// The pieces in the order of the result.
    pub(crate) pieces: Vec<Piece>,
    /// By how many columns the indentation of all pieces grows; it shrinks if negative.
    pub(crate) moved: i64,
}

/// A piece of a [`Row`]. It is small, because there is one for each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) blanks: Blanks,
    pub(crate) kind: PieceKind,
}

/// The blank lines above a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blanks {
    /// The blank lines of a side.
    Lines(Side, Span),
    /// A number of new blank lines.
    Count(u32),
}

impl Blanks {
    /// Whether there are no blank lines.
    pub(crate) const fn is_none(self) -> bool {
        match self {
            Self::Lines(_, span) => span.is_empty(),
            Self::Count(count) => count == 0,
        }
    }
}

/// The kind of a piece of a [`Row`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// A comment on lines of its own.
    Comment(CommentPiece),
    /// A field or an element: the index of the decision about it.
    Entry(u32),
    /// An entry that only the original has, as the base of a conflict between markers.
    Original(EntryId),
    /// The end. The blank lines above it are those below the last piece.
    End,
}

/// A comment line of one of the three texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommentPiece {
    pub(crate) side: Side,
    /// Its line, line break included.
    pub(crate) span: Span,
    /// By how many columns its indentation grows; it shrinks if negative.
    pub(crate) moved: i32,
    /// The side of an open conflict that it belongs to.
    pub(crate) of_side: Option<Side>,
}

impl CommentPiece {
    /// Returns a comment that belongs to no open conflict.
    pub(crate) const fn new(side: Side, span: Span, moved: i32) -> Self {
        Self {
            side,
            span,
            moved,
            of_side: None,
        }
    }
}

impl Row {
    /// Returns the decision with all open conflicts in it resolved to a side.
    pub(super) fn choose(&self, side: Side) -> Self {
        Self {
            children: self.children.iter().map(|it| it.choose(side)).collect(),
            pieces: chosen_pieces(&self.pieces, side),
            ..*self
        }
    }
}

impl<C: Borrow<[Child]>> Row<C> {
    /// Returns the pieces with the decisions about their entries.
    pub(crate) fn lines(&self) -> RowLines<'_> {
        RowLines {
            pieces: &self.pieces,
            children: self.children.borrow(),
        }
    }
}

/// Consecutive pieces of a row, with the decisions about its entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowLines<'r> {
    pub(crate) pieces: &'r [Piece],
    children: &'r [Child],
}

impl<'r> RowLines<'r> {
    /// Returns pieces of which none is an entry.
    pub(crate) const fn without_entries(pieces: &'r [Piece]) -> Self {
        Self {
            pieces,
            children: &[],
        }
    }

    /// Returns the pieces above an index, and the others.
    pub(crate) fn split_at(self, index: usize) -> (Self, Self) {
        let (above, below) = self.pieces.split_at(index);
        let of = |pieces| Self { pieces, ..self };
        (of(above), of(below))
    }

    /// Returns the decision about the entry that a piece is; `None` for other pieces.
    pub(crate) fn entry(self, piece: &Piece) -> Option<&'r Child> {
        piece.entry(self.children)
    }

    /// Returns the decisions about the entries in the order of the result.
    pub(crate) fn entries(self) -> impl Iterator<Item = &'r Child> + Clone {
        let pieces = self.pieces.iter();
        pieces.filter_map(move |piece| self.entry(piece))
    }

    /// Whether one of the pieces leaves a conflict open.
    pub(crate) fn has_open_conflict(self) -> bool {
        self.pieces.iter().any(Piece::is_in_open_conflict)
            || self.entries().any(Child::has_open_conflict)
    }
}

/// Returns the pieces of comments, entries and the end with all open conflicts resolved to a side.
pub(super) fn chosen_pieces(pieces: &[Piece], side: Side) -> Vec<Piece> {
    let chosen = pieces.iter().filter_map(|piece| {
        let kind = match piece.kind {
            PieceKind::Comment(comment) => match comment.of_side {
                Some(of_side) if of_side != side => return None,
                _ => PieceKind::Comment(CommentPiece {
                    of_side: None,
                    ..comment
                }),
            },
            PieceKind::Original(_) => return None,
            PieceKind::Entry(_) | PieceKind::End => piece.kind,
        };
        Some(Piece { kind, ..*piece })
    });
    chosen.collect()
}

impl Piece {
    /// Returns the decision about the entry that it is, out of those of its row; `None` for other
    /// pieces.
    pub(crate) fn entry<'c>(&self, children: &'c [Child]) -> Option<&'c Child> {
        match self.kind {
            PieceKind::Entry(index) => children.get(index as usize),
            PieceKind::Comment(_) | PieceKind::Original(_) | PieceKind::End => None,
        }
    }

    pub(crate) const fn is_end(&self) -> bool {
        matches!(self.kind, PieceKind::End)
    }

    pub(crate) const fn is_entry(&self) -> bool {
        matches!(self.kind, PieceKind::Entry(_))
    }

    /// Whether it is a line of an open conflict, other than an entry.
    pub(crate) const fn is_in_open_conflict(&self) -> bool {
        match self.kind {
            PieceKind::Comment(comment) => comment.of_side.is_some(),
            PieceKind::Original(_) => true,
            PieceKind::Entry(_) | PieceKind::End => false,
        }
    }
}
