//! Makes the row of a collection whose comments and blank lines were not merged: they follow the
//! entries.

use super::Editor;
use crate::merge::decision::{Blanks, Child, CommentPiece, Piece, PieceKind, Slot};
use crate::triple::Side;
use crate::yaml::EntryId;
use crate::yaml::row::{Item, ItemKind, Row as Lines};

impl Editor<'_> {
    /// Returns the row of the target with the entries that stay and those that come, in the order
    /// of `children`.
    pub(super) fn pieces_of(&self, lines: &Lines, children: &[Child]) -> Vec<Piece> {
        let groups: Vec<&[Item]> = groups_of(lines).collect();
        // the entries of a collection have consecutive numbers
        let first = lines
            .entries_from(0)
            .next()
            .map_or(0, |(_, it)| it.number());
        let mut pieces = Pieces::default();
        pieces.all.reserve(lines.items.len());
        for (number, child) in (0..).zip(children) {
            let piece = PieceKind::Entry(number);
            match child.slot {
                Slot::Local(entry) => {
                    let index = entry.number().wrapping_sub(first) as usize;
                    if let Some(group) = groups.get(index).filter(|group| ends_with(group, entry)) {
                        if index > 0 {
                            pieces.below_first = 0;
                        }
                        match child.stays() {
                            true => {
                                let above = self.new_comments_above(entry, child);
                                pieces.push_group(group, piece, above);
                            }
                            false => pieces.drop_group(group),
                        }
                    }
                }
                Slot::Updated(entry) if child.stays() => {
                    self.push_arriving(entry, lines.column, piece, &mut pieces);
                }
                Slot::Updated(_) => {}
            }
        }
        pieces.push_items(groups.last().copied().unwrap_or_default());
        // the blank lines at the top of the row stay
        if let (Some(first), Some(item)) = (pieces.all.first_mut(), lines.items.first()) {
            first.blanks = Blanks::Lines(Side::Local, item.blank());
        }
        if self.cuts_part {
            pieces.keep_only_entry_comments();
        }
        pieces.all
    }

    /// Returns the source's comments that replace those directly above an entry of the target;
    /// `None` if the target's stay.
    fn new_comments_above(&self, entry: EntryId, child: &Child) -> Option<Vec<CommentPiece>> {
        let remarks = child.extras().remarks;
        let from = remarks.from.filter(|_| remarks.above.is_updated())?;
        let column = self.target.column(self.target.entry(entry).span.start);
        Some(self.comments_above(from, column))
    }

    /// Returns the comments directly above an entry of the source, for an entry in a column.
    fn comments_above(&self, entry: EntryId, column: u32) -> Vec<CommentPiece> {
        let entry = self.source.entry(entry);
        let moved = column as i32 - self.source.column(entry.span.start) as i32;
        let lines = self.source.comments_in(self.source.comments_above(entry));
        lines
            .map(|line| CommentPiece::new(Side::Updated, line, moved))
            .collect()
    }

    /// Adds an entry that comes, with the comments directly above it.
    fn push_arriving(&self, id: EntryId, column: u32, entry: PieceKind, pieces: &mut Pieces) {
        let source = self.source;
        let row = source.collection_of(id).and_then(|node| {
            let owner = source.entry_of(node).map(|owner| source.entry(owner));
            source.row(node, owner)
        });
        let mut groups = row.iter().flat_map(groups_of);
        let Some(group) = groups.find(|group| ends_with(group, id)) else {
            // the entry is in a flow collection
            for comment in self.comments_above(id, column) {
                pieces.push(0, PieceKind::Comment(comment));
            }
            pieces.push(0, entry);
            pieces.below_first = 0;
            return;
        };
        let moved = column as i32 - source.column(source.entry(id).span.start) as i32;
        for item in &group[start_of_own(group)..] {
            let kind = match item.kind {
                ItemKind::Comment => {
                    PieceKind::Comment(CommentPiece::new(Side::Updated, item.span, moved))
                }
                ItemKind::Entry(_) | ItemKind::End => entry,
            };
            pieces.push(item.blanks, kind);
        }
        pieces.below_first = groups.next().map_or(0, |below| below[0].blanks);
    }
}

