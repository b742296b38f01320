//! Handles comment lines that local wrote at entries that upstream deleted, and comments that both
//! sides rewrote.

use std::iter::once;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::decision::{Blanks, Child, CommentPiece, Piece, PieceKind, Slot};
use crate::merge::rows::{self, CommentConflict, NumberMap, Placed};
use crate::merge::shape::{Shape, entries_of, position, shape};
use crate::merge::walk::record::Segment;
use crate::merge::walk::{Entries, Nodes, Walker};
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};
use crate::white_space::{trimmed, trimmed_end};
use crate::yaml::row::{ItemKind, Row};
use crate::yaml::{EntryId, NodeId, Span, Tree};

use super::changes::Changes;

/// The number of times that each comment line occurs in the rows of original and updated.
type CommentCounts<'t> = FxHashMap<&'t str, Triple<u32>>;

impl<'a> Walker<'a> {
    /// Records a conflict if upstream deleted an entry and local wrote comment lines inside it or
    /// right above it. They are deleted if upstream wins, and stay if local does.
    pub(super) fn with_local_comments(
        &mut self,
        rows: &Triple<Row>,
        children: &[Child],
        nodes: Nodes,
        (placed, pieces): (&[Placed], Vec<Piece>),
    ) -> Vec<Piece> {
        let is_deleted = |child: &Child| !child.stays() && matches!(child.slot, Slot::Local(_));
        if nodes.local.is_none() || !children.iter().any(is_deleted) {
            return pieces;
        }
        let mut changes = Changes::of(placed, rows);
        let counts = self.comment_counts(rows);
        let local_positions = entry_positions(&rows.local);
        let original_positions = entry_positions(&rows.original);
        for child in children.iter().filter(|child| is_deleted(child)) {
            let (Slot::Local(entry), Some(original), None) =
                (child.slot, child.sides().original, child.sides().updated)
            else {
                continue;
            };
            let Some(position) = local_positions.get(entry.number()) else {
                continue;
            };
            let position = position as usize;
            let mut inside = self.new_comments_in(original, (Side::Local, entry));
            inside.extend(self.new_remarks(once(original), (Side::Local, once(entry))));
            inside.sort_unstable_by_key(|span| span.start);
            let original_position = original_positions.get(original.number());
            let original_position = original_position.map(|at| at as usize);
            let mut above = self.local_comments_above(rows, (original_position, position), &counts);
            let known = self.lines_above(original, above.len());
            above
                .retain(|at| !known.contains(rows::uncommented(self.line(rows, Side::Local, *at))));
            let above: Vec<usize> = above
                .into_iter()
                .filter_map(|item| changes.piece_of_item.get(item as u32))
                .map(|index| index as usize)
                .collect();
            if inside.is_empty() && above.is_empty() {
                continue;
            }
            let is_above = !above.is_empty();
            self.at_entry(child.sides(), nodes, |walker| {
                walker.record_local_comments(original, entry, is_above);
            });
            let below = changes.next_piece[position] as usize;
            let pieces = (&*above, below);
            self.place_local_comments(pieces, (&inside, &rows.local), child, &mut changes);
        }
        changes.apply(pieces)
    }

    /// Decides what becomes of the comment lines that local wrote at a deleted entry: those of the
    /// merged pieces right above the entry, from bottom to top, and those inside it. `below` is the
    /// first merged piece at or below the entry.
    fn place_local_comments(
        &self,
        (above, below): (&[usize], usize),
        (inside, row): (&[Span], &Row),
        child: &Child,
        changes: &mut Changes,
    ) {
        match self.resolution() {
            Resolution::Updated => changes.removed.extend(above),
            Resolution::Markers => {
                let of_side = Some(Side::Local);
                changes.marked.extend(above);
                let lines = self.pieces_inside(inside, row, of_side);
                let original = child.sides().original.map(PieceKind::Original);
                let original = original.map(|kind| Piece {
                    blanks: Blanks::Count(0),
                    kind,
                });
                match above.first() {
                    Some(above) => {
                        changes.insert(above + 1, original);
                        changes.insert(below, lines);
                    }
                    None => changes.insert(below, lines.chain(original)),
                }
            }
            Resolution::Local | Resolution::Open => {
                changes.insert(below, self.pieces_inside(inside, row, None));
            }
        }
    }

