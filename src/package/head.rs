//! Merges the head of a file: the comments, directives and `---` line above its first document,
//! also where documents are inserted, deleted or moved.

use std::borrow::Cow;

use super::around::above;
use super::assemble::Action;
use super::documents::FileMerge;
use super::jobs::members;
use super::pair::Group;
use super::parsed::{Parsed, ParsedFile, merges_around};
use super::plan::FileConflict;
use crate::line_breaks::{cut_first_line, line_break_of, lines};
use crate::merge::{Conflict, MergedAround, merge_above, set_off};
use crate::triple::{Side, Triple};
use crate::white_space::{is_white_space, trimmed, trimmed_end};
use crate::yaml::stream::{byte_order_mark, frame, is_bare_marker, marker};

/// The first document of the merged file, which merges together with the head as one text: a line
/// may be in the head on one side and in the document on another.
#[derive(Debug)]
pub(super) struct TopDocument<'a> {
    pub(super) group: Group,
    pub(super) sides: Triple<Option<Parsed<'a>>>,
    /// The text above the document on each side. It merges with the document.
    pub(super) heads: Triple<&'a str>,
}

impl<'a> TopDocument<'a> {
    /// Creates the top document of `files` from the document of each side. `heads` has the text
    /// above the document on each side.
    fn of(
        group: Group,
        files: Triple<Option<&ParsedFile<'a>>>,
        members: Triple<Option<&Parsed<'a>>>,
        heads: Triple<&'a str>,
    ) -> Self {
        let all = files.zip(members).map(|(file, parsed)| file.zip(parsed));
        let has_head = |(file, head): (Option<&ParsedFile<'_>>, &str)| {
            file.is_none_or(|file| head_of(file) == head)
        };
        let has_all_heads = files.zip(heads).into_iter().all(has_head);
        let extended = all.transpose().filter(|_| has_all_heads);
        let extended = extended.and_then(with_extended_bodies);
        let (sides, heads) = match extended {
            Some(extended) => {
                let heads = extended.as_ref().map(|(_, head)| *head);
                (extended.map(|(parsed, _)| Some(parsed)), heads)
            }
            None => (members.map(Option::<&Parsed<'a>>::cloned), heads),
        };
        Self {
            group,
            sides,
            heads,
        }
    }
}

/// Extends the bodies of documents up to their `---` lines, or to the starts of the files if no
/// side has one. Returns each with the text above it. Returns `None` unless each is the first
/// document of its file, all or none have a `---` line, the text above the values is in local's row
/// or in no row, and no byte order mark is below a head.
fn with_extended_bodies<'a>(
    sides: Triple<(&ParsedFile<'a>, &Parsed<'a>)>,
) -> Option<Triple<(Parsed<'a>, &'a str)>> {
    let is_same = |sides: Triple<bool>| sides == sides.map(|_| sides.local);
    let frames = sides.map(|(file, Parsed { document, .. })| {
        frame(&file.text[..document.start + document.body.start as usize])
    });
    let is_block = sides.map(|(_, parsed)| parsed.block.is_some());
    let merges_around = merges_around(&sides.map(|(_, parsed)| Some(parsed)));
    // a byte order mark below a head would be inside of the extended document
    let has_mark_inside = |parsed: &Parsed<'_>| {
        parsed.document.start > 0 && byte_order_mark(parsed.document.text) > 0
    };
    let can_extend = is_same(frames.as_ref().map(Option::is_some))
        && (is_block.local || is_same(is_block) || merges_around)
        && sides
            .into_iter()
            .all(|(file, parsed)| is_first(file, parsed) && !has_mark_inside(parsed));
    let extended = sides.zip(frames).map(|((file, parsed), frame)| {
        let top = byte_order_mark(file.text);
        let frame = frame.unwrap_or(top..top);
        let head = &file.text[top..frame.start];
        can_extend.then(|| (parsed.from(file.text, frame.start, frame.end), head))
    });
    extended.transpose()
}

