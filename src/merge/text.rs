//! Merges texts by lines, as `git merge-file` does, for files that are not YAML (rules: Packages
//! and files).
//!
//! ```
//! use merge3::merge::{OnConflict, text::merge_lines};
//! use merge3::triple::Triple;
//!
//! let sides = Triple::new("one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\nthree\nfour\n");
//! let merged = merge_lines(sides, OnConflict::Updated);
//! assert_eq!(merged.text, "ONE\ntwo\nthree\nfour\n");
//! assert!(merged.hunks.is_empty());
//! ```

use std::cell::Cell;
use std::ops::Range;

use super::OnConflict;
use super::conflict::{Conflict, ConflictKind, ConflictTexts, Resolution};
use super::lines::AlignedLines;
use super::local_changes::with_changes_made;
use super::markers::{MarkerStyle, write_hunk};
use super::regions::regions;
use crate::triple::{Change, Triple};

/// The result of a merge by lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMerge {
    /// The merged text, each hunk resolved by the policy.
    pub text: String,
    /// The conflicts, from top to bottom.
    pub hunks: Vec<Hunk>,
}

/// Lines that both sides changed in different ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The range of lines in each text, counted from 0; empty where a side has none.
    pub lines: Triple<Range<usize>>,
    /// The text of these lines, line breaks included.
    pub texts: Triple<String>,
    /// How the conflict was resolved.
    pub resolution: Resolution,
}

impl Hunk {
    fn of(lines: Triple<Range<usize>>, texts: Triple<&str>, resolution: Resolution) -> Self {
        Self {
            lines,
            texts: texts.map(str::to_owned),
            resolution,
        }
    }

    /// Returns the hunk as a conflict of kind `text` (rules: Conflicts) at its first local line.
    pub fn into_conflict(self) -> Conflict {
        Conflict {
            texts: ConflictTexts::new(
                "",
                &self.texts.map(|it| Some(it).filter(|it| !it.is_empty())),
            ),
            kind: ConflictKind::Text,
            line: self.lines.local.start,
            resolution: self.resolution,
            rule: None,
        }
    }
}

/// Merges three texts line by line, as `git merge-file` does.
///
/// A line is compared with its line break, so CRLF and a missing newline at the end are kept and
/// count as changes. The result has changes that only one side made or that both made alike.
/// Changes that overlap or touch (no unchanged line between them) are a hunk: the result has
/// updated's lines under [`OnConflict::Updated`] and [`OnConflict::Fail`], local's under
/// [`OnConflict::Local`], and both between conflict markers under [`OnConflict::Markers`].
pub fn merge_lines(sides: Triple<&str>, on_conflict: OnConflict) -> LineMerge {
    merge_lines_with(sides, on_conflict.resolution(), &MarkerStyle::default())
}

/// [`merge_lines`] with the resolution of hunks and a style of conflict markers.
pub fn merge_lines_with(
    sides: Triple<&str>,
    resolution: Resolution,
    markers: &MarkerStyle,
) -> LineMerge {
    let aligned = AlignedLines::of(sides);
    merge_aligned(&aligned, resolution, markers)
}

/// [`merge_lines_with`] without those of upstream's changes that local has already.
pub(crate) fn merge_new_lines_with(
    sides: Triple<&str>,
    resolution: Resolution,
    markers: &MarkerStyle,
) -> LineMerge {
    let aligned = AlignedLines::of(sides);
    match with_changes_made(&aligned) {
        Some(original) => {
            let original = original.as_str();
            merge_lines_with(Triple { original, ..sides }, resolution, markers)
        }
        None => merge_aligned(&aligned, resolution, markers),
    }
}

/// The result of a merge of the lines of one value.
pub(super) struct ValueLines {
    /// The merged text, with updated's lines in each hunk.
    pub(super) updated: String,
    /// The merged text with local's lines in each hunk; `None` if there is no hunk.
    pub(super) local: Option<String>,
}

