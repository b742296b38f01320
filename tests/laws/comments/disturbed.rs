//! How local's text is written is no matter: the merge of a disturbed text is the plain merge,
//! disturbed.

use super::disturb::{Disturbance, OWN, key};
use super::with_git::git;
use super::{comments, fails, merged, value};
use crate::drive::Ran;
use crate::generate::commented::edits::{ADDITIONS, ALL, ALL_BUT_MOVES, Edit, VALUES, What};
use crate::generate::commented::{History, Piece, history};
use crate::value::Value;
use merge3::triple::Triple;
use proptest::prelude::*;
use proptest::sample::select;

/// What is wrong with the remarks above keys: one twice, by a stranger, or lost though its key is
/// there and no conflict shows it.
fn remarks(before: &str, after: &Ran, updated: &str) -> Option<String> {
    let shown = |remark: &str| {
        let mut shown = after.conflicts.iter().map(|it| it.values.local.as_deref());
        shown.any(|local| local.is_some_and(|local| local.contains(remark.trim())))
    };
    let after = after.text.as_str();
    let lines: Vec<&str> = after.lines().collect();
    let named = |line: &str| {
        Some(
            line.split_once(OWN)?
                .1
                .split_whitespace()
                .last()?
                .to_owned(),
        )
    };
    let has = |text: &str, name: &str| text.lines().any(|line| key(line) == Some(name));
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = named(line) else { continue };
        if lines[..at].iter().any(|other| other.trim() == line.trim()) {
            return Some(format!("twice: {line}"));
        }
        let below = lines[at..].iter().find_map(|line| key(line));
        if has(after, &name) && below != Some(&name) {
            return Some(format!("by a stranger: {line}"));
        }
    }
    let is_lost = |remark: &&str| {
        // the names of elements are many keys of one name
        let name = named(remark).filter(|name| name != "name");
        let stays = name.is_some_and(|name| has(after, &name) && has(updated, &name));
        stays && !shown(remark) && !lines.iter().any(|line| line.trim() == remark.trim())
    };
    before
        .lines()
        .find(is_lost)
        .map(|remark| format!("lost: {remark}"))
}

fn has_same_lines(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| {
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines
    });
    one == other
}

/// Whether git makes of the plain or of the disturbed lines what was merged: in what order it puts
/// what both sides inserted depends on the blank lines between (law 8).
fn is_gits(texts: &Triple<String>, plain: &str, disturbed: &str, merged: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let texts = texts.as_ref().map(String::as_str);
    let disturbed = Triple {
        local: disturbed,
        ..texts
    };
    [(texts, plain), (disturbed, merged)]
        .into_iter()
        .any(|(texts, merged)| git(texts, folder.path()).is_some_and(|gits| gits == merged))
}

/// A value with its maps in the order of their keys.
fn sorted(value: Value) -> Value {
    match value {
        Value::Map(fields) => {
            let mut fields: Vec<_> = fields
                .into_iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Map(fields)
        }
        Value::List(elements) => Value::List(elements.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// Whether all comments that upstream touches are an entry's. Those that stand alone have no place
/// in another order of the entries.
fn has_owners(history: &History, disturbance: Disturbance) -> bool {
    let stands_alone = |edit: &Edit| {
        matches!(edit.what, What::CommentOut | What::Uncomment | What::Banner)
            || stand_alone(&history.original).contains(&edit.id)
    };
    match disturbance {
        Disturbance::Bare => false,
        Disturbance::Reversed | Disturbance::Moved => !history.upstream.iter().any(stands_alone),
        _ => true,
    }
}

/// The comments that are no entry's.
fn stand_alone(row: &[Piece]) -> Vec<u32> {
    let within = row.iter().flat_map(|piece| stand_alone(piece.children()));
    let here = row
        .iter()
        .filter(|piece| piece.is_comment())
        .map(|piece| piece.id);
    here.chain(within).collect()
}

pub(super) fn is_the_plain_merge_disturbed(
    history: &History,
    disturbance: Disturbance,
) -> Result<(), TestCaseError> {
    let texts = history.texts();
    let local = disturbance.of(&texts.local);
    // a list of maps is something else with its indentation doubled
    let says_the_same = |local: &str| {
        let plain = value(&texts.local).ok().map(sorted);
        value(local).ok().map(sorted) == plain
    };
    if local == texts.local || !says_the_same(&local) {
        return Ok(());
    }
    let updated = texts.updated.clone();
    let plain = merged(&texts)?.text;
    let with = |local: &str| {
        merged(&Triple {
            local: local.to_owned(),
            ..texts.clone()
        })
    };
    let ran = with(&local)?;
    let mut wrong = None;
    if sorted(value(&ran.text)?) != sorted(value(&plain)?) {
        wrong = Some("values: not the plain merge's".to_owned());
    } else if with(&ran.text)?.text != ran.text {
        wrong = Some("again: a second merge changes something".to_owned());
    } else if let Some(undone) = disturbance.undone(&ran.text) {
        let wanted = disturbance.undone(&plain).unwrap_or_default();
        let is_gits = || is_gits(&texts, &plain, &local, &ran.text);
        if undone != wanted && !(has_same_lines(&undone, &wanted) && is_gits()) {
            wrong = Some("text: without the disturbance it is not the plain merge".to_owned());
        }
    } else if has_owners(history, disturbance) && comments(&ran.text) != comments(&plain) {
        wrong = Some("comments: not the plain merge's".to_owned());
    }
    if disturbance == Disturbance::Remarks {
        wrong = remarks(&local, &ran, &updated).or(wrong);
    }
    match wrong {
        None => Ok(()),
        Some(wrong) => Err(fails(
            &format!("{disturbance:?}: {wrong}"),
            &[
                ("disturbed", &local),
                ("plain merge", &plain),
                ("merge of the disturbed", &ran.text),
            ],
        )),
    }
}

proptest! {
    #![proptest_config(crate::config(4000))]

    #[test]
    fn a_disturbed_text_merges_as_the_plain_one(
        history in history(ALL_BUT_MOVES, VALUES),
        disturbance in select(&Disturbance::ALL[..]),
    ) {
        is_the_plain_merge_disturbed(&history, disturbance)?;
    }

    #[test]
    fn a_disturbed_text_with_own_entries_merges_as_the_plain_one(
        history in history(ALL, ADDITIONS),
        disturbance in select(&Disturbance::ALL[..]),
    ) {
        is_the_plain_merge_disturbed(&history, disturbance)?;
    }
}
