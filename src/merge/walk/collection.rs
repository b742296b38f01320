//! Puts the entries of a merged map or list together.

use super::arrive::part_of;
use super::{Nodes, Walker, entries_of};
use crate::merge::decision::{Child, Incoming, Outcome, Row, Slot, keeps_entries};
use crate::triple::{Side, Triple};
use crate::yaml::NodeId;

impl Walker<'_> {
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
    pub(super) fn collection_outcome(&mut self, nodes: Nodes, children: Vec<Child>) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        if let Some(sides) = self.sides_if_one_is_empty(&children) {
            let [local, updated] = sides.map(|children| self.collection_outcome(nodes, children));
            return Outcome::open(local, updated);
        }
        let tree = self.trees.local;
        let children = match self.row_outcome(nodes, children) {
            Ok(row) => return row,
            Err(children) => children,
        };
        let children: Vec<Child> = children
            .into_iter()
            .filter(|child| matches!(child.slot, Slot::Local(_)) || child.stays())
            .collect();
        let is_untouched = children.iter().all(Child::is_untouched);
        if is_untouched && keeps_entries(tree, tree.resolve(local), &children) {
            return Outcome::Keep;
        }
        if entries_of(tree, local).len() > 0 {
            return Outcome::merge(children);
        }
        if children.iter().any(Child::has_open_conflict) {
            let outcome_for = |side| -> Outcome {
                let children: Vec<Child> = children.iter().map(|it| it.choose(side)).collect();
                self.outcome_of_empty(updated, &children)
            };
            return Outcome::open(outcome_for(Side::Local), outcome_for(Side::Updated));
        }
        self.outcome_of_empty(updated, &children)
    }

    /// Merges the row of a local block collection, or of an empty one that may become a block
    /// collection. Returns the entries if the row does not change, or if local has no row.
    pub(super) fn row_outcome(
        &mut self,
        nodes: Nodes,
        children: Vec<Child>,
    ) -> Result<Outcome, Vec<Child>> {
        let is_empty = |local| entries_of(self.trees.local, local).len() == 0;
        let row = match nodes.local.is_some_and(is_empty) {
            true => self.row_of_empty(nodes, &children),
            false => self.merged_row(nodes, &children),
        };
        match row {
            Some(row) => Ok(Outcome::Row(Box::new(Row { children, ..row }))),
            None => Err(children),
        }
    }

    /// Returns the entries for local's and updated's side of open conflicts, if one side has none:
    /// the markers have to be around the whole value then, to show its brackets.
    fn sides_if_one_is_empty(&self, children: &[Child]) -> Option<[Vec<Child>; 2]> {
        let is_empty = |side| !children.iter().any(|child| child.stays_on(side));
        let is_in_question = (is_empty(Side::Local) || is_empty(Side::Updated))
            && children.iter().any(Child::has_open_conflict);
        is_in_question.then(|| {
            [Side::Local, Side::Updated]
                .map(|side| children.iter().map(|child| child.choose(side)).collect())
        })
    }

    /// Returns the outcome of an empty local map or list: the part of the updated one to take.
    fn outcome_of_empty(&self, updated: NodeId, children: &[Child]) -> Outcome {
        let taken = |entry| {
            children.iter().find_map(|child| match child.outcome() {
                Outcome::Take(incoming) if child.slot == Slot::Updated(entry) => {
                    Some(incoming.outcome().clone())
                }
                _ => None,
            })
        };
        let part = entries_of(self.trees.updated, updated)
            .map(|entry| Child::local(entry, taken(entry).unwrap_or(Outcome::Remove)));
        Outcome::Take(Incoming::part(updated, part_of(part.collect())))
    }
}
