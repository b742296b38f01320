//! Reports all failures of the laws of text at once ([`crate::survey`]); `GIT=1` adds law 8.

use super::{disturb::Disturbance, disturbed, pieces, stay, with_git};
use crate::generate::commented::edits::{ADDITIONS, ALL, ALL_BUT_MOVES, VALUES};
use crate::generate::commented::{History, history};
use crate::survey::{Cases, Law, number};
use proptest::prelude::*;
use proptest::sample::select;

/// The input of a law: a history, how local is rewritten, and the layout of the text.
type Subject = (History, Disturbance, u8);

const CASES: Cases<Subject> = Cases {
    size: |subject| subject.0.texts().into_array().iter().map(String::len).sum(),
    // the message without the details of the case
    kind: |_, message| {
        let line = message.lines().next().unwrap_or("");
        line.split(['#', '[']).next().unwrap_or("").to_owned()
    },
};

fn survey(name: &str, subjects: impl Strategy<Value = Subject>, law: Law<Subject>) {
    crate::survey::survey(name, &subjects, &CASES, law);
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
