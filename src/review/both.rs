//! Combines both sides of an open place, the local lines first.

use super::files::{MarkedFile, OpenPlace};
use crate::line_breaks::missing_lf;
use crate::triple::Side;
use crate::yaml::{EntryId, NodeKind, Tree};

/// Returns the lines of both sides. If both sides start with the same line and the lines below
/// belong to it (`args:`, `text: |`), that line is written once. Two lists in flow style (`[a, b]`)
/// become one list with the elements of both.
pub(super) fn both_sides(file: &MarkedFile, place: &OpenPlace) -> String {
    if let Some(list) = joined_flow_lists(file, place) {
        return list;
    }
    let [local, updated] = [Side::Local, Side::Updated].map(|side| place.side(side));
    let first_line_len = |text: &str| text.split_inclusive('\n').next().unwrap_or_default().len();
    let (first_line, rest) = updated.split_at(first_line_len(updated));
    let owns_rest = first_line.trim_end().ends_with([':', '|', '>', '-', '+']);
    let updated = match owns_rest && first_line == &local[..first_line_len(local)] {
        true => rest,
        false => updated,
    };
    format!("{local}{}{updated}", missing_lf(local))
}

/// Returns the local list with upstream's further elements at its end; `None` if a side of the
/// place is not a single list in flow style.
fn joined_flow_lists(file: &MarkedFile, place: &OpenPlace) -> Option<String> {
    let (local, updated) = (file.resolved(Side::Local), file.resolved(Side::Updated));
    let (local_parsed, updated_parsed) = (local.parsed(), updated.parsed());
    let (tree, _, found) = updated_parsed.entries(place.index)?;
    let (_, upstream_elements) = flow_elements(tree, &found)?;
    let (tree, offset, found) = local_parsed.entries(place.index)?;
    let (end, local_elements) = flow_elements(tree, &found)?;
    let end = (offset + end).checked_sub(local.places[place.index].start)?;
    let lines = place.lines.local.as_deref()?;
    let (before, after) = (lines.get(..end)?.trim_end(), lines.get(end..)?);
    let new = upstream_elements.into_iter();
    let new: Vec<String> = new.filter(|it| !local_elements.contains(it)).collect();
    let comma = match local_elements.is_empty() || new.is_empty() {
        true => "",
        false => ", ",
    };
    Some(format!("{before}{comma}{}{after}", new.join(", ")))
}

/// Returns the offset of the closing bracket and the elements of a list in flow style; `None` if
/// `found` is anything else than one such list.
fn flow_elements(tree: &Tree<'_>, found: &[(String, EntryId)]) -> Option<(usize, Vec<String>)> {
    let [(_, entry)] = found else {
        return None;
    };
    let list = tree.entry(*entry).value;
    let span = tree.node(list).span;
    match &tree.node(list).kind {
        NodeKind::Sequence(sequence) if sequence.flow => {}
        _ => return None,
    }
    let elements = tree.values(list).map(|it| tree.text_of(it));
    Some((span.end as usize - 1, elements.collect()))
}
