//! The order of a merged list, as kubectl has it. Items that the patch names are in the patch's
//! order, all others in the target's order. The two are interleaved so that an item stays before
//! the items that it was before.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Orders items by their keys. `patch` and `target` have the keys in the order of the patch and of
/// the target. If one has a key twice, the first counts.
///
/// An item that the patch does not name comes before the next named item that followed it in the
/// target. So an item that is new to the target comes before the items that only the target has.
pub(super) fn in_order<T: Clone, K: Hash + Eq>(
    items: &[T],
    key_of: impl Fn(&T) -> K,
    patch: &[K],
    target: &[K],
) -> Vec<T> {
    let [in_patch, in_target] = [patch, target].map(|list| {
        let last_first = list.iter().enumerate().rev();
        let positions: FxHashMap<&K, usize> = last_first.map(|(at, key)| (key, at)).collect();
        let position = |item| positions.get(&key_of(item)).copied();
        items.iter().map(position).collect::<Vec<_>>()
    });
    let (mut from_patch, mut others): (Vec<usize>, Vec<usize>) =
        (0..items.len()).partition(|index| in_patch[*index].is_some());
    from_patch.sort_by_key(|index| in_patch[*index]);
    others.sort_by_key(|index| in_target[*index].unwrap_or(usize::MAX));
    let mut others = others.into_iter().peekable();
    let mut order = Vec::with_capacity(items.len());
    for index in from_patch {
        let is_before = |other: &usize| match (in_target[*other], in_target[index]) {
            (Some(other), Some(this)) => other < this,
            _ => false,
        };
        while let Some(other) = others.next_if(is_before) {
            order.push(other);
        }
        order.push(index);
    }
    order.extend(others);
    order
        .into_iter()
        .map(|index| items[index].clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(items: &str, patch: &str, target: &str) -> String {
        let keys = |text: &str| text.chars().collect::<Vec<char>>();
        let items = keys(items);
        in_order(&items, |item| *item, &keys(patch), &keys(target))
            .into_iter()
            .collect()
    }

    #[test]
    fn new_elements_come_first() {
        assert_eq!(ordered("abc", "c", "ab"), "cab");
        assert_eq!(ordered("abcd", "bd", "abc"), "abdc");
    }

    #[test]
    fn named_elements_have_the_order_of_the_patch() {
        assert_eq!(ordered("abcd", "ca", "abcd"), "bcad");
        assert_eq!(ordered("abc", "", "abc"), "abc");
        assert_eq!(ordered("abc", "cba", "abc"), "cba");
    }
}
