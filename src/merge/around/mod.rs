//! Merges the text around a document: the head of a file, the comments at a `---` line, and those
//! below a value that is not a block collection (rules: Text).
//!
//! The texts become rows of comments and blank lines (`row`), which [`super::rows`] merges.

mod row;

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::conflict::{Conflict, ConflictTexts};
use super::rows::{self, CommentConflict, MergedRow, Placed, Presence};
use super::text::merge_lines_with;
use super::{OnConflict, Options, Resolution};
use crate::line_breaks::{ends_line, lines_with_breaks, with_line_break};
use crate::triple::{Side, Triple};
use crate::white_space::{trimmed, trimmed_end, trimmed_start};
use crate::yaml::stream::{below_marker, byte_order_mark, frame, marker};
use row::{Frame, Row};

/// The path of a conflict above a document.
pub(crate) const HEAD: &str = "(head)";

/// The path of a conflict below a document.
const BELOW: &str = "(comment)";

/// The merged text above a document, or below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MergedAround {
    pub(crate) text: String,
    pub(crate) conflicts: Vec<Conflict>,
}

impl MergedAround {
    /// Returns a merged text that has no conflicts.
    pub(crate) fn without_conflicts(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            conflicts: Vec::new(),
        }
    }
}

/// Merges the text above a document, down to the start of its body. Returns `None` if local's text
/// stays. Where content follows, the caller uses [`set_off`] on the result.
///
/// Comments and blank lines merge as those between entries do. A byte order mark and directives
/// stay as local has them. `has_frame` says whether the result has a `---` line.
pub(crate) fn merge_above(
    sides: Triple<&str>,
    has_frame: bool,
    line_break: &str,
    options: &Options,
) -> Option<MergedAround> {
    merge((sides, false), has_frame, line_break, options, frame)
}

/// Merges the comments of three files of at most one document each, where the result has none of
/// their entries.
pub(crate) fn merge_without_entries(
    sides: Triple<&str>,
    has_frame: bool,
    line_break: &str,
    options: &Options,
) -> Option<MergedAround> {
    merge((sides, true), has_frame, line_break, options, frame)
}

/// Merges the text below the value of a document that is not a block collection: comments, blank
/// lines, and `---` lines with nothing below them. Returns `None` if local's text stays.
pub(crate) fn merge_below(
    sides: Triple<&str>,
    line_break: &str,
    options: &Options,
) -> Option<MergedAround> {
    // readers of YAML do not agree on whether a lone CR ends a line
    let has_lone_cr = |text| lines_with_breaks(text).any(|line| line.ends_with('\r'));
    if sides.map(has_lone_cr).into_array().contains(&true) {
        return None;
    }
    let mut merged = merge((sides, false), false, line_break, options, |_| None)?;
    for conflict in &mut merged.conflicts {
        conflict.set_path(BELOW);
    }
    Some(merged)
}

/// Merges three texts, of which `frame` returns the `---` line with its directives. The flag beside
/// the texts says whether they have entries.
fn merge(
    (sides, has_entries): (Triple<&str>, bool),
    has_frame: bool,
    line_break: &str,
    options: &Options,
    frame: impl Fn(&str) -> Option<Range<usize>>,
) -> Option<MergedAround> {
    let is_unchanged = sides.updated == sides.original || sides.updated == sides.local;
    let original = with_line_break(sides.original, line_break);
    let updated = with_line_break(sides.updated, line_break);
    let sides = Triple::new(original.as_ref(), updated.as_ref(), sides.local);
    let mut rows = sides.map(|text| Row::of(text, frame(text)));
    if has_entries {
        let mut keys = FxHashMap::default();
        rows = rows.map(|row| row.with_entries(&mut keys));
    }
    // a `---` line is not a piece of the rows: it is removed even if nothing else changes
    if is_unchanged && (has_frame || rows.local.frame.is_none()) {
        return None;
    }
    let has_frames = rows.as_ref().map(|row| row.frame.is_some());
    let mark = &sides.local[..byte_order_mark(sides.local)];
    let texts = sides.map(|text| &text[byte_order_mark(text)..]);
    let has_directives = rows.local.frame.is_some_and(|it| it.text.starts_with('%'));
    // a value may be on the line of the `---`
    let ends_line = texts.updated.is_empty() || ends_line(texts.updated);
    let can_replace = !has_entries && !has_directives && ends_line;
    if can_replace && texts.original == texts.local && has_frames.updated == has_frame {
        return Some(MergedAround::without_conflicts(format!(
            "{mark}{}",
            texts.updated
        )));
    }
    // the blank lines on both sides of a frame merge as one number unless local's frame stays
    if !(has_frame && has_frames.original && has_frames.local) {
        for side in Side::ALL.into_array() {
            rows[side].move_blanks_below_frame();
        }
    }
    if !has_frame {
        row::set_off_as_local(&mut rows);
    }
    let mut merged = merge_rows(&rows, has_entries, options);
    if has_directives {
        drop_markers_of_others(&rows, &mut merged.pieces);
    }
    if !merged.comment_conflicts.is_empty() && options.on_conflict == OnConflict::Markers {
        return Some(marked(sides, options));
    }
    let mut text = mark.to_owned();
    write(&rows, &merged.pieces, has_frame, line_break, &mut text);
    let conflicts = merged.comment_conflicts.iter();
    let conflicts = conflicts.map(|it| conflict(&rows, it, options)).collect();
    Some(MergedAround { text, conflicts })
}

