//! Merges elements of a list without a key that one side moved without other changes (rules: Lists
//! without a key).

use rustc_hash::{FxHashMap, FxHashSet};

use super::aligned_lists::AlignedLists;
use super::sequences::ElementMerger;
use crate::merge::decision::Slot;
use crate::triple::{Side, Triple};

impl ElementMerger<'_, '_> {
    /// Merges the elements that a side only moved, with the changes of the other side. An element
    /// that local moved stays at local's position, and any other moves to updated's.
    pub(super) fn merge_moved_elements(&mut self) {
        let elements = &self.lists.elements;
        // `None` for the slot of a moved element at which it is left out.
        let mut moved_slots: FxHashMap<Slot, Option<Triple<usize>>> = FxHashMap::default();
        for at in self.lists.moved() {
            let is_moved_locally = self.lists.in_local[at.original].is_none();
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

    /// Returns the positions of the elements that a side moved without other changes, and of which
    /// the other side has a version.
    fn moved(&self) -> Vec<Triple<usize>> {
        let is_moved = |at: &usize| self.in_updated[*at].is_none() || self.in_local[*at].is_none();
        let has_versions = |at: &usize| {
            let value = self.values.original[*at];
            let is_in_updated =
                self.in_updated[*at].is_some() || self.is_unpaired_on(Side::Updated, value);
            let is_in_local = self.in_local[*at].is_some()
                || self.is_unpaired_on(Side::Local, value)
                || self.is_unpaired_on(Side::Local, self.updated_value(*at));
            is_in_updated && is_in_local && self.count(value).original.total == 1
        };
        let moved = (0..self.values.original.len()).filter(is_moved);
        let mut moved = moved.filter(has_versions).peekable();
        // most lists have none: the positions take more memory than the counts
        if moved.peek().is_none() {
            return Vec::new();
        }
        let positions = [&self.values.updated, &self.values.local].map(|values| {
            let positions = values.iter().enumerate().map(|(at, value)| (*value, at));
            positions.collect::<FxHashMap<u64, usize>>()
        });
        let triple = |original: usize| {
            let value = &self.values.original[original];
            let [updated, local] = &positions;
            let in_updated = self.in_updated[original].or_else(|| updated.get(value).copied());
            let moved_locally = || {
                let at = local.get(value);
                at.or_else(|| local.get(&self.updated_value(original)))
                    .copied()
            };
            let in_local = self.in_local[original].or_else(moved_locally);
            Some(Triple::new(original, in_updated?, in_local?))
        };
        moved.filter_map(triple).collect()
    }

    /// Returns the value of an original element in updated.
    fn updated_value(&self, original: usize) -> u64 {
        match self.in_updated[original] {
            Some(updated) => self.values.updated[updated],
            None => self.values.original[original],
        }
    }

    /// Returns true if a side has this value once, in an element that it inserted.
    fn is_unpaired_on(&self, side: Side, value: u64) -> bool {
        let count = self.count(value)[side];
        (count.total, count.unpaired) == (1, 1)
    }
}
