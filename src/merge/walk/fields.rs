//! Maps merge by key, recursively (rules: Maps).

use super::index::{FieldIndex, ScalarKey, key_of};
use super::place::{Arrival, Resident, place};
use super::record::{Segment, Step};
use super::renames::Renames;
use super::{Entries, Nodes, Shape, Walker, entries_of, position, shape};
use crate::merge::decision::{Child, Chosen, Incoming, Outcome, Slot};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, Tree};

impl Walker<'_> {
    /// A map on both sides; an original that is no map counts as nothing.
    pub(super) fn fields(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let has_lines = self.have_lines(nodes);
        let fields = fields_of_all(trees, nodes);
        let renames = self.renamed_fields(nodes, &fields);
        let residents: Vec<Resident> = entries_of(trees.local, local)
            .map(|entry| {
                let key = key_of(trees.local, entry);
                let (sides, new_key) = fields.beside_renamed(key, entry, &renames);
                self.has_lines = has_lines;
                let child = self.field(sides).unwrap_or_else(|| Child::keep(entry));
                Resident {
                    child: child.of_sides(sides).under_key_of(new_key),
                    own: sides.updated.is_none(),
                }
            })
            .collect();
        // no map has a key twice: where each of updated's fields is beside one of local's, none
        // comes
        let beside = residents.iter().filter(|resident| !resident.own).count();
        if beside == entries_of(trees.updated, updated).len() {
            drop((fields, renames));
            let children = residents.into_iter().map(|resident| resident.child);
            return self.merged(nodes, children.collect());
        }
        let arrivals: Vec<Arrival> = entries_of(trees.updated, updated)
            .map(|entry| {
                let key = key_of(trees.updated, entry);
                let before = renames.of_updated(entry);
                let here = before.or_else(|| key.and_then(|key| fields.original.find(key)));
                let renamed = here.and_then(|here| renames.in_local(here)).or_else(|| {
                    let key = key_of(trees.original, before?);
                    key.and_then(|key| fields.local.find(key))
                });
                let resident = renamed.or_else(|| key.and_then(|key| fields.local.find(key)));
                if let Some(resident) = resident {
                    return Arrival::Resident(position(
                        trees.local.entries(trees.local.resolve(local)),
                        resident,
                    ));
                }
                self.arrival(Triple::new(here, Some(entry), None))
            })
            .collect();
        drop((fields, renames));
        self.merged(nodes, place(residents, arrivals))
    }

    /// What each side renamed in a map.
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

    /// A field that only updated has, or original too: what comes of it.
    fn arrival(&mut self, sides: Entries) -> Arrival {
        let Some(updated) = sides.updated else {
            return Arrival::Nothing;
        };
        let child = self.field(sides);
        let child = child.unwrap_or_else(|| Child::updated(updated, Outcome::Remove));
        Arrival::New(child.of_sides(sides))
    }

    /// On which sides the entries of a collection have lines of their own.
    pub(super) fn have_lines(&self, nodes: Nodes) -> Triple<bool> {
        self.trees.zip(nodes).map(|(tree, node)| {
            node.is_none_or(|node| {
                entries_of(tree, node).len() == 0 || tree.is_block_collection(node)
            })
        })
    }

    /// One field, with the path one step further.
    pub(super) fn field(&mut self, sides: Entries) -> Option<Child> {
        // The common case costs no path.
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
        self.at(step, |walker| walker.entry(sides))
    }

    /// The outcome of a local map or list whose entries are decided; those that come are of
    /// `updated`.
    pub(crate) fn merged_children(
        &mut self,
        updated: NodeId,
        local: NodeId,
        children: Vec<Child>,
    ) -> Outcome {
        self.merged(Triple::new(None, Some(updated), Some(local)), children)
    }

    /// The outcome of a map or list whose entries are decided.
    pub(super) fn merged(&mut self, nodes: Nodes, mut children: Vec<Child>) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let tree = self.trees.local;
        let row = match entries_of(tree, local).len() {
            0 => self.opened_row(nodes, &mut children),
            _ => self.merged_row(nodes, &mut children),
        };
        if let Some(row) = row {
            return row;
        }
        let children: Vec<Child> = children
            .into_iter()
            .filter(|child| matches!(child.slot, Slot::Local(_)) || child.stays())
            .collect();
        let unmoved = children.len() == entries_of(tree, local).len()
            && children
                .iter()
                .zip(entries_of(tree, local))
                .all(|(child, entry)| child.is_untouched() && child.slot == Slot::Local(entry));
        if unmoved {
            return Outcome::Keep;
        }
        if entries_of(tree, local).len() > 0 {
            return Outcome::merge(children);
        }
        if children.iter().any(Child::has_choice) {
            let chosen = |side| -> Outcome {
                let children: Vec<Child> = children.iter().map(|it| it.choose(side)).collect();
                self.to_empty(updated, &children)
            };
            return Outcome::apart(chosen(Chosen::Local), chosen(Chosen::Updated));
        }
        self.to_empty(updated, &children)
    }

    /// What comes into an empty local map or list.
    fn to_empty(&self, updated: NodeId, children: &[Child]) -> Outcome {
        if !children.iter().any(Child::stays) {
            return Outcome::Keep;
        }
        Outcome::Take(self.arriving_children(updated, children))
    }

    /// The part of an updated map or list that `children` take into an empty local one.
    fn arriving_children(&self, updated: NodeId, children: &[Child]) -> Incoming {
        let part = entries_of(self.trees.updated, updated)
            .map(|entry| {
                let arriving = children.iter().find_map(|child| match &child.outcome {
                    Outcome::Take(incoming) if child.slot == Slot::Updated(entry) => {
                        Some(incoming.outcome().clone())
                    }
                    _ => None,
                });
                Child::local(entry, arriving.unwrap_or(Outcome::Remove))
            })
            .collect::<Vec<_>>();
        Incoming::part(updated, super::arrive::part_of(part))
    }
}

