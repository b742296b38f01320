//! Finds where in a file new documents are inserted (rules: Places and formats).

use super::assemble::{Action, Insertion};
use super::documents::FileMerge;
use super::pair::Group;
use super::parsed::ParsedFile;
use crate::error::Error;
use crate::line_breaks::line_break_of;
use crate::triple::Side;

impl FileMerge<'_, '_, '_> {
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

    /// Returns the insertion point of each document of upstream's file. `positions` has the position
    /// of each document of the local file.
    pub(super) fn insertion_points(
        &self,
        file: &ParsedFile<'_>,
        actions: &[Action],
        positions: &[usize],
    ) -> Vec<usize> {
        let updated = self.file(self.target, Side::Updated);
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
/// the end. `local_of` has the position of the local document that each pairs with, if that stays in
/// its file; `is_own` says of each position whether its document stays and only local has it.
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
