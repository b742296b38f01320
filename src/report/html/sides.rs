//! The three values of a record, side by side, with what differs marked.

use std::ops::Range;

use super::out::Out;
use crate::differences::{AlignedRange, differences, differences_of_lines};
use crate::merge::{ConflictKind, Resolution};
use crate::package::FileConflict;
use crate::triple::Side;

/// How many lines of a value are shown: of one with more, those that differ and some around.
const LINES: usize = 40;
/// How many lines around.
const CONTEXT: usize = 2;
/// How many bytes of a value are shown at most.
const BYTES: usize = 6_000;
/// How many lines a value may have for what differs in it to be looked for.
const MOST: usize = 20_000;

/// Writes them.
pub(super) fn write(out: &mut Out, record: &FileConflict) {
    let values = record.conflict.values.as_ref();
    let values = values.map(|value| value.as_deref().map(|it| it.trim_end_matches('\n')));
    let is_combined = matches!(record.conflict.kind, ConflictKind::Combined(_));
    let taken = match record.conflict.resolution {
        Resolution::Updated if !is_combined => Some(Side::Updated),
        Resolution::Local if !is_combined => Some(Side::Local),
        _ => None,
    };
    out.raw("<dl class=\"sides\">\n");
    for side in Side::ALL.into_array() {
        let is_taken = taken == Some(side);
        out.raw(match is_taken {
            true => "<div class=\"taken\"><dt>",
            false => "<div><dt>",
        });
        out.raw(side.as_str());
        if is_taken {
            out.raw(" <small>taken</small>");
        }
        out.raw("</dt>");
        match values[side] {
            None => drop(out.raw("<dd class=\"none\">absent")),
            Some("") => drop(out.raw("<dd class=\"none\">empty")),
            Some(value) => {
                // with nothing before, what tells the sides apart is marked
                let others = Side::ALL.into_array().into_iter().filter(|it| *it != side);
                let before = others.filter_map(|other| values[other]).next();
                let before = before.filter(|_| !record.hidden);
                out.raw("<dd><pre>");
                write_value(out, value, before, side != Side::Original);
                out.raw("</pre>");
            }
        }
        out.raw("</dd></div>\n");
    }
    out.raw("</dl>\n");
}

/// Writes a value. What is not in the one `before` it is marked, if that `is_marked`.
fn write_value(out: &mut Out, value: &str, before: Option<&str>, is_marked: bool) {
    let count = value.lines().count();
    let mut left = BYTES;
    let before = before.filter(|before| count.max(before.lines().count()) <= MOST);
    let mut piece = |out: &mut Out, old: Option<&str>, new: &str| {
        let new = cut(new, left);
        left -= new.len();
        match old.filter(|_| is_marked) {
            Some(old) => marked(out, cut(old, BYTES), new),
            None => drop(out.text(new)),
        }
    };
    match before {
        Some(before) if count > LINES && before != value => {
            let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
            let (old, new) = (lines(before), lines(value));
            let changed: Vec<AlignedRange> = differences_of_lines(&old, &new).changed().collect();
            let is_near = |above: &AlignedRange, below: &AlignedRange| {
                below.old.start - above.old.end <= 2 * CONTEXT
            };
            for group in changed.chunk_by(is_near) {
                let (Some(first), Some(last)) = (group.first(), group.last()) else {
                    continue;
                };
                let from = with_context(first.old.start..last.old.end, old.len());
                let to = with_context(first.new.start..last.new.end, new.len());
                if to.start > 0 {
                    out.raw("<i>...</i>\n");
                }
                piece(out, Some(&old[from].concat()), &new[to].concat());
            }
        }
        _ => {
            let end = value.split_inclusive('\n').take(LINES).map(str::len).sum();
            piece(out, before, &value[..end]);
        }
    }
    if count > LINES {
        out.fill("\n<i>of {} lines</i>", [&count.to_string()]);
    } else if value.len() > BYTES {
        out.raw("\n<i>and more</i>");
    }
}

/// Some lines of a text of `count` lines, with those around them.
fn with_context(lines: Range<usize>, count: usize) -> Range<usize> {
    lines.start.saturating_sub(CONTEXT)..(lines.end + CONTEXT).min(count)
}

/// The beginning of a text, of so many bytes at most.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A text with what is not in the one before it marked.
fn marked(out: &mut Out, before: &str, text: &str) {
    let (old, new) = (words(before), words(text));
    for part in differences(&old, &new).ranges() {
        let piece = new[part.new].concat();
        match part.is_same {
            true => drop(out.text(&piece)),
            false if piece.is_empty() => {}
            false => drop(out.raw("<mark>").text(&piece).raw("</mark>")),
        }
    }
}

/// A text cut into words, space, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        ' ' => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let class = class(c);
        if at > start && (last != Some(class) || class == 2) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class);
    }
    words.extend(Some(&text[start..]).filter(|rest| !rest.is_empty()));
    words
}
