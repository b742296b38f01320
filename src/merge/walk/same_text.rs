//! Whether two entries are written alike.

use super::{Nodes, Walker};
use crate::merge::Sides;
use crate::yaml::{EntryId, NodeKind, Span, Tree, same_bytes};

impl Walker<'_> {
    /// Whether nothing in an entry can have to do with anchors, in original and updated, nor
    /// anything that it is in.
    pub(super) fn names_no_anchor(&self, original: EntryId, updated: EntryId) -> bool {
        let has_sign = |tree: &Tree<'_>, id: EntryId| {
            let lines = tree.lines_of(tree.entry(id));
            tree.slice(lines).contains(['*', '&'])
        };
        let is_named = |tree: &Tree<'_>, entry: Option<EntryId>| {
            entry.is_some_and(|entry| {
                let node = tree.node(tree.entry(entry).value);
                node.anchor().is_some() || matches!(node.kind, NodeKind::Alias(_))
            })
        };
        let trees = self.trees;
        let is_in_named = self.steps.iter().any(|step| {
            let sides = trees.zip(step.entries).into_array();
            sides.into_iter().any(|(tree, entry)| is_named(tree, entry))
        });
        !is_in_named && !has_sign(trees.original, original) && !has_sign(trees.updated, updated)
    }

    /// Whether, between equals, local has written an entry anew that has the value it had.
    pub(super) fn is_rewritten_locally(
        &self,
        original: EntryId,
        local: EntryId,
        nodes: Nodes,
    ) -> bool {
        let trees = self.trees;
        self.options.sides == Sides::Equal
            && !same_owned_text((trees.original, original), (trees.local, local))
            && self.unchanged_locally(nodes)
            && !self.holds_pin(nodes)
    }

    /// Whether the lines of an entry are the same in original and updated, comments included: then
    /// nothing in it changed upstream.
    pub(super) fn same_text(&self, original: EntryId, updated: EntryId) -> bool {
        self.text_is_value
            && same_owned_text(
                (self.trees.original, original),
                (self.trees.updated, updated),
            )
    }
}

/// Whether the texts of two entries are the same, those of the comments in them included.
fn same_owned_text(
    (left_tree, left): (&Tree<'_>, EntryId),
    (right_tree, right): (&Tree<'_>, EntryId),
) -> bool {
    let own = |tree: &Tree<'_>, entry: EntryId| {
        let entry = tree.entry(entry);
        let end = match tree.has_more_on_line(entry) {
            true => entry.span.end,
            false => tree.end_of_lines(entry),
        };
        Span::new(entry.span.start, end)
    };
    same_bytes(
        left_tree.slice(own(left_tree, left)).as_bytes(),
        right_tree.slice(own(right_tree, right)).as_bytes(),
    )
}

/// Whether the lines of two entries are the same, but for their line breaks and how far all of them
/// are indented.
pub(super) fn same_lines(
    (left_tree, left): (&Tree<'_>, EntryId),
    (right_tree, right): (&Tree<'_>, EntryId),
) -> bool {
    fn own<'t>(tree: &Tree<'t>, entry: EntryId) -> (usize, impl Iterator<Item = &'t str>) {
        let entry = tree.entry(entry);
        let span = Span::new(entry.span.start, tree.end_of_lines(entry));
        let column = tree.column(entry.span.start) as usize;
        (column, crate::line_breaks::lines(tree.slice(span)))
    }
    let (left_column, left) = own(left_tree, left);
    let (right_column, right) = own(right_tree, right);
    let cut = |(at, line): (usize, &'_ str), column: usize| -> Option<usize> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        match at {
            0 => Some(0),
            _ if line.trim().is_empty() => Some(indent),
            _ => (indent >= column).then_some(column),
        }
    };
    let mut rights = right.enumerate();
    let mut lefts = left.enumerate();
    loop {
        match (lefts.next(), rights.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) => {
                let (a, b) = (cut(left, left_column), cut(right, right_column));
                let is_same = match (a, b) {
                    (Some(a), Some(b)) => left.1[a..] == right.1[b..],
                    _ => left_column == right_column && left.1 == right.1,
                };
                if !is_same {
                    return false;
                }
            }
            _ => return false,
        }
    }
}
