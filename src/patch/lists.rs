//! Merges lists of a patch: elements with a key merge in pairs, sets of scalars are united, and all
//! other lists are replaced.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{Child, Incoming, Outcome, Slot};
use crate::schema::FieldSchema;
use crate::yaml::NodeId;

use super::directives::Command;
use super::order::{in_order, positions_in};
use super::pairing::{ElementKey, Pairing};
use super::patch_list::{ListNodes, PatchList};
use super::{Context, Dialect, PatchResult, Patcher};

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
    /// Decides the outcome of a list of the target by the patch's list and the directives for it.
    pub(super) fn list(
        &mut self,
        target: NodeId,
        nodes: ListNodes,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let target = self.target.resolve(target);
        if let Some(patch) = nodes.list.filter(|_| !self.is_strategic()) {
            return self.replaced(target, patch, None);
        }
        let patch_list = self.patch_list(nodes, schema)?;
        let is_replaced = patch_list.has(Command::Replace) || patch_list.pairing == Pairing::Atomic;
        if let Some(patch) = nodes.list.filter(|_| is_replaced) {
            if nodes.deletion.or(nodes.order).is_some() {
                return self.replaced_and_ordered(patch, &patch_list);
            }
            return self.replaced(target, patch, schema);
        }
        self.require_unique_keys(&patch_list)?;
        let deleted = self.deleted_scalars(&patch_list)?;
        if let Some(patch) = nodes
            .list
            .filter(|_| self.target.entries(target).len() == 0)
        {
            return self.filled_empty_list(patch, &patch_list);
        }
        // kubectl removes deleted scalars only after it has ordered the list by `$setElementOrder`
        let is_ordered = |key| nodes.order.is_some() && deleted.contains(&key);
        let all = self.elements_of_target(target, &patch_list, &deleted)?;
        let (mut elements, removed): (Vec<_>, Vec<_>) = all.into_iter().partition(|element| {
            element.child.outcome != Outcome::Remove || element.key.is_some_and(is_ordered)
        });
        let mut keys: FxHashSet<_> = elements.iter().map(|element| element.key).collect();
        for element in patch_list.elements.iter() {
            if keys.insert(element.key) {
                let part = self.added_element(element.entry, patch_list.element_schema())?;
                elements.push(MergedElement {
                    child: self.added_child(element.entry, part),
                    key: element.key,
                });
            }
        }
        let mut children = self.put_in_order(target, elements, &patch_list)?;
        children.extend(removed.into_iter().map(|element| element.child));
        let Some(patch) = nodes.list.or(nodes.order).or(nodes.deletion) else {
            return Ok(Outcome::Keep);
        };
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Replaces the target's list, for which there are directives as well.
    fn replaced_and_ordered(&self, patch: NodeId, patch_list: &PatchList<'a>) -> PatchResult {
        if let Some(deletion) = patch_list.nodes.deletion {
            return Err(self.patch_error(
                deletion,
                "this list is replaced by the patch's, so that nothing can be deleted from it",
                "leave the deletion out, or the list",
            ));
        }
        self.element_order(patch_list)?;
        // the patch's list has the order of the directive: `element_order` returns an error
        // otherwise
        let part = self.added_value(patch, patch_list.schema)?;
        Ok(Outcome::Take(Incoming::part(patch, part)))
    }

    /// Fills an empty list with the elements of the patch.
    fn filled_empty_list(&self, patch: NodeId, patch_list: &PatchList<'a>) -> PatchResult {
        self.element_order(patch_list)?;
        let part = self.added_value(patch, patch_list.schema)?;
        let adds_elements = match &part {
            Outcome::Merge(children) => children.iter().any(Child::stays),
            _ => self.patch.entries(self.patch.resolve(patch)).len() > 0,
        };
        Ok(match adds_elements {
            true => Outcome::Take(Incoming::part(patch, part)),
            false => Outcome::Keep,
        })
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
        for entry in tree.entries(tree.resolve(deletion)) {
            let value = tree.entry(entry).value;
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

    /// Returns the target's elements. Elements that stay merge with the patch's element of the same
    /// key.
    fn elements_of_target(
        &mut self,
        target: NodeId,
        patch_list: &PatchList<'a>,
        deleted: &FxHashSet<ElementKey<'a>>,
    ) -> PatchResult<Vec<MergedElement<'a>>> {
        let pairing = patch_list.pairing;
        let removed: FxHashSet<ElementKey<'a>> = patch_list
            .deleted()
            .chain(deleted.iter().copied())
            .collect();
        let mut merged_keys: FxHashSet<ElementKey<'a>> = FxHashSet::default();
        let mut patch_elements = FxHashMap::default();
        for element in patch_list.elements.iter() {
            patch_elements.entry(element.key).or_insert(element);
        }
        let mut keys = FxHashSet::default();
        let mut elements: Vec<MergedElement<'a>> = Vec::new();
        for entry in self.target.entries(target) {
            let key = pairing.key(self.target, self.target.entry(entry).value);
            let is_duplicate = pairing == Pairing::Scalar
                && !patch_list.elements.is_empty()
                && keys.contains(&key);
            if is_duplicate || key.is_some_and(|key| removed.contains(&key)) {
                let child = Child::local(entry, Outcome::Remove);
                elements.push(MergedElement { child, key });
                continue;
            }
            let element = patch_elements.get(&key).filter(|_| key.is_some());
            let child = match element {
                // of several elements with one key, only the first merges
                Some(element) if key.is_some_and(|key| merged_keys.insert(key)) => {
                    let patch = self.patch.entry(element.entry).value;
                    let target = self.target.entry(entry).value;
                    let context = Context::of(patch_list.element_schema());
                    let outcome = self.value(target, patch, context)?;
                    Child::local(entry, outcome)
                }
                _ => Child::keep(entry),
            };
            keys.insert(key);
            elements.push(MergedElement { child, key });
        }
        Ok(elements)
    }

    /// Returns the elements as children in the order of the merged list.
    fn put_in_order(
        &self,
        target: NodeId,
        elements: Vec<MergedElement<'a>>,
        patch_list: &PatchList<'a>,
    ) -> PatchResult<Vec<Child>> {
        let patch_order: Vec<Option<ElementKey<'a>>> = match self.element_order(patch_list)? {
            Some(keys) => keys.into_iter().map(Some).collect(),
            // if several fields identify an element, kustomize keeps the order of the target's
            // elements
            None if self.dialect == Dialect::Kustomize
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
        let keys: Vec<_> = elements.iter().map(|element| element.key).collect();
        let target_order = self.target_order(target, &elements, patch_list);
        let mut in_patch = positions_in(&keys, &patch_order);
        for (in_patch, key) in in_patch.iter_mut().zip(&keys) {
            *in_patch = in_patch.filter(|_| key.is_some());
        }
        let children: Vec<Child> = elements.into_iter().map(|element| element.child).collect();
        Ok(in_order(
            &children,
            &in_patch,
            &positions_in(&keys, &target_order),
        ))
    }

    /// Returns the keys of the target's list, as far as they decide the order of the merged list.
    ///
    /// For kustomize, no keys do: the elements that the patch names come first.
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
        if self.dialect == Dialect::Kustomize {
            return Vec::new();
        }
        let before = self.target.entries(target).len();
        let kept = elements.iter().filter(|element| !element.is_new());
        let mut target_order: Vec<_> = kept.map(|element| element.key).collect();
        let has_deletions = patch_list.has(Command::Delete);
        if patch_list.nodes.order.is_some() && has_deletions && patch_list.pairing.is_by_fields() {
            let free_places = before.saturating_sub(target_order.len());
            let new = elements.iter().filter(|element| element.is_new());
            target_order.extend(new.map(|element| element.key).take(free_places));
        }
        target_order
    }
}
