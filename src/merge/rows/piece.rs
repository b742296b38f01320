//! The pieces of rows, as they are aligned and as they are placed.

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

/// A piece, by the side that has it and its position there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ref {
    pub(crate) side: Side,
    /// Small, for there are several for each line: a row has fewer pieces than its text has bytes.
    at: u32,
}

impl Ref {
    pub(crate) const fn new(side: Side, at: usize) -> Self {
        Self {
            side,
            at: at as u32,
        }
    }

    /// Its position in the row of its side.
    pub(crate) const fn at(self) -> usize {
        self.at as usize
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
