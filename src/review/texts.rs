//! Makes texts of both sides of an open place: the lines of both, the local ones first, and the
//! local lines with pin comments (rules: Pins).

use super::files::{MarkedFile, OpenPlace};
use crate::line_breaks::{line_break_of, line_end, line_start, missing_lf};
use crate::merge::Pattern;
use crate::merge::pins::Pins;
use crate::triple::Side;
use crate::yaml::{EntryId, NodeKind, Tree};

/// The comment that pins an entry.
const PIN_COMMENT: &str = "# merge3: keep";

/// Returns the lines of both sides. If both sides start with the same line and the lines below
/// belong to it (`args:`, `text: |`), that line is written once. Two lists in flow style (`[a, b]`)
/// become one list with the elements of both.
pub(super) fn both_sides(file: &MarkedFile, place: &OpenPlace) -> String {
    if let Some(list) = joined_flow_lists(file, place) {
        return list;
    }
    let [local, updated] = [Side::Local, Side::Updated].map(|side| place.side(side));
    let [local_start, start] = [local, updated].map(|text| text.split_inclusive('\n').next());
    let start = start.filter(|it| it.trim_end().ends_with([':', '|', '>', '-', '+']));
    let shared = start.filter(|_| start == local_start);
    let updated = &updated[shared.map_or(0, str::len)..];
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

/// Returns the local lines of a place with a pin comment at each entry.
///
/// # Errors
/// Why the place cannot be pinned.
pub(super) fn pinned(file: &MarkedFile, place: &OpenPlace) -> Result<String, &'static str> {
    let local = place.side(Side::Local);
    if local.is_empty() {
        return Err("there is nothing here to pin: a rule (r) keeps a deletion");
    }
    if !file.is_yaml || file.path.extension().is_some_and(|it| it == "json") {
        return Err("only entries of YAML can be pinned");
    }
    let Some(mut entries) = entries_to_pin(file, place).filter(|found| !found.is_empty()) else {
        return Err("this is a part of an entry: pin that by hand (e), with # merge3: keep");
    };
    let line_break = line_break_of(local);
    let mut text = local.to_owned();
    entries.sort_unstable();
    for (at, column, is_one_line) in entries.into_iter().rev() {
        let (start, end) = (line_start(&text, at), line_end(&text, at));
        match is_one_line && !text[at..end].contains('#') {
            true => text.insert_str(end, &format!(" {PIN_COMMENT}")),
            false => text.insert_str(start, &format!("{:column$}{PIN_COMMENT}{line_break}", "")),
        }
    }
    let pinned_file = file.resolved_with(|index, conflict| match index == place.index {
        true => &text,
        false => conflict.side(Side::Local),
    });
    let parsed = pinned_file.parsed();
    let is_pinned = parsed.entries(place.index).is_some_and(|(tree, _, found)| {
        let pins = Pins::of(tree);
        let mut entries = found.into_iter().map(|(_, entry)| entry);
        entries.any(|entry| pins.has(entry) || pins.are_in(tree.entry(entry).value))
    });
    match is_pinned {
        true => Ok(text),
        false => Err("a comment is not possible here: a rule (r) does the same"),
    }
}

/// Returns for each entry to pin: its offset in the local lines of the place, its column, and
/// whether it is on one line. Returns `None` if one of the entries starts above the place.
fn entries_to_pin(file: &MarkedFile, place: &OpenPlace) -> Option<Vec<(usize, usize, bool)>> {
    let local = file.resolved(Side::Local);
    let range = local.places[place.index].clone();
    let parsed = local.parsed();
    let (tree, offset, found) = parsed.entries(place.index)?;
    let is_within = |entry: &EntryId| {
        let span = tree.entry(*entry).span;
        range.start <= offset + span.start as usize && offset + span.end as usize <= range.end
    };
    let patterns = place.paths.iter();
    let patterns = patterns.filter_map(|path| Pattern::parse(path).ok());
    let named: Vec<EntryId> = patterns.flat_map(|pattern| pattern.find(tree)).collect();
    let entries = match !named.is_empty() && named.iter().all(is_within) {
        true => named,
        false => found.into_iter().map(|(_, entry)| entry).collect(),
    };
    let position = |entry: EntryId| {
        let span = tree.entry(entry).span;
        let at = (offset + span.start as usize).checked_sub(range.start)?;
        let is_one_line = tree.line_number(span.start) == tree.line_number(span.end.max(1) - 1);
        Some((at, tree.column(span.start) as usize, is_one_line))
    };
    entries.into_iter().map(position).collect()
}
