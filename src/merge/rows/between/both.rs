//! A piece that updated and local both have, and its blank lines.

use super::super::{Placed, Ref, TokenKind, side_of_blanks};
use super::Between;
use crate::merge::rows::piece::own;
use crate::triple::Triple;

impl Between<'_, '_> {
    /// A piece that updated and local both have: local's, with the blank lines above it three-way;
    /// updated's, where local left the original's white space alone.
    pub(super) fn piece(&self, original: Option<Ref>, updated: Ref, local: Ref) -> Placed {
        let Some(original) = original else {
            return own(local);
        };
        let text = |piece| match self.rows.token(piece).kind {
            TokenKind::Comment(line) => Some(line),
            TokenKind::Entry(_) | TokenKind::End => None,
        };
        let is_updated = text(local) == text(original) && text(updated) != text(original);
        Placed {
            piece: if is_updated { updated } else { local },
            blanks: Some(self.blanks(original, updated, local)),
            of_side: None,
        }
    }

    /// The same, below what is there already: comments that updated has put right above the piece
    /// are between it and its blank lines, which are those of comments that local took away.
    pub(super) fn push_piece(
        &self,
        original: Option<Ref>,
        updated: Ref,
        local: Ref,
        merged: &mut Vec<Placed>,
    ) {
        let mut piece = self.piece(original, updated, local);
        let new = self.rows.new_above(updated, merged);
        let first = merged.len() - new;
        let count = |piece: Ref| self.rows.token(piece).blanks;
        if original.is_none() && new > 0 && self.top(local) == local {
            let theirs = merged[first].piece;
            let is_more = count(theirs) > count(local);
            merged[first].blanks = Some(if is_more { theirs } else { local });
            piece.blanks = Some(updated);
        } else if let Some(original) = original.filter(|_| new > 0) {
            let (old, own) = (self.top(original), self.top(local));
            let new = match old == original {
                true => Some(merged[first].piece),
                false => Some(self.top(updated)).filter(|_| own == local),
            };
            if let Some(new) = new {
                merged[first].blanks = Some(self.blanks(old, new, local));
                piece.blanks = Some(updated);
            }
        }
        merged.push(piece);
    }

    /// The first of a piece and the comments right above it.
    pub(super) fn top(&self, piece: Ref) -> Ref {
        Ref::new(piece.side(), self.rows.own_above(piece.side(), piece.at()))
    }

    /// The piece whose blank lines are the merged ones: a number, three-way. The first piece of a
    /// row has no number.
    pub(super) fn blanks(&self, original: Ref, updated: Ref, local: Ref) -> Ref {
        let pieces = Triple::new(original, updated, local);
        pieces[side_of_blanks(&pieces.map(|piece| self.rows.blanks_above(piece)))]
    }
}
