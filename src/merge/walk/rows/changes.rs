//! What local's own comment lines change in a merged row. All changes are made in one pass at the
//! end, so that the places of the pieces stay what they are.

use crate::merge::decision::{Piece, PieceKind};
use crate::merge::rows::Ref;
use crate::triple::Side;
use crate::yaml::row::Row;

/// The pieces of a merged row, each with the piece of a side's row that it is.
pub(super) type Placed = Vec<(Ref, Piece)>;

/// Changes to the pieces of a merged row.
pub(super) struct Changes {
    /// For each item of local's row, the place of its piece.
    places: Vec<Option<usize>>,
    /// For each item of local's row, the first place of a piece of it or of one below it.
    below: Vec<usize>,
    /// The places of comment lines that go.
    gone: Vec<usize>,
    /// What comes above the piece at a place.
    inserted: Vec<(usize, Piece)>,
}

impl Changes {
    /// None yet, to pieces of which some are local's.
    pub(super) fn of(placed: &Placed, local: &Row) -> Self {
        let mut places = vec![None; local.items.len()];
        for (place, (of, _)) in placed.iter().enumerate().rev() {
            if of.side() == Side::Local {
                places[of.at()] = Some(place);
            }
        }
        let mut last = placed.len();
        let mut below: Vec<usize> = places
            .iter()
            .rev()
            .map(|place| {
                last = place.unwrap_or(last);
                last
            })
            .collect();
        below.reverse();
        Self {
            places,
            below,
            gone: Vec::new(),
            inserted: Vec::new(),
        }
    }

    /// Takes comment lines of local's row out.
    pub(super) fn take_out(&mut self, lines: &[usize]) {
        let places = lines.iter().filter_map(|line| self.places[*line]);
        self.gone.extend(places);
    }

    /// Puts pieces where an item of local's row is or was, below those that were put there before.
    pub(super) fn insert(&mut self, item: usize, pieces: impl IntoIterator<Item = Piece>) {
        let place = self.below[item];
        let pieces = pieces.into_iter().map(|piece| (place, piece));
        self.inserted.extend(pieces);
    }

    /// The pieces with all changes.
    pub(super) fn made_in(mut self, placed: Placed) -> Vec<Piece> {
        self.gone.sort_unstable();
        self.inserted.sort_by_key(|(place, _)| *place);
        let mut gone = self.gone.into_iter().peekable();
        let mut inserted = self.inserted.into_iter().peekable();
        let mut made: Vec<Piece> = Vec::with_capacity(placed.len() + inserted.len());
        let mut set_off = None;
        for (place, (_, mut piece)) in placed.into_iter().enumerate() {
            while let Some((_, piece)) = inserted.next_if(|(at, _)| *at == place) {
                made.push(piece);
            }
            if gone.next_if_eq(&place).is_some() {
                let is_below_comment = made.last().is_some_and(is_comment);
                set_off = Some(piece.blanks)
                    .filter(|blanks| is_below_comment && !blanks.is_none())
                    .or(set_off);
                continue;
            }
            // a comment that was set off from it stays set off
            if let Some(blanks) = set_off.take()
                && piece.blanks.is_none()
            {
                piece.blanks = blanks;
            }
            made.push(piece);
        }
        made.extend(inserted.map(|(_, piece)| piece));
        made
    }
}

const fn is_comment(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::Comment(_))
}
