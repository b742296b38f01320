//! Block collections, line by line: what stays keeps its lines, and what comes is put between them.

use rustc_hash::FxHashMap;

use super::layout::starts_its_line;
use super::{Carried, Editor};
use crate::line_breaks::lines_with_breaks;
use crate::merge::decision::{Blanks, Child, CommentPiece, Outcome, Piece, PieceKind, Row, Slot};
use crate::merge::rows::Side;
use crate::yaml::row::{Item, ItemKind, Row as Lines};
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, Span, Tree};

impl Editor<'_> {
    /// A block map or list of which at least one entry is left. What stands between the entries
    /// goes along with them.
    pub(super) fn block(&mut self, node: NodeId, owner: Entry<'_>, children: &[Child]) -> Carried {
        let is_edited = |child: &Child| {
            child.stays()
                && child.remarks.above == Default::default()
                && !child.outcome.has_choice()
        };
        let slots = children.iter().map(|child| child.slot);
        if !self.cuts_part
            && children.iter().all(is_edited)
            && slots.eq(self.target.entries(node).map(Slot::Local))
        {
            self.edit_entries(children);
            return Carried::InPlace;
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
    fn edit_entries(&mut self, children: &[Child]) {
        let mut above = None;
        for child in children {
            if let Slot::Local(id) = child.slot {
                let entry = self.target.entry(id);
                if self.needs_key_sign(above.replace(child), child) {
                    let column = self.target.column(entry.span.start);
                    self.edits.insert(entry.span.start, self.key_sign(column));
                }
                self.edit_entry(child, id);
            }
        }
    }

    /// Gives an entry the key that updated gave it.
    pub(super) fn key(&mut self, child: &Child, entry: Entry<'_>) {
        let key_span = |tree: &Tree<'_>, entry: Entry<'_>| entry.key.map(|key| tree.node(key).span);
        let new = child
            .key
            .and_then(|from| key_span(self.source, self.source.entry(from)));
        if let (Some(old), Some(new)) = (key_span(self.target, entry), new) {
            self.edits
                .replace(old.start..old.end, self.source.slice(new));
        }
    }

    /// An entry of the target that stays in its place.
    fn edit_entry(&mut self, child: &Child, id: EntryId) {
        let entry = self.target.entry(id);
        if child.text.is_none() && child.below.is_none() {
            self.key(child, entry);
            return self.value(entry, &child.outcome, child.remarks);
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
    }

    /// The row of the target with the entries that stay and those that come, in the order of
    /// `children`.
    fn pieces_of(&self, lines: &Lines, children: &[Child]) -> Vec<Piece> {
        let mut gaps: FxHashMap<EntryId, (usize, usize)> = FxHashMap::default();
        let mut start = 0;
        for (at, item) in lines.items.iter().enumerate() {
            if let ItemKind::Entry(entry) = item.kind {
                gaps.insert(entry, (start, at));
                start = at + 1;
            }
        }
        let mut pieces = Pieces::default();
        pieces.all.reserve(lines.items.len());
        for child in children {
            match child.slot {
                Slot::Local(entry) => {
                    let Some((start, at)) = gaps.get(&entry).copied() else {
                        continue;
                    };
                    pieces.resident(lines, start, at, child, self.comments_to_come(child));
                }
                Slot::Updated(entry) if child.stays() => {
                    let below = self.arriving_pieces(entry, lines.column, child, &mut pieces);
                    pieces.below_first = below;
                }
                Slot::Updated(_) => {}
            }
        }
        for item in &lines.items[start..] {
            pieces.item(item, kind_of(item, None));
        }
        if self.cuts_part {
            pieces.leave_only_own_comments();
        }
        pieces.all
    }

    /// The source's comments that take the place of those right above an entry.
    fn comments_to_come(&self, child: &Child) -> Option<Vec<CommentPiece>> {
        let from = child.remarks.from?;
        let entry = self.source.entry(from);
        let lines = self.source.comments_above(entry);
        let target = match child.slot {
            Slot::Local(id) => self.target.column(self.target.entry(id).span.start),
            Slot::Updated(_) => 0,
        };
        let moved = i64::from(target) - i64::from(self.source.column(entry.span.start));
        child
            .remarks
            .above
            .is_updated()
            .then(|| self.comment_pieces(lines, moved))
    }

    fn comment_pieces(&self, lines: Span, moved: i64) -> Vec<CommentPiece> {
        let mut pieces = Vec::new();
        let mut at = lines.start;
        while at < lines.end {
            let next = self.source.next_line(at);
            pieces.push(CommentPiece {
                side: Side::Updated,
                span: Span::new(at, next),
                moved,
                of_side: None,
            });
            at = next;
        }
        pieces
    }

    /// An entry that comes, with the comments right above it. Gives back how many blank lines there
    /// are below it.
    fn arriving_pieces(&self, id: EntryId, column: u32, child: &Child, pieces: &mut Pieces) -> u32 {
        let source = self.source;
        let entry = source.entry(id);
        let moved = i64::from(column) - i64::from(source.column(entry.span.start));
        let row = self.of_source.holders().collection_of(id).and_then(|node| {
            let owner = self.of_source.holders().entry_of(node);
            source.row(node, owner.map(|owner| source.entry(owner)))
        });
        let place = row.as_ref().and_then(|row| {
            let mut items = row.items.iter();
            let at = items.position(|item| item.kind == ItemKind::Entry(id))?;
            Some((row, at))
        });
        let entry_piece = PieceKind::Entry(child.clone());
        let Some((row, at)) = place else {
            // between brackets
            for comment in self.comment_pieces(source.comments_above(entry), moved) {
                pieces.push(0, PieceKind::Comment(comment));
            }
            pieces.push(0, entry_piece);
            return 0;
        };
        let first = (0..at)
            .rev()
            .take_while(|index| row.items[*index].kind == ItemKind::Comment)
            .take_while(|index| row.items[*index + 1].blanks == 0)
            .last()
            .unwrap_or(at);
        for item in &row.items[first..at] {
            let comment = CommentPiece {
                side: Side::Updated,
                span: item.span,
                moved,
                of_side: None,
            };
            pieces.push(item.blanks, PieceKind::Comment(comment));
        }
        pieces.push(row.items[at].blanks, entry_piece);
        row.items.get(at + 1).map_or(0, |below| below.blanks)
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
            PieceKind::Entry(_) | PieceKind::End => false,
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

    /// Whether the entries of a collection of the target begin behind a dash, and a choice has to
    /// be made for the first of the result.
    pub(super) fn begins_with_choice(&self, node: NodeId, outcome: &Outcome) -> bool {
        let first = self.target.entries(node).next();
        let shares_line =
            first.is_some_and(|first| !starts_its_line(self.target, self.target.entry(first)));
        let opens = |piece: &Piece| match &piece.kind {
            PieceKind::Comment(comment) => comment.of_side.is_some(),
            PieceKind::Entry(child) => child.has_choice(),
            PieceKind::End => false,
        };
        let is_open = match outcome {
            Outcome::Row(row) => row.pieces.first().is_some_and(opens),
            _ => outcome.children().next().is_some_and(Child::has_choice),
        };
        shares_line && is_open
    }
}

/// Pieces put together one by one.
#[derive(Default)]
struct Pieces {
    all: Vec<Piece>,
    /// Blank lines above entries that went.
    left: u32,
    /// Blank lines below an entry that came before all others.
    below_first: u32,
}

impl Pieces {
    /// A piece with so many blank lines above it; with none where it is the first.
    fn push(&mut self, blanks: u32, kind: PieceKind) {
        let blanks = match self.all.is_empty() {
            true => 0,
            false => blanks.max(self.left),
        };
        self.left = 0;
        self.all.push(Piece {
            blanks: Blanks::Count(blanks),
            kind,
        });
    }

    /// Takes the comments away that do not stand right above an entry.
    fn leave_only_own_comments(&mut self) {
        let mut is_own = false;
        let mut kept = Vec::with_capacity(self.all.len());
        for piece in std::mem::take(&mut self.all).into_iter().rev() {
            let is_comment = matches!(piece.kind, PieceKind::Comment(_));
            let is_entry = matches!(piece.kind, PieceKind::Entry(_));
            let is_close = piece.blanks.is_none();
            let stays = !is_comment || is_own;
            is_own = (is_entry || is_comment && is_own) && is_close;
            if stays {
                kept.push(piece);
            }
        }
        kept.reverse();
        self.all = kept;
    }

    /// A piece of the target.
    fn item(&mut self, item: &Item, kind: PieceKind) {
        let is_end = matches!(kind, PieceKind::End);
        if is_end {
            self.left = 0;
        }
        if item.blanks >= self.left && (!self.all.is_empty() || is_end || item.blanks == 0) {
            self.left = 0;
            let blanks = match item.blanks == 0 && self.below_first > 0 {
                true => Blanks::Count(self.below_first),
                false => Blanks::Local(item.blank),
            };
            self.all.push(Piece { blanks, kind });
        } else {
            self.push(item.blanks, kind);
        }
        self.below_first = 0;
    }

    /// An entry of the target, at `at`, with what stands above it from `start` on. Where it goes,
    /// the comments right above it go too.
    fn resident(
        &mut self,
        lines: &Lines,
        start: usize,
        at: usize,
        child: &Child,
        above: Option<Vec<CommentPiece>>,
    ) {
        if start > 0 {
            self.below_first = 0;
        }
        let own = (start..at)
            .rev()
            .take_while(|index| lines.items[*index + 1].blanks == 0)
            .last()
            .unwrap_or(at);
        let end = match child.stays() && above.is_none() {
            true => at,
            false => own,
        };
        for item in &lines.items[start..end] {
            self.item(item, kind_of(item, None));
        }
        if !child.stays() {
            let blanks = lines.items[own].blanks;
            self.left = self.left.max(blanks);
            return;
        }
        for comment in above.into_iter().flatten() {
            self.push(0, PieceKind::Comment(comment));
        }
        let item = &lines.items[at];
        self.item(item, kind_of(item, Some(child)));
    }
}

fn kind_of(item: &Item, child: Option<&Child>) -> PieceKind {
    match (item.kind, child) {
        (ItemKind::Comment, _) => PieceKind::Comment(CommentPiece {
            side: Side::Local,
            span: item.span,
            moved: 0,
            of_side: None,
        }),
        (ItemKind::Entry(_), Some(child)) => PieceKind::Entry(child.clone()),
        (ItemKind::Entry(_), None) | (ItemKind::End, _) => PieceKind::End,
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
