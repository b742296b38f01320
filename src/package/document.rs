//! Merges the documents of a file: the three trees of each (by `merge`) and the text around it (by
//! `around`), and records the conflicts (rules: Conflicts): those of fields, with file, line and
//! resource, and those about a whole document that one side deleted (rules: Documents).

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::around::join_head;
use super::assemble::{Action, Marks};
use super::documents::{Context, FileMerge};
use super::file_triple::FileTriple;
use super::jobs::fold_file;
use super::pair::Group;
use super::parsed::Parsed;
use super::plan::FileConflict;
use super::whole_text::is_comments_only;
use super::{kpt, secrets};
use crate::error::Error;
use crate::line_breaks::with_line_break;
use crate::merge::pins::{Pins, is_document_pinned, may_pin};
use crate::merge::{
    Conflict, ConflictKind, ConflictTexts, Merged, Options, ReadDocument, Resolution, Rule, Sides,
    merge_sides, own_comments,
};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::equal_documents;

impl<'f> FileMerge<'_, 'f, '_> {
    /// Returns the options for a document, with the rules that match it.
    pub(super) fn options(&self, group: &Group) -> Cow<'f, Options> {
        let members = self.members(group);
        let document = members.local.or(members.updated).or(members.original);
        let Context { rules, options, .. } = self.context;
        rules.options(options, self.triple(group), document)
    }

    /// Returns true if the conflict about a document that local deleted is left open, between
    /// markers.
    pub(super) fn is_left_open(&self, group: &Group) -> bool {
        group.local.is_none()
            && (group.original.is_some() || self.job.deleted_whole.is_some())
            && self.options(group).whole().0 == Resolution::Markers
    }

    /// Returns the action for a document that upstream deleted, and records a conflict if local
    /// changed it (rules: Documents).
    pub(super) fn deleted_upstream(&mut self, group: &Group) -> Action {
        let members = self.members(group);
        let (Some(original), Some(local)) = (members.original, members.local) else {
            return Action::Keep;
        };
        if has_pin(local) {
            self.record_document(group, "", ConflictKind::Pinned, (Resolution::Local, None));
            return Action::Keep;
        }
        let removed = match local.tail == original.tail {
            true => Action::Remove,
            false => local.removed(),
        };
        let has_same_values = is_unchanged(original, local);
        // the comments of a file that upstream turned into comments merge
        let loses_comments =
            !self.sides.updated.is_some_and(is_comments_only) && has_own_comments(original, local);
        if has_same_values && !loses_comments {
            return removed;
        }
        let options = self.options(group);
        let decided = match options.whole() {
            // a resource with another name may be local's own, so it stays by default
            (Resolution::Updated, None) if is_renamed(&members) => (Resolution::Local, None),
            decided => decided,
        };
        let path = if has_same_values { "(comment)" } else { "" };
        self.record_document(group, path, ConflictKind::DeletedUpstream, decided);
        match decided.0 {
            Resolution::Updated => removed,
            Resolution::Local | Resolution::Open => Action::Keep,
            Resolution::Markers => Action::Mark(Box::new(self.marks(group))),
        }
    }

    /// Handles a document that local deleted: it stays deleted, with a conflict if upstream changed
    /// it, unless a rule acknowledges that (rules: Documents). In a merge of equal sides, a new
    /// comment is a change. If the resolution is not local, the document is added, between markers
    /// if the conflict stays open.
    pub(super) fn deleted_locally(&mut self, group: &Group) {
        let Triple {
            original, updated, ..
        } = self.members(group);
        let has_new_comments = || {
            let sides = original.zip(updated);
            self.context.options.sides == Sides::Equal
                && sides.is_some_and(|(original, updated)| has_own_comments(original, updated))
        };
        let is_changed = !equal(original, updated) || has_new_comments();
        if is_changed && !self.stays_deleted(group) {
            self.inserted.push(*group);
        }
    }

    /// Leaves out the documents that upstream adds to a file that local deleted as a whole, and
    /// records one conflict. A document that upstream only moved to the file is still added.
    pub(super) fn keep_out(&mut self) {
        for group in std::mem::take(&mut self.inserted) {
            let is_new = group.local.is_none() && group.original.is_none();
            if !is_new || !self.stays_deleted(&group) {
                self.inserted.push(group);
            }
        }
        fold_file(self.context.files[self.target].triple, &mut self.outcome);
    }

    /// Records that local deleted a document of upstream's. Returns true if it stays deleted.
    fn stays_deleted(&mut self, group: &Group) -> bool {
        let options = self.options(group);
        let deletion = options.deletion();
        if let Some((resolution, rule)) = deletion {
            let kind = ConflictKind::DeletedLocally;
            self.record_document(group, "", kind, (resolution, rule));
        }
        deletion.is_none_or(|(resolution, _)| resolution == Resolution::Local)
    }

    /// Returns the conflict markers around a document that one side deleted.
    pub(super) fn marks(&self, group: &Group) -> Marks {
        let members = self.members(group);
        Marks {
            original: members.original.map_or("", Parsed::body).to_owned(),
            is_local: members.local.is_some(),
            style: self.context.options.markers.clone(),
        }
    }

    /// Records a conflict about a document, with the path of what the conflict is about; it is
    /// empty for the whole document.
    fn record_document(
        &mut self,
        group: &Group,
        path: &str,
        kind: ConflictKind,
        (resolution, rule): (Resolution, Option<&Rule>),
    ) {
        let members = self.members(group);
        let values = members.map(|parsed| Some(trimmed(parsed?.body())));
        let line = members.local.map_or(0, Parsed::line);
        let conflict = Conflict {
            texts: ConflictTexts::new(path, &values),
            kind,
            line,
            resolution,
            rule: rule.map(|rule| rule.origin.clone()),
        };
        self.record_all(group, vec![conflict]);
    }

    /// Records what upstream changed in a pinned file, which stays as it is.
    pub(super) fn hold_back(&mut self) {
        let job = self.job;
        let groups = job.staying.iter().chain(&job.inserted);
        for group in groups.chain(&job.deleted_locally) {
            let members = self.members(group);
            if !equal(members.original, members.updated) && !equal(members.updated, members.local) {
                self.record_document(group, "", ConflictKind::Pinned, (Resolution::Local, None));
            }
        }
    }

    /// Records conflicts, changes that a pin held back, or combined values, with file, line and
    /// resource.
    pub(super) fn record_all(&mut self, group: &Group, conflicts: Vec<Conflict>) {
        let members = self.members(group);
        let document = members.local.or(members.updated).or(members.original);
        let resource = document.and_then(|parsed| parsed.resource.as_ref());
        let resource = resource.map(|resource| Arc::new(resource.id.to_static()));
        let start = members.local.map(|local| local.document.line + 1);
        let file: Arc<Path> = self.triple(group).path.as_path().into();
        // almost all are of one kind
        self.outcome.conflicts.reserve_exact(conflicts.len());
        for conflict in conflicts {
            let records = match conflict.kind {
                ConflictKind::Pinned | ConflictKind::Combined(_) => &mut self.outcome.notes,
                _ => &mut self.outcome.conflicts,
            };
            let line = start.map(|start| start + conflict.line);
            records.push(FileConflict {
                resource: resource.clone(),
                ..FileConflict::in_file(Arc::clone(&file), line, conflict)
            });
        }
    }

    /// Returns the triple of a document's file: the local one, else upstream's.
    fn triple(&self, group: &Group) -> &'f FileTriple {
        let member = group.local.or(group.updated).or(group.original);
        let triple = member.map_or(self.target, |member| member.triple());
        self.context.files[triple].triple
    }
}

