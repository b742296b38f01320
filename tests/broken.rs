//! Merges random broken YAML: valid files with bytes deleted, doubled and swapped. The merge must
//! not panic, and a local file that was YAML must stay YAML.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failing helper fails the test

use std::fs;
use std::path::{Path, PathBuf};

use merge3::error::Error;
use merge3::package::{Settings, plan};
use merge3::triple::Triple;
use merge3::yaml::{Tree, stream};

#[path = "support/mutate.rs"]
mod mutate;

#[path = "support/cases.rs"]
mod cases;

use cases::folders;

/// The number of broken versions of each file in testdata. `BROKEN` sets a higher one.
const ROUNDS: usize = 6;

/// Whether a file is YAML. A file with a NUL is not, wherever the NUL is (rules: Files that are not
/// YAML).
fn is_yaml(bytes: &[u8]) -> bool {
    if bytes.contains(&0) {
        return false;
    }
    let text = std::str::from_utf8(bytes);
    text.is_ok_and(|text| {
        let documents = stream::split(text);
        documents
            .iter()
            .all(|document| Tree::parse(document.text).is_ok())
    })
}

/// Whether the first thing that makes a file no YAML is a key that occurs twice in one map.
fn has_key_twice(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let documents = stream::split(text);
    let mut errors = documents
        .iter()
        .filter_map(|document| Tree::parse(document.text).err());
    errors.next().is_some_and(|error| error.is_duplicate_key)
}

/// Whether one of the sides requires the file to be YAML. White space alone does not: if local
/// emptied a template that upstream still has, the result is no YAML (see docs/rules.md).
fn must_be_yaml(sides: &Triple<Vec<u8>>) -> bool {
    let mut sides = sides.as_ref().into_array().into_iter();
    sides.any(|bytes| is_yaml(bytes) && !bytes.trim_ascii().is_empty())
}

/// Returns the files of testdata that all three sides have.
fn files() -> Vec<Triple<PathBuf>> {
    let mut found = Vec::new();
    for case in folders() {
        let sides = Triple::new("original", "updated", "local").map(|side| case.join(side));
        for entry in walkdir::WalkDir::new(&sides.local).into_iter().flatten() {
            let path = entry
                .path()
                .strip_prefix(&sides.local)
                .unwrap_or(Path::new(""));
            let files = sides.as_ref().map(|side| side.join(path));
            if files
                .as_ref()
                .into_array()
                .iter()
                .all(|file| file.is_file())
            {
                found.push(files);
            }
        }
    }
    found.sort_by(|left, right| left.local.cmp(&right.local));
    found
}

/// Makes one change to some bytes. The result may be invalid UTF-8.
fn broken(bytes: &[u8], random: &mut impl FnMut() -> usize) -> Vec<u8> {
    if let (Ok(text), true) = (std::str::from_utf8(bytes), !random().is_multiple_of(4)) {
        return mutate::mutate(text, 1 + random() % 3, random).into_bytes();
    }
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let (at, other) = (random() % bytes.len(), random() % bytes.len());
    let end = (at + random() % 20).min(bytes.len());
    match random() % 4 {
        0 => drop(bytes.drain(at..end)),
        1 => bytes.extend_from_within(at..end),
        2 => bytes.swap(at, other),
        _ => bytes[at] = u8::try_from(random() % 256).unwrap_or(0),
    }
    bytes
}

fn is_defect(error: &Error) -> bool {
    match error {
        Error::Verification { .. } => true,
        Error::Several(errors) => errors.iter().any(is_defect),
        _ => false,
    }
}

fn has_braces(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"{{" || pair == b"{%")
}

/// Formats three sides whose merge is wrong.
fn describe(local: &Path, sides: &Triple<Vec<u8>>, problem: &str) -> String {
    let texts = sides.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
    format!("{}: {texts:?}\n{problem}", local.display())
}

#[test]
fn what_was_yaml_stays_yaml() {
    let rounds = std::env::var("BROKEN")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let folder = tempfile::tempdir().unwrap();
    let paths = Triple::new("o.yaml", "u.yaml", "d.yaml").map(|name| folder.path().join(name));
    let (mut refused, mut merged) = (0, 0);
    let mut finds = Vec::new();
    for files in files() {
        let whole = files.as_ref().map(|file| fs::read(file).unwrap());
        let mut random = mutate::numbers_for(&files.local);
        for _ in 0..rounds.unwrap_or(ROUNDS) {
            let which = 1 + random() % 7;
            let mut sides = whole.clone();
            let three = [&mut sides.original, &mut sides.updated, &mut sides.local];
            for (bit, side) in three.into_iter().enumerate() {
                if which >> bit & 1 == 1 {
                    *side = broken(side, &mut random);
                }
            }
            for (path, bytes) in paths.as_ref().zip(sides.as_ref()).into_array() {
                fs::write(path, bytes).unwrap();
            }
            match plan(&paths, &Settings::default()) {
                Ok(plan) => {
                    plan.write(false).unwrap();
                    merged += 1;
                }
                Err(error) => {
                    if is_defect(&error) {
                        finds.push(describe(&files.local, &sides, &error.render(false)));
                    }
                    refused += 1;
                }
            }
            let after = fs::read(&paths.local).unwrap_or_default();
            // a file that local did not change becomes upstream's, whatever that is (law 2)
            let forward = sides.original == sides.local && after == sides.updated;
            // if upstream's file is a template, or was one, local's counts as a template, too
            // (rules: Packages and files)
            let is_template = [&sides.original, &sides.updated]
                .into_iter()
                .any(|side| !is_yaml(side) && has_braces(side));
            let was_yaml = is_yaml(&sides.local) && must_be_yaml(&sides) && !is_template;
            // a key that upstream has twice comes as upstream has it (rules: Files that are not YAML)
            let upstream = [&sides.original, &sides.updated];
            let has_upstreams_key_twice =
                has_key_twice(&after) && upstream.into_iter().any(|side| has_key_twice(side));
            if was_yaml && !is_yaml(&after) && !forward && !has_upstreams_key_twice {
                finds.push(describe(&files.local, &sides, "comes out as no YAML"));
            }
        }
    }
    assert!(
        finds.is_empty(),
        "{} finds:\n{}",
        finds.len(),
        finds.join("\n")
    );
    assert!(
        refused > 100 && merged > 100,
        "{refused} refused, {merged} merged"
    );
}
