//! Decides what is deleted because upstream deleted it (rules: Scalars, Maps, Lists).

use super::index::{FieldIndex, key_of};
use super::keys::ListKey;
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::ConflictKind;
use crate::merge::decision::{Child, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId};

impl Walker<'_> {
    /// Merges an entry that original and local have and updated does not.
    pub(super) fn deleted_upstream(&mut self, nodes: Nodes) -> Outcome {
        let (Some(original), Some(local)) = (nodes.original, nodes.local) else {
            return Outcome::Keep;
        };
        let holds_pin = self.holds_pin(nodes);
        if self.unchanged_locally(nodes) && !holds_pin {
            return Outcome::Remove;
        }
        let trees = self.trees;
        if self.nulls_clear && trees.local.is_null(local) {
            return self.conflict_for_local(
                ConflictKind::DeletedUpstream,
                nodes,
                Outcome::Keep,
                Outcome::Remove,
            );
        }
        match (shape(trees.original, original), shape(trees.local, local)) {
            (Shape::Map, Shape::Map) if !self.is_atomic_map(nodes) => {
                self.deleted_fields(nodes, original, local, None)
            }
            (Shape::List, Shape::List) => self.deleted_list(nodes, original, local),
            _ if holds_pin => self.keep_whole_for_pin(nodes),
            _ => self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove),
        }
    }

    /// Deletes the original's fields and keeps those that only local has. Also keeps the fields of
    /// `kept_key`, the key of an element that has to stay.
    pub(super) fn deleted_fields(
        &mut self,
        nodes: Nodes,
        original: NodeId,
        local: NodeId,
        kept_key: Option<&ListKey>,
    ) -> Outcome {
        let trees = self.trees;
        if entries_of(trees.local, local).len() == 0 {
            return self.conflict_for_local(
                ConflictKind::DeletedUpstream,
                nodes,
                Outcome::Keep,
                Outcome::Remove,
            );
        }
        let on_own_lines = self.entries_on_own_lines(nodes);
        let originals = FieldIndex::of(trees.original, original);
        let mut has_local_entries = false;
        let children: Vec<Child> = entries_of(trees.local, local)
            .map(|entry| {
                let key = key_of(trees.local, entry);
                let sides = Triple::new(key.and_then(|key| originals.find(key)), None, Some(entry));
                has_local_entries |= sides.original.is_none();
                self.on_own_lines = on_own_lines;
                if kept_key.is_some_and(|kept_key| self.is_key(kept_key, entry)) {
                    return Child::keep(entry).of_sides(sides);
                }
                let child = self
                    .merge_field(sides)
                    .unwrap_or_else(|| Child::keep(entry));
                child.of_sides(sides)
            })
            .collect();
        self.remaining_entries(nodes, has_local_entries, children)
    }

    /// Deletes the original's elements and keeps local's own.
    fn deleted_list(&mut self, nodes: Nodes, original: NodeId, local: NodeId) -> Outcome {
        let trees = self.trees;
        if entries_of(trees.local, local).len() == 0 {
            return self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove);
        }
        let Some(key) = self.pairing_key(nodes) else {
            if self.holds_pin(nodes) {
                return self.keep_whole_for_pin(nodes);
            }
            return self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove);
        };
        let pairs = self.paired_with_original(&key, original, local);
        let has_local_entries = pairs.iter().any(|(_, original)| original.is_none());
        let children = pairs
            .into_iter()
            .map(|(entry, original)| {
                let child = match original {
                    None => Child::keep(entry),
                    Some(original) => self.deleted_element(&key, original, entry),
                };
                child.of_sides(Triple::new(original, None, Some(entry)))
            })
            .collect();
        self.remaining_entries(nodes, has_local_entries, children)
    }

    /// Returns the rest of a map or list that upstream deleted. Records a conflict if local added
    /// entries to it, because these stay.
    fn remaining_entries(
        &mut self,
        nodes: Nodes,
        has_local_entries: bool,
        mut children: Vec<Child>,
    ) -> Outcome {
        let row = match children.iter().any(Child::has_choice) {
            true => None,
            false => self.row_outcome(nodes, &mut children),
        };
        let rest = row.unwrap_or_else(|| remaining_outcome(children));
        if has_local_entries {
            self.conflict_for_local(ConflictKind::DeletedUpstream, nodes, rest, Outcome::Remove)
        } else {
            rest
        }
    }

    /// Returns local's elements, each with the original's element of the same identity.
    fn paired_with_original(
        &self,
        key: &ListKey,
        original: NodeId,
        local: NodeId,
    ) -> Vec<(EntryId, Option<EntryId>)> {
        let trees = self.trees;
        let originals = key.index(trees.original, original);
        entries_of(trees.local, local)
            .map(|entry| {
                let identity = key.identity(trees.local, entry);
                (entry, originals.find(identity.as_ref()))
            })
            .collect()
    }

    /// Deletes an element that upstream deleted (rules: Lists). Records a conflict if local changed
    /// it.
    pub(super) fn deleted_element(
        &mut self,
        key: &ListKey,
        original: EntryId,
        local: EntryId,
    ) -> Child {
        let sides = Triple::new(Some(original), None, Some(local));
        let nodes = self.values_of(sides);
        if self.pins.has(local) {
            let step = self.keyed_step(key, sides);
            let outcome = self.at(step, |walker| walker.keep_whole_for_pin(nodes));
            return Child::local(local, outcome);
        }
        if self.holds_pin(nodes) {
            let step = self.keyed_step(key, sides);
            let outcome = self.at(step, |walker| walker.keep_pinned_part(key, nodes));
            return Child::local(local, outcome);
        }
        if self.unchanged_locally(nodes) {
            return Child::local(local, Outcome::Remove);
        }
        let step = self.keyed_step(key, sides);
        self.at(step, |walker| {
            let outcome = walker.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove);
            Child::local(local, outcome)
        })
    }
}

/// Returns the outcome of a local collection with these entries: it is deleted if none is left.
fn remaining_outcome(children: Vec<Child>) -> Outcome {
    let merged = Outcome::merge(children);
    if merged.has_choice() {
        let outcome_for = |side| match merged.choose(side) {
            Outcome::Merge(children) => remaining_outcome(*children),
            outcome => outcome,
        };
        let (local, updated) = (outcome_for(Side::Local), outcome_for(Side::Updated));
        // If one side leaves nothing, the conflict is over the whole value.
        if local == Outcome::Remove || updated == Outcome::Remove {
            return Outcome::apart(local, updated);
        }
        return merged;
    }
    let Outcome::Merge(children) = merged else {
        return merged;
    };
    if children.iter().all(Child::is_untouched) {
        Outcome::Keep
    } else if children.iter().any(Child::stays) {
        Outcome::Merge(children)
    } else {
        Outcome::Remove
    }
}
