//! Elements of a list without a key that local moved and upstream left where they are.

use rustc_hash::FxHashMap;

use super::Walker;
use super::inserted::Lists;
use crate::merge::decision::{Child, Slot};
use crate::triple::Triple;

impl Walker<'_> {
    /// Merges the elements that only local moved: what upstream changed of their text comes.
    pub(super) fn moved_elements(&mut self, lists: &Lists<'_>, children: &mut Vec<Child>) {
        let moved = lists.moved_by_local();
        let slots: FxHashMap<Slot, Triple<usize>> = moved
            .into_iter()
            .flat_map(|at| {
                let updated = Slot::Updated(lists.elements.updated[at.updated]);
                let local = Slot::Local(lists.elements.local[at.local]);
                [(updated, at), (local, at)]
            })
            .collect();
        if slots.is_empty() {
            return;
        }
        let mut paired = Vec::with_capacity(children.len());
        for child in children.drain(..) {
            match (slots.get(&child.slot), child.slot) {
                (Some(at), Slot::Local(_)) => {
                    self.paired_element(lists.elements, *at, &mut paired);
                }
                (Some(_), Slot::Updated(_)) => {}
                (None, _) => paired.push(child),
            }
        }
        *children = paired;
    }
}

impl Lists<'_> {
    /// The elements that only local moved: where they are in each list, which has each once.
    fn moved_by_local(&self) -> Vec<Triple<usize>> {
        let values = self.values;
        let left = (0..values.original.len()).filter_map(|original| {
            let updated = self.alignment.in_updated[original]?;
            let value = values.original[original];
            let is_left = self.alignment.in_local[original].is_none();
            (is_left && values.updated[updated] == value).then_some((value, (original, updated)))
        });
        let left: FxHashMap<u64, (usize, usize)> = left.collect();
        let locals = (0..values.local.len()).filter(|_| !left.is_empty());
        let moved = locals.filter_map(|local| {
            let (original, updated) = *left.get(&values.local[local])?;
            let count = self.count(values.local[local]);
            let is_one = count.map(|count| count.all).into_array() == [1; 3];
            is_one.then_some(Triple::new(original, updated, local))
        });
        moved.collect()
    }
}
