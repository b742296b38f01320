//! Merges a file of documents by the table in the rules (Documents), and writes its text.

use super::assemble::{Action, Assembly, Insertion};
use super::comments_only::is_comments_only;
use super::document::is_resource;
use super::file_triple::FileTriple;
use super::head::{Top, begins_with_marker};
use super::jobs::{Job, members};
use super::nulls::brings_null;
use super::pair::Group;
use super::parallel::in_parallel;
use super::parsed::{Parsed, ParsedFile};
use super::read::ReadFile;
use super::rules::Rules;
use super::verified::holds;
use super::{Content, FileOutcome};
use crate::error::Error;
use crate::line_breaks::{LineBreaks, line_break_of, with_line_break};
use crate::merge::pins::may_pin;
use crate::merge::text::CleanLines;
use crate::merge::{Merged, Nulls, Options, Resolution};
use crate::triple::{Side, Triple};
use crate::yaml::stream::byte_order_mark;

/// What is known of all files while one of them is merged.
pub(crate) struct Context<'f, 'a> {
    pub(crate) triples: &'f [FileTriple],
    pub(crate) files: &'f [ReadFile<'a>],
    pub(crate) options: &'f Options,
    pub(crate) rules: &'f Rules,
    /// What a merge of their lines makes of the three texts of a file, where it is known.
    pub(crate) lines: Option<(Triple<&'f str>, &'f CleanLines)>,
}

/// Merges the file at `target`.
///
/// # Errors
/// Where the result does not hold what was decided (law 6).
pub(crate) fn merge_documents(
    context: &Context<'_, '_>,
    target: usize,
    job: &Job,
) -> Result<FileOutcome, Error> {
    let sides = Side::ALL.map(|side| context.files[job.file[side]?].file(side));
    FileMerge {
        context,
        target,
        job,
        sides,
        heads: Triple::default(),
        first: None,
        top: None,
        coming: job.coming.clone(),
        head: None,
        comes_first: false,
        sets_off_first: false,
        outcome: FileOutcome::default(),
    }
    .run()
}

/// The merge of one file, under way.
pub(super) struct FileMerge<'c, 'f, 'a> {
    pub(super) context: &'c Context<'f, 'a>,
    pub(super) target: usize,
    pub(super) job: &'c Job,
    /// The file on each side.
    pub(super) sides: Triple<Option<&'f ParsedFile<'a>>>,
    /// The heads of the files, without those that belong to their first documents, and without byte
    /// order marks.
    pub(super) heads: Triple<&'a str>,
    /// The first document of the local file that stays there.
    pub(super) first: Option<Group>,
    /// The document that the head of the file merges with.
    pub(super) top: Option<Top<'a>>,
    /// Upstream's documents that come.
    pub(super) coming: Vec<Group>,
    /// The head that the file gets, where it is another one.
    pub(super) head: Option<String>,
    /// Whether documents come above the first one of the local file that stays there.
    pub(super) comes_first: bool,
    /// Whether what is above the first document of the local file becomes the head's.
    pub(super) sets_off_first: bool,
    pub(super) outcome: FileOutcome,
}

