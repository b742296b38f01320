//! Pairs elements of a list without a key that have the same new name or the same new value on both
//! sides: both sides inserted or renamed them (rules: Lists without a key).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::aligned_lists::AlignedLists;
use super::element_pairs::Positions;
use super::similarity::{Threshold, name_of, similarity};
use crate::merge::fingerprint::Fingerprints;
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, ScalarType};

/// The paired elements, by position. Each side has the name or the value once, and the original
/// does not have it.
#[derive(Debug, Default)]
pub(super) struct Namesakes {
    of_updated: FxHashMap<usize, usize>,
    of_local: FxHashMap<usize, usize>,
}

impl Namesakes {
    /// Pairs the elements of the same name or value.
    pub(super) fn of(prints: Triple<&Fingerprints<'_>>, lists: &AlignedLists) -> Self {
        let elements = &lists.elements;
        let mut namesakes = Self::default();
        let mut sides = [&lists.of_updated, &lists.of_local].into_iter();
        if !sides.all(|originals| originals.contains(&None)) {
            return namesakes;
        }
        let values = lists.values.as_ref();
        let values = values.map(|values| unique_positions(values.iter().copied().map(Some)));
        namesakes.add(lists, &values, |_, _| true);
        namesakes.add(
            lists,
            &positions_of_names(prints, elements),
            |updated, local| {
                let updated = (prints.updated, elements.updated[updated]);
                let local = (prints.local, elements.local[local]);
                similarity(updated, local, Threshold::Strict).is_some()
            },
        );
        namesakes
    }

    /// Pairs the elements that only updated and local have once, by their positions.
    fn add<N: Hash + Eq>(
        &mut self,
        lists: &AlignedLists,
        positions: &Triple<FxHashMap<N, Option<usize>>>,
        are_similar: impl Fn(usize, usize) -> bool,
    ) {
        for (name, updated) in &positions.updated {
            let local = positions.local.get(name).copied().flatten();
            let Some((updated, local)) = updated.zip(local) else {
                continue;
            };
            if lists.of_updated[updated].is_none()
                && lists.of_local[local].is_none()
                && !positions.original.contains_key(name)
                && !self.of_updated.contains_key(&updated)
                && !self.of_local.contains_key(&local)
                && are_similar(updated, local)
            {
                self.of_updated.insert(updated, local);
                self.of_local.insert(local, updated);
            }
        }
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
    const SIDES: [Side; 2] = [Side::Updated, Side::Local];
    let partners = [in_updated, in_local];
    let has_unpaired = [0, 1].map(|side| {
        let paired = partners[side].iter().flatten().count();
        paired < elements[SIDES[side]].len()
    });
    let lacking = |partners: [bool; 2]| match partners {
        [true, false] if has_unpaired[1] => Some((0, 1)),
        [false, true] if has_unpaired[0] => Some((1, 0)),
        _ => None,
    };
    let mut both = partners[0].iter().zip(partners[1].iter());
    if !both.any(|(updated, local)| lacking([updated.is_some(), local.is_some()]).is_some()) {
        return;
    }
    let names = positions_of_names(prints, elements);
    let ends = partners.each_ref().map(|partners| next_partners(partners));
    let mut starts = [0, 0];
    for old in 0..elements.original.len() {
        let at = partners.each_ref().map(|partners| partners[old]);
        if let Some((side, other)) = lacking(at.map(|at| at.is_some())) {
            let renamed = at[side].map(|at| elements[SIDES[side]][at]);
            let name = renamed.and_then(|element| name_of(prints[SIDES[side]], element));
            let name = name.filter(|name| !names.original.contains_key(name));
            let new = name.and_then(|name| names[SIDES[other]].get(&name).copied().flatten());
            let place = starts[other]..ends[other][old];
            partners[other][old] = new.filter(|new| place.contains(new));
        }
        for (start, partners) in starts.iter_mut().zip(&partners) {
            *start = partners[old].map_or(*start, |at| at + 1);
        }
    }
}

/// Returns, for each element, the position of the nearest partner that it or an element below it
/// has; the highest number if there is none.
fn next_partners(partners: &Positions) -> Vec<usize> {
    let mut next = usize::MAX;
    let mut all = partners.clone();
    for partner in all.iter_mut().rev() {
        next = partner.unwrap_or(next);
        *partner = Some(next);
    }
    all.into_iter().flatten().collect()
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
