//! One file of documents, merged: the table of SPEC 3, and the text that comes of it.

use std::borrow::Cow;

use super::apply::{Apply, SourceFiles};
use super::assemble::{Action, Insertion, assemble, portable, without_head};
use super::faithful::{chunks, holds, is_faithful, without_new_newlines};
use super::jobs::{Job, file_of};
use super::load::Slot;
use super::nulls::brings_null;
use super::pair::{DocRef, Group};
use super::parallel::in_parallel;
use super::parsed::{Parsed, ParsedFile, Readings};
use super::place::{Neighbours, Own, places};
use super::rules::Rules;
use super::{Content, Outcome, secrets};
use crate::error::{Error, Warning};
use crate::line_breaks::{LineBreaks, line_break_of, with_line_break};
use crate::merge::pins::may_pin;
use crate::merge::{Merged, Nulls, Options, Original, Resolution, Side, merge_sides};
use crate::triple::Triple;
use crate::yaml::Tree;

/// What is known of all files while one of them is merged.
pub(crate) struct Context<'f, 'a> {
    pub(crate) slots: &'f [Slot],
    pub(crate) files: &'f [Option<Readings<'a>>],
    pub(crate) options: &'f Options,
    pub(crate) rules: &'f Rules,
    /// What `kubectl apply` has to know, where documents are applied and not merged.
    pub(crate) apply: Option<&'f Apply<'f>>,
}

/// Merges the file at `target`.
///
/// # Errors
/// Where the result does not hold what was decided (law 6).
pub(crate) fn merge_documents(
    context: &Context<'_, '_>,
    target: usize,
    job: &Job,
) -> Result<Outcome, Error> {
    FileMerge {
        context,
        target,
        job,
        coming: job.coming.clone(),
        outcome: Outcome::default(),
    }
    .run()
}

/// Whether a document goes to another file, and leaves what stands at the head of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    No,
    Yes,
}

/// The merge of one file, under way.
pub(super) struct FileMerge<'c, 'f, 'a> {
    pub(super) context: &'c Context<'f, 'a>,
    pub(super) target: usize,
    pub(super) job: &'c Job,
    /// Upstream's documents that come.
    pub(super) coming: Vec<Group>,
    pub(super) outcome: Outcome,
}

impl<'c, 'f, 'a> FileMerge<'c, 'f, 'a> {
    fn run(mut self) -> Result<Outcome, Error> {
        if self.context.apply.is_none() && self.is_pinned_file() {
            self.hold_back();
            return Ok(self.outcome);
        }
        for group in &self.job.deleted {
            self.deleted_locally(group);
        }
        if let Some(content) = self.fast_forward() {
            self.outcome.content = content;
            return Ok(self.outcome);
        }
        match self
            .job
            .base
            .and_then(|slot| self.file(slot, |it| &it.local))
        {
            Some(file) => self.merge_into(file)?,
            None => self.create()?,
        }
        Ok(self.outcome)
    }

    fn file(
        &self,
        slot: usize,
        side: impl Fn(&'f Readings<'a>) -> &'f Option<super::parsed::Reading<'a>>,
    ) -> Option<&'f ParsedFile<'a>> {
        file_of(self.context.files, slot, side)
    }

    pub(super) fn members(&self, group: &Group) -> Triple<Option<&'f Parsed<'a>>> {
        let find = |member: Option<DocRef>, file: Option<&'f ParsedFile<'a>>| {
            file?.documents.get(member?.document)
        };
        let slot = |member: Option<DocRef>| member.map_or(usize::MAX, |it| it.slot);
        Triple {
            original: find(
                group.original,
                self.file(slot(group.original), |it| &it.original),
            ),
            updated: find(
                group.updated,
                self.file(slot(group.updated), |it| &it.updated),
            ),
            local: find(group.local, self.file(slot(group.local), |it| &it.local)),
        }
    }

