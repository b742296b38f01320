//! Finds the comments between entries that all three versions of a block collection have. What a
//! side inserts above such a comment is at another place than what the other one inserts below it.

use super::positions::unique_positions;
use super::{Nodes, Walker};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::row::ItemKind;

impl Walker<'_> {
    /// Returns, for each comment that all three have once, the number of entries above it on each
    /// side, in the original's order. No comment is above an earlier one.
    pub(super) fn shared_comments(&self, nodes: Nodes) -> Vec<Triple<usize>> {
        let comments = Side::ALL.map(|side| self.comments_between_entries(side, nodes));
        let unique = comments
            .as_ref()
            .map(|comments| unique_positions(comments.iter().map(|(text, _)| Some(*text))));
        let mut last = Triple::default();
        let shared = comments.original.iter().filter_map(|(text, _)| {
            let above = Side::ALL.map(|side| {
                let at = unique[side].get(text).copied().flatten()?;
                Some(comments[side][at as usize].1)
            });
            let above = above.transpose()?;
            let is_below_last = last.zip(above).into_array();
            let is_in_order = is_below_last.iter().all(|(last, above)| last <= above);
            is_in_order.then(|| {
                last = above;
                above
            })
        });
        shared.collect()
    }

    /// Returns the comments of a block collection, and those below it, with the number of entries
    /// above each. An alias has the comments of its anchor, so that both merge alike.
    fn comments_between_entries(&self, side: Side, nodes: Nodes) -> Vec<(&str, usize)> {
        let tree = self.trees[side];
        let row = nodes[side].and_then(|node| tree.row(tree.resolve(node), None));
        let mut above = 0;
        let items = row.iter().flat_map(|row| &row.items);
        let comments = items.filter_map(|item| match item.kind {
            ItemKind::Comment => Some((trimmed(tree.slice(item.span)), above)),
            ItemKind::Entry(_) => {
                above += 1;
                None
            }
            ItemKind::End => None,
        });
        comments.collect()
    }
}
