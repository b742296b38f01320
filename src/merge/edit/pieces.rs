//! Makes the row of a collection whose comments and blank lines were not merged: they follow the
//! entries.

use rustc_hash::FxHashMap;

use super::Editor;
use crate::merge::decision::{Blanks, Child, CommentPiece, Piece, PieceKind, Slot};
use crate::triple::Side;
use crate::yaml::row::{Item, ItemKind, Row as Lines};
use crate::yaml::{EntryId, Span};

impl Editor<'_> {
    /// Returns the row of the target with the entries that stay and those that come, in the order
    /// of `children`.
    pub(super) fn pieces_of(&self, lines: &Lines, children: &[Child]) -> Vec<Piece> {
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
                    pieces.push_entry(lines, start, at, child, self.new_comments_above(child));
                }
                Slot::Updated(entry) if child.stays() => {
                    let below = self.push_arriving(entry, lines.column, child, &mut pieces);
                    pieces.below_first = below;
                }
                Slot::Updated(_) => {}
            }
        }
        for item in &lines.items[start..] {
            pieces.push_item(item, kind_of(item, None));
        }
        if self.cuts_part {
            pieces.keep_only_entry_comments();
        }
        pieces.all
    }

    /// Returns the source's comments that replace those directly above an entry; `None` if the
    /// target's stay.
    fn new_comments_above(&self, child: &Child) -> Option<Vec<CommentPiece>> {
        let from = child.remarks().from?;
        let entry = self.source.entry(from);
        let lines = self.source.comments_above(entry);
        let target = match child.slot {
            Slot::Local(id) => self.target.column(self.target.entry(id).span.start),
            Slot::Updated(_) => 0,
        };
        let moved = i64::from(target) - i64::from(self.source.column(entry.span.start));
        child
            .remarks()
            .above
            .is_updated()
            .then(|| self.comment_pieces(lines, moved))
    }

    /// Returns the lines of comments of the source as pieces.
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

    /// Adds an entry that comes, with the comments directly above it. Returns the number of blank
    /// lines that the source has below it.
    fn push_arriving(&self, id: EntryId, column: u32, child: &Child, pieces: &mut Pieces) -> u32 {
        let source = self.source;
        let entry = source.entry(id);
        let moved = i64::from(column) - i64::from(source.column(entry.span.start));
        let row = self.source.collection_of(id).and_then(|node| {
            let owner = self.source.entry_of(node);
            source.row(node, owner.map(|owner| source.entry(owner)))
        });
        let place = row.as_ref().and_then(|row| {
            let mut items = row.items.iter();
            let at = items.position(|item| item.kind == ItemKind::Entry(id))?;
            Some((row, at))
        });
        let entry_piece = PieceKind::Entry(child.clone());
        let Some((row, at)) = place else {
            // the entry is in a flow collection
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
}

/// Collects pieces and keeps track of blank lines.
#[derive(Default)]
struct Pieces {
    all: Vec<Piece>,
    /// The number of blank lines above entries that were removed, for the next piece.
    pending_blanks: u32,
    /// The number of blank lines below an entry that was inserted above all others.
    below_first: u32,
}

impl Pieces {
    /// Adds a piece with this number of blank lines above it, or none if it is the first.
    fn push(&mut self, blanks: u32, kind: PieceKind) {
        let blanks = match self.all.is_empty() {
            true => 0,
            false => blanks.max(self.pending_blanks),
        };
        self.pending_blanks = 0;
        self.all.push(Piece {
            blanks: Blanks::Count(blanks),
            kind,
        });
    }

    /// Removes the comments that are not directly above an entry.
    fn keep_only_entry_comments(&mut self) {
        let mut is_own = false;
        let mut kept = Vec::with_capacity(self.all.len());
        for piece in std::mem::take(&mut self.all).into_iter().rev() {
            let is_comment = matches!(piece.kind, PieceKind::Comment(_));
            let is_entry = matches!(piece.kind, PieceKind::Entry(_));
            let has_no_blanks = piece.blanks.is_none();
            let stays = !is_comment || is_own;
            is_own = (is_entry || is_comment && is_own) && has_no_blanks;
            if stays {
                kept.push(piece);
            }
        }
        kept.reverse();
        self.all = kept;
    }

    /// Adds a piece of the target.
    fn push_item(&mut self, item: &Item, kind: PieceKind) {
        let is_end = matches!(kind, PieceKind::End);
        if is_end {
            self.pending_blanks = 0;
        }
        if item.blanks >= self.pending_blanks
            && (!self.all.is_empty() || is_end || item.blanks == 0)
        {
            self.pending_blanks = 0;
            let blanks = match item.blanks == 0 && self.below_first > 0 {
                true => Blanks::Count(self.below_first),
                false => Blanks::Local(item.blank()),
            };
            self.all.push(Piece { blanks, kind });
        } else {
            self.push(item.blanks, kind);
        }
        self.below_first = 0;
    }

    /// Adds the entry of the target at the position `at`, with the comments above it from `start`
    /// on. If it is removed, the comments directly above it are too. `above` replaces these
    /// comments.
    fn push_entry(
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
            self.push_item(item, kind_of(item, None));
        }
        if !child.stays() {
            let blanks = lines.items[own].blanks;
            self.pending_blanks = self.pending_blanks.max(blanks);
            return;
        }
        for comment in above.into_iter().flatten() {
            self.push(0, PieceKind::Comment(comment));
        }
        let item = &lines.items[at];
        self.push_item(item, kind_of(item, Some(child)));
    }
}

/// Returns the kind of a piece of the target.
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
