//! What is between the entries of a block collection: its three rows, merged.

mod below;
mod changes;
mod own;
mod tokens;

use rustc_hash::FxHashSet;

use super::{Entries, Nodes, Shape, Walker, shape};
use crate::merge::decision::{Child, Outcome, Piece, PieceKind, Row as MergedLines, Slot};
use crate::merge::rows::{self, MergedRow};
use crate::triple::{Side, Triple};
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

use changes::Placed;
use tokens::{in_order, numbers, piece, tokens_of};

impl Walker<'_> {
    /// A local block collection with its lines, which its children are taken into; `None` if they
    /// do not change, or it has none.
    pub(super) fn merged_row(&mut self, nodes: Nodes, children: &mut [Child]) -> Option<Outcome> {
        let is_left = children.iter().any(Child::stays) || self.steps.is_empty();
        if !self.merges_lines || !is_left {
            return None;
        }
        let owners = self.owners(nodes)?;
        let own = nodes.local?;
        if !self.trees.local.is_block_collection(own) {
            return None;
        }
        let mut updated = self.row_of(self.trees.updated, nodes.updated, owners.updated)?;
        let mut original = self.row_of(self.trees.original, nodes.original, owners.original);
        let owner = owners.local.map(|owner| self.trees.local.entry(owner));
        let mut local = self.trees.local.row(own, owner)?;
        if owner.is_none() {
            updated.start_at(self.bodies.updated);
            if let Some(original) = &mut original {
                original.start_at(self.bodies.original);
            }
            local.start_at(self.bodies.local);
        }
        self.take_out_left(Side::Updated, &mut updated, &local, children);
        if let Some(original) = &mut original {
            self.take_out_left(Side::Original, original, &local, children);
        }
        let same = original.as_ref().is_some_and(|original| {
            same_lines(
                (self.trees.original, original),
                (self.trees.updated, &updated),
            )
        });
        if same && self.is_in_place(own, children) {
            return None;
        }
        let original = original.unwrap_or_else(|| empty_row(updated.column));
        let rows = Triple::new(original, updated, local);
        let mut pieces = self.merge_rows(&rows, children, nodes);
        if self.begins_behind_colon(&rows.local) {
            // a comment would be a remark on the `:` there
            let first = pieces.iter().position(Piece::is_entry);
            pieces.drain(..first.unwrap_or(0));
        }
        if nodes
            .local
            .is_some_and(|local| shape(self.trees.local, local) == Shape::List)
        {
            pieces = in_order(pieces, children);
        }
        self.keep_in_column(&mut pieces, rows.local.column);
        let row = MergedLines {
            span: rows.local.span,
            moved: self.width_change(&rows, nodes, owners),
            pieces,
        };
        Some(Outcome::Row(Box::new(row)))
    }

    /// Moves comments right below an entry out to its column: one that is indented deeper would be
    /// in the entry, up to the first comment that is not.
    fn keep_in_column(&self, pieces: &mut [Piece], column: u32) {
        let mut is_below_entry = false;
        for piece in pieces {
            let PieceKind::Comment(comment) = &mut piece.kind else {
                is_below_entry |= piece.is_entry();
                continue;
            };
            let tree = self.trees[comment.side];
            let line = tree.slice(comment.span);
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let to_column = i64::from(column) - indent as i64;
            if is_below_entry && comment.moved > to_column {
                comment.moved = to_column;
            } else if comment.of_side.is_none() && comment.moved <= to_column {
                is_below_entry = false;
            }
        }
    }

    /// Whether a row of local's begins on the line of a `? key`'s `:`.
    fn begins_behind_colon(&self, row: &Row) -> bool {
        let tree = self.trees.local;
        let line = Span::new(tree.line_start(row.span.start), row.span.start);
        tree.slice(line)
            .trim_end_matches([' ', '\t'])
            .ends_with(':')
    }

    /// The entries whose values the collections are; those of the documents have none. `None` if
    /// the walk is elsewhere.
    fn owners(&self, nodes: Nodes) -> Option<Entries> {
        let Some(step) = self.steps.last() else {
            return Some(Triple::default());
        };
        let values = self.values_of(step.entries);
        let is_own =
            |(node, value): (Option<NodeId>, Option<NodeId>)| node.is_none() || node == value;
        let are_own = nodes.zip(values).map(is_own).into_array();
        are_own.iter().all(|is_own| *is_own).then_some(step.entries)
    }

    /// Whether each entry of a collection of local's stays in its place, and none comes.
    fn is_in_place(&self, own: NodeId, children: &[Child]) -> bool {
        let entries = self.trees.local.entries(own).map(Slot::Local);
        children.iter().all(Child::stays) && entries.eq(children.iter().map(|child| child.slot))
    }

    fn is_block(&self, sides: Entries) -> bool {
        let tree = self.trees.local;
        let value = sides.local.map(|local| tree.entry(local).value);
        value.is_some_and(|value| tree.is_block_collection(value))
    }

    /// The row of a side: of a value that is no block collection its entries, and the comments
    /// around it.
    fn row_of(&self, tree: &Tree<'_>, node: Option<NodeId>, owner: Option<EntryId>) -> Option<Row> {
        let Some(node) = node else {
            return Some(empty_row(0));
        };
        if let Some(row) = tree.row(node, owner.map(|owner| tree.entry(owner))) {
            return Some(row);
        }
        if matches!(tree.node(node).kind, NodeKind::Alias(_)) {
            return None;
        }
        let mut row = match owner {
            Some(owner) => tree.row_below(tree.entry(owner)),
            None => tree.row_around(node),
        };
        // where its entries would be, if they had lines
        let columns = row
            .items
            .iter()
            .filter_map(|it| tree.comment_indent(it.span.start));
        row.column = columns.min().unwrap_or(row.column);
        let value = tree.node(node).span;
        let above = row
            .items
            .iter()
            .filter(|it| it.span.start < value.start && it.kind == ItemKind::Comment);
        let above = above.count();
        let entries = super::entries_of(tree, node).map(|entry| Item {
            kind: ItemKind::Entry(entry),
            blank_start: tree.entry(entry).span.start,
            blanks: 0,
            span: tree.entry(entry).span,
        });
        row.items.splice(above..above, entries);
        Some(row)
    }

    fn merge_rows(
        &mut self,
        rows: &Triple<Row>,
        children: &mut [Child],
        nodes: Nodes,
    ) -> Vec<Piece> {
        let trees = self.trees;
        let ids = numbers(trees, rows, children);
        let tokens = Triple::new(
            tokens_of(trees.original, &rows.original, &ids.original),
            tokens_of(trees.updated, &rows.updated, &ids.updated),
            tokens_of(trees.local, &rows.local, &ids.local),
        );
        let stays = |entry: u32| {
            let child = children.get(entry as usize);
            child.is_some_and(Child::stays)
        };
        let below = self.comments_below(rows);
        let MergedRow {
            pieces,
            disagreements,
        } = rows::merge(
            tokens.as_ref().map(Vec::as_slice),
            Some(&below),
            stays,
            self.resolution(),
        );
        drop(tokens);
        for disagreement in disagreements {
            self.record_disagreement((rows, &ids), &disagreement, children, nodes);
        }
        let placed: Placed = pieces
            .into_iter()
            .map(|placed| (placed.piece, piece(rows, &ids, children, placed)))
            .collect();
        self.with_own_lines(rows, children, nodes, placed)
    }

    /// The comments that stay below local's row. One that upstream took away from there may come
    /// into the row.
    fn comments_below(&self, rows: &Triple<Row>) -> Vec<&str> {
        let below = self
            .trees
            .zip(rows.as_ref())
            .map(|(tree, row)| -> Vec<&str> {
                let end = Some(row.span.end).filter(|end| *end > 0);
                let comments = end.map(|end| tree.comments_from(end));
                let comments = comments.into_iter().flatten();
                comments.map(|span| tree.slice(span)).collect()
            });
        let words = below
            .as_ref()
            .map(|lines| -> FxHashSet<&str> { lines.iter().map(|line| line.trim()).collect() });
        let (original, updated) = (words.original, words.updated);
        let mut stays = below.local;
        stays.retain(|line| !original.contains(line.trim()) || updated.contains(line.trim()));
        stays
    }

    /// By how many columns the row moves in: its width is a number that merges three-way. A list has
    /// another one than a map.
    fn width_change(&self, rows: &Triple<Row>, nodes: Nodes, owners: Entries) -> i64 {
        let width = |tree: &Tree<'_>, row: &Row, node: Option<NodeId>, owner: Option<EntryId>| {
            let node = node.filter(|node| tree.is_block_collection(*node))?;
            tree.start_of_indent(tree.node(node).span.start)?;
            let column = i64::from(tree.column(tree.entry(owner?).span.start));
            Some((shape(tree, node), i64::from(row.column) - column))
        };
        let trees = self.trees;
        let widths = (
            width(
                trees.original,
                &rows.original,
                nodes.original,
                owners.original,
            ),
            width(trees.updated, &rows.updated, nodes.updated, owners.updated),
            width(trees.local, &rows.local, nodes.local, owners.local),
        );
        match widths {
            (Some(original), Some((is, updated)), Some(local)) if original == local => {
                let (was, width) = local;
                if is == was { updated - width } else { 0 }
            }
            _ => 0,
        }
    }
}

