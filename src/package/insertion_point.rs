//! Finds where in a file new documents are inserted (rules: Places and formats).

use super::assemble::{Action, Insertion};
use super::documents::FileMerge;
use super::pair::{DocRef, Group};
use super::parsed::ParsedFile;
use crate::error::Error;
use crate::line_breaks::line_break_of;
use crate::triple::Side;

impl FileMerge<'_, '_, '_> {
    /// Returns the documents to insert, sorted by their insertion points.
    pub(super) fn insertions(
        &mut self,
        file: &ParsedFile<'_>,
        actions: &[Action],
    ) -> Result<Vec<Insertion>, Error> {
        if self.coming.is_empty() {
            return Ok(Vec::new());
        }
        let places = self.neighbours(file, actions).places();
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
                text: self.inserted_text(&group, line_break)?,
                marks: self.is_left_open(&group).then(|| self.marks(&group)),
            });
        }
        insertions.sort_by_key(|insertion| insertion.before);
        Ok(insertions)
    }

    /// Returns true if documents are inserted above the local file's document with the index
    /// `document`.
    pub(super) fn inserts_above(
        &self,
        document: usize,
        file: &ParsedFile<'_>,
        actions: &[Action],
    ) -> bool {
        if self.coming.is_empty() {
            return false;
        }
        let places = self.neighbours(file, actions).places();
        let mut coming = self.coming.iter().filter_map(|group| group.updated);
        coming.any(|it| places.get(it.document).is_some_and(|at| *at <= document))
    }

    /// Returns how the documents of the local file pair with those of upstream's file.
    fn neighbours(&self, file: &ParsedFile<'_>, actions: &[Action]) -> Neighbours {
        let updated = self.file(self.target, Side::Updated);
        let mut local_of = vec![None; updated.map_or(0, |file| file.documents.len())];
        let mut is_own = vec![false; file.documents.len()];
        for group in &self.job.here {
            let Some(local) = group.local else { continue };
            match group.updated {
                Some(it)
                    if it.triple == self.target && actions[local.document] != Action::Remove =>
                {
                    local_of[it.document] = Some(local.document);
                }
                None if actions[local.document] != Action::Remove => {
                    is_own[local.document] = true;
                }
                _ => {}
            }
        }
        Neighbours { local_of, is_own }
    }
}

/// How the documents of the local file pair with those of the file that new documents come from.
pub(super) struct Neighbours {
    /// For each document of upstream's file, the index of the local document that it pairs with, if
    /// that stays in the file.
    pub(super) local_of: Vec<Option<usize>>,
    /// For each document of the local file, whether it stays and only local has it.
    pub(super) is_own: Vec<bool>,
}

impl Neighbours {
    /// Returns the insertion point of each document of upstream's file: the index of the local
    /// document that it is inserted before, or the number of local documents for the end.
    ///
    /// The insertion point is after the nearest preceding document that the local file has, and
    /// after local's own documents that follow that; else before the nearest following one; else at
    /// the end.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut next = self.is_own.len();
        let mut places: Vec<usize> = self
            .local_of
            .iter()
            .rev()
            .map(|local| {
                next = local.unwrap_or(next);
                next
            })
            .collect();
        places.reverse();
        let mut preceding = None;
        for (place, local) in places.iter_mut().zip(&self.local_of) {
            if let Some(preceding) = preceding {
                *place = self.after_own(preceding);
            }
            preceding = local.or(preceding);
        }
        places
    }

    /// Returns the insertion point after a document and local's own documents that follow it.
    fn after_own(&self, document: usize) -> usize {
        let below = self.is_own[document + 1..].iter();
        document + 1 + below.take_while(|is_own| **is_own).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_inserted_between_its_neighbours() {
        let neighbours = Neighbours {
            local_of: vec![None, Some(1), None, None, Some(3), None],
            is_own: vec![true, false, true, false],
        };
        assert_eq!(neighbours.places(), [1, 1, 3, 3, 3, 4]);
    }

    #[test]
    fn without_neighbours_it_is_inserted_at_the_end() {
        let neighbours = Neighbours {
            local_of: vec![None],
            is_own: vec![true],
        };
        assert_eq!(neighbours.places(), [1]);
    }
}
