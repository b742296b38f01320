//! What the patch replaces: the target takes the patch's value, and every part of it that has that
//! value keeps its text.

use crate::merge::{
    Arrival, Child, FieldIndex, Incoming, Outcome, Resident, Shape, key_of, name_of, place, shape,
};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

use super::pairing::Pairing;
use super::{Decided, Patcher};

impl<'a> Patcher<'a> {
    /// The patch's value, without its directives and nulls, for the target's.
    pub(super) fn replaced(
        &mut self,
        target: NodeId,
        patch: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided {
        let part = self.arriving(patch, schema)?;
        self.exactly(target, patch, &part, schema)
    }

    /// The part of the patch's value that comes, for the target's.
    fn exactly(
        &mut self,
        target: NodeId,
        patch: NodeId,
        part: &Outcome,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided {
        let target = self.target.resolve(target);
        let Outcome::Merge(coming) = part else {
            return Ok(self.walker.exact_value(patch, target));
        };
        let is_empty = self.target.entries(target).len() == 0;
        match (shape(self.target, target), shape(self.patch, patch)) {
            (Shape::Map, Shape::Map) if !is_empty => {
                self.exact_fields(target, patch, coming, schema)
            }
            (Shape::List, Shape::List) if !is_empty => {
                self.exact_elements(target, patch, coming, schema)
            }
            _ => Ok(Outcome::Take(Incoming::part(patch, part.clone()))),
        }
    }

    fn exact_fields(
        &mut self,
        target: NodeId,
        patch: NodeId,
        coming: &[Child],
        schema: Option<FieldSchema<'a>>,
    ) -> Decided {
        let parts: Vec<(EntryId, &Outcome)> = stays(coming);
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
                    let below = schema.map(|schema| schema.field(&name));
                    let (own, other) = self.values(entry, *found);
                    self.exactly(own, other, part, below)?
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
                None => Arrival::New(self.taken(*entry, (*part).clone())),
            })
            .collect();
        Ok(self
            .walker
            .merged_children(patch, target, place(residents, arrivals)))
    }

    fn exact_elements(
        &mut self,
        target: NodeId,
        patch: NodeId,
        coming: &[Child],
        schema: Option<FieldSchema<'a>>,
    ) -> Decided {
        let mut free: Vec<EntryId> = self.target.entries(target).collect();
        let mut children = Vec::new();
        for (entry, part) in stays(coming) {
            let found = free
                .iter()
                .position(|own| self.are_one(*own, entry, schema));
            children.push(match found {
                Some(index) => {
                    let own = free.remove(index);
                    let (value, other) = self.values(own, entry);
                    let below = schema.map(FieldSchema::element);
                    Child::local(own, self.exactly(value, other, part, below)?)
                }
                None => self.taken(entry, part.clone()),
            });
        }
        let gone = free
            .into_iter()
            .map(|entry| Child::local(entry, Outcome::Remove));
        children.extend(gone);
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// The values of an entry of the target and of one of the patch.
    fn values(&self, target: EntryId, patch: EntryId) -> (NodeId, NodeId) {
        let target = self.target.entry(target).value;
        (target, self.patch.entry(patch).value)
    }

    /// Whether two elements have one key, or where lists have none here, one value.
    fn are_one(&self, target: EntryId, patch: EntryId, schema: Option<FieldSchema<'a>>) -> bool {
        let (own, other) = self.values(target, patch);
        let pairing = Pairing::of(schema, self.dialect);
        if !pairing.is_by_fields() {
            return equal(self.target, own, self.patch, other);
        }
        let key = pairing.key(self.target, own);
        key.is_some() && key == pairing.key(self.patch, other)
    }

    /// A part of an entry of the patch, which comes.
    pub(super) fn taken(&self, entry: EntryId, part: Outcome) -> Child {
        let value = self.patch.entry(entry).value;
        Child::updated(entry, Outcome::Take(Incoming::part(value, part)))
    }
}

/// The entries of a part that come, each with what of it does.
fn stays(children: &[Child]) -> Vec<(EntryId, &Outcome)> {
    children
        .iter()
        .filter(|child| child.stays())
        .filter_map(|child| match child.slot {
            crate::merge::Slot::Local(entry) => Some((entry, &child.outcome)),
            crate::merge::Slot::Updated(_) => None,
        })
        .collect()
}
