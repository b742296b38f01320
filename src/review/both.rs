//! Takes both sides of a place, the local one first.

use super::files::{File, OpenPlace};
use crate::triple::Side;
use crate::yaml::{EntryId, NodeKind, Tree};

/// The lines of both sides. A line that both begin with is there once where what is below
/// belongs to it (`args:`, `text: |`). Of a list between brackets that is one list of the elements
/// of both.
pub(super) fn both(file: &File, place: &OpenPlace) -> String {
    if let Some(list) = joined(file, place) {
        return list;
    }
    let [local, updated] = [Side::Local, Side::Updated].map(|side| place.side(side));
    let head = |text: &str| text.split_inclusive('\n').next().unwrap_or_default().len();
    let (first, rest) = updated.split_at(head(updated));
    let is_head = first.trim_end().ends_with([':', '|', '>', '-', '+']);
    let updated = match is_head && first == &local[..head(local)] {
        true => rest,
        false => updated,
    };
    let line_break = match local.is_empty() || local.ends_with('\n') {
        true => "",
        false => "\n",
    };
    format!("{local}{line_break}{updated}")
}

/// The elements of both sides in one list, where the place is a list between brackets.
fn joined(file: &File, place: &OpenPlace) -> Option<String> {
    let (local, updated) = (file.taken(Side::Local), file.taken(Side::Updated));
    let theirs = updated
        .parsed()
        .entries(place.index, |tree, _, found| elements(tree, &found));
    let (_, theirs) = theirs.flatten()?;
    let begin = local.places[place.index].start;
    let ours = local.parsed().entries(place.index, |tree, offset, found| {
        let (end, elements) = elements(tree, &found)?;
        Some(((offset + end).checked_sub(begin)?, elements))
    });
    let (end, ours) = ours.flatten()?;
    let lines = place.lines.local.as_deref()?;
    let (before, after) = (lines.get(..end)?.trim_end(), lines.get(end..)?);
    let new: Vec<String> = theirs.into_iter().filter(|it| !ours.contains(it)).collect();
    let comma = if ours.is_empty() || new.is_empty() {
        ""
    } else {
        ", "
    };
    Some(format!("{before}{comma}{}{after}", new.join(", ")))
}

/// The only entry of those found, where it is a list between brackets: where its
/// closing bracket stands, and its elements.
fn elements(tree: &Tree<'_>, found: &[(String, EntryId)]) -> Option<(usize, Vec<String>)> {
    let [(_, entry)] = found else {
        return None;
    };
    let list = tree.entry(*entry).value;
    let span = tree.node(list).span;
    match &tree.node(list).kind {
        NodeKind::Sequence(sequence) if sequence.flow => {}
        _ => return None,
    }
    let elements = tree
        .entries(list)
        .map(|it| tree.text_of(tree.entry(it).value));
    Some((span.end as usize - 1, elements.collect()))
}
