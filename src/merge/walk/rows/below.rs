//! The comment lines below an entry whose value is no block collection, or becomes one or none.

use rustc_hash::FxHashSet;

use super::{MergedLines, empty_row, same_lines};
use crate::merge::Resolution;
use crate::merge::decision::{Child, Chosen, Outcome, Piece};
use crate::merge::walk::{Entries, Nodes, Walker};
use crate::triple::{Side, Triple};
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, Span, Tree};

impl Walker<'_> {
    /// The comment lines below an entry of local whose value is no block collection, or is one no
    /// longer; `None` if they stay.
    pub(in crate::merge::walk) fn merged_below(
        &mut self,
        sides: Entries,
        outcome: &Outcome,
    ) -> Option<Box<[Piece]>> {
        let (updated, local) = (sides.updated?, sides.local?);
        let trees = self.trees;
        let is_emptied = outcome.is_merge() && !outcome.children().any(Child::stays);
        let is_row = outcome.is_merge() && !is_emptied && self.is_block(sides);
        if !self.merges_lines || is_row || matches!(outcome, Outcome::Row(_)) {
            return None;
        }
        let has_none_below = |(tree, entry): (&Tree<'_>, Option<EntryId>)| {
            entry.map(|entry| tree.entry(entry)).is_none_or(|entry| {
                !tree.is_block_collection(entry.value)
                    && tree.end_of_lines(entry) == tree.end_of_value_lines(entry)
            })
        };
        let below = trees.zip(sides).into_array();
        if below.into_iter().all(has_none_below) {
            return None;
        }
        let is_taken = matches!(outcome, Outcome::Take(_)) || is_emptied;
        let local_value = trees.local.entry(local).value;
        let theirs = trees.updated.entry(updated).value;
        let comes_in_lines = trees.updated.is_block_collection(theirs);
        // lines of a block collection have no place between brackets that have something in them
        let is_full = trees.local.entries(local_value).len() > 0;
        if !is_taken && (trees.local.is_block_collection(local_value) || comes_in_lines && is_full)
        {
            return None;
        }
        let own = match (sides.original, trees.local.row(local_value, None)) {
            (Some(original), Some(_)) => self.own_lines(original, local),
            _ => Vec::new(),
        };
        if let Some(original) = sides.original {
            self.record_own_of_replaced((original, local), &own, sides, is_emptied);
        }
        let mut rows = match is_emptied || !is_taken {
            true => self.rows_within(sides, &own, is_emptied),
            false => self.rows_below(sides, &own),
        };
        let column =
            |side: Side, entry: EntryId| trees[side].column(trees[side].entry(entry).span.start);
        rows.local.column = column(Side::Local, local);
        rows.updated.column = column(Side::Updated, updated);
        rows.original.column = rows.updated.column;
        let (old, new) = (&rows.original, &rows.updated);
        let same = same_lines((trees.original, old), (trees.updated, new));
        let pieces = rows.as_ref().map(|row| row.items.len()).into_array();
        if same || pieces.iter().sum::<usize>() == 3 {
            return None;
        }
        let mut children: Vec<Child> = outcome.children().cloned().collect();
        let pieces = self.merge_rows(&rows, &mut children, Triple::default());
        Some(pieces.into())
    }

    /// Takes the comments out of the entries of a side's row that local deleted where it left some
    /// of them: they are lines of the row here.
    pub(super) fn take_out_left(&self, side: Side, row: &mut Row, local: &Row, children: &[Child]) {
        let tree = self.trees[side];
        let left = local.items.iter();
        let left = left.filter(|item| item.kind == ItemKind::Comment);
        let left = left.map(|item| self.trees.local.slice(item.span).trim());
        let left: FxHashSet<&str> = left.collect();
        if left.is_empty() {
            return;
        }
        let stays = |child: &&Child| child.stays() || child.sides().local.is_some();
        let there = children.iter().filter(stays);
        let there: FxHashSet<EntryId> = there.filter_map(|child| child.sides()[side]).collect();
        let is_left = |item: &Item| left.contains(tree.slice(item.span).trim());
        let items = row.items.drain(..).flat_map(|item| {
            let mut own = match item.kind {
                ItemKind::Entry(id) if !there.contains(&id) => tree.row_below(tree.entry(id)).items,
                _ => Vec::new(),
            };
            // without the end, and what is below the brackets that an entry is between
            own.retain(|it| it.kind == ItemKind::Comment && it.span.end <= item.span.end);
            if !own.iter().any(is_left) {
                own.clear();
            }
            std::iter::once(item).chain(own)
        });
        row.items = items.collect();
    }

    /// Records that comment lines and remarks of local's own go with a value.
    fn record_own_of_replaced(
        &mut self,
        (original, local): (EntryId, EntryId),
        own: &[Span],
        sides: Entries,
        is_emptied: bool,
    ) {
        // where local changed values too, a conflict shows all of it
        let is_left = is_emptied || self.unchanged_locally(self.values_of(sides));
        if !own.is_empty() || is_left && self.has_own_remarks_within(original, local) {
            self.record_own_lines(original, local, false);
        }
    }

    /// The comments below an entry on each side. Those in a block collection that comes, come with
    /// it.
    fn rows_below(&self, sides: Entries, own: &[Span]) -> Triple<Row> {
        let below = |side: Side| -> Row {
            let (tree, Some(entry)) = (self.trees[side], sides[side]) else {
                return empty_row(0);
            };
            let mut row = tree.row_below(tree.entry(entry));
            if tree.is_block_collection(tree.entry(entry).value) {
                match side {
                    Side::Updated => row = empty_row(row.column),
                    Side::Original | Side::Local => row.items = within(tree, entry),
                }
            }
            row
        };
        let mut rows = Triple::new(
            below(Side::Original),
            below(Side::Updated),
            below(Side::Local),
        );
        if self.resolution() == Resolution::Updated {
            rows.local.items.retain(|item| !own.contains(&item.span));
        }
        rows
    }

    /// The same where nothing comes that brings its comments along: the lines between the entries
    /// that go are all there is.
    fn rows_within(&self, sides: Entries, own: &[Span], is_emptied: bool) -> Triple<Row> {
        let mut rows = self.rows_below(sides, own);
        let within = |side: Side| {
            let (tree, entry) = (self.trees[side], self.trees[side].entry(sides[side]?));
            tree.row(entry.value, Some(entry))
        };
        for side in [Side::Original, Side::Updated] {
            if let Some(row) = within(side) {
                rows[side] = row;
            }
        }
        if let Some(mut row) = within(Side::Local).filter(|_| is_emptied) {
            row.items.retain(|item| !own.contains(&item.span));
            rows.local = row;
        }
        rows
    }

    /// An empty local map or list below a key that gets lines of its own: its first entries, and
    /// the comments around them.
    pub(in crate::merge::walk) fn opened_row(
        &mut self,
        nodes: Nodes,
        children: &mut [Child],
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
        blank_start: span.start,
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
