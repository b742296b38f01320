//! Cuts the lines of three texts into regions that neither side, one side, or both sides changed.

use std::ops::Range;

use gix_imara_diff::Token;

use super::lines::AlignedLines;
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
pub(super) fn regions(aligned: &AlignedLines<'_>) -> impl Iterator<Item = Region> {
    let rows = aligned.rows();
    // the places of the lines of the original that both sides have
    let mut in_local = aligned.to_local.same().peekable();
    let in_updated = aligned.to_updated.same();
    let kept = in_updated.filter_map(move |(original, updated)| {
        while in_local.next_if(|(at, _)| *at < original).is_some() {}
        let (_, local) = in_local.next_if(|(at, _)| *at == original)?;
        Some(Triple::new(original, updated, local))
    });
    let (mut kept, mut start) = (kept.peekable(), Triple::default());
    std::iter::from_fn(move || {
        let mut end = start;
        while kept.next_if_eq(&end).is_some() {
            end = end.map(|at| at + 1);
        }
        if end == start {
            end = kept.peek().copied().unwrap_or(rows.map(<[Token]>::len));
        }
        let lines = start.zip(end).map(|(start, end)| start..end);
        start = end;
        let texts = rows.zip(lines.clone()).map(|(row, lines)| &row[lines]);
        let is_end = texts == Triple::default();
        (!is_end).then(|| Region {
            lines,
            change: texts.change(),
        })
    })
}