    /// Returns the comment lines that local wrote right above an entry, from bottom to top. A
    /// comment that upstream keeps without the entry does not belong to it; neither does the line
    /// that local wrote instead of that comment.
    fn local_comments_above(
        &self,
        rows: &Triple<Row>,
        (original_position, position): (Option<usize>, usize),
        counts: &CommentCounts<'_>,
    ) -> Vec<usize> {
        let (mut local_lines, other_lines): (Vec<usize>, Vec<usize>) =
            lines_above(&rows.local, position)
                .partition(|at| !counts.contains_key(self.line(rows, Side::Local, *at)));
        if local_lines.is_empty() {
            return local_lines;
        }
        let other_lines = other_lines.into_iter();
        let other_lines: FxHashSet<&str> = other_lines
            .map(|at| self.line(rows, Side::Local, at))
            .collect();
        let original_lines = original_position.into_iter();
        let rewritten: Vec<&str> = original_lines
            .flat_map(|at| lines_above(&rows.original, at))
            .map(|at| self.line(rows, Side::Original, at))
            .filter(|line| !other_lines.contains(line))
            .collect();
        let is_kept = |line: &&str| {
            let count = counts.get(*line);
            count.is_some_and(|count| count.updated >= count.original)
        };
        if rewritten.iter().all(is_kept) {
            local_lines.truncate(local_lines.len().saturating_sub(rewritten.len()));
        }
        local_lines
    }

    /// Returns the comment lines inside a deleted entry as pieces of the row around it.
    fn pieces_inside(
        &self,
        inside: &[Span],
        row: &Row,
        of_side: Option<Side>,
    ) -> impl Iterator<Item = Piece> {
        inside.iter().map(move |span| {
            let tree = self.trees.local;
            // the span of a comment line includes its indentation
            let column = tree.column(span.start);
            let column = column + tree.comment_indent(span.start).unwrap_or(0);
            let kind = PieceKind::Comment(CommentPiece {
                side: Side::Local,
                span: *span,
                moved: row.column as i32 - column as i32,
                of_side,
            });
            let blanks = Blanks::Count(0);
            Piece { blanks, kind }
        })
    }

    /// Counts the comment lines in the rows of original and updated.
    fn comment_counts(&self, rows: &Triple<Row>) -> CommentCounts<'a> {
        let mut counts = CommentCounts::default();
        for side in [Side::Original, Side::Updated] {
            let items = rows[side].items.iter();
            for item in items.filter(|it| it.kind == ItemKind::Comment) {
                let line = trimmed(self.trees[side].slice(item.span));
                counts.entry(line).or_default()[side] += 1;
            }
        }
        counts
    }

    /// Returns the line of a comment in a row.
    fn line(&self, rows: &Triple<Row>, side: Side, at: usize) -> &'a str {
        trimmed(self.trees[side].slice(rows[side].items[at].span))
    }

    /// Whether a side wrote comments inside an entry or right above it that the original does not
    /// have there. An entry above it that the side commented out does not count.
    pub(in crate::merge::walk) fn has_new_comments(
        &self,
        original: EntryId,
        (side, entry): (Side, EntryId),
    ) -> bool {
        self.has_new_comments_above(original, (side, entry))
            || !self.new_comments_in(original, (side, entry)).is_empty()
            || !self
                .new_remarks(once(original), (side, once(entry)))
                .is_empty()
    }

    /// Whether a side wrote comments right above an entry that the original does not have there.
    pub(in crate::merge::walk) fn has_new_comments_above(
        &self,
        original: EntryId,
        (side, entry): (Side, EntryId),
    ) -> bool {
        let old = comments_above(self.trees.original, original).map(trimmed);
        let comments = comments_above(self.trees[side], entry).map(trimmed);
        if comments.clone().eq(old) {
            return false;
        }
        let known = self.lines_above(original, comments.clone().count());
        let is_known = |it| known.contains(it) || known.contains(rows::uncommented(it));
        !comments.into_iter().all(is_known)
    }

    /// Returns the comments right above an entry of the original, and the `count` lines above them.
    fn lines_above(&self, original: EntryId, count: usize) -> FxHashSet<&'a str> {
        let tree = self.trees.original;
        let above = &tree.text()[..tree.lines_of(tree.entry(original)).start as usize];
        let count = count + comments_above(tree, original).count();
        above.lines().rev().take(count).map(trimmed).collect()
    }

    /// Returns the comment lines inside an entry of a side that the original entry does not have.
    pub(in crate::merge::walk) fn new_comments_in(
        &self,
        original: EntryId,
        (side, entry): (Side, EntryId),
    ) -> Vec<Span> {
        let old = self.trees.original.comments_within(original);
        self.new_comments(old, (side, self.trees[side].comments_within(entry)))
    }

    /// Returns the inline comments of entries of a side, and of the entries inside them, that the
    /// original entries do not have.
    pub(super) fn new_remarks(
        &self,
        originals: impl Iterator<Item = EntryId>,
        (side, entries): (Side, impl Iterator<Item = EntryId>),
    ) -> Vec<Span> {
        let old = remarks(self.trees.original, originals).collect();
        self.new_comments(old, (side, remarks(self.trees[side], entries).collect()))
    }

    /// Returns those comments of a side that are not among those of the original.
    fn new_comments(&self, old: Vec<Span>, (side, mut comments): (Side, Vec<Span>)) -> Vec<Span> {
        let text = |side: Side, span| trimmed(self.trees[side].slice(span));
        let known: FxHashSet<&str> = old.into_iter().map(|it| text(Side::Original, it)).collect();
        comments.retain(|span| !known.contains(text(side, *span)));
        comments
    }

    /// Records that an entry is deleted, with comments that local wrote inside it or, with
    /// `is_above`, above it.
    pub(super) fn record_local_comments(
        &mut self,
        original: EntryId,
        local: EntryId,
        is_above: bool,
    ) {
        let text = |side: Side, entry| {
            let (tree, entry) = (self.trees[side], self.trees[side].entry(entry));
            let lines = tree.lines_of(entry);
            let start = match is_above {
                true => tree.comments_above(entry).start,
                false => lines.start,
            };
            Some(trimmed_end(tree.slice(Span::new(start, lines.end))))
        };
        let values = Triple::new(
            text(Side::Original, original),
            None,
            text(Side::Local, local),
        );
        let (kind, resolution) = (ConflictKind::DeletedUpstream, self.resolution());
        self.record_lines(kind, None, &values, resolution);
    }

    /// Records that both sides rewrote a comment. The path is that of the entry below the comment.
    pub(super) fn record_comment_conflict(
        &mut self,
        (rows, ids): (&Triple<Row>, &Triple<NumberMap>),
        comment_conflict: &CommentConflict,
        children: &[Child],
        nodes: Nodes,
    ) {
        let values = Side::ALL.map(|side| {
            let lines = comment_conflict.on(side);
            let lines: Vec<&str> = lines.map(|at| self.line(rows, side, at)).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        });
        let (kind, resolution) = rows::lines_kind(&values, self.resolution());
        let first = comment_conflict.on(Side::Local).next();
        let offset = first.map(|at| rows.local.items[at].span.start);
        let record = |walker: &mut Self| walker.record_lines(kind, offset, &values, resolution);
        match entry_below((rows, ids), comment_conflict, children) {
            Some(sides) => self.at_entry(sides, nodes, record),
            None => record(self),
        }
    }

    /// Runs `operation` with the path extended by an entry of a collection; with the path as it is
    /// if that leads to the entry already. Local may lack the element of a list without a key: then
    /// its position is unknown, and the path stays.
    fn at_entry(&mut self, sides: Entries, nodes: Nodes, operation: impl FnOnce(&mut Self)) {
        if self.steps.last().is_some_and(|step| step.entries == sides) {
            return operation(self);
        }
        let tree = self.trees.local;
        let is_list = |list: &NodeId| shape(tree, *list) == Shape::List;
        let segment = match nodes.local.filter(is_list) {
            None => Some(Segment::Field),
            Some(list) => match self.pairing_key(nodes) {
                Some(key) => Some(Segment::Element(key)),
                None => sides
                    .local
                    .map(|it| Segment::Index(position(entries_of(tree, list), it))),
            },
        };
        match segment {
            Some(segment) => self.at(segment, sides, operation),
            None => operation(self),
        }
    }
}

