//! The decision about the lines of a block collection: its entries, comments and blank lines.

use std::borrow::Borrow;

use super::Child;
use crate::triple::Side;
use crate::yaml::{EntryId, Span};

/// The decision about the lines of a block collection of the local tree. It owns the decisions about
/// the entries, or refers to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row<C = Child> {
    /// The span of local's text that they replace.
    pub(crate) span: Span,
    /// The pieces in the order of the result.
    pub(crate) pieces: Vec<Piece<C>>,
    /// By how many columns the indentation of all pieces grows; it shrinks if negative.
    pub(crate) moved: i64,
}

/// A piece of a [`Row`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece<C = Child> {
    pub(crate) blanks: Blanks,
    pub(crate) kind: PieceKind<C>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PieceKind<C = Child> {
    /// A comment on lines of its own.
    Comment(CommentPiece),
    /// A field or an element.
    Entry(C),
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
    pub(crate) moved: i64,
    /// The side of an open conflict that it belongs to.
    pub(crate) of_side: Option<Side>,
}

impl CommentPiece {
    /// Returns a comment that belongs to no open conflict.
    pub(crate) const fn new(side: Side, span: Span, moved: i64) -> Self {
        Self {
            side,
            span,
            moved,
            of_side: None,
        }
    }
}

/// Returns the pieces with all open conflicts in them resolved to one side.
pub(super) fn chosen_pieces(pieces: &[Piece], side: Side) -> Vec<Piece> {
    let chosen = pieces.iter().filter_map(|piece| {
        let kind = match &piece.kind {
            PieceKind::Comment(comment) => match comment.of_side {
                Some(of_side) if of_side != side => return None,
                _ => PieceKind::Comment(CommentPiece {
                    of_side: None,
                    ..*comment
                }),
            },
            PieceKind::Entry(child) => PieceKind::Entry(child.choose(side)),
            PieceKind::Original(_) => return None,
            PieceKind::End => PieceKind::End,
        };
        Some(Piece {
            blanks: piece.blanks,
            kind,
        })
    });
    chosen.collect()
}

impl<C: Borrow<Child>> Piece<C> {
    /// Returns the decision about an entry; `None` for other pieces.
    pub(crate) fn entry(&self) -> Option<&Child> {
        match &self.kind {
            PieceKind::Entry(child) => Some(child.borrow()),
            PieceKind::Comment(_) | PieceKind::Original(_) | PieceKind::End => None,
        }
    }

    pub(crate) fn is_entry(&self) -> bool {
        self.entry().is_some()
    }

    pub(crate) fn has_open_conflict(&self) -> bool {
        match &self.kind {
            PieceKind::Comment(comment) => comment.of_side.is_some(),
            PieceKind::Entry(child) => child.borrow().has_open_conflict(),
            PieceKind::Original(_) => true,
            PieceKind::End => false,
        }
    }
}
