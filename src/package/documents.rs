//! Merges one file document by document (rules: Documents).
//!
//! [`merge_documents`] takes the [`Job`] of a file and returns its new content and conflicts.
//! `document` merges one document, `head` and `around` the text between, `assemble` joins them.

use super::assemble::{Action, Assembly, Insertion, holds, verify};
use super::head::{TopDocument, begins_with_marker};
use super::jobs::{Job, members};
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use super::plan::FileConflict;
use super::read::ReadFile;
use super::rules::Rules;
use super::whole_text::is_comments_only;
use super::{Content, FileOutcome};
use crate::error::Error;
use crate::line_breaks::{LineBreaks, line_break_of, with_line_break};
use crate::merge::text::CleanLines;
use crate::merge::{Merged, Options, Resolution};
use crate::parallel::in_parallel;
use crate::triple::{Side, Triple};
use crate::yaml::stream::byte_order_mark;

/// The input that the merges of all files share.
pub(crate) struct Context<'f, 'a> {
    pub(crate) files: &'f [ReadFile<'a>],
    /// The work on each file.
    pub(crate) jobs: &'f [Job],
    pub(crate) options: &'f Options,
    pub(crate) rules: &'f Rules,
    /// The three texts of the file and their line merge, if the caller made that already.
    pub(crate) lines: Option<(Triple<&'f str>, &'f CleanLines)>,
}

/// Merges the file of the triple with the index `target`.
///
/// # Errors
/// [`Error::Verification`] if the result does not have the decided values (law 6).
pub(crate) fn merge_documents(
    context: &Context<'_, '_>,
    target: usize,
) -> Result<FileOutcome, Error> {
    let job = &context.jobs[target];
    let sides = Side::ALL.map(|side| context.files[target].file(side));
    FileMerge {
        context,
        target,
        job,
        sides,
        heads: Triple::default(),
        first_kept: None,
        top: None,
        inserted: job.inserted.clone(),
        new_head: None,
        inserts_first: false,
        head_takes_text_above: false,
        outcome: FileOutcome::default(),
    }
    .run()
}

/// The state of the merge of one file.
pub(super) struct FileMerge<'c, 'f, 'a> {
    pub(super) context: &'c Context<'f, 'a>,
    /// The index of the triple whose path the merged file has.
    pub(super) target: usize,
    pub(super) job: &'c Job,
    /// The file on each side.
    pub(super) sides: Triple<Option<&'f ParsedFile<'a>>>,
    /// The heads of the files without byte order marks; empty if owned by the first document.
    pub(super) heads: Triple<&'a str>,
    /// The first document of the local file that is neither deleted nor moved.
    pub(super) first_kept: Option<Group>,
    /// The document that the head of the file merges with.
    pub(super) top: Option<TopDocument<'a>>,
    /// Upstream's documents to insert.
    pub(super) inserted: Vec<Group>,
    /// The new head of the file; `None` if local's stays.
    pub(super) new_head: Option<String>,
    /// Whether documents are inserted above `first_kept`.
    pub(super) inserts_first: bool,
    /// Whether the text above the first document of the local file becomes part of the head.
    pub(super) head_takes_text_above: bool,
    pub(super) outcome: FileOutcome,
}

impl<'c, 'f, 'a> FileMerge<'c, 'f, 'a> {
    fn run(mut self) -> Result<FileOutcome, Error> {
        if self.context.files[self.target].triple.is_pinned() {
            self.hold_back();
            return Ok(self.outcome);
        }
        for group in &self.job.deleted_locally {
            self.deleted_locally(group);
        }
        if self.job.deleted_whole.is_some() {
            self.keep_out();
        }
        if self.is_already_there() {
            return Ok(self.outcome);
        }
        if let Some(content) = self.fast_forward() {
            self.outcome.content = content;
            return Ok(self.outcome);
        }
        match self.sides.local {
            Some(file) => self.merge_local(file)?,
            None => self.create()?,
        }
        Ok(self.outcome)
    }

    pub(super) fn file(&self, triple: usize, side: Side) -> Option<&'f ParsedFile<'a>> {
        self.context.files[triple].file(side)
    }

