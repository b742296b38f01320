//! Adjusts a merged row to the entries that the rules for values decided, and places blank lines.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::between::SegmentMerger;
use super::comment_index::CommentIndex;
use super::piece::own;
use super::{BlanksAbove, Id, NumberMap, Placed, Ref, Rows};
use crate::triple::{Side, Triple};

/// Returns the row with exactly the entries that stay. The comments directly above a removed entry
/// are removed too, unless they are local's own. A missing entry comes after its neighbour.
pub(super) fn settle(segments: &SegmentMerger<'_, '_>, merged: Vec<Placed>) -> Vec<Placed> {
    let (rows, stays) = (segments.rows, segments.stays);
    let entry_on = |side: Side, placed: &Placed| match placed.piece.side() == side {
        true => rows.entry(placed.piece),
        false => None,
    };
    // most of updated's pieces are entries that local lacks
    let of_updated = merged.iter().filter_map(|it| entry_on(Side::Updated, it));
    let of_both = of_updated.filter(|entry| rows.has(Side::Local, *entry));
    let of_both: FxHashSet<u32> = of_both.collect();
    let of_local = merged.iter().filter_map(|it| entry_on(Side::Local, it));
    let of_local = of_local.filter(|entry| of_both.contains(entry));
    let of_local: FxHashSet<u32> = of_local.collect();
    let comments = Triple::<OnceCell<CommentIndex>>::default();
    let mut settled: Vec<Placed> = Vec::with_capacity(merged.len());
    for placed in merged {
        let is_elsewhere =
            |entry| placed.piece.side() == Side::Updated && of_local.contains(&entry);
        match rows.entry(placed.piece) {
            Some(entry) if !stays(entry) || is_elsewhere(entry) => {
                drop_comments(segments, placed.piece, &comments, &mut settled);
            }
            _ => settled.push(placed),
        }
    }
    for side in [Side::Local, Side::Updated] {
        insert_missing(rows, side, stays, &mut settled);
    }
    settled
}

/// Removes the comments directly above a removed entry from the end of the row. Comments that only
/// local has stay, and so do those that the other side has above another entry. `comments` caches
/// an index of each side's comments.
fn drop_comments(
    segments: &SegmentMerger<'_, '_>,
    entry: Ref,
    comments: &Triple<OnceCell<CommentIndex>>,
    settled: &mut Vec<Placed>,
) {
    let rows = segments.rows;
    let first = rows.first_comment_above(entry);
    let is_above = |placed: &&Placed| {
        let piece = placed.piece;
        piece.side() == entry.side() && (first.at()..entry.at()).contains(&piece.at())
    };
    let count = settled.iter().rev().take_while(is_above).count();
    if count == 0 {
        return;
    }
    let other = entry.side().opposite();
    let index = comments[other].get_or_init(|| {
        let texts = rows.pieces(other).map(|piece| rows.text_id(piece));
        CommentIndex::of(texts.collect())
    });
    // the other side's comments above the entry, maybe with blank lines between
    let own = counterpart(rows, entry, other);
    let own = own.map_or(0..0, |entry| segments.comments_between(entry));
    let is_above_another_entry = |comment: Ref| {
        let is_same = |at: usize| rows.id(Ref::new(other, at)) == rows.id(comment);
        rows.text_id(comment).is_some_and(|text| {
            let run = [text];
            let mut places = index.find(&run, 0..usize::MAX);
            places.any(|at| is_same(at) && !own.contains(&at))
        })
    };
    let above = settled.split_off(settled.len() - count).into_iter();
    settled.extend(above.filter(|placed| {
        is_written_locally(rows, placed.piece) || is_above_another_entry(placed.piece)
    }));
}

/// Whether a piece is a comment that only local has, by its text.
fn is_written_locally(rows: &Rows<'_>, piece: Ref) -> bool {
    let is_of = |side: Side| rows.count(side, piece) > 0;
    piece.side() == Side::Local
        && rows.is_comment(piece)
        && !is_of(Side::Original)
        && !is_of(Side::Updated)
}

/// Inserts the entries of a side that stay and are not in the row, with the comments directly above
/// them. Each comes after the nearest entry above it on that side that the row has, and after the
/// other side's own entries that follow that one; else before all entries.
fn insert_missing(
    rows: &Rows<'_>,
    side: Side,
    stays: &dyn Fn(u32) -> bool,
    settled: &mut Vec<Placed>,
) {
    let Some(mut missing) = Missing::of(rows, side, stays, settled) else {
        return;
    };
    settled.retain(|placed| !missing.carried.contains(&placed.piece));
    let mut result = Vec::with_capacity(settled.len());
    if let Some(mut first) = missing.after.remove(&None) {
        let before = settled.iter().position(|it| rows.entry(it.piece).is_some());
        let before = before.unwrap_or(settled.len().saturating_sub(1));
        let above = settled[..before].iter().rev();
        let own_lines = above.take_while(|it| rows.is_comment(it.piece)).count();
        result.extend(settled.drain(..before - own_lines));
        result.append(&mut first);
    }
    let (mut pending, mut place) = (Vec::new(), 0);
    for placed in settled.drain(..) {
        let here = rows.entry(placed.piece);
        let is_own = here.is_some_and(|entry| !rows.has(side, entry));
        let is_next = !is_own && !rows.is_comment(placed.piece);
        if is_next && !pending.is_empty() {
            result.splice(place..place, std::mem::take(&mut pending));
        }
        result.push(placed);
        if here.is_some() {
            pending = missing.after.remove(&here).unwrap_or(pending);
            // the other side's own entries stay with the entry that they follow
            place = result.len();
        }
    }
    *settled = result;
}

