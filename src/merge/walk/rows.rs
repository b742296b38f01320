//! What stands between the entries of a block collection: its three rows, merged.

use rustc_hash::{FxHashMap, FxHashSet};

use super::record::{Segment, Step};
use super::{Entries, Nodes, Shape, Walker, shape};
use crate::merge::decision::{
    Blanks, Child, CommentPiece, Outcome, Piece, PieceKind, Row as MergedLines, Slot,
};
use crate::merge::rows::{self, Disagreement, MergedRow, Placed, Ref, Side, Token, TokenKind};
use crate::merge::{ConflictKind, Resolution};
use crate::triple::Triple;
use crate::yaml::row::{Item, ItemKind, Row};
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

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
        if nodes
            .local
            .is_some_and(|local| shape(self.trees.local, local) == Shape::List)
        {
            pieces = in_order(pieces, children);
        }
        let row = MergedLines {
            span: rows.local.span,
            moved: self.width_change(&rows, nodes, owners),
            pieces,
        };
        Some(Outcome::Row(Box::new(row)))
    }

    /// The comment lines below an entry of local whose value is no block collection, or becomes none; none where they stay.
    pub(super) fn merged_below(&mut self, sides: Entries, outcome: &Outcome) -> Option<Vec<Piece>> {
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
            self.record_own_lines(original, local);
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
            // nothing comes that brings its comments along: the lines between the entries that go are all there is
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
        Some(pieces)
    }

    /// An empty local map or list below a key that gets lines of its own: its first entries, and the comments around them.
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
        let comes = children.iter().any(Child::stays);
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

    /// The entries whose values the collections are; those of the documents have none. None where the walk is elsewhere.
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

    /// The row of a side: of a value that is no block collection its entries, and the comments around it.
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
            self.record_disagreement(rows, &disagreement);
        }
        let mut placed: Vec<(Option<Ref>, Piece)> = pieces
            .into_iter()
            .map(|placed| (Some(placed.piece), piece(rows, &ids, children, placed)))
            .collect();
        if nodes.local.is_some() {
            self.keep_own_lines(rows, children, &mut placed);
        }
        placed.into_iter().map(|(_, piece)| piece).collect()
    }

    /// Where upstream removed an entry, comment lines that local itself wrote in it or right above it are a conflict: they go with the
    /// entry where upstream wins, and stay where local does.
    fn keep_own_lines(
        &mut self,
        rows: &Triple<Row>,
        children: &[Child],
        placed: &mut Vec<(Option<Ref>, Piece)>,
    ) {
        let goes = |child: &Child| !child.stays() && matches!(child.slot, Slot::Local(_));
        if !children.iter().any(goes) {
            return;
        }
        let known = self.comments_of_others(rows);
        let items = rows.local.items.iter().enumerate();
        let places: FxHashMap<EntryId, usize> = items
            .filter_map(|(at, item)| match item.kind {
                ItemKind::Entry(entry) => Some((entry, at)),
                ItemKind::Comment | ItemKind::End => None,
            })
            .collect();
        for child in children {
            let (Slot::Local(entry), false, Some(original), None) = (
                child.slot,
                child.stays(),
                child.sides.original,
                child.sides.updated,
            ) else {
                continue;
            };
            let Some(at) = places.get(&entry).copied() else {
                continue;
            };
            let is_placed = |index: usize, placed: &[(Option<Ref>, Piece)]| {
                let piece = Ref {
                    side: Side::Local,
                    at: index,
                };
                placed.iter().position(|(of, _)| *of == Some(piece))
            };
            let own = self.own_lines(original, entry);
            let remarks = self.has_own_remarks(original, entry);
            let above: Vec<usize> = (0..at)
                .rev()
                .take_while(|index| rows.local.items[*index].kind == ItemKind::Comment)
                .take_while(|index| rows.local.items[*index + 1].blanks == 0)
                .filter(|index| {
                    let line = self.trees.local.slice(rows.local.items[*index].span);
                    !known.contains(line.trim())
                })
                .filter_map(|index| is_placed(index, placed))
                .collect();
            if own.is_empty() && above.is_empty() && !remarks {
                continue;
            }
            let resolution = self.resolution();
            let step = Step {
                segment: Segment::Field,
                entries: child.sides,
            };
            self.at(step, |walker| walker.record_own_lines(original, entry));
            let of_side = (resolution == Resolution::Markers).then_some(Side::Local);
            for index in above {
                match (&mut placed[index].1.kind, resolution) {
                    (_, Resolution::Updated) => {
                        // the positions are in falling order
                        let (_, gone) = placed.remove(index);
                        let is_below_comment = index.checked_sub(1).is_some_and(|above| {
                            matches!(placed[above].1.kind, PieceKind::Comment(_))
                        });
                        // a comment that was set off from it stays set off
                        if let Some((_, next)) = placed.get_mut(index)
                            && is_below_comment
                            && next.blanks.is_none()
                        {
                            next.blanks = gone.blanks;
                        }
                    }
                    (PieceKind::Comment(comment), _) => comment.of_side = of_side,
                    _ => {}
                }
            }
            if resolution == Resolution::Updated {
                continue;
            }
            let place = (at..rows.local.items.len())
                .find_map(|index| is_placed(index, placed))
                .unwrap_or(placed.len());
            let pieces = own.into_iter().map(|span| {
                let line = self.trees.local.slice(span);
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                let kind = PieceKind::Comment(CommentPiece {
                    side: Side::Local,
                    span,
                    moved: i64::from(rows.local.column) - indent as i64,
                    of_side,
                });
                let blanks = Blanks::Count(0);
                (None, Piece { blanks, kind })
            });
            placed.splice(place..place, pieces);
        }
    }

    /// The comments of original and updated in these rows.
    fn comments_of_others(&self, rows: &Triple<Row>) -> FxHashSet<String> {
        let sides = [
            (self.trees.original, &rows.original),
            (self.trees.updated, &rows.updated),
        ];
        let lines = sides.into_iter().flat_map(|(tree, row)| {
            let comments = row.items.iter().filter(|it| it.kind == ItemKind::Comment);
            comments.map(|item| tree.slice(item.span).trim().to_owned())
        });
        lines.collect()
    }

    /// The comment lines in a local entry that the original has not got there.
    fn own_lines(&self, original: EntryId, local: EntryId) -> Vec<Span> {
        let (old, new) = (self.trees.original, self.trees.local);
        let known: FxHashSet<&str> = old
            .comments_within(original)
            .into_iter()
            .map(|span| old.slice(span).trim())
            .collect();
        let mut own = new.comments_within(local);
        own.retain(|span| !known.contains(new.slice(*span).trim()));
        own
    }

    /// Whether there is a remark in a local entry that the original has not got there.
    fn has_own_remarks(&self, original: EntryId, local: EntryId) -> bool {
        fn remarks<'t>(tree: &Tree<'t>, entry: EntryId, found: &mut Vec<&'t str>) {
            let entry = tree.entry(entry);
            let comments = entry.comments();
            for span in [comments.line, comments.tail] {
                if !span.is_empty() {
                    found.push(tree.slice(span).trim());
                }
            }
            for below in tree.entries(entry.value) {
                remarks(tree, below, found);
            }
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        remarks(self.trees.original, original, &mut old);
        remarks(self.trees.local, local, &mut new);
        new.iter().any(|remark| !old.contains(remark))
    }

    fn record_own_lines(&mut self, original: EntryId, local: EntryId) {
        let text = |tree: &Tree<'_>, entry| {
            let lines = tree.lines_of(tree.entry(entry));
            Some(tree.slice(lines).trim_end().to_owned())
        };
        let values = Triple::new(
            text(self.trees.original, original),
            None,
            text(self.trees.local, local),
        );
        self.record_lines(ConflictKind::DeletedUpstream, values, self.resolution());
    }

    fn record_disagreement(&mut self, rows: &Triple<Row>, disagreement: &Disagreement) {
        let text = |tree: &Tree<'_>, row: &Row, lines: &[usize]| {
            let lines: Vec<&str> = lines
                .iter()
                .map(|at| tree.slice(row.items[*at].span).trim())
                .collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let lines = &disagreement.lines;
        let trees = self.trees;
        let values = Triple::new(
            text(trees.original, &rows.original, &lines.original),
            text(trees.updated, &rows.updated, &lines.updated),
            text(trees.local, &rows.local, &lines.local),
        );
        let (kind, resolution) = rows::lines_kind(&values, self.resolution());
        self.record_lines(kind, values, resolution);
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

/// Whether two rows have the same comments, blank lines and column, between entries of the same keys.
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
                    let written = |tree: &Tree<'_>, key: Option<NodeId>| {
                        key.map(|key| tree.slice(tree.node(key).span).to_owned())
                    };
                    written(left_tree, a.key) == written(right_tree, b.key)
                }
                (a, b) => a == b,
            };
            is_same && a.blanks == b.blanks
        })
}