/// Merges the rows of texts around a document.
fn merge_rows(rows: &Triple<Row<'_>>, has_entries: bool, options: &Options) -> MergedRow {
    let joined = rows.as_ref().map(Row::joined);
    let input = joined.as_ref().map(|(text, items)| rows::Pieces {
        text,
        items,
        numbers: None,
    });
    let context = rows::Context {
        around: has_entries.then(rows::Around::default),
        has_fields: false,
        sides: options.sides,
    };
    let resolution = options.on_conflict.resolution();
    rows::merge(input, context, |_| Presence::Absent, resolution)
}

/// Drops the `---` lines that are not local's: directives have to be above all `---` lines.
fn drop_markers_of_others(rows: &Triple<Row<'_>>, pieces: &mut Vec<Placed>) {
    pieces.retain(|placed| {
        let side = placed.piece.side();
        let piece = rows[side].pieces.get(placed.piece.at());
        side == Side::Local || !piece.is_some_and(|piece| piece.text.starts_with("---"))
    });
}

/// Adds a blank line to a text above a document that ends with a comment. Without the blank line,
/// the comment would belong to the document.
pub(crate) fn set_off(text: &mut String, line_break: &str) {
    let last = lines_with_breaks(&text[byte_order_mark(text)..]).last();
    if !last.is_some_and(is_comment) {
        return;
    }
    if !ends_line(text) {
        text.push_str(line_break);
    }
    text.push_str(line_break);
}

fn is_comment(line: &str) -> bool {
    trimmed_start(line).starts_with('#')
}

/// Merges three texts by lines, with conflicts between markers.
fn marked(sides: Triple<&str>, options: &Options) -> MergedAround {
    let merge = merge_lines_with(sides, Resolution::Markers, &options.markers);
    let conflicts = merge.hunks.into_iter().map(|hunk| {
        let mut conflict = hunk.into_conflict();
        conflict.set_path(HEAD);
        conflict
    });
    MergedAround {
        conflicts: conflicts.collect(),
        text: merge.text,
    }
}

/// Writes the pieces, and among them the frame if the result has one: local's, or else that of
/// another side.
fn write(
    rows: &Triple<Row<'_>>,
    pieces: &[Placed],
    has_frame: bool,
    line_break: &str,
    text: &mut String,
) {
    let sides = [Side::Local, Side::Updated, Side::Original].into_iter();
    let frame = sides
        .filter(|_| has_frame)
        .find_map(|side| Some((side, rows[side].frame?)));
    let place = frame.map(|(side, _)| match has_moved_upstream(rows) {
        true => moved_position(rows, pieces),
        false => frame_position(rows, pieces, side),
    });
    for (at, placed) in pieces.iter().enumerate() {
        let blank = placed.blanks;
        let mut blank = blank.map_or("", |piece| rows[piece.side()].blank(piece.at()));
        if let Some((side, frame)) = frame.filter(|_| place == Some(at)) {
            let of = placed.blanks.and_then(|piece| rows[piece.side()].frame);
            let above = match of.unwrap_or(frame).has_blanks_below {
                // nothing is above it
                true if place == Some(0) => frame.blank,
                true => blank_above_frame(rows, frame.blank),
                false => std::mem::take(&mut blank),
            };
            push_line(text, above, line_break);
            let merged = merged_frame(rows);
            let lines = merged.as_deref().unwrap_or(frame.text);
            push_line(text, lines, line_break);
            // the document begins on the line of this `---`: nothing can come between
            if side == Side::Local && !ends_line(lines) {
                return;
            }
            if !ends_line(lines) {
                text.push_str(line_break);
            }
        }
        push_line(text, blank, line_break);
        let piece = rows[placed.piece.side()].pieces.get(placed.piece.at());
        push_line(text, piece.map_or("", |piece| piece.text), line_break);
    }
}

/// Returns the blank lines above the frame, whose number merges three-way; `own` if original or
/// updated has no frame.
fn blank_above_frame<'t>(rows: &Triple<Row<'t>>, own: &'t str) -> &'t str {
    let frames = rows.as_ref().map(|row| row.frame);
    let (Some(original), Some(updated)) = (frames.original, frames.updated) else {
        return own;
    };
    let blanks = Triple::new(original.blank, updated.blank, own);
    let at = frames.map(|frame| frame.map_or(0, |frame| frame.at));
    let above = blanks.zip(at);
    let above = above.map(|(lines, at)| rows::BlanksAbove { at, lines });
    blanks[rows::side_of_blanks(&above)]
}

