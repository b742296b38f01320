//! Replaces values: the target gets the patch's value, and every part of it that already has that
//! value keeps its text.

use crate::merge::{
    Arrival, Child, FieldIndex, Incoming, Outcome, Resident, Shape, key_of, name_of, place, shape,
};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

use super::pairing::Pairing;
use super::{PatchResult, Patcher};

impl<'a> Patcher<'a> {
    /// Replaces the target's value by the patch's value without directives and nulls.
    pub(super) fn replaced(
        &mut self,
        target: NodeId,
        patch: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let part = self.added_value(patch, schema)?;
        self.exact_part(target, patch, &part, schema)
    }

    /// Replaces the target's value by the part of the patch's value that is added.
    fn exact_part(
        &mut self,
        target: NodeId,
        patch: NodeId,
        part: &Outcome,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let target = self.target.resolve(target);
        let Outcome::Merge(added) = part else {
            return Ok(self.walker.exact_value(patch, target));
        };
        let is_empty = self.target.entries(target).len() == 0;
        match (shape(self.target, target), shape(self.patch, patch)) {
            (Shape::Map, Shape::Map) if !is_empty => self.exact_map(target, patch, added, schema),
            (Shape::List, Shape::List) if !is_empty => {
                self.exact_list(target, patch, added, schema)
            }
            _ => Ok(Outcome::Take(Incoming::part(patch, part.clone()))),
        }
    }

    /// Replaces a map field by field.
    fn exact_map(
        &mut self,
        target: NodeId,
        patch: NodeId,
        added: &[Child],
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let parts: Vec<(EntryId, &Outcome)> = kept_entries(added);
        let patches = FieldIndex::new(self.patch, parts.iter().map(|(entry, _)| *entry)).in_json();
        let mut residents = Vec::new();
        let mut positions = rustc_hash::FxHashMap::default();
        for (position, entry) in self.target.entries(target).enumerate() {
            let found = key_of(self.target, entry).and_then(|key| patches.find(key));
            let part = found.and_then(|found| parts.iter().find(|(entry, _)| *entry == found));
            let outcome = match part {
                Some((found, part)) => {
                    positions.insert(*found, position);
                    let name = name_of(self.target, entry).unwrap_or_default();
                    let field_schema = schema.map(|schema| schema.field(&name));
                    let (target_value, patch_value) = self.values(entry, *found);
                    self.exact_part(target_value, patch_value, part, field_schema)?
                }
                None => Outcome::Remove,
            };
            residents.push(Resident {
                child: Child::local(entry, outcome),
                own: false,
            });
        }
        let arrivals = parts
            .iter()
            .map(|(entry, part)| match positions.get(entry) {
                Some(position) => Arrival::Resident(*position),
                None => Arrival::New(self.added_child(*entry, (*part).clone())),
            })
            .collect();
        Ok(self
            .walker
            .merged_children(patch, target, place(residents, arrivals)))
    }

    /// Replaces a list element by element.
    fn exact_list(
        &mut self,
        target: NodeId,
        patch: NodeId,
        added: &[Child],
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        let mut unpaired: Vec<EntryId> = self.target.entries(target).collect();
        let mut children = Vec::new();
        for (entry, part) in kept_entries(added) {
            let found = unpaired
                .iter()
                .position(|target_entry| self.are_paired(*target_entry, entry, schema));
            children.push(match found {
                Some(index) => {
                    let target_entry = unpaired.remove(index);
                    let (target_value, patch_value) = self.values(target_entry, entry);
                    let element_schema = schema.map(FieldSchema::element);
                    Child::local(
                        target_entry,
                        self.exact_part(target_value, patch_value, part, element_schema)?,
                    )
                }
                None => self.added_child(entry, part.clone()),
            });
        }
        let removed = unpaired
            .into_iter()
            .map(|entry| Child::local(entry, Outcome::Remove));
        children.extend(removed);
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Returns the values of an entry of the target and of an entry of the patch.
    fn values(&self, target: EntryId, patch: EntryId) -> (NodeId, NodeId) {
        let target = self.target.entry(target).value;
        (target, self.patch.entry(patch).value)
    }

    /// Whether two elements have the same key, or the same value if the list has no keys.
    fn are_paired(&self, target: EntryId, patch: EntryId, schema: Option<FieldSchema<'a>>) -> bool {
        let (target_value, patch_value) = self.values(target, patch);
        let pairing = Pairing::of(schema, self.dialect);
        if !pairing.is_by_fields() {
            return equal(self.target, target_value, self.patch, patch_value);
        }
        let key = pairing.key(self.target, target_value);
        key.is_some() && key == pairing.key(self.patch, patch_value)
    }

    /// Returns a child that adds a part of an entry of the patch.
    pub(super) fn added_child(&self, entry: EntryId, part: Outcome) -> Child {
        let value = self.patch.entry(entry).value;
        Child::updated(entry, Outcome::Take(Incoming::part(value, part)))
    }
}

/// Returns the entries that stay, each with its outcome.
fn kept_entries(children: &[Child]) -> Vec<(EntryId, &Outcome)> {
    children
        .iter()
        .filter(|child| child.stays())
        .filter_map(|child| match child.slot {
            crate::merge::Slot::Local(entry) => Some((entry, &child.outcome)),
            crate::merge::Slot::Updated(_) => None,
        })
        .collect()
}
