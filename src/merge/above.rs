//! What is above a document, merged: the head of a file, and the comments at a `---` line
//! (rules: Text).

use std::ops::Range;

use super::conflict::Conflict;
use super::rows::{self, Disagreement, Placed, Token, TokenKind};
use super::text::merge_lines_with;
use super::{OnConflict, Options};
use crate::line_breaks::{ends_line, lines_with_breaks, with_line_break};
use crate::triple::{Side, Triple};
use crate::yaml::stream::{byte_order_mark, count_lines, marker};

/// What the path of a conflict in the head of a file is.
const PATH: &str = "(head)";

/// The merged text above a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MergedAbove {
    pub(crate) text: String,
    pub(crate) conflicts: Vec<Conflict>,
}

/// Merges what is above a document, down to where its body begins. `None` if local's stays. Where
/// content follows, [`set_off`] keeps comments at the end apart from it.
///
/// Comments and blank lines merge as those between entries do. A byte order mark, directives and
/// the `---` line stay as local has them.
pub(crate) fn merge_above(
    sides: Triple<&str>,
    line_break: &str,
    options: &Options,
) -> Option<MergedAbove> {
    if sides.updated == sides.original || sides.updated == sides.local {
        return None;
    }
    let original = with_line_break(sides.original, line_break);
    let updated = with_line_break(sides.updated, line_break);
    let sides = Triple::new(original.as_ref(), updated.as_ref(), sides.local);
    let rows = sides.map(AboveRow::of);
    let frame = rows.local.frame();
    // a `---` line that one side has not got is no place to align by
    let of_updated = rows.updated.frame;
    let frames = rows.as_ref().map(|row| row.frame.is_some()).into_array();
    let end = rows.local.end;
    let rows = match frames.contains(&true) && frames.contains(&false) {
        true => rows.map(|row| row.without_frame(end)),
        false => rows,
    };
    // blank lines below no comments set nothing off
    let rows = rows.map(|row| match row.pieces.is_empty() {
        true => AboveRow { end, ..row },
        false => row,
    });
    let tokens = rows.as_ref().map(AboveRow::tokens);
    let resolution = options.on_conflict.resolution();
    let merged = rows::merge(
        tokens.as_ref().map(Vec::as_slice),
        &[],
        |_| true,
        resolution,
    );
    if !merged.disagreements.is_empty() && options.on_conflict == OnConflict::Markers {
        return Some(marked(sides, options));
    }
    let mut text = sides.local[..byte_order_mark(sides.local)].to_owned();
    write(
        &rows,
        &merged.pieces,
        (frame, of_updated),
        line_break,
        &mut text,
    );
    let conflicts = merged.disagreements.iter();
    let conflicts = conflicts.map(|it| conflict(&rows, it, options)).collect();
    Some(MergedAbove { text, conflicts })
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
fn marked(sides: Triple<&str>, options: &Options) -> MergedAbove {
    let merge = merge_lines_with(sides, OnConflict::Markers, &options.markers);
    let conflicts = merge.hunks.into_iter().map(|hunk| Conflict {
        path: PATH.to_owned(),
        ..hunk.into_conflict()
    });
    MergedAbove {
        conflicts: conflicts.collect(),
        text: merge.text,
    }
}

/// Writes the pieces, with the frame that local has. `of_updated` is where updated has its own.
fn write(
    rows: &Triple<AboveRow<'_>>,
    pieces: &[Placed],
    (frame, of_updated): (Option<(usize, Piece<'_>)>, Option<usize>),
    line_break: &str,
    text: &mut String,
) {
    let mut frame = frame.filter(|_| rows.local.frame.is_none());
    for placed in pieces {
        let (side, at) = (placed.piece.side, placed.piece.at());
        let row = &rows[side];
        let is_end = at == row.pieces.len();
        let is_below = |(index, frame): &(usize, Piece<'_>)| match (side, of_updated) {
            _ if is_end => true,
            (Side::Updated, Some(index)) => at >= index,
            (Side::Local, _) => at >= *index,
            _ => *index == 0 && ends_line(frame.text),
        };
        if let Some((index, frame)) = frame.take_if(|frame| is_below(frame)) {
            // what set off comments that are gone goes with them
            let is_first = text.len() == byte_order_mark(text) && index > 0;
            push_line(text, if is_first { "" } else { frame.blank }, line_break);
            push_line(text, frame.text, line_break);
        }
        // behind a `---` that the document shares a line with there is no room
        if text.ends_with("---") {
            return;
        }
        let blank = placed
            .blanks
            .map_or("", |piece| rows[piece.side].blank(piece.at()));
        let is_needless = is_end && sets_nothing_off(rows, pieces.len() - 1, text);
        let blank = if is_needless { "" } else { blank };
        let own = row.pieces.get(at).map_or("", |piece| piece.text);
        push_line(text, blank, line_break);
        push_line(text, own, line_break);
    }
}

/// Whether blank lines at the end of the merged `text`, of so many pieces, have no comments to set
/// off from content.
fn sets_nothing_off(rows: &Triple<AboveRow<'_>>, pieces: usize, text: &str) -> bool {
    let local = &rows.local;
    let are_gone = pieces == 0 && !local.pieces.is_empty();
    // local has a `---` below its comments, or below upstream's
    let is_above_frame = local.ends_in_comment()
        || local.has_frame_last() && rows.updated.ends_in_comment() && text.ends_with(local.last());
    are_gone || local.end.is_empty() && is_above_frame
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

fn conflict(rows: &Triple<AboveRow<'_>>, lines: &Disagreement, options: &Options) -> Conflict {
    let text = |(row, lines): (&AboveRow<'_>, &Vec<usize>)| {
        let lines: Vec<&str> = lines.iter().map(|at| row.pieces[*at].text.trim()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    let values = rows.as_ref().zip(lines.lines.as_ref()).map(text);
    let (kind, resolution) = rows::lines_kind(&values, options.on_conflict.resolution());
    let first = lines.lines.local.first();
    Conflict {
        path: PATH.to_owned(),
        kind,
        line: first.map_or(0, |at| rows.local.pieces[*at].line),
        values,
        resolution,
        rule: None,
    }
}

/// The lines above a document, as pieces of a row.
#[derive(Debug, Default)]
struct AboveRow<'t> {
    pieces: Vec<Piece<'t>>,
    /// Which piece is no comment: directives and the `---` line.
    frame: Option<usize>,
    /// The blank lines at the end.
    end: &'t str,
}

/// A comment line, or the frame, with its line break.
#[derive(Debug, Clone, Copy)]
struct Piece<'t> {
    blank: &'t str,
    text: &'t str,
    /// The line in which it starts.
    line: usize,
}

impl<'t> AboveRow<'t> {
    fn of(text: &'t str) -> Self {
        let mut row = Self::default();
        let frame = frame_of(text).unwrap_or(text.len()..text.len());
        row.add(text, byte_order_mark(text)..frame.start);
        if !frame.is_empty() {
            row.frame = Some(row.pieces.len());
            row.push(text, frame.clone());
        }
        row.add(text, frame.end..text.len());
        row
    }

    /// Adds the lines between two places.
    fn add(&mut self, text: &'t str, range: Range<usize>) {
        let mut at = range.start;
        for line in lines_with_breaks(&text[range]) {
            let end = at + line.len();
            match is_comment(line) {
                true => self.push(text, at..end),
                false => self.end = &text[at - self.end.len()..end],
            }
            at = end;
        }
    }

    fn push(&mut self, text: &'t str, range: Range<usize>) {
        self.pieces.push(Piece {
            blank: std::mem::take(&mut self.end),
            line: count_lines(&text[..range.start]),
            text: &text[range],
        });
    }

    /// Where among the pieces the frame is, and the frame.
    fn frame(&self) -> Option<(usize, Piece<'t>)> {
        let at = self.frame?;
        Some((at, self.pieces[at]))
    }

    /// The row without its frame, and with these blank lines at the end: without a frame they are
    /// what sets the comments off.
    fn without_frame(mut self, end: &'t str) -> Self {
        self.end = end;
        if let Some(at) = self.frame.take() {
            self.pieces.remove(at);
        }
        self
    }

    /// The blank lines above a piece, or above the end.
    fn blank(&self, at: usize) -> &'t str {
        self.pieces.get(at).map_or(self.end, |piece| piece.blank)
    }

    fn ends_in_comment(&self) -> bool {
        !self.pieces.is_empty() && !self.has_frame_last()
    }

    fn has_frame_last(&self) -> bool {
        self.frame.is_some_and(|at| at + 1 == self.pieces.len())
    }

    fn last(&self) -> &'t str {
        self.pieces.last().map_or("", |piece| piece.text)
    }

    fn tokens(&self) -> Vec<Token<'t>> {
        let blanks = |blank: &str| u32::try_from(count_lines(blank)).unwrap_or(u32::MAX);
        let tokens = self.pieces.iter().enumerate().map(|(at, piece)| Token {
            kind: match self.frame == Some(at) {
                true => TokenKind::Entry(0),
                false => TokenKind::Comment(piece.text.trim_end_matches(['\r', '\n'])),
            },
            blanks: blanks(piece.blank),
        });
        let end = Token {
            kind: TokenKind::End,
            blanks: blanks(self.end),
        };
        tokens.chain([end]).collect()
    }
}

/// The directives and the `---` line.
fn frame_of(text: &str) -> Option<Range<usize>> {
    let marker = marker(text)?;
    let end = marker + lines_with_breaks(&text[marker..]).next()?.len();
    let mut at = byte_order_mark(text);
    for line in lines_with_breaks(&text[at..marker]) {
        if line.starts_with('%') {
            break;
        }
        at += line.len();
    }
    Some(at..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn merged(original: &str, updated: &str, local: &str) -> (String, usize) {
        let sides = Triple::new(original, updated, local);
        let merged = merge_above(sides, "\n", &Options::default());
        merged.map_or((local.to_owned(), 0), |it| (it.text, it.conflicts.len()))
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
    fn the_marker_is_locals() {
        assert_eq!(clean("# 1\n\n", "# 2\n---\n", "# 1\n\n"), "# 2\n\n");
        assert_eq!(clean("# 1\n---\n", "# 2\n---\n", "# 1\n\n"), "# 2\n\n");
        assert_eq!(clean("# 1\n\n", "# 2\n\n", "---\n# 1\n\n"), "---\n# 2\n\n");
        assert_eq!(
            clean("", "# 1\n---\n", "\u{feff}%YAML 1.2\n---\n"),
            "\u{feff}# 1\n%YAML 1.2\n---\n"
        );
        assert_eq!(clean("---\n", "# 1\n---\n# 2\n\n", "---"), "# 1\n---");
    }

    #[test]
    fn what_both_changed_is_a_conflict() {
        let (text, conflicts) = merged("# 1\n\n", "# 2\n\n", "# 3\n\n");
        assert_eq!((text.as_str(), conflicts), ("# 2\n\n", 1));
        assert_eq!(merged("# 1\n\n", "# 2\n\n", &text), (text, 0));
    }
}
