//! Turns decisions into a text, and checks that the text has the decided values.
//!
//! If the first attempt fails the check, the text is written again with aliases written out.

use rustc_hash::FxHashSet;

use super::Options;
use super::anchors;
use super::body::with_end_of;
use super::check::{VerificationError, check, last_lines};
use super::decision::Outcome;
use super::edit::{self, Aliases, Draft, can_write_out_aliases, carry_out, set_last_lines};
use super::markers::{fill, mark, mark_once, write_hunk};
use crate::parallel::both;
use crate::triple::{Side, Triple};
use crate::yaml::Tree;

/// Returns the merged text; `None` if nothing changes. If no edit gives the decided values because
/// of anchors and aliases, the documents merge again, by `decide`, with aliases written out: those
/// whose anchors do not keep their value, or else all.
///
/// # Errors
/// If the merged text does not have the decided values, or `decide` fails.
pub(crate) fn merged_or_written_out<E: From<VerificationError>>(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
    decide: impl Fn(Triple<&Tree<'_>>) -> Result<Outcome, E>,
) -> Result<Option<String>, E> {
    let result = merged_or_marked(trees, outcome, options);
    if result.is_ok() || !(trees.updated.has_aliases() || trees.local.has_aliases()) {
        return Ok(result?);
    }
    let merged_with = |updated: Aliases<'_>, local: Aliases<'_>| -> Result<String, E> {
        let updated = written_out(trees.updated, updated)?;
        let local_text = written_out(trees.local, local)?;
        let (updated, local) = (read_again(&updated)?, read_again(&local_text)?);
        let trees = Triple::new(trees.original, &updated, &local);
        let text = merged_or_marked(trees, &decide(trees)?, options)?;
        Ok(text.unwrap_or(local_text.clone()))
    };
    let text = merged_with(Aliases::WriteOut, Aliases::WriteOut)?;
    let anchors = |tree| equal_anchors(tree, &text);
    let (updated, local) = (anchors(trees.updated), anchors(trees.local));
    let common: FxHashSet<&str> = updated.intersection(&local).copied().collect();
    let fewest = [(&updated, &local), (&common, &common)].into_iter();
    let fewest = fewest.filter(|(updated, local)| !updated.is_empty() || !local.is_empty());
    let mut texts = fewest.filter_map(|(updated, local)| {
        let [updated, local] = [updated, local].map(Aliases::WriteOutBut);
        merged_with(updated, local).ok()
    });
    Ok(Some(texts.next().unwrap_or(text)))
}

/// Returns the anchors, with the `&`, that a document and a text have once each, with equal values.
fn equal_anchors<'s>(tree: &Tree<'s>, text: &str) -> FxHashSet<&'s str> {
    let read = read_again(text);
    read.map(|other| anchors::equal_anchors(tree, &other))
        .unwrap_or_default()
}

/// Returns the merged text, with conflict markers if a conflict is left open; `None` if nothing
/// changes.
fn merged_or_marked(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
) -> Result<Option<String>, VerificationError> {
    match outcome.has_open_conflict() {
        true => marked_text(trees, outcome, options).map(Some),
        false => edited(trees, outcome),
    }
}

/// Carries decisions out on local's text; new values come from updated. Returns `None` if nothing
/// changes.
pub(crate) fn edited(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
) -> Result<Option<String>, VerificationError> {
    match outcome {
        Outcome::Keep => Ok(None),
        outcome => merged_text(trees, outcome).map(Some),
    }
}

/// Returns the merged text with both sides of each open conflict between markers. The text of each
/// side is checked.
fn marked_text(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
) -> Result<String, VerificationError> {
    let draft = carry_out(trees, outcome, Aliases::Stay);
    if let Some(text) = marked_draft(&draft, trees, outcome, options) {
        return Ok(text);
    }
    let local = merged_text(trees, &outcome.choose(Side::Local))?;
    let updated = merged_text(trees, &outcome.choose(Side::Updated))?;
    let texts = Triple::new(trees.original.text(), &updated, &local);
    // what only one side changed is in both texts, and may not fit between the other side's lines
    let are_readable = [Side::Local, Side::Updated].iter().all(|side| {
        let text = fill(texts, |text, hunk| text.push_str(hunk[*side]));
        read_again(&text).is_ok()
    });
    Ok(match are_readable {
        true => mark(texts, &options.markers),
        false => mark_once(texts, &options.markers),
    })
}

