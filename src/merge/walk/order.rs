//! The order of elements that have an identity (rules: Lists with a key): local's, unless only
//! upstream moved any.

use super::Entries;
use crate::merge::decision::{Child, Slot};
use crate::yaml::EntryId;

/// Local's elements, each with its three sides, in the order that the result has them.
pub(super) type Ordered = Vec<(EntryId, Entries)>;

/// Brings local's elements into the order of the result. True where both sides moved elements, and
/// not alike: then local's order stays, and it is a conflict.
pub(super) fn put_in_order(elements: &mut Ordered) -> bool {
    let mut shared: Vec<(EntryId, EntryId, EntryId)> = elements
        .iter()
        .filter_map(|(_, sides)| Some((sides.original?, sides.updated?, sides.local?)))
        .collect();
    let same_order = shared.is_sorted_by_key(|(_, updated, _)| *updated);
    shared.sort_unstable_by_key(|(original, ..)| *original);
    let moved_upstream = !shared.is_sorted_by_key(|(_, updated, _)| *updated);
    let moved_locally = !shared.is_sorted_by_key(|(.., local)| *local);
    if moved_upstream && !moved_locally {
        take_updated_order(elements);
    }
    moved_upstream && moved_locally && !same_order
}

/// Elements that all three have take updated's order among themselves; every other one keeps its
/// position.
fn take_updated_order(elements: &mut Ordered) {
    let is_shared =
        |(_, sides): &(EntryId, Entries)| sides.original.is_some() && sides.updated.is_some();
    let mut shared: Ordered = elements.iter().copied().filter(is_shared).collect();
    shared.sort_by_key(|(_, sides)| sides.updated);
    let places = elements.iter_mut().filter(|element| is_shared(element));
    for (place, element) in places.zip(shared) {
        *place = element;
    }
}

/// Children in updated's order, where `updated_of` says which of its elements a local one is.
pub(super) fn in_updated_order(
    children: &[Child],
    updated_of: impl Fn(EntryId) -> Option<EntryId>,
) -> Vec<Child> {
    groups_by_updated(children.iter().cloned(), |child| match child.slot {
        Slot::Local(local) => updated_of(local),
        Slot::Updated(updated) => Some(updated),
    })
}

/// Items in the order of the updated entries that they are; one that is none stays behind the item
/// that it follows.
fn groups_by_updated<T>(
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
