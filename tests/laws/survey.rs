//! Reports all failures at once: runs every law on many cases and shows one shrunk case for each
//! kind of failure.
//!
//! It is not part of the test run. `cargo test --test laws survey -- --ignored --nocapture` starts
//! it; `SURVEY=20000` sets the number of cases, `SURVEY_FROM=0` the number of the first one, and
//! `SHOWN=1` how many of each kind are shown.

use crate::drive::{Setup, any_setup};
use crate::generate::{self, Case};
use crate::{documents, untouched};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;

type Law = fn(&Case, &Setup) -> Result<(), TestCaseError>;
/// A failing case: its size, its number, and the law that it breaks.
type Failed = (usize, u64, Law);

const LAWS: [(&str, Law); 8] = [
    ("law 1", documents::keeps_local_if_upstream_unchanged),
    ("law 2", documents::fast_forwards),
    ("law 3", documents::keeps_local_if_equal_to_upstream),
    ("law 4", documents::is_idempotent),
    ("law 5, lines", untouched::is_untouched),
    ("law 5, form", untouched::keeps_file_format),
    ("law 6", documents::has_reference_value),
    ("law 7", documents::has_reference_conflicts),
];

/// Returns the kind of failure: the message without the details of the case.
fn failure(law: Law, case: &Case, setup: &Setup) -> Option<String> {
    let run = std::panic::catch_unwind(|| law(case, setup));
    let error = match run {
        Ok(result) => result.err()?.to_string(),
        Err(_) => return Some("panicked".to_owned()),
    };
    let error = match error.find("path: \"") {
        Some(at) => {
            let path = &error[at + 7..];
            format!("{}{}", &error[..at], &path[path.find('"').unwrap_or(0)..])
        }
        None => error,
    };
    let line = error
        .lines()
        .next()
        .unwrap_or("")
        .replace("Case failed: ", "");
    let kind: String = line
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .take(60)
        .collect();
    let marked = case
        .texts
        .as_ref()
        .into_array()
        .iter()
        .any(|text| text.contains("--- "));
    let marked = if marked { "after `---`" } else { "" };
    Some(format!("{kind} {marked} {:?}", setup.options.lists))
}

#[test]
#[ignore = "a tool, not a test"]
fn survey() {
    let count = number("SURVEY").unwrap_or(20_000);
    let first = number("SURVEY_FROM").unwrap_or(0);
    let strategy = (generate::case(), any_setup());
    let mut found: BTreeMap<(&str, String), Vec<Failed>> = BTreeMap::new();
    for seed in first..first + count {
        let (case, setup) = nth(&strategy, seed).current();
        let texts = case.texts.as_ref().into_array();
        let size = texts.iter().map(|text| text.len()).sum();
        for (name, law) in LAWS {
            let kind = failure(law, &case, &setup);
            // A merge that is refused fails every law, so it is reported for one law only.
            let kind = kind.filter(|kind| name == "law 6" || !kind.contains("refused"));
            if let Some(kind) = kind {
                let seeds = found.entry((name, kind)).or_default();
                seeds.push((size, seed, law));
            }
        }
    }
    for ((name, kind), mut seeds) in found {
        println!("\n######## {name}: {kind}… ({} of {count})", seeds.len());
        seeds.sort_unstable_by_key(|(size, seed, _)| (*size, *seed));
        let shown = number("SHOWN").unwrap_or(1) as usize;
        for (_, seed, law) in seeds.into_iter().take(shown) {
            let mut tree = nth(&strategy, seed);
            shrink(&mut tree, |(case, setup)| {
                failure(law, case, setup).as_ref() == Some(&kind)
            });
            let (case, setup) = tree.current();
            if let Ok(Err(error)) = std::panic::catch_unwind(|| law(&case, &setup)) {
                println!("{error}");
            }
            println!("{setup:?}\n{case:?}");
        }
    }
}

/// Returns a number from an environment variable.
pub fn number(name: &str) -> Option<u64> {
    let number = std::env::var(name).ok()?;
    Some(number.parse().expect("a number"))
}

/// Returns the case of a seed.
pub fn nth<S: Strategy>(strategy: &S, seed: u64) -> S::Tree {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(crate::config(1), rng);
    strategy.new_tree(&mut runner).expect("a case")
}

pub fn shrink<T: ValueTree>(tree: &mut T, fails: impl Fn(&T::Value) -> bool) {
    let mut steps = 0;
    while steps < 4000 {
        steps += 1;
        let moved = if fails(&tree.current()) {
            tree.simplify()
        } else {
            tree.complicate()
        };
        if !moved {
            break;
        }
    }
    while !fails(&tree.current()) && tree.complicate() {}
}
