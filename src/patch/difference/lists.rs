//! Lists that merge: the elements that changed or came, directives for those that went, and an
//! order where it takes one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::{Child, ScalarKey, scalar_key};
use crate::patch::items::{Pairing, pairing};
use crate::patch::key_text;
use crate::patch::lists::field_key;
use crate::patch::order::{in_order, positions_in};
use crate::schema::Place;
use crate::yaml::{EntryId, NodeId, Tree};

use super::values::{is_same, scalar_text};
use super::{Differ, Grain, Part};

/// The elements of a list by their keys.
struct Keys<'t> {
    keys: Vec<ScalarKey<'t>>,
    entries: Vec<EntryId>,
}

impl<'t> Keys<'t> {
    /// None where an element has no key, or two have one.
    fn of(tree: &'t Tree<'_>, list: NodeId, pairing: Pairing<'_>) -> Option<Self> {
        let entries: Vec<EntryId> = tree.entries(tree.resolve(list)).collect();
        let keys: Vec<ScalarKey<'t>> = entries
            .iter()
            .map(|entry| {
                let value = tree.entry(*entry).value;
                match pairing {
                    Pairing::Field(field) => field_key(tree, value, field),
                    Pairing::Scalar => scalar_key(tree, value),
                    Pairing::Nothing => None,
                }
            })
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
        place: Option<Place<'_>>,
    ) -> Vec<Child> {
        if is_same(self.old, old, self.new, new) {
            return self.child(entry, Part::Same);
        }
        let pairing = pairing(place);
        let (old_tree, new_tree) = (self.old, self.new);
        let keys = Keys::of(old_tree, old, pairing).zip(Keys::of(new_tree, new, pairing));
        match keys {
            _ if pairing == Pairing::Nothing => self.child(entry, Part::Whole),
            Some((olds, news)) if self.grain == Grain::Fine => {
                self.merged_list(entry, &olds, &news, name, place)
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
        place: Option<Place<'_>>,
    ) -> Vec<Child> {
        let pairing = pairing(place);
        let before: FxHashMap<ScalarKey<'a>, EntryId> = olds
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
                Some(before) => self.element(*before, *element, pairing, place),
            };
            if !matches!(part, Part::Same) {
                patched.push(*key);
            }
            children.extend(self.child(*element, part));
        }
        let mut beside = Vec::new();
        if let Pairing::Field(field) = pairing {
            for index in &gone {
                let value = self.old.entry(olds.entries[*index]).value;
                let key = self
                    .old
                    .find(value, field)
                    .map(|key| self.old.entry(key).value);
                let key = key.map_or_else(String::new, |key| scalar_text(self.old, key));
                children.push(
                    self.pieces
                        .add(format!("- $patch: delete\n  {field}: {key}\n")),
                );
            }
        } else if !gone.is_empty() {
            let values = gone
                .iter()
                .map(|index| self.old.entry(olds.entries[*index]).value);
            let texts: Vec<String> = values.map(|value| scalar_text(self.old, value)).collect();
            let key = key_text(&format!("$deleteFromPrimitiveList/{name}"));
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
        pairing: Pairing<'_>,
        place: Option<Place<'_>>,
    ) -> Part {
        let (old, new) = (self.old.entry(old).value, self.new.entry(new).value);
        match pairing {
            Pairing::Field(field) if !is_same(self.old, old, self.new, new) => {
                let element = place.map(Place::element);
                Part::Some(self.fields(old, new, element, &[field], false))
            }
            _ => Part::Same,
        }
    }

    fn order(&mut self, news: &Keys<'_>, name: &str, pairing: Pairing<'_>) -> Child {
        let values = news
            .entries
            .iter()
            .map(|entry| self.new.entry(*entry).value);
        let texts: Vec<String> = values
            .map(|value| match pairing {
                Pairing::Field(field) => {
                    let key = self.new.find(value, field);
                    let key = key.map(|key| scalar_text(self.new, self.new.entry(key).value));
                    format!("{{{field}: {}}}", key.unwrap_or_default())
                }
                _ => scalar_text(self.new, value),
            })
            .collect();
        let key = key_text(&format!("$setElementOrder/{name}"));
        self.pieces.add(format!("{key}: [{}]\n", texts.join(", ")))
    }
}

/// Whether the elements come out in the new order without a directive: `patched` are those that the
/// patch names.
fn has_order(olds: &Keys<'_>, news: &Keys<'_>, patched: &[ScalarKey<'_>]) -> bool {
    let after: FxHashSet<_> = news.keys.iter().collect();
    let olds = olds.keys.iter();
    let held: Vec<_> = olds.filter(|key| after.contains(key)).copied().collect();
    let before: FxHashSet<_> = held.iter().collect();
    let new = patched.iter().filter(|key| !before.contains(key));
    let merged: Vec<_> = held.iter().chain(new).copied().collect();
    let named = positions_in(&merged, patched);
    in_order(&merged, &named, &positions_in(&merged, &held)) == news.keys
}
