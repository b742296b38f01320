//! Finds the place in a file for a document that comes (rules: Places and formats).

use super::assemble::{Action, Insertion};
use super::documents::FileMerge;
use super::pair::{DocRef, Group};
use super::parsed::ParsedFile;
use crate::error::Error;
use crate::line_breaks::line_break_of;
use crate::triple::Side;

impl FileMerge<'_, '_, '_> {
    /// The documents that come, and where they go.
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
                text: self.arriving(&group, line_break)?,
                marks: self.is_left_open(&group).then(|| self.marks(&group)),
            });
        }
        insertions.sort_by_key(|insertion| insertion.before);
        Ok(insertions)
    }

    /// The first document of the local file, where others come above it.
    pub(super) fn first_below_coming(
        &self,
        file: &ParsedFile<'_>,
        actions: &[Action],
    ) -> Option<usize> {
        let first = file.with_content().next()?;
        if self.coming.is_empty() {
            return None;
        }
        let places = self.neighbours(file, actions).places();
        let mut coming = self.coming.iter().filter_map(|group| group.updated);
        let is_below = coming.any(|it| places.get(it.document).is_some_and(|at| *at <= first));
        is_below.then_some(first)
    }

    fn neighbours(&self, file: &ParsedFile<'_>, actions: &[Action]) -> Neighbours {
        let updated = self.file(self.target, Side::Updated);
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
                Some(it)
                    if it.triple == self.target && actions[local.document] != Action::Remove =>
                {
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
}

/// What a file has to do with the one that documents come from.
pub(super) struct Neighbours {
    /// For each document of upstream's file, the one of the local file that it pairs with and that
    /// stays there.
    pub(super) local_of: Vec<Option<usize>>,
    /// For each document of the local file, whether it is the local side's own.
    pub(super) own: Vec<Own>,
}

/// Whose a document of the local file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// Only the local side has it.
    Yes,
    /// Upstream has it too, or had it.
    No,
    /// It is no document: comments, blank lines.
    Nothing,
}

impl Neighbours {
    /// Where documents go, for every document of upstream's file.
    ///
    /// After the nearest one before it that the local file has, and the local side's own that
    /// follow that; else before the nearest after it; else at the end. The index is that of the
    /// local document before which it goes. Documents that go to one place keep upstream's order.
    pub(super) fn places(&self) -> Vec<usize> {
        let after_own = after_own(&self.own);
        let mut next = end(&self.own);
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
        let mut before = None;
        for (place, local) in places.iter_mut().zip(&self.local_of) {
            if let Some(before) = before {
                *place = after_own[before];
            }
            before = local.or(before);
        }
        places
    }
}

/// For each document, the place after it and the local side's own that follow it.
fn after_own(own: &[Own]) -> Vec<usize> {
    let mut result = vec![0; own.len()];
    let mut after_last_own = None;
    for (index, kind) in own.iter().enumerate().rev() {
        result[index] = after_last_own.unwrap_or(index + 1);
        match kind {
            Own::Yes => after_last_own = after_last_own.or(Some(index + 1)),
            Own::No => after_last_own = None,
            Own::Nothing => {}
        }
    }
    result
}

/// After the last document; what follows it without content stays at the end.
fn end(own: &[Own]) -> usize {
    let last = own.iter().rposition(|own| *own != Own::Nothing);
    last.map_or(own.len(), |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_goes_among_its_neighbours() {
        let neighbours = Neighbours {
            local_of: vec![None, Some(1), None, None, Some(4), None],
            own: vec![
                Own::Yes,
                Own::No,
                Own::Yes,
                Own::Nothing,
                Own::No,
                Own::Nothing,
            ],
        };
        assert_eq!(neighbours.places(), [1, 1, 3, 3, 3, 5]);
    }

    #[test]
    fn without_neighbours_it_goes_to_the_end() {
        let neighbours = Neighbours {
            local_of: vec![None],
            own: vec![Own::Yes, Own::Nothing],
        };
        assert_eq!(neighbours.places(), [1]);
    }

    #[test]
    fn own_documents_in_a_row_are_passed() {
        assert_eq!(
            after_own(&[Own::No, Own::Yes, Own::Nothing, Own::Yes, Own::No]),
            [4, 4, 4, 4, 5]
        );
    }
}
