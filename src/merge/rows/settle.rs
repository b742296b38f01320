//! Adjusts a merged row to the entries that the rules for values decided, and places blank lines.

use rustc_hash::{FxHashMap, FxHashSet};

use super::piece::own;
use super::{BlanksAbove, Id, Placed, Ref, Rows, Side, TokenKind};

/// Returns the row with exactly the entries that stay. The comments directly above a removed entry
/// are removed too, unless they are local's own. A missing entry comes after its neighbour.
pub(super) fn settle(
    rows: &Rows<'_>,
    merged: Vec<Placed>,
    stays: &impl Fn(u32) -> bool,
) -> Vec<Placed> {
    let of_local: FxHashSet<u32> = merged
        .iter()
        .filter(|placed| placed.piece.side() == Side::Local)
        .filter_map(|placed| entry(rows, placed.piece))
        .collect();
    let mut settled: Vec<Placed> = Vec::with_capacity(merged.len());
    let mut seen = FxHashSet::default();
    for placed in merged {
        if let Some(entry) = entry(rows, placed.piece) {
            let is_elsewhere = placed.piece.side() == Side::Updated && of_local.contains(&entry);
            if !stays(entry) || is_elsewhere || !seen.insert(entry) {
                drop_comments(rows, placed.piece, &mut settled);
                continue;
            }
        }
        settled.push(placed);
    }
    for side in [Side::Local, Side::Updated] {
        insert_missing(rows, side, stays, &mut seen, &mut settled);
    }
    settled
}

/// Returns the number of an entry; `None` for other pieces.
fn entry(rows: &Rows<'_>, piece: Ref) -> Option<u32> {
    match rows.id(piece) {
        Id::Entry(entry) => Some(entry),
        Id::Comment { .. } | Id::End => None,
    }
}

/// Removes the comments directly above a removed entry from the end of the row. Comments that only
/// local has stay, and so do those that updated has above another entry.
fn drop_comments(rows: &Rows<'_>, piece: Ref, settled: &mut Vec<Placed>) {
    let first = rows.comments_start(piece.side(), piece.at());
    let mut kept = Vec::new();
    while let Some(last) = settled.last()
        && last.piece.side() == piece.side()
        && (first..piece.at()).contains(&last.piece.at())
    {
        if let Some(last) = settled.pop()
            && (is_written_locally(rows, last.piece)
                || is_above_another_entry(rows, last.piece, piece))
        {
            kept.push(last);
        }
    }
    settled.extend(kept.into_iter().rev());
}

/// Whether updated has a comment of local's, but not above this entry.
fn is_above_another_entry(rows: &Rows<'_>, comment: Ref, entry: Ref) -> bool {
    let text = rows.token(comment).comment_text();
    comment.side() == Side::Local
        && text.is_some_and(|text| rows.count(Side::Updated, text) > 0)
        && of_updated_from(rows, 0)
            .filter(|other| rows.id(*other) == rows.id(comment))
            .any(|other| {
                let mut below =
                    of_updated_from(rows, other.at()).skip_while(|it| rows.is_comment(*it));
                below
                    .next()
                    .is_none_or(|below| rows.id(below) != rows.id(entry))
            })
}

/// Returns the pieces of updated's row from a position on.
fn of_updated_from(rows: &Rows<'_>, start: usize) -> impl Iterator<Item = Ref> {
    (start..rows.row(Side::Updated).len()).map(|at| Ref::new(Side::Updated, at))
}

/// Whether a piece is a comment that only local has, by its text.
pub(super) fn is_written_locally(rows: &Rows<'_>, piece: Ref) -> bool {
    let text = rows.token(piece).comment_text();
    let is_of = |side: Side, text: &str| rows.count(side, text) > 0;
    let is_of_others = |text| is_of(Side::Original, text) || is_of(Side::Updated, text);
    piece.side() == Side::Local && text.is_some_and(|text| !is_of_others(text))
}

