//! The value check (SPEC 1, law 6): the merged text, read again, has the values that the merge decided.

use crate::yaml::{EntryId, NodeId, NodeKind, ScalarType, Tree, equal};

use super::decision::{Incoming, Outcome, Slot};
use super::walk::index::{FieldIndex, key_of};
use crate::triple::Triple;

/// Where a merged text does not say what the merge decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfaithful {
    /// The path in the document.
    pub path: String,
    /// What differs.
    pub message: String,
}

/// Compares the merged tree with the decisions over the updated and the local one.
pub(super) fn check(
    merged: &Tree<'_>,
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
) -> Result<(), Unfaithful> {
    let checker = Checker { merged, trees };
    let root = merged.root().value;
    checker.local(root, outcome, trees.local.root().value, "")
}

struct Checker<'a> {
    merged: &'a Tree<'a>,
    trees: Triple<&'a Tree<'a>>,
}

type Checked = Result<(), Unfaithful>;

impl Checker<'_> {
    /// A value that local has.
    fn local(&self, merged: NodeId, outcome: &Outcome, local: NodeId, path: &str) -> Checked {
        match outcome {
            Outcome::Keep | Outcome::Remove => self.same(merged, self.trees.local, local, path),
            Outcome::Take(incoming) => self.incoming(merged, incoming, path),
            Outcome::Text(text) => match self.merged.scalar(merged) {
                Some(scalar)
                    if scalar.scalar_type == ScalarType::Str && scalar.content == *text =>
                {
                    Ok(())
                }
                _ => Err(unfaithful(
                    path,
                    "the lines are not the ones that were decided",
                )),
            },
            Outcome::Apart(_) => Err(unfaithful(path, "both sides were decided")),
            Outcome::Merge(children) => {
                let expected = children
                    .iter()
                    .filter(|child| child.stays())
                    .map(|child| (child.slot, &child.outcome));
                self.entries(merged, expected.collect(), self.trees.local, local, path)
            }
        }
    }

    /// A value that comes from updated, or a part of one.
    fn incoming(&self, merged: NodeId, incoming: &Incoming, path: &str) -> Checked {
        let updated = self.trees.updated;
        match &*incoming.part {
            Outcome::Merge(children) => {
                let expected = children
                    .iter()
                    .filter(|child| child.stays())
                    .filter_map(|child| {
                        let Slot::Local(entry) = child.slot else {
                            return None;
                        };
                        Some((Slot::Updated(entry), &child.outcome))
                    });
                self.entries(merged, expected.collect(), updated, incoming.node, path)
            }
            _ => self.same(merged, updated, incoming.node, path),
        }
    }

    fn same(&self, merged: NodeId, tree: &Tree<'_>, expected: NodeId, path: &str) -> Checked {
        if equal(self.merged, merged, tree, expected) {
            Ok(())
        } else {
            Err(unfaithful(
                path,
                "the value is not the one that was decided",
            ))
        }
    }

    /// A map or list, entry by entry.
    fn entries(
        &self,
        merged: NodeId,
        expected: Vec<(Slot, &Outcome)>,
        like: &Tree<'_>,
        shape: NodeId,
        path: &str,
    ) -> Checked {
        let tree = self.merged;
        let node = tree.resolve(merged);
        let is_map = matches!(like.node(like.resolve(shape)).kind, NodeKind::Mapping(_));
        let found: Vec<EntryId> = tree.entries(node).collect();
        let is_same_kind = match tree.node(node).kind {
            NodeKind::Mapping(_) => is_map,
            NodeKind::Sequence(_) => !is_map,
            _ => false,
        };
        if !is_same_kind || found.len() != expected.len() {
            return Err(unfaithful(
                path,
                &format!(
                    "{} entries were decided, {} are there",
                    expected.len(),
                    found.len()
                ),
            ));
        }
        let mut fields = None;
        for (place, (slot, outcome)) in found.iter().zip(expected) {
            let (side, id) = match slot {
                Slot::Local(id) => (self.trees.local, id),
                Slot::Updated(id) => (self.trees.updated, id),
            };
            // Mostly the fields stand in the order of the decisions, which need not be: maps have none.
            let found = if self.same_key(*place, side, id) {
                *place
            } else {
                let fields =
                    fields.get_or_insert_with(|| FieldIndex::new(tree, found.iter().copied()));
                let found = key_of(side, id).and_then(|key| fields.find(key));
                found.ok_or_else(|| unfaithful(path, "a field is missing that was decided"))?
            };
            let path = self.path_below(path, found);
            let value = tree.entry(found).value;
            match slot {
                Slot::Local(id) => {
                    self.local(value, outcome, self.trees.local.entry(id).value, &path)?;
                }
                Slot::Updated(id) => {
                    self.arrived(value, outcome, self.trees.updated.entry(id).value, &path)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a field has the key that was decided; elements have none.
    fn same_key(&self, found: EntryId, side: &Tree<'_>, expected: EntryId) -> bool {
        match (self.merged.entry(found).key, side.entry(expected).key) {
            (Some(found), Some(expected)) => equal(self.merged, found, side, expected),
            (None, None) => true,
            _ => false,
        }
    }

    /// An entry that comes from updated: its outcome is a take, or a part of its collection's.
    fn arrived(&self, merged: NodeId, outcome: &Outcome, updated: NodeId, path: &str) -> Checked {
        match outcome {
            Outcome::Take(incoming) => self.incoming(merged, incoming, path),
            part => self.incoming(merged, &Incoming::part(updated, part.clone()), path),
        }
    }

    fn path_below(&self, path: &str, entry: EntryId) -> String {
        let tree = self.merged;
        let name = tree
            .entry(entry)
            .key
            .and_then(|key| tree.scalar(key))
            .map(|key| &*key.content);
        match name {
            Some(name) if path.is_empty() => name.to_owned(),
            Some(name) => format!("{path}.{name}"),
            None => format!("{path}[]"),
        }
    }
}

fn unfaithful(path: &str, message: &str) -> Unfaithful {
    Unfaithful {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}
