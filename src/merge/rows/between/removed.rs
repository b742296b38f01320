//! Finds local's comments that go because updated removed them.

use rustc_hash::FxHashSet;

use super::{Id, Line, Ref, SegmentMerger, Side};

impl SegmentMerger<'_, '_> {
    /// Returns the texts of the comments that updated removed: they go, wherever local has them,
    /// but for those above local's own entries.
    pub(super) fn removed_texts(&self, lines: &[Line]) -> FxHashSet<u32> {
        let removed = lines.iter().filter(|line| line.updated.is_none());
        let originals = removed.filter_map(|line| line.original);
        let is_removed =
            |it: &Ref| self.rows.has_words(*it) && self.rows.count(Side::Updated, *it) == 0;
        let removed = originals.filter(is_removed);
        removed
            .filter_map(|piece| self.rows.text_id(piece))
            .collect()
    }

    /// Returns the lines of comments that local only moved, and that updated removed from where the
    /// original has them. A comment of which local rewrote a line stays as a whole, and one directly
    /// above an entry that updated lacks goes or stays with the entry.
    pub(super) fn moved_and_removed(&self, local: &[Ref]) -> FxHashSet<Ref> {
        let rows = self.rows;
        let is_removed = |it: &Ref| {
            matches!(rows.id(*it), Id::Comment { owner: None, .. })
                && rows.has_words(*it)
                && rows.count(Side::Original, *it) > 0
                && rows.count(Side::Updated, *it) == 0
                && self
                    .owner(*it)
                    .is_none_or(|entry| rows.has(Side::Updated, entry))
        };
        let is_rewritten = |it: &Ref| rows.is_comment(*it) && rows.count(Side::Original, *it) == 0;
        // the lines of a comment, maybe with the entry above it
        let comments =
            local.chunk_by(|_, below| rows.is_comment(*below) && rows.blanks(*below) == 0);
        let moved = comments
            .filter(|lines| !lines.iter().any(is_rewritten))
            .flatten();
        moved.filter(|it| is_removed(it)).copied().collect()
    }
}
