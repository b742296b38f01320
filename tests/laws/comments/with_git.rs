//! Law 8: if git merges the lines without conflict, to the values that the rules decide, the result
//! is git's text.

use super::{default_setup, fails, value};
use crate::drive::{MergeResult, Setup, only_document, run, run_files, setup_with_defaults};
use crate::generate;
use crate::generate::commented::edits::{ALL, ALL_BUT_MOVES};
use crate::generate::commented::{History, history};
use crate::value::{Value, load};
use merge3::triple::Triple;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

/// Returns the text that `git merge-file` writes, or None if it leaves a conflict.
pub fn git(texts: Triple<&str>, folder: &Path) -> Option<String> {
    for (name, text) in [
        ("o", texts.original),
        ("u", texts.updated),
        ("l", texts.local),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let mut command = Command::new("git");
    command.args(["merge-file", "-p", "-q", "l", "o", "u"]);
    let environment = command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    let output = environment.current_dir(folder).output().unwrap();
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).unwrap())
}

/// Returns git's text if it has the values of the reference merge.
fn expected_text(texts: Triple<&str>, values: Triple<&Value>, setup: &Setup) -> Option<String> {
    let reference = setup.reference(values);
    let folder = tempfile::tempdir().unwrap();
    let text = git(texts, folder.path()).filter(|_| !reference.ambiguous)?;
    let same = matches!(load::document(&text), Ok(value) if value == reference.value);
    same.then_some(text)
}

/// Returns the text around the document: directives, markers, a byte order mark. The merge of a
/// document leaves it as local has it.
fn frame(text: &str) -> Result<(bool, [&str; 2]), TestCaseError> {
    let document = only_document(text)?;
    let body = document.body.range();
    let (above, below) = (
        &text[..document.start + body.start],
        &text[document.start + body.end..],
    );
    Ok((text.starts_with('\u{feff}'), [above, below]))
}

type Run = fn(Triple<&str>, &Setup) -> Result<MergeResult, TestCaseError>;

pub(super) fn is_never_worse(history: &History) -> Result<(), TestCaseError> {
    let texts = history.texts();
    let values = texts.as_ref().try_map(|text| value(text))?;
    let texts = texts.as_ref().map(String::as_str);
    same_as_git(texts, values.as_ref(), &default_setup(), run_files)
}

fn same_as_git(
    texts: Triple<&str>,
    values: Triple<&Value>,
    setup: &Setup,
    run: Run,
) -> Result<(), TestCaseError> {
    let Some(expected_text) = expected_text(texts, values, setup) else {
        return Ok(());
    };
    let merged = run(texts, setup)?.text;
    match merged == expected_text {
        true => Ok(()),
        false => Err(fails(
            "not git's text",
            &[("git", &expected_text), ("merged", &merged)],
        )),
    }
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_8_never_worse_than_git(history in history(ALL, ALL)) {
        is_never_worse(&history)?;
    }

    #[test]
    fn law_8_never_worse_than_git_where_entries_stay(history in history(ALL_BUT_MOVES, ALL_BUT_MOVES)) {
        is_never_worse(&history)?;
    }
}

proptest! {
    // about half of these cases differ in the text around the document
    #![proptest_config(crate::config(4000))]

    #[test]
    fn law_8_never_worse_than_git_in_any_style(case in generate::case(), setup in setup_with_defaults()) {
        let texts = case.texts.as_ref().map(String::as_str);
        let [original, updated, local] = texts.try_map(frame)?.into_array();
        if original != updated || original != local {
            return Ok(());
        }
        same_as_git(texts, case.values.as_ref(), &setup, run)?;
    }
}
