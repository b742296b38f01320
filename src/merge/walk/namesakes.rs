//! Pairs elements with the same name that both sides inserted in a list without a key
//! (rules: Lists without a key).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::aligned_lists::AlignedLists;
use super::similarity::{Threshold, name_of, similarity};
use crate::merge::fingerprint::Fingerprints;
use crate::triple::Triple;

/// The paired elements, by position. Each side has the name once, and the original does not have
/// it.
#[derive(Debug, Default)]
pub(super) struct Namesakes {
    of_updated: FxHashMap<usize, usize>,
    of_local: FxHashMap<usize, usize>,
}

impl Namesakes {
    /// Pairs the elements of the same name.
    pub(super) fn of(prints: Triple<&Fingerprints<'_>>, lists: &AlignedLists) -> Self {
        let (elements, values) = (&lists.elements, &lists.values);
        let (of_updated, of_local) = (&lists.of_updated, &lists.of_local);
        let mut namesakes = Self::default();
        if ![of_updated, of_local].iter().all(|it| it.contains(&None)) {
            return namesakes;
        }
        let names = prints.zip(elements.as_ref());
        let names = names.map(|(prints, elements)| {
            unique_positions(elements.iter().map(|element| name_of(prints, *element)))
        });
        for (name, updated) in &names.updated {
            let (Some(updated), Some(Some(local))) = (*updated, names.local.get(name).copied())
            else {
                continue;
            };
            let are_similar = || {
                let updated = (prints.updated, elements.updated[updated]);
                let local = (prints.local, elements.local[local]);
                similarity(updated, local, Threshold::Strict).is_some()
            };
            if of_updated[updated].is_none()
                && of_local[local].is_none()
                && values.updated[updated] != values.local[local]
                && !names.original.contains_key(name)
                && are_similar()
            {
                namesakes.of_updated.insert(updated, local);
                namesakes.of_local.insert(local, updated);
            }
        }
        namesakes
    }

    /// Returns the local partner of an updated element.
    pub(super) fn of_updated(&self, updated: usize) -> Option<usize> {
        self.of_updated.get(&updated).copied()
    }

    /// Returns the updated partner of a local element.
    pub(super) fn of_local(&self, local: usize) -> Option<usize> {
        self.of_local.get(&local).copied()
    }
}

/// Returns the position of each name; `None` for a name that repeats.
pub(super) fn unique_positions<N: Hash + Eq>(
    names: impl Iterator<Item = Option<N>>,
) -> FxHashMap<N, Option<usize>> {
    let mut positions = FxHashMap::default();
    for (at, name) in names.enumerate() {
        if let Some(name) = name {
            let position = positions.entry(name);
            position
                .and_modify(|position| *position = None)
                .or_insert(Some(at));
        }
    }
    positions
}
