//! The order of elements that have an identity (SPEC 6): local's, unless only upstream moved any.

use super::Entries;
use crate::yaml::EntryId;

/// Local's elements, each with its three sides, in the order that the result has them.
pub(super) type Ordered = Vec<(EntryId, Entries)>;

/// Brings local's elements into the order of the result. True where both sides moved elements, and not alike: then
/// local's order stays, and it is a conflict.
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

/// Elements that updated has take its order; what only local has stays behind the one that it follows.
fn take_updated_order(elements: &mut Ordered) {
    let mut groups: Vec<(Option<EntryId>, Ordered)> = vec![(None, Vec::new())];
    for element in elements.drain(..) {
        match element.1.updated {
            Some(updated) => groups.push((Some(updated), vec![element])),
            None => {
                if let Some((_, group)) = groups.last_mut() {
                    group.push(element);
                }
            }
        }
    }
    groups.sort_by_key(|(updated, _)| *updated);
    elements.extend(groups.into_iter().flat_map(|(_, group)| group));
}
