//! Decides the order of elements that have an identity (rules: Lists with a key): local's order,
//! unless only upstream moved elements.

use super::Entries;
use crate::merge::decision::Child;
use crate::yaml::EntryId;

/// Puts local's elements, each with those that pair with it, into the order of the result. Returns
/// true for a conflict, in which both sides moved elements differently; local's order stays then.
pub(super) fn put_in_order(elements: &mut [Entries]) -> bool {
    let mut shared: Vec<(EntryId, EntryId, EntryId)> = elements
        .iter()
        .filter_map(|sides| Some((sides.original?, sides.updated?, sides.local?)))
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
fn take_updated_order(elements: &mut [Entries]) {
    let is_shared = |sides: &Entries| sides.original.is_some() && sides.updated.is_some();
    let mut shared: Vec<Entries> = elements.iter().copied().filter(is_shared).collect();
    shared.sort_by_key(|sides| sides.updated);
    let slots = elements.iter_mut().filter(|element| is_shared(element));
    for (slot, element) in slots.zip(shared) {
        *slot = element;
    }
}

/// Returns the children in updated's order. An element that updated does not have stays behind the
/// element that it follows.
pub(super) fn in_updated_order(children: &[Child]) -> Vec<Child> {
    let mut groups: Vec<&[Child]> = children
        .chunk_by(|_, child| child.sides().updated.is_none())
        .collect();
    groups.sort_by_key(|group| group[0].sides().updated);
    groups.concat()
}