/// Inserts the entries of a side that stay and are not in the row, with the comments directly above
/// them. Each comes after the nearest entry above it on that side that the row has, and after the
/// other side's own entries that follow that one; else before all entries.
fn insert_missing(
    rows: &Rows<'_>,
    side: Side,
    stays: &impl Fn(u32) -> bool,
    seen: &mut FxHashSet<u32>,
    settled: &mut Vec<Placed>,
) {
    let Some(mut missing) = Missing::of(rows, side, stays, seen, settled) else {
        return;
    };
    settled.retain(|placed| !missing.carried.contains(&placed.piece));
    let mut result = Vec::with_capacity(settled.len() + missing.first.len());
    if !missing.first.is_empty() {
        let before = settled.iter().position(|it| rows.is_entry(it.piece));
        let before = before.unwrap_or(settled.len().saturating_sub(1));
        let above = settled[..before].iter().rev();
        let own_lines = above.take_while(|it| rows.is_comment(it.piece)).count();
        result.extend(settled.drain(..before - own_lines));
        result.append(&mut missing.first);
    }
    let (mut pending, mut place) = (Vec::new(), 0);
    for placed in settled.drain(..) {
        let here = entry(rows, placed.piece);
        let is_own = here.is_some_and(|entry| rows.position(side, entry).is_none());
        let is_next = !is_own && !rows.is_comment(placed.piece);
        if is_next && !pending.is_empty() {
            result.splice(place..place, pending.drain(..));
        }
        result.push(placed);
        if let Some(more) = here.and_then(|entry| missing.after.remove(&entry)) {
            pending = more;
        }
        if here.is_some() {
            // the other side's own entries stay with the entry that they follow
            place = result.len();
        }
    }
    *settled = result;
}

/// The entries of a side that stay and that the row lacks, with the comments directly above them.
struct Missing {
    /// The pieces that come before all entries of the row.
    first: Vec<Placed>,
    /// The pieces that come after an entry of the row, in order, by that entry.
    after: FxHashMap<u32, Vec<Placed>>,
    /// The comments directly above the missing entries.
    carried: FxHashSet<Ref>,
}

