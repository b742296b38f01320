//! Merges maps by key, recursively (rules: Maps).

use super::index::{FieldIndex, ScalarKey, key_of};
use super::place::{Arrival, Resident, place};
use super::record::{Segment, Step};
use super::renames::Renames;
use super::{Entries, Nodes, Shape, Walker, entries_of, position, shape};
use crate::merge::decision::{Child, Incoming, Outcome, Slot};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId, Tree};

impl Walker<'_> {
    /// Merges a map that both updated and local have. An original that is not a map counts as
    /// missing.
    pub(super) fn merge_map(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let on_own_lines = self.entries_on_own_lines(nodes);
        let fields = fields_of_all(trees, nodes);
        let renames = self.renamed_fields(nodes, &fields);
        let residents: Vec<Resident> = entries_of(trees.local, local)
            .map(|entry| {
                let key = key_of(trees.local, entry);
                let (sides, new_key) = fields.sides_of_renamed(key, entry, &renames);
                self.on_own_lines = on_own_lines;
                let child = self
                    .merge_field(sides)
                    .unwrap_or_else(|| Child::keep(entry));
                Resident {
                    child: child.of_sides(sides).under_key_of(new_key),
                    own: sides.updated.is_none(),
                }
            })
            .collect();
        // Keys are unique: if each updated field is paired with a local one, none is new.
        let paired = residents.iter().filter(|resident| !resident.own).count();
        if paired == entries_of(trees.updated, updated).len() {
            drop((fields, renames));
            let children = residents.into_iter().map(|resident| resident.child);
            return self.collection_outcome(nodes, children.collect());
        }
        let arrivals: Vec<Arrival> = entries_of(trees.updated, updated)
            .map(|entry| {
                let key = key_of(trees.updated, entry);
                let renamed_from = renames.of_updated(entry);
                let original =
                    renamed_from.or_else(|| key.and_then(|key| fields.original.find(key)));
                let local_partner = original
                    .and_then(|original| renames.in_local(original))
                    .or_else(|| {
                        let key = key_of(trees.original, renamed_from?);
                        key.and_then(|key| fields.local.find(key))
                    });
                let resident = local_partner.or_else(|| key.and_then(|key| fields.local.find(key)));
                if let Some(resident) = resident {
                    return Arrival::Resident(position(
                        trees.local.entries(trees.local.resolve(local)),
                        resident,
                    ));
                }
                self.arrival(Triple::new(original, Some(entry), None))
            })
            .collect();
        drop((fields, renames));
        self.collection_outcome(nodes, place(residents, arrivals))
    }

    /// Finds the fields that each side renamed.
    fn renamed_fields(&self, nodes: Nodes, fields: &Triple<FieldIndex<'_>>) -> Renames {
        let trees = self.trees;
        let is_map = |(tree, node): (&Tree<'_>, Option<NodeId>)| {
            node.is_some_and(|node| shape(tree, node) == Shape::Map)
        };
        if !trees.zip(nodes).into_array().into_iter().all(is_map) {
            return Renames::default();
        }
        let entries = trees.zip(nodes).map(|(tree, node)| -> Vec<EntryId> {
            node.map(|node| entries_of(tree, node).collect())
                .unwrap_or_default()
        });
        self.renames(entries, 0, |from, entry, to| {
            let key = key_of(trees[from], entry)?;
            fields[to].find(key)
        })
    }

    /// Merges an updated field that local does not have.
    fn arrival(&mut self, sides: Entries) -> Arrival {
        let Some(updated) = sides.updated else {
            return Arrival::Nothing;
        };
        let child = self.merge_field(sides);
        let child = child.unwrap_or_else(|| Child::updated(updated, Outcome::Remove));
        Arrival::New(child.of_sides(sides))
    }

    /// Returns, for each side, whether the entries of a collection are, or would be, on lines of
    /// their own.
    pub(super) fn entries_on_own_lines(&self, nodes: Nodes) -> Triple<bool> {
        self.trees.zip(nodes).map(|(tree, node)| {
            node.is_none_or(|node| {
                entries_of(tree, node).len() == 0 || tree.is_block_collection(node)
            })
        })
    }

    /// Merges one field, with the path extended by it.
    pub(super) fn merge_field(&mut self, sides: Entries) -> Option<Child> {
        // A shortcut for the common case: no change upstream, so no step is needed.
        if let (Some(original), Some(updated), Some(local)) =
            (sides.original, sides.updated, sides.local)
            && self.same_text(original, updated)
        {
            return Some(Child::keep(local));
        }
        let step = Step {
            segment: Segment::Field,
            entries: sides,
        };
        self.at(step, |walker| walker.merge_entry(sides))
    }

    /// Returns the outcome of a local map or list with these entries. New entries come from
    /// `updated`.
    pub(crate) fn merged_children(
        &mut self,
        updated: NodeId,
        local: NodeId,
        children: Vec<Child>,
    ) -> Outcome {
        self.collection_outcome(Triple::new(None, Some(updated), Some(local)), children)
    }

    /// Returns the outcome of a local map or list with these entries.
    pub(super) fn collection_outcome(&mut self, nodes: Nodes, mut children: Vec<Child>) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let tree = self.trees.local;
        let row = match entries_of(tree, local).len() {
            0 => self.row_of_empty(nodes, &mut children),
            _ => self.row_outcome(nodes, &mut children),
        };
        if let Some(row) = row {
            return row;
        }
        let children: Vec<Child> = children
            .into_iter()
            .filter(|child| matches!(child.slot, Slot::Local(_)) || child.stays())
            .collect();
        let is_unchanged = children.len() == entries_of(tree, local).len()
            && children
                .iter()
                .zip(entries_of(tree, local))
                .all(|(child, entry)| child.is_untouched() && child.slot == Slot::Local(entry));
        if is_unchanged {
            return Outcome::Keep;
        }
        if entries_of(tree, local).len() > 0 {
            return Outcome::merge(children);
        }
        if children.iter().any(Child::has_choice) {
            let outcome_for = |side| -> Outcome {
                let children: Vec<Child> = children.iter().map(|it| it.choose(side)).collect();
                self.outcome_of_empty(updated, &children)
            };
            return Outcome::apart(outcome_for(Side::Local), outcome_for(Side::Updated));
        }
        self.outcome_of_empty(updated, &children)
    }

    /// Returns the outcome of an empty local map or list.
    fn outcome_of_empty(&self, updated: NodeId, children: &[Child]) -> Outcome {
        if !children.iter().any(Child::stays) {
            return Outcome::Keep;
        }
        Outcome::Take(self.part_for_empty(updated, children))
    }

    /// Returns the part of an updated map or list to take into an empty local one.
    fn part_for_empty(&self, updated: NodeId, children: &[Child]) -> Incoming {
        let part = entries_of(self.trees.updated, updated)
            .map(|entry| {
                let incoming = children.iter().find_map(|child| match &child.outcome {
                    Outcome::Take(incoming) if child.slot == Slot::Updated(entry) => {
                        Some(incoming.outcome().clone())
                    }
                    _ => None,
                });
                Child::local(entry, incoming.unwrap_or(Outcome::Remove))
            })
            .collect::<Vec<_>>();
        Incoming::part(updated, super::arrive::part_of(part))
    }
}

