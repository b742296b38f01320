//! Merges a piece that updated and local both have, and the blank lines above it.

use super::super::{Placed, Ref, side_of_blanks};
use super::SegmentMerger;
use crate::merge::rows::piece::own;
use crate::triple::Triple;

impl SegmentMerger<'_, '_> {
    /// Returns the merged piece: local's, or updated's where only updated changed its white space.
    /// The number of blank lines above it merges three-way.
    pub(super) fn merged_piece(&self, original: Option<Ref>, updated: Ref, local: Ref) -> Placed {
        let Some(original) = original else {
            return own(local);
        };
        let text = |piece| self.rows.comment(piece);
        let is_updated = text(local) == text(original) && text(updated) != text(original);
        Placed {
            piece: if is_updated { updated } else { local },
            blanks: Some(self.merged_blanks(original, updated, local)),
            of_side: None,
        }
    }

    /// Adds the merged piece to `merged`. If the last pieces there are new comments that updated
    /// has directly above the piece, the merged blank lines go above the first of them.
    pub(super) fn push_merged(
        &self,
        original: Option<Ref>,
        updated: Ref,
        local: Ref,
        merged: &mut Vec<Placed>,
    ) {
        let (rows, count) = (self.rows, |piece| self.rows.blanks(piece));
        let mut piece = self.merged_piece(original, updated, local);
        if original.is_some_and(|original| self.passed_blanks(original, updated))
            && let Some(last) = merged.last().filter(|last| last.of_side.is_none())
            && Some(last.piece) == local.above()
            && rows.is_comment(last.piece)
            && count(local) == 0
        {
            // local's comment stays in the place of the one that updated removed
            piece.blanks = Some(local);
        }
        let new = rows.count_new_above(updated, merged);
        let first = merged.len() - new;
        if original.is_none() && new > 0 && rows.first_comment_above(local) == local {
            let theirs = merged[first].piece;
            let is_more = count(theirs) > count(local);
            merged[first].blanks = Some(if is_more { theirs } else { local });
            piece.blanks = Some(updated);
        } else if let Some(original) = original.filter(|_| new > 0) {
            let [old, own] = [original, local].map(|it| rows.first_comment_above(it));
            let new = match old == original {
                true => Some(merged[first].piece),
                false => Some(rows.first_comment_above(updated)).filter(|_| own == local),
            };
            if let Some(new) = new {
                merged[first].blanks = Some(self.merged_blanks(old, new, local));
                piece.blanks = Some(updated);
            }
        }
        merged.push(piece);
    }

    /// Whether updated removed a comment directly above a piece, so that the blank lines above the
    /// comment are above the piece now.
    fn passed_blanks(&self, original: Ref, updated: Ref) -> bool {
        let rows = self.rows;
        let first = rows.first_comment_above(original);
        let above = |piece: Ref| piece.above().map(|above| rows.id(above));
        first != original
            && rows.blanks(updated) == rows.blanks(first)
            && above(updated) != above(original)
    }

    /// Returns the piece whose blank lines are the result of a three-way merge of their number.
    pub(super) fn merged_blanks(&self, original: Ref, updated: Ref, local: Ref) -> Ref {
        let pieces = Triple::new(original, updated, local);
        pieces[side_of_blanks(&pieces.map(|piece| self.rows.blanks_above(piece)))]
    }
}
