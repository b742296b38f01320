//! Writes conflict markers on whole lines, as `git merge-file` does (rules: Conflict markers).

use std::ops::Range;

use crate::differences::{AlignedRange, differences_of_lines, places_in};
use crate::line_breaks::line_break_of;
use crate::triple::{Change, Triple};

/// The default number of characters of a conflict marker.
pub const MARKER_SIZE: usize = 7;

/// The style of conflict markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkerStyle {
    /// The number of characters of a marker.
    pub size: usize,
    /// The label behind the marker of each side; an empty one is left out.
    pub labels: Triple<String>,
    /// The sides between the markers; `None` follows git's configuration in a merge for git, and is
    /// the default elsewhere.
    pub conflict_style: Option<ConflictStyle>,
}

/// Which sides are between conflict markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ConflictStyle {
    /// Local and updated.
    #[default]
    Merge,
    /// Local, original and updated.
    Diff3,
    /// As diff3, without the lines that local and updated share at either end.
    Zdiff3,
}

impl Default for MarkerStyle {
    fn default() -> Self {
        Self {
            size: MARKER_SIZE,
            labels: Triple::default(),
            conflict_style: None,
        }
    }
}

/// Joins a local and an updated text into one: lines that differ are between markers, all others
/// occur once. If the style has the original, its lines in that place are between the markers too.
///
/// ```
/// use merge3::merge::markers::{MarkerStyle, mark};
/// use merge3::triple::Triple;
///
/// let marked = mark(Triple::new("a: 1\nb: 1\n", "a: 3\nb: 2\n", "a: 2\nb: 2\n"), &MarkerStyle::default());
/// assert_eq!(marked, "<<<<<<<\na: 2\n=======\na: 3\n>>>>>>>\nb: 2\n");
/// ```
pub fn mark(texts: Triple<&str>, style: &MarkerStyle) -> String {
    fill(texts, |result, hunk| write_hunk(result, hunk, style))
}

/// Like [`mark`], with one pair of markers around all lines from the first that differs to the
/// last.
pub(super) fn mark_once(texts: Triple<&str>, style: &MarkerStyle) -> String {
    let mut result = String::with_capacity(texts.local.len() * 2);
    for part in parts(texts, usize::MAX) {
        match part.local == part.updated {
            true => result.push_str(&part.local),
            false => write_hunk(&mut result, part.as_ref().map(String::as_str), style),
        }
    }
    result
}

/// Joins a local and an updated text into one. `write` writes the lines that both sides changed and
/// that differ.
pub(super) fn fill(texts: Triple<&str>, write: impl Fn(&mut String, Triple<&str>)) -> String {
    let mut result = String::with_capacity(texts.local.len() * 2);
    for part in parts(texts, 0) {
        match part.change() {
            Change::BothDiffer => write(&mut result, part.as_ref().map(String::as_str)),
            Change::Upstream => result.push_str(&part.updated),
            _ => result.push_str(&part.local),
        }
    }
    result
}

/// Cuts a local and an updated text into parts that are the same in both, of which the original's
/// side is empty, and parts that differ, with the original's lines in that place. Parts that differ
/// are one if no more than `most_between` lines are between them.
pub(super) fn parts(
    texts: Triple<&str>,
    most_between: usize,
) -> impl Iterator<Item = Triple<String>> {
    let lines = lines_of(texts);
    let originals = places_in(&lines.original, &lines.local);
    let differences = differences_of_lines(&lines.local, &lines.updated);
    let mut ranges: Vec<AlignedRange> = Vec::new();
    for range in differences.ranges() {
        if let [.., above, between] = &mut ranges[..]
            && !range.is_same
            && between.old.len() <= most_between
        {
            above.old.end = range.old.end;
            above.new.end = range.new.end;
            ranges.pop();
        } else {
            ranges.push(range);
        }
    }
    ranges.into_iter().map(move |range| match range.is_same {
        true => {
            let same = lines.local[range.old].concat();
            Triple::new(String::new(), same.clone(), same)
        }
        false => hunk_at(&lines, &originals, range.old, range.new),
    })
}

fn lines_of(texts: Triple<&str>) -> Triple<Vec<&str>> {
    texts.map(|text| text.split_inclusive('\n').collect())
}

/// Returns the lines of each side where local and updated differ.
fn hunk_at(
    lines: &Triple<Vec<&str>>,
    originals: &[Option<u32>],
    local: Range<usize>,
    updated: Range<usize>,
) -> Triple<String> {
    let original = original_range(lines, originals, local.clone());
    Triple::new(
        lines.original[original].concat(),
        lines.updated[updated].concat(),
        lines.local[local].concat(),
    )
}

/// Writes the lines of a conflict between markers.
pub fn write_hunk(result: &mut String, lines: Triple<&str>, style: &MarkerStyle) {
    let line_break = line_break_of(if lines.local.is_empty() {
        lines.updated
    } else {
        lines.local
    });
    let mut marker = |sign: char, label: &str, lines: &str| {
        (0..style.size).for_each(|_| result.push(sign));
        if !label.is_empty() {
            result.push(' ');
            result.push_str(label);
        }
        result.push_str(line_break);
        result.push_str(lines);
        if !lines.is_empty() && !lines.ends_with('\n') {
            result.push_str(line_break);
        }
    };
    marker('<', &style.labels.local, lines.local);
    if style.conflict_style.unwrap_or_default() != ConflictStyle::Merge {
        marker('|', &style.labels.original, lines.original);
    }
    marker('=', "", lines.updated);
    marker('>', &style.labels.updated, "");
}

/// Returns the original's lines in the place of a range of local's: those between the lines that
/// surround the range. A changed line next to the range counts as the original's line with its key.
fn original_range(
    lines: &Triple<Vec<&str>>,
    originals: &[Option<u32>],
    local: Range<usize>,
) -> Range<usize> {
    let before = (0..local.start)
        .rev()
        .find(|line| originals[*line].is_some());
    let after = (local.end..originals.len()).find(|line| originals[*line].is_some());
    let mut start = before
        .and_then(|line| originals[line])
        .map_or(0, |line| line as usize + 1);
    let mut end = after
        .and_then(|line| originals[line])
        .map_or(lines.original.len(), |line| line as usize)
        .max(start);
    let same_key = |original: usize, local: usize| {
        let key = key_of(lines.original[original]);
        key.is_some() && key == key_of(lines.local[local])
    };
    for line in before.map_or(0, |line| line + 1)..local.start {
        if start < end && same_key(start, line) {
            start += 1;
        }
    }
    for line in (local.end..after.unwrap_or(originals.len())).rev() {
        if start < end && same_key(end - 1, line) {
            end -= 1;
        }
    }
    start..end
}

/// Returns the key of the field on a line, with its indentation.
fn key_of(line: &str) -> Option<&str> {
    line.split_once(": ").map(|(key, _)| key)
}
