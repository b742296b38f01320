//! What stands above a document's content, where documents come, go and move: the head of the file, directives, the `---`.

use rustc_hash::FxHashSet;

use super::assemble::{Action, Insertion};
use super::documents::{Context, FileMerge};
use super::jobs::{Job, file_of};
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile, Readings};
use super::plan::FileConflict;
use crate::line_breaks::{line_break_of, lines, lines_with_breaks};
use crate::merge::{Merged, MergedAbove, merge_above, set_off};
use crate::triple::Triple;
use crate::yaml::stream::{byte_order_mark, is_bare_marker, marker};
use crate::yaml::{Document, Span};

/// The first documents with the heads of their files, where they are one document, and a comment that is in the head on one side is
/// right above the content on another: what is the head's there and what the document's is one text.
pub(super) fn with_heads<'a>(
    slots: &Triple<Option<usize>>,
    files: &Triple<Option<&ParsedFile<'a>>>,
    job: &Job,
) -> Option<Triple<Parsed<'a>>> {
    let first = |slot: Option<usize>| slot.map(|slot| DocRef { slot, document: 0 });
    let group = slots.map(first);
    job.here.iter().find(|other| **other == group)?;
    let files = Triple::new(files.original?, files.updated?, files.local?);
    let firsts = files
        .try_map(|file| file.documents.first().ok_or(()))
        .ok()?;
    let lines = files.zip(firsts).map(|(file, first)| {
        let own = lines(first.document.text).take_while(|line| is_above(line));
        (comments(lines(file.head)), comments(own))
    });
    let sides = lines.into_array();
    let differ = sides.iter().any(|(_, own)| {
        let is_own = |(head, _): &(FxHashSet<&str>, _)| !head.is_disjoint(own);
        sides.iter().any(is_own)
    });
    differ.then(|| {
        files
            .zip(firsts)
            .map(|(file, first)| with_head(file, first))
    })
}

fn is_above(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn comments<'t>(lines: impl Iterator<Item = &'t str>) -> FxHashSet<&'t str> {
    let lines = lines.map(|line| line.trim_start_matches('\u{feff}').trim());
    lines.filter(|line| line.starts_with('#')).collect()
}

