//! What is around a document, merged: the head of a file, the comments at a `---` line, and those
//! below a value that is no block collection (rules: Text).

mod row;

use rustc_hash::FxHashMap;

use super::conflict::Conflict;
use super::rows::{self, Disagreement, Placed};
use super::text::merge_lines_with;
use super::{OnConflict, Options};
use crate::line_breaks::{ends_line, lines_with_breaks, with_line_break};
use crate::triple::Triple;
use crate::yaml::stream::{byte_order_mark, frame};
use row::{FRAME, Row, framed, unframed};

/// What the path of a conflict above a document is.
const ABOVE: &str = "(head)";

/// What the path of a conflict below a document is.
const BELOW: &str = "(comment)";

/// The merged text above a document, or below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MergedAround {
    pub(crate) text: String,
    pub(crate) conflicts: Vec<Conflict>,
}

/// Where the `---` line of a document is in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Among the lines that merge.
    Here,
    /// Right below them.
    Below,
    /// It has none.
    Nowhere,
}

/// Merges what is above a document, down to where its body begins. `None` if local's stays. Where
/// content follows, [`set_off`] keeps comments at the end apart from it.
///
/// Comments and blank lines merge as those between entries do. A byte order mark and directives
/// stay as local has them.
pub(crate) fn merge_above(
    sides: Triple<&str>,
    own: Frame,
    line_break: &str,
    options: &Options,
) -> Option<MergedAround> {
    merge((sides, None), own, line_break, options, |sides| {
        with_frame(sides.map(|text| Row::of(text, frame(text))), own)
    })
}

/// Merges what is no content in three files of a document each, none of whose entries stays.
pub(crate) fn merge_without_entries(
    sides: Triple<&str>,
    own: Frame,
    line_break: &str,
    options: &Options,
) -> Option<MergedAround> {
    merge((sides, Some(&[])), own, line_break, options, |sides| {
        let mut keys = FxHashMap::default();
        let rows = sides.map(|text| Row::of(text, frame(text)).with_entries(&mut keys));
        with_frame(rows, own)
    })
}

/// Three rows, with their frames where they align.
fn with_frame<'t>(rows: Triple<Row<'t>>, own: Frame) -> Triple<Row<'t>> {
    match own {
        Frame::Below => rows.map(Row::without_frame),
        Frame::Nowhere if rows.local.frame.is_none() => unframed(rows),
        Frame::Here | Frame::Nowhere => framed(rows, own == Frame::Here),
    }
}

/// Merges what is below the value of a document that is no block collection: comments, blank lines
/// and `---` lines with nothing below them. `None` if local's stays.
pub(crate) fn merge_below(
    sides: Triple<&str>,
    line_break: &str,
    options: &Options,
) -> Option<MergedAround> {
    // a line that a CR alone ends is none to all who read the file
    let has_lone_cr = |text| lines_with_breaks(text).any(|line| line.ends_with('\r'));
    if sides.map(has_lone_cr).into_array().contains(&true) {
        return None;
    }
    let mut merged = merge(
        (sides, None),
        Frame::Nowhere,
        line_break,
        options,
        |sides| sides.map(|text| Row::of(text, None)),
    )?;
    for conflict in &mut merged.conflicts {
        conflict.path = BELOW.into();
    }
    Some(merged)
}

fn merge(
    (sides, below): (Triple<&str>, Option<&[&str]>),
    own: Frame,
    line_break: &str,
    options: &Options,
    rows: impl for<'t> Fn(Triple<&'t str>) -> Triple<Row<'t>>,
) -> Option<MergedAround> {
    if sides.updated == sides.original || sides.updated == sides.local {
        return None;
    }
    let original = with_line_break(sides.original, line_break);
    let updated = with_line_break(sides.updated, line_break);
    let sides = Triple::new(original.as_ref(), updated.as_ref(), sides.local);
    let rows = rows(sides);
    let tokens = rows.as_ref().map(Row::tokens);
    let tokens = tokens.as_ref().map(Vec::as_slice);
    let resolution = options.on_conflict.resolution();
    let merged = rows::merge(tokens, below, |entry| entry == FRAME, resolution);
    if !merged.disagreements.is_empty() && options.on_conflict == OnConflict::Markers {
        return Some(marked(sides, options));
    }
    let mut text = sides.local[..byte_order_mark(sides.local)].to_owned();
    write(&rows, &merged.pieces, own, line_break, &mut text);
    let conflicts = merged.disagreements.iter();
    let conflicts = conflicts.map(|it| conflict(&rows, it, options)).collect();
    Some(MergedAround { text, conflicts })
}

/// Has the comments that end a text above a document end in a blank line: without one they would be
/// the document's.
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
    line.trim_start().starts_with('#')
}

/// The lines of both sides where they differ, between markers.
fn marked(sides: Triple<&str>, options: &Options) -> MergedAround {
    let merge = merge_lines_with(sides, OnConflict::Markers, &options.markers);
    let conflicts = merge.hunks.into_iter().map(|hunk| Conflict {
        path: ABOVE.into(),
        ..hunk.into_conflict()
    });
    MergedAround {
        conflicts: conflicts.collect(),
        text: merge.text,
    }
}

