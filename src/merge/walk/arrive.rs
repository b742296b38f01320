//! What comes from upstream where local has nothing (rules: Maps, Lists): the difference from
//! original to updated.

use super::index::{FieldIndex, key_of};
use super::keys::ListKey;
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::merge::{ConflictKind, Sides};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, equal};

impl Walker<'_> {
    /// What of an entry comes that updated has and local has not. Where original has it, local
    /// deleted it: a conflict. An element of which only a part comes takes its key along.
    pub(super) fn absent_locally(
        &mut self,
        nodes: Nodes,
        key: Option<&ListKey>,
    ) -> Option<Outcome> {
        let updated = nodes.updated?;
        let part = self.difference(nodes.original, updated)?;
        if nodes.original.is_none() {
            return Some(Outcome::Take(Incoming::part(updated, part)));
        }
        let part = match key {
            // between equals each side of a conflict is the whole of that side
            _ if self.options.sides == Sides::Equal => Outcome::Keep,
            Some(key) => self.with_key_fields(key, part),
            None => part,
        };
        let taken = Outcome::Take(Incoming::part(updated, part));
        let outcome =
            self.conflict_over(ConflictKind::DeletedLocally, nodes, Outcome::Remove, taken);
        (outcome != Outcome::Remove).then_some(outcome)
    }

    /// What of `updated` is not in `original`, as a part of the updated tree; `None` if there is
    /// nothing.
    fn difference(&self, original: Option<NodeId>, updated: NodeId) -> Option<Outcome> {
        let Some(original) = original else {
            return self.addition(updated);
        };
        let trees = self.trees;
        if equal(trees.original, original, trees.updated, updated) {
            return None;
        }
        if self.nulls_clear && trees.updated.is_null(updated) {
            return None;
        }
        let maps = Triple::new(Some(original), Some(updated), None);
        match (
            shape(trees.original, original),
            shape(trees.updated, updated),
        ) {
            (Shape::Map, Shape::Map) if !self.is_atomic_map(maps) => {
                self.field_difference(original, updated)
            }
            (Shape::List, Shape::List) => {
                let lists = Triple::new(Some(original), Some(updated), None);
                match self.pairing_key(lists) {
                    Some(key) => self.element_difference(&key, original, updated),
                    None => Some(Outcome::Keep),
                }
            }
            _ => Some(Outcome::Keep),
        }
    }

    fn field_difference(&self, original: NodeId, updated: NodeId) -> Option<Outcome> {
        let trees = self.trees;
        let originals = FieldIndex::of(trees.original, original);
        self.part_that_comes(updated, |entry| {
            let before = key_of(trees.updated, entry).and_then(|key| originals.find(key));
            let before = before.map(|before| trees.original.entry(before).value);
            self.difference(before, trees.updated.entry(entry).value)
        })
    }

    fn element_difference(
        &self,
        key: &ListKey,
        original: NodeId,
        updated: NodeId,
    ) -> Option<Outcome> {
        let trees = self.trees;
        let originals = key.index(trees.original, original);
        self.part_that_comes(updated, |entry| {
            let value = trees.updated.entry(entry).value;
            let before = originals.find(Some(&key.identity(trees.updated, entry)?));
            if *key == ListKey::Scalar {
                // In a set a null is a member like any other.
                return before.is_none().then_some(Outcome::Keep);
            }
            let before = before.map(|before| trees.original.entry(before).value);
            let part = self.difference(before, value)?;
            Some(if before.is_some() {
                self.with_key_fields(key, part)
            } else {
                part
            })
        })
    }

    /// An element of which only a part comes takes its key along.
    fn with_key_fields(&self, key: &ListKey, part: Outcome) -> Outcome {
        let Outcome::Merge(mut children) = part else {
            return part;
        };
        for child in &mut children {
            if let super::super::decision::Slot::Local(entry) = child.slot
                && key_of(self.trees.updated, entry)
                    .is_some_and(|(_, name)| key.names().any(|key| key == name))
            {
                child.outcome = Outcome::Keep;
            }
        }
        part_of(children)
    }

    /// The entries of an updated collection for which `coming` gives a part; `None` if it gives
    /// none for any.
    fn part_that_comes(
        &self,
        updated: NodeId,
        mut coming: impl FnMut(EntryId) -> Option<Outcome>,
    ) -> Option<Outcome> {
        let children: Vec<Child> = entries_of(self.trees.updated, updated)
            .map(|entry| Child::local(entry, coming(entry).unwrap_or(Outcome::Remove)))
            .collect();
        children.iter().any(Child::stays).then(|| part_of(children))
    }

    /// All of a value that original has not; nothing where it is a null, which has nothing to clear
    /// here.
    fn addition(&self, updated: NodeId) -> Option<Outcome> {
        let is_command = self.nulls_clear && self.trees.updated.is_null(updated);
        (!is_command).then_some(Outcome::Keep)
    }
}

/// `Keep` where every child is whole, else the children one by one.
pub(crate) fn part_of(children: Vec<Child>) -> Outcome {
    if children.iter().all(Child::is_untouched) {
        Outcome::Keep
    } else {
        Outcome::Merge(children)
    }
}
