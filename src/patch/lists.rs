//! Merges lists of a patch: elements with a key merge in pairs, sets of scalars are united, and all
//! other lists are replaced.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{Child, Outcome, Shape, Slot, shape};
use crate::yaml::{EntryId, NodeId};

use super::pairing::{ElementKey, Pairing};
use super::patch_list::{PatchElement, PatchList, PatchNodes};
use super::{Context, PatchResult, Patcher};

/// An element of the merged list.
#[derive(Debug, Clone)]
struct MergedElement<'t> {
    child: Child,
    key: Option<ElementKey<'t>>,
}

impl MergedElement<'_> {
    /// Whether the element is only in the patch.
    const fn is_new(&self) -> bool {
        matches!(self.child.slot, Slot::Updated(_))
    }
}

impl<'a> Patcher<'a> {
    /// Decides the outcome of a list of the target by the patch's list, the directives for it, and
    /// the list that was applied last.
    pub(super) fn list(
        &mut self,
        target: NodeId,
        nodes: PatchNodes,
        context: Context<'a>,
    ) -> PatchResult {
        let Some(patch) = nodes.value.or(nodes.order).or(nodes.deletion) else {
            return Ok(Outcome::Keep);
        };
        let target = self.target.resolve(target);
        let patch_list = self.patch_list(Some(target), nodes, context)?;
        let is_replaced = patch_list.is_replaced || patch_list.pairing == Pairing::Atomic;
        if is_replaced && nodes.value.is_some() {
            return self.replaced_list(target, patch, &patch_list);
        }
        self.require_unique_keys(&patch_list)?;
        let (merged, removed) = self.merged_elements(target, &patch_list, context)?;
        let mut children = self.put_in_order(target, &merged, &patch_list)?;
        children.extend(removed);
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Replaces the target's list by the patch's. If there is a `$setElementOrder` too, the patch's
    /// list has that order.
    fn replaced_list(
        &mut self,
        target: NodeId,
        patch: NodeId,
        patch_list: &PatchList<'a>,
    ) -> PatchResult {
        if let Some(deletion) = patch_list.nodes.deletion {
            return Err(self.patch_error(
                deletion,
                "this list is replaced by the patch's, so that nothing can be deleted from it",
                "leave the deletion out, or the list",
            ));
        }
        self.element_order(patch_list)?;
        let outcome = self.replaced(target, patch, patch_list.schema)?;
        self.has_unknown_lists |= !self.rules.is_strategic() && outcome != Outcome::Keep;
        Ok(outcome)
    }

    /// Returns the scalars that `$deleteFromPrimitiveList` deletes.
    fn deleted_scalars(
        &self,
        patch_list: &PatchList<'a>,
    ) -> PatchResult<FxHashSet<ElementKey<'a>>> {
        let (tree, pairing) = (self.patch, patch_list.pairing);
        let Some(deletion) = patch_list.nodes.deletion else {
            return Ok(FxHashSet::default());
        };
        if let Some(field) = pairing.names().next() {
            return Err(self.patch_error(
                deletion,
                "the elements of this list are maps, and $deleteFromPrimitiveList is about scalars",
                &format!("write `- {{{field}: NAME, $patch: delete}}` into the list"),
            ));
        }
        let mut deleted = FxHashSet::default();
        for value in tree.values(deletion) {
            let key = pairing.key(tree, value).ok_or_else(|| {
                self.patch_error(value, "this is not a scalar", "list the scalars to delete")
            })?;
            let mut added = patch_list.elements.iter();
            if added.any(|element| element.key == Some(key)) {
                return Err(self.patch_error(
                    value,
                    "this is deleted here, and the patch's list adds it",
                    "leave it out of one of the two",
                ));
            }
            deleted.insert(key);
        }
        Ok(deleted)
    }

