//! The value check (rules: law 6): the merged text, read again, has the values that the merge
//! decided.

use std::cell::RefCell;

use crate::yaml::{EntryId, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Tree, equal};

use super::Sources;
use super::decision::{Chosen, Incoming, Outcome, Slot};
use super::edit::LastLines;
use super::walk::index::{FieldIndex, key_of};

/// Where a merged text does not say what the merge decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationError {
    /// The path in the document.
    pub path: String,
    /// What differs.
    pub message: String,
}

/// Compares the merged tree with the decisions over the updated and the local one, where a side is
/// chosen of what is left to a choice.
pub(super) fn check(
    merged: &Tree<'_>,
    sources: Sources<'_>,
    outcome: &Outcome,
    side: Option<Chosen>,
) -> Result<(), VerificationError> {
    let checker = Checker {
        merged,
        sources,
        side,
        last_lines: None,
    };
    checker.whole(outcome)
}

/// The block scalars of the merged tree that differ from what was decided in white space at their
/// ends alone; an error where something else differs.
pub(super) fn last_lines(
    merged: &Tree<'_>,
    sources: Sources<'_>,
    outcome: &Outcome,
) -> Result<Vec<LastLines>, VerificationError> {
    let last_lines = RefCell::default();
    let checker = Checker {
        merged,
        sources,
        side: None,
        last_lines: Some(&last_lines),
    };
    checker.whole(outcome)?;
    Ok(last_lines.into_inner())
}

struct Checker<'a> {
    merged: &'a Tree<'a>,
    sources: Sources<'a>,
    /// Whose side is chosen.
    side: Option<Chosen>,
    /// Where block scalars are reported that differ in white space at their ends alone.
    last_lines: Option<&'a RefCell<Vec<LastLines>>>,
}

type Checked = Result<(), Box<VerificationError>>;

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
        match key.map(|key| key.content) {
            Some(name) if above.is_empty() => name.to_owned(),
            Some(name) => format!("{above}.{name}"),
            None => format!("{above}[]"),
        }
    }
}

