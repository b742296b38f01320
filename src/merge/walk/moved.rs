//! Elements of a list without a key that are moved, and nothing else.

use rustc_hash::FxHashMap;

use super::Walker;
use super::inserted::Lists;
use crate::merge::decision::{Child, Slot};
use crate::triple::Triple;

impl Walker<'_> {
    /// Merges the elements that a side only moved, in the place where local has them if it moved
    /// them too: what each side changed of their text stands.
    pub(super) fn moved_elements(&mut self, lists: &Lists<'_>, children: &mut Vec<Child>) {
        let mut slots: FxHashMap<Slot, Option<Triple<usize>>> = FxHashMap::default();
        for (at, is_local) in lists.moved() {
            let updated = Slot::Updated(lists.elements.updated[at.updated]);
            let local = Slot::Local(lists.elements.local[at.local]);
            slots.insert(updated, Some(at).filter(|_| !is_local));
            slots.insert(local, Some(at).filter(|_| is_local));
        }
        if slots.is_empty() {
            return;
        }
        let mut paired = Vec::with_capacity(children.len());
        for child in children.drain(..) {
            match slots.get(&child.slot) {
                Some(Some(at)) => self.paired_element(lists.elements, *at, &mut paired),
                Some(None) => {}
                None => paired.push(child),
            }
        }
        *children = paired;
    }
}

impl Lists<'_> {
    /// The elements that are moved: where they are in each list, which has each once, and whether
    /// local moved them.
    fn moved(&self) -> Vec<(Triple<usize>, bool)> {
        let (values, found) = (self.values, self.alignment);
        let is_moved = |original: &usize| {
            found.in_updated[*original].is_none() || found.in_local[*original].is_none()
        };
        let is_one = |original: &usize| {
            let count = self.count(values.original[*original]);
            count.map(|count| count.all).into_array() == [1; 3]
        };
        let moved = (0..values.original.len()).filter(is_moved).filter(is_one);
        let moved: Vec<usize> = moved.collect();
        let places = |values: &[u64]| -> FxHashMap<u64, usize> {
            let places = values.iter().enumerate().filter(|_| !moved.is_empty());
            places.map(|(at, value)| (*value, at)).collect()
        };
        let (updateds, locals) = (places(&values.updated), places(&values.local));
        let triple = |original: usize| {
            let value = values.original[original];
            let at = Triple::new(original, *updateds.get(&value)?, *locals.get(&value)?);
            Some((at, found.in_local[original].is_none()))
        };
        moved
            .iter()
            .filter_map(|original| triple(*original))
            .collect()
    }
}
