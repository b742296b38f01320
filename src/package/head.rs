//! What is above a document's content, where documents come, go and move: the head of the file,
//! directives, the `---`.

use super::cuts::{Cut, cut};
use super::documents::FileMerge;
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use super::plan::FileConflict;
use crate::line_breaks::{cut_last_line, line_break_of, lines, lines_with_breaks};
use crate::merge::{Conflict, Frame, MergedAround, merge_above, set_off};
use crate::triple::{Side, Triple};
use crate::yaml::stream::{byte_order_mark, frame, is_bare_marker, marker};
use crate::yaml::{Document, Span};

/// The first documents with the heads of their files, where they are one document that changed: a
/// line is the head's on one side and the document's on another, and the lines merge as one text.
pub(super) fn with_heads<'a>(
    files: &Triple<&ParsedFile<'a>>,
    firsts: Triple<&Parsed<'a>>,
) -> Option<Triple<Cut<'a>>> {
    let sides = files.zip(firsts);
    let has_head = |(file, first): (&ParsedFile<'_>, &Parsed<'_>)| {
        first.document.start > byte_order_mark(file.text)
    };
    // below a head a byte order mark would be inside of a document
    let has_mark_inside = |(_, first): (&ParsedFile<'_>, &Parsed<'_>)| {
        first.document.start > 0 && byte_order_mark(first.document.text) > 0
    };
    if !sides.map(has_head).into_array().contains(&true)
        || sides.map(has_mark_inside).into_array().contains(&true)
    {
        return None;
    }
    let marked = sides.map(|(file, first)| frame(above_body(file, first)).is_some());
    let frames = match marked.into_array() {
        [true, true, true] => Frames::All,
        [false, false, false] => Frames::None,
        _ => Frames::Some,
    };
    let heads = sides.map(|(file, first)| with_head(file, first, frames));
    // directives are of the document that they are above, be it without content
    let has_directives = |cut: &Cut<'_>| has_directive_lines(cut.gap);
    let is_plain = !heads
        .as_ref()
        .map(has_directives)
        .into_array()
        .contains(&true);
    is_plain.then_some(heads)
}

/// Which sides have a `---` line above the first document.
#[derive(Debug, Clone, Copy)]
enum Frames {
    All,
    Some,
    None,
}

/// What is in a file above the body of its first document.
fn above_body<'a>(file: &ParsedFile<'a>, first: &Parsed<'_>) -> &'a str {
    &file.text[..first.document.start + first.document.body.start as usize]
}

/// The first document of a file with what is above it. Its body begins below its `---` line, or at
/// the start of the file; where not all sides have such a line, where it is.
fn with_head<'a>(file: &ParsedFile<'a>, first: &Parsed<'a>, frames: Frames) -> Cut<'a> {
    let above = above_body(file, first);
    let start_of_file = byte_order_mark(file.text);
    let (start, body_start) = match (frames, frame(above)) {
        (Frames::All, Some(frame)) => (frame.start, frame.end),
        (Frames::None, _) => (start_of_file, start_of_file),
        (Frames::All, None) | (Frames::Some, _) => (first.document.start, above.len()),
    };
    let blank = lines_with_breaks(&above[body_start..]);
    let blank = blank.take_while(|line| line.trim().is_empty());
    let body_start = body_start + blank.map(str::len).sum::<usize>();
    let end = first.document.start + first.document.text.len();
    let document = cut(first.document, file.text, start, end);
    let body_start = u32::try_from(body_start - start).unwrap_or(u32::MAX);
    let body = Span::new(body_start, document.body.end);
    Cut {
        parsed: first.cut_otherwise(Document {
            head: "",
            body,
            ..document
        }),
        gap: &file.text[start_of_file..start],
        tail: "",
    }
}

impl<'f> FileMerge<'_, 'f, '_> {
    /// The head that the file gets; `None` if local's stays, or merges with the first document.
    pub(super) fn merged_head(&mut self) -> Option<String> {
        if self.cuts.first.is_some() {
            return None;
        }
        let local = self.sides.local.filter(|_| self.sides.updated.is_some())?;
        let own = self.head_of(Side::Local);
        let line_break = line_break_of(local.text);
        // a `---` that the first document shares a line with, or has directives above, ends the head
        let framed = |side: Side| {
            let head = self.head_of(side);
            match self.sides[side].is_some_and(begins_with_marker) && marker(head).is_none() {
                true => format!("{head}---{line_break}"),
                false => head.to_owned(),
            }
        };
        let (original, updated) = (framed(Side::Original), framed(Side::Updated));
        let heads = Triple::new(original.as_str(), updated.as_str(), own);
        let frame = match self.begins_with_marker() {
            false => Frame::Nowhere,
            true if marker(own).is_none() && begins_with_marker(local) && self.keeps_first() => {
                Frame::Below
            }
            true => Frame::Here,
        };
        let merged = merge_above(heads, frame, line_break, self.context.options)?;
        Some(self.recorded_head(merged))
    }

    /// The merged text of a head; its conflicts are recorded.
    pub(super) fn recorded_head(&mut self, merged: MergedAround) -> String {
        let base = self.job.base.unwrap_or(self.target);
        let path = self.context.triples[base].path.as_path();
        let conflicts = merged.conflicts.into_iter();
        let in_file = |it: Conflict| FileConflict::in_file(path, Some(it.line + 1), it);
        self.outcome.conflicts.extend(conflicts.map(in_file));
        merged.text
    }

