//! Decides the order of the documents of a merged file, and where in it new documents are inserted
//! (rules: Documents, Places and formats).

use super::assemble::{Action, Insertion};
use super::documents::FileMerge;
use super::pair::{DocRef, Group};
use super::parsed::ParsedFile;
use super::plan::FileConflict;
use crate::error::Error;
use crate::line_breaks::line_break_of;
use crate::merge::pins::is_document_pinned;
use crate::merge::{ConflictKind, Resolution, put_in_order};
use crate::triple::{Side, Triple};

impl FileMerge<'_, '_, '_> {
    /// Returns the position in the merged file of each document of the local file, among these.
    /// Records a conflict if both sides moved documents differently, and a note if a pin keeps
    /// upstream's order out.
    pub(super) fn positions(&mut self, file: &ParsedFile<'_>) -> Vec<usize> {
        let mut order: Vec<Group> = (0..file.documents.len())
            .map(|document| Triple {
                local: Some(DocRef::new(self.target, document)),
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
        let path = &self.context.files[self.target].triple.path;
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

    /// Returns the documents to insert at the insertion points `places`.
    pub(super) fn insertions(
        &mut self,
        file: &ParsedFile<'_>,
        places: &[usize],
    ) -> Result<Vec<Insertion>, Error> {
        let mut inserted = self.inserted.clone();
        inserted.sort_unstable_by_key(|group| group.updated);
        let insertion = |group: Group| {
            Ok(Insertion {
                before: group.updated.map_or(0, |it| places[it.document()]),
                text: self.inserted_text(&group, line_break_of(file.text))?,
                marks: self.is_left_open(&group).then(|| self.marks(&group)),
            })
        };
        inserted.into_iter().map(insertion).collect()
    }

    /// Returns the insertion point of each document of upstream's file. `positions` has the
    /// position of each document of the local file.
    pub(super) fn insertion_points(
        &self,
        file: &ParsedFile<'_>,
        actions: &[Action],
        positions: &[usize],
    ) -> Vec<usize> {
        let updated = self.sides.updated;
        let mut local_of = vec![None; updated.map_or(0, |file| file.documents.len())];
        let mut is_own = vec![false; file.documents.len()];
        for group in &self.job.staying {
            match (group.local, group.updated) {
                (Some(local), _) if actions[local.document()] == Action::Remove => {}
                (Some(local), Some(it)) if it.triple() == self.target => {
                    local_of[it.document()] = Some(positions[local.document()]);
                }
                (Some(local), None) => is_own[positions[local.document()]] = true,
                _ => {}
            }
        }
        insertion_points(&local_of, &is_own)
    }
}

/// Returns the insertion point of each document of a file that new documents come from: the
/// position of the local document that it is inserted before, or the number of local documents for
/// the end. `local_of` has the position of the local document that each pairs with, if that stays
/// in its file; `is_own` says of each position whether its document stays and only local has it.
///
/// The insertion point is after the nearest preceding document that the local file has, and after
/// local's own documents that follow that; else before the nearest following one; else at the end.
pub(super) fn insertion_points(local_of: &[Option<usize>], is_own: &[bool]) -> Vec<usize> {
    let mut next = local_of.iter().flatten().next().copied();
    let place = |local: &Option<usize>| {
        let place = next.unwrap_or(is_own.len());
        if let Some(local) = local {
            let below = is_own[local + 1..].iter();
            next = Some(local + 1 + below.take_while(|is_own| **is_own).count());
        }
        place
    };
    local_of.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_inserted_between_its_neighbours() {
        let local_of = [None, Some(1), None, None, Some(3), None];
        let is_own = [true, false, true, false];
        assert_eq!(insertion_points(&local_of, &is_own), [1, 1, 3, 3, 3, 4]);
    }

    #[test]
    fn without_neighbours_it_is_inserted_at_the_end() {
        assert_eq!(insertion_points(&[None], &[true]), [1]);
    }
}
