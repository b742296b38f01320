//! Compares the line merge with `git merge-file`, which it is modelled on.
#![allow(clippy::unwrap_used)] // a failing helper fails the test

use std::fs;
use std::path::Path;
use std::process::Command;

use merge3::merge::OnConflict;
use merge3::merge::text::merge_lines;
use merge3::triple::Triple;
use pretty_assertions::assert_eq;

/// The number of generated triples.
const CASES: u64 = 800;

/// A small random generator, whose seed names a failing case.
struct Random(u64);

impl Random {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Generates a text like a config file: distinct lines, and some lines that occur again and again.
fn original(random: &mut Random) -> Vec<String> {
    (0..4 + random.below(16))
        .map(|line| any_line(random, line))
        .collect()
}

fn any_line(random: &mut Random, line: usize) -> String {
    match random.below(9) {
        0 | 1 => String::new(),
        2 => "####".to_owned(),
        _ => format!("line {line}: {}", random.below(3)),
    }
}

fn edited(lines: &[String], random: &mut Random, name: &str) -> Vec<String> {
    let mut result = lines.to_vec();
    for edit in 0..1 + random.below(3) {
        if result.is_empty() {
            break;
        }
        let at = random.below(result.len());
        // one in four edits is the same on both sides
        let author = if random.below(4) == 0 { "both" } else { name };
        match random.below(4) {
            0 => result[at] = format!("{author} changed {edit}"),
            1 => result.insert(at, format!("{author} added {edit}")),
            2 => result.insert(at, any_line(random, edit)),
            _ => {
                result.remove(at);
            }
        }
    }
    result
}

fn text(lines: &[String], random: &mut Random) -> String {
    let mut text = lines.join("\n");
    if random.below(8) != 0 && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns what `git merge-file -p` returns: the number of conflicts and the text.
fn git(folder: &Path, sides: &Triple<String>) -> (i32, String) {
    for (name, content) in [
        ("base", &sides.original),
        ("ours", &sides.local),
        ("theirs", &sides.updated),
    ] {
        fs::write(folder.join(name), content).unwrap();
    }
    let output = Command::new("git")
        .args(["merge-file", "-p", "ours", "base", "theirs"])
        .current_dir(folder)
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn agrees_with_git_merge_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut clean = 0;
    let mut conflicting = 0;
    for case in 1..=CASES {
        let mut random = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let base = original(&mut random);
        let updated = edited(&base, &mut random, "updated");
        let local = edited(&base, &mut random, "local");
        let sides = Triple::new(base, updated, local).map(|lines| text(&lines, &mut random));
        let (conflicts, expected) = git(folder.path(), &sides);
        let merge = merge_lines(sides.as_ref().map(String::as_str), OnConflict::Updated);
        assert_eq!(
            merge.hunks.is_empty(),
            conflicts == 0,
            "case {case}: {sides:#?}\ngit: {expected}"
        );
        if conflicts == 0 {
            clean += 1;
            assert_eq!(merge.text, expected, "case {case}: {sides:#?}");
        } else {
            conflicting += 1;
        }
    }
    // the test covers enough cases of both kinds
    assert!(clean > 100, "{clean} clean cases");
    assert!(conflicting > 50, "{conflicting} conflicting cases");
}