    /// Whether the file begins with a `---` line, three-way.
    pub(super) fn begins_with_marker(&self) -> bool {
        let Some(local) = self.sides.local else {
            return false;
        };
        let has_marker = begins_with_marker;
        match (self.sides.original, self.sides.updated) {
            (Some(original), Some(updated))
                if has_marker(original) == has_marker(local)
                    && is_plain(original)
                    && is_plain(updated)
                    && (is_plain(local) || !self.keeps_first()) =>
            {
                has_marker(updated)
            }
            _ => has_marker(local),
        }
    }

    /// Whether the first document of the local file is the first one of the merged file.
    fn keeps_first(&self) -> bool {
        let is_going = |group: &Group| {
            self.job.leaving.contains(group) || group.updated.is_none() && group.original.is_some()
        };
        self.first_below_coming.is_none() && !self.first(Side::Local).is_some_and(is_going)
    }

    /// The first document of a side's file.
    fn first(&self, side: Side) -> Option<&Group> {
        let first = DocRef {
            triple: self.job.file[side]?,
            document: 0,
        };
        let here = self.job.here.iter().chain(&self.job.leaving);
        let mut groups = here.chain(&self.job.coming);
        groups.find(|group| group[side] == Some(first))
    }

    /// The head of a side's file, without what belongs to its first document.
    fn head_of(&self, side: Side) -> &'f str {
        self.sides[side].map_or("", |file| self.cuts.head(side, file))
    }
}

/// Whether a file begins with a `---` line.
pub(super) fn begins_with_marker(file: &ParsedFile<'_>) -> bool {
    first_marker(file).is_some()
}

/// Where the `---` line is that a file begins with, comments and directives aside.
fn first_marker(file: &ParsedFile<'_>) -> Option<usize> {
    let documents = file.documents.iter();
    let first = documents.map(|parsed| marker(parsed.document.text)).next();
    marker(file.head).or(first.flatten().map(|at| file.head.len() + at))
}

/// Whether the `---` line that a file begins with, if any, can come and go: it has no directives,
/// and is a line of its own.
fn is_plain(file: &ParsedFile<'_>) -> bool {
    first_marker(file).is_none_or(|at| {
        let (above, marker) = file.text.split_at(at);
        is_bare_marker(marker) && !has_directive_lines(above)
    })
}

/// Whether a document has a `---` line.
pub(super) fn has_marker(document: &Document<'_>) -> bool {
    marker(document.text).is_some()
}

/// A chunk without its `---` line, where it can do without. Comments above that stay set off from
/// the content.
pub(super) fn without_marker(text: &str) -> Option<String> {
    let at = marker(text)?;
    if !is_bare_marker(&text[at..]) || has_directives(text) {
        return None;
    }
    let below = &text[at + lines_with_breaks(&text[at..]).next()?.len()..];
    let mut text = text[..at].to_owned();
    if lines(below)
        .next()
        .is_some_and(|line| !line.trim().is_empty())
    {
        set_off(&mut text, line_break_of(below));
    }
    Some(text + below)
}

/// Whether a chunk has directives above its `---`.
pub(super) fn has_directives(text: &str) -> bool {
    marker(text).is_some_and(|at| has_directive_lines(&text[..at]))
}

fn has_directive_lines(above: &str) -> bool {
    let mut lines = lines(&above[byte_order_mark(above)..]);
    lines.any(|line| line.starts_with('%'))
}

/// What of the head of a file belongs to its first document: the last comments, where that
/// document has these comments in its chunk in another version. It is not the first one there, or
/// has directives. A blank line above the `---` sets them off from it.
pub(super) fn own_of_head<'a>(document: &Document<'a>, other: &Document<'_>) -> Option<&'a str> {
    let head = document.head;
    let is_first = |document: &Document<'_>| document.start == document.head.len();
    if !is_first(document) || is_first(other) && !has_directives(other.text) {
        return None;
    }
    let mut own: Vec<&str> = comments_above(other.text).collect();
    let bom = byte_order_mark(head);
    let (mut cut, mut rest) = (head.len(), &head[bom..]);
    let mut is_marker_below = document.text.starts_with("---");
    let cut = loop {
        let (line, above) = cut_last_line(rest);
        let end = bom + rest.len();
        match line.trim() {
            // comments with no blank line between are one
            _ if line.is_empty() => break bom,
            "" if is_marker_below => break cut,
            "" => cut = cut.min(end),
            "---" if end < head.len() => break end,
            "---" => {}
            words => match own.iter().rposition(|it| *it == words) {
                Some(at) => own.truncate(at),
                None => break cut,
            },
        }
        is_marker_below = line.trim() == "---";
        rest = above;
    };
    // blank lines set the comments off from the rest of the head, and are part of that
    let blank = lines_with_breaks(&head[cut..]).take_while(|line| line.trim().is_empty());
    let own = &head[cut + blank.map(str::len).sum::<usize>()..];
    comments_above(own).next().map(|_| own)
}

/// The comment lines above the first content of a text.
pub(super) fn comments_above(text: &str) -> impl Iterator<Item = &str> {
    let lines = lines(text).map(|line| line.trim_start_matches('\u{feff}').trim());
    let above = lines.take_while(|line| line.is_empty() || line.starts_with(['#', '-', '%']));
    above.filter(|line| line.starts_with('#'))
}