impl<'c, 'f, 'a> FileMerge<'c, 'f, 'a> {
    fn run(mut self) -> Result<FileOutcome, Error> {
        if self.is_pinned_file() {
            self.hold_back();
            return Ok(self.outcome);
        }
        for group in &self.job.deleted {
            self.deleted_locally(group);
        }
        if self.job.gone.is_some() {
            self.keep_out();
        }
        if let Some(content) = self.fast_forward() {
            self.outcome.content = content;
            return Ok(self.outcome);
        }
        match self.sides.local {
            Some(file) => self.merge_into(file)?,
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

    /// A document as the one that the head of the file merges with, if it is that.
    pub(super) fn top_of(&self, group: &Group) -> Option<&Top<'a>> {
        self.top.as_ref().filter(|top| top.group == *group)
    }

    /// Whether a document is the first one of the local file.
    pub(super) fn is_first(&self, group: &Group) -> bool {
        let member = group.local.map(|it| (Some(it.triple), it.document));
        member == Some((self.job.file.local, 0))
    }

    /// Law 2: upstream's bytes, where the local file's are the original's, and all of its documents
    /// pair within it.
    fn fast_forward(&self) -> Option<Content> {
        let base = self.job.file.local?;
        self.context.triples[self.target].sides.updated.as_ref()?;
        let sides = &self.context.triples[base].sides;
        let local = sides.local.as_ref()?;
        if sides.original.as_ref()?.bytes != local.bytes || may_pin(&local.bytes) {
            return None;
        }
        let within = |group: &Group| {
            group.original.is_some_and(|it| it.triple == base)
                && group.updated.is_none_or(|it| it.triple == self.target)
        };
        let new = |group: &Group| group.local.is_none();
        let of_updated = self.job.here.iter().filter(|group| group.updated.is_some());
        let expected = of_updated.count() + self.coming.len();
        let count = self.file(self.target, Side::Updated)?.documents.len();
        let forward = self.job.here.iter().all(within)
            && self.coming.iter().all(new)
            && self.job.leaving.is_empty()
            && count == expected
            && !self.job.here.iter().any(|group| self.clears(group));
        forward.then_some(Content::Updated)
    }

    /// Whether upstream brings a null that is a word of command into this document (rules: Nulls).
    fn clears(&self, group: &Group) -> bool {
        let members = self.members(group);
        let (Some(original), Some(updated)) = (members.original, members.updated) else {
            return false;
        };
        if original.document.text == updated.document.text
            || !updated.may_have_null
            || !self.is_command(&members)
        {
            return false;
        }
        match (original.tree(), updated.tree()) {
            (Some(original), Some(updated)) => brings_null(&original, &updated),
            _ => false,
        }
    }

    fn is_command(&self, members: &Triple<Option<&Parsed<'_>>>) -> bool {
        match self.context.options.nulls {
            Some(Nulls::Clear) => true,
            Some(Nulls::Keep) => false,
            None => is_resource(members),
        }
    }

    /// The local file, with what becomes of each of its documents and with those that come.
    fn merge_into(&mut self, file: &'f ParsedFile<'a>) -> Result<(), Error> {
        let mut actions = vec![Action::Keep; file.documents.len()];
        for group in &self.job.leaving {
            if let Some(local) = group.local {
                actions[local.document] = Action::Remove;
            }
        }
        for group in &self.job.here {
            if let (Some(local), None) = (group.local, group.updated) {
                actions[local.document] = self.deleted_upstream(group);
            }
        }
        let first = actions.iter().position(|it| *it != Action::Remove);
        self.comes_first = first.is_some_and(|first| self.comes_above(first, file, &actions));
        self.first = first.and_then(|first| self.document_here(first));
        self.heads = self.heads();
        self.top = self.top();
        self.merge_here(file, &mut actions)?;
        let insertions = self.insertions(file, &actions)?;
        let only = self
            .comments_only(file, &actions)
            .filter(|_| insertions.is_empty());
        self.head = match only {
            Some(comments) => {
                actions.fill(Action::Remove);
                Some(self.recorded_head(comments))
            }
            None => self.merged_head(),
        };
        let untouched = actions.iter().all(|action| *action == Action::Keep);
        let ends_line = match actions.last() {
            // the document above it ends its line
            Some(Action::Remove) => self.sides.updated.is_none_or(ParsedFile::ends_line),
            _ => ends_line(&self.sides),
        };
        if untouched
            && insertions.is_empty()
            && self.head.is_none()
            && ends_line == file.ends_line()
            && self.keeps_markers(file)
            && self.job.file.local == Some(self.target)
        {
            return Ok(());
        }
        self.finish(file, &actions, &insertions, ends_line)
    }

    /// A document of the local file that is not moved to another one.
    fn document_here(&self, document: usize) -> Option<Group> {
        let is_it = |group: &&Group| group.local.is_some_and(|it| it.document == document);
        self.job.here.iter().find(is_it).copied()
    }

    /// Merges the documents that upstream has, too.
    fn merge_here(
        &mut self,
        file: &'f ParsedFile<'a>,
        actions: &mut [Action],
    ) -> Result<(), Error> {
        for (group, merged) in self.job.here.iter().zip(self.merged_here(file)) {
            let (Some(local), Some(_)) = (group.local, group.updated) else {
                continue;
            };
            let merged = self.recorded(group, merged?);
            let own_head = match self.top_of(group) {
                Some(_) => "",
                None => self.owned_head(group, Side::Local),
            };
            actions[local.document] = match merged {
                Some(text) => Action::Replace(text),
                None if own_head.is_empty() => Action::Keep,
                None => Action::Replace(own_head.to_owned() + self.whole(group, Side::Local)),
            };
        }
        if let Some(below) = self.first_set_off(file, actions) {
            actions[0] = Action::Replace(below);
            self.sets_off_first = true;
        }
        Ok(())
    }

    /// The first document of the local file without what is above it, where a `---` line comes
    /// between: that is the head's from then on.
    fn first_set_off(&self, file: &ParsedFile<'a>, actions: &[Action]) -> Option<String> {
        let comes = self.top.is_none() && self.begins_with_marker() && !begins_with_marker(file);
        let above = self.above_first(file);
        let text = match actions.first()? {
            Action::Keep => file.documents.first()?.whole(file.text),
            Action::Replace(text) => text,
            _ => return None,
        };
        let below = text.strip_prefix(above)?;
        (comes && !above.is_empty()).then(|| below.to_owned())
    }

    /// The documents of the local file, each merged, with its line breaks.
    fn merged_here(&self, file: &ParsedFile<'_>) -> Vec<Result<Merged, Error>> {
        // a document that fast-forwards to a text of upstream's would bring upstream's
        let line_break = match LineBreaks::of(file.text) {
            LineBreaks::None => Some("\n"),
            LineBreaks::Alike(line_break) => Some(line_break),
            LineBreaks::Mixed => None,
        };
        in_parallel(file.text.len(), self.job.here.iter().collect(), |group| {
            let merged = self.merge(group)?;
            let text = merged.text.map(|text| match line_break {
                Some(line_break) => with_line_break(text, line_break).into_owned(),
                None => text,
            });
            Ok(Merged { text, ..merged })
        })
    }

    /// A file that the local side has not got: upstream's, as far as its documents come here.
    fn create(&mut self) -> Result<(), Error> {
        let Some(file) = self.file(self.target, Side::Updated) else {
            return Ok(());
        };
        if self.coming.is_empty() {
            return Ok(());
        }
        let mut actions = vec![Action::Remove; file.documents.len()];
        let coming = std::mem::take(&mut self.coming);
        for group in &coming {
            let Some(updated) = group.updated else {
                continue;
            };
            actions[updated.document] = match group.local {
                None if self.is_left_open(group) => Action::Mark(self.marks(group)),
                None => Action::Keep,
                Some(_) => Action::Arrive(self.arriving(group, line_break_of(file.text))?),
            };
        }
        if actions.iter().all(|action| *action == Action::Keep) {
            self.outcome.content = Content::Updated;
            return Ok(());
        }
        self.finish(file, &actions, &[], file.ends_line())
    }

    fn finish(
        &mut self,
        file: &ParsedFile<'_>,
        actions: &[Action],
        insertions: &[Insertion],
        ends_line: bool,
    ) -> Result<(), Error> {
        let assembly = Assembly {
            file,
            head: match self
                .top
                .as_ref()
                .and_then(|top| Some(&actions[top.group.local?.document]))
            {
                // it is in the text of the document
                Some(Action::Replace(_)) => &file.text[..byte_order_mark(file.text)],
                _ => self.head.as_deref().unwrap_or(file.head),
            },
            has_marker: match self.job.file.local {
                Some(_) => self.begins_with_marker(),
                None => begins_with_marker(file),
            },
            actions,
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
        let text = assembly.text(ends_line, self.sides.updated.map(|file| file.text));
        let lines = self.merged_lines(&assembly, &text);
        let text = lines.unwrap_or(text);
        if text == file.written() && self.job.file.local == Some(self.target) {
            return Ok(());
        }
        let conflicts = &self.outcome.conflicts;
        let has_markers = conflicts
            .iter()
            .any(|it| it.conflict.resolution == Resolution::Markers);
        // what has conflict markers in it is no YAML before somebody has chosen
        if !has_markers {
            assembly.verify(&self.context.triples[self.target].path, &text)?;
        }
        self.outcome.content = match self.is_original_again(&text, &chunks) && !has_markers {
            true => Content::Updated,
            false => Content::Write(text.into_bytes()),
        };
        Ok(())
    }

    /// Whether the merge makes the original's file of local's, and upstream's has the same
    /// documents: it would be upstream's when the merge runs again (law 2), and is at once (law 4).
    fn is_original_again(&self, text: &str, chunks: &[&str]) -> bool {
        let original = self.file(self.target, Side::Original);
        let updated = self.file(self.target, Side::Updated);
        original.is_some_and(|file| file.written() == text)
            && updated.is_some_and(|file| holds(file.text, chunks))
    }
}

/// Whether the merged file ends with a line break: three-way.
fn ends_line(sides: &Triple<Option<&ParsedFile<'_>>>) -> bool {
    let ends = sides.map(|file| file.map(ParsedFile::ends_line));
    match (ends.original, ends.updated, ends.local) {
        (Some(original), Some(updated), Some(local)) if original == local => updated,
        (_, _, local) => local.unwrap_or(true),
    }
}
