//! The hunks of each side in a stretch of a list, and the regions that they form.

use std::ops::Range;

use super::align::Positions;

/// The replacement that one side made for a range of the original's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) original: Range<usize>,
    pub(super) replacement: Range<usize>,
}

/// A range of the original's elements that one side changed, or that both sides changed with
/// overlapping hunks. The range is empty for an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region<'h> {
    pub(super) original: Range<usize>,
    /// Upstream's hunks in this region.
    pub(super) updated_hunks: Vec<&'h Hunk>,
    /// The end of the elements that each side has here, if the side changed something here.
    pub(super) updated_end: Option<usize>,
    pub(super) local_end: Option<usize>,
}

/// Returns the hunks of one side in a stretch with these ranges. A hunk that replaces elements with
/// as many others is split into hunks of one element.
pub(super) fn hunks(
    positions: &Positions,
    original: &Range<usize>,
    replacement: &Range<usize>,
) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut old_start, mut new_start) = (original.start, replacement.start);
    let kept = original
        .clone()
        .filter_map(|old| Some((old, positions[old]?)));
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

/// Returns the regions that two sides changed, in order.
pub(super) fn regions<'h>(updated: &'h [Hunk], local: &'h [Hunk]) -> Vec<Region<'h>> {
    let sides = [(updated, true), (local, false)];
    let mut hunks: Vec<(&Hunk, bool)> = sides
        .into_iter()
        .flat_map(|(hunks, is_updated)| hunks.iter().map(move |hunk| (hunk, is_updated)))
        .collect();
    hunks.sort_by_key(|(hunk, _)| (hunk.original.start, hunk.original.end));
    let mut regions: Vec<Region<'h>> = Vec::new();
    for (hunk, is_updated) in hunks {
        let Hunk {
            original,
            replacement,
        } = hunk;
        let overlaps = |region: &Region<'_>| {
            original.start < region.original.end || *original == region.original
        };
        if !regions.last().is_some_and(overlaps) {
            regions.push(Region {
                original: original.clone(),
                updated_hunks: Vec::new(),
                updated_end: None,
                local_end: None,
            });
        }
        if let Some(region) = regions.last_mut() {
            region.original.end = region.original.end.max(original.end);
            let end = if is_updated {
                region.updated_hunks.push(hunk);
                &mut region.updated_end
            } else {
                &mut region.local_end
            };
            *end = Some(replacement.end);
        }
    }
    regions
}
