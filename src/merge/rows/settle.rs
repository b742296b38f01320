//! The rules for values decide which entries there are; the row follows them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::piece::own;
use super::{BlanksAbove, Id, Placed, Ref, Rows, Side, TokenKind};

/// The row with just the entries that stay: what the rules remove goes with the comments right
/// above it that are not local's own, what they bring is behind its neighbour.
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
        bring(rows, side, stays, &mut seen, &mut settled);
    }
    settled
}

fn entry(rows: &Rows<'_>, piece: Ref) -> Option<u32> {
    match rows.id(piece) {
        Id::Entry(entry) => Some(entry),
        Id::Comment { .. } | Id::End => None,
    }
}

/// Takes the comments right above an entry that goes off the end of the row, but for those that
/// local wrote itself.
fn drop_comments(rows: &Rows<'_>, piece: Ref, settled: &mut Vec<Placed>) {
    let first = rows.own_above(piece.side(), piece.at());
    let mut kept = Vec::new();
    while let Some(last) = settled.last()
        && last.piece.side() == piece.side()
        && (first..piece.at()).contains(&last.piece.at())
    {
        if let Some(last) = settled.pop()
            && (is_written_locally(rows, last.piece) || is_of_another(rows, last.piece, piece))
        {
            kept.push(last);
        }
    }
    settled.extend(kept.into_iter().rev());
}

/// Whether updated has a comment of local's above another entry than this one.
fn is_of_another(rows: &Rows<'_>, comment: Ref, entry: Ref) -> bool {
    let words = rows.token(comment).words();
    comment.side() == Side::Local
        && words.is_some_and(|words| rows.count(Side::Updated, words) > 0)
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

fn of_updated_from(rows: &Rows<'_>, start: usize) -> impl Iterator<Item = Ref> {
    (start..rows.row(Side::Updated).len()).map(|at| Ref::new(Side::Updated, at))
}

/// Whether a comment is one that only local has.
pub(super) fn is_written_locally(rows: &Rows<'_>, piece: Ref) -> bool {
    let words = rows.token(piece).words();
    let is_of = |side: Side, words: &str| rows.count(side, words) > 0;
    let is_of_others = |words| is_of(Side::Original, words) || is_of(Side::Updated, words);
    piece.side() == Side::Local && words.is_some_and(|words| !is_of_others(words))
}

/// Puts in the entries of a side that stay and are not in the row, with the comments right above
/// them: each behind the nearest entry before it on that side that is there, and the other side's
/// own ones that follow; else at the beginning.
fn bring(
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
    let (mut waiting, mut place) = (Vec::new(), 0);
    for placed in settled.drain(..) {
        let here = entry(rows, placed.piece);
        let is_own = here.is_some_and(|entry| rows.place(side, entry).is_none());
        let is_next = !is_own && !rows.is_comment(placed.piece);
        if is_next && !waiting.is_empty() {
            result.splice(place..place, waiting.drain(..));
        }
        result.push(placed);
        if let Some(more) = here.and_then(|entry| missing.behind.remove(&entry)) {
            waiting = more;
        }
        if here.is_some() {
            // the other side's own entries that follow stay with what they follow
            place = result.len();
        }
    }
    *settled = result;
}

/// The entries of a side that stay and are not in the row yet, with the comments right above them.
struct Missing {
    /// What comes before all entries of the row.
    first: Vec<Placed>,
    /// What comes behind each of them, in order.
    behind: FxHashMap<u32, Vec<Placed>>,
    /// The comments among it.
    carried: FxHashSet<Ref>,
}

impl Missing {
    /// Adds the entries to those that were seen. `None` if there are none.
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
        let there = settled
            .iter()
            .filter_map(|placed| entry(rows, placed.piece));
        let there: FxHashSet<u32> = there.collect();
        let standing = settled
            .iter()
            .map(|placed| (rows.id(placed.piece), placed.piece));
        let standing: FxHashMap<Id, Ref> = standing.collect();
        let stands = |piece: &Ref| {
            rows.is_comment(*piece) && standing.get(&rows.id(*piece)).is_some_and(|it| it != piece)
        };
        let mut missing = Self {
            first: Vec::new(),
            behind: FxHashMap::default(),
            carried: FxHashSet::default(),
        };
        let mut anchor: Option<u32> = None;
        for (at, entry) in entries {
            if there.contains(&entry) {
                anchor = Some(entry);
            } else if is_missing(entry, seen) {
                seen.insert(entry);
                let above = rows.own_above(side, at);
                missing
                    .carried
                    .extend((above..at).map(|at| Ref::new(side, at)));
                let lines = (above..=at).map(|at| Ref::new(side, at));
                let lines = lines.filter(|piece| !stands(piece)).map(own);
                match anchor {
                    Some(anchor) => missing.behind.entry(anchor).or_default().extend(lines),
                    None => missing.first.extend(lines),
                }
            }
        }
        Some(missing)
    }
}