    /// Returns the elements of the last applied configuration's list by their keys.
    fn last_elements(
        &self,
        pairing: Pairing<'a>,
        context: Context<'a>,
    ) -> FxHashMap<ElementKey<'a>, EntryId> {
        let mut elements = FxHashMap::default();
        let list = self.last().zip(context.last);
        if let Some((last, list)) = list.filter(|(last, list)| shape(last, *list) == Shape::List) {
            // the first of several elements with one key counts
            for entry in last.entries(last.resolve(list)) {
                if let Some(key) = pairing.key(last, last.entry(entry).value) {
                    elements.entry(key).or_insert(entry);
                }
            }
        }
        elements
    }

    /// Returns the context of an element whose value in the last applied configuration is `last`.
    fn element_context(&self, patch_list: &PatchList<'a>, last: Option<EntryId>) -> Context<'a> {
        Context {
            last: self.last_value(last),
            retains_keys: patch_list.schema.retains_keys(),
            ..Context::of(patch_list.schema.element())
        }
    }

    /// Merges the target's elements with the patch's elements of the same keys, and adds the patch's
    /// other elements. Returns the elements whose order is decided, and the others, which are
    /// removed.
    fn merged_elements(
        &mut self,
        target: NodeId,
        patch_list: &PatchList<'a>,
        context: Context<'a>,
    ) -> PatchResult<(Vec<MergedElement<'a>>, Vec<Child>)> {
        let (pairing, element_schema) = (patch_list.pairing, patch_list.schema.element());
        // of several elements with one key, only the first merges
        let mut unmerged = FxHashMap::default();
        for element in &patch_list.elements {
            unmerged.entry(element.key).or_insert(element.entry);
        }
        let last_elements = self.last_elements(pairing, context);
        let mut deleted = self.deleted_scalars(patch_list)?;
        // kubectl removes deleted scalars only after it has ordered the list by `$setElementOrder`
        let ordered = match patch_list.nodes.order {
            Some(_) => deleted.clone(),
            None => FxHashSet::default(),
        };
        deleted.extend(&patch_list.deleted);
        let applied_last = last_elements.keys().copied();
        deleted.extend(applied_last.filter(|key| !unmerged.contains_key(&Some(*key))));
        let is_united = pairing == Pairing::Scalar && !patch_list.elements.is_empty();
        let mut seen = FxHashSet::default();
        let (mut merged, mut removed) = (Vec::new(), Vec::new());
        for entry in self.target.entries(target) {
            let value = self.target.entry(entry).value;
            let key = pairing.key(self.target, value);
            let is_deleted = key.is_some_and(|key| deleted.contains(&key));
            if is_deleted || (!seen.insert(key) && is_united) {
                let child = Child::local(entry, Outcome::Remove);
                match key.is_some_and(|key| ordered.contains(&key)) {
                    true => merged.push(MergedElement { child, key }),
                    false => removed.push(child),
                }
                continue;
            }
            let outcome = match key.and_then(|_| unmerged.remove(&key)) {
                Some(patch) => {
                    let last = key.and_then(|key| last_elements.get(&key).copied());
                    let context = self.element_context(patch_list, last);
                    let patch = PatchNodes::of(self.patch.entry(patch).value);
                    self.value(value, patch, context)?
                }
                None => Outcome::Keep,
            };
            let child = Child::local(entry, outcome);
            merged.push(MergedElement { child, key });
        }
        for PatchElement { entry, key } in patch_list.elements.iter().copied() {
            if unmerged.remove(&key) == Some(entry) {
                let part = self.added_element(entry, element_schema)?;
                let child = self.added_child(entry, part);
                merged.push(MergedElement { child, key });
            }
        }
        Ok((merged, removed))
    }

    /// Returns the elements as children in the order of the merged list.
    fn put_in_order(
        &self,
        target: NodeId,
        elements: &[MergedElement<'a>],
        patch_list: &PatchList<'a>,
    ) -> PatchResult<Vec<Child>> {
        let patch_order: Vec<Option<ElementKey<'a>>> = match self.element_order(patch_list)? {
            Some(keys) => keys.into_iter().map(Some).collect(),
            // if several fields identify an element, kustomize keeps the order of the target's
            // elements
            None if self.is_kustomize()
                && matches!(patch_list.pairing, Pairing::Fields([_, _, ..], _)) =>
            {
                let new = elements.iter().filter(|it| it.is_new());
                new.map(|element| element.key).collect()
            }
            None => patch_list
                .elements
                .iter()
                .map(|element| element.key)
                .collect(),
        };
        let target_order = self.target_order(target, elements, patch_list);
        let ordered = in_order(elements, |it| it.key, &patch_order, &target_order).into_iter();
        Ok(ordered.map(|element| element.child).collect())
    }

    /// Returns the keys of the target's list, as far as they decide the order of the merged list.
    ///
    /// For kustomize and `kubectl apply`, no keys do: the elements that the patch names come first.
    ///
    /// If the patch has `$setElementOrder`, kubectl compares with the target's list before the
    /// merge. In that list, each new element takes a place that a deleted element left free at the
    /// end.
    fn target_order(
        &self,
        target: NodeId,
        elements: &[MergedElement<'a>],
        patch_list: &PatchList<'a>,
    ) -> Vec<Option<ElementKey<'a>>> {
        if self.is_kustomize() || self.is_apply() {
            return Vec::new();
        }
        let before = self.target.entries(target).len();
        let kept = elements.iter().filter(|element| !element.is_new());
        let mut target_order: Vec<_> = kept.map(|element| element.key).collect();
        if patch_list.nodes.order.is_some() && !patch_list.deleted.is_empty() {
            let free_places = before.saturating_sub(target_order.len());
            let new = elements.iter().filter(|element| element.is_new());
            target_order.extend(new.map(|element| element.key).take(free_places));
        }
        target_order
    }
}

/// Orders the items of a merged list by their keys, as kubectl does. Items that the patch names are
/// in the patch's order, all others in the target's order. The two are interleaved so that an item
/// stays before the items that it was before.
/// `patch` and `target` have the keys in the order of the patch and of
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