/// Returns true if a document is the first one of a file.
fn is_first(file: &ParsedFile<'_>, parsed: &Parsed<'_>) -> bool {
    let second = file.documents.get(1);
    second.is_none_or(|second| parsed.document.start < second.document.start)
}

impl<'a> FileMerge<'_, '_, 'a> {
    /// Returns the merged head of the file; `None` if local's stays. It is empty if the new text of
    /// the first document includes it.
    pub(super) fn merged_head(&mut self, actions: &[Action]) -> Option<String> {
        let local = self.sides.local.filter(|_| self.sides.updated.is_some())?;
        let bom = &local.text[..byte_order_mark(local.text)];
        if let Some(top) = &self.top {
            let top = top.group.local.map(|it| &actions[it.document()]);
            // the new text of the document includes the head
            return matches!(top, Some(Action::Replace(_))).then(|| bom.to_owned());
        }
        let line_break = line_break_of(local.text);
        let options = self.context.options;
        let has_marker =
            [Side::Updated, Side::Local].map(|side| marker(self.heads[side]).is_some());
        let has_frame = self.begins_with_marker() && has_marker.contains(&true);
        let heads = self.heads_with_markers(has_frame);
        let merge = |local: &str| {
            let heads = heads.as_ref().map(|head| &**head);
            merge_above(Triple { local, ..heads }, has_frame, line_break, options)
        };
        // local may have the lines that upstream adds already, above its first document
        let below = match &heads.local {
            Cow::Borrowed(_) => self.above_first(local),
            // the `---` line is in the head now
            Cow::Owned(_) => cut_first_line(self.above_first_with_marker(local)).1,
        };
        let head_and_above = format!("{}{below}", heads.local);
        let merged = match merge(&head_and_above) {
            merged if below.is_empty() => merged,
            merged if self.head_takes_text_above => {
                Some(merged.unwrap_or_else(|| MergedAround::without_conflicts(head_and_above)))
            }
            Some(merged) => match trimmed_end(&merged.text).strip_suffix(trimmed_end(below)) {
                Some(head) => Some(MergedAround {
                    text: head.to_owned(),
                    ..merged
                }),
                None => merge(&heads.local),
            },
            None => None,
        };
        match merged {
            Some(merged) => Some(bom.to_owned() + &self.record_head(merged)),
            None => (bom.len() + self.heads.local.len() < local.head.len()).then(|| bom.to_owned()),
        }
    }

