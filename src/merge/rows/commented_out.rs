//! Finds entries that upstream commented out.

use rustc_hash::FxHashSet;

use super::{Ref, Rows, line_of};
use crate::triple::Side;
use crate::white_space::trimmed;

impl Rows<'_> {
    /// Returns updated's new comments that are lines of entries that upstream removed and local has.
    /// They replace these entries, so that they belong to no entry below them.
    pub(super) fn commented_out_upstream(&self) -> FxHashSet<Ref> {
        let is_removed = |entry| !self.has(Side::Updated, entry) && self.has(Side::Local, entry);
        let removed = self.entries(Side::Original);
        let removed = removed.filter(|(entry, _)| is_removed(*entry));
        let lines: FxHashSet<&str> = removed
            .flat_map(|(_, piece)| line_of(self.rows, piece).lines().map(trimmed))
            .collect();
        if lines.is_empty() {
            return FxHashSet::default();
        }
        let is_line = |piece: &Ref| {
            let comment = self.comment(*piece);
            let line = comment.map(|it| trimmed(trimmed(it).trim_start_matches('#')));
            line.is_some_and(|line| lines.contains(line))
        };
        let is_new = |piece: &Ref| self.count(Side::Original, *piece) == 0;
        let pieces = self.pieces(Side::Updated);
        pieces.filter(|it| is_line(it) && is_new(it)).collect()
    }
}