/// The number of each entry of the three rows: that of its child; one that those of the same key or text share where it is in none.
fn numbers(
    trees: Triple<&Tree<'_>>,
    rows: &Triple<Row>,
    children: &[Child],
) -> Triple<FxHashMap<EntryId, u32>> {
    let mut others: FxHashMap<String, u32> = FxHashMap::default();
    let mut of_side = |tree: &Tree<'_>, row: &Row, entry_of: fn(&Entries) -> Option<EntryId>| {
        let mut numbers: FxHashMap<EntryId, u32> = FxHashMap::default();
        for (number, child) in children.iter().enumerate() {
            if let Some(entry) = entry_of(&child.sides) {
                numbers.entry(entry).or_insert(number as u32);
            }
        }
        let mut seen = FxHashSet::default();
        for item in &row.items {
            let ItemKind::Entry(id) = item.kind else {
                continue;
            };
            if numbers.contains_key(&id) {
                continue;
            }
            let entry = tree.entry(id);
            let mut name = match entry.key {
                Some(key) => tree.slice(tree.node(key).span).to_owned(),
                None => tree.slice(entry.span).to_owned(),
            };
            while !seen.insert(name.clone()) {
                name.push('\0');
            }
            let next = (children.len() + others.len()) as u32;
            numbers.insert(id, *others.entry(name).or_insert(next));
        }
        numbers
    };
    Triple::new(
        of_side(trees.original, &rows.original, |sides| sides.original),
        of_side(trees.updated, &rows.updated, |sides| sides.updated),
        of_side(trees.local, &rows.local, |sides| sides.local),
    )
}

