//! How a failure is shown: the texts one below the other, with what cannot be seen made visible.

use std::fmt::Write as _;

/// How many failures are named.
const NAMED: usize = 20;
const NAMES: [&str; 5] = ["original", "updated", "local", "expected", "merged"];

/// The smallest of many failures, each with its name and the five texts.
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

/// A text below its name; spaces at the end of a line, CR, and a missing line break at the end can be seen.
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
