//! Puts comments between conflict markers together with the entry below them (rules: Conflict
//! markers).

use rustc_hash::FxHashSet;

use super::piece::own;
use super::{Id, Placed, Presence, Ref, Rows};
use crate::triple::Side;

/// Puts the comments directly above an entry that is on one side of conflict markers only on that
/// side too, from the entry up to the first comment that the other side has as well. Those that the
/// row lacks, because the other side deleted them, come back. A comment that the row has from both
/// sides is not the same one. The original's comments come into the base of the conflict.
pub(super) fn mark_comments(
    rows: &Rows<'_>,
    merged: Vec<Placed>,
    presence: impl Fn(u32) -> Presence,
) -> Vec<Placed> {
    let side_of = |placed: &Placed| match presence(rows.entry(placed.piece)?) {
        Presence::OnlyOn(side) => Some(side),
        Presence::Absent | Presence::Present => None,
    };
    if !merged.iter().any(|placed| side_of(placed).is_some()) {
        return merged;
    }
    let comments = || merged.iter().filter(|it| rows.is_comment(it.piece));
    let present: FxHashSet<Id> = comments().map(|it| rows.id(it.piece)).collect();
    let texts = [Side::Local, Side::Updated].map(|side| -> FxHashSet<u32> {
        let of_side = comments().filter(|it| it.piece.side() == side);
        of_side.filter_map(|it| rows.text_id(it.piece)).collect()
    });
    let in_both: FxHashSet<u32> = texts[0].intersection(&texts[1]).copied().collect();
    let mut result: Vec<Placed> = Vec::with_capacity(merged.len());
    for placed in merged {
        if let Some(side) = side_of(&placed) {
            let start = result.len() - count_above(rows, &result, placed, (side, &in_both));
            for comment in &mut result[start..] {
                comment.of_side = Some(side);
            }
            let lost = removed_above(rows, placed.piece, (side, side));
            result.extend(lost.filter(|it| !present.contains(&rows.id(it.piece))));
            result.extend(removed_above(rows, placed.piece, (Side::Original, side)));
        }
        result.push(placed);
    }
    mark_commented_out(rows, &mut result, side_of);
    result
}

/// Puts the lines of an entry that a side commented out on that side of the markers, if the other
/// side's entry is right above or below them.
fn mark_commented_out(
    rows: &Rows<'_>,
    merged: &mut [Placed],
    side_of: impl Fn(&Placed) -> Option<Side>,
) {
    let side_of_lines = |placed: &Placed| {
        let is_commented_out = rows.commented_out.contains(&placed.piece);
        is_commented_out.then(|| placed.piece.side())
    };
    let mut start = 0;
    while start < merged.len() {
        let side = side_of_lines(&merged[start]);
        let run = merged[start..].iter();
        let len = run.take_while(|it| side_of_lines(it) == side).count();
        let (above, below) = (start.checked_sub(1), start + len);
        let mut neighbours = [above, Some(below)].into_iter().flatten();
        let is_other = |at: usize| merged.get(at).and_then(&side_of) == side.map(Side::opposite);
        if side.is_some() && neighbours.any(is_other) {
            merged[start..below]
                .iter_mut()
                .for_each(|it| it.of_side = side);
        }
        start = below;
    }
}

/// Returns how many of the last pieces of `merged` are comments directly above an entry that only
/// `side` has, and that the other side does not have. Comments with the texts `in_both` are in the
/// row from both sides.
fn count_above(
    rows: &Rows<'_>,
    merged: &[Placed],
    entry: Placed,
    (side, in_both): (Side, &FxHashSet<u32>),
) -> usize {
    let mut below = entry;
    let is_in_both = |piece| {
        rows.text_id(piece)
            .is_some_and(|text| in_both.contains(&text))
    };
    let is_above = |comment: &&Placed| {
        let is_directly_above = rows.count_blanks(below) == 0;
        below = **comment;
        let is_of_side = is_removed(rows, comment.piece, side)
            || comment.piece.side() == side && is_in_both(comment.piece);
        is_directly_above && comment.of_side.is_none() && is_of_side
    };
    merged.iter().rev().take_while(is_above).count()
}

/// Returns the comments directly above an entry in the row `of`, from the entry up to the first one
/// that the other side than `side` has, as pieces of the side `of` of a conflict.
fn removed_above(
    rows: &Rows<'_>,
    entry: Ref,
    (of, side): (Side, Side),
) -> impl Iterator<Item = Placed> {
    let entry = rows.entry(entry).and_then(|entry| rows.find(of, entry));
    let comments = entry.map(|entry| rows.comments_above(entry));
    let comments = comments.into_iter().flatten();
    let removed = comments.clone().rev();
    let removed = removed.take_while(|comment| is_removed(rows, *comment, side));
    let kept = comments.clone().count() - removed.count();
    comments.skip(kept).map(move |piece| Placed {
        of_side: Some(of),
        ..own(piece)
    })
}

/// Whether a piece is a comment that the other side than `side` has less often than the original,
/// or not at all.
fn is_removed(rows: &Rows<'_>, piece: Ref, side: Side) -> bool {
    let count = rows.count(side.opposite(), piece);
    rows.is_comment(piece) && (count == 0 || count < rows.count(Side::Original, piece))
}