    /// Returns the heads of the files. If the merged head `has_frame`, the head of each file has
    /// the `---` line that the file begins with, also if that is in the first document.
    fn heads_with_markers(&self, has_frame: bool) -> Triple<Cow<'a, str>> {
        self.heads.zip(self.sides).map(|(head, file)| {
            let first =
                file.filter(|file| has_frame && head == head_of(file) && can_drop_marker(file));
            let marker = first
                .filter(|_| marker(head).is_none())
                .and_then(first_marker);
            match first.zip(marker) {
                Some((file, at)) if at == file.head.len() => {
                    format!("{head}---{}", line_break_of(file.text)).into()
                }
                _ => head.into(),
            }
        })
    }

    /// Returns the text between the head of the local file and the body of its first document;
    /// empty if a `---` line is in it, or if that document is not the first one of the merged file.
    pub(super) fn above_first(&self, file: &ParsedFile<'a>) -> &'a str {
        let text = self.above_first_with_marker(file);
        if frame(text).is_none() { text } else { "" }
    }

    /// Like [`Self::above_first`], also if a `---` line is in the text.
    fn above_first_with_marker(&self, file: &ParsedFile<'a>) -> &'a str {
        let first = file.documents.first().filter(|_| self.keeps_first());
        first.map_or("", |first| above(&first.document))
    }

    /// Records the conflicts of a merged head. Returns its text.
    pub(super) fn record_head(&mut self, merged: MergedAround) -> String {
        let path = self.context.files[self.target].triple.path.as_path();
        let conflicts = merged.conflicts.into_iter();
        let in_file = |it: Conflict| FileConflict::in_file(path, Some(it.line + 1), it);
        self.outcome.conflicts.extend(conflicts.map(in_file));
        merged.text
    }

    /// Merges whether the file begins with a `---` line, as a three-way value.
    pub(super) fn begins_with_marker(&self) -> bool {
        let has_marker = begins_with_marker;
        let Some(local) = self.sides.local else {
            return self.sides.updated.is_some_and(has_marker);
        };
        match (self.sides.original, self.sides.updated) {
            (Some(original), Some(updated))
                if has_marker(original) == has_marker(local)
                    && can_drop_marker(original)
                    && can_drop_marker(updated)
                    && (can_drop_marker(local) || !self.keeps_first()) =>
            {
                has_marker(updated)
            }
            _ => has_marker(local),
        }
    }

    /// Returns true if the first document of the local file is the first one of the merged file.
    pub(super) fn keeps_first(&self) -> bool {
        !self.inserts_first && self.first_kept.is_some_and(|first| self.is_first(&first))
    }

    /// Returns the document that the head of the file merges with: the first one of the merged
    /// file, `first`, if upstream has it in this file, and original and local too. A side that does
    /// not have this file may have the document in another one.
    pub(super) fn top(&self, first: Group) -> Option<TopDocument<'a>> {
        let is_here = first.map(|member| member.is_none_or(|it| it.triple() == self.target));
        let can_be_elsewhere = |side: Side| side != Side::Updated && self.sides[side].is_none();
        let is_top = first.updated.is_some()
            && Side::ALL
                .into_iter()
                .all(|side| is_here[side] || can_be_elsewhere(side));
        let files = Side::ALL.map(|side| match is_here[side] {
            true => self.sides[side],
            false => self.file(first[side]?.triple(), side),
        });
        let heads = Side::ALL.map(|side| match (is_here[side], first[side]) {
            (true, Some(member)) if member.document() == 0 => files[side].map_or("", head_of),
            (true, _) => self.heads[side],
            (false, _) => self.head_elsewhere(&first, side),
        });
        let members = members(self.context.files, &first);
        is_top.then(|| TopDocument::of(first, files, members, heads))
    }

    /// Returns the heads of the files, without byte order marks; empty where the head belongs to
    /// the first document.
    pub(super) fn heads(&self) -> Triple<&'a str> {
        Side::ALL.map(|side| {
            let head = self.sides[side].map_or("", head_of);
            if self.is_head_owned(side) { "" } else { head }
        })
    }

    /// Returns true if the head of a side's file belongs to its first document: in another version,
    /// that document is not the first one, or upstream moved it here from another file, and has the
    /// head's first comment above it.
    pub(super) fn is_head_owned(&self, side: Side) -> bool {
        let head = self.sides[side].map_or("", |file| file.head);
        let mut groups = self.job.staying.iter().chain(&self.job.inserted);
        let first = groups.find(|group| self.index_in_file(group, side) == Some(0));
        let Some(first) = first else {
            return false;
        };
        let documents = members(self.context.files, first);
        let is_first_upstream = self.index_in_file(first, Side::Updated) == Some(0);
        let is_below = |other: Side| {
            let is_moved = match self.index_in_file(first, other) {
                Some(index) => {
                    let file = self.sides[other];
                    index > 0 && !file.is_some_and(|file| has_first_comment(head, file.head))
                }
                None => other == Side::Original && is_first_upstream,
            };
            is_moved && documents[other].is_some_and(|it| has_first_comment(head, it.document.text))
        };
        let others = [Side::Original, Side::Updated].into_iter();
        others.filter(|other| *other != side).any(is_below)
    }

    /// Returns the index of a document in a side's file; `None` if it is not in that file.
    pub(super) fn index_in_file(&self, group: &Group, side: Side) -> Option<usize> {
        let member = group[side].filter(|member| member.triple() == self.target);
        member.map(|member| member.document())
    }

    /// Returns the head of a side's file if it belongs to this document, else an empty text.
    pub(super) fn owned_head(&self, group: &Group, side: Side) -> &'a str {
        match group[side] {
            Some(member) if member.triple() != self.target => {
                let head = self.head_elsewhere(group, side);
                let updated = self.sides.updated.map_or("", |file| file.head);
                if has_first_comment(head, updated) {
                    ""
                } else {
                    head
                }
            }
            Some(member) if member.document() == 0 && self.heads[side].is_empty() => {
                self.sides[side].map_or("", head_of)
            }
            _ => "",
        }
    }

    /// Returns the head that a document of the original or of local takes along from another file
    /// to this one, else an empty text. It takes the head along if upstream moved all documents out
    /// of that file; or if the head's first comment is its own, because the other side has that
    /// above the document.
    fn head_elsewhere(&self, group: &Group, side: Side) -> &'a str {
        let (other, member) = match (side, group[side]) {
            (Side::Original, Some(member)) => (Side::Local, member),
            (Side::Local, Some(member)) => (Side::Original, member),
            _ => return "",
        };
        let head = self.file(member.triple(), side).map_or("", head_of);
        let has_comment = |parsed: &Parsed<'_>| has_first_comment(head, parsed.document.text);
        let is_first = member.document() == 0;
        let is_taken = match self.job.with_head.contains(group) {
            true if is_first => true,
            // the head may be the comments of the document that is the first one now
            true => {
                let original = self.file(member.triple(), Side::Original);
                let documents = original.map_or(&[][..], |file| &file.documents);
                !documents.iter().skip(1).any(has_comment)
            }
            false => is_first && members(self.context.files, group)[other].is_some_and(has_comment),
        };
        if is_taken { head } else { "" }
    }
}