/// [`merge_lines`] for the lines of one value. A hunk in which one side made the other's change and
/// more is not a conflict, because the lines of a value do not depend on their neighbours.
pub(super) fn merge_value_lines(sides: Triple<&str>) -> ValueLines {
    let (aligned, markers) = (AlignedLines::of(sides), MarkerStyle::default());
    let has_hunk = Cell::new(false);
    let merge = |resolution| {
        let on_hunk = |_, _: Triple<&str>| {
            has_hunk.set(true);
            true
        };
        merge_regions(&aligned, resolution, &markers, including_side, on_hunk)
    };
    let updated = merge(Resolution::Updated);
    let local = has_hunk.get().then(|| merge(Resolution::Local));
    ValueLines { updated, local }
}

/// Returns the side whose change of a hunk includes the other side's: the other side changed only
/// lines at the start or end of the hunk, which both have, and left the rest as in the original.
fn including_side(texts: &Triple<&str>) -> Option<Resolution> {
    let lines = texts
        .as_ref()
        .map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    if contains(&lines.original, &lines.local, &lines.updated) {
        Some(Resolution::Local)
    } else if contains(&lines.original, &lines.updated, &lines.local) {
        Some(Resolution::Updated)
    } else {
        None
    }
}

/// Whether the change from the original to `larger` includes that to `smaller`.
fn contains(original: &[&str], larger: &[&str], smaller: &[&str]) -> bool {
    let shortest = larger.len().min(smaller.len());
    let same = |(left, right): &(&&str, &&str)| left == right;
    let shared = larger.iter().zip(smaller).take_while(same).count();
    let backwards = larger.iter().rev().zip(smaller.iter().rev());
    let after = backwards.take(shortest - shared).take_while(same).count();
    let rest = &smaller[shared..smaller.len() - after];
    if rest == original {
        // apart from the lines that both have, the smaller change is none
        return shared + after > 0;
    }
    if rest.is_empty() || rest.len() >= original.len() {
        return false;
    }
    match (shared, after) {
        (0, 0) => false,
        (_, 0) => original.ends_with(rest),
        (0, _) => original.starts_with(rest),
        _ => original[1..original.len() - 1]
            .windows(rest.len())
            .any(|lines| lines == rest),
    }
}

/// A merge by lines, of which only a result without hunks is of use.
pub(crate) struct CleanLines {
    /// The merged text if there is no hunk; else the first hunks.
    pub(crate) merged: Result<String, Vec<Hunk>>,
    /// If there is a hunk: the text merged without those of upstream's changes that local has
    /// already, if that leaves no hunk.
    pub(crate) without_known_changes: Option<String>,
}

/// Merges three texts line by line; of the hunks, returns at most `most`. Calls `on_hunks` as soon
/// as it finds that there are some.
pub(crate) fn merge_clean_lines(
    sides: Triple<&str>,
    most: usize,
    on_hunks: impl FnOnce(),
) -> CleanLines {
    let merge = |aligned: &AlignedLines<'_>, most| {
        let (mut hunks, mut is_clean) = (Vec::new(), true);
        let on_hunk = |lines, texts: Triple<&str>| {
            is_clean = false;
            if hunks.len() < most {
                hunks.push(Hunk::of(lines, texts, Resolution::Local));
            }
            hunks.len() < most
        };
        let markers = MarkerStyle::default();
        let text = merge_regions(aligned, Resolution::Local, &markers, |_| None, on_hunk);
        if is_clean { Ok(text) } else { Err(hunks) }
    };
    let aligned = AlignedLines::of(sides);
    let merged = merge(&aligned, most);
    let without_known_changes = || {
        on_hunks();
        let original = with_changes_made(&aligned)?;
        drop(aligned);
        let original = original.as_str();
        merge(&AlignedLines::of(Triple { original, ..sides }), 0).ok()
    };
    CleanLines {
        without_known_changes: merged.is_err().then(without_known_changes).flatten(),
        merged,
    }
}

/// Merges three texts line by line.
fn merge_aligned(
    aligned: &AlignedLines<'_>,
    resolution: Resolution,
    markers: &MarkerStyle,
) -> LineMerge {
    let mut hunks = Vec::new();
    let on_hunk = |lines, texts: Triple<&str>| {
        hunks.push(Hunk::of(lines, texts, resolution));
        true
    };
    let text = merge_regions(aligned, resolution, markers, |_| None, on_hunk);
    LineMerge { text, hunks }
}

