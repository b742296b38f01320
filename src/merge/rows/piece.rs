//! The pieces of rows: the input of the alignment ([`Pieces`]) and its output ([`Placed`]).

use std::num::NonZeroU32;

use super::NumberMap;
use crate::triple::Side;
use crate::yaml::row::Item;

/// The pieces of a row, as input of the alignment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pieces<'a> {
    /// The text that has the items.
    pub(crate) text: &'a str,
    /// The pieces in the order of the row.
    pub(crate) items: &'a [Item],
    /// The number that each entry has in all three rows, by its id; `None` if its id is the number.
    /// A number is in each row at most once.
    pub(crate) numbers: Option<&'a NumberMap>,
}

/// A reference to a piece: a side, and a position in its row. Both are packed into one number,
/// because there are several references for each line. A row has fewer pieces than its text has
/// bytes, so that a position fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ref(NonZeroU32);

impl Ref {
    pub(crate) const fn new(side: Side, at: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add((at as u32) << 2 | side as u32))
    }

    /// The side whose row has the piece.
    pub(crate) const fn side(self) -> Side {
        match (self.0.get() - 1) & 3 {
            0 => Side::Original,
            1 => Side::Updated,
            _ => Side::Local,
        }
    }

    /// The piece above it in its row.
    pub(super) fn above(self) -> Option<Self> {
        let above = self.at().checked_sub(1)?;
        Some(Self::new(self.side(), above))
    }

    /// The piece below it in its row. The end of the row has none.
    pub(super) const fn below(self) -> Self {
        Self::new(self.side(), self.at() + 1)
    }

    /// The position in the row of that side.
    pub(crate) const fn at(self) -> usize {
        ((self.0.get() - 1) >> 2) as usize
    }
}

/// A piece of the merged row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The piece. For an entry it gives the place only: the text is decided elsewhere.
    pub(crate) piece: Ref,
    /// The piece whose blank lines are above it.
    pub(crate) blanks: Option<Ref>,
    /// The side of a comment conflict that it belongs to, where the row has both sides.
    pub(crate) of_side: Option<Side>,
}

/// Places a piece with its own blank lines above it.
pub(super) const fn own(piece: Ref) -> Placed {
    Placed {
        piece,
        blanks: Some(piece),
        of_side: None,
    }
}
