//! Numbers the entries of rows for their alignment, and converts merged rows to decisions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::decision::{Blanks, Child, CommentPiece, Piece, PieceKind, Slot};
use crate::merge::rows::{NumberMap, Placed};
use crate::triple::{Side, Triple};
use crate::yaml::row::{ItemKind, Row};
use crate::yaml::{EntryId, Tree};

/// Numbers the entries of the three rows. The number of an entry is the position of its child.
/// Entries without a child have the same number if they have the same key or text.
pub(super) fn number_entries(
    trees: Triple<&Tree<'_>>,
    rows: &Triple<Row>,
    children: &[Child],
) -> Triple<NumberMap> {
    let mut shared_numbers: FxHashMap<String, u32> = FxHashMap::default();
    Side::ALL.map(|side| {
        let (tree, row) = (trees[side], &rows[side]);
        let entries = row.entries_from(0).map(|(_, entry)| entry);
        let mut numbers = NumberMap::over_all(entries.clone().map(EntryId::number));
        // In reverse: if several children have an entry, the first one counts.
        for (number, child) in children.iter().enumerate().rev() {
            if let Some(entry) = child.sides()[side] {
                numbers.insert(entry.number(), number as u32);
            }
        }
        let mut seen = FxHashSet::default();
        for id in entries {
            if numbers.has(id.number()) {
                continue;
            }
            let entry = tree.entry(id);
            let span = entry.key.map_or(entry.span, |key| tree.node(key).span);
            let mut name = tree.slice(span).to_owned();
            while !seen.insert(name.clone()) {
                name.push('\0');
            }
            let next = (children.len() + shared_numbers.len()) as u32;
            numbers.insert(id.number(), *shared_numbers.entry(name).or_insert(next));
        }
        numbers
    })
}

/// Converts a piece of the merged row to a decision, which the child is moved into.
pub(super) fn piece(
    rows: &Triple<Row>,
    ids: &Triple<NumberMap>,
    children: &mut [Child],
    placed: Placed,
) -> Piece {
    let side = placed.piece.side();
    let (row, numbers) = (&rows[side], &ids[side]);
    let item = &row.items[placed.piece.at()];
    let mut child = |entry: EntryId| {
        let number = numbers.get(entry.number())?;
        children.get_mut(number as usize).map(Child::take)
    };
    let kind = match item.kind {
        ItemKind::Entry(entry) => child(entry).map_or(PieceKind::End, PieceKind::Entry),
        ItemKind::End => PieceKind::End,
        ItemKind::Comment => PieceKind::Comment(CommentPiece {
            side,
            span: item.span,
            moved: i64::from(rows.local.column) - i64::from(row.column),
            of_side: placed.of_side,
        }),
    };
    let blanks = match placed.blanks {
        Some(of) => Blanks::Lines(of.side(), rows[of.side()].items[of.at()].blank()),
        None => Blanks::Count(0),
    };
    Piece { blanks, kind }
}

/// Sorts the pieces so that their entries have the order of `children`. The comments above an entry
/// move with it.
pub(super) fn in_child_order(pieces: Vec<Piece>, children: &[Child]) -> Vec<Piece> {
    let slot = |piece: &Piece| piece.entry().map(|child| child.slot);
    let slots = children.iter().filter(|child| child.stays());
    let slots: Vec<Slot> = slots.map(|child| child.slot).collect();
    if pieces.iter().filter_map(slot).eq(slots.iter().copied()) {
        return pieces;
    }
    let mut groups: FxHashMap<Slot, Vec<Piece>> = FxHashMap::default();
    let mut pending = Vec::new();
    for piece in pieces {
        let end = slot(&piece);
        pending.push(piece);
        if let Some(slot) = end {
            groups.insert(slot, std::mem::take(&mut pending));
        }
    }
    let mut ordered: Vec<Piece> = slots
        .into_iter()
        .filter_map(|slot| groups.remove(&slot))
        .flatten()
        .collect();
    ordered.append(&mut pending);
    ordered
}
