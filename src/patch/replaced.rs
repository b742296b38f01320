//! Adds and replaces values.
//!
//! Where the target has no value, all of the patch's value is added but directives and nulls. A
//! replaced value gets that as well, and every part of it that already has its value keeps its
//! text. The outcomes of the methods whose names begin with `added` are about the patch's own
//! entries: in `Incoming::part`, they select the entries that are added.

use rustc_hash::FxHashMap;

use crate::merge::{
    Child, FieldIndex, Incoming, Outcome, Shape, UpdatedEntry, key_of, name_of, part_of, place,
    position, shape,
};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

use super::directives::{Command, PatchMap};
use super::pairing::Pairing;
use super::patch_list::PatchNodes;
use super::{Context, PatchResult, Patcher};

impl<'a> Patcher<'a> {
    /// Selects the parts of a value that are added. The value is not null.
    pub(super) fn added_value(&self, patch: NodeId, schema: FieldSchema<'a>) -> PatchResult {
        match shape(self.patch, patch) {
            Shape::Map => self.added_map(patch, schema),
            Shape::List => self.added_list(PatchNodes::of(patch), schema),
            Shape::Scalar => Ok(Outcome::Keep),
        }
    }

    /// Selects the fields of a map that are added.
    fn added_map(&self, patch: NodeId, schema: FieldSchema<'a>) -> PatchResult {
        if self.is_apply() && self.is_one_value(schema) {
            return Ok(Outcome::Keep);
        }
        let patch_map = self.patch_map(patch)?;
        let tree = self.patch;
        let mut children = Vec::new();
        for entry in tree.entries(tree.resolve(patch)) {
            let is_field = patch_map.fields.contains(&entry);
            let is_deleted = patch_map.command() == Some(Command::Delete);
            let part = if is_field && !is_deleted {
                let name = name_of(tree, entry).unwrap_or_default();
                self.added_field(tree.entry(entry).value, &name, &patch_map, schema)?
            } else {
                None
            };
            children.push(Child::local(entry, part.unwrap_or(Outcome::Remove)));
        }
        Ok(part_of(children))
    }

    /// Selects the parts of a field that are added; `None` if the field is not added.
    pub(super) fn added_field(
        &self,
        value: NodeId,
        name: &str,
        patch_map: &PatchMap,
        schema: FieldSchema<'a>,
    ) -> PatchResult<Option<Outcome>> {
        if self.patch.is_null(value) {
            return Ok(None);
        }
        let field_schema = schema.field(name);
        match shape(self.patch, value) {
            Shape::List => {
                let nodes = patch_map.nodes_of(name, Some(value));
                self.added_list(nodes, field_schema).map(Some)
            }
            Shape::Map if self.patch_map(value)?.command() == Some(Command::Delete) => Ok(None),
            Shape::Map | Shape::Scalar => self.added_value(value, field_schema).map(Some),
        }
    }

    /// Selects the parts of a list that are added. Its elements have to be in the order of
    /// `$setElementOrder`, if there is one.
    fn added_list(&self, nodes: PatchNodes, schema: FieldSchema<'a>) -> PatchResult {
        let patch_list = self.patch_list(None, nodes, Context::of(schema))?;
        if self.is_apply() && !patch_list.pairing.is_by_fields() {
            // its nulls are values
            return Ok(Outcome::Keep);
        }
        self.element_order(&patch_list)?;
        let mut elements = patch_list.elements.iter().map(|it| it.entry).peekable();
        let element = patch_list.schema.element();
        let list = nodes.value.map(|list| self.patch.resolve(list));
        let entries = list.into_iter().flat_map(|list| self.patch.entries(list));
        let children = entries.map(|entry| {
            let part = match elements.next_if_eq(&entry) {
                Some(_) => self.added_element(entry, element)?,
                None => Outcome::Remove,
            };
            Ok(Child::local(entry, part))
        });
        Ok(part_of(children.collect::<PatchResult<_>>()?))
    }