/// The entries of a side that stay and that the row lacks, with the comments directly above them.
#[derive(Default)]
struct Missing {
    /// The pieces that come after an entry of the row, by that entry; `None` for those that come
    /// before all entries.
    after: FxHashMap<Option<u32>, Vec<Placed>>,
    /// The comments directly above the missing entries.
    carried: FxHashSet<Ref>,
}

impl Missing {
    /// Finds the missing entries. Returns `None` if there are none.
    fn of(
        rows: &Rows<'_>,
        side: Side,
        stays: &dyn Fn(u32) -> bool,
        settled: &[Placed],
    ) -> Option<Self> {
        let pieces = settled.iter().map(|placed| placed.piece);
        let entries_in_row = pieces.clone().filter_map(|piece| rows.entry(piece));
        let entries_in_row = NumberMap::of(entries_in_row.map(|entry| (entry, 0)));
        let is_missing = |entry: u32| stays(entry) && !entries_in_row.has(entry);
        if !rows.entries(side).any(|(entry, _)| is_missing(entry)) {
            return None;
        }
        let row_comments = pieces.filter(|piece| rows.is_comment(*piece));
        let row_comments: FxHashMap<Id, Ref> =
            row_comments.map(|piece| (rows.id(piece), piece)).collect();
        let is_in_row = |piece: &Ref| {
            let in_row = row_comments.get(&rows.id(*piece));
            rows.is_comment(*piece) && in_row.is_some_and(|it| it != piece)
        };
        let mut missing = Self::default();
        let mut anchor: Option<u32> = None;
        for (entry, piece) in rows.entries(side) {
            if entries_in_row.has(entry) {
                anchor = Some(entry);
            } else if stays(entry) {
                let above = rows.comments_above(piece);
                missing.carried.extend(above.clone());
                let lines = above.chain([piece]).filter(|it| !is_in_row(it)).map(own);
                missing.after.entry(anchor).or_default().extend(lines);
            }
        }
        Some(missing)
    }
}

/// Merges the blank lines above a piece where local wrote comments between them and the piece: they
/// merge as if they were directly above the piece. `is_removed` says whether the result lacks a
/// comment.
pub(super) fn merge_blanks_above_local_comments(
    rows: &Rows<'_>,
    mut merged: Vec<Placed>,
    is_removed: impl Fn(Ref) -> bool,
) -> Vec<Placed> {
    let count = |piece: Ref| rows.blanks(piece);
    for at in (1..merged.len()).rev() {
        let Triple {
            original: Some(original),
            updated: Some(updated),
            local: Some(local),
        } = Side::ALL.map(|side| counterpart(rows, merged[at].piece, side))
        else {
            continue;
        };
        // local may have the blank lines that updated added already, below its comments
        if count(local) > 0 && count(local) == count(updated) {
            continue;
        }
        // updated's new comments are between the piece and local's
        let at = at - rows.count_new_above(updated, &merged[..at]);
        let updated = counterpart(rows, merged[at].piece, Side::Updated).unwrap_or(updated);
        let above = count_own_above(rows, local, &merged[..at]);
        let Some(first) = at.checked_sub(above).filter(|first| *first < at) else {
            continue;
        };
        let own = merged[first].piece;
        // the text around a document ends where its caller may write a `---` line
        if rows.context.around.is_none() && rows.id(local) == Id::End {
            if count(local) == 0 && count(updated) == count(own) {
                merged[at].blanks = None;
            }
            continue;
        }
        let rewritten = rewritten_above(rows, [original, updated]);
        let [original, updated] = rewritten.unwrap_or([original, updated]);
        let (original_count, updated_count, own_count) =
            (count(original), count(updated), count(own));
        // local wrote its comments above the blank lines: those that upstream added come below them
        if own_count == 0
            && original_count > 0
            && count(local) == original_count
            && updated_count > original_count
        {
            continue;
        }
        // blank lines that local put below its comments stay
        if rewritten.is_none() {
            merged[at].blanks = Some(local).filter(|local| count(*local) > 0);
        }
        // without a blank line, local's comments would join those above them
        let above = merged[..first].iter().rfind(|it| !is_removed(it.piece));
        let is_below_comment = above.is_some_and(|it| rows.is_comment(it.piece));
        let [above_original, above_updated] = [original, updated].map(|it| rows.blanks_above(it));
        let became_first = BlanksAbove::became_first(above_original, above_updated);
        let is_same = updated_count == original_count || updated_count == own_count || became_first;
        let stays = is_same || (updated_count == 0 && is_below_comment);
        let takes_updated = !stays && own_count == original_count;
        merged[first].blanks = Some(if takes_updated { updated } else { own });
    }
    merged
}

