//! Merges the comments and blank lines between the entries of a block collection.
//!
//! The input is a row of pieces for each side: comment lines, entries, and an end. The output is
//! one row that says which pieces the result has, in which order, and whose blank lines are above
//! each of them. The rules for values decide which entries the result has.
//!
//! [`merge`] cuts the rows at the entries that all three have in the same order. `between` merges
//! each segment between two cuts: a segment that only one side changed is taken from that side, one
//! that both changed is aligned line by line. `carried` has the comments of moved entries, and
//! `settle` makes the row follow the rules for values.

mod absent;
mod between;
mod carried;
mod comment_index;

mod numbered;
mod piece;
mod settle;
mod subsequence;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};

use between::SegmentMerger;
use carried::CarriedComments;
pub(crate) use numbered::Numbered;
pub(crate) use piece::{Placed, Ref, Token, TokenKind};

/// A comment that both sides changed in different ways.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Disagreement {
    /// The comment lines of each side, as positions in its row.
    pub(crate) lines: Triple<Vec<usize>>,
}

/// The merged row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MergedRow {
    pub(crate) pieces: Vec<Placed>,
    pub(crate) disagreements: Vec<Disagreement>,
}

/// What pieces are compared by. A comment is compared by its text and, where the original lacks the
/// entry below it, by that entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Id {
    Comment { text: u32, owner: Option<u32> },
    Entry(u32),
    End,
}

/// Merges three rows into one (rules: Text).
///
/// - `below`: the comments that follow local's row in the enclosing row. `None` for the text around
///   a document, where the only entry is a `---` line, which owns no comments.
/// - `stays`: whether the result has an entry.
/// - `resolution`: how to resolve comments that both sides changed.
pub(crate) fn merge(
    tokens: Triple<&[Token<'_>]>,
    below: Option<&[&str]>,
    stays: impl Fn(u32) -> bool,
    resolution: Resolution,
) -> MergedRow {
    let rows = Rows {
        below,
        ..Rows::of(tokens)
    };
    let (stays_in_order, carried) = rows.carried(&stays);
    let segments = SegmentMerger::new(&rows, &stays, resolution);
    let carried_pieces: FxHashSet<Ref> = carried.values().flat_map(CarriedComments::all).collect();
    let mut decided_pieces = rows.kept_by_local(&stays);
    decided_pieces.extend(rows.deleted_by_local(&stays));
    let left = |side: Side| -> Vec<Ref> {
        let all = (0..rows.row(side).len()).map(|at| Ref::new(side, at));
        all.filter(|piece| !carried_pieces.contains(piece) && !decided_pieces.contains(piece))
            .collect()
    };
    let pieces = segments.merge_rows(
        Triple::new(left(Side::Original), left(Side::Updated), left(Side::Local)),
        &stays_in_order,
    );
    let pieces = settle::settle(&rows, pieces, &stays);
    let pieces = pieces.into_iter().flat_map(|placed| {
        let above = match rows.id(placed.piece) {
            Id::Entry(entry) => carried.get(&entry).map(|own| segments.merge_carried(own)),
            _ => None,
        };
        above.unwrap_or_default().into_iter().chain([placed])
    });
    // where updated wins, a local comment above a removed entry is removed too
    let is_removed = |piece| resolution == Resolution::Updated && segments.goes_with_entry(piece);
    let pieces = settle::merge_blanks_above_local_comments(&rows, pieces.collect(), is_removed);
    let pieces = settle::keep_set_off(&rows, pieces);
    MergedRow {
        pieces,
        disagreements: segments.disagreements(),
    }
}

/// Returns the conflict kind of a disagreement with these lines on each side, and its resolution.
pub(crate) fn lines_kind(
    values: &Triple<Option<Box<str>>>,
    resolution: Resolution,
) -> (ConflictKind, Resolution) {
    match (&values.updated, &values.local) {
        // a comment that local rewrote and upstream only removed stays
        (None, _) if resolution != Resolution::Markers => {
            (ConflictKind::DeletedUpstream, Resolution::Local)
        }
        (None, _) => (ConflictKind::DeletedUpstream, resolution),
        (_, None) => (ConflictKind::DeletedLocally, resolution),
        _ => (ConflictKind::BothChanged, resolution),
    }
}

/// The blank lines above a piece of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlanksAbove {
    /// The position of the piece in its row.
    pub(crate) at: usize,
    pub(crate) count: usize,
}