    /// Selects the parts of an element that are added.
    pub(super) fn added_element(&self, entry: EntryId, schema: FieldSchema<'a>) -> PatchResult {
        let value = self.patch.entry(entry).value;
        if self.patch.is_null(value) {
            return Ok(Outcome::Keep);
        }
        self.added_value(value, schema)
    }

    /// Replaces the target's value by the patch's value without directives and nulls.
    pub(super) fn replaced(
        &mut self,
        target: NodeId,
        patch: NodeId,
        schema: FieldSchema<'a>,
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
        schema: FieldSchema<'a>,
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
        schema: FieldSchema<'a>,
    ) -> PatchResult {
        let parts = kept_entries(added);
        let patches = FieldIndex::new(self.patch, parts.iter().map(|(entry, _)| *entry)).in_json();
        let targets = FieldIndex::of(self.target, target).in_json();
        let part_of: FxHashMap<EntryId, &Outcome> = parts.iter().copied().collect();
        let mut existing = Vec::new();
        for entry in self.target.entries(target) {
            let found = key_of(self.target, entry).and_then(|key| patches.find(key));
            let child = match found.and_then(|found| Some((found, *part_of.get(&found)?))) {
                Some(part) => {
                    let name = name_of(self.target, entry).unwrap_or_default();
                    self.exact_child(entry, part, schema.field(&name))?
                }
                None => Child::local(entry, Outcome::Remove),
            };
            existing.push(child);
        }
        let updated_entries = parts.into_iter().map(|(entry, part)| {
            match key_of(self.patch, entry).and_then(|key| targets.find(key)) {
                Some(own) => {
                    UpdatedEntry::Existing(position(self.target.entries(target), own) as u32)
                }
                None => UpdatedEntry::New(self.added_child(entry, part.clone())),
            }
        });
        let own = vec![false; existing.len()];
        let children = place(existing, &own, updated_entries, false, &[]);
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Replaces a list element by element.
    fn exact_list(
        &mut self,
        target: NodeId,
        patch: NodeId,
        added: &[Child],
        schema: FieldSchema<'a>,
    ) -> PatchResult {
        let mut unpaired: Vec<EntryId> = self.target.entries(target).collect();
        let mut children = Vec::new();
        for (entry, part) in kept_entries(added) {
            let found = unpaired
                .iter()
                .position(|target_entry| self.are_paired(*target_entry, entry, schema));
            children.push(match found {
                Some(index) => {
                    let schema = schema.element();
                    self.exact_child(unpaired.remove(index), (entry, part), schema)?
                }
                None => self.added_child(entry, part.clone()),
            });
        }
        let unpaired = unpaired.into_iter();
        children.extend(unpaired.map(|entry| Child::local(entry, Outcome::Remove)));
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Replaces the value of an entry of the target by a part of the one in an entry of the patch.
    fn exact_child(
        &mut self,
        target: EntryId,
        (patch, part): (EntryId, &Outcome),
        schema: FieldSchema<'a>,
    ) -> PatchResult<Child> {
        let (target_value, patch_value) = self.values(target, patch);
        let outcome = self.exact_part(target_value, patch_value, part, schema)?;
        Ok(Child::local(target, outcome))
    }

    /// Returns the values of an entry of the target and of an entry of the patch.
    fn values(&self, target: EntryId, patch: EntryId) -> (NodeId, NodeId) {
        let target = self.target.entry(target).value;
        (target, self.patch.entry(patch).value)
    }

    /// Whether two elements have the same key, or the same value if the list has no keys.
    fn are_paired(&self, target: EntryId, patch: EntryId, schema: FieldSchema<'a>) -> bool {
        let (target_value, patch_value) = self.values(target, patch);
        let pairing = Pairing::of(schema, self.is_kustomize());
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
    let kept = children.iter().filter(|child| child.stays());
    kept.filter_map(|child| Some((child.sides().local?, child.outcome())))
        .collect()
}
