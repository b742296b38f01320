//! Runs every case under `testdata` against the real binary. A new case needs a folder and no code;
//! CONTRIBUTING.md describes its files. `CASE=lists/keys cargo test --test cases` runs the cases
//! whose name contains that.

mod case;
mod commands;
mod conflicts;
mod folder;
mod renamed;
#[path = "../support/cases.rs"]
mod testdata;

use std::fmt::Write as _;

use case::{Case, RunOutput, Side};
use folder::Folder;
use rayon::prelude::*;

/// Runs `check` on every case that `CASE` selects, and fails with everything that is wrong with any
/// of them.
fn on_every_case(check: impl Fn(&Case) -> Result<(), String> + Sync) {
    let filter = std::env::var("CASE").unwrap_or_default();
    let cases = case::all(&filter).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(
        !cases.is_empty(),
        "no case under testdata has {filter:?} in its name"
    );
    let failures: Vec<String> = cases
        .par_iter()
        .filter_map(|case| {
            check(case)
                .err()
                .map(|problem| format!("== {}\n{problem}", case.name))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases fail\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// Like [`on_every_case`], only for cases of the three-way merge, which must obey the laws.
fn on_every_merge(check: impl Fn(&Case) -> Result<(), String> + Sync) {
    on_every_case(|case| match case.is_merge() {
        true => check(case),
        false => Ok(()),
    });
}

#[test]
fn the_result_is_what_the_case_expects() {
    on_every_case(|case| {
        let run = case.run(Side::Original, Side::Updated, &case.folder(Side::Local))?;
        let mut problems = run.result.difference(&case.folder(Side::Expected));
        if run.status != case.status {
            let _ = writeln!(
                problems,
                "exit status {} instead of {}",
                run.status, case.status
            );
        }
        for line in case
            .stderr
            .iter()
            .filter(|line| !run.stderr.contains(line.as_str()))
        {
            let _ = writeln!(problems, "standard error does not contain {line:?}");
        }
        if case.status != 2 {
            problems.push_str(&conflicts::difference(case, &run));
        }
        finish(problems, &run)
    });
}

/// Law 4.
#[test]
fn merging_the_result_again_changes_nothing() {
    on_every_case(|case| nothing_changes(case, Side::Original, Side::Updated, Side::Expected));
}

/// Law 1.
#[test]
fn where_upstream_changed_nothing_nothing_is_done() {
    on_every_merge(|case| nothing_changes(case, Side::Original, Side::Original, Side::Local));
}

/// Law 3.
#[test]
fn a_change_that_local_has_already_changes_nothing() {
    on_every_merge(|case| nothing_changes(case, Side::Original, Side::Updated, Side::Updated));
}

fn nothing_changes(case: &Case, ancestor: Side, from: Side, to: Side) -> Result<(), String> {
    let before = case.folder(to);
    let run = case.run(ancestor, from, &before)?;
    let mut problems = run.result.difference(&before);
    // a file with conflict markers is not YAML
    let markers = case
        .arguments
        .iter()
        .any(|it| it == "--on-conflict=markers");
    if run.status == 2 && case.status != 2 && !markers {
        problems.push_str("exit status 2\n");
    }
    finish(problems, &run)
}

/// Fails with the problems and the output of the program, if there are problems.
fn finish(problems: String, run: &RunOutput) -> Result<(), String> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{problems}-- standard output\n{}-- standard error\n{}",
            run.stdout, run.stderr
        ))
    }
}

#[test]
fn differences_between_folders_are_listed() {
    let one = Folder::of(&[("a.yaml", "a: 1\n"), ("b/c.yaml", "c: 1\n")]);
    assert_eq!(one.difference(&one), "");
    assert!(
        one.difference(&Folder::of(&[("a.yaml", "a: 1\n")]))
            .contains("b/c.yaml: should not be there")
    );
    assert!(
        Folder::of(&[])
            .difference(&one)
            .contains("a.yaml: is missing")
    );
    let crlf = Folder::of(&[("a.yaml", "a: 1\r\n"), ("b/c.yaml", "c: 1\n")]);
    assert!(crlf.difference(&one).contains("a.yaml: differs"));
}
