//! Finds those of upstream's changes that a local text has already.
//!
//! Lines can often be aligned in several ways, because any blank line equals any other. A merge
//! that runs again on its own result could align them differently and take upstream's own change
//! for a change of local's. Changes that local certainly has already are therefore left out of the
//! merge.

use std::cell::OnceCell;
use std::hash::BuildHasher as _;
use std::ops::Range;

use gix_imara_diff::Token;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::lines::{AlignedLines, Lines};
use crate::differences::{AlignedRange, places_in};
use crate::triple::Triple;
use crate::white_space::{is_white_space, trimmed};

/// Returns the original with those of upstream's changes that the local text has already: local has
/// the new lines between the same two lines, and none of the old ones. `None` if local has no such
/// change.
pub(super) fn with_changes_made(aligned: &AlignedLines<'_>) -> Option<String> {
    let lines = &aligned.lines;
    let comparison = Comparison {
        counts: aligned.rows().map(LineCounts::of),
        local_texts: OnceCell::new(),
        local_positions: OnceCell::new(),
        lines,
    };
    let mut text = String::new();
    let mut any = false;
    for AlignedRange { old, new, is_same } in aligned.to_updated.ranges() {
        if !is_same && comparison.has_change(old.clone(), new.clone()) {
            any = true;
            text.push_str(lines.updated.text(new));
        } else {
            text.push_str(lines.original.text(old));
        }
    }
    any.then_some(text)
}

/// How often a text has each line, by the number of its token.
struct LineCounts(Vec<u32>);

impl LineCounts {
    fn of(row: &[Token]) -> Self {
        let count = row.iter().map(|line| line.0 as usize + 1).max();
        let mut counts = vec![0; count.unwrap_or(0)];
        for line in row {
            counts[line.0 as usize] += 1;
        }
        Self(counts)
    }

    fn count(&self, line: Token) -> u32 {
        self.0.get(line.0 as usize).copied().unwrap_or(0)
    }
}

struct Comparison<'l> {
    lines: &'l Triple<Lines<'l>>,
    counts: Triple<LineCounts>,
    /// Local's lines by their texts, without the white space around them.
    local_texts: OnceCell<HashTable<u32>>,
    /// For each of updated's lines, the local line that it aligns with. Most texts do not need it.
    local_positions: OnceCell<Vec<Option<u32>>>,
}

impl Comparison<'_> {
    /// Whether local has the change from the lines `old` of the original to the lines `new` of
    /// updated. A change of blank lines only does not count, and lines that local has several times
    /// do not show which of them the change is.
    fn has_change(&self, old: Range<usize>, new: Range<usize>) -> bool {
        let removed = lines_not_in(&self.lines.original, old, &self.counts.updated);
        let added = lines_not_in(&self.lines.updated, new.clone(), &self.counts.original);
        let is_once_in_local = |line: &usize| {
            let line = self.lines.updated.tokens[*line];
            self.counts.local.count(line) == 1
        };
        let has_place = match added.is_empty() {
            true => !removed.is_empty(),
            false => added.iter().any(is_once_in_local),
        };
        has_place && !removed.into_iter().any(|line| self.is_in_local(line)) && self.has_lines(new)
    }

    /// Whether local has a line of the original, in any indentation.
    fn is_in_local(&self, line: usize) -> bool {
        let hash = |text: &str| FxBuildHasher.hash_one(text);
        let text_of = |line: &u32| trimmed(self.lines.local.text_of(*line as usize));
        let texts = self.local_texts.get_or_init(|| {
            let mut texts = HashTable::new();
            for line in 0..self.lines.local.tokens.len() as u32 {
                let text = text_of(&line);
                let is_same = |other: &u32| text_of(other) == text;
                let known = texts.entry(hash(text), is_same, |line| hash(text_of(line)));
                known.or_insert(line);
            }
            texts
        });
        let text = trimmed(self.lines.original.text_of(line));
        let is_same = |other: &u32| text_of(other) == text;
        texts.find(hash(text), is_same).is_some()
    }

    /// Whether local has these lines of updated between the same lines above and below.
    fn has_lines(&self, new: Range<usize>) -> bool {
        let [updated, local] = [&self.lines.updated.tokens, &self.lines.local.tokens];
        let aligned = || places_in(local, updated);
        let position = |line: usize| self.local_positions.get_or_init(aligned)[line];
        let above = new.start.checked_sub(1);
        let first = above.map_or(Some(0), |above| Some(position(above)? as usize + 1));
        first.is_some_and(|first| {
            let end = first + new.len();
            local.get(first..end) == updated.get(new.clone())
                && local.get(end) == updated.get(new.end)
        })
    }
}

/// Returns the lines in a range that another text lacks, without blank ones.
fn lines_not_in(lines: &Lines<'_>, range: Range<usize>, other: &LineCounts) -> Vec<usize> {
    let is_blank = |at: usize| is_white_space(lines.text_of(at));
    range
        .filter(|at| other.count(lines.tokens[*at]) == 0 && !is_blank(*at))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = "# Web\n\nInstall it.\n\n## Values\n\nNone.\n";
    const UPDATED: &str = "# Shop\n\nInstall it so.\n## Values\n\nNone.\n";

    fn original_with_changes(updated: &str, local: &str) -> String {
        let aligned = AlignedLines::of(Triple::new(ORIGINAL, updated, local));
        with_changes_made(&aligned).unwrap_or_else(|| ORIGINAL.to_owned())
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
