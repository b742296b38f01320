//! Compares the line reader with the parser. The line reader reads ordinary documents and the
//! parser all others: both must read the same tree, and the line reader must not accept what the
//! parser rejects.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failing helper fails the test
#![allow(unreachable_pub, dead_code)] // the shared modules have items that this crate does not use

use merge3::yaml::{NodeId, Tree, nesting_at_most, stream};
use proptest::prelude::*;

#[path = "generate/mod.rs"]
mod generate;
#[path = "support/mutate.rs"]
mod mutate;
#[path = "support/readers.rs"]
mod readers;
#[path = "value/mod.rs"]
mod value;

/// Whether the line reader accepts the text. Panics if the parser disagrees.
fn agree(text: &str) -> bool {
    readers::agree(text).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Returns the depth of nested collections.
fn depth(tree: &Tree<'_>, node: NodeId) -> usize {
    let node = tree.resolve(node);
    let below = tree
        .entries(node)
        .map(|id| depth(tree, tree.entry(id).value));
    match tree.scalar(node) {
        Some(_) => 0,
        None => 1 + below.max().unwrap_or(0),
    }
}

fn is_within_predicted_depth(text: &str) {
    if let (Ok(Some(tree)), Some(limit)) = (Tree::parse(text), nesting_at_most(text)) {
        let depth = depth(&tree, tree.root().value);
        assert!(
            depth <= limit,
            "{depth} levels, expected at most {limit}: {text:?}"
        );
    }
}

/// Checks a document and variations of it.
fn agree_all_around(text: &str, variations: usize, random: &mut impl FnMut() -> usize) -> usize {
    let varied = (0..variations).map(|round| mutate::mutate(text, 1 + round % 4, &mut *random));
    usize::from(agree(text)) + varied.filter(|text| agree(text)).count()
}

#[test]
fn on_every_file_of_testdata() {
    let (mut texts, mut by_lines) = (0, 0);
    for entry in walkdir::WalkDir::new("testdata").sort_by_file_name() {
        let entry = entry.unwrap();
        let Ok(text) = std::fs::read_to_string(entry.path()) else {
            continue;
        };
        let mut random = mutate::numbers_for(entry.path());
        for document in stream::split(&text) {
            is_within_predicted_depth(document.text);
            texts += 21;
            by_lines += agree_all_around(document.text, 20, &mut random);
        }
    }
    assert!(
        texts > 20_000 && by_lines > texts / 5,
        "{by_lines} of {texts}"
    );
}

#[test]
fn on_documents_of_every_kind() {
    let mut random = mutate::numbers(2);
    let all = include_str!("support/documents.yaml");
    for text in [
        all.to_owned(),
        all.replace('\n', "\r\n"),
        all.replace('\n', "\r"),
    ] {
        for document in stream::split(&text) {
            is_within_predicted_depth(document.text);
            agree_all_around(document.text, 100, &mut random);
            agree_all_around(&format!("\u{feff}{}", document.text), 10, &mut random);
            agree(document.text.trim_end());
        }
    }
}

/// Lines that affect how the lines around them are read.
const LINES: [&str; 42] = [
    "- [a -, b]",
    "- {a: b -}",
    "a:",
    "b: x",
    "c: 'y' # c",
    "? d",
    ": e",
    "\"f\": |",
    "g: >-",
    "- h",
    "-",
    "- i: j",
    "- - k",
    "- |+",
    "- # c",
    "l",
    "'m",
    "n'",
    "o: [p,",
    "q]",
    "r: {s: t}",
    "# c",
    "",
    "u: v # w",
    "<<: x",
    "a: &y z",
    "--- # c",
    "...",
    "k: [",
    "{a: b}",
    "- ''",
    "- [a, {b: c}]",
    "z: \"\\",
    "\"",
    "é: ü",
    "a : b",
    "-x: -y",
    "a:b",
    "# d # e",
    "%a",
    "- a: |-",
    "- {x: y}: z",
];

#[test]
fn on_all_short_documents() {
    let mut by_lines = 0;
    let indents = [0, 1, 2, 4];
    let mut text = String::new();
    let line = |text: &mut String, number: usize| {
        text.extend(std::iter::repeat_n(' ', indents[number % 4]));
        text.push_str(LINES[number / 4]);
        text.push('\n');
    };
    let all = LINES.len() * 4;
    for first in 0..LINES.len() {
        for second in 0..all {
            text.clear();
            line(&mut text, first * 4);
            line(&mut text, second);
            by_lines += usize::from(agree(&text));
            is_within_predicted_depth(&text);
            for third in (second % 7..all).step_by(7) {
                text.truncate(0);
                line(&mut text, first * 4);
                line(&mut text, second);
                line(&mut text, third);
                by_lines += usize::from(agree(&text));
                by_lines += usize::from(agree(text.trim_end_matches('\n')));
            }
        }
    }
    assert!(by_lines > 10_000, "{by_lines}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400),
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn on_random_documents_and_what_is_made_of_them(case in generate::case(), seed in any::<usize>()) {
        let mut random = mutate::numbers(seed);
        for text in case.texts.into_array() {
            is_within_predicted_depth(&text);
            agree_all_around(&text, 20, &mut random);
        }
    }
}
