//! Changes of upstream's that a local text has already.
//!
//! How lines align is often a matter of choice: any blank line may be taken for any other. A merge
//! that runs again on its own result could take other ones, and find that local has changed what it
//! has only taken over. What is certainly there is not merged again.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use gix_imara_diff::Token;
use rustc_hash::FxHashMap;

use super::lines::{Lines, tokens};
use crate::differences::{AlignedRange, differences_of_tokens, places_in};
use crate::triple::Triple;

/// The original, with those of upstream's changes that the local text has already: the new lines
/// are there, between the same two lines, and none of the old ones is left.
pub(crate) fn with_changes_made<'t>(texts: Triple<&'t str>) -> Cow<'t, str> {
    let lines = texts.map(|text| Lines::of(text, text.split_inclusive('\n')));
    let rows = tokens(&lines);
    let sides = Sides {
        known: rows.as_ref().map(|row| known(row)),
        places: LazyCell::new(|| places_in(&rows.local, &rows.updated)),
        lines: &lines,
        rows: &rows,
    };
    let mut text = String::new();
    let mut any = false;
    let differences = differences_of_tokens(&rows.original, &rows.updated);
    for AlignedRange { old, new, is_same } in differences.ranges() {
        if !is_same && sides.have_made(old.clone(), new.clone()) {
            any = true;
            text.push_str(lines.updated.text(new));
        } else {
            text.push_str(lines.original.text(old));
        }
    }
    if any {
        text.into()
    } else {
        texts.original.into()
    }
}

/// The lines of a text, by their numbers, each with its place where it is there once.
type Known = FxHashMap<Token, Option<u32>>;

fn known(row: &[Token]) -> Known {
    let mut known = Known::default();
    for (place, line) in (0..).zip(row) {
        let is_again = |place: &mut Option<u32>| *place = None;
        known
            .entry(*line)
            .and_modify(is_again)
            .or_insert(Some(place));
    }
    known
}

struct Sides<'l, P> {
    lines: &'l Triple<Lines<'l>>,
    rows: &'l Triple<Vec<Token>>,
    known: Triple<Known>,
    /// For each of updated's lines, which of local's it is.
    places: LazyCell<Vec<Option<usize>>, P>,
}

impl<P: FnOnce() -> Vec<Option<usize>>> Sides<'_, P> {
    /// Whether local has the change from some lines of the original to some of updated's.
    fn have_made(&self, old: Range<usize>, new: Range<usize>) -> bool {
        let Triple {
            original, updated, ..
        } = self.rows;
        let of_original = (&self.lines.original, original.as_slice());
        let of_updated = (&self.lines.updated, updated.as_slice());
        let mut gone = strangers(of_original, old, &self.known.updated).peekable();
        let mut came = strangers(of_updated, new.clone(), &self.known.original).peekable();
        let has_gone = gone.peek().is_some();
        if gone.any(|line| self.known.local.contains_key(&original[line])) {
            return false;
        }
        let above = new.start.checked_sub(1);
        let first = match (came.peek(), above) {
            (Some(_), _) => came.find_map(|line| {
                let place = self.known.local.get(&updated[line]).copied().flatten()?;
                (place as usize).checked_sub(line - new.start)
            }),
            (None, Some(above)) if has_gone => self.places[above].map(|place| place + 1),
            (None, None) if has_gone => Some(0),
            (None, _) => None,
        };
        first.is_some_and(|first| self.stand_at(first, new))
    }

    /// Whether lines of updated's are in local from `first` on, and those above and below them
    /// are the same.
    fn stand_at(&self, first: usize, new: Range<usize>) -> bool {
        let Triple { updated, local, .. } = self.rows;
        let end = first + new.len();
        let same_above = match (new.start.checked_sub(1), first.checked_sub(1)) {
            (Some(theirs), Some(ours)) => updated[theirs] == local[ours],
            (theirs, ours) => theirs == ours,
        };
        same_above
            && updated.get(new.end) == local.get(end)
            && local.get(first..end) == updated.get(new)
    }
}

/// The places of those among some lines that are not known, blank ones aside.
fn strangers<'l>(
    (lines, row): (&'l Lines<'_>, &'l [Token]),
    range: Range<usize>,
    known: &'l Known,
) -> impl Iterator<Item = usize> {
    let is_blank = |at: usize| lines.text(at..at + 1).trim().is_empty();
    range.filter(move |at| !known.contains_key(&row[*at]) && !is_blank(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = "# Web\n\nInstall it.\n\n## Values\n\nNone.\n";
    const UPDATED: &str = "# Shop\n\nInstall it so.\n## Values\n\nNone.\n";

    fn made(updated: &str, local: &str) -> String {
        with_changes_made(Triple::new(ORIGINAL, updated, local)).into_owned()
    }

    #[test]
    fn what_was_merged_is_made() {
        let merged = "# Shop\n\nInstall it so.\n## Values\n\nSee the wiki.\n\nAnd ask.\n";
        assert_eq!(made(UPDATED, merged), UPDATED);
        assert_eq!(made(UPDATED, UPDATED), UPDATED);
        // what local has not got yet stays a change
        let both = "# Shop\n\nInstall it.\n\n## All values\n\nNone.\n";
        let one = "# Shop\n\nInstall it.\n\n## Values\n\nNone.\n";
        assert_eq!(made(both, &format!("{one}More.\n")), one);
    }

    #[test]
    fn nothing_is_made_where_it_is_not_certain() {
        assert_eq!(made(UPDATED, ORIGINAL), ORIGINAL);
        assert_eq!(made(ORIGINAL, "something else\n"), ORIGINAL);
        // an old line is left elsewhere
        let both = "# Web\n\n# Shop\n\nInstall it.\n\n## Values\n";
        assert_eq!(made(UPDATED, both), ORIGINAL);
        // it is there twice
        let twice = format!("{UPDATED}{UPDATED}");
        assert_eq!(made(UPDATED, &twice), ORIGINAL);
        // the lines around it are others
        let elsewhere = "Install it so.\n# Shop\n";
        assert_eq!(made(UPDATED, elsewhere), ORIGINAL);
        // blank lines say nothing
        let blank = "# Web\n\n\nInstall it.\n\n## Values\n\nNone.\n";
        assert_eq!(made(blank, &format!("{blank}More.\n")), ORIGINAL);
    }

    #[test]
    fn lines_that_went_are_gone() {
        let without = "# Web\n\n## Values\n\nNone.\n";
        assert_eq!(made(without, "# Web\n\n## Values\n\nSome.\n"), without);
        assert_eq!(made(without, ORIGINAL), ORIGINAL);
    }
}
