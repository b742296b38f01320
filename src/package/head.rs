//! What is above a document's content, where documents come, go and move: the head of the file,
//! directives, the `---`.

use super::document::cut_head;
use super::documents::FileMerge;
use super::jobs::{Job, members};
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use super::plan::FileConflict;
use crate::line_breaks::{line_break_of, lines_with_breaks};
use crate::merge::{MergedAbove, merge_above};
use crate::triple::{Side, Triple};
use crate::yaml::stream::{below_marker, byte_order_mark, is_bare_marker, marker};
use crate::yaml::{Document, Span};

/// The first documents with the heads of their files, where they are one document that changed: a
/// line is the head's on one side and the document's on another, and the lines merge as one text.
pub(super) fn with_heads<'a>(
    files: &Triple<Option<&ParsedFile<'a>>>,
    job: &Job,
) -> Option<Triple<Parsed<'a>>> {
    let first = |triple: Option<usize>| {
        triple.map(|triple| DocRef {
            triple,
            document: 0,
        })
    };
    let group = job.file.map(first);
    job.here.iter().find(|other| **other == group)?;
    let files = Triple::new(files.original?, files.updated?, files.local?);
    let firsts = files
        .try_map(|file| file.documents.first().ok_or(()))
        .ok()?;
    let sides = files.zip(firsts);
    let texts = sides.map(|(file, first)| (file.head, first.document.text));
    let has_lines = |(head, _): (&str, &str)| head.len() > byte_order_mark(head);
    let has_head = texts.map(has_lines).into_array().contains(&true);
    // below a head a byte order mark would be inside of a document
    let begins_with_mark = |(_, first): (&str, &str)| byte_order_mark(first) > 0;
    let has_mark_inside = has_head && texts.map(begins_with_mark).into_array().contains(&true);
    if !has_head
        || has_mark_inside
        || texts.updated == texts.original
        || texts.updated == texts.local
    {
        return None;
    }
    let is_marked = |(file, first): (&ParsedFile<'_>, &Parsed<'_>)| {
        marker(file.head).is_some() || has_marker(&first.document)
    };
    let marked = sides.map(is_marked).into_array();
    let frames = match marked {
        [true, true, true] => Frames::All,
        [false, false, false] => Frames::None,
        _ => Frames::Some,
    };
    let with_head = |(file, first)| with_head(file, first, frames);
    Some(sides.map(with_head))
}

/// Which sides have a `---` line above the first document.
#[derive(Debug, Clone, Copy)]
enum Frames {
    All,
    Some,
    None,
}

/// The first document of a file with the file's head. Its body begins below the `---` line, or at
/// the start of the file; where not all sides have such a line, below the head.
fn with_head<'a>(file: &ParsedFile<'a>, first: &Parsed<'a>, frames: Frames) -> Parsed<'a> {
    let document = &first.document;
    let start = byte_order_mark(file.text);
    let end = document.start + document.text.len();
    let text = &file.text[start..end];
    let below_head = document.start + document.body.start as usize;
    let body_start = match (frames, marker(text)) {
        (Frames::None, _) => start,
        (Frames::All, Some(at)) => start + below_marker(text, at).unwrap_or(below_head - start),
        (Frames::All, None) | (Frames::Some, _) => below_head,
    };
    let offset = |at: usize| u32::try_from(at - start).unwrap_or(u32::MAX);
    let body = Span::new(
        offset(body_start),
        offset(document.start + document.body.end as usize),
    );
    first.cut_otherwise(Document {
        text,
        head: "",
        start,
        body,
        line: 0,
    })
}

impl<'f> FileMerge<'_, 'f, '_> {
    /// The head that the file gets; `None` if local's stays, or merges with the first document.
    pub(super) fn merged_head(&mut self) -> Option<String> {
        if self.context.apply.is_some() || self.with_heads.is_some() {
            return None;
        }
        let (updated, local) = (self.sides.updated?, self.sides.local?);
        let above = match self.is_commented_out() {
            true => updated.text,
            false => self.head_of(Side::Updated, Side::Original),
        };
        let original = self.head_of(Side::Original, Side::Updated);
        let own = match self.first(Side::Local) == self.first(Side::Updated) {
            true => self.head_of(Side::Local, Side::Original),
            false => local.head,
        };
        let heads = Triple::new(original, above, own);
        let line_break = line_break_of(local.text);
        let MergedAbove { text, conflicts } = merge_above(heads, line_break, self.context.options)?;
        let of_document = &local.head[own.len()..];
        let base = self.job.base.unwrap_or(self.target);
        for conflict in conflicts {
            let (file, line) = (self.context.triples[base].path.as_path(), conflict.line + 1);
            let conflict = FileConflict::in_file(file, Some(line), conflict);
            self.outcome.conflicts.push(conflict);
        }
        Some(format!("{text}{of_document}"))
    }

    /// The first document of a side's file.
    fn first(&self, side: Side) -> Option<&Group> {
        let first = DocRef {
            triple: self.job.file[side]?,
            document: 0,
        };
        let mut groups = self.job.here.iter().chain(&self.job.coming);
        groups.find(|group| group[side] == Some(first))
    }

    /// The head of a side's file without what belongs to its first document, as another side has
    /// it.
    fn head_of(&self, side: Side, other: Side) -> &'f str {
        let head = self.sides[side].map_or("", |file| file.head);
        let members = self
            .first(side)
            .map(|group| members(self.context.files, group));
        let first = members.and_then(|members| Some((members[side]?, members[other])));
        first.map_or(head, |(first, other)| cut_head(first, other).0)
    }

    /// Whether upstream has the file without its documents, as comments only.
    pub(super) fn is_commented_out(&self) -> bool {
        let is_commented_out = |file: &ParsedFile<'_>| {
            !file.has_documents() && file.text.trim_start().starts_with('#')
        };
        self.sides.original.is_some_and(ParsedFile::has_documents)
            && self.sides.updated.is_some_and(is_commented_out)
    }
}

/// Whether a document has a `---` line.
pub(super) fn has_marker(document: &Document<'_>) -> bool {
    marker(document.text).is_some()
}

/// A chunk without its `---` line, where it can do without.
pub(super) fn without_marker(text: &str) -> Option<String> {
    let at = marker(text)?;
    if !is_bare_marker(&text[at..]) || has_directives(text) {
        return None;
    }
    let line = lines_with_breaks(&text[at..]).next()?;
    Some(format!("{}{}", &text[..at], &text[at + line.len()..]))
}

/// Whether a chunk has directives above its `---`.
pub(super) fn has_directives(text: &str) -> bool {
    marker(text).is_some_and(|at| text[..at].lines().any(|line| line.starts_with('%')))
}
