//! Lists that merge: the elements that changed or came, directives for those that went, and an
//! order where it takes one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::Child;
use crate::patch::Dialect;
use crate::patch::order::{in_order, positions_in};
use crate::patch::pairing::{ElementKey, Pairing};
use crate::schema::FieldSchema;
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, Tree};

use super::values::{is_same, scalar_text};
use super::{Differ, Grain, Part};

/// An element of a list and what identifies it.
type Keyed<'t> = (ElementKey<'t>, EntryId);

/// The elements of a list with their keys. None where an element has no key, or two have one.
fn keyed<'t>(tree: &'t Tree<'_>, list: NodeId, pairing: Pairing<'t>) -> Option<Vec<Keyed<'t>>> {
    let entries = tree.entries(tree.resolve(list));
    let elements = entries.map(|entry| Some((pairing.key(tree, tree.entry(entry).value)?, entry)));
    let elements: Vec<Keyed<'t>> = elements.collect::<Option<_>>()?;
    let distinct: FxHashMap<_, _> = elements.iter().copied().collect();
    (distinct.len() == elements.len()).then_some(elements)
}

impl<'a> Differ<'a> {
    /// A list of a strategic merge patch, and the directives beside it.
    pub(super) fn list(
        &mut self,
        entry: EntryId,
        old: NodeId,
        new: NodeId,
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        if is_same(self.old, old, self.new, new) {
            return self.child(entry, Part::Same);
        }
        let pairing = Pairing::of(schema, Dialect::Kubectl);
        let (old_tree, new_tree) = (self.old, self.new);
        match keyed(old_tree, old, pairing).zip(keyed(new_tree, new, pairing)) {
            _ if pairing == Pairing::Nothing => self.child(entry, Part::Whole),
            Some((olds, news)) if self.grain == Grain::Fine => {
                self.merged_list(entry, &olds, &news, name, schema)
            }
            _ => self.replaced_list(entry, new),
        }
    }

    /// The whole list, behind a directive that says so.
    fn replaced_list(&mut self, entry: EntryId, new: NodeId) -> Vec<Child> {
        let directive = self.pieces.add("- $patch: replace\n".to_owned());
        let own = self.new.entries(self.new.resolve(new)).map(Child::keep);
        let children: Vec<Child> = std::iter::once(directive).chain(own).collect();
        let part = self.part(entry, children);
        self.child(entry, part)
    }

    fn merged_list(
        &mut self,
        entry: EntryId,
        olds: &[Keyed<'a>],
        news: &[Keyed<'a>],
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let pairing = Pairing::of(schema, Dialect::Kubectl);
        let before: FxHashMap<ElementKey<'a>, EntryId> = olds.iter().copied().collect();
        let after: FxHashSet<_> = news.iter().map(|(key, _)| key).collect();
        let gone = olds.iter().filter(|(key, _)| !after.contains(key));
        let gone: Vec<NodeId> = gone
            .map(|(_, entry)| self.old.entry(*entry).value)
            .collect();
        let mut children = Vec::new();
        let mut patched = Vec::new();
        for (key, element) in news {
            let part = match before.get(key) {
                None => Part::Whole,
                Some(before) => self.element(*before, *element, pairing, schema),
            };
            if !matches!(part, Part::Same) {
                patched.push(*key);
            }
            children.extend(self.child(*element, part));
        }
        let mut beside = Vec::new();
        if pairing.is_by_fields() {
            for value in gone {
                let fields = key_fields(self.old, value, pairing).join("\n  ");
                let deletion = format!("- $patch: delete\n  {fields}\n");
                children.push(self.pieces.add(deletion));
            }
        } else if !gone.is_empty() {
            let texts = gone.into_iter().map(|value| scalar_text(self.old, value));
            let texts: Vec<String> = texts.collect();
            let key = write_text(&format!("$deleteFromPrimitiveList/{name}"), true);
            beside.push(self.pieces.add(format!("{key}: [{}]\n", texts.join(", "))));
        }
        if !has_order(olds, news, &patched) {
            beside.push(self.order(news, name, pairing));
        }
        let mut result = if children.iter().any(Child::stays) {
            let part = self.part(entry, children);
            self.child(entry, part)
        } else {
            self.child(entry, Part::Same)
        };
        beside.append(&mut result);
        beside
    }

    /// An element that both have.
    fn element(
        &mut self,
        old: EntryId,
        new: EntryId,
        pairing: Pairing<'a>,
        schema: Option<FieldSchema<'a>>,
    ) -> Part {
        let (old, new) = (self.old.entry(old).value, self.new.entry(new).value);
        if !pairing.is_by_fields() || is_same(self.old, old, self.new, new) {
            return Part::Same;
        }
        let names: Vec<&str> = pairing.names().collect();
        let element = schema.map(FieldSchema::element);
        Part::Some(self.fields(old, new, element, &names, false))
    }

    fn order(&mut self, news: &[Keyed<'_>], name: &str, pairing: Pairing<'a>) -> Child {
        let values = news.iter().map(|(_, entry)| self.new.entry(*entry).value);
        let texts: Vec<String> = values
            .map(|value| match pairing.is_by_fields() {
                true => format!("{{{}}}", key_fields(self.new, value, pairing).join(", ")),
                false => scalar_text(self.new, value),
            })
            .collect();
        let key = write_text(&format!("$setElementOrder/{name}"), true);
        self.pieces.add(format!("{key}: [{}]\n", texts.join(", ")))
    }
}

/// The fields that identify an element, as they are written.
fn key_fields(tree: &Tree<'_>, element: NodeId, pairing: Pairing<'_>) -> Vec<String> {
    let fields = pairing.names().filter_map(|name| {
        let value = tree.entry(tree.find(element, name)?).value;
        Some(format!("{name}: {}", scalar_text(tree, value)))
    });
    fields.collect()
}

/// Whether the elements come out in the new order without a directive: `patched` are those that the
/// patch names.
fn has_order(olds: &[Keyed<'_>], news: &[Keyed<'_>], patched: &[ElementKey<'_>]) -> bool {
    let after: Vec<_> = news.iter().map(|(key, _)| *key).collect();
    let is_there: FxHashSet<_> = after.iter().collect();
    let olds = olds.iter().map(|(key, _)| *key);
    let held: Vec<_> = olds.filter(|key| is_there.contains(key)).collect();
    let before: FxHashSet<_> = held.iter().collect();
    let new = patched.iter().filter(|key| !before.contains(key));
    let merged: Vec<_> = held.iter().chain(new).copied().collect();
    let named = positions_in(&merged, patched);
    in_order(&merged, &named, &positions_in(&merged, &held)) == after
}
