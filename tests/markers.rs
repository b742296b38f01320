//! Tests `--on-conflict markers` (rules: Conflict markers): taking one side of every hunk gives the
//! values of that side.
#![allow(clippy::unwrap_used)] // a failing helper fails the test

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use merge3::yaml::{Tree, equal, stream::split};
use pretty_assertions::assert_eq;

#[path = "support/cases.rs"]
mod cases;

use cases::folders;

/// A package in memory.
type Files = BTreeMap<PathBuf, Vec<u8>>;

#[derive(Clone, Copy)]
enum Side {
    Local,
    Updated,
}

/// Takes one side of every hunk. Panics if the markers are not in order.
fn resolved(text: &str, side: Side) -> String {
    let mut result = String::new();
    let mut within = None;
    for line in text.split_inclusive('\n') {
        within = match (within, line.get(..7)) {
            (None, Some("<<<<<<<")) => Some('<'),
            (Some('<'), Some("|||||||")) => Some('|'),
            (Some('<' | '|'), Some("=======")) => Some('='),
            (Some('='), Some(">>>>>>>")) => None,
            (_, Some("<<<<<<<" | "=======" | ">>>>>>>")) => {
                panic!("markers in the wrong order:\n{text}")
            }
            (now, _) => {
                let taken = matches!(
                    (now, side),
                    (None, _) | (Some('<'), Side::Local) | (Some('='), Side::Updated)
                );
                if taken {
                    result.push_str(line);
                }
                now
            }
        };
    }
    assert_eq!(within, None, "a hunk without an end marker:\n{text}");
    result
}