/// Returns the text of local's frame with what updated changed in it: the directives, unless a
/// `%TAG` is one of them, and the `---` line. The latter is updated's if local has the original's,
/// or a bare one that the original does not have, and both are a `---` with at most a comment
/// behind it.
fn merged_frame(rows: &Triple<Row<'_>>) -> Option<String> {
    let frames = rows.as_ref().map(|row| row.frame.map(|frame| frame.text));
    let (updated, local) = (frames.updated?, frames.local?);
    let original = frames.original.unwrap_or("---");
    let parts = Triple::new(original, updated, local)
        .map(|text| text.split_at(marker(text).unwrap_or_default()));
    let (directives, lines) = (parts.map(|part| part.0), parts.map(|part| part.1));
    let is_version = |text: &str| !text.is_empty() && !text.contains("%TAG");
    let takes_directives =
        directives.original == directives.local && directives.into_iter().all(is_version);
    let is_plain = |line| ends_line(line) && below_marker(line, 0).is_some();
    let takes_line = trimmed_end(lines.local) == trimmed_end(lines.original)
        && is_plain(lines.local)
        && is_plain(lines.updated);
    let side = |takes_updated| match takes_updated {
        true => Side::Updated,
        false => Side::Local,
    };
    let (directives, line) = (directives[side(takes_directives)], lines[side(takes_line)]);
    (takes_directives || takes_line).then(|| format!("{directives}{line}"))
}

/// Returns true if upstream moved the frame among the comments, and local did not.
fn has_moved_upstream(rows: &Triple<Row<'_>>) -> bool {
    let frames = rows.as_ref().map(|row| row.frame).transpose();
    let is_free = |frame: Frame<'_>| ends_line(frame.text) && !frame.text.starts_with('%');
    let are_free = frames.is_some_and(|frames| !frames.map(is_free).into_array().contains(&false));
    are_free
        && rows.original.has_frame_as_in(&rows.local)
        && !rows.original.has_frame_as_in(&rows.updated)
}

/// Returns the position of a frame that upstream moved: local's own comments are all on one side of
/// it if upstream's are.
fn moved_position(rows: &Triple<Row<'_>>, pieces: &[Placed]) -> usize {
    let last = pieces.len().saturating_sub(1);
    match rows.updated.frame.map_or(0, |frame| frame.at) {
        0 => 0,
        at if at == rows.updated.pieces.len() => last,
        _ => frame_position(rows, pieces, Side::Updated),
    }
}

/// Returns the position among the merged pieces above which the frame of `side` is: below the
/// pieces that are above it on that side, and below those that follow them and are above the frame
/// on their own side.
fn frame_position(rows: &Triple<Row<'_>>, pieces: &[Placed], side: Side) -> usize {
    let is_above = |placed: &Placed| {
        let (of, at) = (placed.piece.side(), placed.piece.at());
        let own = match of == side {
            true => Some(at),
            false => rows[of]
                .pieces
                .get(at)
                .and_then(|it| rows[side].find(it.text)),
        };
        match own {
            Some(at) => rows[side].is_above_frame(at),
            None => None,
        }
    };
    let places: Vec<Option<bool>> = pieces.iter().map(is_above).collect();
    let last = places.iter().rposition(|place| *place == Some(true));
    let above = last.map_or(0, |last| last + 1);
    // the head is not split by a `---` line: local's comments stay together with upstream's
    let is_at_top = rows[side].frame.is_some_and(|frame| frame.at == 0);
    let has_head_below = is_at_top && !rows[side].pieces.is_empty();
    let is_above_elsewhere = |(placed, place): &(&Placed, &Option<bool>)| {
        let (of, at) = (placed.piece.side(), placed.piece.at());
        let is_above = rows[of].is_above_frame(at);
        place.is_none() && is_above.unwrap_or(of == Side::Local && !has_head_below)
    };
    let below = pieces.iter().zip(&places).skip(above);
    let more = below.take_while(is_above_elsewhere).count();
    // the frame is never below the end of the row
    (above + more).min(pieces.len().saturating_sub(1))
}

/// Adds lines below the last line of a text, which is ended if it is not.
pub(crate) fn push_line(text: &mut String, line: &str, line_break: &str) {
    if line.is_empty() {
        return;
    }
    if text.len() > byte_order_mark(text) && !ends_line(text) {
        text.push_str(line_break);
    }
    text.push_str(line);
}

fn conflict(rows: &Triple<Row<'_>>, lines: &CommentConflict, options: &Options) -> Conflict {
    let values = Side::ALL.map(|side| {
        let pieces = lines.on(side).map(|at| trimmed(rows[side].pieces[at].text));
        let lines: Vec<&str> = pieces.collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    });
    let (kind, resolution) = rows::lines_kind(&values, options.on_conflict.resolution());
    let first = lines.on(Side::Local).next();
    Conflict {
        texts: ConflictTexts::new(HEAD, &values),
        kind,
        line: first.map_or(0, |at| rows.local.pieces[at].line),
        resolution,
        rule: None,
    }
}

#[cfg(test)]
mod tests;
