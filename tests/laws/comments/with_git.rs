//! Law 8: where git merges the lines cleanly, and to the values that the rules decide, its text is
//! the result.

use super::{fails, told, value};
use crate::drive::{Ran, Told, only_document, run, run_files, told_little};
use crate::generate;
use crate::generate::commented::edits::{ALL, ALL_BUT_MOVES};
use crate::generate::commented::{History, history};
use crate::value::{Value, load};
use merge3::triple::Triple;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

/// What `git merge-file` makes of three texts; none where it leaves a conflict.
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

/// Git's text, where it has the values of the reference merge.
fn wanted(texts: Triple<&str>, values: Triple<&Value>, told: &Told) -> Option<String> {
    let reference = told.reference(values);
    let folder = tempfile::tempdir().unwrap();
    let text = git(texts, folder.path()).filter(|_| !reference.ambiguous)?;
    let same = matches!(load::document(&text), Ok(value) if value == reference.value);
    same.then_some(text)
}

/// What is in a text beside its document: directives, markers, a byte order mark. The merge of a
/// document leaves them as local has them.
fn frame(text: &str) -> Result<(bool, [&str; 2]), TestCaseError> {
    let document = only_document(text)?;
    let body = document.body.range();
    let (above, below) = (
        &text[..document.start + body.start],
        &text[document.start + body.end..],
    );
    Ok((text.starts_with('\u{feff}'), [above, below]))
}

type Run = fn(Triple<&str>, &Told) -> Result<Ran, TestCaseError>;

pub(super) fn is_never_worse(history: &History) -> Result<(), TestCaseError> {
    let texts = history.texts();
    let values = texts.as_ref().try_map(|text| value(text))?;
    let texts = texts.as_ref().map(String::as_str);
    same_as_git(texts, values.as_ref(), &told(), run_files)
}

fn same_as_git(
    texts: Triple<&str>,
    values: Triple<&Value>,
    told: &Told,
    run: Run,
) -> Result<(), TestCaseError> {
    let Some(wanted) = wanted(texts, values, told) else {
        return Ok(());
    };
    let merged = run(texts, told)?.text;
    match merged == wanted {
        true => Ok(()),
        false => Err(fails(
            "not git's text",
            &[("git", &wanted), ("merged", &merged)],
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
    // about half of these cases differ in what is around the document
    #![proptest_config(crate::config(4000))]

    #[test]
    fn law_8_never_worse_than_git_in_any_style(case in generate::case(), told in told_little()) {
        let texts = case.texts.as_ref().map(String::as_str);
        let [original, updated, local] = texts.try_map(frame)?.into_array();
        if original != updated || original != local {
            return Ok(());
        }
        same_as_git(texts, case.values.as_ref(), &told, run)?;
    }
}
