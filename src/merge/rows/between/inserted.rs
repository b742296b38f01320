//! Finds a comment of which both sides inserted a version of their own (rules: Text).

use super::alignment::Line;
use super::changed::Changes;
use super::{Placed, Ref, SegmentMerger, own};
use crate::merge::{Resolution, Sides};
use crate::triple::Triple;

/// A comment line that both sides inserted, in updated and in local.
pub(super) type SharedLine = (Ref, Ref);

impl SegmentMerger<'_, '_> {
    /// Returns a line that local has too, if it is a comment and the original lacks it.
    pub(super) fn shared_line(&self, line: &Line, local: Ref) -> Option<SharedLine> {
        let updated = line.updated.filter(|_| line.original.is_none())?;
        self.rows.is_comment(local).then_some((updated, local))
    }

    /// Whether, in a merge of equal sides, the changes are lines of one comment that both sides
    /// inserted: a line directly above or below is the same on both sides.
    pub(super) fn are_one_comment(&self, changes: &Changes) -> bool {
        let sides = [&changes.theirs, &changes.ours];
        let is_comment = |piece: &Ref| self.rows.is_comment(*piece);
        let is_joined =
            |above: Ref, below: Ref| above.below() == below && self.rows.blanks(below) == 0;
        let is_below =
            |line: Ref, pieces: &[Ref]| pieces.first().is_some_and(|first| is_joined(line, *first));
        let is_above =
            |line: Ref, pieces: &[Ref]| pieces.last().is_some_and(|last| is_joined(*last, line));
        let [above, below] = changes.shared_lines;
        self.rows.context.sides == Sides::Equal
            && changes.rewritten.is_empty()
            && changes.removed.is_empty()
            && changes.removed_locally.is_empty()
            && sides.iter().all(|pieces| pieces.iter().all(is_comment))
            && (above.is_some_and(|(u, d)| is_below(u, sides[0]) && is_below(d, sides[1]))
                || below.is_some_and(|(u, d)| is_above(u, sides[0]) && is_above(d, sides[1])))
    }

    /// Adds the lines of one comment that both sides inserted: those of the side that the policy
    /// chooses, or of both between markers.
    pub(super) fn settle_inserted(&self, changes: &Changes, merged: &mut Vec<Placed>) {
        let Changes { ours, theirs, .. } = changes;
        self.record_comment_conflict(&Triple::new(Vec::new(), theirs.clone(), ours.clone()));
        let marked = |piece: &Ref| Placed {
            of_side: Some(piece.side()),
            ..own(*piece)
        };
        match self.resolution {
            Resolution::Markers => merged.extend(ours.iter().chain(theirs).map(marked)),
            Resolution::Updated => merged.extend(theirs.iter().map(|it| own(*it))),
            Resolution::Local | Resolution::Open => merged.extend(ours.iter().map(|it| own(*it))),
        }
    }
}
