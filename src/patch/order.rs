//! The order of a merged list, which is kubectl's: what the patch names in the patch's order, the
//! rest in the target's, and the two interleaved so that the rest stays before what it was
//! before.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Where each key is first in a list of keys.
pub(super) fn positions_in<K: Hash + Eq>(keys: &[K], list: &[K]) -> Vec<Option<usize>> {
    let last_first = list.iter().enumerate().rev();
    let positions: FxHashMap<&K, usize> = last_first.map(|(at, key)| (key, at)).collect();
    keys.iter().map(|key| positions.get(key).copied()).collect()
}

/// Puts items in order: `named` is where the patch has each, `held` where the target has.
///
/// An item that the patch does not name goes before the next one that it names where the target had
/// it before that one. What is new to the target so comes before the target's own.
pub(super) fn in_order<T: Clone>(
    items: &[T],
    named: &[Option<usize>],
    held: &[Option<usize>],
) -> Vec<T> {
    let (mut patched, mut rest): (Vec<usize>, Vec<usize>) =
        (0..items.len()).partition(|index| named[*index].is_some());
    patched.sort_by_key(|index| named[*index]);
    rest.sort_by_key(|index| held[*index].unwrap_or(usize::MAX));
    let mut rest = rest.into_iter().peekable();
    let mut order = Vec::with_capacity(items.len());
    for index in patched {
        let is_before = |other: &usize| match (held[*other], held[index]) {
            (Some(other), Some(this)) => other < this,
            _ => false,
        };
        while let Some(other) = rest.next_if(is_before) {
            order.push(other);
        }
        order.push(index);
    }
    order.extend(rest);
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
        let named = positions_in(&items, &keys(patch));
        let held = positions_in(&items, &keys(target));
        in_order(&items, &named, &held).into_iter().collect()
    }

    #[test]
    fn what_is_new_comes_first() {
        assert_eq!(ordered("abc", "c", "ab"), "cab");
        assert_eq!(ordered("abcd", "bd", "abc"), "abdc");
    }

    #[test]
    fn what_is_named_takes_the_order_of_the_patch() {
        assert_eq!(ordered("abcd", "ca", "abcd"), "bcad");
        assert_eq!(ordered("abc", "", "abc"), "abc");
        assert_eq!(ordered("abc", "cba", "abc"), "cba");
    }
}
