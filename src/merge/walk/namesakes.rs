//! Pairs elements of a list without a key that have the same new name or the same new value on both
//! sides: both sides inserted or renamed them (rules: Lists without a key).

use rustc_hash::FxHashMap;

use super::aligned_lists::AlignedLists;
use super::positions::{Positions, unique_positions};
use super::similarity::{Threshold, name_of, similarity};
use crate::merge::fingerprint::{Fingerprints, hash_of};
use crate::triple::{Side, Triple};
use crate::yaml::EntryId;

/// The paired elements, by position. Each side has the name or the value once, and the original
/// does not have it.
#[derive(Debug, Default)]
pub(super) struct Namesakes {
    of_updated: FxHashMap<usize, usize>,
    of_local: FxHashMap<usize, usize>,
}

/// Where updated and local have a name or value.
struct Occurrence {
    updated: u32,
    local: Option<u32>,
    is_repeated: bool,
}

impl Namesakes {
    /// Pairs the elements of the same name or value.
    pub(super) fn of(prints: Triple<&Fingerprints<'_>>, lists: &AlignedLists) -> Self {
        let mut namesakes = Self::default();
        if !lists.of_updated.has_unpaired() || !lists.of_local.has_unpaired() {
            return namesakes;
        }
        let value = |side: Side, at: usize| Some(lists.values[side][at]);
        namesakes.add(lists, value, |_, _| true);
        let name = |side: Side, at: usize| name_hash(prints[side], lists.elements[side][at]);
        namesakes.add(lists, name, |updated, local| {
            let updated = (prints.updated, lists.elements.updated[updated]);
            let local = (prints.local, lists.elements.local[local]);
            similarity(updated, local, Threshold::Strict).is_some()
        });
        namesakes
    }

    /// Pairs the elements that only updated and local have once. `name_at` returns the name or
    /// value of an element by its position.
    fn add(
        &mut self,
        lists: &AlignedLists,
        name_at: impl Fn(Side, usize) -> Option<u64>,
        are_similar: impl Fn(usize, usize) -> bool,
    ) {
        // only names of new elements are stored: a list may have very many elements
        let mut found: FxHashMap<u64, Occurrence> = FxHashMap::default();
        let names = |side: Side| {
            let all = 0..lists.elements[side].len();
            let name_at = &name_at;
            all.filter_map(move |at| Some((name_at(side, at)?, at as u32)))
        };
        let is_new = |at: u32| lists.of_updated.get(at as usize).is_none();
        for (name, at) in names(Side::Updated).filter(|(_, at)| is_new(*at)) {
            let first = Occurrence {
                updated: at,
                local: None,
                is_repeated: false,
            };
            let known = found.entry(name).or_insert(first);
            known.is_repeated |= known.updated != at;
        }
        for (name, _) in names(Side::Updated).filter(|(_, at)| !is_new(*at)) {
            found.remove(&name);
        }
        for (name, _) in names(Side::Original) {
            found.remove(&name);
        }
        for (name, at) in names(Side::Local) {
            if let Some(known) = found.get_mut(&name) {
                known.is_repeated |= known.local.replace(at).is_some();
            }
        }
        for occurrence in found.into_values().filter(|it| !it.is_repeated) {
            let Some(local) = occurrence.local else {
                continue;
            };
            let (updated, local) = (occurrence.updated as usize, local as usize);
            if lists.of_local.get(local).is_none()
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
    let both = |at: usize| partners.each_ref().map(|it| it.get(at).is_some());
    if !(0..partners[0].len()).any(|at| lacking(both(at)).is_some()) {
        return;
    }
    let names = Side::ALL.map(|side| positions_of_names(prints[side], &elements[side]));
    let ends = partners.each_ref().map(|partners| next_partners(partners));
    let mut starts = [0, 0];
    let originals = 0..elements.original.len();
    for old in originals {
        let at = partners.each_ref().map(|partners| partners.get(old));
        if let Some((side, other)) = lacking(at.map(|at| at.is_some())) {
            let renamed = at[side].map(|at| elements[SIDES[side]][at]);
            let name = renamed.and_then(|element| name_hash(prints[SIDES[side]], element));
            let name = name.filter(|name| !names.original.contains_key(name));
            let new = name.and_then(|name| names[SIDES[other]].get(&name).copied().flatten());
            let place = starts[other]..ends[other][old];
            let new = new.map(|new| new as usize);
            partners[other].set(old, new.filter(|new| place.contains(new)));
        }
        for (start, partners) in starts.iter_mut().zip(&partners) {
            *start = partners.get(old).map_or(*start, |at| at + 1);
        }
    }
}

/// Returns the positions on a side of the original elements that the side moved and changed: they
/// have no partner in `partners`, and an element without a partner has their name.
pub(super) fn moved_by_name(
    prints: Triple<&Fingerprints<'_>>,
    elements: &Triple<Vec<EntryId>>,
    side: Side,
    partners: &Positions,
) -> FxHashMap<usize, usize> {
    let mut moved = FxHashMap::default();
    let paired = partners.iter().flatten().count();
    if paired == partners.len() || paired == elements[side].len() {
        return moved;
    }
    let names = |side: Side| positions_of_names(prints[side], &elements[side]);
    let (originals, news) = (names(Side::Original), names(side));
    let of_side = partners.inverse(elements[side].len());
    for (name, old) in originals {
        let new = news.get(&name).copied().flatten();
        if let (Some(old), Some(new)) = (old.map(|at| at as usize), new.map(|at| at as usize))
            && partners.get(old).is_none()
            && of_side.get(new).is_none()
            && are_similar(prints, elements, old, (side, new))
        {
            moved.insert(old, new);
        }
    }
    moved
}

/// Whether an original element and one of a side with its name are versions of one element.
fn are_similar(
    prints: Triple<&Fingerprints<'_>>,
    elements: &Triple<Vec<EntryId>>,
    old: usize,
    (side, new): (Side, usize),
) -> bool {
    let old = (prints.original, elements.original[old]);
    let new = (prints[side], elements[side][new]);
    similarity(old, new, Threshold::Strict).is_some()
}

/// Returns, for each element, the position of the nearest partner that it or an element below it
/// has; the highest number if there is none.
fn next_partners(partners: &Positions) -> Vec<usize> {
    let mut next = usize::MAX;
    let mut all = vec![next; partners.len()];
    for (all, partner) in all.iter_mut().zip(partners.iter()).rev() {
        next = partner.unwrap_or(next);
        *all = next;
    }
    all
}

/// Returns the positions of the names in a list, by their hashes; `None` for a name that repeats.
fn positions_of_names(
    prints: &Fingerprints<'_>,
    elements: &[EntryId],
) -> FxHashMap<u64, Option<u32>> {
    unique_positions(elements.iter().map(|element| name_hash(prints, *element)))
}

/// Returns a hash of the name of an element, if it has one.
fn name_hash(prints: &Fingerprints<'_>, element: EntryId) -> Option<u64> {
    Some(hash_of(&name_of(prints, element)?))
}
