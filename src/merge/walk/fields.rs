//! Maps merge by key, recursively (SPEC 5.3).

use super::index::{FieldIndex, ScalarKey, key_of};
use super::place::{Arrival, Resident, place};
use super::record::{Segment, Step};
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
        let fields = fields_of_all(trees, nodes);
        let residents: Vec<Resident> = entries_of(trees.local, local)
            .map(|entry| {
                let key = key_of(trees.local, entry);
                let sides = fields.beside(key, entry);
                Resident {
                    child: self.field(sides).unwrap_or_else(|| Child::keep(entry)),
                    own: sides.updated.is_none(),
                }
            })
            .collect();
        // no map has a key twice: where each of updated's fields is beside one of local's, none comes
        let beside = residents.iter().filter(|resident| !resident.own).count();
        if beside == entries_of(trees.updated, updated).len() {
            let children = residents.into_iter().map(|resident| resident.child);
            return self.merged(nodes, children.collect());
        }
        let arrivals = entries_of(trees.updated, updated)
            .map(|entry| {
                let key = key_of(trees.updated, entry);
                if let Some(resident) = key.and_then(|key| fields.local.find(key)) {
                    return Arrival::Resident(position(
                        trees.local.entries(trees.local.resolve(local)),
                        resident,
                    ));
                }
                let sides = Triple::new(
                    key.and_then(|key| fields.original.find(key)),
                    Some(entry),
                    None,
                );
                self.field(sides).map_or(Arrival::Nothing, Arrival::New)
            })
            .collect();
        self.merged(nodes, place(residents, arrivals))
    }

    /// One field, with the path one step further.
    pub(super) fn field(&mut self, sides: Entries) -> Option<Child> {
        // The common case costs no path.
        if let (Some(original), Some(updated), Some(local)) =
            (sides.original, sides.updated, sides.local)
            && self.same_text(original, updated)
            && self.same_place_comment(original, updated)
        {
            return Some(Child::keep(local));
        }
        let step = Step {
            segment: Segment::Field,
            entries: sides,
        };
        self.at(step, |walker| walker.entry(sides))
    }

    /// The outcome of a local map or list whose entries are decided; those that come are of `updated`.
    pub(crate) fn merged_children(
        &self,
        updated: NodeId,
        local: NodeId,
        children: Vec<Child>,
    ) -> Outcome {
        self.merged(Triple::new(None, Some(updated), Some(local)), children)
    }

    /// The outcome of a map or list whose entries are decided.
    pub(super) fn merged(&self, nodes: Nodes, children: Vec<Child>) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let tree = self.trees.local;
        let unmoved = children.len() == entries_of(tree, local).len()
            && children
                .iter()
                .zip(entries_of(tree, local))
                .all(|(child, entry)| child.is_untouched() && child.slot == Slot::Local(entry));
        if unmoved {
            return Outcome::Keep;
        }
        if entries_of(tree, local).len() == 0 && Outcome::Merge(children.clone()).has_choice() {
            let chosen = |side| match Outcome::Merge(children.clone()).choose(side) {
                Outcome::Merge(children) => self.merged(nodes, children),
                outcome => outcome,
            };
            return Outcome::apart(chosen(Chosen::Local), chosen(Chosen::Updated));
        }
        let children: Vec<Child> = children
            .into_iter()
            .filter(|child| matches!(child.slot, Slot::Local(_)) || child.stays())
            .collect();
        if entries_of(tree, local).len() == 0 {
            return Outcome::Take(self.arriving_children(updated, &children));
        }
        Outcome::Merge(children)
    }

    /// The part of an updated map or list that `children` take into an empty local one.
    fn arriving_children(&self, updated: NodeId, children: &[Child]) -> Incoming {
        let part = entries_of(self.trees.updated, updated)
            .map(|entry| {
                let arriving = children.iter().find_map(|child| match &child.outcome {
                    Outcome::Take(incoming) if child.slot == Slot::Updated(entry) => {
                        Some((*incoming.part).clone())
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
}

/// The fields of the maps among nodes, by their keys.
pub(super) fn fields_of_all<'t>(
    trees: Triple<&'t Tree<'t>>,
    nodes: Nodes,
) -> Triple<FieldIndex<'t>> {
    trees.zip(nodes).map(|(tree, node)| fields_of(tree, node))
}

/// The fields of a node, if it is a map.
pub(super) fn fields_of<'t>(tree: &'t Tree<'_>, node: Option<NodeId>) -> FieldIndex<'t> {
    match node {
        Some(node) if shape(tree, node) == Shape::Map => FieldIndex::of(tree, node),
        _ => FieldIndex::new(tree, std::iter::empty()),
    }
}
