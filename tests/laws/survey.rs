//! Reports all failures at once: runs laws on many cases and shows one shrunk case for each kind of
//! failure.
//!
//! It is not part of the test run. `cargo test --test laws survey -- --ignored --nocapture` starts
//! it for documents, packages and comments; `SURVEY=20000` sets the number of cases,
//! `SURVEY_FROM=0` the number of the first one, and `SHOWN=1` how many of each kind are shown.

use crate::drive::{Setup, any_setup};
use crate::generate::package::{Packages, packages};
use crate::generate::{self, Case};
use crate::{documents, packages, untouched};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;

/// A law for cases of the type `T`.
pub type Law<T> = fn(&T) -> Result<(), TestCaseError>;

/// What a survey needs to know of cases of the type `T`.
pub struct Cases<T> {
    /// Returns the number of bytes of a case: the smallest case of a kind is shown.
    pub size: fn(&T) -> usize,
    /// Returns the kind of a failure, from the case and the message.
    pub kind: fn(&T, &str) -> String,
}

/// Runs a law on many cases and prints its failures.
pub fn survey<T: std::fmt::Debug>(
    name: &str,
    strategy: &impl Strategy<Value = T>,
    cases: &Cases<T>,
    law: Law<T>,
) {
    let first = number("SURVEY_FROM").unwrap_or(0);
    let count = number("SURVEY").unwrap_or(20_000);
    let failure = |case: &T| {
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| law(case)));
        let message = run.map_or_else(
            |_| Some("panicked".to_owned()),
            |it| Some(it.err()?.to_string()),
        );
        message.map(|message| (cases.kind)(case, &message))
    };
    let mut found: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
    for seed in first..first + count {
        let case = nth(strategy, seed).current();
        if let Some(kind) = failure(&case) {
            found
                .entry(kind)
                .or_default()
                .push(((cases.size)(&case), seed));
        }
    }
    for (kind, mut seeds) in found {
        println!("\n######## {name}: {kind} ({} of {count})", seeds.len());
        seeds.sort_unstable();
        let shown = number("SHOWN").unwrap_or(1) as usize;
        for (_, seed) in seeds.into_iter().take(shown) {
            let mut tree = nth(strategy, seed);
            shrink(&mut tree, |case| failure(case).as_ref() == Some(&kind));
            let case = tree.current();
            if let Ok(Err(error)) =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| law(&case)))
            {
                println!("{error}");
            }
            println!("seed {seed}: {case:?}");
        }
    }
}

type Document = (Case, Setup);

const LAWS_OF_DOCUMENTS: [(&str, Law<Document>); 8] = [
    ("law 1", |(case, setup)| {
        documents::keeps_local_if_upstream_unchanged(case, setup)
    }),
    ("law 2", |(case, setup)| {
        documents::fast_forwards(case, setup)
    }),
    ("law 3", |(case, setup)| {
        documents::keeps_local_if_equal_to_upstream(case, setup)
    }),
    ("law 4", |(case, setup)| {
        documents::is_idempotent(case, setup)
    }),
    ("law 5, lines", |(case, setup)| {
        untouched::is_untouched(case, setup)
    }),
    ("law 5, form", |(case, setup)| {
        untouched::keeps_file_format(case, setup)
    }),
    ("law 6", |(case, setup)| {
        documents::has_reference_value(case, setup)
    }),
    ("law 7", |(case, setup)| {
        documents::has_reference_conflicts(case, setup)
    }),
];

/// Returns the message without the details of the case, and what may explain the failure.
fn kind_of_document((case, setup): &Document, message: &str) -> String {
    let message = match message.find("path: \"") {
        Some(at) => {
            let path = &message[at + 7..];
            format!("{}{}", &message[..at], &path[path.find('"').unwrap_or(0)..])
        }
        None => message.to_owned(),
    };
    let line = message.lines().next().unwrap_or("");
    let kind: String = line
        .chars()
        .filter(|it| !it.is_ascii_digit())
        .take(60)
        .collect();
    let texts = case.texts.as_ref().into_array();
    let marked = texts.iter().any(|text| text.contains("--- "));
    let marked = if marked { "after `---`" } else { "" };
    format!("{kind} {marked} {:?}", setup.options.lists)
}

#[test]
#[ignore = "a tool, not a test"]
fn survey_of_documents() {
    let cases = Cases {
        size: |(case, _): &Document| {
            case.texts
                .as_ref()
                .into_array()
                .map(|it| it.len())
                .iter()
                .sum()
        },
        kind: kind_of_document,
    };
    for (name, law) in LAWS_OF_DOCUMENTS {
        survey(name, &(generate::case(), any_setup()), &cases, law);
    }
}

#[test]
#[ignore = "a tool, not a test"]
fn survey_of_packages() {
    let cases = Cases {
        size: |it: &Packages| {
            let texts = it.texts.as_ref().into_array();
            texts
                .iter()
                .flat_map(|files| files.values())
                .map(String::len)
                .sum()
        },
        kind: |_, _| String::new(),
    };
    survey("law 4", &packages(true), &cases, packages::is_idempotent);
}

/// Returns a number from an environment variable.
pub fn number(name: &str) -> Option<u64> {
    let number = std::env::var(name).ok()?;
    Some(number.parse().expect("a number"))
}

/// Returns the case of a seed.
fn nth<S: Strategy>(strategy: &S, seed: u64) -> S::Tree {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(crate::config(1), rng);
    strategy.new_tree(&mut runner).expect("a case")
}

fn shrink<T: ValueTree>(tree: &mut T, fails: impl Fn(&T::Value) -> bool) {
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