/// Returns the merged files of a case, run with these arguments. With a side, the markers are
/// resolved to it.
fn merged(case: &Path, arguments: &[String], side: Option<Side>) -> Files {
    let folder = tempfile::tempdir().unwrap();
    for side in ["original", "updated", "local"] {
        copy(&case.join(side), &folder.path().join(side));
    }
    let output = Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args([
            "--ancestor",
            "original",
            "--from",
            "updated",
            "--to",
            "local",
        ])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_ne!(
        output.status.code(),
        Some(2),
        "{}: {}",
        case.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let mut files = read(&folder.path().join("local"));
    if let Some(side) = side {
        assert_eq!(output.status.code(), Some(1), "{}", case.display());
        for bytes in files.values_mut() {
            if let Ok(text) = std::str::from_utf8(bytes) {
                *bytes = resolved(text, side).into_bytes();
            }
        }
    }
    files
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (path, bytes) in read(from) {
        fs::create_dir_all(to.join(&path).parent().unwrap()).unwrap();
        fs::write(to.join(path), bytes).unwrap();
    }
}

fn read(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Whether two files have the same documents. Files that are not YAML are compared by bytes.
fn same(left: &[u8], right: &[u8]) -> bool {
    if left == right {
        return true;
    }
    let (Ok(left), Ok(right)) = (std::str::from_utf8(left), std::str::from_utf8(right)) else {
        return false;
    };
    let (Some(left), Some(right)) = (trees(left), trees(right)) else {
        return false;
    };
    left.len() == right.len()
        && left
            .iter()
            .zip(&right)
            .all(|(left, right)| equal(left, left.root().value, right, right.root().value))
}

fn trees(text: &str) -> Option<Vec<Tree<'_>>> {
    let documents = split(text);
    let trees: Result<Vec<_>, _> = documents
        .iter()
        .map(|document| Tree::parse(document.text))
        .collect();
    Some(trees.ok()?.into_iter().flatten().collect())
}

/// Lists the files that differ. A file without content counts as missing, because taking the side
/// that deleted it leaves it empty.
fn differences(is: &Files, should: &Files) -> Vec<String> {
    let nothing = Vec::new();
    let content = |files: &Files, path: &PathBuf| files.get(path).unwrap_or(&nothing).clone();
    let paths: std::collections::BTreeSet<&PathBuf> = is.keys().chain(should.keys()).collect();
    paths
        .into_iter()
        .filter(|path| !same(&content(is, path), &content(should, path)))
        .map(|path| {
            format!(
                "{}:\n{}-- instead of\n{}",
                path.display(),
                String::from_utf8_lossy(&content(is, path)),
                String::from_utf8_lossy(&content(should, path))
            )
        })
        .collect()
}

/// Returns the cases that have conflicts, with their arguments other than `--on-conflict`.
fn cases() -> Vec<(PathBuf, Vec<String>, String)> {
    let mut cases = Vec::new();
    for case in folders() {
        let status = fs::read_to_string(case.join("status")).unwrap_or_default();
        let Ok(conflicts) = fs::read_to_string(case.join("conflicts")) else {
            continue;
        };
        // a rule of `.merge3.yaml` decides without markers
        if status.trim() == "2" || case.join("local/.merge3.yaml").exists() {
            continue;
        }
        let arguments = fs::read_to_string(case.join("arguments")).unwrap_or_default();
        let arguments = arguments
            .lines()
            .filter(|argument| !argument.starts_with("--on-conflict"))
            .map(str::to_owned)
            .collect();
        cases.push((case, arguments, conflicts));
    }
    assert!(cases.len() > 40, "{} cases have conflicts", cases.len());
    cases.sort();
    cases
}

fn with_policy(arguments: &[String], policy: &str) -> Vec<String> {
    let mut arguments = arguments.to_vec();
    arguments.push(format!("--on-conflict={policy}"));
    arguments
}

/// Whether the rules settle some of these conflicts for local under every policy, so that taking
/// upstream's side of the markers changes more than a policy does: lists that both sides reordered,
/// local nulls, and what local added to a value that upstream deleted.
fn rules_keep_local(conflicts: &str) -> bool {
    conflicts
        .lines()
        .any(|line| line.ends_with(" local") && !line.contains("(comment)"))
        // binary files get no markers
        || conflicts.contains(" binary ")
        // a document that local deleted stays deleted, but can be taken from between markers
        || conflicts.contains(" - deleted-locally ")
}

#[test]
fn one_side_of_every_hunk_is_what_that_sides_policy_gives() {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (case, arguments, conflicts) in cases() {
        for style in ["merge", "diff3", "zdiff3"] {
            let mut markers = with_policy(&arguments, "markers");
            markers.push(format!("--conflict-style={style}"));
            let ours = merged(&case, &markers, Some(Side::Local));
            let theirs = merged(&case, &markers, Some(Side::Updated));
            for (is, policy) in [(ours, "local"), (theirs, "updated")] {
                if policy == "updated" && rules_keep_local(&conflicts) {
                    continue;
                }
                compared += 1;
                let should = merged(&case, &with_policy(&arguments, policy), None);
                for difference in differences(&is, &should) {
                    problems.push(format!(
                        "== {} {style} {policy}: {difference}",
                        case.file_name().unwrap().display()
                    ));
                }
            }
        }
    }
    assert!(compared > 200, "{compared}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Runs the merge on one file of each side with these arguments, and returns the local file.
fn one_file(texts: [&str; 3], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in ["original.yaml", "updated.yaml", "local.yaml"]
        .iter()
        .zip(texts)
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args([
            "--ancestor",
            "original.yaml",
            "--from",
            "updated.yaml",
            "--to",
            "local.yaml",
        ])
        .arg("--on-conflict=markers")
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    fs::read_to_string(folder.path().join("local.yaml")).unwrap()
}

#[test]
fn markers_stand_around_the_fewest_lines() {
    let text = |image: &str, level: &str, ports: &str| {
        format!(
            "image: {image}\nargs: [--level, {level},\n  --verbose]\nports:\n- name: web # {ports}\n  port: 80\nscript: |\n  one\n  {level}\n  three\nend: 1\n"
        )
    };
    let result = one_file(
        [
            &text("app:1", "info", "a"),
            &text("app:2", "warn", "b"),
            &text("app:3", "debug", "c"),
        ],
        &["-L", "ours", "-L", "base", "-L", "theirs"],
    );
    assert_eq!(
        result,
        "<<<<<<< ours\nimage: app:3\nargs: [--level, debug,\n=======\nimage: app:2\nargs: [--level, warn,\n>>>>>>> theirs\n  --verbose]\nports:\n\
         <<<<<<< ours\n- name: web # c\n=======\n- name: web # b\n>>>>>>> theirs\n  port: 80\nscript: |\n  one\n\
         <<<<<<< ours\n  debug\n=======\n  warn\n>>>>>>> theirs\n  three\nend: 1\n"
    );
}

#[test]
fn the_look_of_markers_is_a_choice() {
    let texts = ["a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 3\nb: 1\n"];
    assert_eq!(
        one_file(texts, &["--marker-size=3"]),
        "<<< local.yaml\na: 3\n===\na: 2\n>>> updated.yaml\nb: 1\n"
    );
    for style in ["diff3", "zdiff3"] {
        assert_eq!(
            one_file(texts, &["--conflict-style", style]),
            "<<<<<<< local.yaml\na: 3\n||||||| original.yaml\na: 1\n=======\na: 2\n>>>>>>> updated.yaml\nb: 1\n"
        );
    }
    let crlf = texts.map(|text| text.replace('\n', "\r\n"));
    assert_eq!(
        one_file(crlf.each_ref().map(String::as_str), &[]),
        "<<<<<<< local.yaml\r\na: 3\r\n=======\r\na: 2\r\n>>>>>>> updated.yaml\r\nb: 1\r\n"
    );
}

#[test]
fn a_file_with_markers_in_it_is_not_merged_again() {
    let texts = ["a: 1\n", "a: 2\n", "a: 3\n"];
    let marked = one_file(texts, &[]);
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in ["o.yaml", "u.yaml", "d.yaml"]
        .iter()
        .zip([texts[0], texts[1], &marked])
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args(["--ancestor", "o.yaml", "--from", "u.yaml", "--to", "d.yaml"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(folder.path().join("d.yaml")).unwrap(),
        marked
    );
}
