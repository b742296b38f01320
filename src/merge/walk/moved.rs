//! Merges elements of a list without a key that one side moved without other changes.

use rustc_hash::FxHashMap;

use super::Walker;
use super::aligned_lists::AlignedLists;
use crate::merge::decision::{Child, Slot};
use crate::triple::Triple;

impl Walker<'_> {
    /// Merges the elements that a side only moved, with the text changes of both sides. An element
    /// that local moved stays at local's position, and any other moves to updated's.
    pub(super) fn merge_moved_elements(&mut self, lists: &AlignedLists, children: &mut Vec<Child>) {
        // `None` for the slot of a moved element at which it is left out.
        let mut moved_slots: FxHashMap<Slot, Option<Triple<usize>>> = FxHashMap::default();
        for (at, is_moved_locally) in lists.moved() {
            let updated = Slot::Updated(lists.elements.updated[at.updated]);
            let local = Slot::Local(lists.elements.local[at.local]);
            moved_slots.insert(updated, Some(at).filter(|_| !is_moved_locally));
            moved_slots.insert(local, Some(at).filter(|_| is_moved_locally));
        }
        if moved_slots.is_empty() {
            return;
        }
        let mut merged = Vec::with_capacity(children.len());
        for child in children.drain(..) {
            match moved_slots.get(&child.slot) {
                Some(Some(at)) => self.merge_element(lists, *at, &mut merged),
                Some(None) => {}
                None => merged.push(child),
            }
        }
        *children = merged;
    }
}

impl AlignedLists {
    /// Returns the moved elements that each list has once: their positions, and whether local moved
    /// them.
    fn moved(&self) -> Vec<(Triple<usize>, bool)> {
        let (values, alignment) = (&self.values, &self.alignment);
        let is_moved = |original: &usize| {
            alignment.in_updated[*original].is_none() || alignment.in_local[*original].is_none()
        };
        let is_unique = |original: &usize| {
            let count = self.count(values.original[*original]);
            count.map(|count| count.total).into_array() == [1; 3]
        };
        let moved = (0..values.original.len())
            .filter(is_moved)
            .filter(is_unique);
        let mut moved = moved.peekable();
        if moved.peek().is_none() {
            return Vec::new();
        }
        let positions = [&values.updated, &values.local].map(|values| {
            let positions = values.iter().enumerate().map(|(at, value)| (*value, at));
            positions.collect::<FxHashMap<u64, usize>>()
        });
        let triple = |original: usize| {
            let [updated, local] = positions
                .each_ref()
                .map(|it| it.get(&values.original[original]));
            let at = Triple::new(original, *updated?, *local?);
            Some((at, alignment.in_local[original].is_none()))
        };
        moved.filter_map(triple).collect()
    }
}