    pub(super) fn members(&self, group: &Group) -> Triple<Option<&Parsed<'a>>> {
        match self.top_of(group) {
            Some(top) => top.sides.as_ref().map(Option::as_ref),
            None => members(self.context.files, group),
        }
    }

    /// Returns the top document if it is the one of this group.
    pub(super) fn top_of(&self, group: &Group) -> Option<&TopDocument<'a>> {
        self.top.as_ref().filter(|top| top.group == *group)
    }

    /// Returns true if a document is the first one of the local file.
    pub(super) fn is_first(&self, group: &Group) -> bool {
        group.local == Some(DocRef::new(self.target, 0))
    }

    /// Merges the local file: decides the action of each of its documents and inserts new ones.
    fn merge_local(&mut self, file: &'f ParsedFile<'a>) -> Result<(), Error> {
        let mut actions = vec![Action::Keep; file.documents.len()];
        for local in self.job.moving_out.iter().filter_map(|group| group.local) {
            actions[local.document()] = Action::Remove;
        }
        for group in &self.job.staying {
            if let (Some(local), None) = (group.local, group.updated) {
                actions[local.document()] = self.deleted_upstream(group);
            }
        }
        let positions = self.positions(file);
        let is_kept = |document: &usize| actions[*document] != Action::Remove;
        let first = (0..actions.len()).filter(is_kept);
        let first = first.min_by_key(|document| positions[*document]);
        let places = self.insertion_points(file, &actions, &positions);
        let mut inserted = self.inserted.iter().filter_map(|group| group.updated);
        self.inserts_first =
            first.is_some_and(|first| inserted.any(|it| places[it.document()] <= positions[first]));
        let is_first = |group: &&Group| group.local.map(|it| it.document()) == first;
        self.first_kept = first.and_then(|_| self.job.staying.iter().find(is_first).copied());
        self.heads = self.heads();
        let first = self.first_kept.filter(|_| !self.inserts_first);
        self.top = first.and_then(|first| self.top(first));
        self.replace_merged(file, &mut actions)?;
        let insertions = self.insertions(file, &places)?;
        let comments_only = self
            .comments_only(file, &actions)
            .filter(|_| insertions.is_empty());
        self.new_head = match comments_only {
            Some(comments) => {
                actions.fill(Action::Remove);
                Some(self.record_head(comments))
            }
            None => self.merged_head(&actions),
        };
        let all_kept = actions.iter().all(|action| *action == Action::Keep);
        let last = (0..actions.len()).max_by_key(|document| positions[*document]);
        let ends_line = match last.map(|last| &actions[last]) {
            // the document above it ends with a line break in any case
            Some(Action::Remove) => self.sides.updated.is_none_or(ParsedFile::ends_line),
            _ => ends_line(&self.sides),
        };
        if all_kept
            && positions.is_sorted()
            && insertions.is_empty()
            && self.new_head.is_none()
            && ends_line == file.ends_line()
            && self.keeps_markers(file)
        {
            return Ok(());
        }
        self.assemble(file, &actions, &positions, &insertions, ends_line)
    }

    /// Merges the documents that upstream has too, and sets their actions.
    fn replace_merged(
        &mut self,
        file: &'f ParsedFile<'a>,
        actions: &mut [Action],
    ) -> Result<(), Error> {
        for (group, merged) in self.job.staying.iter().zip(self.merged_documents(file)) {
            let (Some(local), Some(_)) = (group.local, group.updated) else {
                continue;
            };
            let merged = self.record(group, merged?);
            let has_own_head =
                self.top_of(group).is_none() && !self.owned_head(group, Side::Local).is_empty();
            actions[local.document()] = match merged {
                Some(text) => Action::Replace(text),
                None if has_own_head => Action::Replace(self.local_text(group)),
                None => Action::Keep,
            };
        }
        if let Some(below) = self.first_below_marker(file, actions) {
            actions[0] = Action::Replace(below);
            self.head_takes_text_above = true;
        }
        Ok(())
    }

    /// Returns local's first document without the text above it, if a `---` line cuts that off.
    fn first_below_marker(&self, file: &ParsedFile<'a>, actions: &[Action]) -> Option<String> {
        let is_added = self.top.is_none() && self.begins_with_marker() && !begins_with_marker(file);
        let above = self.above_first(file);
        let text = match actions.first()? {
            Action::Keep => file.documents.first()?.whole(file.text),
            Action::Replace(text) => text,
            _ => return None,
        };
        let below = text.strip_prefix(above)?;
        (is_added && !above.is_empty()).then(|| below.to_owned())
    }

    /// Merges the documents that stay in the local file. Their texts have local's line breaks.
    fn merged_documents(&self, file: &ParsedFile<'_>) -> Vec<Result<Merged, Error>> {
        let has_mixed = LineBreaks::of(file.text) == LineBreaks::Mixed;
        in_parallel(
            file.text.len(),
            self.job.staying.iter().collect(),
            |group| {
                let merged = self.merge(group)?;
                // a document that fast-forwards has upstream's line breaks
                let text = merged.text.map(|text| match has_mixed {
                    true => text,
                    false => with_line_break(text, line_break_of(file.text)).into_owned(),
                });
                Ok(Merged { text, ..merged })
            },
        )
    }

    /// Creates a file that local does not have, from the documents of upstream's file to insert.
    fn create(&mut self) -> Result<(), Error> {
        let Some(file) = self.sides.updated else {
            return Ok(());
        };
        if self.inserted.is_empty() {
            return Ok(());
        }
        let mut actions = vec![Action::Remove; file.documents.len()];
        self.heads = self.heads();
        let first = Some(DocRef::new(self.target, 0));
        let is_first = |group: &&Group| group.local.is_some() && group.updated == first;
        let first = self.inserted.iter().find(is_first);
        self.top = first.and_then(|first| self.top(*first));
        if self.top.is_some() {
            // the text of the document includes the head
            self.new_head = Some(file.text[..byte_order_mark(file.text)].to_owned());
        }
        let new = self.inserted.extract_if(.., |group| group.local.is_none());
        for group in new.collect::<Vec<_>>() {
            if let Some(updated) = group.updated {
                actions[updated.document()] = match self.is_left_open(&group) {
                    true => Action::Mark(Box::new(self.marks(&group))),
                    false => Action::Keep,
                };
            }
        }
        let places: Vec<usize> = (0..file.documents.len()).collect();
        let insertions = self.insertions(file, &places)?;
        if actions.iter().all(|action| *action == Action::Keep) {
            self.outcome.content = Content::Updated;
            return Ok(());
        }
        self.assemble(file, &actions, &places, &insertions, file.ends_line())
    }

    /// Assembles the merged file, checks it and sets the outcome.
    fn assemble(
        &mut self,
        file: &ParsedFile<'_>,
        actions: &[Action],
        positions: &[usize],
        insertions: &[Insertion],
        ends_line: bool,
    ) -> Result<(), Error> {
        let new_head = self.new_head.take();
        let assembly = Assembly {
            file,
            head: new_head.as_deref().unwrap_or(file.head),
            has_marker: self.begins_with_marker(),
            actions,
            positions,
            insertions,
        };
        let chunks = assembly.chunks();
        if chunks.is_empty()
            && !file.documents.is_empty()
            && !self.sides.updated.is_some_and(is_comments_only)
        {
            self.outcome.content = Content::Delete;
            return Ok(());
        }
        let updated = self.sides.updated.map(|file| file.text);
        let text = assembly.text(&chunks, ends_line, updated);
        let line_merge = self.merged_lines(&assembly, &text);
        if line_merge.is_some() {
            // these are conflicts over the head, whose lines git merges
            self.outcome.conflicts.clear();
        }
        let text = line_merge.unwrap_or_else(|| self.with_end_marker(&assembly, text));
        let local = self.sides.local;
        if local.is_some_and(|local| text == local.written()) {
            return Ok(());
        }
        let is_marked = |it: &FileConflict| it.conflict.resolution == Resolution::Markers;
        let has_markers = self.outcome.conflicts.iter().any(is_marked);
        // a text with conflict markers is not YAML
        if !has_markers {
            verify(&self.context.files[self.target].triple.path, &text, &chunks)?;
        }
        self.outcome.content = match self.equals_original(&text, &chunks) && !has_markers {
            true => Content::Updated,
            false => Content::Write(text.into_bytes()),
        };
        Ok(())
    }

    /// Returns true if the merged text equals the original's file and upstream's has the same
    /// documents: a second run would fast-forward (law 2), so the first one has to (law 4).
    fn equals_original(&self, text: &str, chunks: &[&str]) -> bool {
        let (original, updated) = (self.sides.original, self.sides.updated);
        original.is_some_and(|file| file.written() == text)
            && updated.is_some_and(|file| holds(file.text, chunks))
    }
}

/// Merges whether the file ends with a line break, as a three-way value.
fn ends_line(sides: &Triple<Option<&ParsedFile<'_>>>) -> bool {
    let ends = sides.map(|file| file.map(ParsedFile::ends_line));
    let merged = ends.transpose().map(Triple::merged);
    merged.or(ends.local).unwrap_or(true)
}
