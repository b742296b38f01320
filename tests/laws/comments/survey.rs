//! Reports all failures at once: runs the laws of text on many histories and shows one shrunk case
//! for each kind of failure.
//!
//! It is not part of the test run. `cargo test --test laws survey_of_comments -- --ignored
//! --nocapture` starts it; `SURVEY=20000` sets the number of cases and `SURVEY_FROM=0` the number
//! of the first one.

use super::{disturb::Disturbance, disturbed, pieces, stay, with_git};
use crate::generate::commented::edits::{ADDITIONS, ALL, ALL_BUT_MOVES, VALUES};
use crate::generate::commented::{History, history};
use crate::survey::{nth, number, shrink};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use std::collections::BTreeMap;

/// The input of a law: a history, how local is rewritten, and the layout of the text.
type Subject = (History, Disturbance, u8);
type Law = fn(&Subject) -> Result<(), TestCaseError>;

/// Returns the kind of failure: the message without the details of the case.
fn failure(law: Law, subject: &Subject) -> Option<String> {
    let error = law(subject).err()?.to_string();
    let line = error.lines().next().unwrap_or("");
    let line = line.split(['#', '[']).next().unwrap_or("");
    Some(line.to_owned())
}

fn survey(name: &str, subjects: impl Strategy<Value = Subject>, law: Law) {
    let first = number("SURVEY_FROM").unwrap_or(0);
    let count = number("SURVEY").unwrap_or(20_000);
    let mut found: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
    for seed in first..first + count {
        let subject = nth(&subjects, seed).current();
        if let Some(kind) = failure(law, &subject) {
            let texts = subject.0.texts().into_array();
            let size = texts.iter().map(String::len).sum();
            found.entry(kind).or_default().push((size, seed));
        }
    }
    for (kind, mut seeds) in found {
        let times = seeds.len();
        println!("\n######## {name}: {kind} ({times} of {count})");
        seeds.sort_unstable();
        for (_, seed) in seeds
            .into_iter()
            .take(number("SHOWN").unwrap_or(1) as usize)
        {
            let mut tree = nth(&subjects, seed);
            shrink(&mut tree, |subject| {
                failure(law, subject).as_ref() == Some(&kind)
            });
            let subject = tree.current();
            if let Err(error) = law(&subject) {
                println!("{error}");
            }
            println!("{subject:?}");
        }
    }
}

#[test]
#[ignore = "a tool, not a test"]
fn survey_of_comments() {
    let any_way = || (select(&Disturbance::ALL[..]), 0..3u8);
    let all = || (history(ALL, ALL), any_way());
    let in_place = || (history(ALL_BUT_MOVES, ALL_BUT_MOVES), any_way());
    let flat = |(history, (disturbance, written))| (history, disturbance, written);
    survey("law 4", all().prop_map(flat), |it| {
        stay::is_idempotent(&it.0)
    });
    survey("law 9", in_place().prop_map(flat), |it| {
        stay::comments_stay(&it.0)
    });
    survey("law 9, moves", all().prop_map(flat), |it| {
        stay::comments_stay(&it.0)
    });
    let with_independent_edits = (
        history(ALL_BUT_MOVES, ALL_BUT_MOVES).prop_map(pieces::with_independent_edits),
        any_way(),
    );
    survey("law 2", with_independent_edits.prop_map(flat), |it| {
        pieces::pieces_fast_forward(&it.0, it.2)
    });
    let disturbed = |it: &Subject| disturbed::equals_rewritten_plain_merge(&it.0, it.1);
    let values = (history(ALL_BUT_MOVES, VALUES), any_way());
    survey("disturbed", values.prop_map(flat), disturbed);
    let own = (history(ALL, ADDITIONS), any_way());
    survey("disturbed, own", own.prop_map(flat), disturbed);
    if number("GIT").is_some() {
        survey("law 8", all().prop_map(flat), |it| {
            with_git::is_never_worse(&it.0)
        });
        survey("law 8, places", in_place().prop_map(flat), |it| {
            with_git::is_never_worse(&it.0)
        });
    }
}
