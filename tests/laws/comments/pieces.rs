//! Law 2 at every level: a piece of text that one side did not change becomes the other side's. If
//! the sides edit different pieces, the result is the original with both sides' edits applied in
//! turn.

use super::{fails, merged};
use crate::generate::commented::edits::{
    ALL_BUT_MOVES, Edit, EditKind, edited, ids, is_text_of_a_list,
};
use crate::generate::commented::{History, Piece, history, render};
use merge3::triple::Triple;
use proptest::prelude::*;

/// Returns the positions of a piece and of the last piece inside it, among all pieces.
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

/// Whether an edit changes only the entry's own line.
fn is_of_one_line(edit: &Edit) -> bool {
    matches!(
        edit.kind,
        EditKind::ChangeValue | EditKind::ChangeLineComment | EditKind::RemoveLineComment
    )
}

fn removes_text(edit: &Edit) -> bool {
    matches!(
        edit.kind,
        EditKind::Remove | EditKind::CommentOut | EditKind::Uncomment
    )
}

fn changes_values(edit: &Edit) -> bool {
    edit.kind == EditKind::ChangeValue || removes_text(edit)
}

/// Whether two edits are independent: they change different pieces, at different places.
fn are_independent(original: &[Piece], one: &Edit, other: &Edit) -> bool {
    let (a, b) = (range(original, one.id), range(original, other.id));
    let of_texts = [one, other].map(|edit| is_text_of_a_list(original, edit.id, false));
    if of_texts == [true; 2] && (one.id == other.id || changes_values(one) && changes_values(other))
    {
        return false;
    }
    match (is_of_one_line(one), is_of_one_line(other)) {
        (true, true) => {
            one.id != other.id
                || (one.kind == EditKind::ChangeValue) != (other.kind == EditKind::ChangeValue)
        }
        (true, false) => !(removes_text(other) && b.0 <= a.0 && a.0 <= b.1),
        (false, true) => !(removes_text(one) && a.0 <= b.0 && b.0 <= a.1),
        (false, false) => a.1 + 1 < b.0 || b.1 + 1 < a.0,
    }
}

/// Returns the history without the local edits that depend on upstream's.
pub(super) fn with_independent_edits(mut history: History) -> History {
    let History {
        original,
        upstream,
        local,
    } = &mut history;
    local.retain(|edit| {
        upstream
            .iter()
            .all(|other| are_independent(original, edit, other))
    });
    history
}

/// Adds a trailing space to each line that has a key: the values stay the same, and a line merge
/// conflicts.
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
    let expected = both(&history.upstream, &history.local);
    // edits whose order matters are not independent
    if expected != both(&history.local, &history.upstream) {
        return Ok(());
    }
    let texts = history.texts();
    let local = match disturbed {
        0 => texts.local.clone(),
        1 => spaced(&texts.local),
        _ => texts.local.replace('\n', "\r\n"),
    };
    let run = merged(&Triple { local, ..texts })?;
    let found = trimmed(&run.text);
    match found == expected && run.conflicts.is_empty() {
        true => Ok(()),
        false => Err(fails(
            &format!(
                "not the result of both sides' edits; conflicts: {:?}",
                run.conflicts
            ),
            &[("expected", &expected), ("merged", &found)],
        )),
    }
}

proptest! {
    #![proptest_config(crate::config(4000))]

    #[test]
    fn law_2_pieces_fast_forward(
        history in history(ALL_BUT_MOVES, ALL_BUT_MOVES).prop_map(with_independent_edits),
        disturbed in 0..3u8,
    ) {
        pieces_fast_forward(&history, disturbed)?;
    }
}