/// Comments that local wrote above a piece are between it and its blank lines: those merge as if
/// they were the piece's own. `goes` says of a comment whether it is not in the result.
pub(super) fn above_own_comments(
    rows: &Rows<'_>,
    mut merged: Vec<Placed>,
    goes: impl Fn(Ref) -> bool,
) -> Vec<Placed> {
    let count = |piece: Ref| rows.token(piece).blanks;
    for at in (1..merged.len()).rev() {
        let piece = merged[at].piece;
        let (Some(original), Some(updated), Some(local)) = (
            found(rows, piece, Side::Original),
            found(rows, piece, Side::Updated),
            found(rows, piece, Side::Local),
        ) else {
            continue;
        };
        // the blank lines that updated adds may be there already, below local's comments
        if count(local) > 0 && count(local) == count(updated) {
            continue;
        }
        // updated's new comments are between the piece and local's
        let at = at - rows.new_above(updated, &merged[..at]);
        let updated = found(rows, merged[at].piece, Side::Updated).unwrap_or(updated);
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
        let (old, new, mine) = (count(original), count(updated), count(own));
        // written above the blank lines: those that upstream adds to them come below it
        if mine == 0 && old > 0 && count(local) == old && new > old {
            continue;
        }
        // blank lines that local put below its comments stay
        merged[at].blanks = Some(local).filter(|local| count(*local) > 0);
        // without a blank line, local's comments would be one with those above them
        let above = merged[..first].iter().rfind(|it| !goes(it.piece));
        let is_below_comment = above.is_some_and(|it| rows.is_comment(it.piece));
        let [above_original, above_updated] = [original, updated].map(|it| rows.blanks_above(it));
        let became_first = BlanksAbove::became_first(above_original, above_updated);
        let is_same = new == old || new == mine || became_first;
        let blanks = if is_same || (new == 0 && is_below_comment) {
            own
        } else if mine == old {
            updated
        } else {
            own
        };
        merged[first].blanks = Some(blanks);
    }
    merged
}

/// Where a side has the same piece.
fn found(rows: &Rows<'_>, piece: Ref, side: Side) -> Option<Ref> {
    if piece.side() == side {
        return Some(piece);
    }
    let at = match rows.id(piece) {
        Id::Entry(entry) => rows.place(side, entry),
        Id::Comment { .. } | Id::End => None,
    };
    at.map(|at| Ref::new(side, at))
}

/// Whether a comment of local's is one that no other side has.
fn is_inserted(rows: &Rows<'_>, piece: Ref) -> bool {
    let id = rows.id(piece);
    rows.is_comment(piece) && !rows.known.contains(&id)
}

/// A comment that a blank line sets off from what is below it stays set off, whatever comes below
/// it now, except for more lines of that comment. A piece that becomes the first of the row leaves
/// its blank lines to the piece that was the first.
pub(super) fn keep_apart(rows: &Rows<'_>, mut merged: Vec<Placed>) -> Vec<Placed> {
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
                _ => found(rows, here.piece, Side::Updated),
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
    // blank lines that upstream has at the top are not those of a piece that it has below
    let is_below = |piece| found(rows, piece, Side::Updated).is_some_and(|it| it.at() > 0);
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
        let former = others.find(|placed| firsts.contains(&placed.piece));
        let is_joined = |piece: Ref| {
            let at = |side| found(rows, piece, side).map(|it| rows.token(it).blanks);
            at(Side::Original).is_some_and(|blanks| blanks > 0) && at(Side::Updated) == Some(0)
        };
        let former = former.filter(|former| !is_joined(former.piece));
        if let Some(former) = former.filter(|former| count(former.blanks) == 0) {
            former.blanks = first.blanks;
        }
    }
    merged
}