impl BlanksAbove {
    /// Whether updated removed everything above a piece, so that it is the first one of its row.
    /// The first piece of a row has no blank lines, which is no change of their number.
    const fn became_first(original: Self, updated: Self) -> bool {
        updated.at == 0 && original.at > 0 && updated.count == 0
    }
}

/// Returns the side whose number of blank lines is the result of a three-way merge. Where both
/// sides changed the number, it is the side with the larger one.
pub(crate) fn side_of_blanks(sides: &Triple<BlanksAbove>) -> Side {
    let counts = sides.map(|blanks| blanks.count);
    let is_updated = counts.updated != counts.original
        && (counts.local == counts.original || counts.local < counts.updated);
    if is_updated && !BlanksAbove::became_first(sides.original, sides.updated) {
        Side::Updated
    } else {
        Side::Local
    }
}

/// The three rows, with lookup tables for their pieces.
struct Rows<'a> {
    tokens: Triple<&'a [Token<'a>]>,
    ids: Triple<Vec<Id>>,
    /// The position of each entry.
    entry_positions: Triple<Numbered>,
    /// For each piece, the position of the first of the comments directly above it.
    comment_starts: Triple<Vec<u32>>,
    /// The comments of original and updated.
    ids_of_others: FxHashSet<Id>,
    /// The comments that follow local's row.
    below: Option<&'a [&'a str]>,
    /// The number of each comment text. Equal texts have one number in all rows.
    text_ids: FxHashMap<&'a str, u32>,
    /// How often each comment text is in each row, by its number.
    counts: Triple<Vec<u32>>,
    /// Whether local has comments that the original lacks.
    has_own_comments: bool,
}

