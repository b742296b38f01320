//! Formats a failure: the texts one below the other, with invisible characters made visible.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The number of failures that are shown by name.
const NAMED: usize = 20;
const NAMES: [&str; 5] = ["original", "updated", "local", "expected", "merged"];

/// Formats the smallest of many failures, each with its name and its five texts.
pub fn shown(wrong: &[(String, [String; 5])], count: usize) -> String {
    let mut smallest: Vec<_> = wrong.iter().collect();
    smallest.sort_by_key(|(_, texts)| texts.iter().map(String::len).sum::<usize>());
    let mut out = String::new();
    for (name, texts) in smallest.into_iter().take(count) {
        let _ = writeln!(out, "==== {name}");
        for (name, text) in NAMES.into_iter().zip(texts) {
            out.push_str(&part(name, text));
        }
    }
    let mut names: Vec<&str> = wrong.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let _ = writeln!(
        out,
        "==== the first of {} kinds\n{}",
        names.len(),
        names[..names.len().min(NAMED)].join("\n")
    );
    out
}

/// Formats a text below its name. Trailing spaces, CR and a missing line break at the end are made
/// visible.
pub fn part(name: &str, text: &str) -> String {
    let mut out = format!("-- {name}\n");
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n').replace('\r', "␍");
        let words = content.trim_end_matches(' ');
        out.push_str(words);
        out.push_str(&"·".repeat(content.len() - words.len()));
        out.push_str(if line.ends_with('\n') {
            "\n"
        } else {
            "⏎ (no line break at the end)\n"
        });
    }
    out
}

/// Whether indentation counts when the results of two merges are compared. If upstream's
/// indentation differs from the original's, an inserted entry may get local's indentation and
/// differ from the original's entry in the second merge.
pub struct Depth(bool);

impl Depth {
    pub fn of(original: &str, updated: &str) -> Self {
        let widths = |text: &str| -> BTreeSet<usize> {
            let lines = text.lines();
            lines
                .map(|line| line.len() - line.trim_start().len())
                .collect()
        };
        Self(widths(original) == widths(updated))
    }

    pub fn lines(&self, text: &str) -> Vec<String> {
        let lines = text.lines();
        lines
            .map(|line| match self.0 {
                true => line.to_owned(),
                false => without_indentation(line),
            })
            .collect()
    }
}

/// Returns a line without leading spaces, and with a single space after each of its leading dashes.
fn without_indentation(line: &str) -> String {
    let mut rest = line.trim_start();
    let mut dashes = String::new();
    while let Some(below) = rest.strip_prefix("- ") {
        dashes.push_str("- ");
        rest = below.trim_start();
    }
    dashes + rest
}

/// Returns the kind of difference between two texts, or None if they are equal.
pub fn difference(one: &[String], other: &[String]) -> Option<&'static str> {
    let sorted = |lines: &[String], counts: fn(&str) -> bool| {
        let lines = lines.iter().map(|line| line.trim());
        let mut lines: Vec<String> = lines.filter(|it| counts(it)).map(String::from).collect();
        lines.sort_unstable();
        lines
    };
    let differs = |counts| sorted(one, counts) != sorted(other, counts);
    let is_blank = |line: &str| line.is_empty();
    let is_comment = |line: &str| line.starts_with('#');
    let is_entry = |line: &str| !line.is_empty() && !line.starts_with('#');
    match () {
        () if one == other => None,
        () if differs(is_entry) => Some("entries"),
        () if differs(is_comment) => Some("comments"),
        () if differs(is_blank) => Some("blank lines"),
        () => Some("the order of lines"),
    }
}
