//! Merges elements of a list without a key that one side moved: those without other changes, and
//! those that are found by their name (rules: Lists without a key).

use std::cell::LazyCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::aligned_lists::AlignedLists;
use super::sequences::ElementMerger;
use crate::merge::decision::Slot;
use crate::triple::{Side, Triple};

impl ElementMerger<'_, '_> {
    /// Merges the elements that a side moved, with the changes of the other side. An element that
    /// local moved stays at local's position, and any other moves to updated's.
    pub(super) fn merge_moved_elements(&mut self) {
        let elements = &self.lists.elements;
        // `None` for the slot of a moved element at which it is left out.
        let mut moved_slots: FxHashMap<Slot, Option<Triple<usize>>> = FxHashMap::default();
        for at in self.lists.moved() {
            let is_moved_locally = self.lists.in_local.get(at.original).is_none();
            let updated = Slot::Updated(elements.updated[at.updated]);
            let local = Slot::Local(elements.local[at.local]);
            moved_slots.insert(updated, Some(at).filter(|_| !is_moved_locally));
            moved_slots.insert(local, Some(at).filter(|_| is_moved_locally));
        }
        if moved_slots.is_empty() {
            return;
        }
        let capacity = self.children.len();
        let children = std::mem::replace(&mut self.children, Vec::with_capacity(capacity));
        for child in children {
            match moved_slots.get(&child.slot) {
                Some(Some(at)) => self.merge_element(*at),
                Some(None) => {}
                None => self.children.push(child),
            }
        }
    }
}

impl AlignedLists {
    /// Returns the positions of the moved elements in each list.
    pub(super) fn moved_positions(&self) -> &Triple<FxHashSet<usize>> {
        self.moved.get_or_init(|| {
            let moved = self.moved();
            Side::ALL.map(|side| moved.iter().map(|at| at[side]).collect())
        })
    }

    /// Returns the positions of the elements that a side moved, and of which the other side has a
    /// version.
    fn moved(&self) -> Vec<Triple<usize>> {
        let (in_updated, in_local) = (&self.in_updated, &self.in_local);
        // most lists have no moved elements: the positions take more memory than the counts
        let positions = Side::ALL.map(|side| {
            LazyCell::new(move || {
                let values = self.values[side].iter().enumerate();
                let positions = values.map(|(at, value)| (*value, at));
                positions.collect::<FxHashMap<u64, usize>>()
            })
        });
        let moved_to = |side: Side, at: usize| {
            let at_value = || positions[side].get(&self.moved_value(at, side)?).copied();
            at_value().or_else(|| self.moved_by_name[side].get(&at).copied())
        };
        let moved = (0..self.values.original.len()).filter_map(|at| {
            let (updated, local) = (in_updated.get(at), in_local.get(at));
            let is_paired = updated.is_some() && local.is_some();
            if is_paired || self.count(self.values.original[at]).original.total != 1 {
                return None;
            }
            let updated = updated.or_else(|| moved_to(Side::Updated, at))?;
            let local = local.or_else(|| moved_to(Side::Local, at))?;
            Some(Triple::new(at, updated, local))
        });
        moved.collect()
    }

    /// Returns the value of an original element that a side moved: the original's value, or the one
    /// to which upstream changed it. The side has it once, in an element that it inserted.
    pub(super) fn moved_value(&self, original: usize, side: Side) -> Option<u64> {
        let updated = self
            .in_updated
            .get(original)
            .map(|at| self.values.updated[at]);
        let updated = updated.filter(|value| self.count(*value).original.total == 0);
        let mut versions = [Some(self.values.original[original]), updated]
            .into_iter()
            .flatten();
        versions.find(|value| {
            let count = self.count(*value)[side];
            (count.total, count.unpaired) == (1, 1)
        })
    }
}