/// Returns how many of the last pieces of `merged` are comments that local wrote above its piece,
/// maybe with blank lines between.
fn count_own_above(rows: &Rows<'_>, local: Ref, merged: &[Placed]) -> usize {
    let start = local
        .above()
        .map_or(local, |above| rows.first_comment_above(above));
    let own_lines = (start.at()..local.at()).rev();
    let is_own = |(placed, own): &(&Placed, usize)| {
        placed.piece == Ref::new(Side::Local, *own)
            && placed.of_side.is_none()
            && is_written_locally(rows, placed.piece)
    };
    let above = merged.iter().rev().zip(own_lines);
    above.take_while(is_own).count()
}

/// Returns the first lines of the comments directly above a piece of original and updated, if they
/// are the same line and local has another text in its place.
fn rewritten_above(rows: &Rows<'_>, pieces: [Ref; 2]) -> Option<[Ref; 2]> {
    let [original, updated] = pieces.map(|it| rows.first_comment_above(it));
    let is_rewritten = original != pieces[0]
        && rows.id(original) == rows.id(updated)
        && rows.count(Side::Local, original) == 0;
    is_rewritten.then_some([original, updated])
}

/// Returns the same entry in the row of a side, or the end of that row; of the piece's own side,
/// the piece itself.
fn counterpart(rows: &Rows<'_>, piece: Ref, side: Side) -> Option<Ref> {
    match rows.id(piece) {
        _ if piece.side() == side => Some(piece),
        Id::Entry(entry) => rows.find(side, entry),
        Id::End => rows.pieces(side).next_back(),
        Id::Comment { .. } => None,
    }
}

/// Keeps the blank line below a comment that a blank line sets off, whatever the merged row has
/// below it, except for further lines of that comment. A piece that becomes the first of the row
/// passes its blank lines to the piece that was the first.
pub(super) fn keep_set_off(rows: &Rows<'_>, mut merged: Vec<Placed>) -> Vec<Placed> {
    for at in 1..merged.len() {
        if is_set_off(rows, merged[at - 1], merged[at]) {
            merged[at].blanks = Some(merged[at - 1].piece.below());
        }
    }
    pass_blanks_of_first(rows, &mut merged);
    merged
}

/// Whether the piece `here`, which has no blank lines, gets those that are below the comment
/// `above` on its own side.
fn is_set_off(rows: &Rows<'_>, above: Placed, here: Placed) -> bool {
    // between conflict markers, the sides are not below each other
    if above.of_side.is_some() && here.of_side.is_some() && above.of_side != here.of_side {
        return false;
    }
    let above = above.piece;
    let next = above.below();
    let is_last = rows.pieces(above.side()).next_back() == Some(next);
    let previous = |piece: Ref| piece.above().map(|above| rows.id(above));
    let is_joined_upstream = || {
        let here = counterpart(rows, here.piece, Side::Updated);
        here.and_then(previous) == Some(rows.id(above))
    };
    let is_above_another = || {
        rows.id(here.piece) != Id::End
            && previous(here.piece) != Some(rows.id(above))
            && !is_joined_upstream()
            && rows.id(next) != rows.id(here.piece)
    };
    rows.is_comment(above)
        && !is_last
        && rows.blanks(next) > 0
        && rows.count_blanks(here) == 0
        && (rows.is_new_upstream(above) || is_above_another())
}

/// Moves the blank lines above the first piece to the piece that was the first, if the row has no
/// blank lines at the top.
fn pass_blanks_of_first(rows: &Rows<'_>, merged: &mut [Placed]) {
    let firsts = [Side::Updated, Side::Local].map(|side| Ref::new(side, 0));
    let [has_updated, has_local] = firsts.map(|first| rows.blanks(first) > 0);
    // blank lines that upstream has at the top do not belong to a piece that it has further down
    let is_below = |piece| counterpart(rows, piece, Side::Updated).is_some_and(|it| it.at() > 0);
    let Some(first) = merged.first().copied().filter(|first| {
        !has_local && (!has_updated || is_below(first.piece)) && rows.count_blanks(*first) > 0
    }) else {
        return;
    };
    merged[0].blanks = None;
    let own = merged
        .iter()
        .take_while(|placed| rows.is_comment(placed.piece));
    let below = own.count() + 1;
    let mut others = merged.iter_mut().skip(below);
    let former_first = others.find(|placed| firsts.contains(&placed.piece));
    let is_joined = |piece: Ref| {
        let at = |side| counterpart(rows, piece, side).map(|it| rows.blanks(it));
        at(Side::Original).is_some_and(|blanks| blanks > 0) && at(Side::Updated) == Some(0)
    };
    let takes_blanks = |it: &&mut Placed| {
        rows.id(it.piece) != Id::End && !is_joined(it.piece) && rows.count_blanks(**it) == 0
    };
    if let Some(former_first) = former_first.filter(takes_blanks) {
        former_first.blanks = first.blanks;
    }
}
