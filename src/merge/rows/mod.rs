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
mod blanks;
mod carried;
mod comment_index;
mod commented_out;
mod id;
mod numbered;
mod one_sided;
mod owners;
mod piece;
mod settle;
mod subsequence;

use hashbrown::HashTable;
use rustc_hash::FxHashSet;

use crate::merge::{ConflictKind, Resolution, Sides};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::row::{Item, ItemKind};

use between::SegmentMerger;
pub(crate) use blanks::{BlanksAbove, side_of_blanks};
use comment_index::{comment_starts, first_alike, hash_of};
pub(super) use commented_out::uncommented;
use id::{Id, StoredId};
pub(crate) use numbered::NumberMap;
pub(crate) use piece::{Pieces, Placed, Ref};
pub(super) use subsequence::{heaviest_between, heaviest_pairs};

/// A comment that both sides changed in different ways.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CommentConflict {
    /// The comment lines of original, updated and local, as positions in their rows.
    lines: Box<[u32]>,
    /// The number of lines of the original, and of the original and updated.
    ends: [u32; 2],
}

impl CommentConflict {
    /// Returns the comment lines of a side, as positions in its row.
    pub(crate) fn on(&self, side: Side) -> impl Iterator<Item = usize> {
        let [original, updated] = self.ends.map(|end| end as usize);
        let range = match side {
            Side::Original => 0..original,
            Side::Updated => original..updated,
            Side::Local => updated..self.lines.len(),
        };
        self.lines[range].iter().map(|at| *at as usize)
    }
}

/// The merged row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MergedRow {
    pub(crate) pieces: Vec<Placed>,
    pub(crate) comment_conflicts: Vec<CommentConflict>,
}

/// Facts about the collection that has the entries of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Context<'a> {
    /// Local's comments around the row. `None` for the text around a document, where the only entry
    /// is a `---` line, which owns no comments.
    pub(crate) around: Option<Around<'a>>,
    /// Whether the entries are fields: another name is another entry. An element without a key may
    /// be a changed one.
    pub(crate) has_fields: bool,
    /// The roles of updated and local.
    pub(crate) sides: Sides,
}

/// Comments of local that are not in the row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Around<'a> {
    /// Those in the head of the file, if the row is the document's.
    pub(crate) head: &'a [&'a str],
    /// Those that follow the row in the enclosing row.
    pub(crate) below: &'a [&'a str],
}

/// Whether the result has an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Absent,
    Present,
    /// The entry is between conflict markers, on this side only.
    OnlyOn(Side),
}

/// Merges three rows into one (rules: Text).
///
/// - `context`: what the collection of the entries says about them.
/// - `presence`: whether the result has an entry.
/// - `resolution`: how to resolve comments that both sides changed.
pub(crate) fn merge(
    rows: Triple<Pieces<'_>>,
    context: Context<'_>,
    presence: impl Fn(u32) -> Presence,
    resolution: Resolution,
) -> MergedRow {
    let rows = Rows::of(rows, context);
    let stays = |entry: u32| presence(entry) != Presence::Absent;
    let (stays_in_order, carried) = rows.carried(stays);
    let segments = SegmentMerger::new(&rows, &stays, resolution);
    let mut left_out = rows.without_other_side(stays);
    for entry in &carried {
        let lines = rows.carried_comments(*entry).map(Triple::into_array);
        left_out.extend(lines.into_iter().flatten().flatten());
    }
    let left = |side: Side| -> Vec<Ref> {
        let pieces = rows.pieces(side);
        pieces.filter(|piece| !left_out.contains(piece)).collect()
    };
    let pieces = segments.merge_rows(Side::ALL.map(left), &stays_in_order);
    let pieces = settle::settle(&segments, pieces);
    let pieces = segments.with_carried(pieces, &carried);
    // where updated wins, a local comment above a removed entry is removed too
    let is_removed = |piece| resolution == Resolution::Updated && segments.goes_with_entry(piece);
    let pieces = settle::merge_blanks_above_local_comments(&rows, pieces, is_removed);
    let pieces = settle::keep_set_off(&rows, pieces);
    let pieces = one_sided::mark_comments(&rows, pieces, &presence);
    MergedRow {
        pieces,
        comment_conflicts: segments.comment_conflicts(),
    }
}

