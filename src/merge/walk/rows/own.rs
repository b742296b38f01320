//! Comment lines that local wrote itself, where upstream removed what they are about or rewrote
//! them too.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::decision::{Blanks, Child, CommentPiece, Piece, PieceKind, Slot};
use crate::merge::rows::{self, Disagreement};
use crate::merge::walk::record::{Segment, Step};
use crate::merge::walk::{Entries, Nodes, Shape, Walker, entries_of, position, shape};
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};
use crate::yaml::row::{ItemKind, Row};
use crate::yaml::{EntryId, Span, Tree};

use super::changes::{Changes, Placed};
use crate::merge::rows::Numbered;

/// Local's own comment lines at an entry that goes.
struct OwnLines {
    /// Where the entry is in local's row.
    at: usize,
    /// Where those right above it are placed, the last one first.
    above: Vec<usize>,
    within: Vec<Span>,
}

/// How often the rows of original and updated have each comment line.
type Known = FxHashMap<String, (usize, usize)>;

impl Walker<'_> {
    /// Where upstream removed an entry, comment lines that local itself wrote in it or right above
    /// it are a conflict: they go with the entry where upstream wins, and stay where local does.
    pub(super) fn with_own_lines(
        &mut self,
        rows: &Triple<Row>,
        children: &[Child],
        nodes: Nodes,
        placed: Placed,
    ) -> Vec<Piece> {
        let goes = |child: &Child| !child.stays() && matches!(child.slot, Slot::Local(_));
        if nodes.local.is_none() || !children.iter().any(goes) {
            return placed.into_iter().map(|(_, piece)| piece).collect();
        }
        let mut changes = Changes::of(&placed, &rows.local);
        let known = self.comments_of_others(rows);
        let (places, old_places) = (places(&rows.local), places(&rows.original));
        for child in children.iter().filter(|child| goes(child)) {
            let (Slot::Local(entry), Some(original), None) =
                (child.slot, child.sides().original, child.sides().updated)
            else {
                continue;
            };
            let Some(at) = places.get(&entry).copied() else {
                continue;
            };
            let own = self.own_lines(original, entry);
            let before = old_places.get(&original).copied();
            let above = self.own_lines_above(rows, (before, at), &known);
            let above: Vec<usize> = above
                .into_iter()
                .filter_map(|index| changes.place_of(index))
                .collect();
            if own.is_empty() && above.is_empty() && !self.has_own_remarks(original, entry) {
                continue;
            }
            let is_above = !above.is_empty();
            match self.step_to(child.sides(), nodes) {
                Some(step) => self.at(step, |walker| {
                    walker.record_own_lines(original, entry, is_above);
                }),
                None => self.record_own_lines(original, entry, is_above),
            }
            let own = OwnLines {
                at,
                above,
                within: own,
            };
            self.place_own_lines(&own, &rows.local, child, &mut changes);
        }
        changes.made_in(placed)
    }

    /// What becomes of local's own comment lines at an entry that goes.
    fn place_own_lines(&self, own: &OwnLines, row: &Row, child: &Child, changes: &mut Changes) {
        let below = changes.first_below(own.at);
        match self.resolution() {
            Resolution::Updated => changes.take_out(&own.above),
            Resolution::Markers => {
                let of_side = Some(Side::Local);
                changes.mark(&own.above, Side::Local);
                let lines = self.lines_within(own, row, of_side);
                let original = child.sides().original.map(PieceKind::Original);
                let original = original.map(|kind| Piece {
                    blanks: Blanks::Count(0),
                    kind,
                });
                match own.above.first() {
                    Some(above) => {
                        changes.insert(above + 1, original);
                        changes.insert(below, lines);
                    }
                    None => changes.insert(below, lines.chain(original)),
                }
            }
            Resolution::Local | Resolution::Open => {
                changes.insert(below, self.lines_within(own, row, None));
            }
        }
    }

    /// Local's own comment lines right above an entry, the last one first. A comment that upstream
    /// keeps without the entry is not the entry's: a line that local put in its place is not, too.
    fn own_lines_above(
        &self,
        rows: &Triple<Row>,
        (before, at): (Option<usize>, usize),
        known: &Known,
    ) -> Vec<usize> {
        let (old, new) = (self.trees.original, self.trees.local);
        let (mut own, others): (Vec<usize>, Vec<usize>) =
            lines_above(&rows.local, at).partition(|index| {
                let line = new.slice(rows.local.items[*index].span);
                !known.contains_key(line.trim())
            });
        if own.is_empty() {
            return own;
        }
        let others: FxHashSet<&str> = others
            .into_iter()
            .map(|index| new.slice(rows.local.items[index].span).trim())
            .collect();
        let before = before
            .into_iter()
            .flat_map(|at| lines_above(&rows.original, at));
        let rewritten: Vec<&str> = before
            .map(|index| old.slice(rows.original.items[index].span).trim())
            .filter(|line| !others.contains(line))
            .collect();
        let is_kept = |line: &&str| known.get(*line).is_some_and(|(old, new)| new >= old);
        if rewritten.iter().all(is_kept) {
            own.truncate(own.len().saturating_sub(rewritten.len()));
        }
        own
    }

    /// The comment lines in an entry that goes, as lines of the row that it is in.
    fn lines_within(
        &self,
        own: &OwnLines,
        row: &Row,
        of_side: Option<Side>,
    ) -> impl Iterator<Item = Piece> {
        own.within.iter().map(move |span| {
            let line = self.trees.local.slice(*span);
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let kind = PieceKind::Comment(CommentPiece {
                side: Side::Local,
                span: *span,
                moved: i64::from(row.column) - indent as i64,
                of_side,
            });
            let blanks = Blanks::Count(0);
            Piece { blanks, kind }
        })
    }

    fn comments_of_others(&self, rows: &Triple<Row>) -> Known {
        let mut known = Known::default();
        for (tree, row, is_original) in [
            (self.trees.original, &rows.original, true),
            (self.trees.updated, &rows.updated, false),
        ] {
            for item in row.items.iter().filter(|it| it.kind == ItemKind::Comment) {
                let line = tree.slice(item.span).trim().to_owned();
                let (original, updated) = known.entry(line).or_default();
                *if is_original { original } else { updated } += 1;
            }
        }
        known
    }

    /// The comment lines in a local entry that the original has not got there.
    pub(super) fn own_lines(&self, original: EntryId, local: EntryId) -> Vec<Span> {
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
        let (old, new) = (self.trees.original, self.trees.local);
        has_others(
            remarks(old, std::iter::once(original)),
            remarks(new, std::iter::once(local)),
        )
    }

    /// The same of what the entry's value holds.
    pub(super) fn has_own_remarks_within(&self, original: EntryId, local: EntryId) -> bool {
        let (old, new) = (self.trees.original, self.trees.local);
        has_others(
            remarks(old, old.entries(old.entry(original).value)),
            remarks(new, new.entries(new.entry(local).value)),
        )
    }

    /// Records that an entry goes in which local wrote comments, or above which it did.
    pub(super) fn record_own_lines(&mut self, original: EntryId, local: EntryId, is_above: bool) {
        let text = |tree: &Tree<'_>, entry| {
            let entry = tree.entry(entry);
            let lines = tree.lines_of(entry);
            let start = match is_above {
                true => tree.comments_above(entry).start,
                false => lines.start,
            };
            Some(tree.slice(Span::new(start, lines.end)).trim_end().into())
        };
        let values = Triple::new(
            text(self.trees.original, original),
            None,
            text(self.trees.local, local),
        );
        self.record_lines(
            ConflictKind::DeletedUpstream,
            None,
            values,
            self.resolution(),
        );
    }

    /// Records that both sides rewrote a comment, at the entry that is below it.
    pub(super) fn record_disagreement(
        &mut self,
        (rows, ids): (&Triple<Row>, &Triple<Numbered>),
        disagreement: &Disagreement,
        children: &[Child],
        nodes: Nodes,
    ) {
        let text = |tree: &Tree<'_>, row: &Row, lines: &[usize]| {
            let lines: Vec<&str> = lines
                .iter()
                .map(|at| tree.slice(row.items[*at].span).trim())
                .collect();
            (!lines.is_empty()).then(|| lines.join("\n").into())
        };
        let lines = &disagreement.lines;
        let trees = self.trees;
        let values = Triple::new(
            text(trees.original, &rows.original, &lines.original),
            text(trees.updated, &rows.updated, &lines.updated),
            text(trees.local, &rows.local, &lines.local),
        );
        let (kind, resolution) = rows::lines_kind(&values, self.resolution());
        let first = lines.local.first();
        let offset = first.map(|at| rows.local.items[*at].span.start);
        match self.step_below((rows, ids), lines, children, nodes) {
            Some(step) => self.at(step, |walker| {
                walker.record_lines(kind, offset, values, resolution);
            }),
            None => self.record_lines(kind, offset, values, resolution),
        }
    }

    /// The step to the entry that is below these lines on the first side that has any.
    fn step_below(
        &self,
        (rows, ids): (&Triple<Row>, &Triple<Numbered>),
        lines: &Triple<Vec<usize>>,
        children: &[Child],
        nodes: Nodes,
    ) -> Option<Step> {
        let below = |row: &Row, lines: &[usize]| {
            let items = row.items.get(lines.last()? + 1..)?.iter();
            let mut entries = items.filter_map(|item| match item.kind {
                ItemKind::Entry(entry) => Some(entry),
                ItemKind::Comment | ItemKind::End => None,
            });
            entries.next()
        };
        let local = below(&rows.local, &lines.local);
        let updated = below(&rows.updated, &lines.updated);
        let number = match (local, updated) {
            (Some(local), _) => ids.local.get(local.number()),
            (None, Some(updated)) => ids.updated.get(updated.number()),
            (None, None) => None,
        };
        let child = children.get(number? as usize)?;
        self.step_to(child.sides(), nodes)
    }

    /// The step to an entry of a collection.
    fn step_to(&self, sides: Entries, nodes: Nodes) -> Option<Step> {
        let list = nodes
            .local
            .filter(|list| shape(self.trees.local, *list) == Shape::List);
        let Some(list) = list else {
            return Some(Step {
                segment: Segment::Field,
                entries: sides,
            });
        };
        if let Some(key) = self.pairing_key(nodes) {
            return Some(self.keyed_step(&key, sides));
        }
        let index = position(entries_of(self.trees.local, list), sides.local?);
        Some(self.indexed_step(sides, index))
    }
}

