//! Three rows of pieces (comment lines, entries, an end) merged into one: what is between
//! entries merges as values do, by its text.
//!
//! The rows are cut at the entries that all three have in one order. Between two cuts, what one
//! side left alone is the other's; what both changed is aligned line by line. Which entries the
//! result has is decided by the rules for values, and the row follows them.

mod absent;
mod between;
mod carried;
mod known;
mod numbered;
mod piece;
mod settle;
mod subsequence;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};

use between::Between;
use carried::Carried;
pub(crate) use numbered::Numbered;
pub(crate) use piece::{Placed, Ref, Token, TokenKind};

/// A comment that both sides changed, and not alike.
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

/// What a piece is compared by: a comment by its words and, where the original lacks the entry
/// below it, by that entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Id {
    Comment { words: u32, owner: Option<u32> },
    Entry(u32),
    End,
}

/// Merges three rows. `below` are the comments that follow local's row in the one around it, `None`
/// for what is around a document, where the only entry is a `---`: it owns no comments;
/// `stays` says of an entry whether the result has it. Disagreements are resolved as `resolution`
/// says.
///
/// Implements the section on text of the rules.
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
    let between = Between::new(&rows, &stays, resolution);
    let is_carried: FxHashSet<Ref> = carried.values().flat_map(Carried::all).collect();
    let mut is_settled = rows.kept_by_local(&stays);
    is_settled.extend(rows.deleted_by_local(&stays));
    let left = |side: Side| -> Vec<Ref> {
        let all = (0..rows.row(side).len()).map(|at| Ref::new(side, at));
        all.filter(|piece| !is_carried.contains(piece) && !is_settled.contains(piece))
            .collect()
    };
    let pieces = between.whole(
        Triple::new(left(Side::Original), left(Side::Updated), left(Side::Local)),
        &stays_in_order,
    );
    let pieces = settle::settle(&rows, pieces, &stays);
    let pieces = pieces.into_iter().flat_map(|placed| {
        let above = match rows.id(placed.piece) {
            Id::Entry(entry) => carried.get(&entry).map(|own| between.lines(own)),
            _ => None,
        };
        above.unwrap_or_default().into_iter().chain([placed])
    });
    // local's own comment above an entry that goes is dropped where updated wins
    let goes = |piece| resolution == Resolution::Updated && between.goes_with_entry(piece);
    let pieces = settle::above_own_comments(&rows, pieces.collect(), goes);
    let pieces = settle::keep_apart(&rows, pieces);
    MergedRow {
        pieces,
        disagreements: between.disagreements(),
    }
}

/// What a disagreement is, by the lines of each side, and how it is resolved.
pub(crate) fn lines_kind(
    values: &Triple<Option<Box<str>>>,
    resolution: Resolution,
) -> (ConflictKind, Resolution) {
    match (&values.updated, &values.local) {
        // what local has written anew stays where upstream only took away
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
    /// How many pieces are above these.
    pub(crate) at: usize,
    pub(crate) count: usize,
}

impl BlanksAbove {
    /// Whether updated took away all that was above a piece. The first piece of a row has no number
    /// of blank lines.
    const fn became_first(original: Self, updated: Self) -> bool {
        updated.at == 0 && original.at > 0 && updated.count == 0
    }
}

/// The side whose number of blank lines is the merged one: three-way, the larger one where both
/// changed it.
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

/// The rows, and what is known of each piece.
struct Rows<'a> {
    tokens: Triple<&'a [Token<'a>]>,
    ids: Triple<Vec<Id>>,
    /// Where each entry is.
    places: Triple<Numbered>,
    /// For each piece, where the comments begin that are right above it.
    firsts: Triple<Vec<u32>>,
    /// The comments of original and updated, by what they are compared by.
    known: FxHashSet<Id>,
    /// The comments that follow local's row.
    below: Option<&'a [&'a str]>,
    /// The number of each comment's words, in all rows.
    numbers: FxHashMap<&'a str, u32>,
    /// By that, how often each comment is in each row.
    counts: Triple<Vec<u32>>,
    /// Whether local has comments that the original has not got.
    has_own_comments: bool,
}

