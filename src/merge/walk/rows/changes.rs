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
    /// The places of comment lines that one side has between conflict markers.
    marked: Vec<(usize, Side)>,
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
            marked: Vec::new(),
            inserted: Vec::new(),
        }
    }

    /// Where an item of local's row is placed.
    pub(super) fn place_of(&self, item: usize) -> Option<usize> {
        self.places[item]
    }

    /// Where the first item at or below one of local's row is placed.
    pub(super) fn first_below(&self, item: usize) -> usize {
        self.below[item]
    }

    /// Takes comment lines out.
    pub(super) fn take_out(&mut self, lines: &[usize]) {
        self.gone.extend(lines);
    }

    /// Says of comment lines whose they are, where they are between conflict markers.
    pub(super) fn mark(&mut self, lines: &[usize], side: Side) {
        self.marked.extend(lines.iter().map(|line| (*line, side)));
    }

    /// Puts pieces above the one at a place, below those that were put there before.
    pub(super) fn insert(&mut self, place: usize, pieces: impl IntoIterator<Item = Piece>) {
        let pieces = pieces.into_iter().map(|piece| (place, piece));
        self.inserted.extend(pieces);
    }

    /// The pieces with all changes.
    pub(super) fn made_in(mut self, placed: Placed) -> Vec<Piece> {
        self.gone.sort_unstable();
        self.inserted.sort_by_key(|(place, _)| *place);
        let mut pieces: Vec<Piece> = placed.into_iter().map(|(_, piece)| piece).collect();
        for (place, side) in self.marked {
            if let PieceKind::Comment(comment) = &mut pieces[place].kind {
                comment.of_side = Some(side);
            }
        }
        let mut gone = self.gone.into_iter().peekable();
        let mut inserted = self.inserted.into_iter().peekable();
        let mut made: Vec<Piece> = Vec::with_capacity(pieces.len() + inserted.len());
        let first = pieces.first().map(|piece| piece.blanks);
        let mut set_off = None;
        for (place, mut piece) in pieces.into_iter().enumerate() {
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
        if let (Some(first), Some(blanks)) = (made.first_mut(), first) {
            first.blanks = blanks;
        }
        made
    }
}

const fn is_comment(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::Comment(_))
}