impl Triple<FieldIndex<'_>> {
    /// Returns a local field with the fields of the other sides that have its key.
    pub(super) fn sides_of(&self, key: Option<ScalarKey<'_>>, local: EntryId) -> Entries {
        let find = |fields: &FieldIndex<'_>| key.and_then(|key| fields.find(key));
        Triple::new(find(&self.original), find(&self.updated), Some(local))
    }

    /// Like `sides_of`, but follows renames. Also returns the updated entry whose key the field
    /// gets.
    fn sides_of_renamed(
        &self,
        key: Option<ScalarKey<'_>>,
        local: EntryId,
        renames: &Renames,
    ) -> (Entries, Option<EntryId>) {
        let sides = self.sides_of(key, local);
        if renames.is_empty() {
            return (sides, self.restyled_key(sides));
        }
        if let Some(original) = renames.of_local(local) {
            let old_key = key_of(self.original.tree(), original);
            let updated = renames
                .in_updated(original)
                .or_else(|| old_key.and_then(|key| self.updated.find(key)));
            return (Triple::new(Some(original), updated, Some(local)), None);
        }
        let updated = sides
            .original
            .and_then(|original| renames.in_updated(original));
        match updated {
            Some(_) => (Triple { updated, ..sides }, updated),
            None => (sides, self.restyled_key(sides)),
        }
    }

    /// Returns the updated field if upstream alone changed how its key is written, such as its
    /// quotes.
    pub(super) fn restyled_key(&self, sides: Entries) -> Option<EntryId> {
        let keys = self.as_ref().zip(sides).map(|(fields, entry)| {
            let tree = fields.tree();
            let key = tree.entry(entry?).key?;
            tree.scalar(key).map(|_| tree.slice(tree.node(key).span))
        });
        (keys.original == keys.local && keys.updated != keys.local).then_some(sides.updated)?
    }
}

/// Indexes the fields of each side. The index of a side without a map is empty.
pub(super) fn fields_of_all<'t>(
    trees: Triple<&'t Tree<'t>>,
    nodes: Nodes,
) -> Triple<FieldIndex<'t>> {
    trees.zip(nodes).map(|(tree, node)| fields_of(tree, node))
}

/// Indexes the fields of a node. The index is empty if the node is not a map.
pub(crate) fn fields_of<'t>(tree: &'t Tree<'_>, node: Option<NodeId>) -> FieldIndex<'t> {
    match node {
        Some(node) if shape(tree, node) == Shape::Map => FieldIndex::of(tree, node),
        _ => FieldIndex::new(tree, std::iter::empty()),
    }
}
