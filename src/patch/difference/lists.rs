//! Compares lists that merge. The patch has the changed and new elements, directives for the
//! removed ones, and an order if the merge would not give the new order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::Child;
use crate::patch::Dialect;
use crate::patch::order::{in_order, positions_in};
use crate::patch::pairing::{ElementKey, Pairing};
use crate::schema::FieldSchema;
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, Tree};

use super::values::{is_same, scalar_text};
use super::{Granularity, MergeDiffer, Part};

/// An element of a list, with its key.
type KeyedElement<'t> = (ElementKey<'t>, EntryId);

/// Returns the elements of a list with their keys, or `None` if a key is missing or occurs twice.
fn keyed_elements<'t>(
    tree: &'t Tree<'_>,
    list: NodeId,
    pairing: Pairing<'t>,
) -> Option<Vec<KeyedElement<'t>>> {
    let entries = tree.entries(tree.resolve(list));
    let elements = entries.map(|entry| Some((pairing.key(tree, tree.entry(entry).value)?, entry)));
    let elements: Vec<KeyedElement<'t>> = elements.collect::<Option<_>>()?;
    let distinct: FxHashMap<_, _> = elements.iter().copied().collect();
    (distinct.len() == elements.len()).then_some(elements)
}

impl<'a> MergeDiffer<'a> {
    /// Returns a list of a strategic merge patch and the directives beside it.
    pub(super) fn list(
        &mut self,
        entry: EntryId,
        old: NodeId,
        new: NodeId,
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        if is_same(self.old, old, self.new, new) {
            return self.child(entry, Part::Unchanged);
        }
        let pairing = Pairing::of(schema, Dialect::Kubectl);
        let (old_tree, new_tree) = (self.old, self.new);
        match keyed_elements(old_tree, old, pairing).zip(keyed_elements(new_tree, new, pairing)) {
            _ if pairing == Pairing::Atomic => self.child(entry, Part::Whole),
            Some((old_elements, new_elements)) if self.granularity == Granularity::Minimal => {
                self.merged_list(entry, &old_elements, &new_elements, name, schema)
            }
            _ => self.replaced_list(entry, new),
        }
    }

    /// Returns the whole new list, after a `$patch: replace` directive.
    fn replaced_list(&mut self, entry: EntryId, new: NodeId) -> Vec<Child> {
        let directive = self.additions.entry("- $patch: replace\n".to_owned());
        let own = self.new.entries(self.new.resolve(new)).map(Child::keep);
        let children: Vec<Child> = std::iter::once(directive).chain(own).collect();
        let part = self.part(entry, children);
        self.child(entry, part)
    }

    /// Returns a list that merges into the old one, and the directives beside it.
    fn merged_list(
        &mut self,
        entry: EntryId,
        old_elements: &[KeyedElement<'a>],
        new_elements: &[KeyedElement<'a>],
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let pairing = Pairing::of(schema, Dialect::Kubectl);
        let in_old: FxHashMap<ElementKey<'a>, EntryId> = old_elements.iter().copied().collect();
        let in_new: FxHashSet<_> = new_elements.iter().map(|(key, _)| key).collect();
        let removed = old_elements.iter().filter(|(key, _)| !in_new.contains(key));
        let removed: Vec<NodeId> = removed
            .map(|(_, entry)| self.old.entry(*entry).value)
            .collect();
        let mut children = Vec::new();
        let mut patched = Vec::new();
        for (key, element) in new_elements {
            let part = match in_old.get(key) {
                None => Part::Whole,
                Some(in_old) => self.element(*in_old, *element, pairing, schema),
            };
            if !matches!(part, Part::Unchanged) {
                patched.push(*key);
            }
            children.extend(self.child(*element, part));
        }
        let mut directives = Vec::new();
        if pairing.is_by_fields() {
            for value in removed {
                let fields = key_fields(self.old, value, pairing).join("\n  ");
                let deletion = format!("- $patch: delete\n  {fields}\n");
                children.push(self.additions.entry(deletion));
            }
        } else if !removed.is_empty() {
            let texts = removed
                .into_iter()
                .map(|value| scalar_text(self.old, value));
            let texts: Vec<String> = texts.collect();
            let key = write_text(&format!("$deleteFromPrimitiveList/{name}"), true);
            directives.push(
                self.additions
                    .entry(format!("{key}: [{}]\n", texts.join(", "))),
            );
        }
        if !is_in_order(old_elements, new_elements, &patched) {
            directives.push(self.order(new_elements, name, pairing));
        }
        let mut result = if children.iter().any(Child::stays) {
            let part = self.part(entry, children);
            self.child(entry, part)
        } else {
            self.child(entry, Part::Unchanged)
        };
        directives.append(&mut result);
        directives
    }

    /// Compares an element that both lists have.
    fn element(
        &mut self,
        old: EntryId,
        new: EntryId,
        pairing: Pairing<'a>,
        schema: Option<FieldSchema<'a>>,
    ) -> Part {
        let (old, new) = (self.old.entry(old).value, self.new.entry(new).value);
        if !pairing.is_by_fields() || is_same(self.old, old, self.new, new) {
            return Part::Unchanged;
        }
        let names: Vec<&str> = pairing.names().collect();
        let element = schema.map(FieldSchema::element);
        Part::Entries(self.fields(old, new, element, &names, false))
    }

    /// Returns a `$setElementOrder` directive with the order of the new elements.
    fn order(
        &mut self,
        new_elements: &[KeyedElement<'_>],
        name: &str,
        pairing: Pairing<'a>,
    ) -> Child {
        let values = new_elements
            .iter()
            .map(|(_, entry)| self.new.entry(*entry).value);
        let texts: Vec<String> = values
            .map(|value| match pairing.is_by_fields() {
                true => format!("{{{}}}", key_fields(self.new, value, pairing).join(", ")),
                false => scalar_text(self.new, value),
            })
            .collect();
        let key = write_text(&format!("$setElementOrder/{name}"), true);
        self.additions
            .entry(format!("{key}: [{}]\n", texts.join(", ")))
    }
}

/// Returns the fields that identify an element as YAML.
fn key_fields(tree: &Tree<'_>, element: NodeId, pairing: Pairing<'_>) -> Vec<String> {
    let fields = pairing.names().filter_map(|name| {
        let value = tree.entry(tree.find(element, name)?).value;
        Some(format!("{name}: {}", scalar_text(tree, value)))
    });
    fields.collect()
}

/// Whether the merged list has the new order without a directive. `patched` has the keys of the
/// elements in the patch.
fn is_in_order(
    old_elements: &[KeyedElement<'_>],
    new_elements: &[KeyedElement<'_>],
    patched: &[ElementKey<'_>],
) -> bool {
    let new_keys: Vec<_> = new_elements.iter().map(|(key, _)| *key).collect();
    let in_new: FxHashSet<_> = new_keys.iter().collect();
    let old_elements = old_elements.iter().map(|(key, _)| *key);
    let kept_keys: Vec<_> = old_elements.filter(|key| in_new.contains(key)).collect();
    let in_old: FxHashSet<_> = kept_keys.iter().collect();
    let inserted = patched.iter().filter(|key| !in_old.contains(key));
    let merged: Vec<_> = kept_keys.iter().chain(inserted).copied().collect();
    let in_patch = positions_in(&merged, patched);
    in_order(&merged, &in_patch, &positions_in(&merged, &kept_keys)) == new_keys
}
