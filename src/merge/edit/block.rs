//! Block collections, line by line: what stays keeps its lines, and what comes is put between them.

use super::layout::starts_its_line;
use super::{Carried, Editor};
use crate::line_breaks::lines_with_breaks;
use crate::merge::decision::{Child, Chosen, Outcome, Piece, PieceKind, Row, Slot};
use crate::triple::Side;
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, Span, Tree};

impl Editor<'_> {
    /// A block map or list of which at least one entry is left. What is between the entries
    /// goes along with them.
    pub(super) fn block(&mut self, node: NodeId, owner: Entry<'_>, children: &[Child]) -> Carried {
        let is_edited = |child: &Child| {
            child.stays()
                && child.remarks().above == Default::default()
                && !child.outcome.has_choice()
        };
        let slots = children.iter().map(|child| child.slot);
        if !self.cuts_part
            && children.iter().all(is_edited)
            && slots.eq(self.target.entries(node).map(Slot::Local))
        {
            return self.edit_entries(children);
        }
        let holder = owner;
        let owner = (node != self.target.root().value).then_some(holder);
        let Some(lines) = self.target.row(node, owner) else {
            return Carried::InPlace;
        };
        let row = Row {
            span: lines.span,
            pieces: self.pieces_of(&lines, children),
            moved: 0,
        };
        self.row(holder, node, &row)
    }

    /// All entries stay, and none comes.
    fn edit_entries(&mut self, children: &[Child]) -> Carried {
        let (mut above, mut carried) = (None, Carried::InPlace);
        for child in children {
            if let Slot::Local(id) = child.slot {
                let entry = self.target.entry(id);
                if self.needs_key_sign(above.replace(child), child) {
                    let column = self.target.column(entry.span.start);
                    self.edits.insert(entry.span.start, self.key_sign(column));
                }
                if self.edit_entry(child, id) && !starts_its_line(self.target, entry) {
                    carried = Carried::Anew { blanks: 0 };
                }
            }
        }
        carried
    }

    /// Gives an entry the key that updated gave it.
    pub(super) fn key(&mut self, child: &Child, entry: Entry<'_>) {
        let key_span = |tree: &Tree<'_>, entry: Entry<'_>| entry.key.map(|key| tree.node(key).span);
        let new = child
            .key()
            .and_then(|from| key_span(self.source, self.source.entry(from)));
        if let (Some(old), Some(new)) = (key_span(self.target, entry), new) {
            self.edits
                .replace(old.start..old.end, self.source.slice(new));
        }
    }

    /// An entry of the target that stays in its place; whether its lines were put together anew.
    fn edit_entry(&mut self, child: &Child, id: EntryId) -> bool {
        let entry = self.target.entry(id);
        if child.text().is_none() && child.below().is_none() {
            self.key(child, entry);
            self.value(entry, &child.outcome, child.remarks());
            return false;
        }
        let lines = self.target.lines_of(entry);
        let mut text = self.entry_lines(child, self.target.column(entry.span.start));
        if !starts_its_line(self.target, entry) {
            text = text.trim_start_matches(' ').to_owned();
        }
        if !crate::line_breaks::ends_line(self.target.slice(lines)) {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        self.edits.replace(lines.start..lines.end, text);
        true
    }

    /// The lines of a block collection of the target, put together anew.
    pub(super) fn row(&mut self, owner: Entry<'_>, node: NodeId, row: &Row) -> Carried {
        if !self.target.is_block_collection(node) {
            self.opened_row(owner, node, row);
            return Carried::InPlace;
        }
        let Some(column) = self.column_of(node) else {
            return Carried::InPlace;
        };
        let shares_line = self.target.line_start(row.span.start) != row.span.start;
        let mut text = match row.pieces.iter().any(Piece::is_entry) {
            true => self.composed(&row.pieces, column, row.moved),
            false => self.emptied(node, &row.pieces, column),
        };
        let mut start = row.span.start;
        let mut carried = Carried::InPlace;
        if shares_line {
            let content = text.trim_start();
            if content.starts_with('#') {
                // behind the dash it would be a remark on the dash
                let line = self.target.line_start(start);
                let above = self.target.slice(Span::new(line, start)).trim_end();
                start = line + u32::try_from(above.len()).unwrap_or(0);
                text.insert_str(0, self.line_break);
                carried = Carried::Below { dash: start };
            } else {
                let dropped = &text[..text.len() - content.len()];
                let blanks = dropped.matches(self.line_break).count();
                carried = Carried::Anew { blanks };
                text = content.to_owned();
            }
        }
        let old = self.target.slice(Span::new(start, row.span.end));
        if !crate::line_breaks::ends_line(old) {
            let end = text.trim_end_matches(['\r', '\n']).len();
            text.truncate(end);
        }
        // what else was to change in these lines has changed in the pieces
        let range = start..row.span.end;
        self.edits.take_text(self.target.text(), range.clone());
        if text != old {
            self.edits.replace(range, text);
        }
        carried
    }

    /// The lines of a document that has no entry any more: brackets, and the comments above and
    /// below them.
    fn emptied(&mut self, node: NodeId, pieces: &[Piece], column: u32) -> String {
        let first = self.target.node(node).span.start;
        let theirs = self.source.node(self.source.root().value).span.start;
        let is_above = |piece: &&Piece| match &piece.kind {
            PieceKind::Comment(comment) => match comment.side {
                Side::Updated => comment.span.start < theirs,
                Side::Original | Side::Local => comment.span.start < first,
            },
            PieceKind::Entry(_) | PieceKind::Original(_) | PieceKind::End => false,
        };
        let count = pieces.iter().take_while(is_above).count();
        let (above, below) = pieces.split_at(count);
        let mut text = self.composed(above, column, 0);
        text.push_str(self.brackets(node));
        text.push_str(self.line_break);
        let below = self.composed(below, column, 0);
        text.push_str(&below);
        text
    }

    /// The first lines of a map or list that was empty, below its key.
    fn opened_row(&mut self, owner: Entry<'_>, node: NodeId, row: &Row) {
        let target = self.target;
        let Some(from) = row.pieces.iter().find_map(|piece| match &piece.kind {
            PieceKind::Entry(Child {
                slot: Slot::Updated(id),
                ..
            }) => Some(*id),
            _ => None,
        }) else {
            return;
        };
        let source = self.source;
        let collection = self.of_source.holders().collection_of(from);
        let theirs = collection
            .and_then(|node| self.of_source.holders().entry_of(node))
            .map(|owner| source.entry(owner));
        let (Some(collection), Some(theirs)) = (collection, theirs) else {
            return;
        };
        let old = source.column(theirs.span.start);
        let new = i64::from(target.column(owner.span.start));
        let written =
            new + i64::from(source.column(source.entry(from).span.start)) - i64::from(old);
        let column = self
            .reindent(source)
            .column_inside(theirs, collection, old, new);
        let text = self.composed(
            &row.pieces,
            u32::try_from(written).unwrap_or(0),
            column - written,
        );
        let span = target.node(node).span;
        let colon = owner.colon().map_or(span.start, |colon| colon + 1);
        self.edits.delete(colon..span.end);
        self.edits
            .take_text(target.text(), row.span.start..row.span.end);
        let at = row.span.start;
        let is_unfinished =
            at as usize == target.text().len() && !crate::line_breaks::ends_line(target.text());
        let line_break = if is_unfinished { self.line_break } else { "" };
        self.edits
            .replace(at..row.span.end, format!("{line_break}{text}"));
    }

    /// Whether a field with an empty key, of which only `:` and the value are written, would be
    /// taken for the value of the `? key` that it now follows, and that has none.
    pub(super) fn needs_key_sign(&self, above: Option<&Child>, child: &Child) -> bool {
        let entry_of = |child: &Child| match child.slot {
            Slot::Local(id) => self.target.entry(id),
            Slot::Updated(id) => self.source.entry(id),
        };
        let entry = entry_of(child);
        entry.colon() == Some(entry.span.start)
            && above.is_some_and(|above| match above.slot {
                Slot::Local(_) if matches!(above.outcome, Outcome::Take(_)) => false,
                Slot::Updated(id) if self.comes_from_brackets(id) => false,
                _ => entry_of(above).key.is_some() && entry_of(above).colon().is_none(),
            })
    }

    /// What says that a key begins, empty as it is.
    fn key_sign(&self, column: u32) -> String {
        format!("?{}{}", self.line_break, " ".repeat(column as usize))
    }

    /// The lines of an entry with that sign.
    pub(super) fn with_key_sign(&self, lines: &str, column: u32) -> String {
        let mut at = 0;
        for line in lines_with_breaks(lines) {
            let content = line.trim_start_matches(' ');
            if content.starts_with(':') {
                at += line.len() - content.len();
                break;
            }
            at += line.len();
        }
        let (above, rest) = lines.split_at(at);
        format!("{above}{}{rest}", self.key_sign(column))
    }

    /// The column in which the entries of a block collection start.
    pub(super) fn column_of(&self, node: NodeId) -> Option<u32> {
        let first = self.target.entries(node).next()?;
        Some(self.target.column(self.target.entry(first).span.start))
    }

    /// Whether the entries of a collection of the target begin behind a dash, and both sides of the
    /// first of the result have to be written down.
    pub(super) fn begins_with_choice(&self, node: NodeId, outcome: &Outcome) -> bool {
        let first = self.target.entries(node).next();
        let shares_line =
            first.is_some_and(|first| !starts_its_line(self.target, self.target.entry(first)));
        // where both sides have the entry, each gets the dash; a remark is the element's own
        let is_open = |child: &Child| {
            let sides = [Chosen::Local, Chosen::Updated].map(|side| child.choose(side));
            let gets_dash = sides.iter().all(Child::stays) && !child.remarks().has_choice();
            self.is_open(child) && !gets_dash
        };
        let is_open = || match outcome {
            Outcome::Row(row) => row.pieces.first().is_some_and(|piece| match &piece.kind {
                PieceKind::Entry(child) => is_open(child),
                _ => piece.has_choice(),
            }),
            _ => outcome.children().next().is_some_and(is_open),
        };
        shares_line && is_open()
    }
}

/// The block scalar that a value ends in, where it does.
pub(super) fn last_block_scalar(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    match &tree.node(node).kind {
        NodeKind::Scalar(scalar) if scalar.style.is_block() => Some(node),
        NodeKind::Mapping(_) | NodeKind::Sequence(_) => {
            let last = tree.entries(node).next_back()?;
            last_block_scalar(tree, tree.entry(last).value)
        }
        _ => None,
    }
}

/// The local entries among children, in their order.
pub(super) fn local_entries(children: &[Child]) -> impl Iterator<Item = EntryId> {
    children.iter().filter_map(|child| match child.slot {
        Slot::Local(entry) => Some(entry),
        Slot::Updated(_) => None,
    })
}
