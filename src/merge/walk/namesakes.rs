//! Pairs elements of a list without a key that have the same new name on both sides: both sides
//! inserted or renamed them (rules: Lists without a key).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::align::Positions;
use super::aligned_lists::AlignedLists;
use super::similarity::{Threshold, name_of, similarity};
use crate::merge::fingerprint::Fingerprints;
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, ScalarType};

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
        let names = positions_of_names(prints, elements);
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

/// Pairs the original elements that both sides renamed alike: one side's version pairs with the
/// original, and the other side has its new name. `in_updated` and `in_local` have the positions of
/// the original elements on the sides, in order.
pub(super) fn pair_common_renames(
    prints: Triple<&Fingerprints<'_>>,
    elements: &Triple<Vec<EntryId>>,
    in_updated: &mut Positions,
    in_local: &mut Positions,
) {
    let has_unpaired =
        |side: Side, partners: &Positions| partners.iter().flatten().count() < elements[side].len();
    let updated_has_unpaired = has_unpaired(Side::Updated, in_updated);
    let local_has_unpaired = has_unpaired(Side::Local, in_local);
    let is_candidate = |old: &usize| match (in_updated[*old], in_local[*old]) {
        (Some(_), None) => local_has_unpaired,
        (None, Some(_)) => updated_has_unpaired,
        _ => false,
    };
    let candidates: Vec<usize> = (0..in_updated.len()).filter(is_candidate).collect();
    if candidates.is_empty() {
        return;
    }
    let names = positions_of_names(prints, elements);
    for old in candidates {
        let (side, at, other, partners) = match (in_updated[old], in_local[old]) {
            (Some(at), _) => (Side::Updated, at, Side::Local, &mut *in_local),
            (None, at) => (
                Side::Local,
                at.unwrap_or_default(),
                Side::Updated,
                &mut *in_updated,
            ),
        };
        let name = name_of(prints[side], elements[side][at]);
        let name = name.filter(|name| !names.original.contains_key(name));
        let new = name.and_then(|name| names[other].get(&name).copied().flatten());
        if let Some(new) = new.filter(|new| is_between_partners(partners, old, *new)) {
            partners[old] = Some(new);
        }
    }
}

/// Whether a position is between the partners of the nearest elements above and below that have
/// one.
fn is_between_partners(partners: &Positions, old: usize, new: usize) -> bool {
    let above = partners[..old].iter().rev().find_map(|at| *at);
    let below = partners[old..].iter().find_map(|at| *at);
    above.is_none_or(|above| above < new) && below.is_none_or(|below| new < below)
}

type Name = (Option<String>, &'static str, ScalarType, String);

/// Returns the positions of the names in three lists; `None` for a name that repeats in a list.
fn positions_of_names(
    prints: Triple<&Fingerprints<'_>>,
    elements: &Triple<Vec<EntryId>>,
) -> Triple<FxHashMap<Name, Option<usize>>> {
    let names = prints.zip(elements.as_ref());
    names.map(|(prints, elements)| {
        unique_positions(elements.iter().map(|element| name_of(prints, *element)))
    })
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