impl Checker<'_> {
    fn whole(&self, outcome: &Outcome) -> Result<(), VerificationError> {
        let (root, local) = (self.merged.root().value, self.sources.local.root().value);
        let checked = self.local(root, outcome, local, &Place::ROOT);
        checked.map_err(|verification_error| *verification_error)
    }

    /// A value that local has.
    fn local(
        &self,
        merged: NodeId,
        outcome: &Outcome,
        local: NodeId,
        place: &Place<'_>,
    ) -> Checked {
        let outcome = outcome.chosen(self.side);
        match outcome {
            Outcome::Keep | Outcome::Remove => self.same(merged, self.sources.local, local, place),
            Outcome::Take(incoming) => self.incoming(merged, incoming, place),
            Outcome::Text(text) if self.is_text(merged, text) => Ok(()),
            Outcome::Text(_) => {
                Err(self.verification_error(place, "the lines are not the ones that were decided"))
            }
            Outcome::Lines(lines) if self.is_text(merged, &lines.content) => Ok(()),
            Outcome::Lines(_) => {
                Err(self.verification_error(place, "the lines are not the ones that were decided"))
            }
            Outcome::Apart(_) => Err(self.verification_error(place, "both sides were decided")),
            Outcome::Merge(_) | Outcome::Row(_) => {
                let children = outcome.children();
                let expected = children
                    .map(|child| (child.slot, child.key(), child.outcome.chosen(self.side)))
                    .filter(|(.., outcome)| **outcome != Outcome::Remove);
                self.entries(merged, expected, self.sources.local, local, place)
            }
        }
    }

    /// A value that comes from updated, or a part of one.
    fn incoming(&self, merged: NodeId, incoming: &Incoming, place: &Place<'_>) -> Checked {
        let updated = self.sources.updated;
        match incoming.outcome() {
            part @ (Outcome::Merge(_) | Outcome::Row(_)) => {
                let children = part.children();
                let expected = children.filter(|child| child.stays()).filter_map(|child| {
                    let Slot::Local(entry) = child.slot else {
                        return None;
                    };
                    Some((Slot::Updated(entry), None, &child.outcome))
                });
                self.entries(merged, expected, updated, incoming.node, place)
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
        if equal(self.merged, merged, tree, expected) || self.same_lines(merged, tree, expected) {
            Ok(())
        } else {
            Err(self.verification_error(place, "the value is not the one that was decided"))
        }
    }

    /// Whether a scalar is a string of that content.
    fn is_text(&self, merged: NodeId, text: &str) -> bool {
        let scalar = self.merged.scalar(merged);
        scalar.is_some_and(|scalar| {
            scalar.scalar_type == ScalarType::Str && self.says(merged, scalar, text)
        })
    }

    /// Whether a scalar has that content, but for the white space at the end of a block scalar,
    /// where that is reported.
    fn says(&self, merged: NodeId, scalar: Scalar<'_>, text: &str) -> bool {
        let found = scalar.content;
        let is_told = || {
            let (Some(last_lines), ScalarStyle::Literal | ScalarStyle::Folded) =
                (self.last_lines, scalar.style)
            else {
                return false;
            };
            let (lines, found_lines) = (text.trim_end_matches('\n'), found.trim_end_matches('\n'));
            last_lines.borrow_mut().push(LastLines {
                scalar: merged,
                line_breaks: text.len() - lines.len(),
                have_spaces: lines != found_lines,
            });
            lines == found_lines || lines == found_lines.trim_end_matches([' ', '\t', '\n'])
        };
        found == text || is_told()
    }

    /// Whether a value is the one that was decided, but for the white space at the ends of block
    /// scalars, which is reported.
    fn same_lines(&self, merged: NodeId, tree: &Tree<'_>, expected: NodeId) -> bool {
        let expected = tree.resolve(expected);
        if self.last_lines.is_none() {
            return false;
        }
        if matches!(self.merged.node(merged).kind, NodeKind::Alias(_)) {
            // told where its anchor is
            return true;
        }
        if let Some(scalar) = tree.scalar(expected) {
            let is_like = |found: Scalar<'_>| {
                found.scalar_type == scalar.scalar_type
                    && self.merged.custom_tag(merged) == tree.custom_tag(expected)
                    && self.says(merged, found, scalar.content)
            };
            return equal(self.merged, merged, tree, expected)
                || self.merged.scalar(merged).is_some_and(is_like);
        }
        let (found, wanted) = (self.merged.entries(merged), tree.entries(expected));
        found.len() == wanted.len()
            && found.zip(wanted).all(|(found, wanted)| {
                self.same_key(found, tree, wanted)
                    && self.same_lines(
                        self.merged.entry(found).value,
                        tree,
                        tree.entry(wanted).value,
                    )
            })
    }

    /// A map or list, entry by entry.
    fn entries<'o>(
        &self,
        merged: NodeId,
        expected: impl Iterator<Item = (Slot, Option<EntryId>, &'o Outcome)> + Clone,
        like: &Tree<'_>,
        shape: NodeId,
        place: &Place<'_>,
    ) -> Checked {
        let tree = self.merged;
        let node = tree.resolve(merged);
        let is_map = matches!(like.node(like.resolve(shape)).kind, NodeKind::Mapping(_));
        let (found, count) = (tree.entries(node), expected.clone().count());
        let is_same_kind = match tree.node(node).kind {
            NodeKind::Mapping(_) => is_map,
            NodeKind::Sequence(_) => !is_map,
            _ => false,
        };
        if !is_same_kind || found.len() != count {
            return Err(self.verification_error(
                place,
                &format!("{count} entries were decided, {} are there", found.len()),
            ));
        }
        let mut fields = None;
        for (beside, (slot, key, outcome)) in found.zip(expected) {
            let (side, id) = match (slot, key) {
                (_, Some(key)) => (self.sources.updated, key),
                (Slot::Local(id), None) => (self.sources.local, id),
                (Slot::Updated(id), None) => (self.sources.updated, id),
            };
            // Mostly the fields are in the order of the decisions, which need not be: maps have
            // none.
            let found = if self.same_key(beside, side, id) {
                beside
            } else {
                let fields = fields.get_or_insert_with(|| FieldIndex::of(tree, node));
                let found = key_of(side, id).and_then(|key| fields.find(key));
                found.ok_or_else(|| {
                    self.verification_error(place, "a field is missing that was decided")
                })?
            };
            let place = Place {
                entry: Some(found),
                above: Some(place),
            };
            let value = tree.entry(found).value;
            match slot {
                Slot::Local(id) => {
                    self.local(value, outcome, self.sources.local.entry(id).value, &place)?;
                }
                Slot::Updated(id) => {
                    self.arrived(value, outcome, self.sources.updated.entry(id).value, &place)?;
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

    fn verification_error(&self, place: &Place<'_>, message: &str) -> Box<VerificationError> {
        Box::new(VerificationError {
            path: place.path(self.merged),
            message: message.to_owned(),
        })
    }
}