impl Missing {
    /// Finds the missing entries and adds them to `seen`. Returns `None` if there are none.
    fn of(
        rows: &Rows<'_>,
        side: Side,
        stays: &impl Fn(u32) -> bool,
        seen: &mut FxHashSet<u32>,
        settled: &[Placed],
    ) -> Option<Self> {
        let entries = rows.row(side).iter().enumerate();
        let entries = entries.filter_map(|(at, token)| match token.kind {
            TokenKind::Entry(entry) => Some((at, entry)),
            TokenKind::Comment(_) | TokenKind::End => None,
        });
        let is_missing = |entry: u32, seen: &FxHashSet<u32>| stays(entry) && !seen.contains(&entry);
        if !entries.clone().any(|(_, entry)| is_missing(entry, seen)) {
            return None;
        }
        let entries_in_row = settled
            .iter()
            .filter_map(|placed| entry(rows, placed.piece));
        let entries_in_row: FxHashSet<u32> = entries_in_row.collect();
        let row_comments = settled
            .iter()
            .map(|placed| (rows.id(placed.piece), placed.piece));
        let row_comments: FxHashMap<Id, Ref> = row_comments.collect();
        let is_in_row = |piece: &Ref| {
            rows.is_comment(*piece)
                && row_comments
                    .get(&rows.id(*piece))
                    .is_some_and(|it| it != piece)
        };
        let mut missing = Self {
            first: Vec::new(),
            after: FxHashMap::default(),
            carried: FxHashSet::default(),
        };
        let mut anchor: Option<u32> = None;
        for (at, entry) in entries {
            if entries_in_row.contains(&entry) {
                anchor = Some(entry);
            } else if is_missing(entry, seen) {
                seen.insert(entry);
                let above = rows.comments_start(side, at);
                missing
                    .carried
                    .extend((above..at).map(|at| Ref::new(side, at)));
                let lines = (above..=at).map(|at| Ref::new(side, at));
                let lines = lines.filter(|piece| !is_in_row(piece)).map(own);
                match anchor {
                    Some(anchor) => missing.after.entry(anchor).or_default().extend(lines),
                    None => missing.first.extend(lines),
                }
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
    let count = |piece: Ref| rows.token(piece).blanks;
    for at in (1..merged.len()).rev() {
        let piece = merged[at].piece;
        let (Some(original), Some(updated), Some(local)) = (
            counterpart(rows, piece, Side::Original),
            counterpart(rows, piece, Side::Updated),
            counterpart(rows, piece, Side::Local),
        ) else {
            continue;
        };
        // local may have the blank lines that updated added already, below its comments
        if count(local) > 0 && count(local) == count(updated) {
            continue;
        }
        // updated's new comments are between the piece and local's
        let at = at - rows.count_new_above(updated, &merged[..at]);
        let updated = counterpart(rows, merged[at].piece, Side::Updated).unwrap_or(updated);
        let above = merged[..at]
            .iter()
            .rev()
            .enumerate()
            .take_while(|(distance, placed)| {
                let below = Ref::new(Side::Local, placed.piece.at() + 1);
                placed.piece.side() == Side::Local
                    && placed.piece.at() + distance + 1 == local.at()
                    && is_inserted(rows, placed.piece)
                    && (*distance == 0 || count(below) == 0)
            });
        let Some(first) = at.checked_sub(above.count()).filter(|first| *first < at) else {
            continue;
        };
        let own = merged[first].piece;
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
        merged[at].blanks = Some(local).filter(|local| count(*local) > 0);
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

/// Returns the same entry in the row of a side; of the piece's own side, the piece itself.
fn counterpart(rows: &Rows<'_>, piece: Ref, side: Side) -> Option<Ref> {
    if piece.side() == side {
        return Some(piece);
    }
    let at = match rows.id(piece) {
        Id::Entry(entry) => rows.position(side, entry),
        Id::Comment { .. } | Id::End => None,
    };
    at.map(|at| Ref::new(side, at))
}

/// Whether a piece is a comment that neither original nor updated has.
fn is_inserted(rows: &Rows<'_>, piece: Ref) -> bool {
    let id = rows.id(piece);
    rows.is_comment(piece) && !rows.ids_of_others.contains(&id)
}

/// Keeps the blank line below a comment that a blank line sets off, whatever the merged row has
/// below it, except for further lines of that comment. A piece that becomes the first of the row
/// passes its blank lines to the piece that was the first.
pub(super) fn keep_set_off(rows: &Rows<'_>, mut merged: Vec<Placed>) -> Vec<Placed> {
    let count = |blanks: Option<Ref>| blanks.map_or(0, |piece| rows.token(piece).blanks);
    for at in 1..merged.len() {
        let (above, here) = (merged[at - 1].piece, merged[at]);
        let next = Ref::new(above.side(), above.at() + 1);
        let is_last = next.at() + 1 >= rows.row(above.side()).len();
        let previous = |piece: Ref| {
            let at = piece.at().checked_sub(1)?;
            Some(rows.id(Ref::new(piece.side(), at)))
        };
        let is_joined_upstream = || {
            let here = match rows.id(here.piece) {
                Id::End => Some(Ref::new(Side::Updated, rows.row(Side::Updated).len() - 1)),
                _ => counterpart(rows, here.piece, Side::Updated),
            };
            here.and_then(previous) == Some(rows.id(above))
        };
        if rows.is_comment(above)
            && !is_last
            && previous(here.piece) != Some(rows.id(above))
            && !is_joined_upstream()
            && rows.token(next).blanks > 0
            && rows.id(next) != rows.id(here.piece)
            && count(here.blanks) == 0
        {
            merged[at].blanks = Some(next);
        }
    }
    let firsts = [Side::Updated, Side::Local].map(|side| Ref::new(side, 0));
    let [has_updated, has_local] = firsts.map(|first| rows.token(first).blanks > 0);
    // blank lines that upstream has at the top do not belong to a piece that it has further down
    let is_below = |piece| counterpart(rows, piece, Side::Updated).is_some_and(|it| it.at() > 0);
    if let Some(first) = merged.first().copied()
        && !has_local
        && (!has_updated || is_below(first.piece))
        && count(first.blanks) > 0
    {
        merged[0].blanks = None;
        let own = merged
            .iter()
            .take_while(|placed| rows.is_comment(placed.piece));
        let below = own.count() + 1;
        let mut others = merged.iter_mut().skip(below);
        let former_first = others.find(|placed| firsts.contains(&placed.piece));
        let is_joined = |piece: Ref| {
            let at = |side| counterpart(rows, piece, side).map(|it| rows.token(it).blanks);
            at(Side::Original).is_some_and(|blanks| blanks > 0) && at(Side::Updated) == Some(0)
        };
        let former_first = former_first.filter(|former_first| !is_joined(former_first.piece));
        if let Some(former_first) =
            former_first.filter(|former_first| count(former_first.blanks) == 0)
        {
            former_first.blanks = first.blanks;
        }
    }
    merged
}
