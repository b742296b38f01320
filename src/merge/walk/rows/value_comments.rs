//! Merges the comment lines above and below values that are not block collections on all sides.

use rustc_hash::FxHashSet;

use super::{empty_row, item, row_of, same_lines};
use crate::merge::Resolution;
use crate::merge::decision::{self, Child, Outcome, Piece, PieceKind};
use crate::merge::walk::{Entries, Nodes, Walker};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, NodeKind, Span, Tree};

impl Walker<'_> {
    /// Merges the comment lines above and below a local entry's value that is no block
    /// collection, or no longer is. Returns `None` if they do not change.
    pub(in crate::merge::walk) fn merge_value_comments(
        &mut self,
        sides: Entries,
        outcome: &Outcome,
    ) -> Option<Box<[Piece]>> {
        let (updated, local) = (sides.updated?, sides.local?);
        let trees = self.trees;
        let local_value = trees.local.entry(local).value;
        let is_local_block = trees.local.is_block_collection(local_value);
        let is_emptied = outcome.is_emptied();
        let is_row = outcome.is_merge() && !is_emptied && is_local_block;
        let have_lines = self.each(sides, may_have_comments).into_array();
        if !self.merges_rows
            || is_row
            || matches!(outcome, Outcome::Row(_))
            || !have_lines.contains(&Some(true))
        {
            return None;
        }
        let replaces_value = matches!(outcome, Outcome::Take(_)) || is_emptied;
        let updated_value = trees.updated.entry(updated).value;
        let is_updated_block = trees.updated.is_block_collection(updated_value);
        // The lines of a block collection have no place in a flow collection that has entries, and
        // are part of updated's side of conflict markers.
        let is_open = matches!(outcome, Outcome::Open(_));
        let has_no_place = trees.local.entries(local_value).len() > 0 || is_open;
        if is_open && is_local_block && !is_updated_block {
            return Some(self.comments_of_updated(sides));
        }
        if !replaces_value && (is_local_block || is_updated_block && has_no_place) {
            return None;
        }
        let original = sides.original;
        let replaced = original.map(|it| self.replaced_comments((it, local), sides, is_emptied));
        // an alias that merges is written out with the comments above its new entries
        let is_written_out =
            outcome.is_merge() && matches!(trees.local.node(local_value).kind, NodeKind::Alias(_));
        let mut rows = match is_emptied || !replaces_value && !is_written_out {
            true => self.rows_between(sides, is_emptied),
            false => self.rows_of_comments(sides),
        };
        if self.resolution() == Resolution::Updated {
            let items = &mut rows.local.items;
            items.retain(|item| !replaced.iter().flatten().any(|it| *it == item.span));
        }
        self.set_columns(&mut rows, sides);
        let (old, new) = (&rows.original, &rows.updated);
        // the comments in a block collection of local's go with it, unless they are placed again
        let is_unchanged = !(replaces_value && is_local_block)
            && same_lines((trees.original, old), (trees.updated, new));
        let has_comment = |row: &Row| row.items.iter().any(|it| it.kind == ItemKind::Comment);
        let has_comments = rows.as_ref().into_iter().any(has_comment);
        // the entries of an emptied collection go one by one, so local's comments have to go too
        let leaves_comments = is_emptied && replaced.is_some_and(|them| !them.is_empty());
        if is_unchanged || !has_comments && !leaves_comments {
            return None;
        }
        let mut children: Vec<Child> = outcome.children().cloned().collect();
        children.push(Child::keep(local).with_sides(sides));
        let pieces = self.merge_rows(&rows, &children, Triple::default());
        Some(pieces.into())
    }

    /// Returns the comment lines above and below upstream's value, which is no block collection, as
    /// upstream's side of an open conflict with a block collection.
    fn comments_of_updated(&mut self, sides: Entries) -> Box<[Piece]> {
        let updated = self.rows_of_comments(sides).updated;
        let mut rows = Triple::new(empty_row(0), updated, empty_row(0));
        self.set_columns(&mut rows, sides);
        let mut pieces = self.merge_rows(&rows, &[], Triple::default());
        for piece in &mut pieces {
            if let PieceKind::Comment(comment) = &mut piece.kind {
                comment.of_side = Some(Side::Updated);
            }
        }
        pieces.into()
    }

    /// Sets the columns of rows to those of the entries that have them.
    fn set_columns(&self, rows: &mut Triple<Row>, sides: Entries) {
        for side in [Side::Updated, Side::Local] {
            let (tree, entry) = (self.trees[side], sides[side]);
            rows[side].column = entry.map_or(0, |it| tree.column(tree.entry(it).span.start));
        }
        rows.original.column = rows.updated.column;
    }

    /// Moves comments out of entries that the result lacks, if local has any comment of that entry
    /// in its row, between the entries.
    pub(super) fn extract_kept_comments(
        &self,
        side: Side,
        rows: &mut Triple<Row>,
        children: &[Child],
    ) {
        let tree = self.trees[side];
        let kept = rows.local.items.iter();
        let kept = kept.filter(|item| item.kind == ItemKind::Comment);
        let kept = kept.map(|item| trimmed(self.trees.local.slice(item.span)));
        let kept: FxHashSet<&str> = kept.collect();
        if kept.is_empty() {
            return;
        }
        let present = children.iter().filter(|child| child.stays());
        let present: FxHashSet<EntryId> = present.filter_map(|child| child.sides()[side]).collect();
        // the comments below the item at a position
        let mut extracted: Vec<(usize, Item)> = Vec::new();
        for (at, entry) in rows[side].entries_from(0) {
            if present.contains(&entry) {
                continue;
            }
            let end = rows[side].items[at].span.end;
            let mut comments = tree.row_of_comments(tree.entry(entry)).items;
            // Only comments on the entry's own lines: in a flow collection, comments below the
            // closing bracket are not part of the entry.
            comments.retain(|it| it.kind == ItemKind::Comment && it.span.end <= end);
            let is_kept = |item: &Item| kept.contains(trimmed(tree.slice(item.span)));
            if comments.iter().any(is_kept) {
                extracted.extend(comments.into_iter().map(|comment| (at, comment)));
            }
        }
        if extracted.is_empty() {
            return;
        }
        let mut extracted = extracted.into_iter().peekable();
        let items = std::mem::take(&mut rows[side].items)
            .into_iter()
            .enumerate();
        for (at, item) in items {
            rows[side].items.push(item);
            let below = std::iter::from_fn(|| extracted.next_if(|(above, _)| *above == at));
            rows[side].items.extend(below.map(|(_, comment)| comment));
        }
    }

    /// Returns the comments that local wrote in a block collection, and records that they are
    /// deleted with it.
    fn replaced_comments(
        &mut self,
        (original, local): (EntryId, EntryId),
        sides: Entries,
        is_emptied: bool,
    ) -> Vec<Span> {
        let tree = self.trees.local;
        let comments = match tree.is_block_collection(tree.entry(local).value) {
            true => self.new_comments_in(original, (Side::Local, local)),
            false => Vec::new(),
        };
        let inside = |side: Side, entry| {
            let tree = self.trees[side];
            tree.entries(tree.entry(entry).value)
        };
        // If local changed values too, their conflict shows the inline comments.
        let counts_remarks = is_emptied || self.unchanged_locally(self.values_of(sides));
        if !comments.is_empty()
            || counts_remarks
                && !self
                    .new_remarks(
                        inside(Side::Original, original),
                        (Side::Local, inside(Side::Local, local)),
                    )
                    .is_empty()
        {
            self.record_local_comments(original, local, false);
        }
        comments
    }

    /// Returns the comment lines above and below the value of an entry on each side. The comments
    /// of an updated block collection are part of the value that is taken, but for those below its
    /// last entry, and so are local's if its value has the same text. If the local value is not a block collection, the entries are items of the rows,
    /// between the comments above and below their values.
    fn rows_of_comments(&self, sides: Entries) -> Triple<Row> {
        let is_block = |side: Side, entry: EntryId| {
            let tree = self.trees[side];
            tree.is_block_collection(tree.entry(entry).value)
        };
        let has_value = sides
            .local
            .is_some_and(|local| !is_block(Side::Local, local));
        let text = |side: Side| {
            let tree = self.trees[side];
            sides[side].map(|it| tree.slice(tree.node(tree.entry(it).value).span))
        };
        let has_updated_text = text(Side::Local) == text(Side::Updated);
        Side::ALL.map(|side| {
            let (tree, Some(entry)) = (self.trees[side], sides[side]) else {
                return empty_row(0);
            };
            let mut row = match has_value && !is_block(side, entry) {
                true => tree.row_of_value(entry),
                false => tree.row_of_comments(tree.entry(entry)),
            };
            let value = tree.entry(entry).value;
            if let Some(inside) = tree.row(value, Some(tree.entry(entry))) {
                row.items = match side {
                    Side::Updated => below_last_entry(inside),
                    Side::Local if has_updated_text => below_last_entry(inside),
                    Side::Original | Side::Local => nested_comments(tree, entry),
                };
            }
            row
        })
    }

    /// Like `rows_of_comments`, for an entry whose new value brings no comments: uses the lines
    /// between the entries of the collections.
    fn rows_between(&self, sides: Entries, is_emptied: bool) -> Triple<Row> {
        let mut rows = self.rows_of_comments(sides);
        for side in Side::ALL.into_array() {
            let (tree, entry) = (self.trees[side], sides[side]);
            let entry = entry.filter(|_| is_emptied || side != Side::Local);
            let entry = entry.map(|entry| tree.entry(entry));
            if let Some(row) = entry.and_then(|entry| tree.row(entry.value, Some(entry))) {
                rows[side] = row;
            }
        }
        rows
    }

    /// Merges the row of an empty local map or list that gets its first entries on lines of their
    /// own. Returns `None` if the collection has to stay in flow style.
    pub(in crate::merge::walk) fn row_of_empty(
        &mut self,
        nodes: Nodes,
        children: &[Child],
    ) -> Option<decision::Row> {
        let owners = self.owners(nodes)?;
        // If one side of a conflict has no entries, it keeps its brackets.
        let both_have_entries = [Side::Local, Side::Updated]
            .into_iter()
            .all(|side| children.iter().any(|child| child.choose(side).stays()));
        if !self.merges_rows || !both_have_entries {
            return None;
        }
        let rows = match owners.local {
            Some(owner) => self.rows_to_fill(nodes, owners, owner),
            None => self.rows_of_document_to_fill(nodes),
        }?;
        let pieces = self.merge_rows(&rows, children, nodes);
        Some(decision::Row {
            span: rows.local.span,
            moved: 0,
            children: Vec::new(),
            pieces,
        })
    }

    /// Returns the rows for an empty local collection that is the value of `owner`; `None` if it
    /// cannot have entries on lines of their own.
    fn rows_to_fill(&self, nodes: Nodes, owners: Entries, owner: EntryId) -> Option<Triple<Row>> {
        let tree = self.trees.local;
        let entry = tree.entry(owner);
        let node = tree.node(entry.value);
        let is_plain = entry.key.is_some()
            && entry.colon().is_some()
            && tree.start_of_indent(entry.span.start).is_some()
            && node.anchor().is_none()
            && node.tag().is_none();
        let containers = self.steps.iter().rev().skip(1);
        let values = containers.map(|step| Some(tree.entry(step.entries.local?).value));
        let mut values = values.chain([Some(tree.root().value)]);
        let is_in_block_style =
            values.all(|node| node.is_some_and(|node| tree.is_block_collection(node)));
        if !is_plain || !is_in_block_style {
            return None;
        }
        let updated_tree = self.trees.updated;
        let updated_entry = updated_tree.entry(owners.updated?);
        let updated = updated_tree.row(nodes.updated?, Some(updated_entry))?;
        let original = row_of(self.trees.original, nodes.original, owners.original);
        let original = original.unwrap_or_else(|| empty_row(updated.column));
        let mut local = tree.row_of_comments(entry);
        let updated_column = updated_tree.column(updated_entry.span.start);
        let width = i64::from(updated.column) - i64::from(updated_column);
        let column = i64::from(tree.column(entry.span.start)) + width;
        local.column = u32::try_from(column).unwrap_or(0);
        Some(Triple::new(original, updated, local))
    }

    /// Like [`Self::rows_to_fill`], for the root collection: it has to be alone on its lines.
    fn rows_of_document_to_fill(&self, nodes: Nodes) -> Option<Triple<Row>> {
        let (tree, lines) = (self.trees.local, self.bodies.local);
        let is_alone = tree.line_start(lines.start) == lines.start
            && trimmed(tree.slice(lines)) == tree.slice(tree.node(nodes.local?).span);
        if !is_alone {
            return None;
        }
        let updated = self.trees.updated.row(nodes.updated?, None)?;
        let original = row_of(self.trees.original, nodes.original, None);
        let original = original.unwrap_or_else(|| empty_row(updated.column));
        let mut rows = Triple::new(original, updated, empty_row(0));
        for side in [Side::Original, Side::Updated] {
            rows[side].cut_to(self.bodies[side]);
        }
        rows.local.span = lines;
        rows.local.items = vec![item(ItemKind::End, Span::new(lines.end, lines.end))];
        Some(rows)
    }
}

/// Whether an entry has comment lines above or below its value, or a block collection as its
/// value.
fn may_have_comments(tree: &Tree<'_>, entry: EntryId) -> bool {
    let entry = tree.entry(entry);
    tree.is_block_collection(entry.value)
        || tree.end_of_lines(entry) != tree.end_of_value_lines(entry)
        || !tree.lines_above_value(entry).is_empty()
}

/// Returns the items of a row below its last entry.
fn below_last_entry(mut row: Row) -> Vec<Item> {
    let last = row.entries_from(0).next_back();
    row.items.split_off(last.map_or(0, |(last, _)| last + 1))
}

/// Returns the comment lines of an entry at any depth, as the items of a row.
fn nested_comments(tree: &Tree<'_>, entry: EntryId) -> Vec<Item> {
    let comments = tree.comments_within(entry).into_iter();
    let comments = comments.map(|span| (ItemKind::Comment, span));
    let end = tree.lines_of(tree.entry(entry)).end;
    let items = comments.chain([(ItemKind::End, Span::new(end, end))]);
    items.map(|(kind, span)| item(kind, span)).collect()
}