fn tokens_of<'s>(tree: &Tree<'s>, row: &Row, numbers: &FxHashMap<EntryId, u32>) -> Vec<Token<'s>> {
    let tokens = row.items.iter().map(|item| Token {
        kind: match item.kind {
            ItemKind::Comment => {
                TokenKind::Comment(tree.slice(item.span).trim_end_matches(['\r', '\n']))
            }
            ItemKind::Entry(entry) => {
                TokenKind::Entry(numbers.get(&entry).copied().unwrap_or(u32::MAX))
            }
            ItemKind::End => TokenKind::End,
        },
        blanks: item.blanks,
    });
    tokens.collect()
}

/// A piece of the merged row as a decision.
fn piece(
    rows: &Triple<Row>,
    ids: &Triple<FxHashMap<EntryId, u32>>,
    children: &[Child],
    placed: Placed,
) -> Piece {
    let side = placed.piece.side;
    let (row, numbers) = match side {
        Side::Original => (&rows.original, &ids.original),
        Side::Updated => (&rows.updated, &ids.updated),
        Side::Local => (&rows.local, &ids.local),
    };
    let item = &row.items[placed.piece.at];
    let child = |entry: EntryId| {
        let number = numbers.get(&entry)?;
        children.get(*number as usize).cloned()
    };
    let kind = match item.kind {
        ItemKind::Entry(entry) => child(entry).map_or(PieceKind::End, PieceKind::Entry),
        ItemKind::End => PieceKind::End,
        ItemKind::Comment => PieceKind::Comment(CommentPiece {
            side,
            span: item.span,
            moved: match side {
                Side::Updated => i64::from(rows.local.column) - i64::from(rows.updated.column),
                Side::Original | Side::Local => 0,
            },
            of_side: placed.of_side,
        }),
    };
    let blanks = match placed.blanks {
        Some(Ref {
            side: Side::Local,
            at,
        }) => Blanks::Local(rows.local.items[at].blank),
        Some(Ref { side, at }) => {
            let row = match side {
                Side::Original => &rows.original,
                _ => &rows.updated,
            };
            Blanks::Count(row.items[at].blanks)
        }
        None => Blanks::Count(0),
    };
    Piece { blanks, kind }
}

/// The pieces with their entries in the order of these children; what is above an entry goes with it.
fn in_order(pieces: Vec<Piece>, children: &[Child]) -> Vec<Piece> {
    let slot = |piece: &Piece| match &piece.kind {
        PieceKind::Entry(child) => Some(child.slot),
        PieceKind::Comment(_) | PieceKind::End => None,
    };
    let wanted = children.iter().filter(|child| child.stays());
    let wanted: Vec<Slot> = wanted.map(|child| child.slot).collect();
    if pieces.iter().filter_map(slot).eq(wanted.iter().copied()) {
        return pieces;
    }
    let mut groups: FxHashMap<Slot, Vec<Piece>> = FxHashMap::default();
    let mut open = Vec::new();
    for piece in pieces {
        let end = slot(&piece);
        open.push(piece);
        if let Some(slot) = end {
            groups.insert(slot, std::mem::take(&mut open));
        }
    }
    let mut ordered: Vec<Piece> = wanted
        .into_iter()
        .filter_map(|slot| groups.remove(&slot))
        .flatten()
        .collect();
    ordered.append(&mut open);
    ordered
}
