//! Compares lists that merge. The patch has the changed and new elements, directives for the
//! removed ones, and an order if the merge would not give the new order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{Child, Outcome};
use crate::patch::lists::in_order;
use crate::patch::pairing::{ElementKey, Pairing};
use crate::patch::same::is_same_without_nulls;
use crate::schema::FieldSchema;
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, Tree};

use super::{Granularity, MergeDiffer, scalar_text};

/// An element of a list, with its key.
type KeyedElement<'t> = (ElementKey<'t>, EntryId);

/// Returns the elements of a list with their keys, or `None` if a key is missing or occurs twice.
fn keyed_elements<'t>(
    tree: &'t Tree<'_>,
    list: NodeId,
    pairing: Pairing<'t>,
) -> Option<Vec<KeyedElement<'t>>> {
    if pairing.first_without_own_key(tree, list).is_some() {
        return None;
    }
    let elements = tree.entries(tree.resolve(list));
    let elements = elements.map(|entry| Some((pairing.key(tree, tree.entry(entry).value)?, entry)));
    elements.collect()
}

impl<'a> MergeDiffer<'a> {
    /// Returns the directives beside a list of a strategic merge patch, and its outcome.
    pub(super) fn list(
        &mut self,
        old: NodeId,
        new: NodeId,
        name: &str,
        schema: FieldSchema<'a>,
    ) -> (Vec<Child>, Outcome) {
        let (old_tree, new_tree) = (self.old, self.new);
        if is_same_without_nulls(old_tree, old, new_tree, new) {
            return (Vec::new(), self.unchanged());
        }
        let pairing = Pairing::of(schema, false);
        let keyed = (
            keyed_elements(old_tree, old, pairing),
            keyed_elements(new_tree, new, pairing),
        );
        let outcome = match keyed {
            _ if pairing == Pairing::Atomic => Outcome::Keep,
            (Some(old), Some(elements)) if self.granularity == Granularity::Minimal => {
                return self.merged_list(new, &old, &elements, name, schema);
            }
            _ => {
                let directive = self.additions.entry("- $patch: replace\n".to_owned());
                let own = new_tree.entries(new_tree.resolve(new)).map(Child::keep);
                let children = std::iter::once(directive).chain(own).collect();
                self.entries(new, children)
            }
        };
        (Vec::new(), outcome)
    }

    /// Returns the directives beside a list that merges into the old one, and its outcome.
    fn merged_list(
        &mut self,
        new: NodeId,
        old_elements: &[KeyedElement<'a>],
        new_elements: &[KeyedElement<'a>],
        name: &str,
        schema: FieldSchema<'a>,
    ) -> (Vec<Child>, Outcome) {
        let pairing = Pairing::of(schema, false);
        let in_old: FxHashMap<ElementKey<'a>, EntryId> = old_elements.iter().copied().collect();
        let in_new: FxHashSet<_> = new_elements.iter().map(|(key, _)| key).collect();
        let mut children = Vec::new();
        let mut patched = Vec::new();
        for (key, element) in new_elements {
            let outcome = match in_old.get(key) {
                None => Outcome::Keep,
                Some(in_old) => self.element(*in_old, *element, schema),
            };
            if outcome != Outcome::Remove {
                patched.push(*key);
            }
            children.push(Child::local(*element, outcome));
        }
        let removed = old_elements.iter().filter(|(key, _)| !in_new.contains(key));
        let removed = removed.map(|(_, entry)| self.old.entry(*entry).value);
        let removed: Vec<String> = removed
            .map(|it| key_text(self.old, it, pairing, "\n  "))
            .collect();
        let mut directives = Vec::new();
        if pairing.is_by_fields() {
            let deletions = removed
                .iter()
                .map(|key| format!("- $patch: delete\n  {key}\n"));
            children.extend(deletions.map(|deletion| self.additions.entry(deletion)));
        } else if !removed.is_empty() {
            directives.push(self.directive("$deleteFromPrimitiveList", name, &removed));
        }
        if !is_in_order(old_elements, new_elements, &patched) {
            let values = new_elements
                .iter()
                .map(|(_, entry)| self.new.entry(*entry).value);
            let keys = values.map(|value| key_text(self.new, value, pairing, ", "));
            let keys: Vec<String> = match pairing.is_by_fields() {
                true => keys.map(|key| format!("{{{key}}}")).collect(),
                false => keys.collect(),
            };
            directives.push(self.directive("$setElementOrder", name, &keys));
        }
        let outcome = match children.iter().any(Child::stays) {
            true => self.entries(new, children),
            false => Outcome::Remove,
        };
        (directives, outcome)
    }

    /// Compares an element that both lists have.
    fn element(&mut self, old: EntryId, new: EntryId, schema: FieldSchema<'a>) -> Outcome {
        let pairing = Pairing::of(schema, false);
        let (old, new) = (self.old.entry(old).value, self.new.entry(new).value);
        if !pairing.is_by_fields() || is_same_without_nulls(self.old, old, self.new, new) {
            return Outcome::Remove;
        }
        let names: Vec<&str> = pairing.names().collect();
        let children = self.fields(old, new, schema.element(), &names, false);
        self.entries(new, children)
    }

    /// Returns a directive for the list in the field `name`.
    fn directive(&mut self, directive: &str, name: &str, elements: &[String]) -> Child {
        let key = write_text(&format!("{directive}/{name}"), true);
        let elements = elements.join(", ");
        self.additions.entry(format!("{key}: [{elements}]\n"))
    }
}

/// Returns the fields that identify an element, separated by `separator`, or the scalar that it is.
fn key_text(tree: &Tree<'_>, element: NodeId, pairing: Pairing<'_>, separator: &str) -> String {
    if !pairing.is_by_fields() {
        return scalar_text(tree, element);
    }
    let fields = pairing.names().filter_map(|name| {
        let value = tree.entry(tree.find(element, name)?).value;
        Some(format!("{name}: {}", scalar_text(tree, value)))
    });
    fields.collect::<Vec<_>>().join(separator)
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
    in_order(&merged, |key| *key, patched, &kept_keys) == new_keys
}
