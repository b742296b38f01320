//! Adds pin comments to the local lines of an open place (rules: Pins).

use super::files::{MarkedFile, OpenPlace};
use crate::line_breaks::line_break_of;
use crate::merge::Pattern;
use crate::merge::pins::Pins;
use crate::triple::Side;
use crate::yaml::EntryId;

/// The comment that pins an entry.
const PIN_COMMENT: &str = "# merge3: keep";

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
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = text[at..]
            .find(['\r', '\n'])
            .map_or(text.len(), |end| at + end);
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
