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

/// The elements of a list by their keys.
struct Keys<'t> {
    keys: Vec<ElementKey<'t>>,
    entries: Vec<EntryId>,
}

impl<'t> Keys<'t> {
    /// None where an element has no key, or two have one.
    fn of(tree: &'t Tree<'_>, list: NodeId, pairing: Pairing<'t>) -> Option<Self> {
        let entries: Vec<EntryId> = tree.entries(tree.resolve(list)).collect();
        let keys: Vec<ElementKey<'t>> = entries
            .iter()
            .map(|entry| pairing.key(tree, tree.entry(*entry).value))
            .collect::<Option<_>>()?;
        let distinct: FxHashSet<_> = keys.iter().collect();
        (distinct.len() == keys.len()).then_some(Self { keys, entries })
    }
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
        let keys = Keys::of(old_tree, old, pairing).zip(Keys::of(new_tree, new, pairing));
        match keys {
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
        olds: &Keys<'a>,
        news: &Keys<'a>,
        name: &str,
        schema: Option<FieldSchema<'a>>,
    ) -> Vec<Child> {
        let pairing = Pairing::of(schema, Dialect::Kubectl);
        let before: FxHashMap<ElementKey<'a>, EntryId> = olds
            .keys
            .iter()
            .copied()
            .zip(olds.entries.iter().copied())
            .collect();
        let after: FxHashSet<_> = news.keys.iter().collect();
        let gone: Vec<usize> = (0..olds.keys.len())
            .filter(|index| !after.contains(&olds.keys[*index]))
            .collect();
        let mut children = Vec::new();
        let mut patched = Vec::new();
        for (key, element) in news.keys.iter().zip(&news.entries) {
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
            for index in &gone {
                let value = self.old.entry(olds.entries[*index]).value;
                let fields = key_fields(self.old, value, pairing).join("\n  ");
                let deletion = format!("- $patch: delete\n  {fields}\n");
                children.push(self.pieces.add(deletion));
            }
        } else if !gone.is_empty() {
            let values = gone
                .iter()
                .map(|index| self.old.entry(olds.entries[*index]).value);
            let texts: Vec<String> = values.map(|value| scalar_text(self.old, value)).collect();
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

    fn order(&mut self, news: &Keys<'_>, name: &str, pairing: Pairing<'a>) -> Child {
        let values = news
            .entries
            .iter()
            .map(|entry| self.new.entry(*entry).value);
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
fn has_order(olds: &Keys<'_>, news: &Keys<'_>, patched: &[ElementKey<'_>]) -> bool {
    let after: FxHashSet<_> = news.keys.iter().collect();
    let olds = olds.keys.iter();
    let held: Vec<_> = olds.filter(|key| after.contains(key)).copied().collect();
    let before: FxHashSet<_> = held.iter().collect();
    let new = patched.iter().filter(|key| !before.contains(key));
    let merged: Vec<_> = held.iter().chain(new).copied().collect();
    let named = positions_in(&merged, patched);
    in_order(&merged, &named, &positions_in(&merged, &held)) == news.keys
}