impl Triple<FieldIndex<'_>> {
    /// A field of the local map, and those of the others that have its key.
    pub(super) fn beside(&self, key: Option<ScalarKey<'_>>, local: EntryId) -> Entries {
        let find = |fields: &FieldIndex<'_>| key.and_then(|key| fields.find(key));
        Triple::new(find(&self.original), find(&self.updated), Some(local))
    }

    /// The same where one side may have given the field another key; and the updated entry whose
    /// key it gets.
    fn beside_renamed(
        &self,
        key: Option<ScalarKey<'_>>,
        local: EntryId,
        renames: &Renames,
    ) -> (Entries, Option<EntryId>) {
        let sides = self.beside(key, local);
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

    /// The updated field, where upstream alone writes its key in another way, such as in quotes.
    pub(super) fn restyled_key(&self, sides: Entries) -> Option<EntryId> {
        let keys = self.as_ref().zip(sides).map(|(fields, entry)| {
            let tree = fields.tree();
            let key = tree.entry(entry?).key?;
            tree.scalar(key).map(|_| tree.slice(tree.node(key).span))
        });
        (keys.original == keys.local && keys.updated != keys.local).then_some(sides.updated)?
    }
}

/// The fields of the maps among nodes, by their keys.
pub(super) fn fields_of_all<'t>(
    trees: Triple<&'t Tree<'t>>,
    nodes: Nodes,
) -> Triple<FieldIndex<'t>> {
    trees.zip(nodes).map(|(tree, node)| fields_of(tree, node))
}

/// The fields of a node, if it is a map.
pub(crate) fn fields_of<'t>(tree: &'t Tree<'_>, node: Option<NodeId>) -> FieldIndex<'t> {
    match node {
        Some(node) if shape(tree, node) == Shape::Map => FieldIndex::of(tree, node),
        _ => FieldIndex::new(tree, std::iter::empty()),
    }
}
