//! The conflicts that a run reported, against those that the case expects.

use std::fmt::Write as _;

use crate::case::{Case, Ran};

/// The kinds of SPEC 8.
const KINDS: [&str; 8] = [
    "both-changed",
    "both-added",
    "deleted-locally",
    "deleted-upstream",
    "kind-changed",
    "order",
    "text",
    "binary",
];

/// What is wrong with the reported conflicts; empty when they are the expected ones.
pub(crate) fn difference(case: &Case, ran: &Ran) -> String {
    let mut reported: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| is_conflict(line))
        .collect();
    let mut out = String::new();
    for expected in &case.conflicts {
        match reported.iter().position(|line| says(line, expected)) {
            Some(at) => {
                reported.remove(at);
            }
            None => {
                let _ = writeln!(out, "conflict not reported: {expected}");
            }
        }
    }
    for line in reported {
        let _ = writeln!(out, "conflict not expected: {line}");
    }
    out
}

fn is_conflict(line: &str) -> bool {
    KINDS.iter().any(|kind| has_word(line, kind))
}

/// Whether a line of the summary tells of the conflict `FILE PATH KIND RESOLUTION` (PATH is `-` for a whole document).
fn says(line: &str, expected: &str) -> bool {
    let Some((file, rest)) = expected.split_once(' ') else {
        return false;
    };
    let Some((rest, resolution)) = rest.rsplit_once(' ') else {
        return false;
    };
    let Some((path, kind)) = rest.rsplit_once(' ') else {
        return false;
    };
    has_word(line, file)
        && (path == "-" || has_word(line, path))
        && has_word(line, kind)
        && has_word(line, resolution)
}

/// Whether `word` stands in `line` and is no part of a longer word or path.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_word =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '[' | ']' | '.');
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(part_of_word) && !line[at + word.len()..].starts_with(part_of_word)
    })
}