/// Merges three texts line by line. `settle` may resolve a hunk, which is then not a conflict.
/// `on_hunk` gets the lines and texts of each other hunk, and returns whether to go on.
fn merge_regions(
    aligned: &AlignedLines<'_>,
    resolution: Resolution,
    markers: &MarkerStyle,
    settle: impl Fn(&Triple<&str>) -> Option<Resolution>,
    mut on_hunk: impl FnMut(Triple<Range<usize>>, Triple<&str>) -> bool,
) -> String {
    let lines = &aligned.lines;
    let mut text = String::with_capacity(lines.local.whole.len());
    for region in regions(aligned) {
        let texts = lines.as_ref().zip(region.lines.clone());
        let texts = texts.map(|(lines, range)| lines.text(range));
        let settled = match region.change {
            Change::Upstream => Some(Resolution::Updated),
            Change::BothDiffer => settle(&texts),
            _ => Some(Resolution::Local),
        };
        match settled.unwrap_or(resolution) {
            Resolution::Updated => text.push_str(texts.updated),
            Resolution::Local | Resolution::Open => text.push_str(texts.local),
            Resolution::Markers => write_hunk(&mut text, texts, markers),
        }
        if settled.is_none() && !on_hunk(region.lines, texts) {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(original: &str, updated: &str, local: &str) -> LineMerge {
        merge_lines(Triple::new(original, updated, local), OnConflict::Updated)
    }

    #[test]
    fn changes_that_touch_are_a_hunk() {
        let merge = merged("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n");
        assert_eq!(merge.text, "A\nb\nc\n");
        assert_eq!(merge.hunks.len(), 1);
        assert_eq!(merge.hunks[0].lines.local, 0..2);
        assert_eq!(merge.hunks[0].texts.local, "a\nB\n");
    }

    #[test]
    fn the_policy_chooses_the_side_of_a_hunk() {
        let sides = Triple::new("a\nb\n", "a\nU\n", "a\nD\n");
        let local = merge_lines(sides, OnConflict::Local);
        assert_eq!(local.text, "a\nD\n");
        assert_eq!(local.hunks[0].resolution, Resolution::Local);
        assert_eq!(merge_lines(sides, OnConflict::Fail).text, "a\nU\n");
    }

    #[test]
    fn a_change_that_contains_the_others_is_no_conflict_within_a_value() {
        let merged = |original: &str, updated: &str, local: &str| {
            let merge = merge_value_lines(Triple::new(original, updated, local));
            merge.local.is_none().then_some(merge.updated)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(merged("a\nb\n", "A\nb\n", "A\nB\n"), text("A\nB\n"));
        assert_eq!(merged("a\nb\n", "A\nB\n", "a\nB\n"), text("A\nB\n"));
        assert_eq!(
            merged("a\nb\nc\n", "A\nb\nC\n", "A\nB\nC\n"),
            text("A\nB\nC\n")
        );
        assert_eq!(merged("a\nb\n", "b\n", "c\n"), None);
        assert_eq!(merged("a\n", "A\n", "A\nB\n"), None);
        assert_eq!(merged("a\nb\n", "A\nb\n", "C\nB\n"), None);
    }

    #[test]
    fn a_missing_newline_and_crlf_are_kept() {
        assert_eq!(merged("a\nb\nc", "A\nb\nc", "a\nb\nc").text, "A\nb\nc");
        assert_eq!(
            merged("a\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nc\r\n").text,
            "A\r\nb\r\nC\r\n"
        );
    }

    #[test]
    fn a_hunk_is_a_conflict_at_its_first_local_line() {
        let merge = merged("a\nb\n", "a\nU\n", "a\n");
        let conflict = merge.hunks[0].clone().into_conflict();
        assert_eq!(conflict.kind, ConflictKind::Text);
        assert_eq!(conflict.line, 1);
        assert_eq!(
            conflict.values(),
            Triple::new(Some("b\n"), Some("U\n"), None)
        );
    }
}
