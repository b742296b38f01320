//! Merges the rows of block collections: their entries, and the comments and blank lines between.
//!
//! The entries are decided already. `merge::rows` aligns the rows of the three sides; this module
//! prepares its input, turns its output into decisions, and records conflicts over comments.

mod changes;
mod local_comments;
mod pieces;
mod value_comments;

use rustc_hash::FxHashSet;

use super::{Entries, Nodes, Shape, Walker, shape};
use crate::merge::decision::{self, Child, Outcome, Piece, PieceKind, keeps_entries};
use crate::merge::rows::{self, MergedRow, Presence};
use crate::parallel::both;
use crate::triple::{Side, Triple};
use crate::white_space::{trimmed, trimmed_start};
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

use pieces::{in_child_order, number_entries, piece};

impl Walker<'_> {
    /// Merges the row of a local block collection with these entries. Returns `None` if the row
    /// does not change, or if local has no row. The result has no decisions about the entries.
    pub(super) fn merged_row(&mut self, nodes: Nodes, children: &[Child]) -> Option<decision::Row> {
        let has_result = children.iter().any(Child::stays) || self.steps.is_empty();
        if !self.merges_rows || !has_result {
            return None;
        }
        let owners = self.owners(nodes)?;
        let local_node = nodes.local?;
        if !self.trees.local.is_block_collection(local_node) {
            return None;
        }
        let trees = self.trees;
        let row = |side: Side| row_of(trees[side], nodes[side], owners[side]);
        let ((updated, original), local) = both(
            trees.local.node(local_node).span.range().len(),
            || (row(Side::Updated), row(Side::Original)),
            || row(Side::Local),
        );
        let (updated, local) = (updated?, local?);
        let original = original.unwrap_or_else(|| empty_row(updated.column));
        let mut rows = Triple::new(original, updated, local);
        if owners.local.is_none() {
            for side in Side::ALL.into_array() {
                rows[side].cut_to(self.bodies[side]);
            }
        }
        for side in [Side::Updated, Side::Original] {
            self.extract_kept_comments(side, &mut rows, children);
        }
        let (old, new) = (&rows.original, &rows.updated);
        let is_unchanged = same_lines((self.trees.original, old), (self.trees.updated, new));
        if is_unchanged && keeps_entries(self.trees.local, local_node, children) {
            return None;
        }
        let mut pieces = self.merge_rows(&rows, children, nodes);
        if self.begins_behind_colon(&rows.local) {
            // A comment there would become the comment on the `:`.
            let first = pieces.iter().position(Piece::is_entry);
            pieces.drain(..first.unwrap_or(0));
        }
        if shape(self.trees.local, local_node) == Shape::List {
            pieces = in_child_order(pieces, children, &rows);
        }
        self.limit_indent(&mut pieces, &rows, (local_node, owners));
        Some(decision::Row {
            span: rows.local.span,
            moved: self.width_change(&rows, nodes, owners),
            children: Vec::new(),
            pieces,
        })
    }

    /// Limits how far comments move. Below an entry, they are not deeper than local's entries, up
    /// to the first one that is not deeper: a deeper comment would belong to the entry, unless
    /// local has such comments above elements. A comment that is left of upstream's entries keeps
    /// its distance to the key.
    fn limit_indent(
        &self,
        pieces: &mut [Piece],
        rows: &Triple<Row>,
        (local_node, owners): (NodeId, Entries),
    ) {
        let column = rows.local.column as i32;
        let of_owner = |side: Side| {
            let owner = self.trees[side].entry(owners[side]?);
            Some(self.trees[side].column(owner.span.start) as i32)
        };
        let is_list = shape(self.trees.local, local_node) == Shape::List;
        let can_be_deeper = is_list && self.trees.local.has_deep_comments_above_elements();
        let last_entry = pieces.iter().rposition(Piece::is_entry);
        let last_entry = last_entry.filter(|_| can_be_deeper);
        let mut is_below_entry = false;
        for (at, piece) in pieces.iter_mut().enumerate() {
            let PieceKind::Comment(comment) = &mut piece.kind else {
                is_below_entry |= piece.is_entry() && last_entry.is_none_or(|last| last <= at);
                continue;
            };
            let indent = self.trees[comment.side].comment_indent(comment.span.start);
            let indent = indent.unwrap_or(0) as i32;
            if let (Some(old), Some(new)) = (of_owner(comment.side), of_owner(Side::Local))
                && comment.moved < new - old
                && indent > 0
            {
                comment.moved = (new - old).min(column - indent).max(comment.moved);
            }
            let max_shift = column - indent;
            if is_below_entry && comment.moved > max_shift {
                comment.moved = max_shift;
            } else if comment.of_side.is_none() && comment.moved <= max_shift {
                is_below_entry = false;
            }
        }
    }

    /// Returns true if a local row starts on the line of a `? key`'s `:`.
    fn begins_behind_colon(&self, row: &Row) -> bool {
        let tree = self.trees.local;
        let line = Span::new(tree.line_start(row.span.start), row.span.start);
        tree.slice(line)
            .trim_end_matches([' ', '\t'])
            .ends_with(':')
    }

    /// Returns the entries whose values are `nodes`; no entries for the roots of documents. Returns
    /// `None` if `nodes` are not the values at the current path.
    fn owners(&self, nodes: Nodes) -> Option<Entries> {
        let Some(step) = self.steps.last() else {
            return Some(Triple::default());
        };
        let values = nodes.zip(self.values_of(step.entries)).into_array();
        let are_values = values
            .iter()
            .all(|(node, value)| node.is_none() || node == value);
        are_values.then_some(step.entries)
    }

    /// Merges three rows to pieces, and records conflicts over comments.
    fn merge_rows(&mut self, rows: &Triple<Row>, children: &[Child], nodes: Nodes) -> Vec<Piece> {
        let trees = self.trees;
        let ids = number_entries(trees, rows, children);
        let input = Side::ALL.map(|side| rows::Pieces {
            text: trees[side].text(),
            items: &rows[side].items,
            numbers: Some(&ids[side]),
        });
        let presence = |entry: u32| {
            let child = children.get(entry as usize);
            child.map_or(Presence::Absent, presence_of)
        };
        let (head, below) = (self.comments_in_head(), self.comments_below(rows));
        let is_map = |node| shape(trees.local, node) == Shape::Map;
        let context = rows::Context {
            around: Some(rows::Around {
                head: &head,
                below: &below,
            }),
            has_fields: nodes.local.is_some_and(is_map),
            sides: self.options.sides,
        };
        let MergedRow {
            pieces,
            comment_conflicts,
        } = rows::merge(input, context, presence, self.resolution());
        for comment_conflict in comment_conflicts {
            self.record_comment_conflict((rows, &ids), &comment_conflict, children, nodes);
        }
        let decided = pieces.iter();
        let decided = decided.map(|placed| piece(rows, &ids, children, *placed));
        let decided = decided.collect();
        self.with_local_comments(rows, children, nodes, (&pieces, decided))
    }

    /// Returns the comments that only local has in the head of its file, if this is the document's
    /// row.
    fn comments_in_head(&self) -> Vec<&str> {
        let comments = |side: Side| {
            let head = self.heads[side].lines().filter(|_| self.steps.is_empty());
            head.filter(|line| trimmed_start(line).starts_with('#'))
        };
        let upstream = comments(Side::Original).chain(comments(Side::Updated));
        let upstream: FxHashSet<&str> = upstream.map(trimmed).collect();
        let is_own = |line: &&str| !upstream.contains(trimmed(line));
        comments(Side::Local).filter(is_own).collect()
    }

    /// Returns the comments below local's row that the original does not have there.
    fn comments_below(&self, rows: &Triple<Row>) -> Vec<&str> {
        let below = |side: Side| {
            let (tree, end) = (self.trees[side], rows[side].span.end);
            let comments = (end > 0).then(|| tree.comments_from(end));
            let comments = comments.into_iter().flatten();
            comments.map(|span| tree.slice(span))
        };
        let original: FxHashSet<&str> = below(Side::Original).map(trimmed).collect();
        let is_new = |line: &&str| !original.contains(trimmed(line));
        below(Side::Local).filter(is_new).collect()
    }

    /// Returns the number of columns by which to indent the row. The width of its indentation
    /// merges as a value, but a list and a map have different widths.
    fn width_change(&self, rows: &Triple<Row>, nodes: Nodes, owners: Entries) -> i64 {
        let widths = Side::ALL.map(|side| {
            let (tree, owner) = (self.trees[side], owners[side]?);
            let node = nodes[side].filter(|node| tree.is_block_collection(*node))?;
            tree.start_of_indent(tree.node(node).span.start)?;
            let column = i64::from(tree.column(tree.entry(owner).span.start));
            Some((shape(tree, node), i64::from(rows[side].column) - column))
        });
        match (widths.updated, widths.local) {
            (Some((updated_shape, updated)), Some((local_shape, local)))
                if widths.original == widths.local && updated_shape == local_shape =>
            {
                updated - local
            }
            _ => 0,
        }
    }
}

