//! Finds local's comments that go because updated removed them.

use rustc_hash::FxHashSet;

use super::changed::Removed;
use super::{Id, Ref, SegmentMerger, Side};

impl SegmentMerger<'_, '_> {
    /// Returns the comment lines of a part of local's row that updated removed from where the
    /// original has them: they go, wherever local has them. Comments among which local has new
    /// lines stay: local rewrote them, or commented out something that has lines in common with
    /// them. One directly above an entry that updated lacks goes or stays with the entry. One that
    /// the original does not have above the same entry was added by local, and stays.
    pub(super) fn removed_comments(&self, local: &[Ref]) -> FxHashSet<Ref> {
        let rows = self.rows;
        let is_above = |comment: Ref, entry| {
            let original = rows.find(Side::Original, entry);
            let mut above = original.into_iter().flat_map(|it| rows.comments_above(it));
            above.any(|it| rows.text_id(it) == rows.text_id(comment))
        };
        let is_removed = |it: &Ref| {
            matches!(rows.id(*it), Id::Comment { owner: None, .. })
                && rows.has_words(*it)
                && rows.count(Side::Original, *it) > 0
                && rows.count(Side::Updated, *it) == 0
                && self
                    .owner(*it)
                    .is_none_or(|entry| rows.has(Side::Updated, entry) && is_above(*it, entry))
        };
        let is_new = |it: &Ref| rows.is_comment(*it) && rows.count(Side::Original, *it) == 0;
        // all comments between two entries, maybe with the entry above them
        let comments = local.chunk_by(|_, below| rows.is_comment(*below));
        let of_original = comments.filter(|lines| !lines.iter().any(is_new)).flatten();
        of_original.filter(|it| is_removed(it)).copied().collect()
    }

    /// Returns those of the lines that local rewrote that are above an entry that only local
    /// deleted, if it kept another line of that comment, which updated removed. Local inserted
    /// nothing below that line.
    pub(super) fn comments_kept_without_entry(
        &self,
        rewritten: &[Ref],
        removed: &[Removed],
        ours: &[Ref],
    ) -> FxHashSet<Ref> {
        let is_below = |kept: &Removed| ours.iter().all(|own| own.at() < kept.local.at());
        if rewritten.is_empty() || !removed.last().is_some_and(is_below) {
            return FxHashSet::default();
        }
        let kept = removed.iter().map(|kept| kept.original);
        let kept = kept.filter(|kept| self.is_above_deleted_entry(*kept));
        let entries = kept.filter_map(|kept| self.owner(kept));
        let entries: FxHashSet<u32> = entries
            .filter(|entry| self.rows.has(Side::Updated, *entry))
            .collect();
        let is_kept = |it: &&Ref| {
            self.owner(**it)
                .is_some_and(|entry| entries.contains(&entry))
        };
        rewritten.iter().filter(is_kept).copied().collect()
    }
}
