//! Law 9: the merge does not lose or duplicate a comment, or put it beside another entry, whatever
//! the sides changed. Law 4 is checked on the same texts.

use super::{comment, comments, entry, fails, merged};
use crate::generate::commented::edits::{ALL, ALL_BUT_MOVES, Edit, EditKind, is_text_of_a_list};
use crate::generate::commented::{History, history};
use merge3::merge::{Conflict, ConflictKind};
use merge3::triple::Triple;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The two nearest entries above a comment line and the two below it, the nearest first.
type Neighbours<'t> = [Vec<&'t str>; 2];

/// Returns the neighbours of each comment line. An element that upstream changed in `replaced`
/// counts as the same entry as before.
fn neighbours<'t>(
    text: &'t str,
    replaced: &'t BTreeMap<String, String>,
) -> BTreeMap<&'t str, Neighbours<'t>> {
    let lines: Vec<&str> = text.lines().collect();
    let entry = |line: &&'t str| {
        let words = entry(line)?;
        Some(replaced.get(words).map_or(words, String::as_str))
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own_line = |line: &&str| line.trim_start().starts_with('#');
    let mut found = BTreeMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| own_line(line)) {
        let Some(comment) = comment(line) else {
            continue;
        };
        let (above, below) = lines.split_at(at);
        // children of an entry above are not neighbours
        let mut column = indent(line);
        let is_outside = |line: &&&str| {
            let is_outside = indent(line) <= column;
            column = column.min(indent(line));
            is_outside
        };
        let above = above.iter().rev().filter(|line| entry(line).is_some());
        let above = above
            .filter(is_outside)
            .filter_map(entry)
            .chain(["(start)"]);
        let below = below.iter().filter_map(entry).chain(["(end)"]);
        found.insert(comment, [above.take(2).collect(), below.take(2).collect()]);
    }
    found
}

/// Whether a comment is still beside one of its entries, with at most one entry between them.
fn is_by_one_of(now: &Neighbours<'_>, then: &Neighbours<'_>) -> bool {
    let meet = |now: &[&str], then: &[&str]| {
        now.first().is_some_and(|near| then.contains(near))
            || then.first().is_some_and(|near| now.contains(near))
    };
    meet(&now[0], &then[0]) || meet(&now[1], &then[1])
}

/// Returns what is wrong with a comment, given which texts have it and how often the result has it.
fn comment_error(
    counts: Triple<bool>,
    merged: usize,
    history: &History,
    conflicts: &[Conflict],
    comment: &str,
) -> Option<&'static str> {
    // an element of a list that is a text becomes another element when its value changes
    let replaces = |edit: &Edit| {
        edit.kind == EditKind::ChangeValue && is_text_of_a_list(&history.original, edit.id, false)
    };
    let deletes = |edit: &Edit| {
        matches!(
            edit.kind,
            EditKind::Remove | EditKind::CommentOut | EditKind::Uncomment
        ) || replaces(edit)
    };
    let deleted = || history.local.iter().any(deletes);
    let reports = |conflict: &Conflict| {
        let local = conflict.values().local;
        // a comment that the check of the program itself reports as lost is a failure
        conflict.kind != ConflictKind::Text
            && (local.is_some_and(|text| text.contains(comment))
                || conflict.path().ends_with("(comment)"))
    };
    let is_reported = || conflicts.iter().any(reports);
    let agrees =
        conflicts.is_empty() && !history.upstream.iter().chain(&history.local).any(replaces);
    let Triple {
        original,
        updated,
        local,
    } = counts;
    match (original, updated, local, merged) {
        (_, _, _, 2..) => Some("twice"),
        (_, true, true, 0) => Some("lost: all sides have it"),
        (false, false, true, 0) if !is_reported() => Some("lost: local's own, without a conflict"),
        (false, true, false, 0) if conflicts.is_empty() && !deleted() => {
            Some("lost: upstream's new one")
        }
        (true, false, true, 1) if agrees => Some("still present: upstream removed it"),
        (true, true, false, 1) if agrees => Some("came back: local removed it"),
        _ => None,
    }
}

pub(super) fn comments_stay(history: &History) -> Result<(), TestCaseError> {
    let texts = history.texts();
    let run = merged(&texts)?;
    let texts = texts.as_ref().map(String::as_str);
    let (counts, now) = (texts.map(comments), comments(&run.text));
    let fails = |what: &str, comment: &str| {
        Err(fails(
            &format!("{what}: {comment}; conflicts: {:?}", run.conflicts),
            &[("merged", &run.text)],
        ))
    };
    let mut all: Vec<&str> = counts
        .as_ref()
        .into_array()
        .into_iter()
        .flat_map(|side| side.keys().copied())
        .collect();
    all.extend(now.keys());
    all.sort_unstable();
    all.dedup();
    for comment in all {
        let present = counts.as_ref().map(|side| side.contains_key(comment));
        let merged = now.get(comment).copied().unwrap_or(0);
        if let Some(what) = comment_error(present, merged, history, &run.conflicts, comment) {
            return fails(what, comment);
        }
    }
    let replaced = history
        .upstream
        .iter()
        .filter(|edit| edit.kind == EditKind::ChangeValue);
    let replaced =
        replaced.map(|edit| (format!("value{}", edit.number), format!("value{}", edit.id)));
    let replaced: BTreeMap<String, String> = replaced.collect();
    let then = texts.map(|text| neighbours(text, &replaced));
    for (comment, now) in neighbours(&run.text, &replaced) {
        let mut sides = then
            .as_ref()
            .into_array()
            .into_iter()
            .filter_map(|side| side.get(comment));
        if !sides.any(|then| is_by_one_of(&now, then)) {
            return fails("beside another entry", comment);
        }
    }
    Ok(())
}

pub(super) fn is_idempotent(history: &History) -> Result<(), TestCaseError> {
    let texts = history.texts();
    let once = merged(&texts)?.text;
    let local = once.clone();
    let twice = merged(&Triple { local, ..texts })?.text;
    match twice == once {
        true => Ok(()),
        false => Err(fails(
            "a second merge changes something",
            &[("once", &once), ("twice", &twice)],
        )),
    }
}

proptest! {
    #![proptest_config(crate::config(3000))]

    #[test]
    fn law_9_comments_stay(history in history(ALL_BUT_MOVES, ALL_BUT_MOVES)) {
        comments_stay(&history)?;
    }

    #[test]
    fn law_4_idempotent_with_comments_everywhere(history in history(ALL, ALL)) {
        is_idempotent(&history)?;
    }

    #[test]
    fn law_9_comments_stay_where_entries_move(history in history(ALL, ALL)) {
        comments_stay(&history)?;
    }
}