/// The remarks of entries, and of those in them.
fn remarks<'t>(tree: &Tree<'t>, entries: impl Iterator<Item = EntryId>) -> Vec<&'t str> {
    let mut found = Vec::new();
    for id in entries {
        let entry = tree.entry(id);
        let comments = entry.comments();
        let own = [comments.line, comments.tail].into_iter();
        let own = own.filter(|span| !span.is_empty());
        found.extend(own.map(|span| tree.slice(span).trim()));
        found.extend(remarks(tree, tree.entries(entry.value)));
    }
    found
}

fn has_others(old: Vec<&str>, new: Vec<&str>) -> bool {
    new.iter().any(|remark| !old.contains(remark))
}

/// Where each entry is in a row.
fn places(row: &Row) -> FxHashMap<EntryId, usize> {
    let items = row.items.iter().enumerate();
    let places = items.filter_map(|(at, item)| match item.kind {
        ItemKind::Entry(entry) => Some((entry, at)),
        ItemKind::Comment | ItemKind::End => None,
    });
    places.collect()
}

/// The comment lines of a row right above one of its items, the last one first.
fn lines_above(row: &Row, at: usize) -> impl Iterator<Item = usize> {
    let comments = (0..at).rev();
    let comments = comments.take_while(|index| row.items[*index].kind == ItemKind::Comment);
    comments.take_while(|index| row.items[*index + 1].blanks == 0)
}