/// Returns the conflict kind of a comment conflict with these lines on each side, and its
/// resolution.
pub(crate) fn lines_kind(
    values: &Triple<Option<String>>,
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

/// The three rows, with lookup tables for their pieces.
struct Rows<'a> {
    rows: Triple<Pieces<'a>>,
    ids: Triple<Vec<StoredId>>,
    /// The position of each entry.
    entry_positions: Triple<NumberMap>,
    /// For each piece, the position of the first of the comments directly above it.
    comment_starts: Triple<Vec<u32>>,
    context: Context<'a>,
    /// The first comment with each text. Equal texts have one number in all rows.
    texts: HashTable<Ref>,
    /// How often each comment text is in each row, by its number.
    counts: Triple<Vec<u32>>,
    /// The comments that are lines of entries that a side commented out.
    commented_out: FxHashSet<Ref>,
    /// How often each comment text is in local's row where it pairs by its text only.
    local_counts: Vec<u32>,
}

impl<'a> Rows<'a> {
    fn of(sides: Triple<Pieces<'a>>, context: Context<'a>) -> Self {
        let mut rows = Self {
            rows: sides,
            ids: sides.map(|row| Vec::with_capacity(row.items.len())),
            entry_positions: Triple::default(),
            comment_starts: Triple::default(),
            counts: Triple::default(),
            commented_out: FxHashSet::default(),
            local_counts: Vec::new(),
            context,
            texts: HashTable::new(),
        };
        for side in Side::ALL.into_array() {
            rows.number(side);
            rows.entry_positions[side] = entry_positions(&rows.ids[side]);
        }
        rows.counts = Side::ALL.map(|side| rows.counts_of(side, |_| true));
        rows.commented_out = rows.commented_out_on(Side::Updated);
        rows.commented_out
            .extend(rows.commented_out_on(Side::Local));
        rows.comment_starts = Side::ALL.map(|side| {
            comment_starts(rows.rows[side].items, |above, item| {
                item.blanks == 0 && !rows.commented_out.contains(&Ref::new(side, above))
            })
        });
        rows.set_owners();
        rows.local_counts = rows.counts_of(Side::Local, |owner| owner.is_none());
        rows
    }

    /// Sets the ids of a row.
    fn number(&mut self, side: Side) {
        let row = self.rows[side];
        for (at, item) in row.items.iter().enumerate() {
            let id = match item.kind {
                ItemKind::Comment => {
                    let next = self.texts.len() as u32;
                    let piece = Ref::new(side, at);
                    let rows = self.rows;
                    let first =
                        first_alike(&mut self.texts, piece, |it| trimmed(line_of(rows, it)));
                    let text = match first == piece {
                        true => next,
                        false => self.text_id(first).unwrap_or(next),
                    };
                    Id::Comment { text, owner: None }
                }
                ItemKind::Entry(entry) => {
                    let own = Some(entry.number());
                    let number = row.numbers.map_or(own, |them| them.get(entry.number()));
                    Id::Entry(number.unwrap_or(u32::MAX))
                }
                ItemKind::End => Id::End,
            };
            self.ids[side].push(id.into());
        }
    }

    /// Returns how often each comment text is in the row of a side, of the comments whose owner
    /// counts.
    fn counts_of(&self, side: Side, is_counted: impl Fn(Option<u32>) -> bool) -> Vec<u32> {
        let mut counts = vec![0; self.texts.len()];
        for id in &self.ids[side] {
            if let Id::Comment { text, owner } = id.id()
                && is_counted(owner)
            {
                counts[text as usize] += 1;
            }
        }
        counts
    }

    /// Returns the pieces of a row.
    fn pieces(&self, side: Side) -> impl DoubleEndedIterator<Item = Ref> + Clone + use<> {
        (0..self.rows[side].items.len()).map(move |at| Ref::new(side, at))
    }

    /// Returns the entries of a row.
    fn entries(&self, side: Side) -> impl Iterator<Item = (u32, Ref)> + Clone {
        self.pieces(side)
            .filter_map(|piece| Some((self.entry(piece)?, piece)))
    }

    /// Returns the comments directly above a piece, without a blank line between.
    fn comments_above(&self, piece: Ref) -> impl DoubleEndedIterator<Item = Ref> + Clone + use<> {
        let side = piece.side();
        (self.first_comment_above(piece).at()..piece.at()).map(move |at| Ref::new(side, at))
    }

    /// Returns the first of the comments directly above a piece, or the piece itself.
    fn first_comment_above(&self, piece: Ref) -> Ref {
        let first = self.comment_starts[piece.side()][piece.at()];
        Ref::new(piece.side(), first as usize)
    }

