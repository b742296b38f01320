//! What each of two sides put in the place of an original's elements, and which of that is at one
//! place.

use std::ops::Range;

use super::align::Found;

/// What one side put in the place of some of the original's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) olds: Range<usize>,
    pub(super) news: Range<usize>,
}

/// Elements of the original that both sides changed together, or one did, or none where something
/// came; and where what the sides put there ends, if they did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place<'h> {
    pub(super) olds: Range<usize>,
    /// What upstream did there.
    pub(super) hunks: Vec<&'h Hunk>,
    pub(super) updated: Option<usize>,
    pub(super) local: Option<usize>,
}

/// What a side did in a stretch. Where it put as many elements there as it took away, each is in
/// the place of one.
pub(super) fn hunks(found: &Found, olds: &Range<usize>, news: &Range<usize>) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut old_start, mut new_start) = (olds.start, news.start);
    let kept = olds.clone().filter_map(|old| Some((old, found[old]?)));
    for (old, new) in kept.chain([(olds.end, news.end)]) {
        let (olds, news) = (old_start..old, new_start..new);
        if olds.len() == news.len() {
            hunks.extend(olds.zip(news).map(|(old, new)| Hunk {
                olds: old..old + 1,
                news: new..new + 1,
            }));
        } else {
            hunks.push(Hunk { olds, news });
        }
        (old_start, new_start) = (old + 1, new + 1);
    }
    hunks
}

/// The places that two sides changed, from top to bottom.
pub(super) fn places<'h>(updated: &'h [Hunk], local: &'h [Hunk]) -> Vec<Place<'h>> {
    let sides = [(updated, true), (local, false)];
    let mut hunks: Vec<(&Hunk, bool)> = sides
        .into_iter()
        .flat_map(|(hunks, is_updated)| hunks.iter().map(move |hunk| (hunk, is_updated)))
        .collect();
    hunks.sort_by_key(|(hunk, _)| (hunk.olds.start, hunk.olds.end));
    let mut places: Vec<Place<'h>> = Vec::new();
    for (hunk, is_updated) in hunks {
        let Hunk { olds, news } = hunk;
        let shares = |place: &Place<'_>| olds.start < place.olds.end || *olds == place.olds;
        if !places.last().is_some_and(shares) {
            places.push(Place {
                olds: olds.clone(),
                hunks: Vec::new(),
                updated: None,
                local: None,
            });
        }
        if let Some(place) = places.last_mut() {
            place.olds.end = place.olds.end.max(olds.end);
            let end = if is_updated {
                place.hunks.push(hunk);
                &mut place.updated
            } else {
                &mut place.local
            };
            *end = Some(news.end);
        }
    }
    places
}
