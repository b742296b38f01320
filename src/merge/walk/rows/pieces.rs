//! Numbers the entries of rows for their alignment, and converts merged rows to decisions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::decision::{Blanks, Child, CommentPiece, Piece, PieceKind, Slot};
use crate::merge::rows::{NumberMap, Placed, heaviest_between};
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

/// Converts a piece of the merged row to a decision.
pub(super) fn piece(
    rows: &Triple<Row>,
    ids: &Triple<NumberMap>,
    children: &[Child],
    placed: Placed,
) -> Piece {
    let side = placed.piece.side();
    let (row, numbers) = (&rows[side], &ids[side]);
    let item = &row.items[placed.piece.at()];
    let child_of = |entry: EntryId| {
        let number = numbers.get(entry.number());
        number.filter(|number| (*number as usize) < children.len())
    };
    let kind = match item.kind {
        ItemKind::Entry(entry) => child_of(entry).map_or(PieceKind::End, PieceKind::Entry),
        ItemKind::End => PieceKind::End,
        ItemKind::Comment => PieceKind::Comment(CommentPiece {
            side,
            span: item.span,
            moved: rows.local.column as i32 - row.column as i32,
            of_side: placed.of_side,
        }),
    };
    let blanks = match placed.blanks {
        Some(of) => Blanks::Lines(of.side(), rows[of.side()].items[of.at()].blank()),
        None => Blanks::Count(0),
    };
    Piece { blanks, kind }
}

/// Sorts the pieces so that their entries have the order of `children`. As few entries as possible
/// move, new ones before local's. The comments above such an entry move with it, unless they are
/// above another one on their own side.
pub(super) fn in_child_order(
    pieces: Vec<Piece>,
    children: &[Child],
    rows: &Triple<Row>,
) -> Vec<Piece> {
    let slots = children.iter().filter(|child| child.stays());
    let slots: Vec<Slot> = slots.map(|child| child.slot).collect();
    let placed = pieces.iter().filter_map(|piece| piece.entry(children));
    let placed: Vec<Slot> = placed.map(|child| child.slot).collect();
    if placed == slots {
        return pieces;
    }
    let weight = |at: usize| match placed[at] {
        Slot::Local(_) => 2,
        Slot::Updated(_) => 1,
    };
    let pairs = heaviest_between(&placed, &slots, weight, |_, _| true).into_iter();
    let stays_in_order: FxHashSet<Slot> = pairs.map(|[at, _]| placed[at as usize]).collect();
    let mut groups: FxHashMap<Slot, Vec<Piece>> = FxHashMap::default();
    let mut pending: Vec<Piece> = Vec::new();
    for piece in pieces {
        if let Some(child) = piece.entry(children) {
            let is_left = |above: &mut Piece| is_above_another(above, child, rows);
            let left: Vec<Piece> = match stays_in_order.contains(&child.slot) {
                true => Vec::new(),
                false => pending.extract_if(.., is_left).collect(),
            };
            let slot = child.slot;
            pending.push(piece);
            groups.insert(slot, std::mem::replace(&mut pending, left));
        } else {
            pending.push(piece);
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

/// Whether a piece is a comment that is above another entry on its own side.
fn is_above_another(piece: &Piece, child: &Child, rows: &Triple<Row>) -> bool {
    let PieceKind::Comment(comment) = &piece.kind else {
        return false;
    };
    let row = &rows[comment.side];
    let at = row
        .items
        .partition_point(|item| item.span.start <= comment.span.start);
    let below = row.entries_from(at).next().map(|(_, entry)| entry);
    below.is_some() && below != child.sides()[comment.side]
}
