//! Runs the YAML test suite (https://github.com/yaml/yaml-test-suite), which is not part of this
//! project: `YAML_TEST_SUITE` names the folder with its files, as `make real` sets it.
//! `tests/support/documents.yaml` has the cases that ever failed, rewritten.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failing helper fails the test
#![allow(dead_code)] // the shared modules have items that this crate does not use

use std::io::Write as _;
use std::path::PathBuf;

use merge3::error::Place;
use merge3::merge::Options;
use merge3::package::{Settings, merge_file, plan};
use merge3::triple::Triple;
use merge3::yaml::{ParseError, Tree, stream};

#[path = "support/suite.rs"]
mod suite;

/// Valid texts that are not read as YAML and are merged by lines: the file of the suite, the number
/// of the text in it, and the reason.
const REFUSED: &[(&str, usize, &str)] = &[
    (
        "2JQS",
        0,
        "a key occurs twice in a map: two empty ones (rules: Keys)",
    ),
    ("4FJ6", 0, COMPLEX_KEY),
    ("6BFJ", 0, COMPLEX_KEY),
    ("6PBE", 0, COMPLEX_KEY),
    ("9MMW", 0, COMPLEX_KEY),
    ("KK5P", 0, COMPLEX_KEY),
    ("LX3P", 0, COMPLEX_KEY),
    ("M2N8", 0, COMPLEX_KEY),
    ("M2N8", 1, COMPLEX_KEY),
    ("M5DY", 0, COMPLEX_KEY),
    ("Q9WF", 0, COMPLEX_KEY),
    ("RZP5", 0, COMPLEX_KEY),
    ("SBG9", 0, COMPLEX_KEY),
    ("V9D5", 0, COMPLEX_KEY),
    ("X38W", 0, COMPLEX_KEY),
    ("XW4D", 0, COMPLEX_KEY),
    (
        "ZYU8",
        0,
        "yaml-rust2 refuses a directive that it does not know",
    ),
    (
        "ZYU8",
        1,
        "yaml-rust2 refuses a directive that it does not know",
    ),
    (
        "ZYU8",
        2,
        "yaml-rust2 refuses a directive that it does not know",
    ),
];
const COMPLEX_KEY: &str = "a key is a map or a list (rules: Keys)";

/// Invalid texts that are read as YAML.
const ACCEPTED: &[(&str, usize, &str)] = &[
    ("9C9N", 0, UNINDENTED),
    ("VJP3", 0, UNINDENTED),
    ("9JBA", 0, COMMENT),
    ("CVW2", 0, COMMENT),
    ("QB6E", 0, QUOTED),
    ("SU5Z", 0, COMMENT),
    ("X4QW", 0, COMMENT),
];
const COMMENT: &str = "no white space before a comment: libyaml takes it";
const QUOTED: &str = "a line of a quoted text is not indented: libyaml takes it";
const UNINDENTED: &str = "a line between brackets is indented no deeper than the key: widely read and written, and yaml-rust2 takes it";

struct Case {
    file: String,
    number: usize,
    text: String,
    invalid: bool,
}

/// Returns the texts of the suite. Without the suite, it prints a message and returns nothing.
fn cases() -> Vec<Case> {
    let Some(folder) = std::env::var_os("YAML_TEST_SUITE").map(PathBuf::from) else {
        // writes to stderr directly, because the test runner captures the output of macros
        let _ = writeln!(
            std::io::stderr(),
            "yaml_suite: not run, YAML_TEST_SUITE is not set to the suite's folder of files"
        );
        return Vec::new();
    };
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("YAML_TEST_SUITE={}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let texts = suite::cases(&std::fs::read_to_string(&path).unwrap());
        cases.extend(texts.into_iter().enumerate().map(|(number, case)| Case {
            file: file.clone(),
            number,
            text: case.yaml,
            invalid: case.invalid,
        }));
    }
    assert!(
        cases.len() > 300,
        "{} texts in {}",
        cases.len(),
        folder.display()
    );
    cases
}

fn is_in(table: &[(&str, usize, &str)], case: &Case) -> bool {
    let same =
        |(file, number, _): &(&str, usize, &str)| *file == case.file && *number == case.number;
    table.iter().any(same)
}