    /// Returns the line of a comment, without its line break; `None` for other pieces.
    fn comment(&self, piece: Ref) -> Option<&'a str> {
        let is_comment = self.is_comment(piece);
        is_comment.then(|| line_of(self.rows, piece).trim_end_matches(['\r', '\n']))
    }

    fn stored_id(&self, piece: Ref) -> StoredId {
        self.ids[piece.side()][piece.at()]
    }

    fn id(&self, piece: Ref) -> Id {
        self.stored_id(piece).id()
    }

    /// Returns the number of blank lines above a piece.
    fn blanks(&self, piece: Ref) -> u32 {
        item_of(self.rows, piece).blanks
    }

    /// Returns the number of blank lines above a placed piece.
    fn count_blanks(&self, placed: Placed) -> u32 {
        placed.blanks.map_or(0, |piece| self.blanks(piece))
    }

    fn blanks_above(&self, piece: Ref) -> BlanksAbove<'a> {
        let blank = item_of(self.rows, piece).blank();
        BlanksAbove {
            at: piece.at(),
            lines: &self.rows[piece.side()].text[blank.range()],
        }
    }

    /// Returns the number of an entry; `None` for other pieces.
    fn entry(&self, piece: Ref) -> Option<u32> {
        match self.id(piece) {
            Id::Entry(entry) => Some(entry),
            Id::Comment { .. } | Id::End => None,
        }
    }

    /// Returns an entry in the row of a side.
    fn find(&self, side: Side, entry: u32) -> Option<Ref> {
        let at = self.entry_positions[side].get(entry)?;
        Some(Ref::new(side, at as usize))
    }

    fn has(&self, side: Side, entry: u32) -> bool {
        self.entry_positions[side].has(entry)
    }

    fn is_comment(&self, piece: Ref) -> bool {
        matches!(self.id(piece), Id::Comment { .. })
    }

    /// Returns the number of a comment's text; `None` for other pieces.
    fn text_id(&self, piece: Ref) -> Option<u32> {
        match self.id(piece) {
            Id::Comment { text, .. } => Some(text),
            Id::Entry(_) | Id::End => None,
        }
    }

    /// Returns the number of a text, if a comment has it.
    fn text_id_of(&self, line: &str) -> Option<u32> {
        self.text_id(self.first_with_text(line)?)
    }

    /// Returns the first comment with a text: the original's, if that has one.
    fn first_with_text(&self, line: &str) -> Option<Ref> {
        let is_same = |it: &Ref| trimmed(line_of(self.rows, *it)) == trimmed(line);
        self.texts.find(hash_of(trimmed(line)), is_same).copied()
    }

    /// Returns how often a row has the text of a comment.
    fn count(&self, side: Side, comment: Ref) -> usize {
        let text = self.text_id(comment);
        text.map_or(0, |text| self.counts[side][text as usize] as usize)
    }

    /// Whether a piece is a comment that only updated has, by its text.
    fn is_new_upstream(&self, piece: Ref) -> bool {
        let is_of = |side: Side| self.count(side, piece) > 0;
        let is_updated = piece.side() == Side::Updated && self.is_comment(piece);
        is_updated && !is_of(Side::Original) && !is_of(Side::Local)
    }

    /// Whether a piece is a comment with letters or digits.
    fn has_words(&self, piece: Ref) -> bool {
        let line = self.comment(piece);
        line.is_some_and(|line| line.contains(char::is_alphanumeric))
    }

    /// Returns how many of the last pieces of `merged` are new comments that updated has directly
    /// above its piece `updated`.
    fn count_new_above(&self, updated: Ref, merged: &[Placed]) -> usize {
        let above = (self.first_comment_above(updated).at()..updated.at()).rev();
        let is_new = |(placed, at): &(&Placed, usize)| {
            placed.piece == Ref::new(Side::Updated, *at)
                && self.count(Side::Local, placed.piece) == 0
        };
        merged.iter().rev().zip(above).take_while(is_new).count()
    }
}

/// Returns the position of each entry of a row.
fn entry_positions(row: &[StoredId]) -> NumberMap {
    let entries = (0..).zip(row).filter_map(|(at, id)| match id.id() {
        Id::Entry(entry) => Some((entry, at)),
        Id::Comment { .. } | Id::End => None,
    });
    NumberMap::of(entries)
}

fn item_of<'a>(rows: Triple<Pieces<'a>>, piece: Ref) -> &'a Item {
    &rows[piece.side()].items[piece.at()]
}

/// Returns the lines of a piece.
fn line_of<'a>(rows: Triple<Pieces<'a>>, piece: Ref) -> &'a str {
    &rows[piece.side()].text[item_of(rows, piece).span.range()]
}

#[cfg(test)]
mod tests;