/// Returns true if a file begins with a `---` line, comments and directives aside.
pub(super) fn begins_with_marker(file: &ParsedFile<'_>) -> bool {
    first_marker(file).is_some()
}

/// Returns the offset of the `---` line that a file begins with, comments and directives aside.
fn first_marker(file: &ParsedFile<'_>) -> Option<usize> {
    let in_first = || marker(file.documents.first()?.document.text);
    marker(file.head).or_else(|| in_first().map(|at| file.head.len() + at))
}

/// Returns true if the `---` line that a file begins with can be added or dropped: it has no
/// directives above it, and no value or comment on its line. True if there is none.
fn can_drop_marker(file: &ParsedFile<'_>) -> bool {
    first_marker(file).is_none_or(|at| {
        let (above, marker) = file.text.split_at(at);
        is_bare_marker(marker) && !has_directive_lines(above)
    })
}

/// Returns a chunk without its `---` line; `None` if it has none or needs it. A blank line sets the
/// comments above that line off from the content.
pub(super) fn without_marker(text: &str) -> Option<String> {
    let at = marker(text)?;
    if !is_bare_marker(&text[at..]) || has_directives(text) {
        return None;
    }
    let below = cut_first_line(&text[at..]).1;
    let mut text = text[..at].to_owned();
    if !is_white_space(cut_first_line(below).0) {
        set_off(&mut text, line_break_of(below));
    }
    Some(text + below)
}

/// Returns true if a chunk has directives above its `---` line.
pub(super) fn has_directives(text: &str) -> bool {
    marker(text).is_some_and(|at| has_directive_lines(&text[..at]))
}

fn has_directive_lines(above: &str) -> bool {
    let mut lines = lines(&above[byte_order_mark(above)..]);
    lines.any(|line| line.starts_with('%'))
}

/// Returns the head of a file without the byte order mark.
fn head_of<'a>(file: &ParsedFile<'a>) -> &'a str {
    &file.head[byte_order_mark(file.head)..]
}

/// Returns true if a text has the first comment of a head above its first content.
fn has_first_comment(head: &str, text: &str) -> bool {
    let first = comments(head).next();
    first.is_some_and(|first| comments(text).any(|it| it == first))
}

/// Returns the comments above the first content of a text.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    let lines = lines(text).map(|line| trimmed(line.trim_start_matches('\u{feff}')));
    let above = lines.take_while(|line| line.is_empty() || line.starts_with(['#', '-', '%']));
    above.filter(|line| line.starts_with('#'))
}
