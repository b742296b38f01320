//! Writes both sides of open conflicts as hunks: of an entry as a whole, or of the lines of a text
//! that differ (rules: Conflict markers).

use super::Editor;
use super::compose::Composition;
use super::draft::{Hunk, PLACEHOLDER, shared_lines, take_shared_blanks};
use crate::merge::decision::{Child, Outcome, Piece, Slot};
use crate::merge::markers::parts;
use crate::triple::{Change, Side, Triple};
use crate::yaml::{EntryId, Span};

/// Two places in a text with at most this many lines between them are one hunk, as in git.
const MOST_LINES_BETWEEN: usize = 3;

/// A hunk to which more pieces may belong.
#[derive(Default)]
pub(super) struct OpenHunk {
    hunk: Hunk,
    /// The ends of the pieces on each side: the offset behind each entry and comment.
    ends: Triple<Vec<usize>>,
}

impl OpenHunk {
    /// Adds a piece, with the blank lines above it.
    pub(super) fn push(&mut self, side: Side, piece: [&str; 2]) {
        self.hunk[side].extend(piece);
        self.ends[side].push(self.hunk[side].len());
    }

    /// Takes the pieces that local and updated both begin with out of the hunk, and those that both
    /// end with, if the original has none there. At least one piece of each side is left.
    fn take_shared_pieces(&mut self) -> [String; 2] {
        if !self.hunk.original.is_empty() {
            return Default::default();
        }
        let pieces = |side: Side| {
            let ends = &self.ends[side];
            let starts = [0].into_iter().chain(ends.iter().copied());
            let ranges = starts.zip(ends).map(|(start, end)| start..*end);
            ranges
                .map(|range| &self.hunk[side][range])
                .collect::<Vec<_>>()
        };
        let (local, updated) = (pieces(Side::Local), pieces(Side::Updated));
        let most = local.len().min(updated.len()).saturating_sub(1);
        let is_same = |(local, updated): &(&&str, &&str)| local == updated;
        let pairs = local.iter().zip(&updated).take(most);
        let above = pairs.take_while(is_same).count();
        let pairs = local.iter().rev().zip(updated.iter().rev());
        let below = pairs.take(most - above).take_while(is_same).count();
        let shared = [
            local[..above].concat(),
            local[local.len() - below..].concat(),
        ];
        for side in [Side::Local, Side::Updated] {
            let text = &mut self.hunk[side];
            text.truncate(text.len() - shared[1].len());
            text.replace_range(..shared[0].len(), "");
        }
        shared
    }
}

