//! Runs the checks of the fuzz targets on the inputs in `fuzz/corpus`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failing helper fails the test
#![allow(unreachable_pub)] // the modules share items within this crate and fuzz/ only

mod oracle;
#[path = "../support/readers.rs"]
mod readers;
#[path = "../reference/mod.rs"]
mod reference;
#[path = "../support/spans.rs"]
mod spans;
#[path = "../value/mod.rs"]
mod value;

use std::fs;
use std::path::Path;

use oracle::Verdict;

/// Runs the check of a target on each of its inputs and lists those that fail.
fn check_all(target: &str, check: fn(&[u8]) -> Verdict) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the folder fuzz/corpus exists") {
        let path = entry.expect("a file of the corpus").path();
        let bytes = fs::read(&path).expect("a file of the corpus");
        count += 1;
        let verdict = std::panic::catch_unwind(|| check(&bytes));
        let failure = match verdict {
            Ok(Ok(())) => continue,
            Ok(Err(failure)) => failure,
            Err(_) => "a panic".to_owned(),
        };
        failures.push(format!("{}: {failure}", path.display()));
    }
    assert!(count > 0, "no inputs in {}", folder.display());
    assert!(
        failures.is_empty(),
        "{} of {count}\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn bytes_to_trees_and_back() {
    check_all("tree", oracle::tree::check);
}

#[test]
fn three_texts_to_a_merge() {
    check_all("merge", oracle::merge::check);
}

#[test]
fn three_packages_to_a_run() {
    check_all("package", oracle::package::check);
}

#[test]
fn markers_to_solve() {
    check_all("solve", oracle::solve::check);
}
