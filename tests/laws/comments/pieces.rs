//! Law 2 at every level: a piece of text that one side left alone becomes the other side's. Where
//! the sides edit different pieces, the result is the original with the edits of both made one
//! after the other.

use super::{fails, merged};
use crate::generate::commented::edits::{
    ALL_BUT_MOVES, Edit, What, edited, ids, is_text_of_a_list,
};
use crate::generate::commented::{History, Piece, history, render};
use merge3::triple::Triple;
use proptest::prelude::*;

/// Where a piece is among all of them, and where the last one in it.
fn range(original: &[Piece], id: u32) -> (usize, usize) {
    let all = ids(original);
    let at = all.iter().position(|other| *other == id).unwrap();
    (at, at + descendants(original, id).unwrap_or(0))
}

fn descendants(row: &[Piece], id: u32) -> Option<usize> {
    row.iter().find_map(|piece| match piece.id == id {
        true => Some(ids(piece.children()).len()),
        false => descendants(piece.children(), id),
    })
}

/// Whether an edit is one of an entry's own line, and leaves the lines around it alone.
fn is_of_one_line(edit: &Edit) -> bool {
    matches!(edit.what, What::Value | What::Remark | What::RemarkGoes)
}

fn takes_away(edit: &Edit) -> bool {
    matches!(edit.what, What::Remove | What::CommentOut | What::Uncomment)
}

fn changes_values(edit: &Edit) -> bool {
    edit.what == What::Value || takes_away(edit)
}

/// Whether two edits have nothing to do with each other: they are of different pieces, and not at
/// one place.
fn are_apart(original: &[Piece], one: &Edit, other: &Edit) -> bool {
    let (a, b) = (range(original, one.id), range(original, other.id));
    let of_texts = [one, other].map(|edit| is_text_of_a_list(original, edit.id, false));
    if of_texts == [true; 2] && (one.id == other.id || changes_values(one) && changes_values(other))
    {
        return false;
    }
    match (is_of_one_line(one), is_of_one_line(other)) {
        (true, true) => {
            one.id != other.id || (one.what == What::Value) != (other.what == What::Value)
        }
        (true, false) => !(takes_away(other) && b.0 <= a.0 && a.0 <= b.1),
        (false, true) => !(takes_away(one) && a.0 <= b.0 && b.0 <= a.1),
        (false, false) => a.1 + 1 < b.0 || b.1 + 1 < a.0,
    }
}

/// The history without the local edits that are not apart from upstream's.
pub(super) fn apart(mut history: History) -> History {
    let History {
        original,
        upstream,
        own,
    } = &mut history;
    own.retain(|edit| {
        upstream
            .iter()
            .all(|other| are_apart(original, edit, other))
    });
    history
}

/// A space at the end of each line that has a key: it says nothing, and no line merge finds its
/// way.
fn spaced(text: &str) -> String {
    let line = |line: &str| match line.contains(':') && !line.contains('#') {
        true => format!("{line} \n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn trimmed(text: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

pub(super) fn pieces_fast_forward(history: &History, disturbed: u8) -> Result<(), TestCaseError> {
    let both = |first: &[Edit], second: &[Edit]| {
        render(&edited(&edited(&history.original, first), second))
    };
    let expected = both(&history.upstream, &history.own);
    // where the order of the edits matters, they are not apart
    if expected != both(&history.own, &history.upstream) {
        return Ok(());
    }
    let texts = history.texts();
    let local = match disturbed {
        0 => texts.local.clone(),
        1 => spaced(&texts.local),
        _ => texts.local.replace('\n', "\r\n"),
    };
    let ran = merged(&Triple { local, ..texts })?;
    let found = trimmed(&ran.text);
    match found == expected && ran.conflicts.is_empty() {
        true => Ok(()),
        false => Err(fails(
            &format!("not the edits of both; conflicts: {:?}", ran.conflicts),
            &[("expected", &expected), ("merged", &found)],
        )),
    }
}

proptest! {
    #![proptest_config(crate::config(4000))]

    #[test]
    fn law_2_pieces_fast_forward(
        history in history(ALL_BUT_MOVES, ALL_BUT_MOVES).prop_map(apart),
        disturbed in 0..3u8,
    ) {
        pieces_fast_forward(&history, disturbed)?;
    }
}