impl Editor<'_> {
    /// Whether an entry has an open conflict that has to be a hunk of the whole entry.
    pub(super) fn is_open(&self, child: &Child) -> bool {
        if !child.has_open_conflict() {
            return false;
        }
        let mut comments = child.extras().value_comments.iter().flatten();
        let Slot::Local(id) = child.slot else {
            return true;
        };
        let value = self.target.entry(id).value;
        let is_inside = child.outcome().is_merge()
            && self.target.is_block_collection(value)
            && !self.begins_with_choice(value, child.outcome())
            && !child.extras().remarks.has_open_conflict()
            && !comments.any(Piece::is_in_open_conflict);
        !is_inside
    }

    /// Writes both sides of an entry, below `blanks`, as a hunk without the lines that all sides
    /// begin or end with.
    pub(super) fn hunk(&mut self, row: &mut Composition<'_>, mut blanks: String, child: &Child) {
        let sides = [Side::Local, Side::Updated].map(|side| child.choose(side));
        let stays = sides.iter().all(Child::stays);
        let is_below_text = sides.iter().any(|side| self.ends_in_block_scalar(side));
        let is_text = stays && sides.iter().all(|side| self.is_block_scalar(side));
        row.block_scalar_above = is_below_text.then_some(row.text.len());
        row.unchanged_end = None;
        let [local, updated] = sides.map(|side| match side.stays() {
            true => self.entry_lines(&side, row.column),
            false => String::new(),
        });
        let base = match child.outcome() {
            Outcome::Open(conflict) => conflict.base.as_deref(),
            _ => None,
        };
        let original = match base {
            Some(base) => self.original_lines_of(base, row.column),
            None => {
                let original = child.sides().original;
                original.map(|id| self.mover(self.original).entry(id, row.column))
            }
        };
        let original = original.unwrap_or_default();
        if is_text {
            let lines = Triple::new(&*original, &*updated, &*local);
            let parts: Vec<_> = parts(lines, MOST_LINES_BETWEEN).collect();
            // a part that only one side changed would be a hunk without a conflict
            let is_agreed_or_open =
                |part: &Triple<_>| matches!(part.change(), Change::BothSame | Change::BothDiffer);
            if parts.iter().all(is_agreed_or_open) {
                return self.hunks_of_text(row, blanks, parts);
            }
        }
        let base = Some(&*original).filter(|it| !it.is_empty());
        let (above, below) = match stays {
            true => shared_lines(&local, &updated, base),
            false => (0, 0),
        };
        if above > 0 {
            self.close_hunk(row);
        }
        if row.open_hunk.is_none() && stays {
            row.text.push_str(&std::mem::take(&mut blanks));
        }
        row.text.push_str(&local[..above]);
        let hunk = row.open_hunk.get_or_insert_default();
        for (side, blanks, lines) in [
            (Side::Local, blanks.as_str(), &local),
            (Side::Updated, blanks.as_str(), &updated),
            (Side::Original, "", &original),
        ] {
            if !lines.is_empty() {
                hunk.push(side, [blanks, &lines[above..lines.len() - below]]);
            }
        }
        if below > 0 {
            self.close_hunk(row);
            row.text.push_str(&local[local.len() - below..]);
        }
    }

    /// Writes an entry whose value is a block scalar on both sides, below `blanks`, with a hunk for
    /// each stretch of lines that differ: the lines of a text can be cut anywhere.
    fn hunks_of_text(
        &mut self,
        row: &mut Composition<'_>,
        mut blanks: String,
        parts: Vec<Triple<String>>,
    ) {
        for part in parts {
            let is_same = part.local == part.updated;
            if is_same {
                self.close_hunk(row);
            }
            if row.open_hunk.is_none() {
                row.text.push_str(&std::mem::take(&mut blanks));
            }
            if is_same {
                row.text.push_str(&part.local);
                continue;
            }
            let hunk = row.open_hunk.get_or_insert_default();
            let blanks = std::mem::take(&mut blanks);
            hunk.push(Side::Local, [&blanks, &part.local]);
            hunk.push(Side::Updated, [&blanks, &part.updated]);
            hunk.push(Side::Original, ["", &part.original]);
        }
    }

    /// Whether the value of an entry of the result is a block scalar.
    fn is_block_scalar(&self, child: &Child) -> bool {
        match (child.outcome(), child.slot) {
            (Outcome::Take(incoming), _) => self.source.is_block_scalar(incoming.node),
            (_, Slot::Local(id)) => self.target.is_block_scalar(self.target.entry(id).value),
            (_, Slot::Updated(_)) => false,
        }
    }

    /// Returns the original's lines of consecutive entries, and the comments above, in a column.
    pub(super) fn original_lines_of(&self, entries: &[EntryId], column: u32) -> Option<String> {
        let tree = self.original;
        let (first, last) = (tree.entry(*entries.first()?), tree.entry(*entries.last()?));
        let old_column = i64::from(tree.column(first.span.start));
        let lines = Span::new(tree.row_start(first), tree.lines_of(last).end);
        let by = i64::from(column) - old_column;
        Some(self.mover(tree).lines(lines, old_column, by))
    }

    /// Ends the open hunk, if there is one, and writes its placeholder.
    pub(super) fn close_hunk(&mut self, row: &mut Composition) {
        let Some(mut open) = row.open_hunk.take() else {
            return;
        };
        if open.hunk.local == open.hunk.updated {
            row.text.push_str(&open.hunk.local);
            return;
        }
        let [above, below] = open.take_shared_pieces();
        row.text.push_str(&above);
        row.text.push_str(&take_shared_blanks(&mut open.hunk));
        row.text.push(PLACEHOLDER);
        row.text.push_str(self.line_break);
        row.text.push_str(&below);
        self.hunks.push(open.hunk);
    }
}