/// Writes the pieces. The frame is local's, where it has one; another's gets a line of its own.
fn write(
    rows: &Triple<Row<'_>>,
    pieces: &[Placed],
    own: Frame,
    line_break: &str,
    text: &mut String,
) {
    let frames = [&rows.local, &rows.updated, &rows.original].map(|row| row.frame_text());
    let is_locals = !frames[0].is_empty();
    let frame = frames
        .into_iter()
        .find(|frame| !frame.is_empty() && own == Frame::Here);
    for placed in pieces {
        // behind a `---` that the document shares a line with there is no room
        if text.ends_with("---") {
            return;
        }
        let (row, at) = (&rows[placed.piece.side()], placed.piece.at());
        let blank = placed.blanks;
        let blank = blank.map_or("", |piece| rows[piece.side()].blank(piece.at()));
        let is_frame = row.frame == Some(at);
        if !is_frame || own != Frame::Nowhere {
            push_line(text, blank, line_break);
        }
        if !is_frame {
            push_line(
                text,
                row.pieces.get(at).map_or("", |piece| piece.text),
                line_break,
            );
        } else if let Some(frame) = frame {
            push_line(text, frame, line_break);
            if !is_locals && !ends_line(frame) {
                text.push_str(line_break);
            }
        }
    }
}

fn push_line(text: &mut String, line: &str, line_break: &str) {
    if line.is_empty() {
        return;
    }
    if text.len() > byte_order_mark(text) && !ends_line(text) {
        text.push_str(line_break);
    }
    text.push_str(line);
}

fn conflict(rows: &Triple<Row<'_>>, lines: &Disagreement, options: &Options) -> Conflict {
    let text = |(row, lines): (&Row<'_>, &Vec<usize>)| {
        let lines: Vec<&str> = lines.iter().map(|at| row.pieces[*at].text.trim()).collect();
        (!lines.is_empty()).then(|| lines.join("\n").into())
    };
    let values = rows.as_ref().zip(lines.lines.as_ref()).map(text);
    let (kind, resolution) = rows::lines_kind(&values, options.on_conflict.resolution());
    let first = lines.lines.local.first();
    Conflict {
        path: ABOVE.into(),
        kind,
        line: first.map_or(0, |at| rows.local.pieces[*at].line),
        values,
        resolution,
        rule: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn merged(original: &str, updated: &str, local: &str) -> (String, usize) {
        let sides = Triple::new(original, updated, local);
        let merged = merge_above(sides, own_frame(sides), "\n", &Options::default());
        merged.map_or((local.to_owned(), 0), |it| (it.text, it.conflicts.len()))
    }

    fn own_frame(sides: Triple<&str>) -> Frame {
        let has_frame = sides.map(|side| frame(side).is_some());
        let has_frame = match has_frame.local == has_frame.original {
            true => has_frame.updated,
            false => has_frame.local,
        };
        if has_frame {
            Frame::Here
        } else {
            Frame::Nowhere
        }
    }

    fn clean(original: &str, updated: &str, local: &str) -> String {
        let (text, conflicts) = merged(original, updated, local);
        assert_eq!(conflicts, 0);
        assert_eq!(merged(original, updated, &text), (text.clone(), 0));
        text
    }

    #[test]
    fn what_local_left_alone_is_upstreams() {
        assert_eq!(clean("# 1\n\n", "# 2\n\n", "# 1\n\n"), "# 2\n\n");
        assert_eq!(clean("# 1\n\n", "# 1\n\n", "# 9\n\n"), "# 9\n\n");
        assert_eq!(clean("# 1\n\n", "", "# 1\n\n"), "");
        assert_eq!(clean("", "# 1\n\n", ""), "# 1\n\n");
        assert_eq!(
            clean("# 1\n---\n", "# 2\n---\n", "# 1\n---\n"),
            "# 2\n---\n"
        );
        assert_eq!(
            clean("# 1\n\n", "# 1\n# u\n\n", "# d\n# 1\n\n"),
            "# d\n# 1\n# u\n\n"
        );
    }

    #[test]
    fn a_marker_comes_and_goes() {
        assert_eq!(clean("# 1\n\n", "# 2\n---\n", "# 1\n\n"), "# 2\n---\n");
        assert_eq!(clean("# 1\n---\n", "# 2\n", "# 1\n---\n"), "# 2\n");
        assert_eq!(clean("# 1\n---\n", "# 2\n---\n", "# 1\n\n"), "# 2\n\n");
        assert_eq!(clean("# 1\n\n", "# 2\n\n", "---\n# 1\n\n"), "---\n# 2\n\n");
        assert_eq!(
            clean("", "# 1\n---\n", "\u{feff}%YAML 1.2\n---\n"),
            "\u{feff}# 1\n%YAML 1.2\n---\n"
        );
        assert_eq!(clean("---\n", "# 1\n---\n# 2\n\n", "---"), "# 1\n---");
        let lines = Triple::new("---\n", "---\n# 2\n---\n", "# 9\n---\n");
        assert_eq!(
            clean(lines.original, lines.updated, lines.local),
            "# 9\n---\n# 2\n---\n"
        );
    }

    #[test]
    fn what_both_changed_is_a_conflict() {
        let (text, conflicts) = merged("# 1\n\n", "# 2\n\n", "# 3\n\n");
        assert_eq!((text.as_str(), conflicts), ("# 2\n\n", 1));
        assert_eq!(merged("# 1\n\n", "# 2\n\n", &text), (text, 0));
    }
}
