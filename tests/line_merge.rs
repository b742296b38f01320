//! The line merge against the one it is modelled on: `git merge-file`.
#![allow(clippy::unwrap_used)] // helpers of tests may

use std::fs;
use std::path::Path;
use std::process::Command;

use merge3::merge::OnConflict;
use merge3::merge::text::merge_lines;
use merge3::triple::Triple;
use pretty_assertions::assert_eq;

/// How many generated triples are compared.
const CASES: u64 = 800;

/// A small generator of its own, so that a failing case can be named by its number.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// A text in the way of a config file: lines that are told apart, and among them some that occur
/// again and again.
fn original(dice: &mut Dice) -> Vec<String> {
    (0..4 + dice.roll(16))
        .map(|line| any_line(dice, line))
        .collect()
}

fn any_line(dice: &mut Dice, line: usize) -> String {
    match dice.roll(9) {
        0 | 1 => String::new(),
        2 => "####".to_owned(),
        _ => format!("line {line}: {}", dice.roll(3)),
    }
}

fn edited(lines: &[String], dice: &mut Dice, name: &str) -> Vec<String> {
    let mut result = lines.to_vec();
    for edit in 0..1 + dice.roll(3) {
        if result.is_empty() {
            break;
        }
        let at = dice.roll(result.len());
        // one in four edits is the same on both sides
        let author = if dice.roll(4) == 0 { "both" } else { name };
        match dice.roll(4) {
            0 => result[at] = format!("{author} changed {edit}"),
            1 => result.insert(at, format!("{author} added {edit}")),
            2 => result.insert(at, any_line(dice, edit)),
            _ => {
                result.remove(at);
            }
        }
    }
    result
}

fn text(lines: &[String], dice: &mut Dice) -> String {
    let mut text = lines.join("\n");
    if dice.roll(8) != 0 && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// What `git merge-file -p` says: how many conflicts, and the text.
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
        let mut dice = Dice(case.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let base = original(&mut dice);
        let updated = edited(&base, &mut dice, "updated");
        let local = edited(&base, &mut dice, "local");
        let sides = Triple::new(base, updated, local).map(|lines| text(&lines, &mut dice));
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
    // both sorts of case are there in numbers
    assert!(clean > 100, "{clean} clean cases");
    assert!(conflicting > 50, "{conflicting} conflicting cases");
}
