//! Law 8: where git merges the lines cleanly, and to the values that the rules decide, its text is the result.

use super::{fails, told, value};
use crate::drive::{Told, run, told_little};
use crate::generate::commented::edits::{ALL, ALL_BUT_MOVES};
use crate::generate::commented::history;
use crate::generate::{self};
use crate::value::{Value, load};
use merge3::triple::Triple;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

/// What `git merge-file` makes of three texts; none where it leaves a conflict.
fn git(texts: Triple<&str>, folder: &Path) -> Option<String> {
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

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_8_never_worse_than_git(history in history(ALL, ALL)) {
        let texts = history.texts();
        let values = texts.as_ref().try_map(|text| value(text))?;
        let texts = texts.as_ref().map(String::as_str);
        if let Some(wanted) = wanted(texts, values.as_ref(), &told()) {
            let ran = run(texts, &told())?;
            if ran.text != wanted {
                return Err(fails("not git's text", &[("git", &wanted), ("merged", &ran.text)]));
            }
        }
    }

    #[test]
    fn law_8_never_worse_than_git_with_edits_of_comments(history in history(ALL_BUT_MOVES, ALL_BUT_MOVES)) {
        let texts = history.texts();
        let values = texts.as_ref().try_map(|text| value(text))?;
        let texts = texts.as_ref().map(String::as_str);
        if let Some(wanted) = wanted(texts, values.as_ref(), &told()) {
            let ran = run(texts, &told())?;
            if ran.text != wanted {
                return Err(fails("not git's text", &[("git", &wanted), ("merged", &ran.text)]));
            }
        }
    }

    #[test]
    fn law_8_never_worse_than_git_in_any_style(case in generate::case(), told in told_little()) {
        let texts = case.texts.as_ref().map(String::as_str);
        if let Some(wanted) = wanted(texts, case.values.as_ref(), &told) {
            let ran = run(texts, &told)?;
            prop_assert_eq!(ran.text, wanted);
        }
    }
}