fn with_head<'a>(file: &ParsedFile<'a>, first: &Parsed<'a>) -> Parsed<'a> {
    let document = &first.document;
    let start = byte_order_mark(file.text);
    let end = document.start + document.text.len();
    let text = &file.text[start..end];
    let marker_end = match (marker(file.head), document.body.start) {
        (Some(at), _) => lines_with_breaks(&file.text[at..])
            .next()
            .map_or(at, |line| at + line.len()),
        (None, 0) => start,
        (None, body) => document.start + body as usize,
    };
    let offset = |at: usize| u32::try_from(at - start).unwrap_or(u32::MAX);
    let body = Span::new(
        offset(marker_end),
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

impl FileMerge<'_, '_, '_> {
    /// A merged document with the merged text above its body.
    pub(super) fn with_above(&self, group: &Group, merged: Merged) -> Merged {
        let members = self.members(group);
        let (Some(updated), Some(local)) = (members.updated, members.local) else {
            return merged;
        };
        let text = merged.text.as_deref().unwrap_or(local.document.text);
        let own = above(local);
        let body = text.strip_prefix(own);
        let Some(body) = body.filter(|_| merged.pinned.is_empty() && self.compares_above(group))
        else {
            return merged;
        };
        let sides = Triple::new(members.original.map_or("", above), above(updated), own);
        let line_break = line_break_of(local.document.text);
        let Some(new) = merge_above(sides, line_break, &self.options(group)) else {
            return merged;
        };
        let text = format!("{}{body}", new.text);
        let conflicts = new.conflicts.into_iter().chain(merged.conflicts);
        Merged {
            text: Some(text).filter(|text| text != local.document.text),
            conflicts: conflicts.collect(),
            ..merged
        }
    }

    /// Whether what is above a document merges: what it stands below in another file is no text of its own.
    fn compares_above(&self, group: &Group) -> bool {
        let (Some(original), Some(local)) = (group.original, group.local) else {
            return false;
        };
        let is_in = |slot: Option<usize>, member: DocRef| slot == Some(member.slot);
        let is_here = is_in(self.slots.original, original) && is_in(self.slots.local, local);
        self.context.apply.is_none() && (is_here || original.slot == local.slot)
    }

    /// Whether nothing but the head of the file is above a local document.
    pub(super) fn is_first(&self, group: &Group) -> bool {
        let is_first = group.local.is_some_and(|local| local.document == 0);
        let local = self.members(group).local;
        is_first && local.is_some_and(|local| above(local).is_empty())
    }

    /// Merges what is above the first document: where it stays the first one, with the head of the file.
    pub(super) fn merge_head(&mut self, actions: &mut [Action], insertions: &[Insertion]) {
        let job = self.job;
        let first = job.here.iter().find(|group| self.is_first(group));
        let first = first.filter(|_| actions[0] != Action::Remove);
        let comes_before = insertions
            .first()
            .is_some_and(|insertion| insertion.before == 0);
        self.head = self.merged_head(first.filter(|_| !comes_before));
        if let Some(group) = first.filter(|_| comes_before) {
            let merged = Merged {
                text: match &actions[0] {
                    Action::Replace(text) => Some(text.clone()),
                    _ => None,
                },
                ..Merged::unchanged()
            };
            let merged = self.with_above(group, merged);
            if let Some(text) = self.recorded(group, (merged, Vec::new())) {
                actions[0] = Action::Replace(text);
            }
        }
    }

    /// The head that the file gets; none where local's stays. What is above `first`, which is local's first document, is in it there.
    fn merged_head(&mut self, first: Option<&Group>) -> Option<String> {
        if self.context.apply.is_some() {
            return None;
        }
        let (updated, local) = (self.sides.updated?, self.sides.local?);
        if self.with_heads.is_some() {
            return Some(local.text[..byte_order_mark(local.text)].to_owned());
        }
        let line_break = line_break_of(local.text);
        let members = first.filter(|group| self.compares_above(group));
        let members = members.map_or_else(Triple::default, |group| self.members(group));
        let known = members.local.map_or_else(FxHashSet::default, |local| {
            comments(lines(local.document.text).take_while(|line| is_above(line)))
        });
        let with_above = |head: &str, parsed: Option<&Parsed<'_>>| {
            let above = parsed.and_then(|parsed| without_marker(above(parsed)));
            let above = above.unwrap_or_default();
            let in_head = comments(lines(head));
            let stands_there = |line: &str| known.contains(line) || in_head.contains(line);
            let new: String = lines_with_breaks(&above)
                .filter(|line| !stands_there(line.trim()))
                .collect();
            let mut text = head.to_owned();
            if !comments(lines(&new)).is_empty() {
                text.push_str(&new);
            }
            set_off(&mut text, line_break);
            text
        };
        let original = self.sides.original.map_or("", |file| file.head);
        let original = with_above(original, members.original);
        let updated = with_above(updated.head, members.updated);
        let heads = Triple::new(original.as_str(), updated.as_str(), local.head);
        let MergedAbove { text, conflicts } = merge_above(heads, line_break, self.context.options)?;
        let base = self.job.base.unwrap_or(self.target);
        for conflict in conflicts {
            self.outcome.conflicts.push(FileConflict {
                file: self.context.slots[base].path.clone(),
                line: Some(conflict.line + 1),
                resource: None,
                conflict,
                hidden: false,
            });
        }
        Some(text).filter(|text| text != local.head)
    }
}

/// What stands above a document's body.
fn above<'a>(parsed: &Parsed<'a>) -> &'a str {
    &parsed.document.text[..parsed.document.body.start as usize]
}

/// Where the file is on each side. Where upstream renamed it, the original has it at the former path.
pub(super) fn sides(context: &Context<'_, '_>, target: usize, job: &Job) -> Triple<Option<usize>> {
    let has = |slot: usize, side: fn(&Readings<'_>) -> bool| {
        let files = context.files.get(slot);
        files.is_some_and(|files| files.as_ref().is_some_and(side))
    };
    let has_original = |slot: &usize| has(*slot, |files| files.original.is_some());
    let has_updated = |slot: &usize| has(*slot, |files| files.updated.is_some());
    let former = || former_path(job).filter(|slot| !has_updated(slot));
    let updated = Some(target).filter(has_updated);
    Triple {
        original: job
            .base
            .filter(has_original)
            .or_else(|| updated.and_then(|_| former())),
        updated,
        local: job.base,
    }
}

/// Where the original has all documents that are here.
fn former_path(job: &Job) -> Option<usize> {
    let originals = job.here.iter().filter_map(|group| group.original);
    let mut slots = originals.map(|it| it.slot);
    let slot = slots.next()?;
    slots.all(|other| other == slot).then_some(slot)
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
