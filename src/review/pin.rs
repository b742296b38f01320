//! The local side with a comment that pins it (rules: Pins).

use super::files::{File, OpenPlace};
use crate::line_breaks::line_break_of;
use crate::merge::Pattern;
use crate::merge::pins::Pins;
use crate::triple::Side;
use crate::yaml::EntryId;

/// What pins.
const PIN: &str = "# merge3: keep";

/// The local lines of a place, each entry in it pinned.
///
/// # Errors
/// Why that cannot be.
pub(super) fn pinned(file: &File, place: &OpenPlace) -> Result<String, &'static str> {
    let local = place.side(Side::Local);
    if local.is_empty() {
        return Err("there is nothing here to pin: a rule (r) keeps a deletion");
    }
    if !file.is_yaml || file.path.extension().is_some_and(|it| it == "json") {
        return Err("only entries of YAML can be pinned");
    }
    let Some(mut pins) = places_for_pins(file, place).filter(|pins| !pins.is_empty()) else {
        return Err("this is a part of an entry: pin that by hand (e), with # merge3: keep");
    };
    let line_break = line_break_of(local);
    let mut text = local.to_owned();
    pins.sort_unstable();
    for (at, column, is_one_line) in pins.into_iter().rev() {
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = text[at..]
            .find(['\r', '\n'])
            .map_or(text.len(), |end| at + end);
        match is_one_line && !text[at..end].contains('#') {
            true => text.insert_str(end, &format!(" {PIN}")),
            false => text.insert_str(start, &format!("{:column$}{PIN}{line_break}", "")),
        }
    }
    let whole = file.with(|index, conflict| match index == place.index {
        true => &text,
        false => conflict.side(Side::Local),
    });
    let is_pinned = whole.parsed().entries(place.index, |tree, _, found| {
        let pins = Pins::of(tree);
        let mut entries = found.into_iter().map(|(_, entry)| entry);
        entries.any(|entry| pins.has(entry) || pins.are_in(tree.entry(entry).value))
    });
    match is_pinned {
        Some(true) => Ok(text),
        _ => Err("no comment can stand here: a rule (r) does the same"),
    }
}

/// Where in the local lines of a place the entries begin that are pinned, in which column, and
/// whether each is on one line. `None` if one of them begins above the place.
fn places_for_pins(file: &File, place: &OpenPlace) -> Option<Vec<(usize, usize, bool)>> {
    let taken = file.taken(Side::Local);
    let begin = taken.places[place.index].start;
    let pins = taken.parsed().entries(place.index, |tree, offset, found| {
        let within = taken.places[place.index].clone();
        let is_within = |entry: &EntryId| {
            let span = tree.entry(*entry).span;
            within.start <= offset + span.start as usize && offset + span.end as usize <= within.end
        };
        let named = place
            .paths
            .iter()
            .filter_map(|path| Pattern::parse(path).ok());
        let named: Vec<EntryId> = named.flat_map(|pattern| pattern.find(tree)).collect();
        let entries = match !named.is_empty() && named.iter().all(is_within) {
            true => named,
            false => found.into_iter().map(|(_, entry)| entry).collect(),
        };
        let mut pins = Vec::new();
        for entry in entries {
            let span = tree.entry(entry).span;
            let at = (offset + span.start as usize).checked_sub(begin)?;
            let is_one_line = tree.line_number(span.start) == tree.line_number(span.end.max(1) - 1);
            pins.push((at, tree.column(span.start) as usize, is_one_line));
        }
        Some(pins)
    });
    pins.flatten()
}
