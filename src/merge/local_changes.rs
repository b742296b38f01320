//! Finds those of upstream's changes that a local text has already.
//!
//! Lines can often be aligned in several ways, because any blank line equals any other. A merge
//! that runs again on its own result could align them differently and take upstream's own change
//! for a change of local's. Changes that local certainly has already are therefore left out of the
//! merge.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use gix_imara_diff::Token;
use rustc_hash::FxHashMap;

use super::lines::{Lines, tokens};
use crate::differences::{AlignedRange, differences_of_tokens, places_in};
use crate::triple::Triple;

/// Returns the original with those of upstream's changes that the local text has already: local has
/// the new lines between the same two lines, and none of the old ones.
pub(crate) fn with_changes_made<'t>(texts: Triple<&'t str>) -> Cow<'t, str> {
    let lines = texts.map(|text| Lines::of(text, text.split_inclusive('\n')));
    let rows = tokens(&lines);
    let comparison = Comparison {
        indexes: rows.as_ref().map(|row| index_lines(row)),
        local_positions: LazyCell::new(|| places_in(&rows.local, &rows.updated)),
        lines: &lines,
        rows: &rows,
    };
    let mut text = String::new();
    let mut any = false;
    let differences = differences_of_tokens(&rows.original, &rows.updated);
    for AlignedRange { old, new, is_same } in differences.ranges() {
        if !is_same && comparison.has_change(old.clone(), new.clone()) {
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

/// The lines of a text, by their tokens, with the position of each line that occurs once.
type LineIndex = FxHashMap<Token, Option<u32>>;

fn index_lines(row: &[Token]) -> LineIndex {
    let mut index = LineIndex::default();
    for (place, line) in (0..).zip(row) {
        let mark_repeated = |place: &mut Option<u32>| *place = None;
        index
            .entry(*line)
            .and_modify(mark_repeated)
            .or_insert(Some(place));
    }
    index
}

struct Comparison<'l, P> {
    lines: &'l Triple<Lines<'l>>,
    rows: &'l Triple<Vec<Token>>,
    indexes: Triple<LineIndex>,
    /// For each of updated's lines, the local line that it aligns with.
    local_positions: LazyCell<Vec<Option<usize>>, P>,
}

impl<P: FnOnce() -> Vec<Option<usize>>> Comparison<'_, P> {
    /// Whether local has the change from the lines `old` of the original to the lines `new` of
    /// updated.
    fn has_change(&self, old: Range<usize>, new: Range<usize>) -> bool {
        let Triple {
            original, updated, ..
        } = self.rows;
        let of_original = (&self.lines.original, original.as_slice());
        let of_updated = (&self.lines.updated, updated.as_slice());
        let mut removed = lines_not_in(of_original, old, &self.indexes.updated).peekable();
        let mut added = lines_not_in(of_updated, new.clone(), &self.indexes.original).peekable();
        let has_removed = removed.peek().is_some();
        if removed.any(|line| self.indexes.local.contains_key(&original[line])) {
            return false;
        }
        let above = new.start.checked_sub(1);
        let first = match (added.peek(), above) {
            (Some(_), _) => added.find_map(|line| {
                let place = self.indexes.local.get(&updated[line]).copied().flatten()?;
                (place as usize).checked_sub(line - new.start)
            }),
            (None, Some(above)) if has_removed => {
                self.local_positions[above].map(|place| place + 1)
            }
            (None, None) if has_removed => Some(0),
            (None, _) => None,
        };
        first.is_some_and(|first| self.has_lines_at(first, new))
    }

    /// Whether local has these lines of updated from the line `first` on, between the same lines
    /// above and below.
    fn has_lines_at(&self, first: usize, new: Range<usize>) -> bool {
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

/// Returns the positions of the lines in a range that another text lacks, without blank ones.
fn lines_not_in<'l>(
    (lines, row): (&'l Lines<'_>, &'l [Token]),
    range: Range<usize>,
    other: &'l LineIndex,
) -> impl Iterator<Item = usize> {
    let is_blank = |at: usize| lines.text(at..at + 1).trim().is_empty();
    range.filter(move |at| !other.contains_key(&row[*at]) && !is_blank(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = "# Web\n\nInstall it.\n\n## Values\n\nNone.\n";
    const UPDATED: &str = "# Shop\n\nInstall it so.\n## Values\n\nNone.\n";

    fn original_with_changes(updated: &str, local: &str) -> String {
        with_changes_made(Triple::new(ORIGINAL, updated, local)).into_owned()
    }

    #[test]
    fn merged_changes_are_found() {
        let merged = "# Shop\n\nInstall it so.\n## Values\n\nSee the wiki.\n\nAnd ask.\n";
        assert_eq!(original_with_changes(UPDATED, merged), UPDATED);
        assert_eq!(original_with_changes(UPDATED, UPDATED), UPDATED);
        // a change that local lacks stays a change
        let both = "# Shop\n\nInstall it.\n\n## All values\n\nNone.\n";
        let one = "# Shop\n\nInstall it.\n\n## Values\n\nNone.\n";
        assert_eq!(original_with_changes(both, &format!("{one}More.\n")), one);
    }

    #[test]
    fn uncertain_changes_are_not_found() {
        assert_eq!(original_with_changes(UPDATED, ORIGINAL), ORIGINAL);
        assert_eq!(
            original_with_changes(ORIGINAL, "something else\n"),
            ORIGINAL
        );
        // local has an old line in another place
        let both = "# Web\n\n# Shop\n\nInstall it.\n\n## Values\n";
        assert_eq!(original_with_changes(UPDATED, both), ORIGINAL);
        // local has the change twice
        let twice = format!("{UPDATED}{UPDATED}");
        assert_eq!(original_with_changes(UPDATED, &twice), ORIGINAL);
        // local has the new lines between other lines
        let elsewhere = "Install it so.\n# Shop\n";
        assert_eq!(original_with_changes(UPDATED, elsewhere), ORIGINAL);
        // a change of blank lines only does not count
        let blank = "# Web\n\n\nInstall it.\n\n## Values\n\nNone.\n";
        assert_eq!(
            original_with_changes(blank, &format!("{blank}More.\n")),
            ORIGINAL
        );
    }

    #[test]
    fn removed_lines_are_found() {
        let without = "# Web\n\n## Values\n\nNone.\n";
        assert_eq!(
            original_with_changes(without, "# Web\n\n## Values\n\nSome.\n"),
            without
        );
        assert_eq!(original_with_changes(without, ORIGINAL), ORIGINAL);
    }
}
