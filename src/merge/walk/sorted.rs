//! Finds the order of elements that both sides inserted at one place of a sorted list
//! (rules: Lists without a key).

use std::ops::Range;

use super::aligned_lists::AlignedLists;
use super::{Shape, Walker, entries_of, shape};
use crate::merge::index::{key_of, scalar_key};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, ScalarType, Tree};

/// The minimum length of a sorted list. Shorter lists can be in order by chance.
const MIN_SORTED_LEN: usize = 5;

/// The sort key of an element: a scalar, or the key and value of a map's first field.
type SortKey<'t> = (&'t str, &'t str);

impl Walker<'_> {
    /// Returns the side whose elements come first, if both sides inserted elements at one place of
    /// a sorted list. Returns `None` if the list is not sorted, or if the elements of the sides
    /// interleave or do not fit in between their neighbours.
    pub(super) fn first_in_order(
        &self,
        lists: &AlignedLists,
        region: &Triple<Range<usize>>,
    ) -> Option<Side> {
        if !region.original.is_empty() || region.updated.is_empty() || region.local.is_empty() {
            return None;
        }
        let elements = lists.elements.as_ref();
        let is_sorted = || is_sorted(self.trees.original, elements.original);
        if !*lists.is_sorted.get_or_init(is_sorted) {
            return None;
        }
        // the lowest and the highest sort key
        let bounds = |side: Side| -> Option<[SortKey<'_>; 2]> {
            let inserted = elements[side][region[side].clone()].iter();
            let mut sort_keys = inserted.map(|it| sort_key(self.trees[side], *it));
            let first = sort_keys.next()??;
            sort_keys.try_fold([first; 2], |[low, high], it| {
                Some([low.min(it?), high.max(it?)])
            })
        };
        let (updated, local) = (bounds(Side::Updated)?, bounds(Side::Local)?);
        let (above, below) = elements.original.split_at(region.original.start);
        let [above, below] = [above.last(), below.first()]
            .map(|neighbour| neighbour.and_then(|it| sort_key(self.trees.original, *it)));
        let are_in_order = |first: [SortKey<'_>; 2], second: [SortKey<'_>; 2]| {
            above.is_none_or(|above| above < first[0])
                && first[1] < second[0]
                && below.is_none_or(|below| second[1] < below)
        };
        if are_in_order(updated, local) {
            Some(Side::Updated)
        } else {
            are_in_order(local, updated).then_some(Side::Local)
        }
    }
}

/// Returns true if a list is long enough and fewer than one in ten of its elements is out of order.
fn is_sorted(tree: &Tree<'_>, list: &[EntryId]) -> bool {
    let sort_keys: Option<Vec<SortKey<'_>>> = list.iter().map(|it| sort_key(tree, *it)).collect();
    sort_keys.is_some_and(|sort_keys| {
        let out_of_order = sort_keys
            .windows(2)
            .filter(|pair| pair[0] >= pair[1])
            .count();
        sort_keys.len() >= MIN_SORTED_LEN && out_of_order * 10 < sort_keys.len()
    })
}

fn sort_key<'t>(tree: &'t Tree<'_>, element: EntryId) -> Option<SortKey<'t>> {
    let value = tree.entry(element).value;
    let field = match shape(tree, value) {
        Shape::Map => entries_of(tree, value).next(),
        Shape::List => return None,
        Shape::Scalar => None,
    };
    let (key, value) = match field {
        Some(field) => (key_of(tree, field)?.1, tree.entry(field).value),
        None => ("", value),
    };
    let (scalar_type, text) = scalar_key(tree, value)?;
    (scalar_type != ScalarType::Null).then_some((key, text))
}
