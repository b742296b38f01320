//! What stands between the entries of a block collection: its three rows, merged.

mod own;
mod tokens;

use super::{Entries, Nodes, Shape, Walker, shape};
use crate::merge::Resolution;
use crate::merge::decision::{Child, Chosen, Outcome, Piece, PieceKind, Row as MergedLines, Slot};
use crate::merge::rows::{self, MergedRow, Numbered, Ref, Side};
use crate::triple::Triple;
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

use own::Placed;
use tokens::{in_order, numbers, piece, tokens_of};

impl Walker<'_> {
    /// A local block collection with its lines; none where they do not change, or it has none.
    pub(super) fn merged_row(&mut self, nodes: Nodes, children: &[Child]) -> Option<Outcome> {
        let is_left = children.iter().any(Child::stays) || self.steps.is_empty();
        if !self.merges_lines || !is_left {
            return None;
        }
        let owners = self.owners(nodes)?;
        let owner = owners.local.map(|owner| self.trees.local.entry(owner));
        let mut local = self.trees.local.row(nodes.local?, owner)?;
        let mut updated = self.row_of(self.trees.updated, nodes.updated, owners.updated)?;
        let mut original = self.row_of(self.trees.original, nodes.original, owners.original);
        if owner.is_none() {
            local.start_at(self.bodies.local);
            updated.start_at(self.bodies.updated);
            if let Some(original) = &mut original {
                original.start_at(self.bodies.original);
            }
        }
        let same = original.as_ref().is_some_and(|original| {
            same_lines(
                (self.trees.original, original),
                (self.trees.updated, &updated),
            )
        });
        if same && is_in_place(&local, children) {
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

    /// Moves comments below an entry out to its column: one that is indented deeper would be in the
    /// entry above.
    fn keep_in_column(&self, pieces: &mut [Piece], column: u32) {
        let first = pieces.iter().position(Piece::is_entry);
        let below = first.map_or(&mut [][..], |first| &mut pieces[first..]);
        for piece in below {
            if let PieceKind::Comment(comment) = &mut piece.kind {
                let tree = match comment.side {
                    Side::Original => self.trees.original,
                    Side::Updated => self.trees.updated,
                    Side::Local => self.trees.local,
                };
                let line = tree.slice(comment.span);
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                comment.moved = comment.moved.min(i64::from(column) - indent as i64);
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

    /// The comment lines below an entry of local whose value is no block collection, or becomes
    /// none; none where they stay.
    pub(super) fn merged_below(
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
        let has_none_below = |(tree, entry): (&Tree<'_>, Option<EntryId>)| {
            entry.map(|entry| tree.entry(entry)).is_none_or(|entry| {
                !tree.is_block_collection(entry.value)
                    && tree.end_of_lines(entry) == tree.end_of_value_lines(entry)
            })
        };
        if trees
            .zip(sides)
            .into_array()
            .into_iter()
            .all(has_none_below)
        {
            return None;
        }
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
    pub(super) fn opened_row(&mut self, nodes: Nodes, children: &[Child]) -> Option<Outcome> {
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

    /// The entries whose values the collections are; those of the documents have none. None where
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
            blank: Span::new(value.start, value.start),
            blanks: 0,
            span: tree.entry(entry).span,
        });
        row.items.splice(above..above, entries);
        Some(row)
    }

    fn merge_rows(&mut self, rows: &Triple<Row>, children: &[Child], nodes: Nodes) -> Vec<Piece> {
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
        let below = trees.local.comments_from(rows.local.span.end);
        let below: Vec<&str> = below
            .into_iter()
            .map(|span| trees.local.slice(span))
            .collect();
        let MergedRow {
            pieces,
            disagreements,
        } = rows::merge(
            tokens.as_ref().map(Vec::as_slice),
            &below,
            stays,
            self.resolution(),
        );
        for disagreement in disagreements {
            self.record_disagreement((rows, &ids), &disagreement, children, nodes);
        }
        let mut placed: Placed = pieces
            .into_iter()
            .map(|placed| (Some(placed.piece), piece(rows, &ids, children, placed)))
            .collect();
        let is_map = nodes
            .local
            .is_some_and(|local| shape(trees.local, local) == Shape::Map);
        if is_map {
            let about = about_absent(&rows.updated, &ids.updated, children);
            let is_about = |of: Ref| of.side == Side::Updated && about[of.at];
            placed.retain(|(of, _)| !of.is_some_and(is_about));
        }
        if nodes.local.is_some() {
            self.keep_own_lines(rows, children, nodes, &mut placed);
        }
        placed.into_iter().map(|(_, piece)| piece).collect()
    }

    /// By how many columns the row moves in: its width is a number that merges three-way.
    fn width_change(&self, rows: &Triple<Row>, nodes: Nodes, owners: Entries) -> i64 {
        let width = |tree: &Tree<'_>, row: &Row, node: Option<NodeId>, owner: Option<EntryId>| {
            let node = node.filter(|node| tree.is_block_collection(*node))?;
            tree.start_of_indent(tree.node(node).span.start)?;
            let column = i64::from(tree.column(tree.entry(owner?).span.start));
            Some(i64::from(row.column) - column)
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
            (Some(original), Some(updated), Some(local)) if original == local => updated - local,
            _ => 0,
        }
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

/// A row without anything.
fn empty_row(column: u32) -> Row {
    Row {
        column,
        span: Span::default(),
        items: vec![Item {
            kind: ItemKind::End,
            blank: Span::default(),
            blanks: 0,
            span: Span::default(),
        }],
    }
}

/// Whether each of local's entries stays in its place, and none comes.
fn is_in_place(local: &Row, children: &[Child]) -> bool {
    let entries = local.items.iter().filter_map(|item| match item.kind {
        ItemKind::Entry(entry) => Some(Slot::Local(entry)),
        ItemKind::Comment | ItemKind::End => None,
    });
    children.iter().all(Child::stays) && entries.eq(children.iter().map(|child| child.slot))
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

/// For each piece of upstream's row, whether it is a comment right above an entry that local
/// deleted.
fn about_absent(row: &Row, ids: &Numbered, children: &[Child]) -> Vec<bool> {
    let is_absent = |entry: EntryId| {
        let child = ids.get(entry.number());
        let child = child.and_then(|number| children.get(number as usize));
        child.is_none_or(|child| !child.stays() && child.sides.local.is_none())
    };
    let mut is_above = false;
    let mut about: Vec<bool> = row
        .items
        .iter()
        .rev()
        .map(|item| {
            let is_about = is_above && item.kind == ItemKind::Comment;
            is_above = item.blanks == 0
                && match item.kind {
                    ItemKind::Comment => is_above,
                    ItemKind::Entry(entry) => is_absent(entry),
                    ItemKind::End => false,
                };
            is_about
        })
        .collect();
    about.reverse();
    about
}