impl<'a> Rows<'a> {
    fn of(tokens: Triple<&'a [Token<'a>]>) -> Self {
        let places = tokens.map(|row| {
            let entries = row.iter().enumerate();
            let entries = entries.filter_map(|(at, token)| match token.kind {
                TokenKind::Entry(entry) => Some((entry, at as u32)),
                TokenKind::Comment(_) | TokenKind::End => None,
            });
            let mut places = Numbered::over_all(entries.clone().map(|(entry, _)| entry));
            entries.for_each(|(entry, at)| places.insert(entry, at));
            places
        });
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let ids = tokens.map(|row| {
            let ids = row.iter().map(|token| match token.kind {
                TokenKind::Comment(line) => {
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    let words = *numbers.entry(line.trim()).or_insert(next);
                    Id::Comment { words, owner: None }
                }
                TokenKind::Entry(entry) => Id::Entry(entry),
                TokenKind::End => Id::End,
            });
            ids.collect::<Vec<_>>()
        });
        let counts = ids.as_ref().map(|row| {
            let mut counts = vec![0; numbers.len()];
            for id in row {
                if let Id::Comment { words, .. } = id {
                    counts[*words as usize] += 1;
                }
            }
            counts
        });
        let mut pairs = counts.local.iter().zip(&counts.original);
        let mut rows = Self {
            has_own_comments: pairs.any(|(local, original)| *local > 0 && *original == 0),
            numbers,
            counts,
            tokens,
            ids,
            places,
            firsts: tokens.map(firsts_above),
            known: FxHashSet::default(),
            below: None,
        };
        rows.name_owners();
        let ids = rows.ids.original.iter().chain(&rows.ids.updated);
        let ids = ids.copied().filter(|id| matches!(id, Id::Comment { .. }));
        rows.known = ids.collect();
        rows
    }

    /// Comments right above an entry that the original lacks pair with that entry's comments alone:
    /// those of which a side has more than the original, and where no other side has the entry, all
    /// below the first of them.
    fn name_owners(&mut self) {
        let above = [Side::Updated, Side::Local].map(|side| self.above_new_entries(side));
        let is_new =
            |side: Side, words: &str| self.count(side, words) > self.count(Side::Original, words);
        let mut new: FxHashSet<(u32, &str)> = FxHashSet::default();
        for (lines, other) in above.iter().zip([Side::Local, Side::Updated]) {
            let mut begun = None;
            for (piece, entry, words) in lines {
                let is_own = !self.places[other].has(*entry);
                if begun == Some(*entry) || is_new(piece.side(), words) {
                    begun = Some(*entry).filter(|_| is_own);
                    new.insert((*entry, *words));
                }
            }
        }
        for (piece, entry, words) in above.into_iter().flatten() {
            if new.contains(&(entry, words))
                && let Id::Comment { owner, .. } = &mut self.ids[piece.side()][piece.at()]
            {
                *owner = Some(entry);
            }
        }
    }

    /// The comments of a side that are right above entries which the original lacks, with those
    /// entries and their words.
    fn above_new_entries(&self, side: Side) -> Vec<(Ref, u32, &'a str)> {
        let row = self.row(side);
        let mut found = Vec::new();
        for (at, token) in row.iter().enumerate() {
            let TokenKind::Entry(entry) = token.kind else {
                continue;
            };
            if self.places.original.has(entry) {
                continue;
            }
            let above = self.own_above(side, at)..at;
            found
                .extend(above.filter_map(|at| Some((Ref::new(side, at), entry, row[at].words()?))));
        }
        found
    }

    fn row(&self, side: Side) -> &'a [Token<'a>] {
        self.tokens[side]
    }

    /// How often a comment is in a row.
    fn count(&self, side: Side, words: &str) -> usize {
        let number = self.number(words);
        number.map_or(0, |number| self.counts[side][number as usize] as usize)
    }

    /// The number of a comment's words, if any of the rows has it.
    fn number(&self, words: &str) -> Option<u32> {
        self.numbers.get(words).copied()
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

    /// Where an entry is in a row.
    fn place(&self, side: Side, entry: u32) -> Option<usize> {
        self.places[side].get(entry).map(|at| at as usize)
    }

    fn is_comment(&self, piece: Ref) -> bool {
        matches!(self.token(piece).kind, TokenKind::Comment(_))
    }

    fn is_entry(&self, piece: Ref) -> bool {
        matches!(self.token(piece).kind, TokenKind::Entry(_))
    }

    /// How many of the last pieces are comments that updated has put right above its piece.
    fn new_above(&self, updated: Ref, merged: &[Placed]) -> usize {
        let is_right_above = |(distance, placed): &(usize, &Placed)| {
            let words = self.token(placed.piece).words();
            placed.piece.side() == Side::Updated
                && placed.piece.at() + distance + 1 == updated.at()
                && self.row(Side::Updated)[placed.piece.at() + 1].blanks == 0
                && words.is_some_and(|words| self.count(Side::Local, words) == 0)
        };
        let above = merged.iter().rev().enumerate();
        above.take_while(is_right_above).count()
    }

    /// Where the comments begin that are right above a piece, no blank line between.
    fn own_above(&self, side: Side, at: usize) -> usize {
        self.firsts[side][at] as usize
    }
}

/// For each piece of a row, where the comments begin that are right above it, no blank line
/// between.
fn firsts_above(row: &[Token<'_>]) -> Vec<u32> {
    let mut firsts: Vec<u32> = Vec::with_capacity(row.len());
    for (at, token) in row.iter().enumerate() {
        let is_comment = |at: &usize| matches!(row[*at].kind, TokenKind::Comment(_));
        let above = at.checked_sub(1).filter(|_| token.blanks == 0);
        let above = above.filter(is_comment);
        firsts.push(above.map_or(at as u32, |above| firsts[above]));
    }
    firsts
}

#[cfg(test)]
mod tests;
