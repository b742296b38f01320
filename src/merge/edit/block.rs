//! Edits block collections: entries that stay keep their lines, and new ones come between them.
//!
//! If no entry comes, goes or moves, each entry is edited in its place. Else the lines of the whole
//! collection are written anew by `compose`.

use std::borrow::Borrow;

use super::Editor;
use super::draft::shifted;
use super::layout::{end_of_indicator, is_blank, starts_its_line};
use super::to_flow;
use crate::line_breaks::{ends_line, lines_with_breaks};
use crate::merge::decision::{
    Child, CommentChoice, CommentPiece, Extras, Outcome, Piece, PieceKind, Remarks, Row, RowLines,
    Slot, keeps_entries,
};
use crate::triple::Side;
use crate::white_space::{trimmed, trimmed_start};
use crate::yaml::{Entry, EntryId, Node, NodeId, Span, Tree};

impl Editor<'_> {
    /// Edits a block map or list of which at least one entry is left. Comments and blank lines
    /// between the entries follow them.
    pub(super) fn edit_block(
        &mut self,
        node: NodeId,
        owner: Entry<'_>,
        children: &[Child],
        remarks: Remarks,
    ) {
        let is_edited = |child: &Child| {
            child.extras().remarks.above == CommentChoice::Local
                && !child.outcome().has_open_conflict()
        };
        if !self.cuts_part
            && keeps_entries(self.target, node, children)
            && children.iter().all(is_edited)
        {
            for child in children {
                if let Slot::Local(id) = child.slot {
                    self.edit_in_place(id, child);
                }
            }
            return self.edit_comments(owner, remarks);
        }
        let parent = (node != self.target.root().value).then_some(owner);
        if let Some(lines) = self.target.row(node, parent) {
            let row = Row {
                span: lines.span,
                children,
                pieces: self.pieces_of(&lines, children),
                moved: 0,
            };
            self.rewrite_row(owner, node, &row, remarks);
        }
    }

    /// Edits the key, the anchor, the tag, the value and the remarks of an entry of the target that
    /// stays.
    pub(super) fn edit_entry(&mut self, id: EntryId, child: &Child, remarks: Remarks) {
        let entry = self.target.entry(id);
        if let Some(from) = child.extras().key.map(|from| self.source.entry(from)) {
            self.edit_key_line(entry, from, child, remarks);
        }
        let Extras { anchor, tag, .. } = *child.extras();
        if let Some(from) = anchor {
            self.put_property(entry, from, |node| node.anchor());
        }
        if let Some(from) = tag {
            self.put_property(entry, from, |node| node.tag());
        }
        if anchor.or(tag).is_some() {
            self.move_below_dash(entry);
        }
        self.edit_value(entry, child.outcome(), remarks);
    }

    /// Gives the value of an entry the anchor or the tag of a value of the source, on the line of
    /// its key or dash, or none if that value has none.
    fn put_property(
        &mut self,
        entry: Entry<'_>,
        from: EntryId,
        property: impl Fn(&Node<'_>) -> Option<Span>,
    ) {
        let own = property(&self.target.node(entry.value));
        let new = property(&self.source.node(self.source.entry(from).value));
        match (own, new.map(|new| self.source.slice(new))) {
            (Some(own), Some(new)) => self.edits.replace(own, new),
            (Some(own), None) => self
                .edits
                .delete(self.before_white_space(own.start)..own.end),
            (None, Some(new)) => {
                let at = end_of_indicator(self.target, entry);
                self.edits.insert(at, format!(" {new}"));
            }
            (None, None) => {}
        }
    }

    /// Moves a block collection that begins on the line of its dash to the next line, so that an
    /// anchor or a tag has room behind the dash.
    fn move_below_dash(&mut self, entry: Entry<'_>) {
        let start = self.target.node(entry.value).span.start;
        let is_on_own_line = || self.target.start_of_indent(start).is_some();
        if self.target.is_block_collection(entry.value) && !is_on_own_line() {
            let indent = " ".repeat(self.target.column(start) as usize);
            let white_space = self.target.white_space_before(start);
            self.moved_below_dash.insert(entry.value);
            self.edits
                .replace(white_space, format!("{}{indent}", self.line_break));
        }
    }

    /// Replaces the key of an entry, and the white space behind its colon, by the source's.
    fn edit_key_line(
        &mut self,
        entry: Entry<'_>,
        from: Entry<'_>,
        child: &Child,
        remarks: Remarks,
    ) {
        let spans = (
            self.target.span_to_colon(entry),
            self.source.span_to_colon(from),
        );
        if let (Some(old), Some(new)) = spans {
            let text = match from.key.filter(|_| self.flow.is_some()) {
                Some(key) => to_flow::text(self.source, key, self.is_json()),
                None => self.source.slice(new).to_owned(),
            };
            // in a resource, `true` is the same key as `"true"`, and only the latter is JSON
            if !self.is_json() || text.starts_with('"') || !self.target.is_resource() {
                self.edits.replace(old, text);
            }
        }
        let stays = *child.outcome() == Outcome::Keep || child.outcome().is_merge();
        if stays
            && remarks.line == CommentChoice::Local
            && let Some(old) = self.target.white_space_behind_key(entry)
            && let Some(new) = self.source.white_space_behind_key(from)
            && self.fits_behind_key((self.target, old), (self.source, new))
        {
            self.edits.replace(old, self.source.slice(new));
        }
    }

    /// Whether white space behind a key can replace other white space there: both are at the end of
    /// a line, or both are in front of a value. In block style a space has to separate the value.
    fn fits_behind_key(
        &self,
        (target, old): (&Tree<'_>, Span),
        (source, new): (&Tree<'_>, Span),
    ) -> bool {
        let is_at_end = target.is_line_end(old.end);
        let is_separate = is_at_end || self.flow.is_some() || !source.slice(new).is_empty();
        is_at_end == source.is_line_end(new.end) && is_separate
    }

    /// Edits an entry of a block collection that stays in its place.
    fn edit_in_place(&mut self, id: EntryId, child: &Child) {
        if child.text().is_none() && child.extras().value_comments.is_none() {
            return self.edit_entry(id, child, child.extras().remarks);
        }
        let entry = self.target.entry(id);
        let mut text = self.entry_lines(child, self.target.column(entry.span.start));
        if !starts_its_line(self.target, entry) {
            text = text.trim_start_matches(' ').to_owned();
        }
        self.rewrite_lines(self.target.lines_of(entry), text);
    }

    /// Replaces lines of the target.
    fn rewrite_lines(&mut self, lines: Span, mut text: String) {
        let old = self.target.slice(lines);
        if !ends_line(old) {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        if text != old {
            self.edits.replace(lines, text);
        }
    }

    /// Writes the lines of a block collection of the target anew, and edits the remarks of its
    /// entry.
    pub(super) fn rewrite_row<C: Borrow<[Child]>>(
        &mut self,
        owner: Entry<'_>,
        node: NodeId,
        row: &Row<C>,
        mut remarks: Remarks,
    ) {
        if !self.target.is_block_collection(node) {
            self.fill_empty_collection(owner, node, row);
            return self.edit_comments(owner, remarks);
        }
        let column = self.target.column(self.target.node(node).span.start);
        let mut text = match row.pieces.iter().any(Piece::is_entry) {
            true => self.composed(row.lines(), column, row.moved),
            false => self.emptied_document(node, row.lines(), column),
        };
        let mut lines = row.span;
        if self.target.line_start(lines.start) != lines.start {
            let remark = self.new_line_comment(owner, remarks);
            let dashes = Span::new(self.target.line_start(lines.start), lines.start);
            let own_comments = comments_at_start(&row.pieces, &text, Side::Local);
            if self.moved_below_dash.contains(&node) {
                if let Some(remark) = remark {
                    self.edits
                        .insert(self.before_white_space(lines.start), remark);
                    remarks.line = CommentChoice::Local;
                }
                text = trimmed_start(&text).to_owned();
            } else if !own_comments.is_empty()
                && remark.is_none()
                && is_dashes(self.target.slice(dashes))
            {
                let entries = trimmed_start(&text[own_comments.len()..]);
                let above = self.above_dashes(own_comments, dashes, column);
                text = format!("{above}{}{entries}", self.target.slice(dashes));
                lines.start = dashes.start;
            } else if remark.is_some() || trimmed_start(&text).starts_with('#') {
                // on the line of the dash, a comment line would be a remark on the dash
                let remark = remark.unwrap_or_default();
                text = format!("{remark}{}{text}", self.line_break);
                lines.start = self.before_white_space(lines.start);
                remarks.line = CommentChoice::Local;
            } else {
                text = trimmed_start(&text).to_owned();
            }
        }
        // drop edits of these lines: the pieces have them already
        self.edits.drop_within(lines);
        self.rewrite_lines(lines, text);
        self.edit_comments(owner, remarks);
    }

    /// Returns comment lines of a column as they are written above a line that starts with dashes.
    fn above_dashes(&self, comments: &str, dashes: Span, column: u32) -> String {
        let first = self.target.slice(dashes).find('-').unwrap_or(0);
        shifted(
            comments.to_owned(),
            column,
            first as i64 - i64::from(column),
        )
    }

    /// Returns the lines of a document that has no entry left: brackets, with the comments above
    /// and below them.
    fn emptied_document(&mut self, node: NodeId, pieces: RowLines<'_>, column: u32) -> String {
        let first = self.target.node(node).span.start;
        let theirs = self.source.node(self.source.root().value).span.start;
        let is_above = |piece: &&Piece| match &piece.kind {
            PieceKind::Comment(comment) => match comment.side {
                Side::Updated => comment.span.start < theirs,
                Side::Original | Side::Local => comment.span.start < first,
            },
            PieceKind::Entry(_) | PieceKind::Original(_) | PieceKind::End => false,
        };
        let count = pieces.pieces.iter().take_while(is_above).count();
        let (above, below) = pieces.split_at(count);
        let mut text = self.composed(above, column, 0);
        text.push_str(self.brackets(node));
        text.push_str(self.line_break);
        let below = self.composed(below, column, 0);
        text.push_str(&below);
        text
    }

    /// Writes the lines of a map or list that was empty, below its key if it has one.
    fn fill_empty_collection<C: Borrow<[Child]>>(
        &mut self,
        owner: Entry<'_>,
        node: NodeId,
        row: &Row<C>,
    ) {
        let (target, source) = (self.target, self.source);
        if target.root().value == node {
            let text = self.composed(row.lines(), 0, 0);
            return self.edits.replace(row.span, text);
        }
        let arriving = row.lines().entries().find_map(|child| match child.slot {
            Slot::Updated(id) => Some(id),
            Slot::Local(_) => None,
        });
        let owner_of = |id| source.entry_of(source.collection_of(id)?);
        let theirs = arriving.and_then(owner_of);
        let Some((arriving, theirs)) = arriving.zip(theirs) else {
            return;
        };
        let theirs = source.entry(theirs);
        let column = |tree: &Tree<'_>, entry: Entry<'_>| i64::from(tree.column(entry.span.start));
        let new = column(target, owner);
        let written = new + column(source, source.entry(arriving)) - column(source, theirs);
        let column = self.reindent(source).column_inside(theirs, new);
        let text = self.composed(
            row.lines(),
            u32::try_from(written).unwrap_or(0),
            column - written,
        );
        let span = target.node(node).span;
        let colon = owner.colon().map_or(span.start, |colon| colon + 1);
        // a comment on the line of the key stays there
        let start = colon.max(owner.comments().line.end);
        self.edits.delete(start.min(span.start)..span.end);
        self.edits.drop_within(row.span);
        let at = row.span.start;
        let is_unfinished = at as usize == target.text().len() && !ends_line(target.text());
        let line_break = if is_unfinished { self.line_break } else { "" };
        self.edits
            .replace(at..row.span.end, format!("{line_break}{text}"));
    }

    /// Whether a field with an empty key, of which only `:` and the value are written, would become
    /// the value of the `? key` without a value above it. Such a field needs a `?` of its own.
    pub(super) fn needs_key_indicator(&self, above: Option<&Child>, child: &Child) -> bool {
        let entry_of = |child: &Child| match child.slot {
            Slot::Local(id) => self.target.entry(id),
            Slot::Updated(id) => self.source.entry(id),
        };
        let entry = entry_of(child);
        entry.colon() == Some(entry.span.start)
            && above.is_some_and(|above| match above.slot {
                Slot::Local(_) if matches!(above.outcome(), Outcome::Take(_)) => false,
                Slot::Updated(id) if self.source.is_in_flow(id) => false,
                _ => entry_of(above).key.is_some() && entry_of(above).colon().is_none(),
            })
    }

    /// Whether a collection of the target begins on the line of a dash, and the first piece of the
    /// result is an open conflict that has to be written as a hunk.
    pub(super) fn begins_with_choice(&self, node: NodeId, outcome: &Outcome) -> bool {
        let start = self.target.node(node).span.start;
        let shares_line = !is_blank(self.target, self.target.line_start(start)..start);
        // where both sides have the entry, each side of the hunk gets the dash, unless the conflict
        // is about a remark: that belongs to the element
        let is_open = |child: &Child| {
            let sides = [Side::Local, Side::Updated].map(|side| child.choose(side));
            let gets_dash =
                sides.iter().all(Child::stays) && !child.extras().remarks.has_open_conflict();
            self.is_open(child) && !gets_dash
        };
        let is_open = || match outcome {
            Outcome::Row(row) => row.pieces.first().is_some_and(|piece| {
                let child = row.lines().entry(piece);
                child.map_or_else(|| piece.is_in_open_conflict(), is_open)
            }),
            _ => outcome.children().next().is_some_and(is_open),
        };
        shares_line && is_open()
    }
}

/// Whether a text has dashes, and nothing else but spaces.
fn is_dashes(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|byte| b" -".contains(&byte))
}

/// Returns the comments at the start of the text of pieces, with the blank lines below, if all are
/// of one side; else nothing.
fn comments_at_start<'t>(pieces: &[Piece], text: &'t str, side: Side) -> &'t str {
    let mut comments = pieces.iter().map_while(|piece| match &piece.kind {
        PieceKind::Comment(comment) => Some(comment),
        PieceKind::Entry(_) | PieceKind::Original(_) | PieceKind::End => None,
    });
    let is_of_side = |comment: &CommentPiece| comment.side == side && comment.of_side.is_none();
    if !trimmed_start(text).starts_with('#') || !comments.all(is_of_side) {
        return "";
    }
    let is_above = |line: &&str| matches!(trimmed(line).bytes().next(), None | Some(b'#'));
    let lines = lines_with_breaks(text).take_while(is_above);
    &text[..lines.map(str::len).sum()]
}
