//! Puts the entries of a merged map or list together.

use super::{Nodes, Walker, entries_of};
use crate::merge::decision::{Child, Incoming, Outcome, Slot};
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