/// A row without anything.
fn empty_row(column: u32) -> Row {
    Row {
        column,
        span: Span::default(),
        items: vec![Item {
            kind: ItemKind::End,
            blank_start: 0,
            blanks: 0,
            span: Span::default(),
        }],
    }
}

/// Whether two rows have the same comments, blank lines and column, between entries of the same
/// keys.
fn same_lines(
    (left_tree, left): (&Tree<'_>, &Row),
    (right_tree, right): (&Tree<'_>, &Row),
) -> bool {
    left.items.len() == right.items.len()
        && left.column == right.column
        && left.items.iter().zip(&right.items).all(|(a, b)| {
            let is_same = match (a.kind, b.kind) {
                (ItemKind::Comment, ItemKind::Comment) => {
                    left_tree.slice(a.span) == right_tree.slice(b.span)
                }
                (ItemKind::Entry(a), ItemKind::Entry(b)) => {
                    let (a, b) = (left_tree.entry(a), right_tree.entry(b));
                    match (a.key, b.key) {
                        (Some(a), Some(b)) => {
                            left_tree.slice(left_tree.node(a).span)
                                == right_tree.slice(right_tree.node(b).span)
                        }
                        (a, b) => a.is_none() && b.is_none(),
                    }
                }
                (a, b) => a == b,
            };
            is_same && a.blanks == b.blanks
        })
}
