//! For each element of a list, the position of its partner in another list.

use std::hash::Hash;
use std::num::NonZeroU32;

use rustc_hash::FxHashMap;

/// The positions of the partners, in 4 bytes each: there is one for each element of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Positions(Vec<Option<NonZeroU32>>);

impl Positions {
    /// A list of this length, in which no element has a partner.
    pub(super) fn none(len: usize) -> Self {
        Self(vec![None; len])
    }

    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the partner of an element.
    pub(super) fn get(&self, at: usize) -> Option<usize> {
        self.0.get(at).and_then(|stored| of_stored(*stored))
    }

    /// Returns true if there is an element at this position.
    pub(super) const fn has(&self, at: usize) -> bool {
        at < self.0.len()
    }

    /// Sets the partner of an element.
    pub(super) fn set(&mut self, at: usize, partner: Option<usize>) {
        self.0[at] = partner.and_then(|partner| NonZeroU32::new(partner as u32 + 1));
    }

    /// Returns the partner of each element.
    pub(super) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = Option<usize>> + ExactSizeIterator + Clone {
        self.0.iter().map(|stored| of_stored(*stored))
    }

    /// Returns true if an element has no partner.
    pub(super) fn has_unpaired(&self) -> bool {
        self.0.contains(&None)
    }

    /// Returns, for each element of the other list, of length `len`, the position of its partner in
    /// this one.
    pub(super) fn inverse(&self, len: usize) -> Self {
        let mut inverse = Self::none(len);
        for (at, partner) in self.iter().enumerate() {
            if let Some(partner) = partner {
                inverse.set(partner, Some(at));
            }
        }
        inverse
    }
}

fn of_stored(stored: Option<NonZeroU32>) -> Option<usize> {
    stored.map(|stored| stored.get() as usize - 1)
}

/// Returns the position of each name or value; `None` for one that repeats.
pub(super) fn unique_positions<N: Hash + Eq>(
    names: impl Iterator<Item = Option<N>>,
) -> FxHashMap<N, Option<u32>> {
    let mut positions = FxHashMap::default();
    for (at, name) in names.enumerate() {
        if let Some(name) = name {
            let position = positions.entry(name);
            position
                .and_modify(|position| *position = None)
                .or_insert(Some(at as u32));
        }
    }
    positions
}

/// Returns the positions of the names or values that each of two lists has once.
pub(super) fn once_in_both<N: Hash + Eq>(
    olds: FxHashMap<N, Option<u32>>,
    news: FxHashMap<N, Option<u32>>,
) -> impl Iterator<Item = (usize, usize)> {
    let pairs = olds.into_iter().filter_map(move |(name, old)| {
        let new = news.get(&name).copied().flatten();
        old.zip(new)
    });
    pairs.map(|(old, new)| (old as usize, new as usize))
}
