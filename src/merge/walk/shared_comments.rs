//! Finds the comments between entries that all three versions of a block collection have. What a
//! side inserts above such a comment is at another place than what the other one inserts below it.

use rustc_hash::FxHashMap;

use super::positions::unique_positions;
use super::{Nodes, Walker};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::row::ItemKind;

/// The comments of a block collection.
struct Comments<'t> {
    /// Each comment, with the number of entries above it.
    all: Vec<(&'t str, usize)>,
    /// The position among them of each text; `None` for one that repeats.
    positions: FxHashMap<&'t str, Option<u32>>,
    entries: usize,
}

impl<'t> Comments<'t> {
    /// Returns the number of entries above the only comment with this text.
    fn above(&self, text: &str) -> Option<usize> {
        let position = self.positions.get(text).copied().flatten()?;
        Some(self.all[position as usize].1)
    }

    /// Returns the last comment, if it is below all entries and `other` does not have it.
    fn end_unlike(&self, other: &Self) -> Option<&'t str> {
        let (text, above) = self.all.last()?;
        let is_end = *above == self.entries && !other.positions.contains_key(text);
        is_end.then_some(*text)
    }
}

impl Walker<'_> {
    /// Returns, for each comment that all three have once, the number of entries above it on each
    /// side, in the original's order. No comment is above an earlier one. The last comment of the
    /// original counts as the one that upstream has instead of it, if both are below all entries.
    pub(super) fn shared_comments(&self, nodes: Nodes) -> Vec<Triple<usize>> {
        let comments = Side::ALL.map(|side| self.comments_of(side, nodes));
        let (original, updated) = (&comments.original, &comments.updated);
        let replaced = original
            .end_unlike(updated)
            .zip(updated.end_unlike(original));
        let in_updated = |text: &str| match replaced {
            Some((old, new)) if old == text => updated.above(new),
            _ => updated.above(text),
        };
        let mut last = Triple::default();
        let shared = original.all.iter().filter_map(|(text, _)| {
            let above = Triple::new(
                original.above(text)?,
                in_updated(text)?,
                comments.local.above(text)?,
            );
            let is_below_last = last.zip(above).into_array();
            let is_in_order = is_below_last.iter().all(|(last, above)| last <= above);
            is_in_order.then(|| {
                last = above;
                above
            })
        });
        shared.collect()
    }

    /// Returns the comments of a block collection, and those below it. An alias has the comments of
    /// its anchor, so that both merge alike.
    fn comments_of(&self, side: Side, nodes: Nodes) -> Comments<'_> {
        let tree = self.trees[side];
        let row = nodes[side].and_then(|node| tree.row(tree.resolve(node), None));
        let mut entries = 0;
        let items = row.iter().flat_map(|row| &row.items);
        let comments = items.filter_map(|item| match item.kind {
            ItemKind::Comment => Some((trimmed(tree.slice(item.span)), entries)),
            ItemKind::Entry(_) => {
                entries += 1;
                None
            }
            ItemKind::End => None,
        });
        let all: Vec<_> = comments.collect();
        let positions = unique_positions(all.iter().map(|(text, _)| Some(*text)));
        Comments {
            all,
            positions,
            entries,
        }
    }
}