/// Returns the entries of a row, each with the comments above it, and at last the comments below
/// the last entry with the end.
fn groups_of(lines: &Lines) -> impl Iterator<Item = &[Item]> {
    let is_entry = |item: &Item| matches!(item.kind, ItemKind::Entry(_));
    lines.items.split_inclusive(is_entry)
}

/// Whether a group is that of an entry.
fn ends_with(group: &[Item], entry: EntryId) -> bool {
    let last = group.last();
    last.is_some_and(|last| last.kind == ItemKind::Entry(entry))
}

/// Returns the position of the first comment directly above the entry that a group ends with, or
/// that of the entry.
fn start_of_own(group: &[Item]) -> usize {
    let items = group.iter().rev();
    let has_no_blanks = items.take_while(|item| item.blanks == 0).count();
    (group.len() - 1).saturating_sub(has_no_blanks)
}

/// Collects pieces and keeps track of blank lines.
#[derive(Default)]
struct Pieces {
    all: Vec<Piece>,
    /// The number of blank lines above entries that were removed, for the next piece.
    pending_blanks: u32,
    /// The number of blank lines that the source has below an entry that was inserted above all
    /// others.
    below_first: u32,
}

impl Pieces {
    /// Adds a piece with this number of blank lines above it.
    fn push(&mut self, blanks: u32, kind: PieceKind) {
        let blanks = blanks.max(self.pending_blanks);
        self.pending_blanks = 0;
        self.all.push(Piece {
            blanks: Blanks::Count(blanks),
            kind,
        });
    }

    /// Removes the comments that are not directly above an entry.
    fn keep_only_entry_comments(&mut self) {
        let mut is_own = false;
        self.all.reverse();
        self.all.retain(|piece| {
            let is_comment = matches!(piece.kind, PieceKind::Comment(_));
            let stays = !is_comment || is_own;
            is_own = (piece.is_entry() || is_comment && is_own) && piece.blanks.is_none();
            stays
        });
        self.all.reverse();
    }

    /// Adds a piece of the target.
    fn push_item(&mut self, item: &Item, kind: PieceKind) {
        let pending = std::mem::take(&mut self.pending_blanks);
        let below_first = std::mem::take(&mut self.below_first);
        let blanks = match item.blanks {
            blanks if blanks < pending && kind != PieceKind::End => Blanks::Count(pending),
            0 if below_first > 0 => Blanks::Count(below_first),
            _ => Blanks::Lines(Side::Local, item.blank()),
        };
        self.all.push(Piece { blanks, kind });
    }

    /// Adds comments of the target, and its end.
    fn push_items(&mut self, items: &[Item]) {
        for item in items {
            let kind = match item.kind {
                ItemKind::Comment => {
                    PieceKind::Comment(CommentPiece::new(Side::Local, item.span, 0))
                }
                ItemKind::Entry(_) | ItemKind::End => PieceKind::End,
            };
            self.push_item(item, kind);
        }
    }

    /// Adds the comments above an entry of the target that is removed, without those directly
    /// above it.
    fn drop_group(&mut self, group: &[Item]) {
        let own = start_of_own(group);
        self.push_items(&group[..own]);
        self.pending_blanks = self.pending_blanks.max(group[own].blanks);
    }

    /// Adds an entry of the target with the comments above it. `above` replaces those directly
    /// above it.
    fn push_group(&mut self, group: &[Item], entry: PieceKind, above: Option<Vec<CommentPiece>>) {
        let at = group.len() - 1;
        let kept = above.as_ref().map_or(at, |_| start_of_own(group));
        self.push_items(&group[..kept]);
        for comment in above.into_iter().flatten() {
            self.push(0, PieceKind::Comment(comment));
        }
        self.push_item(&group[at], entry);
    }
}
