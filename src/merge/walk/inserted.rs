//! What two sides inserted in a list without a key, wherever they put it, and what they only moved.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::align::{Alignment, Found};
use super::namesakes::Namesakes;
use crate::triple::Triple;
use crate::yaml::EntryId;

/// Three lists and what of them is the same.
pub(super) struct Lists<'l> {
    pub(super) elements: &'l Triple<Vec<EntryId>>,
    pub(super) values: &'l Triple<Rc<[u64]>>,
    pub(super) alignment: &'l Alignment,
    pub(super) namesakes: &'l Namesakes,
    counts: OnceCell<FxHashMap<u64, Triple<Count>>>,
    inserted: OnceCell<Inserted>,
    pub(super) is_sorted: OnceCell<bool>,
}

/// How many elements of a list have a value, and how many of those have no partner.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count {
    pub(super) all: u32,
    unpaired: u32,
}

/// The elements that local inserted.
#[derive(Debug, Default)]
struct Inserted {
    /// Values and positions, in order.
    elements: Vec<(u64, usize)>,
    /// For each position, where the place begins that it is in.
    starts: Vec<usize>,
}

impl<'l> Lists<'l> {
    pub(super) const fn new(
        elements: &'l Triple<Vec<EntryId>>,
        values: &'l Triple<Rc<[u64]>>,
        alignment: &'l Alignment,
        namesakes: &'l Namesakes,
    ) -> Self {
        Self {
            elements,
            values,
            alignment,
            namesakes,
            counts: OnceCell::new(),
            inserted: OnceCell::new(),
            is_sorted: OnceCell::new(),
        }
    }

    pub(super) fn count(&self, value: u64) -> Triple<Count> {
        let counts = self.counts.get_or_init(|| {
            let found = self.alignment;
            let mut counts = FxHashMap::default();
            let mut count = |values: &[u64], partners: &Found, side: fn(&mut _) -> &mut Count| {
                for (value, partner) in values.iter().zip(partners) {
                    let count = side(counts.entry(*value).or_default());
                    count.all += 1;
                    count.unpaired += u32::from(partner.is_none());
                }
            };
            let values = self.values;
            count(
                &values.original,
                &found.in_updated,
                |it: &mut Triple<Count>| &mut it.original,
            );
            count(&values.updated, &found.of_updated, |it| &mut it.updated);
            count(&values.local, &found.of_local, |it| &mut it.local);
            counts
        });
        counts.get(&value).copied().unwrap_or_default()
    }

    /// Whether an element of upstream's that came there does not come here: local has inserted it
    /// too, at some place, or has deleted what upstream only moved.
    pub(super) fn is_settled(&self, updated: usize) -> bool {
        if self.namesakes.of_updated(updated).is_some() {
            return true;
        }
        let count = self.count(self.values.updated[updated]);
        if self.alignment.of_updated[updated].is_some() || count.updated.all > 1 {
            return false;
        }
        match (count.original.all, count.local.all) {
            (0, 1) | (1, 0) => true,
            (1, 1) => count.local.unpaired > 0,
            _ => false,
        }
    }

    /// Whether upstream inserted, at some place, an element of local's too that the original has
    /// not.
    pub(super) fn is_there_too(&self, local: usize) -> bool {
        if self.namesakes.of_local(local).is_some() {
            return true;
        }
        let count = self.count(self.values.local[local]);
        count.as_ref().map(|count| count.all).into_array() == [0, 1, 1]
            && count.updated.unpaired > 0
    }

    /// Whether local only moved an element that upstream deleted.
    pub(super) fn is_moved_and_deleted(&self, local: usize) -> bool {
        let count = self.count(self.values.local[local]);
        self.alignment.of_local[local].is_none()
            && count.as_ref().map(|count| count.all).into_array() == [1, 0, 1]
            && count.original.unpaired > 0
    }

    /// Whether local inserted elements of these values at one place, in this order.
    pub(super) fn has_inserted(&self, wanted: &[u64]) -> bool {
        let inserted = self.inserted.get_or_init(|| Inserted::of(self));
        !wanted.is_empty() && inserted.contains(wanted)
    }
}

impl Inserted {
    fn of(lists: &Lists<'_>) -> Self {
        let (values, originals) = (&lists.values.local, &lists.alignment.of_local);
        let mut inserted = Self::default();
        let mut start = 0;
        for (at, (value, original)) in values.iter().zip(originals).enumerate() {
            if original.is_some() {
                start = at + 1;
            } else {
                inserted.elements.push((*value, at));
            }
            inserted.starts.push(start);
        }
        inserted.elements.sort_unstable();
        inserted
    }

    /// Where a value is next, from a position on.
    fn next(&self, value: u64, from: usize) -> Option<usize> {
        let at = self
            .elements
            .partition_point(|known| *known < (value, from));
        let (found, at) = self.elements.get(at)?;
        (*found == value).then_some(*at)
    }

    fn contains(&self, wanted: &[u64]) -> bool {
        let mut start = 0;
        loop {
            let mut from = start;
            let mut places = wanted.iter().map(|value| {
                let at = self.next(*value, from)?;
                from = at + 1;
                Some(self.starts[at])
            });
            // where one is next, all have to be: none of the places before has it
            match places.find(|place| *place != Some(start)) {
                Some(Some(place)) => start = place,
                Some(None) => return false,
                None => return true,
            }
        }
    }
}
