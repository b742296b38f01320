//! The hunks of each side in a stretch of a list, and the regions that they form.

use std::ops::Range;

use super::aligned_lists::AlignedLists;
use super::positions::Positions;
use crate::triple::{Side, Triple};

/// The replacement that one side made for a range of the original's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) original: Range<usize>,
    pub(super) replacement: Range<usize>,
}

/// A range of the original's elements that one side changed, or that both sides changed with
/// overlapping hunks. The range is empty for an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) original: Range<usize>,
    /// Upstream's hunks in this region.
    pub(super) updated_hunks: Vec<Hunk>,
    /// The end of the elements that each side put here, if the side changed something here.
    pub(super) ends: Triple<Option<usize>>,
}

/// Returns the hunks of one side in a stretch with these ranges. A hunk that replaces elements with
/// as many others is split into hunks of one element.
fn hunks(positions: &Positions, original: &Range<usize>, replacement: &Range<usize>) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut old_start, mut new_start) = (original.start, replacement.start);
    let kept = original
        .clone()
        .filter_map(|old| Some((old, positions.get(old)?)));
    for (old, new) in kept.chain([(original.end, replacement.end)]) {
        let (original, replacement) = (old_start..old, new_start..new);
        if original.len() == replacement.len() {
            hunks.extend(original.zip(replacement).map(|(old, new)| Hunk {
                original: old..old + 1,
                replacement: new..new + 1,
            }));
        } else {
            hunks.push(Hunk {
                original,
                replacement,
            });
        }
        (old_start, new_start) = (old + 1, new + 1);
    }
    hunks
}

/// Returns the regions of a stretch that updated and local changed, in order.
pub(super) fn regions(lists: &AlignedLists, stretch: &Triple<Range<usize>>) -> Vec<Region> {
    let of = |side: Side, positions: &Positions| {
        let hunks = hunks(positions, &stretch.original, &stretch[side]).into_iter();
        hunks.map(move |hunk| (side, hunk))
    };
    let updated = of(Side::Updated, &lists.in_updated);
    let mut hunks = Vec::from_iter(updated.chain(of(Side::Local, &lists.in_local)));
    hunks.sort_by_key(|(_, hunk)| (hunk.original.start, hunk.original.end));
    let mut regions: Vec<Region> = Vec::new();
    for (side, hunk) in hunks {
        let original = &hunk.original;
        let overlaps =
            |region: &Region| original.start < region.original.end || *original == region.original;
        if !regions.last().is_some_and(overlaps) {
            regions.push(Region {
                original: original.clone(),
                updated_hunks: Vec::new(),
                ends: Triple::default(),
            });
        }
        if let Some(region) = regions.last_mut() {
            region.original.end = region.original.end.max(original.end);
            region.ends[side] = Some(hunk.replacement.end);
            region
                .updated_hunks
                .extend(Some(hunk).filter(|_| side == Side::Updated));
        }
    }
    regions
}
