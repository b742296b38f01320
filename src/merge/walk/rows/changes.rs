//! Collects changes to the comment lines of a merged row, and applies them in one pass, so that the
//! indexes of the pieces stay valid until then.

use crate::merge::decision::{Piece, PieceKind};
use crate::merge::rows::{NumberMap, Placed};
use crate::triple::{Side, Triple};
use crate::yaml::row::Row;

/// Changes to the pieces of a merged row.
pub(super) struct Changes {
    /// For each item of local's row, the index of its piece.
    pub(super) piece_of_item: NumberMap,
    /// For each item of local's row, the index of the first piece of that item or an item below it.
    pub(super) next_piece: Vec<u32>,
    /// The indexes of comment lines that are removed.
    pub(super) removed: Vec<usize>,
    /// The indexes of comment lines that are on local's side of conflict markers.
    pub(super) marked: Vec<usize>,
    /// Whether updated's row ends with a comment and has no blank line below it.
    ends_in_comment: bool,
    /// Whether updated's row begins with a blank line.
    begins_with_blank: bool,
    /// Pieces to insert above the piece at an index.
    inserted: Vec<(usize, Piece)>,
}

impl Changes {
    /// Creates an empty set of changes.
    pub(super) fn of(placed: &[Placed], rows: &Triple<Row>) -> Self {
        let items = rows.local.items.len() as u32;
        let mut piece_of_item = NumberMap::over(0..items);
        for (index, Placed { piece, .. }) in placed.iter().enumerate().rev() {
            if piece.side() == Side::Local {
                piece_of_item.insert(piece.at() as u32, index as u32);
            }
        }
        let mut below = placed.len() as u32;
        let mut next_piece = vec![below; items as usize];
        for (next, item) in next_piece.iter_mut().zip(0..items).rev() {
            below = piece_of_item.get(item).unwrap_or(below);
            *next = below;
        }
        Self {
            piece_of_item,
            next_piece,
            removed: Vec::new(),
            marked: Vec::new(),
            ends_in_comment: rows.updated.ends_in_comment(),
            begins_with_blank: rows.updated.items.first().is_some_and(|it| it.blanks > 0),
            inserted: Vec::new(),
        }
    }

    /// Inserts pieces above the piece at `index`, below those inserted there before.
    pub(super) fn insert(&mut self, index: usize, pieces: impl IntoIterator<Item = Piece>) {
        let pieces = pieces.into_iter().map(|piece| (index, piece));
        self.inserted.extend(pieces);
    }

    /// Returns the pieces with all changes applied.
    pub(super) fn apply(mut self, mut pieces: Vec<Piece>) -> Vec<Piece> {
        self.removed.sort_unstable();
        self.inserted.sort_by_key(|(index, _)| *index);
        for index in self.marked {
            if let PieceKind::Comment(comment) = &mut pieces[index].kind {
                comment.of_side = Some(Side::Local);
            }
        }
        if self.removed.is_empty() && self.inserted.is_empty() {
            return pieces;
        }
        let mut removed = self.removed.into_iter().peekable();
        let mut inserted = self.inserted.into_iter().peekable();
        let mut result: Vec<Piece> = Vec::with_capacity(pieces.len() + inserted.len());
        let first_blanks = pieces.first().map(|piece| piece.blanks);
        let mut separation = None;
        for (index, mut piece) in pieces.into_iter().enumerate() {
            while let Some((_, piece)) = inserted.next_if(|(at, _)| *at == index) {
                result.push(piece);
            }
            if removed.next_if_eq(&index).is_some() {
                let is_below_comment = result.last().is_some_and(is_comment);
                separation = Some(piece.blanks)
                    .filter(|blanks| is_below_comment && !blanks.is_none())
                    .or(separation);
                continue;
            }
            // A comment that a blank line separated from the removed lines stays separated, unless
            // upstream has it at the end of the row.
            let is_joined = self.ends_in_comment && piece.is_end();
            if let Some(blanks) = separation.take()
                && piece.blanks.is_none()
                && !is_joined
            {
                piece.blanks = blanks;
            }
            result.push(piece);
        }
        result.extend(inserted.map(|(_, piece)| piece));
        // The blank lines at the top of the row stay, unless upstream has them too.
        if let (Some(first), Some(blanks), false) =
            (result.first_mut(), first_blanks, self.begins_with_blank)
        {
            first.blanks = blanks;
        }
        result
    }
}

const fn is_comment(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::Comment(_))
}
