//! Finds entries that a side commented out, and those that local uncommented.

use rustc_hash::FxHashSet;

use super::{Ref, Rows, line_of};
use crate::line_breaks::cut_first_line;
use crate::triple::Side;
use crate::white_space::trimmed;

impl<'a> Rows<'a> {
    /// Returns a side's new comments that are lines of entries that the side removed and the other
    /// one has. They replace these entries, so that they belong to no entry below them.
    pub(super) fn commented_out_on(&self, side: Side) -> FxHashSet<Ref> {
        let is_removed = |entry| !self.has(side, entry) && self.has(side.opposite(), entry);
        let removed = self.entries(Side::Original);
        let removed = removed.filter(|(entry, _)| is_removed(*entry));
        let lines: FxHashSet<&str> = removed
            .flat_map(|(_, piece)| line_of(self.rows, piece).lines().map(trimmed))
            .collect();
        if lines.is_empty() {
            return FxHashSet::default();
        }
        let is_line = |piece: &Ref| {
            let line = self.uncommented(*piece);
            line.is_some_and(|line| lines.contains(line))
        };
        let is_new = |piece: &Ref| self.count(Side::Original, *piece) == 0;
        let pieces = self.pieces(side);
        pieces.filter(|it| is_line(it) && is_new(it)).collect()
    }

    /// Returns local's new entries that are comments of the original. The value of a field may be
    /// another one. The comments above it were above that comment: they do not belong to it.
    pub(super) fn uncommented_locally(&self) -> FxHashSet<Ref> {
        let is_new = |entry| !self.has(Side::Original, entry) && !self.has(Side::Updated, entry);
        let new = self.entries(Side::Local);
        let mut new = new.filter(|(entry, _)| is_new(*entry)).peekable();
        if new.peek().is_none() {
            return FxHashSet::default();
        }
        let start = |line: &'a str| match line.split_once(':') {
            Some((key, _)) if self.context.has_fields => key,
            _ => line,
        };
        let comments = self.pieces(Side::Original);
        let comments: FxHashSet<&str> = comments
            .filter_map(|piece| self.uncommented(piece).map(start))
            .collect();
        let first_line = |piece| trimmed(cut_first_line(line_of(self.rows, piece)).0);
        let is_comment = |piece: &Ref| comments.contains(start(first_line(*piece)));
        new.map(|(_, piece)| piece).filter(is_comment).collect()
    }

    /// Returns the text of a comment without its `#`; `None` for other pieces.
    fn uncommented(&self, piece: Ref) -> Option<&'a str> {
        self.comment(piece).map(uncommented)
    }
}

/// Returns the text of a comment line without its `#`.
pub(crate) fn uncommented(comment: &str) -> &str {
    trimmed(trimmed(comment).trim_start_matches('#'))
}
