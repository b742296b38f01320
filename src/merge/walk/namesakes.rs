//! Pairs elements of a list without a key that have the same new name or the same new value on both
//! sides: both sides inserted or renamed them (rules: Lists without a key).

use rustc_hash::FxHashMap;

use super::align::Lists;
use super::positions::{Positions, once_in_both, unique_positions};
use super::similarity::{Threshold, name_of};
use crate::merge::fingerprint::hash_of;
use crate::triple::Side;

/// The paired elements, by position. Each side has the name or the value once, and the original
/// does not have it.
#[derive(Debug, Default)]
pub(super) struct Namesakes {
    of_updated: FxHashMap<usize, usize>,
    of_local: FxHashMap<usize, usize>,
}

impl Namesakes {
    /// Pairs the elements of the same name or value. `of_updated` and `of_local` have the positions
    /// of the sides' elements in the original.
    pub(super) fn of(lists: &Lists<'_>, of_updated: &Positions, of_local: &Positions) -> Self {
        let mut namesakes = Self::default();
        if !of_updated.has_unpaired() || !of_local.has_unpaired() {
            return namesakes;
        }
        let originals = (of_updated, of_local);
        let value = |side: Side, at: usize| Some(lists.values[side][at]);
        for (updated, local) in new_in_both(lists, originals, value) {
            namesakes.insert(updated, local);
        }
        let name = |side: Side, at: usize| lists.name_hash(side, at);
        for (updated, local) in new_in_both(lists, originals, name) {
            if namesakes.of_updated(updated).is_none()
                && namesakes.of_local(local).is_none()
                && lists.are_similar((Side::Updated, updated), (Side::Local, local))
            {
                namesakes.insert(updated, local);
            }
        }
        namesakes
    }

    fn insert(&mut self, updated: usize, local: usize) {
        self.of_updated.insert(updated, local);
        self.of_local.insert(local, updated);
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

/// Returns the positions of the elements without a partner in the original whose name or value
/// updated and local have once, and the original does not have. `name_at` returns the name or value
/// of an element by its position.
fn new_in_both(
    lists: &Lists<'_>,
    (of_updated, of_local): (&Positions, &Positions),
    name_at: impl Fn(Side, usize) -> Option<u64>,
) -> impl Iterator<Item = (usize, usize)> {
    let all = |side: Side| (0..lists.elements[side].len()).map(move |at| (side, at));
    let name_of = |(side, at): (Side, usize)| name_at(side, at);
    // only names of new elements are stored: a list may have very many elements
    let is_new = |(_, at): &(Side, usize)| of_updated.get(*at).is_none();
    let of_new = |place| Some(place).filter(is_new).and_then(name_of);
    let mut updateds = unique_positions(all(Side::Updated).map(of_new));
    let olds = all(Side::Updated).filter(|place| !is_new(place));
    for name in olds.chain(all(Side::Original)).filter_map(name_of) {
        updateds.remove(&name);
    }
    let of_known = |place| name_of(place).filter(|name| updateds.contains_key(name));
    let locals = unique_positions(all(Side::Local).map(of_known));
    let pairs = once_in_both(updateds, locals);
    pairs.filter(|(_, local)| of_local.get(*local).is_none())
}

impl Lists<'_> {
    /// Pairs the original elements that both sides renamed alike: one side's version pairs with the
    /// original, and the other side has its new name. `partners` are the positions of the original
    /// elements in updated and in local.
    pub(super) fn pair_common_renames(&self, partners: [&mut Positions; 2]) {
        const SIDES: [Side; 2] = [Side::Updated, Side::Local];
        let has_unpaired = [0, 1].map(|side| {
            let paired = partners[side].iter().flatten().count();
            paired < self.elements[SIDES[side]].len()
        });
        let lacking = |partners: [bool; 2]| match partners {
            [true, false] if has_unpaired[1] => Some((0, 1)),
            [false, true] if has_unpaired[0] => Some((1, 0)),
            _ => None,
        };
        let both = |at: usize| partners.each_ref().map(|it| it.get(at).is_some());
        let originals = 0..self.elements.original.len();
        if !originals.clone().any(|at| lacking(both(at)).is_some()) {
            return;
        }
        let names = Side::ALL.map(|side| self.positions_of_names(side));
        let ends = partners.each_ref().map(|partners| next_partners(partners));
        let mut starts = [0, 0];
        for old in originals {
            let at = partners.each_ref().map(|partners| partners.get(old));
            if let Some((side, other)) = lacking(at.map(|at| at.is_some())) {
                let name = at[side].and_then(|at| self.name_hash(SIDES[side], at));
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

    /// Returns the positions on a side of the original elements that the side moved and changed:
    /// they have no partner in `partners`, and an element without a partner has their name.
    pub(super) fn moved_by_name(
        &self,
        side: Side,
        partners: &Positions,
    ) -> FxHashMap<usize, usize> {
        let paired = partners.iter().flatten().count();
        if paired == partners.len() || paired == self.elements[side].len() {
            return FxHashMap::default();
        }
        let of_side = partners.inverse(self.elements[side].len());
        let [originals, news] = [Side::Original, side].map(|side| self.positions_of_names(side));
        let mut moved: FxHashMap<usize, usize> = once_in_both(originals, news).collect();
        moved.retain(|old, new| {
            partners.get(*old).is_none()
                && of_side.get(*new).is_none()
                && self.are_similar((Side::Original, *old), (side, *new))
        });
        moved
    }

    /// Whether two elements with the same name are versions of one element.
    fn are_similar(&self, left: (Side, usize), right: (Side, usize)) -> bool {
        self.similarity(left, right, Threshold::Strict).is_some()
    }

    /// Returns the positions of the names in a list, by their hashes; `None` for a name that
    /// repeats.
    fn positions_of_names(&self, side: Side) -> FxHashMap<u64, Option<u32>> {
        let all = 0..self.elements[side].len();
        unique_positions(all.map(|at| self.name_hash(side, at)))
    }

    /// Returns a hash of the name of an element, if it has one.
    fn name_hash(&self, side: Side, at: usize) -> Option<u64> {
        Some(hash_of(&name_of(
            self.prints[side],
            self.elements[side][at],
        )?))
    }
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