impl<'a> Rows<'a> {
    fn of(tokens: Triple<&'a [Token<'a>]>) -> Self {
        let entry_positions = tokens.map(|row| {
            let entries = row.iter().enumerate();
            let entries = entries.filter_map(|(at, token)| match token.kind {
                TokenKind::Entry(entry) => Some((entry, at as u32)),
                TokenKind::Comment(_) | TokenKind::End => None,
            });
            let mut entry_positions = Numbered::over_all(entries.clone().map(|(entry, _)| entry));
            entries.for_each(|(entry, at)| entry_positions.insert(entry, at));
            entry_positions
        });
        let mut text_ids: FxHashMap<&str, u32> = FxHashMap::default();
        let ids = tokens.map(|row| {
            let ids = row.iter().map(|token| match token.kind {
                TokenKind::Comment(line) => {
                    let next = u32::try_from(text_ids.len()).unwrap_or(u32::MAX);
                    let text = *text_ids.entry(line.trim()).or_insert(next);
                    Id::Comment { text, owner: None }
                }
                TokenKind::Entry(entry) => Id::Entry(entry),
                TokenKind::End => Id::End,
            });
            ids.collect::<Vec<_>>()
        });
        let counts = ids.as_ref().map(|row| {
            let mut counts = vec![0; text_ids.len()];
            for id in row {
                if let Id::Comment { text, .. } = id {
                    counts[*text as usize] += 1;
                }
            }
            counts
        });
        let mut pairs = counts.local.iter().zip(&counts.original);
        let mut rows = Self {
            has_own_comments: pairs.any(|(local, original)| *local > 0 && *original == 0),
            text_ids,
            counts,
            tokens,
            ids,
            entry_positions,
            comment_starts: tokens.map(comment_starts),
            ids_of_others: FxHashSet::default(),
            below: None,
        };
        rows.set_owners();
        let ids = rows.ids.original.iter().chain(&rows.ids.updated);
        let ids = ids.copied().filter(|id| matches!(id, Id::Comment { .. }));
        rows.ids_of_others = ids.collect();
        rows
    }

    /// Sets the owner of comments directly above an entry that the original lacks, so that they
    /// pair only with comments of the same entry. It does so for each text that a side has more
    /// often than the original and, where the other side lacks the entry, for all comments between
    /// the first such text and the entry.
    fn set_owners(&mut self) {
        let above = [Side::Updated, Side::Local].map(|side| self.above_new_entries(side));
        let is_new =
            |side: Side, text: &str| self.count(side, text) > self.count(Side::Original, text);
        let mut new: FxHashSet<(u32, &str)> = FxHashSet::default();
        for (lines, other) in above.iter().zip([Side::Local, Side::Updated]) {
            let mut owner = None;
            for (piece, entry, text) in lines {
                let is_own = !self.entry_positions[other].has(*entry);
                if owner == Some(*entry) || is_new(piece.side(), text) {
                    owner = Some(*entry).filter(|_| is_own);
                    new.insert((*entry, *text));
                }
            }
        }
        for (piece, entry, text) in above.into_iter().flatten() {
            if new.contains(&(entry, text))
                && let Id::Comment { owner, .. } = &mut self.ids[piece.side()][piece.at()]
            {
                *owner = Some(entry);
            }
        }
    }

    /// Returns the comments of a side that are directly above entries which the original lacks,
    /// each with its entry and its text.
    fn above_new_entries(&self, side: Side) -> Vec<(Ref, u32, &'a str)> {
        let row = self.row(side);
        let mut found = Vec::new();
        for (at, token) in row.iter().enumerate() {
            let TokenKind::Entry(entry) = token.kind else {
                continue;
            };
            if self.entry_positions.original.has(entry) {
                continue;
            }
            let above = self.comments_start(side, at)..at;
            found.extend(
                above.filter_map(|at| Some((Ref::new(side, at), entry, row[at].comment_text()?))),
            );
        }
        found
    }

    fn row(&self, side: Side) -> &'a [Token<'a>] {
        self.tokens[side]
    }

    /// Returns how often a comment text is in a row.
    fn count(&self, side: Side, text: &str) -> usize {
        let number = self.text_id(text);
        number.map_or(0, |number| self.counts[side][number as usize] as usize)
    }

    /// Returns the number of a comment text, if any of the rows has it.
    fn text_id(&self, text: &str) -> Option<u32> {
        self.text_ids.get(text).copied()
    }

    fn token(&self, piece: Ref) -> Token<'a> {
        self.row(piece.side())[piece.at()]
    }

    fn id(&self, piece: Ref) -> Id {
        self.ids[piece.side()][piece.at()]
    }

    fn blanks_above(&self, piece: Ref) -> BlanksAbove {
        BlanksAbove {
            at: piece.at(),
            count: self.token(piece).blanks as usize,
        }
    }

    /// Returns the position of an entry in a row.
    fn position(&self, side: Side, entry: u32) -> Option<usize> {
        self.entry_positions[side].get(entry).map(|at| at as usize)
    }

    fn is_comment(&self, piece: Ref) -> bool {
        matches!(self.token(piece).kind, TokenKind::Comment(_))
    }

    fn is_entry(&self, piece: Ref) -> bool {
        matches!(self.token(piece).kind, TokenKind::Entry(_))
    }

    /// Returns how many of the last pieces of `merged` are new comments that updated has directly
    /// above its piece `updated`.
    fn count_new_above(&self, updated: Ref, merged: &[Placed]) -> usize {
        let is_right_above = |(distance, placed): &(usize, &Placed)| {
            let text = self.token(placed.piece).comment_text();
            placed.piece.side() == Side::Updated
                && placed.piece.at() + distance + 1 == updated.at()
                && self.row(Side::Updated)[placed.piece.at() + 1].blanks == 0
                && text.is_some_and(|text| self.count(Side::Local, text) == 0)
        };
        let above = merged.iter().rev().enumerate();
        above.take_while(is_right_above).count()
    }

    /// Returns the position of the first of the comments directly above a piece, without a blank
    /// line between; `at` itself if there are none.
    fn comments_start(&self, side: Side, at: usize) -> usize {
        self.comment_starts[side][at] as usize
    }
}

/// Returns, for each piece of a row, the position of the first of the comments directly above it,
/// without a blank line between.
fn comment_starts(row: &[Token<'_>]) -> Vec<u32> {
    let mut starts: Vec<u32> = Vec::with_capacity(row.len());
    for (at, token) in row.iter().enumerate() {
        let is_comment = |at: &usize| matches!(row[*at].kind, TokenKind::Comment(_));
        let above = at.checked_sub(1).filter(|_| token.blanks == 0);
        let above = above.filter(is_comment);
        starts.push(above.map_or(at as u32, |above| starts[above]));
    }
    starts
}

#[cfg(test)]
mod tests;
