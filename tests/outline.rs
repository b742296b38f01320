//! What an outline says is what a tree over the same text says; and what it speaks about is valid.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails
#![allow(unreachable_pub)] // what these modules share is seen by this crate alone

use std::cell::Cell;
use std::path::Path;

use merge3::yaml::stream::split;
use merge3::yaml::{EntryId, NodeId, NodeKind, Outline, Text, Tree};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

#[allow(dead_code)] // the values are for other tests
mod generate;
#[allow(dead_code)]
mod value;

const DOCUMENTS: &str = include_str!("support/documents.yaml");
/// What mutations put in: everything that means something to YAML.
const SIGNS: &[&str] = &[
    " ", "  ", "\n", "\n  ", ":", ": ", "- ", "-", "#", " #", "'", "\"", "[", "]", "{", "}", ",",
    "|", ">", "&a ", "*a", "!", "?", "? ", "%", "@", "`", "\t", "\\", "a", "0", ".", "~", "null",
    "---\n", "...\n", "<<", "\u{a0}", "\u{85}", "\u{2028}", "\u{feff}", "\r", "é", "\u{7}", "=",
];

/// Compares the outline of a document with its tree. Whether there is an outline.
fn check(text: &str) -> bool {
    let Some(outline) = Outline::of(text) else {
        return false;
    };
    let tree = match Tree::parse_events(text) {
        Ok(tree) => tree,
        Err(error) => panic!("an outline, and {error} at {}:\n{text}", error.offset),
    };
    assert_eq!(outline.has_content, tree.is_some(), "{text}");
    let Some(tree) = tree else { return true };
    let root = tree.root().value;
    assert!(outline.may_have_null || !has_null(&tree, root), "{text}");
    if !matches!(tree.node(root).kind, NodeKind::Mapping(_)) {
        return true;
    }
    for field in tree.entries(root) {
        let key = key(&tree, field);
        let said = outline
            .field(None, key)
            .unwrap_or_else(|| panic!("{key} is missing:\n{text}"));
        assert_says(&tree, field, said);
        let value = tree.entry(field).value;
        let is_map = matches!(tree.node(value).kind, NodeKind::Mapping(_));
        for below in tree.entries(value).filter(|_| is_map) {
            let said = outline.field(outline.find(key), self::key(&tree, below));
            assert_says(
                &tree,
                below,
                said.unwrap_or_else(|| panic!("a field of {key} is missing:\n{text}")),
            );
        }
    }
    for absent in ["absent", "name"] {
        let is_there = tree.find(root, absent).is_some();
        assert_eq!(outline.field(None, absent).is_some(), is_there, "{text}");
    }
    true
}

fn assert_says(tree: &Tree<'_>, field: EntryId, said: Text<'_>) {
    let value = tree.entry(field).value;
    let scalar = tree.scalar(value).filter(|_| !tree.is_null(value));
    match said {
        Text::Is(text) => assert_eq!(scalar.map(|it| it.content), Some(text), "{}", tree.text()),
        Text::None => assert_eq!(scalar, None, "{}", tree.text()),
        Text::Unread => {}
    }
}

fn key<'t>(tree: &'t Tree<'_>, field: EntryId) -> &'t str {
    let key = tree.entry(field).key.and_then(|key| tree.scalar(key));
    key.map_or("", |key| key.content)
}

fn has_null(tree: &Tree<'_>, node: NodeId) -> bool {
    let is_map = matches!(tree.node(node).kind, NodeKind::Mapping(_));
    tree.entries(node).any(|id| {
        let value = tree.entry(id).value;
        (is_map && tree.is_null(value)) || has_null(tree, value)
    })
}

/// The texts of the cases in testdata.
fn texts(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(self::texts(&path));
        } else if path.extension().is_some_and(|it| it == "yaml") {
            texts.extend(std::fs::read_to_string(&path));
        }
    }
    texts.sort();
    texts
}

fn documents_of_testdata() -> Vec<String> {
    let files = texts(Path::new("testdata"));
    let mut documents: Vec<String> = files
        .iter()
        .chain([&DOCUMENTS.to_owned()])
        .flat_map(|file| split(file))
        .map(|document| document.text.to_owned())
        .collect();
    documents.dedup();
    documents
}

/// The same cases in every run; `PROPTEST_CASES` may ask for more, and then they are others each
/// time.
fn runner(cases: u32) -> TestRunner {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    let wanted: Option<u32> = wanted.and_then(|cases| cases.parse().ok());
    TestRunner::new(ProptestConfig {
        cases: wanted.unwrap_or(cases),
        rng_seed: wanted.map_or(RngSeed::Fixed(5), |_| RngSeed::Random),
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

#[test]
fn documents_of_every_kind() {
    let documents = documents_of_testdata();
    let outlined = documents.iter().filter(|text| check(text)).count();
    assert!(
        outlined * 10 > documents.len() * 7,
        "{outlined} of {}",
        documents.len()
    );
}

#[test]
fn random_documents() {
    let outlined = Cell::new(0);
    runner(1_000)
        .run(&generate::case(), |case| {
            for text in case.texts.as_ref().into_array() {
                outlined.set(outlined.get() + usize::from(check(text)));
            }
            Ok(())
        })
        .unwrap();
    assert!(outlined.get() > 100, "{outlined:?}");
}

#[test]
fn damaged_documents() {
    let documents = documents_of_testdata();
    let damage = prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            0..3,
            prop::sample::select(SIGNS),
        ),
        1..4,
    );
    let outlined = Cell::new(0);
    runner(40_000)
        .run(
            &(prop::sample::select(documents), damage),
            |(mut text, damage)| {
                for (place, kind, sign) in damage {
                    let at = place.index(text.len() + 1);
                    let at = (0..=at)
                        .rev()
                        .find(|at| text.is_char_boundary(*at))
                        .unwrap_or(0);
                    match text[at..].chars().next() {
                        Some(c) if kind == 0 => text.replace_range(at..at + c.len_utf8(), ""),
                        Some(c) if kind == 1 => text.replace_range(at..at + c.len_utf8(), sign),
                        _ => text.insert_str(at, sign),
                    }
                }
                for document in split(&text) {
                    outlined.set(outlined.get() + usize::from(check(document.text)));
                }
                Ok(())
            },
        )
        .unwrap();
    assert!(outlined.get() > 5_000, "{outlined:?}");
}

#[test]
fn what_is_not_plain_is_left_to_a_tree() {
    for text in [
        "a: 1\na: 2\n",
        "a: &x 1\n",
        "a: !t 1\n",
        "? a\n: b\n",
        "%YAML 1.2\n---\na: 1\n",
        "a: {b: c}\n",
        "a:\n  b: 1\n c: 2\n",
        "a: b: c\n",
        "a: 'b\n",
        "a:\tb\n",
        "metadata: # kpt-merge: a/b\n  name: c\n",
        "<<: a\n",
        "a: 1\n---\nb: 2\n",
    ] {
        assert!(Outline::of(text).is_none(), "{text}");
    }
}
