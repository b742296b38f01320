//! What goes because upstream deleted it (rules: Scalars, Maps, Lists).

use super::index::{FieldIndex, key_of};
use super::keys::ListKey;
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::ConflictKind;
use crate::merge::decision::{Child, Chosen, Outcome};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId};

impl Walker<'_> {
    /// An entry that original and local have and updated has not.
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
            return self.conflict_kept(
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
            _ if holds_pin => self.held_whole(nodes),
            _ => self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove),
        }
    }

    /// Every field that original has goes, those that only local has stay.
    /// So do those that are an element's key, where that has to stay.
    pub(super) fn deleted_fields(
        &mut self,
        nodes: Nodes,
        original: NodeId,
        local: NodeId,
        kept: Option<&ListKey>,
    ) -> Outcome {
        let trees = self.trees;
        if entries_of(trees.local, local).len() == 0 {
            return self.conflict_kept(
                ConflictKind::DeletedUpstream,
                nodes,
                Outcome::Keep,
                Outcome::Remove,
            );
        }
        let has_lines = self.have_lines(nodes);
        let originals = FieldIndex::of(trees.original, original);
        let mut own = false;
        let children: Vec<Child> = entries_of(trees.local, local)
            .map(|entry| {
                let key = key_of(trees.local, entry);
                let sides = Triple::new(key.and_then(|key| originals.find(key)), None, Some(entry));
                own |= sides.original.is_none();
                self.has_lines = has_lines;
                if kept.is_some_and(|kept| self.is_key(kept, entry)) {
                    return Child::keep(entry).of_sides(sides);
                }
                let child = self.field(sides).unwrap_or_else(|| Child::keep(entry));
                child.of_sides(sides)
            })
            .collect();
        self.what_is_left(nodes, own, children)
    }

    /// Original's elements go, local's own ones stay.
    fn deleted_list(&mut self, nodes: Nodes, original: NodeId, local: NodeId) -> Outcome {
        let trees = self.trees;
        if entries_of(trees.local, local).len() == 0 {
            return self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove);
        }
        let Some(key) = self.pairing_key(nodes) else {
            if self.holds_pin(nodes) {
                return self.held_whole(nodes);
            }
            return self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove);
        };
        let pairs = self.paired_with_original(&key, original, local);
        let own = pairs.iter().any(|(_, before)| before.is_none());
        let children = pairs
            .into_iter()
            .map(|(entry, before)| {
                let child = match before {
                    None => Child::keep(entry),
                    Some(before) => self.deleted_element(&key, before, entry),
                };
                child.of_sides(Triple::new(before, None, Some(entry)))
            })
            .collect();
        self.what_is_left(nodes, own, children)
    }

    /// What is left of a map or list that upstream deleted; a conflict where local has added to it,
    /// for then upstream's deletion is not carried out whole.
    fn what_is_left(&mut self, nodes: Nodes, own: bool, mut children: Vec<Child>) -> Outcome {
        let row = match children.iter().any(Child::has_choice) {
            true => None,
            false => self.merged_row(nodes, &mut children),
        };
        let left = row.unwrap_or_else(|| what_is_left(children));
        if own {
            self.conflict_kept(ConflictKind::DeletedUpstream, nodes, left, Outcome::Remove)
        } else {
            left
        }
    }

    /// Local's elements with original's of the same identity.
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

    /// An element that upstream removed goes whole (rules: Lists); a conflict where local changed
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
            let outcome = self.at(step, |walker| walker.held_whole(nodes));
            return Child::local(local, outcome);
        }
        if self.holds_pin(nodes) {
            let step = self.keyed_step(key, sides);
            let outcome = self.at(step, |walker| walker.pinned_rest(key, nodes));
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

fn what_is_left(children: Vec<Child>) -> Outcome {
    let merged = Outcome::merge(children);
    if merged.has_choice() {
        let chosen = |side| match merged.choose(side) {
            Outcome::Merge(children) => what_is_left(*children),
            outcome => outcome,
        };
        let (local, updated) = (chosen(Chosen::Local), chosen(Chosen::Updated));
        // where one side leaves nothing, the whole of it is what has to be chosen
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