/// Returns true if local has another name for a resource than the original.
fn is_renamed(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let names = members.map(|parsed| Some(&parsed?.resource.as_ref()?.pairing().name));
    matches!((names.original, names.local), (Some(original), Some(local)) if original != local)
}

/// Returns true if a document or anything in it is pinned.
fn has_pin(parsed: &Parsed<'_>) -> bool {
    is_document_pinned(&parsed.document)
        || may_pin(parsed.document.text.as_bytes())
            && parsed.tree().is_some_and(|it| !Pins::of(&it).is_empty())
}

/// Returns true if local did not change the document, apart from comments and the annotations of
/// kpt.
fn is_unchanged(original: &Parsed<'_>, local: &Parsed<'_>) -> bool {
    let trees = || original.tree().zip(local.tree());
    original.document.text == local.document.text
        || trees().is_some_and(|(original, local)| kpt::is_same_document(&original, &local))
}

/// Returns true if a side has comments that the original lacks, kpt's aside.
fn has_own_comments(original: &Parsed<'_>, side: &Parsed<'_>) -> bool {
    let trees = || original.tree().zip(side.tree());
    original.document.text != side.document.text
        && trees().is_some_and(|(original, side)| {
            let own = own_comments(&original, &side);
            !own.into_iter().all(kpt::is_comment_of_kpt)
        })
}

