//! The pieces of rows, as they are aligned and as they are placed.

use std::num::NonZeroU32;

use crate::triple::Side;

/// A piece of a row, for its alignment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    /// How many blank lines are above it.
    pub(crate) blanks: u32,
}

impl<'t> Token<'t> {
    /// A comment without the white space around it.
    pub(super) fn words(&self) -> Option<&'t str> {
        match self.kind {
            TokenKind::Comment(line) => Some(line.trim()),
            TokenKind::Entry(_) | TokenKind::End => None,
        }
    }
}

/// What is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind<'t> {
    /// A comment on a line of its own: the whole line, without its line break.
    Comment(&'t str),
    /// An entry, by the number that it has in all three rows; no row has one twice.
    Entry(u32),
    /// The end of the row.
    End,
}

/// A piece, by the side that has it and its position there: in one number, for there are several
/// for each line, and a row has fewer pieces than its text has bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ref(NonZeroU32);

impl Ref {
    pub(crate) const fn new(side: Side, at: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add((at as u32) << 2 | side as u32))
    }

    /// The side that has it.
    pub(crate) const fn side(self) -> Side {
        match (self.0.get() - 1) & 3 {
            0 => Side::Original,
            1 => Side::Updated,
            _ => Side::Local,
        }
    }

    /// Its position in the row of its side.
    pub(crate) const fn at(self) -> usize {
        ((self.0.get() - 1) >> 2) as usize
    }
}

/// A piece of the merged row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The piece; of an entry only its place, for its text is decided elsewhere.
    pub(crate) piece: Ref,
    /// The piece whose blank lines are above it.
    pub(crate) blanks: Option<Ref>,
    /// Whose side of a disagreement it is on, where both sides are in the row.
    pub(crate) of_side: Option<Side>,
}

/// A piece with its own blank lines.
pub(super) const fn own(piece: Ref) -> Placed {
    Placed {
        piece,
        blanks: Some(piece),
        of_side: None,
    }
}