/// Returns the first document that is not YAML: its start and the error.
fn error(text: &str) -> Option<(usize, ParseError)> {
    stream::split(text)
        .iter()
        .find_map(|document| Some((document.start, Tree::parse(document.text).err()?)))
}

#[test]
fn what_is_valid_is_read_and_what_is_not_is_refused() {
    let mut wrong = Vec::new();
    let (mut read, mut refused) = (0, 0);
    let cases = cases();
    for case in &cases {
        let (file, number) = (&case.file, case.number);
        let error = error(&case.text);
        let expected = match case.invalid {
            true => !is_in(ACCEPTED, case),
            false => is_in(REFUSED, case),
        };
        match (case.invalid, expected) {
            (false, false) => read += 1,
            (true, true) => refused += 1,
            _ => {}
        }
        if error.is_some() != expected {
            let what = if case.invalid { "invalid" } else { "valid" };
            wrong.push(format!(
                "(\"{file}\", {number}, \"\"), // {what}: {error:?}\n{}",
                case.text
            ));
        }
        if let Some((start, error)) = error {
            let place = Place::new("a.yaml", &case.text, start + error.offset);
            assert!(place.line > 0 && place.column > 0 && !error.message.is_empty());
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    if !cases.is_empty() {
        println!(
            "{} texts: {read} valid ones are read, {} are not, {refused} invalid ones are refused, {} are not",
            cases.len(),
            REFUSED.len(),
            ACCEPTED.len()
        );
    }
}

/// The other sides have other line breaks, so that no shortcut for equal texts applies.
#[test]
fn what_is_merged_with_itself_is_the_same() {
    for case in cases() {
        if case.text.contains('\r') {
            continue;
        }
        let windows = case.text.replace('\n', "\r\n");
        let mixed = case.text.replacen('\n', "\r\n", 1);
        let local = case.text.as_str();
        for texts in [
            Triple::new(local, local, local),
            Triple::new(&mixed, &windows, local),
            Triple::new(local, &mixed, &windows),
        ] {
            let merged = merge_file("a.yaml".as_ref(), texts, &Options::default());
            let merged = merged
                .unwrap_or_else(|error| panic!("{}, {}: {error}\n{local}", case.file, case.number));
            if let Some(merged) = merged {
                let which = (case.file.as_str(), case.number);
                assert_eq!(merged.text, texts.local, "{which:?}");
                assert!(
                    merged.conflicts.is_empty(),
                    "{which:?}: {:?}",
                    merged.conflicts
                );
            }
        }
    }
}

/// An invalid text between other files that are not YAML is merged as text or refused, and a
/// warning or an error names the place.
#[test]
fn what_is_invalid_is_merged_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let sides = Triple::new("original", "updated", "local").map(|name| folder.path().join(name));
    for case in cases() {
        if error(&case.text).is_none() {
            continue;
        }
        let end = if case.text.ends_with('\n') { "" } else { "\n" };
        let text = |first: &str, last: &str| format!("{first}{}{end}]\n]\n]\n]\n{last}", case.text);
        let texts = Triple::new(text("", ""), text("", "#\n"), text("#\n", ""));
        for (path, text) in sides.as_ref().zip(texts.as_ref()).into_array() {
            std::fs::create_dir_all(path).unwrap();
            std::fs::write(path.join("a.yaml"), text).unwrap();
        }
        let which = (case.file.as_str(), case.number);
        match plan(&sides, &Settings::default()) {
            Ok(plan) => {
                plan.write(false).unwrap();
                let warning = plan
                    .warnings
                    .iter()
                    .find_map(|warning| warning.place.as_ref());
                assert!(
                    warning.is_some_and(|place| place.line > 0),
                    "{which:?}: no warning"
                );
                let merged = std::fs::read_to_string(sides.local.join("a.yaml")).unwrap();
                assert_eq!(merged, text("#\n", "#\n"), "{which:?}");
            }
            Err(error) => {
                let message = error.render(false);
                assert!(message.contains("a.yaml:"), "{which:?}: {message}");
            }
        }
    }
}

#[test]
fn the_exceptions_have_reasons() {
    for (file, _, reason) in REFUSED.iter().chain(ACCEPTED) {
        assert!(reason.len() > 10, "{file}");
    }
}
