//! Cuts three texts, given as tokens of their lines, into regions that neither side, one side, or
//! both sides changed.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use gix_imara_diff::{Hunk, Token};

use crate::differences::differences_of_tokens;
use crate::triple::{Change, Triple};

/// A range of lines of each of the three texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) lines: Triple<Range<usize>>,
    /// Which sides changed it.
    pub(super) change: Change,
}

/// Returns the regions from top to bottom. As in git, changes of both sides that touch, with no
/// unchanged line between them, are one region.
pub(super) fn regions(rows: Triple<&[Token]>) -> impl Iterator<Item = Region> {
    let mut updated = Edits::of(rows.original, rows.updated);
    let mut local = Edits::of(rows.original, rows.local);
    let mut end = Triple::new(0, 0, 0);
    std::iter::from_fn(move || {
        let (theirs, ours) = (updated.start(), local.start());
        let start = theirs.into_iter().chain(ours).min();
        let start = start.unwrap_or(rows.original.len());
        let unchanged = start - end.original;
        if unchanged > 0 {
            let next = end.map(|at| at + unchanged);
            let lines = end.zip(next).map(|(start, end)| start..end);
            end = next;
            return Some(Region {
                lines,
                change: Change::Nobody,
            });
        }
        if theirs.is_none() && ours.is_none() {
            return None;
        }
        let mut until = start;
        // extend the region by each side's changes that touch it
        while updated.extend(&mut until) || local.extend(&mut until) {}
        let next = Triple::new(until, updated.position(until), local.position(until));
        let lines = end.zip(next).map(|(start, end)| start..end);
        let texts = rows.zip(lines.clone()).map(|(row, lines)| &row[lines]);
        end = next;
        let change = match (updated.changed_since(start), local.changed_since(start)) {
            (_, false) => Change::Upstream,
            (false, _) => Change::Local,
            _ if texts.updated == texts.local => Change::BothAlike,
            _ => Change::BothApart,
        };
        Some(Region { lines, change })
    })
}

/// The changes of one side, from top to bottom.
struct Edits {
    /// The changes that are not in a region yet.
    remaining: Peekable<IntoIter<Hunk>>,
    /// The last change that was taken into a region.
    last: Option<Hunk>,
}

impl Edits {
    fn of(original: &[Token], side: &[Token]) -> Self {
        let hunks: Vec<Hunk> = differences_of_tokens(original, side).hunks().collect();
        Self {
            remaining: hunks.into_iter().peekable(),
            last: None,
        }
    }

    /// Returns the line of the original at which the next change begins.
    fn start(&mut self) -> Option<usize> {
        self.remaining.peek().map(|hunk| hunk.before.start as usize)
    }

    /// Takes the next change if it begins at the line `until` of the original or above, and moves
    /// `until` to its end. Returns whether it did.
    fn extend(&mut self, until: &mut usize) -> bool {
        let next = self
            .remaining
            .next_if(|hunk| hunk.before.start as usize <= *until);
        let is_taken = next.is_some();
        if let Some(hunk) = next {
            *until = (*until).max(hunk.before.end as usize);
            self.last = Some(hunk);
        }
        is_taken
    }

    /// Returns the position on this side of a line of the original below the last change taken.
    fn position(&self, line: usize) -> usize {
        self.last.as_ref().map_or(line, |last| {
            last.after.end as usize + line - last.before.end as usize
        })
    }

    /// Whether the last change taken ends at this line of the original or below.
    fn changed_since(&self, line: usize) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|last| last.before.end as usize >= line)
    }
}
