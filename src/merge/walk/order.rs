//! Decides the order of elements that have an identity (rules: Lists with a key): local's order,
//! unless only upstream moved elements.

use super::Entries;
use crate::merge::decision::{Child, Slot};
use crate::yaml::EntryId;

/// The local elements in the order of the result, each with the entries of all sides.
pub(super) type Ordered = Vec<(EntryId, Entries)>;

/// Puts the local elements into the order of the result. Returns true for a conflict, in which both
/// sides moved elements differently; local's order stays then.
pub(super) fn put_in_order(elements: &mut Ordered) -> bool {
    let mut shared: Vec<(EntryId, EntryId, EntryId)> = elements
        .iter()
        .filter_map(|(_, sides)| Some((sides.original?, sides.updated?, sides.local?)))
        .collect();
    let moved_alike = shared.is_sorted_by_key(|(_, updated, _)| *updated);
    shared.sort_unstable_by_key(|(original, ..)| *original);
    let moved_upstream = !shared.is_sorted_by_key(|(_, updated, _)| *updated);
    let moved_locally = !shared.is_sorted_by_key(|(.., local)| *local);
    if moved_upstream && !moved_locally {
        take_updated_order(elements);
    }
    moved_upstream && moved_locally && !moved_alike
}

/// Gives the elements that all three lists have the order of updated. All other elements keep their
/// position.
fn take_updated_order(elements: &mut Ordered) {
    let is_shared =
        |(_, sides): &(EntryId, Entries)| sides.original.is_some() && sides.updated.is_some();
    let mut shared: Ordered = elements.iter().copied().filter(is_shared).collect();
    shared.sort_by_key(|(_, sides)| sides.updated);
    let slots = elements.iter_mut().filter(|element| is_shared(element));
    for (slot, element) in slots.zip(shared) {
        *slot = element;
    }
}

/// Returns the children in updated's order. `updated_of` returns the updated element of a local
/// one.
pub(super) fn in_updated_order(
    children: &[Child],
    updated_of: impl Fn(EntryId) -> Option<EntryId>,
) -> Vec<Child> {
    sort_by_updated(children.iter().cloned(), |child| match child.slot {
        Slot::Local(local) => updated_of(local),
        Slot::Updated(updated) => Some(updated),
    })
}

/// Sorts items by their updated entries. An item without one stays behind the item that it follows.
fn sort_by_updated<T>(
    items: impl Iterator<Item = T>,
    updated_of: impl Fn(&T) -> Option<EntryId>,
) -> Vec<T> {
    let mut groups: Vec<(Option<EntryId>, Vec<T>)> = vec![(None, Vec::new())];
    for item in items {
        match (updated_of(&item), groups.last_mut()) {
            (None, Some((_, group))) => group.push(item),
            (updated, _) => groups.push((updated, vec![item])),
        }
    }
    groups.sort_by_key(|(updated, _)| *updated);
    groups.into_iter().flat_map(|(_, group)| group).collect()
}
