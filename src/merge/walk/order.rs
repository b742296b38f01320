//! Decides the order of elements that have an identity, and of the documents of a file (rules:
//! Lists with a key, Documents): local's order, unless only upstream moved elements.

use crate::merge::decision::Child;
use crate::triple::Triple;

/// Puts local's elements, each with those that pair with it, into the order of the result. Returns
/// true for a conflict, in which both sides moved elements differently; local's order stays then.
pub(crate) fn put_in_order<T: Copy + Ord>(elements: &mut [Triple<Option<T>>]) -> bool {
    let mut shared: Vec<(T, T, T)> = elements
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
fn take_updated_order<T: Copy + Ord>(elements: &mut [Triple<Option<T>>]) {
    let is_shared = |sides: &Triple<Option<T>>| sides.original.is_some() && sides.updated.is_some();
    let mut shared: Vec<_> = elements.iter().copied().filter(is_shared).collect();
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
