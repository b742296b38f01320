//! The comment lines below an entry whose value is no block collection, or becomes one or none.

use super::{MergedLines, empty_row, same_lines};
use crate::merge::Resolution;
use crate::merge::decision::{Child, Chosen, Outcome, Piece};
use crate::merge::walk::{Entries, Nodes, Walker};
use crate::triple::Triple;
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, NodeId, Span, Tree};

impl Walker<'_> {
    /// The comment lines below an entry of local whose value is no block collection, or becomes
    /// none; none where they stay.
    pub(in crate::merge::walk) fn merged_below(
        &mut self,
        sides: Entries,
        outcome: &Outcome,
    ) -> Option<Box<[Piece]>> {
        let (updated, local) = (sides.updated?, sides.local?);
        let is_emptied = outcome.is_merge() && !outcome.children().any(Child::stays);
        let is_row = outcome.is_merge() && !is_emptied && self.is_block(sides);
        if !self.merges_lines || is_row || matches!(outcome, Outcome::Row(_)) {
            return None;
        }
        let is_taken = matches!(outcome, Outcome::Take(_)) || is_emptied;
        let trees = self.trees;
        let below = |tree: &Tree<'_>, entry: EntryId| -> Row {
            let mut row = tree.row_below(tree.entry(entry));
            if tree.is_block_collection(tree.entry(entry).value) {
                row.items = within(tree, entry);
            }
            row
        };
        if !is_taken
            && trees
                .local
                .is_block_collection(trees.local.entry(local).value)
        {
            return None;
        }
        // lines of a block collection have no place between brackets that have something in them
        let is_full = |tree: &Tree<'_>, node: NodeId| tree.entries(node).len() > 0;
        let comes_in_lines = trees
            .updated
            .is_block_collection(trees.updated.entry(updated).value);
        if !is_taken && comes_in_lines && is_full(trees.local, trees.local.entry(local).value) {
            return None;
        }
        let original = match sides.original {
            Some(original) => below(trees.original, original),
            None => empty_row(0),
        };
        let own = match (
            sides.original,
            trees.local.row(trees.local.entry(local).value, None),
        ) {
            (Some(original), Some(_)) => self.own_lines(original, local),
            _ => Vec::new(),
        };
        if let (Some(original), false) = (sides.original, own.is_empty()) {
            self.record_own_lines(original, local, false);
        }
        let mut local = below(trees.local, local);
        if self.resolution() == Resolution::Updated {
            local.items.retain(|item| !own.contains(&item.span));
        }
        // those in a block collection that comes, come with it
        let mut updated_row = trees.updated.row_below(trees.updated.entry(updated));
        if trees
            .updated
            .is_block_collection(trees.updated.entry(updated).value)
        {
            updated_row = empty_row(updated_row.column);
        }
        let mut original = original;
        if is_emptied || !is_taken {
            // nothing comes that brings its comments along: the lines between the entries that go
            // are all there is
            let row = |tree: &Tree<'_>, entry: EntryId| {
                let entry = tree.entry(entry);
                tree.row(entry.value, Some(entry))
            };
            updated_row = row(trees.updated, updated).unwrap_or(updated_row);
            original = sides
                .original
                .and_then(|it| row(trees.original, it))
                .unwrap_or(original);
            if is_emptied && let Some(mut own_row) = sides.local.and_then(|it| row(trees.local, it))
            {
                own_row.items.retain(|item| !own.contains(&item.span));
                local = own_row;
            }
        }
        let column = |tree: &Tree<'_>, entry: EntryId| tree.column(tree.entry(entry).span.start);
        local.column = sides.local.map_or(0, |it| column(trees.local, it));
        updated_row.column = column(trees.updated, updated);
        original.column = updated_row.column;
        let same = same_lines((trees.original, &original), (trees.updated, &updated_row));
        if same || original.items.len() + updated_row.items.len() + local.items.len() == 3 {
            return None;
        }
        let rows = Triple::new(original, updated_row, local);
        let children: Vec<Child> = outcome.children().cloned().collect();
        let pieces = self.merge_rows(&rows, &children, Triple::default());
        Some(pieces.into())
    }

    /// An empty local map or list below a key that gets lines of its own: its first entries, and
    /// the comments around them.
    pub(in crate::merge::walk) fn opened_row(
        &mut self,
        nodes: Nodes,
        children: &[Child],
    ) -> Option<Outcome> {
        let owners = self.owners(nodes)?;
        let (owner, updated_owner) = (owners.local?, owners.updated?);
        let tree = self.trees.local;
        let entry = tree.entry(owner);
        let node = tree.node(entry.value);
        let is_plain = entry.key.is_some()
            && entry.colon().is_some()
            && tree.start_of_indent(entry.span.start).is_some()
            && node.anchor().is_none()
            && node.tag().is_none();
        let holders = self
            .steps
            .iter()
            .rev()
            .skip(1)
            .map(|step| step.entries.local);
        let values = holders.map(|entry| entry.map(|entry| tree.entry(entry).value));
        let mut values = values.chain([Some(tree.root().value)]);
        let is_in_lines =
            values.all(|node| node.is_some_and(|node| tree.is_block_collection(node)));
        // where nothing is left on one side it stays between brackets there
        let comes = [Chosen::Local, Chosen::Updated]
            .into_iter()
            .all(|side| children.iter().any(|child| child.choose(side).stays()));
        if !self.merges_lines || !is_plain || !is_in_lines || !comes {
            return None;
        }
        let from = self.trees.updated.entry(updated_owner);
        let updated = self.trees.updated.row(nodes.updated?, Some(from))?;
        let original = self.row_of(self.trees.original, nodes.original, owners.original);
        let original = original.unwrap_or_else(|| empty_row(updated.column));
        let mut local = tree.row_below(entry);
        let width =
            i64::from(updated.column) - i64::from(self.trees.updated.column(from.span.start));
        let column = i64::from(tree.column(entry.span.start)) + width;
        local.column = u32::try_from(column).unwrap_or(0);
        let rows = Triple::new(original, updated, local);
        let pieces = self.merge_rows(&rows, children, nodes);
        Some(Outcome::Row(Box::new(MergedLines {
            span: rows.local.span,
            moved: 0,
            pieces,
        })))
    }
}

/// The comments of a collection at any depth, as a row.
fn within(tree: &Tree<'_>, entry: EntryId) -> Vec<Item> {
    let item = |kind, span: Span| Item {
        kind,
        blank: Span::new(span.start, span.start),
        blanks: 0,
        span,
    };
    let comments = tree.comments_within(entry).into_iter();
    let end = tree.lines_of(tree.entry(entry)).end;
    comments
        .map(|span| item(ItemKind::Comment, span))
        .chain([item(ItemKind::End, Span::new(end, end))])
        .collect()
}
