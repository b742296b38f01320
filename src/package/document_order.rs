//! Decides the order of the documents of a merged file (rules: Documents).

use super::documents::FileMerge;
use super::pair::{DocRef, Group};
use super::parsed::ParsedFile;
use super::plan::FileConflict;
use crate::merge::pins::is_document_pinned;
use crate::merge::{ConflictKind, Resolution, put_in_order};
use crate::triple::{Side, Triple};

impl FileMerge<'_, '_, '_> {
    /// Returns the position in the merged file of each document of the local file, among these.
    /// Records a conflict if both sides moved documents differently, and a note if a pin keeps
    /// upstream's order out.
    pub(super) fn positions(&mut self, file: &ParsedFile<'_>) -> Vec<usize> {
        let own = self.job.file.local.unwrap_or(self.target);
        let mut order: Vec<Group> = (0..file.documents.len())
            .map(|document| Triple {
                local: Some(DocRef::new(own, document)),
                ..Group::default()
            })
            .collect();
        for group in &self.job.staying {
            let is_here = |side: Side| self.index_in_file(group, side).is_some();
            if let Some(local) = group.local
                && Side::ALL.into_iter().all(is_here)
            {
                order[local.document()] = *group;
            }
        }
        let locals = order.clone();
        let mut documents = file.documents.iter();
        let mut is_pinned = || documents.any(|it| is_document_pinned(&it.document));
        if put_in_order(&mut order) {
            self.record_order(&locals, ConflictKind::Order);
        } else if order != locals && is_pinned() {
            self.record_order(&locals, ConflictKind::Pinned);
            order = locals;
        }
        let mut positions = vec![0; order.len()];
        for (position, group) in order.iter().enumerate() {
            let document = group.local.map_or(0, DocRef::document);
            positions[document] = position;
        }
        positions
    }

    /// Records a conflict over the order of these documents, or upstream's order that a pin keeps
    /// out.
    fn record_order(&mut self, groups: &[Group], kind: ConflictKind) {
        let is_pinned = kind == ConflictKind::Pinned;
        let resolution = match self.context.options.whole().0 {
            // an order of documents cannot be put between markers
            Resolution::Markers if !is_pinned => Resolution::Open,
            _ => Resolution::Local,
        };
        let values = Side::ALL.map(|side| Some(self.names_in_order(groups, side)));
        let own = self.job.file.local.unwrap_or(self.target);
        let path = &self.context.files[own].triple.path;
        let record = FileConflict::of_whole(path, kind, &values, resolution);
        match is_pinned {
            true => self.outcome.notes.push(record),
            false => self.outcome.conflicts.push(record),
        }
    }

    /// Returns the names of the documents that all sides have in this file, in the order of a side:
    /// the identity of a resource, and the number that another document has in the local file.
    fn names_in_order(&self, groups: &[Group], side: Side) -> String {
        let is_shared = |group: &&Group| group.transpose().is_some();
        let mut shared: Vec<&Group> = groups.iter().filter(is_shared).collect();
        shared.sort_unstable_by_key(|group| group[side]);
        let name = |group: &Group| {
            let resource = self
                .members(group)
                .local
                .and_then(|it| it.resource.as_ref());
            let number = group.local.map_or(0, DocRef::document) + 1;
            resource.map_or_else(|| format!("document {number}"), |it| it.id.to_string())
        };
        let names: Vec<String> = shared.into_iter().map(name).collect();
        names.join(", ")
    }
}