/// Returns whether the result has the entry of a decision.
fn presence_of(child: &Child) -> Presence {
    if !matches!(child.outcome(), Outcome::Open(_)) {
        return match child.stays() {
            true => Presence::Present,
            false => Presence::Absent,
        };
    }
    match [Side::Local, Side::Updated].map(|side| child.stays_on(side)) {
        [true, false] => Presence::OnlyOn(Side::Local),
        [false, true] => Presence::OnlyOn(Side::Updated),
        _ => Presence::Present,
    }
}

/// Returns the row of one side. For a value that is not a block collection, it consists of the
/// value's entries and the comments around them. Returns `None` for an alias.
fn row_of(tree: &Tree<'_>, node: Option<NodeId>, owner: Option<EntryId>) -> Option<Row> {
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
        Some(owner) => tree.row_of_comments(tree.entry(owner)),
        None => tree.row_around(node),
    };
    // The column that the entries would have on lines of their own.
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
    let entries = super::entries_of(tree, node);
    let entries = entries.map(|it| item(ItemKind::Entry(it), tree.entry(it).span));
    row.items.splice(above..above, entries);
    Some(row)
}

/// Returns a row without entries and comments.
fn empty_row(column: u32) -> Row {
    Row {
        column,
        span: Span::default(),
        items: vec![item(ItemKind::End, Span::default())],
    }
}

/// Returns an item of a row without blank lines above it.
const fn item(kind: ItemKind, span: Span) -> Item {
    Item {
        kind,
        blank_start: span.start,
        blanks: 0,
        span,
    }
}

/// Returns true if two rows have the same comments, blank lines, column and keys.
fn same_lines(
    (left_tree, left): (&Tree<'_>, &Row),
    (right_tree, right): (&Tree<'_>, &Row),
) -> bool {
    fn key<'t>(tree: &Tree<'t>, entry: EntryId) -> Option<&'t str> {
        let key = tree.entry(entry).key?;
        Some(tree.slice(tree.node(key).span))
    }
    left.items.len() == right.items.len()
        && left.column == right.column
        && left.items.iter().zip(&right.items).all(|(a, b)| {
            let is_same = match (a.kind, b.kind) {
                (ItemKind::Comment, ItemKind::Comment) => {
                    left_tree.slice(a.span) == right_tree.slice(b.span)
                }
                (ItemKind::Entry(a), ItemKind::Entry(b)) => key(left_tree, a) == key(right_tree, b),
                (a, b) => a == b,
            };
            is_same && left_tree.slice(a.blank()) == right_tree.slice(b.blank())
        })
}
