//! Lists of a patch: elements that pair by a key merge, sets of scalars unite, all others are
//! replaced.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{Child, Incoming, Outcome, Slot};
use crate::schema::FieldSchema;
use crate::yaml::NodeId;

use super::directives::Command;
use super::order::{in_order, positions_in};
use super::pairing::{ElementKey, Pairing};
use super::patch_list::{ListNodes, PatchList};
use super::{At, Decided, Dialect, Patcher};

/// An element of the merged list.
#[derive(Debug, Clone)]
struct MergedElement<'t> {
    child: Child,
    key: Option<ElementKey<'t>>,
}

impl MergedElement<'_> {
    /// Whether the target does not have it.
    const fn is_new(&self) -> bool {
        matches!(self.child.slot, Slot::Updated(_))
    }
}

impl<'a> Patcher<'a> {
    /// A list of the target: what the patch's list makes of it, and the directives about it.
    pub(super) fn list(
        &mut self,
        target: NodeId,
        nodes: ListNodes,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided {
        let target = self.target.resolve(target);
        if let Some(patch) = nodes.list.filter(|_| !self.is_strategic()) {
            return self.replaced(target, patch, None);
        }
        let patch_list = self.patch_list(nodes, schema)?;
        let is_replaced =
            patch_list.has(Command::Replace) || patch_list.pairing == Pairing::Nothing;
        if let Some(patch) = nodes.list.filter(|_| is_replaced) {
            if nodes.deletion.or(nodes.order).is_some() {
                return self.replaced_and_ordered(patch, &patch_list);
            }
            return self.replaced(target, patch, schema);
        }
        self.must_have_keys(&patch_list)?;
        let deleted = self.deleted_scalars(&patch_list)?;
        if let Some(patch) = nodes
            .list
            .filter(|_| self.target.entries(target).len() == 0)
        {
            return self.filled_list(patch, &patch_list);
        }
        // for kubectl, an order that names scalars that go counts before they go
        let is_ordered = |key| nodes.order.is_some() && deleted.contains(&key);
        let all = self.elements_of_target(target, &patch_list, &deleted)?;
        let (mut elements, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(|element| {
            element.child.outcome != Outcome::Remove || element.key.is_some_and(is_ordered)
        });
        let mut keys: FxHashSet<_> = elements.iter().map(|element| element.key).collect();
        for element in patch_list.plain.iter() {
            if keys.insert(element.key) {
                let part = self.element_part(element.entry, patch_list.element_schema())?;
                elements.push(MergedElement {
                    child: self.taken(element.entry, part),
                    key: element.key,
                });
            }
        }
        let mut children = self.put_in_order(target, elements, &patch_list)?;
        children.extend(gone.into_iter().map(|element| element.child));
        let Some(patch) = nodes.list.or(nodes.order).or(nodes.deletion) else {
            return Ok(Outcome::Keep);
        };
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// A list that takes the place of the target's, while directives speak of it as well.
    fn replaced_and_ordered(&self, patch: NodeId, patch_list: &PatchList<'a>) -> Decided {
        if let Some(deletion) = patch_list.nodes.deletion {
            return Err(self.wrong(
                deletion,
                "this list is replaced by the patch's, so that nothing can be deleted from it",
                "leave the deletion out, or the list",
            ));
        }
        self.ordered(patch_list)?;
        // the order of the patch's list is that of the directive, or there was an error
        let part = self.arriving(patch, patch_list.schema)?;
        Ok(Outcome::Take(Incoming::part(patch, part)))
    }

    /// A list that is empty takes what the patch brings.
    fn filled_list(&self, patch: NodeId, patch_list: &PatchList<'a>) -> Decided {
        self.ordered(patch_list)?;
        let part = self.arriving(patch, patch_list.schema)?;
        let brings = match &part {
            Outcome::Merge(children) => children.iter().any(Child::stays),
            _ => self.patch.entries(self.patch.resolve(patch)).len() > 0,
        };
        Ok(match brings {
            true => Outcome::Take(Incoming::part(patch, part)),
            false => Outcome::Keep,
        })
    }

    /// The scalars that `$deleteFromPrimitiveList` takes out.
    fn deleted_scalars(&self, patch_list: &PatchList<'a>) -> Decided<FxHashSet<ElementKey<'a>>> {
        let (tree, pairing) = (self.patch, patch_list.pairing);
        let Some(deletion) = patch_list.nodes.deletion else {
            return Ok(FxHashSet::default());
        };
        if let Some(field) = pairing.names().next() {
            return Err(self.wrong(
                deletion,
                "the elements of this list are maps, and $deleteFromPrimitiveList is about scalars",
                &format!("write `- {{{field}: NAME, $patch: delete}}` into the list"),
            ));
        }
        let mut deleted = FxHashSet::default();
        for entry in tree.entries(tree.resolve(deletion)) {
            let value = tree.entry(entry).value;
            let key = pairing.key(tree, value).ok_or_else(|| {
                self.wrong(value, "this is no scalar", "give the scalars that go")
            })?;
            let mut added = patch_list.plain.iter();
            if added.any(|element| element.key == Some(key)) {
                return Err(self.wrong(
                    value,
                    "this is deleted here, and the patch's list adds it",
                    "leave it out of one of the two",
                ));
            }
            deleted.insert(key);
        }
        Ok(deleted)
    }

    /// The target's elements: those that stay, each merged with the patch's of the same key, and
    /// those that go.
    fn elements_of_target(
        &mut self,
        target: NodeId,
        patch_list: &PatchList<'a>,
        deleted: &FxHashSet<ElementKey<'a>>,
    ) -> Decided<Vec<MergedElement<'a>>> {
        let pairing = patch_list.pairing;
        let gone: FxHashSet<ElementKey<'a>> = patch_list
            .deleted()
            .chain(deleted.iter().copied())
            .collect();
        let mut merged: FxHashSet<ElementKey<'a>> = FxHashSet::default();
        let mut first_items = FxHashMap::default();
        for element in patch_list.plain.iter() {
            first_items.entry(element.key).or_insert(element);
        }
        let mut keys = FxHashSet::default();
        let mut elements: Vec<MergedElement<'a>> = Vec::new();
        for entry in self.target.entries(target) {
            let key = pairing.key(self.target, self.target.entry(entry).value);
            let is_twice =
                pairing == Pairing::Scalar && !patch_list.plain.is_empty() && keys.contains(&key);
            if is_twice || key.is_some_and(|key| gone.contains(&key)) {
                let child = Child::local(entry, Outcome::Remove);
                elements.push(MergedElement { child, key });
                continue;
            }
            let element = first_items.get(&key).filter(|_| key.is_some());
            let child = match element {
                // the first of several with one key merges
                Some(element) if key.is_some_and(|key| merged.insert(key)) => {
                    let patch = self.patch.entry(element.entry).value;
                    let target = self.target.entry(entry).value;
                    let at = At::of(patch_list.element_schema());
                    let outcome = self.value(target, patch, at)?;
                    Child::local(entry, outcome)
                }
                _ => Child::keep(entry),
            };
            keys.insert(key);
            elements.push(MergedElement { child, key });
        }
        Ok(elements)
    }

    fn put_in_order(
        &self,
        target: NodeId,
        elements: Vec<MergedElement<'a>>,
        patch_list: &PatchList<'a>,
    ) -> Decided<Vec<Child>> {
        let wanted: Vec<Option<ElementKey<'a>>> = match self.ordered(patch_list)? {
            Some(keys) => keys.into_iter().map(Some).collect(),
            // where several fields identify an element, kustomize leaves the target's in their
            // order
            None if self.dialect == Dialect::Kustomize
                && matches!(patch_list.pairing, Pairing::Fields([_, _, ..], _)) =>
            {
                let new = elements.iter().filter(|it| it.is_new());
                new.map(|element| element.key).collect()
            }
            None => patch_list.plain.iter().map(|element| element.key).collect(),
        };
        let keys: Vec<_> = elements.iter().map(|element| element.key).collect();
        let held = self.held(target, &elements, patch_list);
        let mut named = positions_in(&keys, &wanted);
        for (named, key) in named.iter_mut().zip(&keys) {
            *named = named.filter(|_| key.is_some());
        }
        let children: Vec<Child> = elements.into_iter().map(|element| element.child).collect();
        Ok(in_order(&children, &named, &positions_in(&keys, &held)))
    }

    /// The keys of the target's list as far as they say what is before what.
    ///
    /// For kustomize they say nothing: what the patch names comes first.
    ///
    /// Where the patch gives an order, kubectl compares with the list as it was before, in which
    /// each new element has taken a place at the end that a deleted one left free.
    fn held(
        &self,
        target: NodeId,
        elements: &[MergedElement<'a>],
        patch_list: &PatchList<'a>,
    ) -> Vec<Option<ElementKey<'a>>> {
        if self.dialect == Dialect::Kustomize {
            return Vec::new();
        }
        let before = self.target.entries(target).len();
        let own = elements.iter().filter(|element| !element.is_new());
        let mut held: Vec<_> = own.map(|element| element.key).collect();
        let deletes = patch_list.has(Command::Delete);
        if patch_list.nodes.order.is_some() && deletes && patch_list.pairing.is_by_fields() {
            let room = before.saturating_sub(held.len());
            let new = elements.iter().filter(|element| element.is_new());
            held.extend(new.map(|element| element.key).take(room));
        }
        held
    }
}
