//! Merges elements of a list without a key that one side moved without other changes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::aligned_lists::AlignedLists;
use super::sequences::ElementMerger;
use crate::merge::decision::Slot;
use crate::triple::{Side, Triple};

impl ElementMerger<'_, '_> {
    /// Merges the elements that a side only moved, with the text changes of both sides. An element
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

    /// Returns the positions of the moved elements that each list has once.
    fn moved(&self) -> Vec<Triple<usize>> {
        let values = &self.values;
        let is_moved = |at: &usize| self.in_updated[*at].is_none() || self.in_local[*at].is_none();
        let is_unique = |at: &usize| {
            let count = self.count(values.original[*at]);
            count.map(|count| count.total).into_array() == [1; 3]
        };
        let moved = (0..values.original.len()).filter(is_moved);
        let mut moved = moved.filter(is_unique).peekable();
        // most lists have none: the positions take more memory than the counts
        if moved.peek().is_none() {
            return Vec::new();
        }
        let positions = [&values.updated, &values.local].map(|values| {
            let positions = values.iter().enumerate().map(|(at, value)| (*value, at));
            positions.collect::<FxHashMap<u64, usize>>()
        });
        let triple = |original: usize| {
            let value = &values.original[original];
            let [updated, local] = positions.each_ref().map(|it| it.get(value));
            Some(Triple::new(original, *updated?, *local?))
        };
        moved.filter_map(triple).collect()
    }
}