/// Returns a draft with its hunks between markers; `None` if a side of it fails the check.
fn marked_draft(
    draft: &Draft,
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
) -> Option<String> {
    let local_text = trees.local.text();
    let is_side = |side: Side| {
        let text = draft.fill(|text, hunk| text.push_str(&hunk[side]));
        let text = with_end_of(text, local_text);
        is_verified(&text, trees, outcome, Some(side)).is_ok()
    };
    let (local, updated) = (|| is_side(Side::Local), || is_side(Side::Updated));
    let are_sides = || both(draft.text.len(), local, updated) == (true, true);
    if draft.hunks.is_empty() || !are_sides() {
        return None;
    }
    let marked = draft.fill(|text, hunk| {
        let texts = hunk.as_ref().map(String::as_str);
        write_hunk(text, texts, &options.markers);
    });
    Some(with_end_of(marked, local_text))
}

/// Returns the text of a document with all aliases written out.
///
/// # Errors
/// If it becomes too long.
pub(crate) fn without_aliases(tree: &Tree<'_>) -> Result<String, VerificationError> {
    written_out(tree, Aliases::WriteOut)
}

/// Returns the text of a document with its aliases written out as `aliases` says.
fn written_out(tree: &Tree<'_>, aliases: Aliases<'_>) -> Result<String, VerificationError> {
    edit::written_out(tree, aliases).ok_or_else(|| VerificationError {
        path: String::new(),
        message: "writing out its aliases would make it too long".to_owned(),
    })
}

/// Carries the decisions out on local's text. If the result fails the check, it tries again with
/// aliases written out, as few as possible.
fn merged_text(trees: Triple<&Tree<'_>>, outcome: &Outcome) -> Result<String, VerificationError> {
    let result = edited_text(trees, outcome, Aliases::Stay);
    let sides = [trees.updated, trees.local];
    if result.is_ok()
        || !sides.iter().any(|tree| tree.has_aliases())
        || !sides.into_iter().all(can_write_out_aliases)
    {
        return result;
    }
    edited_text(trees, outcome, Aliases::WriteOutTouched).or_else(|_| {
        let text = edited_text(trees, outcome, Aliases::WriteOut)?;
        Ok(with_equal_aliases(text, trees, outcome))
    })
}

/// Returns a text in which those aliases from updated are written out whose anchors have another
/// value in it. In `text`, all are.
fn with_equal_aliases(text: String, trees: Triple<&Tree<'_>>, outcome: &Outcome) -> String {
    let anchors = equal_anchors(trees.updated, &text);
    match anchors.is_empty() {
        true => text,
        false => edited_text(trees, outcome, Aliases::WriteOutBut(&anchors)).unwrap_or(text),
    }
}

/// Returns local's text with the edits if it passes the check.
fn edited_text(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    aliases: Aliases<'_>,
) -> Result<String, VerificationError> {
    let draft = carry_out(trees, outcome, aliases);
    let text = with_end_of(draft.text, trees.local.text());
    let Err(verification_error) = is_verified(&text, trees, outcome, None) else {
        return Ok(text);
    };
    // the line breaks at the end of a block scalar may be part of its value
    let repaired = with_last_lines(&text, trees, outcome).ok_or(verification_error)?;
    is_verified(&repaired, trees, outcome, None).map(|()| repaired)
}

/// Returns the text with the decided number of line breaks at the end of block scalars that keep
/// them (`|+`), if nothing else differs from the decisions. Where an entry comes or goes below such
/// a scalar, its line breaks look like blank lines between entries to the edits.
fn with_last_lines(text: &str, trees: Triple<&Tree<'_>>, outcome: &Outcome) -> Option<String> {
    let merged = read_again(text).ok()?;
    let last_lines = last_lines(&merged, trees, outcome).ok()?;
    Some(set_last_lines(&merged, &last_lines))
}

/// Whether carrying the decisions out does not change a byte of local's text.
pub(super) fn is_carried_out(trees: Triple<&Tree<'_>>, outcome: &Outcome) -> bool {
    let is_local_text = || {
        let draft = carry_out(trees, outcome, Aliases::Stay);
        with_end_of(draft.text, trees.local.text()) == trees.local.text()
    };
    *outcome == Outcome::Keep || !outcome.has_open_conflict() && is_local_text()
}

/// Checks that a text has the decided values; `side` is the side to take in open conflicts.
pub(super) fn is_verified(
    text: &str,
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    side: Option<Side>,
) -> Result<(), VerificationError> {
    // do not parse a text again that is that of a side
    let mut sides = [trees.local, trees.updated].into_iter();
    match sides.find(|tree| tree.text() == text) {
        Some(tree) => check(tree, trees, outcome, side),
        None => check(&read_again(text)?, trees, outcome, side),
    }
}

/// Parses a merged text.
pub(super) fn read_again(text: &str) -> Result<Tree<'_>, VerificationError> {
    let unreadable = |message: String| VerificationError {
        path: String::new(),
        message,
    };
    match Tree::parse(text) {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(unreadable("the merged text has no content".to_owned())),
        Err(error) => Err(unreadable(error.message)),
    }
}
