//! Decides what is deleted because upstream deleted it (rules: Scalars, Maps, Lists).

use super::arrive::part_of;
use super::keys::ListKey;
use super::same_text::{same_entry_text, same_lines_with_text};
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{Child, Outcome};
use crate::merge::{ConflictKind, Sides};
use crate::triple::{Side, Triple};
use crate::yaml::EntryId;

impl Walker<'_> {
    /// Merges an entry that original and local have and updated does not. An element of an
    /// associative list goes as a whole, and any other entry part by part, except in a merge of
    /// equal sides.
    pub(super) fn deleted_entry(&mut self, original: EntryId, local: EntryId) -> Outcome {
        let nodes = self.values_of(Triple::new(Some(original), None, Some(local)));
        if self.holds_pin(nodes) {
            return self.deleted_value(nodes);
        }
        if self.is_renamed(original, (Side::Local, local)) {
            let kind = ConflictKind::DeletedUpstream;
            return self.conflict_for_local(kind, nodes, Outcome::Keep, Outcome::Remove);
        }
        let sides = [(self.trees.original, original), (self.trees.local, local)];
        // its value may differ if it has an alias: then the anchor changed, and not this entry
        let is_unchanged = same_entry_text(sides) || self.unchanged_locally(nodes);
        let is_contested = match self.options.sides {
            Sides::Equal => self.is_rewritten(original, (Side::Local, local)),
            Sides::Upstream => self.key_of_element().is_some() && !is_unchanged,
        };
        if is_contested {
            return self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove);
        }
        match is_unchanged || self.options.sides == Sides::Equal {
            true => Outcome::Remove,
            false => self.deleted_value(nodes),
        }
    }

    /// Whether a side changed the lines of an entry, apart from blank lines and a common
    /// indentation, or wrote a comment right above it.
    pub(super) fn is_rewritten(&self, original: EntryId, (side, entry): (Side, EntryId)) -> bool {
        !same_lines_with_text((self.trees.original, original), (self.trees[side], entry))
            || self.has_new_comments_above(original, (side, entry))
    }

    /// Deletes the parts of a value that the original has.
    fn deleted_value(&mut self, nodes: Nodes) -> Outcome {
        let (Some(original), Some(local)) = (nodes.original, nodes.local) else {
            return Outcome::Keep;
        };
        let (kind, trees) = (ConflictKind::DeletedUpstream, self.trees);
        let holds_pin = self.holds_pin(nodes);
        if self.unchanged_locally(nodes) && !holds_pin {
            return Outcome::Remove;
        }
        let shapes = (shape(trees.original, original), shape(trees.local, local));
        let is_whole = self.has_tag_of_its_own(nodes, Side::Local);
        let is_map = shapes == (Shape::Map, Shape::Map) && !is_whole && !self.is_atomic_map(nodes);
        let is_empty = entries_of(trees.local, local).len() == 0;
        let is_clearing_null = self.nulls_clear && trees.local.is_null(local);
        if is_clearing_null || is_map && is_empty {
            return self.conflict_for_local(kind, nodes, Outcome::Keep, Outcome::Remove);
        }
        if is_map {
            return self.deleted_entries(None, nodes);
        }
        let is_list = shapes == (Shape::List, Shape::List) && !is_whole && !is_empty;
        match is_list.then(|| self.pairing_key(nodes)).flatten() {
            Some(key) => self.deleted_entries(Some(&key), nodes),
            None if holds_pin => self.keep_whole_for_pin(nodes),
            None => self.conflict(kind, nodes, Outcome::Remove),
        }
    }

    /// Deletes the original's entries of a map or, with a `key`, of an associative list, and keeps
    /// local's own. Records a conflict if there are any, because they stay.
    fn deleted_entries(&mut self, key: Option<&ListKey>, nodes: Nodes) -> Outcome {
        let pairing = self.paired_by_key(key, nodes);
        let sides = self.sides_of_local(&pairing, nodes);
        let has_local_entries = sides.iter().any(|sides| sides.original.is_none());
        let children = self.placed_entries(key, nodes, pairing, sides, Self::merge_entry);
        let rest = match children.iter().any(Child::has_open_conflict) {
            true => self.open_outcome(nodes, children),
            false => {
                let row = self.row_outcome(nodes, children);
                row.unwrap_or_else(remaining_outcome)
            }
        };
        if has_local_entries {
            self.conflict_for_local(ConflictKind::DeletedUpstream, nodes, rest, Outcome::Remove)
        } else {
            rest
        }
    }

    /// Returns the outcome of a local collection that upstream deleted, with these entries, some of
    /// which are open conflicts. If upstream's side leaves nothing, the conflict is over the whole
    /// value.
    fn open_outcome(&mut self, nodes: Nodes, children: Vec<Child>) -> Outcome {
        if children.iter().any(|child| child.stays_on(Side::Updated)) {
            let row = self.row_outcome(nodes, children);
            return row.unwrap_or_else(Outcome::merge);
        }
        let on_local = children.iter().map(|child| child.choose(Side::Local));
        let row = self.row_outcome(nodes, on_local.collect());
        let local = row.map(|row| row.choose(Side::Local));
        let local = local.unwrap_or_else(remaining_outcome);
        Outcome::open(local, Outcome::Remove)
    }
}

/// Returns the outcome of a local collection with these entries: it is deleted if none is left.
fn remaining_outcome(children: Vec<Child>) -> Outcome {
    match children.iter().any(Child::stays) {
        true => part_of(children),
        false => Outcome::Remove,
    }
}
