//! All that fails at once: every law on many cases, one shrunk case for each kind of failure.
//!
//! Not part of the test run: `cargo test --test laws survey -- --ignored --nocapture`, with
//! `SURVEY=20000` cases, the first of them number `SURVEY_FROM=0`, and `SHOWN=1` of each kind.

use crate::drive::{Told, told};
use crate::generate::{self, Case};
use crate::{documents, untouched};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;

type Law = fn(&Case, &Told) -> Result<(), TestCaseError>;
/// A case that fails: its size, its number, and what it breaks.
type Failed = (usize, u64, Law);

const LAWS: [(&str, Law); 8] = [
    ("law 1", documents::does_nothing_for_nothing),
    ("law 2", documents::fast_forwards),
    ("law 3", documents::leaves_what_is_there),
    ("law 4", documents::is_idempotent),
    ("law 5, lines", untouched::is_untouched),
    ("law 5, form", untouched::keeps_its_form),
    ("law 6", documents::is_sound),
    ("law 7", documents::is_loud),
];

/// What fails, in a word: the message without what is this case's own.
fn failure(law: Law, case: &Case, told: &Told) -> Option<String> {
    let ran = std::panic::catch_unwind(|| law(case, told));
    let error = match ran {
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
    Some(format!("{kind} {marked} {:?}", told.options.lists))
}

#[test]
#[ignore = "a tool, not a test"]
fn survey() {
    let count = number("SURVEY").unwrap_or(20_000);
    let first = number("SURVEY_FROM").unwrap_or(0);
    let strategy = (generate::case(), told());
    let mut found: BTreeMap<(&str, String), Vec<Failed>> = BTreeMap::new();
    for seed in first..first + count {
        let (case, told) = nth(&strategy, seed).current();
        let texts = case.texts.as_ref().into_array();
        let size = texts.iter().map(|text| text.len()).sum();
        for (name, law) in LAWS {
            let kind = failure(law, &case, &told);
            // A merge that is refused fails every law; once is enough.
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
            shrink(&mut tree, |(case, told)| {
                failure(law, case, told).as_ref() == Some(&kind)
            });
            let (case, told) = tree.current();
            if let Ok(Err(error)) = std::panic::catch_unwind(|| law(&case, &told)) {
                println!("{error}");
            }
            println!("{told:?}\n{case:?}");
        }
    }
}

/// A number of the environment.
pub fn number(name: &str) -> Option<u64> {
    let number = std::env::var(name).ok()?;
    Some(number.parse().expect("a number"))
}

/// The case of a seed.
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