/// Returns the comment lines right above an entry.
fn comments_above<'t>(tree: &Tree<'t>, entry: EntryId) -> std::str::Lines<'t> {
    tree.slice(tree.comments_above(tree.entry(entry))).lines()
}

/// Returns the entry below these lines, on local or else on updated.
fn entry_below(
    (rows, ids): (&Triple<Row>, &Triple<NumberMap>),
    lines: &CommentConflict,
    children: &[Child],
) -> Option<Entries> {
    let below = |side: Side| {
        let (_, entry) = rows[side].entries_from(lines.on(side).last()? + 1).next()?;
        ids[side].get(entry.number())
    };
    let number = below(Side::Local).or_else(|| below(Side::Updated))?;
    children.get(number as usize).map(Child::sides)
}

/// Returns the inline comments of entries and of all entries inside them.
fn remarks(tree: &Tree<'_>, entries: impl Iterator<Item = EntryId>) -> impl Iterator<Item = Span> {
    let entries = entries.flat_map(|id| tree.entries_within(tree.entry(id)));
    let inline = entries.flat_map(|entry| [entry.comments().line, entry.comments().tail]);
    inline.filter(|span| !span.is_empty())
}

/// Returns the position of each entry in a row.
fn entry_positions(row: &Row) -> NumberMap {
    let entries = row
        .entries_from(0)
        .map(|(at, entry)| (entry.number(), at as u32));
    NumberMap::of(entries)
}

/// Returns the comment lines right above an item of a row, from bottom to top.
fn lines_above(row: &Row, at: usize) -> impl Iterator<Item = usize> {
    let comments = (0..at).rev();
    let comments = comments.take_while(|index| row.items[*index].kind == ItemKind::Comment);
    comments.take_while(|index| row.items[*index + 1].blanks == 0)
}
