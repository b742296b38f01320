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
    let checked = checker.local(root, outcome, trees.local.root().value, &Place::ROOT);
    checked.map_err(|unfaithful| *unfaithful)
}

struct Checker<'a> {
    merged: &'a Tree<'a>,
    trees: Triple<&'a Tree<'a>>,
}

type Checked = Result<(), Box<Unfaithful>>;

/// Where in the merged tree: the entry, and what holds it.
#[derive(Clone, Copy)]
struct Place<'p> {
    entry: Option<EntryId>,
    above: Option<&'p Place<'p>>,
}

impl Place<'_> {
    const ROOT: Self = Self {
        entry: None,
        above: None,
    };

    /// As a path.
    fn path(&self, tree: &Tree<'_>) -> String {
        let above = self
            .above
            .map_or_else(String::new, |above| above.path(tree));
        let Some(entry) = self.entry else {
            return above;
        };
        let key = tree.entry(entry).key.and_then(|key| tree.scalar(key));
        match key.map(|key| &*key.content) {
            Some(name) if above.is_empty() => name.to_owned(),
            Some(name) => format!("{above}.{name}"),
            None => format!("{above}[]"),
        }
    }
}

impl Checker<'_> {
    /// A value that local has.
    fn local(
        &self,
        merged: NodeId,
        outcome: &Outcome,
        local: NodeId,
        place: &Place<'_>,
    ) -> Checked {
        match outcome {
            Outcome::Keep | Outcome::Remove => self.same(merged, self.trees.local, local, place),
            Outcome::Take(incoming) => self.incoming(merged, incoming, place),
            Outcome::Text(text) => match self.merged.scalar(merged) {
                Some(scalar)
                    if scalar.scalar_type == ScalarType::Str && scalar.content == *text =>
                {
                    Ok(())
                }
                _ => Err(self.unfaithful(place, "the lines are not the ones that were decided")),
            },
            Outcome::Apart(_) => Err(self.unfaithful(place, "both sides were decided")),
            Outcome::Merge(children) => {
                let expected = children
                    .iter()
                    .filter(|child| child.stays())
                    .map(|child| (child.slot, &child.outcome));
                self.entries(merged, expected.collect(), self.trees.local, local, place)
            }
        }
    }

    /// A value that comes from updated, or a part of one.
    fn incoming(&self, merged: NodeId, incoming: &Incoming, place: &Place<'_>) -> Checked {
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
                self.entries(merged, expected.collect(), updated, incoming.node, place)
            }
            _ => self.same(merged, updated, incoming.node, place),
        }
    }

    fn same(
        &self,
        merged: NodeId,
        tree: &Tree<'_>,
        expected: NodeId,
        place: &Place<'_>,
    ) -> Checked {
        if equal(self.merged, merged, tree, expected) {
            Ok(())
        } else {
            Err(self.unfaithful(place, "the value is not the one that was decided"))
        }
    }

    /// A map or list, entry by entry.
    fn entries(
        &self,
        merged: NodeId,
        expected: Vec<(Slot, &Outcome)>,
        like: &Tree<'_>,
        shape: NodeId,
        place: &Place<'_>,
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
            return Err(self.unfaithful(
                place,
                &format!(
                    "{} entries were decided, {} are there",
                    expected.len(),
                    found.len()
                ),
            ));
        }
        let mut fields = None;
        for (beside, (slot, outcome)) in found.iter().zip(expected) {
            let (side, id) = match slot {
                Slot::Local(id) => (self.trees.local, id),
                Slot::Updated(id) => (self.trees.updated, id),
            };
            // Mostly the fields stand in the order of the decisions, which need not be: maps have none.
            let found = if self.same_key(*beside, side, id) {
                *beside
            } else {
                let fields =
                    fields.get_or_insert_with(|| FieldIndex::new(tree, found.iter().copied()));
                let found = key_of(side, id).and_then(|key| fields.find(key));
                found
                    .ok_or_else(|| self.unfaithful(place, "a field is missing that was decided"))?
            };
            let place = Place {
                entry: Some(found),
                above: Some(place),
            };
            let value = tree.entry(found).value;
            match slot {
                Slot::Local(id) => {
                    self.local(value, outcome, self.trees.local.entry(id).value, &place)?;
                }
                Slot::Updated(id) => {
                    self.arrived(value, outcome, self.trees.updated.entry(id).value, &place)?;
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
    fn arrived(
        &self,
        merged: NodeId,
        outcome: &Outcome,
        updated: NodeId,
        place: &Place<'_>,
    ) -> Checked {
        match outcome {
            Outcome::Take(incoming) => self.incoming(merged, incoming, place),
            part => self.incoming(merged, &Incoming::part(updated, part.clone()), place),
        }
    }

    fn unfaithful(&self, place: &Place<'_>, message: &str) -> Box<Unfaithful> {
        Box::new(Unfaithful {
            path: place.path(self.merged),
            message: message.to_owned(),
        })
    }
}
