//! What is recorded while documents merge (SPEC 8): the conflicts of fields, with their file, line and resource, and those
//! about a whole document that one side deleted (SPEC 3).

use std::path::PathBuf;

use super::assemble::Action;
use super::documents::FileMerge;
use super::open::Whole;
use super::pair::Group;
use super::parsed::Parsed;
use super::plan::FileConflict;
use super::whole_file::resolution;
use crate::merge::{Conflict, ConflictKind, Resolution};
use crate::yaml;

impl FileMerge<'_, '_, '_> {
    /// SPEC 3: deleted; a conflict if the local side changed it.
    pub(super) fn deleted_upstream(&mut self, group: &Group) -> Action {
        let members = self.members(group);
        let Some(original) = members.original else {
            return Action::Keep;
        };
        if members.local.is_some_and(|local| equal(original, local)) {
            return Action::Remove;
        }
        let resolution = self.left_open(resolution(self.context.options.on_conflict));
        self.whole_document(group, ConflictKind::DeletedUpstream, resolution);
        match (resolution, self.whole) {
            (Resolution::Updated, _) | (Resolution::Markers, Whole::Updated) => Action::Remove,
            (Resolution::Local | Resolution::Markers, _) => Action::Keep,
        }
    }

    /// SPEC 3: stays deleted; a conflict if upstream changed it.
    pub(super) fn deleted_locally(&mut self, group: &Group) {
        if self.is_changed_upstream(group) {
            let resolution = self.left_open(Resolution::Local);
            self.whole_document(group, ConflictKind::DeletedLocally, resolution);
        }
    }

    /// Whether upstream changed a document that both have had.
    pub(super) fn is_changed_upstream(&self, group: &Group) -> bool {
        let members = self.members(group);
        matches!((members.original, members.updated), (Some(original), Some(updated)) if !equal(original, updated))
    }

    fn whole_document(&mut self, group: &Group, kind: ConflictKind, resolution: Resolution) {
        let members = self.members(group);
        let values = members.map(|parsed| {
            let document = &parsed?.document;
            Some(document.text[document.body.range()].trim().to_owned())
        });
        let line = members.local.map_or(0, |local| {
            let body = local.document.body.start as usize;
            local.document.text[..body].matches('\n').count()
        });
        self.conflict(
            group,
            Conflict {
                path: String::new(),
                kind,
                line,
                values,
                resolution,
            },
        );
    }

    pub(super) fn conflict(&mut self, group: &Group, conflict: Conflict) {
        let members = self.members(group);
        let named = members.local.or(members.updated).or(members.original);
        self.outcome.conflicts.push(FileConflict {
            file: self.path(group),
            line: members
                .local
                .map(|local| local.document.line + conflict.line + 1),
            resource: named
                .and_then(|parsed| parsed.resource.as_ref())
                .map(|resource| resource.id.clone()),
            conflict,
        });
    }

    /// The file of a document: the local one, else upstream's.
    pub(super) fn path(&self, group: &Group) -> PathBuf {
        let member = group.local.or(group.updated).or(group.original);
        let slot = member.map_or(self.target, |member| member.slot);
        self.context.slots[slot].path.clone()
    }
}

/// Whether two documents say the same, comments aside.
fn equal(left: &Parsed<'_>, right: &Parsed<'_>) -> bool {
    match (&left.tree, &right.tree) {
        (Some(left), Some(right)) => {
            yaml::equal(left, left.root().value, right, right.root().value)
        }
        (left, right) => left.is_none() && right.is_none(),
    }
}
