//! The layout of local's text does not affect the merge: the merge of a rewritten text is the
//! rewritten merge of the original text.

use super::disturb::{Disturbance, OWN, key};
use super::with_git::git;
use super::{comments, fails, merged, value};
use crate::drive::MergeResult;
use crate::generate::commented::edits::{ADDITIONS, ALL, ALL_BUT_MOVES, Edit, EditKind, VALUES};
use crate::generate::commented::{History, Piece, history};
use crate::value::Value;
use merge3::triple::Triple;
use proptest::prelude::*;
use proptest::sample::select;

/// Returns the first error in the comments above keys, or None: a comment that is duplicated,
/// stands above another key, or is lost although its key stays and no conflict reports it.
fn comment_error(before: &str, after: &MergeResult, updated: &str) -> Option<String> {
    let shown = |comment: &str| {
        let mut shown = after.conflicts.iter().map(|it| it.values().local);
        shown.any(|local| local.is_some_and(|local| local.contains(comment.trim())))
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
    let is_lost = |comment: &&str| {
        // many elements have the key `name`, so it does not identify one
        let name = named(comment).filter(|name| name != "name");
        let stays = name.is_some_and(|name| has(after, &name) && has(updated, &name));
        stays && !shown(comment) && !lines.iter().any(|line| line.trim() == comment.trim())
    };
    before
        .lines()
        .find(is_lost)
        .map(|comment| format!("lost: {comment}"))
}

fn has_same_lines(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| {
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines
    });
    one == other
}

/// Whether git merges the plain or the rewritten lines to the result. The order in which git puts
/// insertions of both sides depends on the blank lines between them (law 8).
fn is_git_result(texts: &Triple<String>, plain: &str, disturbed: &str, merged: &str) -> bool {
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

/// Returns a value with its maps sorted by key.
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

/// Whether every comment that upstream changes belongs to an entry. A standalone comment has no
/// defined place if the entries are in another order.
fn has_owners(history: &History, disturbance: Disturbance) -> bool {
    let is_standalone = |edit: &Edit| {
        matches!(
            edit.kind,
            EditKind::CommentOut | EditKind::Uncomment | EditKind::Banner
        ) || standalone_comments(&history.original).contains(&edit.id)
    };
    match disturbance {
        Disturbance::Bare => false,
        Disturbance::Reversed | Disturbance::Moved => !history.upstream.iter().any(is_standalone),
        _ => true,
    }
}

/// Returns the ids of the standalone comments.
fn standalone_comments(row: &[Piece]) -> Vec<u32> {
    let within = row
        .iter()
        .flat_map(|piece| standalone_comments(piece.children()));
    let here = row
        .iter()
        .filter(|piece| piece.is_comment())
        .map(|piece| piece.id);
    here.chain(within).collect()
}

pub(super) fn equals_rewritten_plain_merge(
    history: &History,
    disturbance: Disturbance,
) -> Result<(), TestCaseError> {
    let texts = history.texts();
    let local = disturbance.of(&texts.local);
    // doubled indentation changes the meaning of a list of maps
    let has_same_value = |local: &str| {
        let plain = value(&texts.local).ok().map(sorted);
        value(local).ok().map(sorted) == plain
    };
    if local == texts.local || !has_same_value(&local) {
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
    let run = with(&local)?;
    let mut wrong = None;
    if sorted(value(&run.text)?) != sorted(value(&plain)?) {
        wrong = Some("values: not the plain merge's".to_owned());
    } else if with(&run.text)?.text != run.text {
        wrong = Some("again: a second merge changes something".to_owned());
    } else if let Some(undone) = disturbance.undone(&run.text) {
        let wanted = disturbance.undone(&plain).unwrap_or_default();
        let is_git_result = || is_git_result(&texts, &plain, &local, &run.text);
        if undone != wanted && !(has_same_lines(&undone, &wanted) && is_git_result()) {
            wrong = Some("text: without the disturbance it is not the plain merge".to_owned());
        }
    } else if has_owners(history, disturbance) && comments(&run.text) != comments(&plain) {
        wrong = Some("comments: not the plain merge's".to_owned());
    }
    if disturbance == Disturbance::Comments {
        wrong = comment_error(&local, &run, &updated).or(wrong);
    }
    match wrong {
        None => Ok(()),
        Some(wrong) => Err(fails(
            &format!("{disturbance:?}: {wrong}"),
            &[
                ("disturbed", &local),
                ("plain merge", &plain),
                ("merge of the rewritten text", &run.text),
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
        equals_rewritten_plain_merge(&history, disturbance)?;
    }

    #[test]
    fn a_disturbed_text_with_own_entries_merges_as_the_plain_one(
        history in history(ALL, ADDITIONS),
        disturbance in select(&Disturbance::ALL[..]),
    ) {
        equals_rewritten_plain_merge(&history, disturbance)?;
    }
}