    /// Law 2: upstream's bytes, where the local file's are the original's, and all of its documents pair within it.
    fn fast_forward(&self) -> Option<Content> {
        let base = self.job.base?;
        self.context.slots[self.target].sides.updated.as_ref()?;
        let sides = &self.context.slots[base].sides;
        let local = sides.local.as_ref()?;
        if sides.original.as_ref()?.bytes != local.bytes || may_pin(&local.bytes) {
            return None;
        }
        let within = |group: &Group| {
            group.original.is_some_and(|it| it.slot == base)
                && group.updated.is_none_or(|it| it.slot == self.target)
        };
        let new = |group: &Group| group.local.is_none();
        let of_updated = self.job.here.iter().filter(|group| group.updated.is_some());
        let expected = of_updated.count() + self.coming.len();
        let documents = self.file(self.target, |it| &it.updated)?;
        let count = documents
            .documents
            .iter()
            .filter(|parsed| parsed.has_content)
            .count();
        let forward = self.job.here.iter().all(within)
            && self.coming.iter().all(new)
            && self.job.leaving.is_empty()
            && count == expected
            && !self.job.here.iter().any(|group| self.clears(group));
        forward.then_some(Content::Updated)
    }

    /// Whether upstream brings a null that is a word of command into this document (SPEC 5.2).
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
        // a document that fast-forwards to a text of upstream's would bring upstream's
        let line_break = match LineBreaks::of(file.text) {
            LineBreaks::None => Some("\n"),
            LineBreaks::Alike(line_break) => Some(line_break),
            LineBreaks::Mixed => None,
        };
        let this = &*self;
        let merged = in_parallel(file.text.len(), self.job.here.iter().collect(), |group| {
            let (merged, warnings) = this.merge(group, Moves::No)?;
            let text = merged.text.map(|text| match line_break {
                Some(line_break) => with_line_break(text, line_break).into_owned(),
                None => text,
            });
            Ok((Merged { text, ..merged }, warnings))
        });
        for (group, merged) in self.job.here.iter().zip(merged) {
            if let Some(local) = group.local {
                actions[local.document] = match group.updated {
                    Some(_) => self
                        .recorded(group, merged?)
                        .map_or(Action::Keep, Action::Replace),
                    None => match self.applied_items(local, file)? {
                        Some(text) => Action::Replace(text),
                        None => self.deleted_upstream(group),
                    },
                };
            }
        }
        let insertions = self.insertions(file, &actions)?;
        let untouched = actions.iter().all(|action| *action == Action::Keep);
        if untouched && insertions.is_empty() && self.job.base == Some(self.target) {
            return Ok(());
        }
        self.finish(file, &actions, &insertions)
    }

    /// A file that the local side has not got: upstream's, as far as its documents come here.
    fn create(&mut self) -> Result<(), Error> {
        let Some(file) = self.file(self.target, |it| &it.updated) else {
            return Ok(());
        };
        if self.coming.is_empty() {
            return Ok(());
        }
        let mut actions: Vec<Action> = file
            .documents
            .iter()
            .map(|parsed| match (parsed.has_content, parsed.document.start) {
                (false, 0) => Action::Keep,
                _ => Action::Remove,
            })
            .collect();
        let coming = std::mem::take(&mut self.coming);
        for group in &coming {
            let Some(updated) = group.updated else {
                continue;
            };
            actions[updated.document] = match group.local {
                None if self.is_left_open(group) => Action::Mark(self.marks(group)),
                None if self.context.apply.is_none() => Action::Keep,
                _ => Action::Replace(self.arriving(group, line_break_of(file.text))?),
            };
        }
        let whole = |(parsed, action): (&Parsed<'_>, &Action)| {
            !parsed.has_content || *action == Action::Keep
        };
        if file.documents.iter().zip(&actions).all(whole) {
            self.outcome.content = Content::Updated;
            return Ok(());
        }
        self.finish(file, &actions, &[])
    }

    fn finish(
        &mut self,
        file: &ParsedFile<'_>,
        actions: &[Action],
        insertions: &[Insertion],
    ) -> Result<(), Error> {
        let chunks = chunks(file, actions, insertions);
        if chunks.is_empty() {
            self.outcome.content = Content::Delete;
            return Ok(());
        }
        let mut text = assemble(file, actions, insertions);
        // a missing newline at the end of the file stays missing, unless a value would lose it by that
        let length = without_new_newlines(&text, file.text)
            .into_iter()
            .skip(usize::from(!self.ends_as_before(actions, insertions, file)))
            .flatten()
            .find(|text| holds(text, &chunks))
            .map_or(text.len(), str::len);
        text.truncate(length);
        let conflicts = &self.outcome.conflicts;
        let has_markers = conflicts
            .iter()
            .any(|it| it.conflict.resolution == Resolution::Markers);
        // what has conflict markers in it is no YAML before somebody has chosen
        if !has_markers && !is_faithful(&text, &chunks) {
            return Err(Error::Unfaithful {
                file: self.context.slots[self.target].path.clone(),
                path: String::new(),
                message: "its documents are not those that were put into it".to_owned(),
            });
        }
        self.outcome.content = match self.is_original_again(&text, &chunks) && !has_markers {
            true => Content::Updated,
            false => Content::Write(text.into_bytes()),
        };
        Ok(())
    }

    /// Whether local's last document is still the last one: blank lines at its end have come then. At the end of any other they are its own.
    fn ends_as_before(
        &self,
        actions: &[Action],
        insertions: &[Insertion],
        file: &ParsedFile<'_>,
    ) -> bool {
        let end = file.documents.len();
        self.job.base.is_some()
            && actions.last().is_some_and(|last| *last != Action::Remove)
            && insertions.iter().all(|insertion| insertion.before < end)
    }

    /// Whether the merge makes the original's file of local's, and upstream's has the same documents: it would be upstream's when the
    /// merge runs again (law 2), and is at once (law 4).
    fn is_original_again(&self, text: &str, chunks: &[&str]) -> bool {
        let original = self.file(self.target, |it| &it.original);
        let updated = self.file(self.target, |it| &it.updated);
        self.context.apply.is_none()
            && original.is_some_and(|file| file.text == text)
            && updated.is_some_and(|file| holds(file.text, chunks))
    }

    /// The documents that come, and where they go.
    fn insertions(
        &mut self,
        file: &ParsedFile<'_>,
        actions: &[Action],
    ) -> Result<Vec<Insertion>, Error> {
        if self.coming.is_empty() {
            return Ok(Vec::new());
        }
        let places = places(&self.neighbours(file, actions));
        let mut coming: Vec<(DocRef, Group)> = self
            .coming
            .iter()
            .copied()
            .filter_map(|group| Some((group.updated?, group)))
            .collect();
        coming.sort_unstable_by_key(|(updated, _)| *updated);
        let line_break = line_break_of(file.text);
        let mut insertions = Vec::with_capacity(coming.len());
        for (updated, group) in coming {
            insertions.push(Insertion {
                before: places[updated.document],
                text: self.arriving(&group, line_break)?,
                marks: self.is_left_open(&group).then(|| self.marks(&group)),
            });
        }
        insertions.sort_by_key(|insertion| insertion.before);
        Ok(insertions)
    }

    fn neighbours(&self, file: &ParsedFile<'_>, actions: &[Action]) -> Neighbours {
        let updated = self.file(self.target, |it| &it.updated);
        let mut local_of = vec![None; updated.map_or(0, |file| file.documents.len())];
        let mut own: Vec<Own> = file
            .documents
            .iter()
            .map(|parsed| {
                if parsed.has_content {
                    Own::No
                } else {
                    Own::Nothing
                }
            })
            .collect();
        for group in &self.job.here {
            let Some(local) = group.local else { continue };
            match group.updated {
                Some(it) if it.slot == self.target && actions[local.document] != Action::Remove => {
                    local_of[it.document] = Some(local.document);
                }
                None if actions[local.document] != Action::Remove => {
                    own[local.document] = Own::Yes;
                }
                _ => {}
            }
        }
        Neighbours { local_of, own }
    }

    /// The text of a document that comes: upstream's, or that of the local one that moves here, merged.
    fn arriving(&mut self, group: &Group, line_break: &str) -> Result<String, Error> {
        let members = self.members(group);
        if let Some(local) = members.local {
            let merged = self.merge(group, Moves::Yes)?;
            let merged = self.recorded(group, merged);
            let text = merged.as_deref().unwrap_or(local.document.text);
            return Ok(portable(&local.document, text, line_break));
        }
        let Some(updated) = members.updated else {
            return Ok(String::new());
        };
        let text = match self.context.apply {
            Some(apply) => apply.created(updated, || self.source(group))?,
            None => updated.document.text.to_owned(),
        };
        Ok(portable(&updated.document, &text, line_break))
    }

    /// The files that a group's documents are in.
    fn source(&self, group: &Group) -> SourceFiles<'f> {
        let path = |member: Option<DocRef>| {
            let slot = member.map_or(self.target, |it| it.slot);
            self.context.slots[slot].path.as_path()
        };
        let text = |file: Option<&'f ParsedFile<'a>>| file.map_or("", |file| file.text);
        let slot = |member: Option<DocRef>| member.map_or(usize::MAX, |it| it.slot);
        SourceFiles {
            config: path(group.updated),
            config_text: text(self.file(slot(group.updated), |it| &it.updated)),
            live: path(group.local),
            item: None,
        }
    }

    /// The new text of a live document that is a list of resources, where configurations are for some of them.
    fn applied_items(
        &mut self,
        local: DocRef,
        file: &'f ParsedFile<'a>,
    ) -> Result<Option<String>, Error> {
        let Some(apply) = self.context.apply else {
            return Ok(None);
        };
        let applied =
            apply.applied_items(local, file.documents[local.document].document.text, |at| {
                let config = self
                    .file(at.slot, |it| &it.updated)?
                    .documents
                    .get(at.document)?;
                let group = Triple::new(None, Some(at), Some(local));
                Some((config, self.source(&group)))
            })?;
        self.outcome.warnings.extend(applied.warnings);
        Ok(applied.text)
    }

    /// What becomes of a local document that upstream has too, with what there is to warn of.
    fn merge(&self, group: &Group, moves: Moves) -> Result<(Merged, Vec<Warning>), Error> {
        let members = self.members(group);
        if let (Some(apply), Some(config), Some(live)) =
            (self.context.apply, members.updated, members.local)
        {
            let applied = apply.applied(config, live, || self.source(group))?;
            let merged = Merged {
                text: applied.text,
                ..Merged::unchanged()
            };
            return Ok((merged, applied.warnings));
        }
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        if group.updated.is_none()
            || text(members.updated) == text(members.original)
            || text(members.updated) == text(members.local)
        {
            return Ok((Merged::unchanged(), Vec::new()));
        }
        let is_original = text(members.local) == text(members.original);
        let apart = Triple {
            original: members.original.filter(|_| !is_original),
            ..members
        };
        let trees = apart.map(|parsed| parsed?.tree());
        // what has content has a tree: to go on without one would be to merge nothing, in silence
        let is_lost = |(parsed, tree): (Option<&Parsed<'_>>, &Option<Cow<'_, Tree<'_>>>)| {
            parsed.is_some_and(|parsed| parsed.has_content) && tree.is_none()
        };
        let lost = apart.zip(trees.as_ref()).map(is_lost).into_array();
        if lost.contains(&true) {
            return Err(Error::Unfaithful {
                file: self.path(group),
                path: String::new(),
                message: "a document was readable, and then it was not".to_owned(),
            });
        }
        let ends = group.original.zip(group.updated);
        let left_its_file = ends.is_some_and(|(original, updated)| original.slot != updated.slot);
        let documents = members.map(|parsed| match moves == Moves::Yes || left_its_file {
            false => parsed.map(|it| it.document),
            true => parsed.map(|it| without_head(&it.document)),
        });
        let documents = documents.as_ref().map(Option::as_ref);
        let side = |(document, tree)| Some(Side { document, tree });
        let (updated, local) = (trees.updated.as_deref(), trees.local.as_deref());
        let original_tree = match is_original {
            true => local.map(Cow::Borrowed),
            false => trees.original,
        };
        let original = documents.original.zip(original_tree);
        let original = original.map(|(document, tree)| Original {
            document,
            tree,
            left_its_file,
        });
        let merged = merge_sides(
            original,
            documents.updated.zip(updated).and_then(side),
            documents.local.zip(local).and_then(side),
            is_resource(&members),
            &self.options(group),
        );
        let merged = merged.map_err(|unfaithful| {
            let texts = members.map(text).into_array();
            secrets::unfaithful(self.path(group), unfaithful, texts.into_iter().flatten())
        })?;
        Ok((merged, Vec::new()))
    }

    /// The new text of a document; none where it stays as it is. What else there is to know of its merge is recorded.
    fn recorded(&mut self, group: &Group, merged: (Merged, Vec<Warning>)) -> Option<String> {
        let (merged, warnings) = merged;
        self.outcome.warnings.extend(warnings);
        for conflict in merged.conflicts.into_iter().chain(merged.pinned) {
            self.record(group, conflict);
        }
        merged.text
    }
}

/// Whether a null is a word of command in a document: whether it is a resource.
fn is_resource(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let named = members.local.or(members.updated);
    named.is_some_and(|parsed| parsed.resource.is_some())
}
