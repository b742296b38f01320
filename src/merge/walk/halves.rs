//! Merges the entries of a large map or list in several threads.

use super::{Entries, Walker};
use crate::merge::fingerprint::Fingerprints;
use crate::parallel::is_in_pool;

/// The least number of entries that are worth a thread.
const MIN_ENTRIES: usize = 256;

impl Walker<'_> {
    /// Merges the entries of a collection with `merge`, and puts the results into `merged`, in the
    /// order of the entries. In a thread pool, the halves of a large collection merge in parallel.
    pub(super) fn merge_each<R: Send>(
        &mut self,
        entries: &[Entries],
        merged: &mut [Option<R>],
        merge: &(impl Fn(&mut Self, Entries) -> Option<R> + Sync),
    ) {
        let middle = entries.len() / 2;
        if middle < MIN_ENTRIES || !is_in_pool() {
            for (entries, merged) in entries.iter().zip(merged) {
                *merged = merge(self, *entries);
            }
            return;
        }
        let (entries, more_entries) = entries.split_at(middle);
        let (merged, more_merged) = merged.split_at_mut(middle);
        let mut other = self.without_records();
        rayon::join(
            || self.merge_each(entries, merged, merge),
            || other.merge_each(more_entries, more_merged, merge),
        );
        self.conflicts.append(&mut other.conflicts);
        self.notes.append(&mut other.notes);
    }

    /// Returns a walker at the same place without conflicts and notes.
    fn without_records(&self) -> Self {
        Self {
            schemas: self.schemas.clone(),
            fingerprints: self.trees.map(Fingerprints::new),
            steps: self.steps.clone(),
            pins: self.pins.clone(),
            shared_anchors: self.shared_anchors.clone(),
            known_anchors: self.known_anchors.clone(),
            conflicts: Vec::new(),
            notes: Vec::new(),
            ..*self
        }
    }
}