/// Returns true if two documents have equal values, or if both are missing.
fn equal(left: Option<&Parsed<'_>>, right: Option<&Parsed<'_>>) -> bool {
    let trees = || left?.tree().zip(right?.tree());
    left.map(|it| it.document.text) == right.map(|it| it.document.text)
        || trees().is_some_and(|(left, right)| equal_documents(&left, &right))
}

impl<'a> FileMerge<'_, '_, 'a> {
    /// Returns the text of a document to insert: upstream's text, or the merged text of the local
    /// document that moves here. It ends with `line_break`.
    pub(super) fn inserted_text(
        &mut self,
        group: &Group,
        line_break: &str,
    ) -> Result<String, Error> {
        let text = match group.local {
            Some(_) => {
                let merged = self.merge(group)?;
                let merged = self.record(group, merged);
                merged.unwrap_or_else(|| self.local_text(group))
            }
            None => self.text_of(group, Side::Updated).to_owned(),
        };
        Ok(with_line_break(text, line_break).into_owned())
    }

    /// Returns the text of local's document, with the head and the tail that merge with it.
    pub(super) fn local_text(&self, group: &Group) -> String {
        let (head, tail) = self.head_and_tail(group, Side::Local);
        let document = self.members(group).local.map(|parsed| parsed.document);
        let (above, body) = document.map_or(("", ""), |document| {
            document.text.split_at(document.body.start as usize)
        });
        let is_first = group.local.is_some_and(|it| it.document() == 0);
        join_head(head, above, is_first, false) + body + tail
    }

    /// Returns the text of a document in its file, with its tail; empty if `side` does not have it.
    pub(super) fn text_of(&self, group: &Group, side: Side) -> &'a str {
        let found = group[side].and_then(|at| {
            let file = self.file(at.triple(), side)?;
            Some(file.documents.get(at.document())?.whole(file.text))
        });
        found.unwrap_or("")
    }

    /// Merges a document that local and upstream have.
    ///
    /// # Errors
    /// [`Error::Verification`] if the merged text does not have the decided values (law 6).
    pub(super) fn merge(&self, group: &Group) -> Result<Merged, Error> {
        let members = self.members(group);
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        let full_text = |side: Side| (text(members[side]), self.head_and_tail(group, side));
        if group.updated.is_none()
            || full_text(Side::Updated) == full_text(Side::Original)
            || full_text(Side::Updated) == full_text(Side::Local)
        {
            return Ok(Merged::unchanged());
        }
        let local = members.local.and_then(Parsed::tree);
        let trees = Triple {
            updated: members.updated.and_then(Parsed::tree),
            original: match text(members.local) == text(members.original) {
                true => local.clone(),
                false => members.original.and_then(Parsed::tree),
            },
            local,
        };
        let documents = self.documents(group);
        let sides = documents.as_ref().zip(trees.as_ref());
        let sides = sides.map(|(document, tree)| {
            let (document, tree) = (document.as_ref()?, tree.as_deref()?);
            Some(ReadDocument { document, tree })
        });
        let merged = merge_sides(
            sides,
            is_resource(&members),
            &self.options(group),
            self.context.lines,
        );
        let merged = merged.map_err(|verification_error| {
            let texts = members.map(text).into_iter().flatten();
            secrets::verification_error(self.triple(group).path.clone(), verification_error, texts)
        })?;
        Ok(self.with_around(group, merged))
    }

    /// Records the conflicts and notes of a merged document. Returns its new text; `None` if it
    /// stays as it is.
    pub(super) fn record(&mut self, group: &Group, merged: Merged) -> Option<String> {
        for records in [merged.conflicts, merged.notes] {
            if !records.is_empty() {
                self.record_all(group, records);
            }
        }
        merged.text
    }
}

/// Returns true if a document is a resource: nulls delete fields in it by default (rules: Nulls).
pub(super) fn is_resource(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let named = members.local.or(members.updated);
    named.is_some_and(|parsed| parsed.resource.is_some())
}
