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
    let [updated, local] = [&aligned.to_updated, &aligned.to_local].map(|differences| {
        let mut places = vec![None; rows.original.len()];
        for (line, place) in differences.same() {
            places[line] = Some(place as u32);
        }
        places
    });
    // the place of a line of the original that both sides have
    let kept = move |at: usize| {
        let (updated, local) = (updated.get(at)?.as_ref()?, local.get(at)?.as_ref()?);
        Some(Triple::new(at, *updated as usize, *local as usize))
    };
    let mut start = Triple::default();
    std::iter::from_fn(move || {
        let below = |count: usize| start.map(|at| at + count);
        let unchanged =
            (0..).take_while(|count| kept(start.original + count) == Some(below(*count)));
        let end = match unchanged.count() {
            0 => (start.original..rows.original.len()).find_map(&kept),
            count => Some(below(count)),
        };
        let end = end.unwrap_or(rows.map(<[Token]>::len));
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
