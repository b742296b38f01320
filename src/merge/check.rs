//! The value check (rules: law 6): compares the values of the parsed result with the decisions of
//! the merge.

use std::cell::{OnceCell, RefCell};

use rustc_hash::FxHashSet;

use crate::triple::{Side, Triple};
use crate::yaml::{
    EntryId, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Tree, equal, equal_but_anchors,
};

use super::anchors::shared_anchors;
use super::decision::{Child, Outcome, Slot};
use super::edit::LastLines;
use super::index::{FieldIndex, key_of};
use super::shape::{Shape, shape};

/// A difference between a merged text and the decisions of the merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationError {
    /// The path in the document.
    pub path: String,
    /// What differs.
    pub message: String,
}

/// Compares the merged tree with the decisions about the updated and the local tree. `side` is the
/// side to take in open conflicts.
pub(super) fn check(
    merged: &Tree<'_>,
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    side: Option<Side>,
) -> Result<(), VerificationError> {
    Checker::of(merged, trees, side).check_document(outcome)
}

/// Returns the block scalars of the merged tree that differ from the decisions in white space at
/// their ends only.
///
/// # Errors
/// If anything else differs.
pub(super) fn last_lines(
    merged: &Tree<'_>,
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
) -> Result<Vec<LastLines>, VerificationError> {
    let last_lines = RefCell::default();
    let checker = Checker {
        last_lines: Some(&last_lines),
        ..Checker::of(merged, trees, None)
    };
    checker.check_document(outcome)?;
    Ok(last_lines.into_inner())
}

struct Checker<'a> {
    merged: &'a Tree<'a>,
    trees: Triple<&'a Tree<'a>>,
    /// The side to take in open conflicts.
    side: Option<Side>,
    /// Collects the block scalars that differ in white space at their ends only; `None` if such a
    /// difference is an error.
    last_lines: Option<&'a RefCell<Vec<LastLines>>>,
    /// The anchors that each version and the merged document have once, at the same place.
    shared_anchors: OnceCell<FxHashSet<&'a str>>,
}

/// The place of an entry in the tree that it comes from, and the decision about it. In a part of an
/// updated collection, the decision calls the entry local.
type Expected<'o> = (Slot, &'o Child);

type CheckResult = Result<(), Box<VerificationError>>;

impl<'a> Checker<'a> {
    const fn of(merged: &'a Tree<'a>, trees: Triple<&'a Tree<'a>>, side: Option<Side>) -> Self {
        Self {
            merged,
            trees,
            side,
            last_lines: None,
            shared_anchors: OnceCell::new(),
        }
    }

    fn check_document(&self, outcome: &Outcome) -> Result<(), VerificationError> {
        let (root, local) = (self.merged.root().value, self.trees.local.root().value);
        let checked = self.check_local(root, outcome, local, &Place::ROOT);
        checked.map_err(|verification_error| *verification_error)
    }

    /// Checks a value for which there is a decision about a local value.
    fn check_local(
        &self,
        merged: NodeId,
        outcome: &Outcome,
        local: NodeId,
        place: &Place<'_>,
    ) -> CheckResult {
        let outcome = outcome.chosen(self.side);
        match outcome {
            Outcome::Keep | Outcome::Remove => {
                self.check_same(merged, self.trees.local, local, place)
            }
            Outcome::Take(incoming) => {
                self.check_incoming(merged, (incoming.node, incoming.outcome()), place)
            }
            Outcome::Text(text) => self.check_text(merged, text, place),
            Outcome::Lines(lines) => self.check_text(merged, &lines.content, place),
            Outcome::Open(_) => Err(self.verification_error(place, "the conflict is still open")),
            Outcome::Merge(_) | Outcome::Row(_) => {
                let stays =
                    |child: &&Child| !matches!(child.outcome().chosen(self.side), Outcome::Remove);
                let staying = outcome.children().filter(stays);
                let expected = staying.map(|child| (child.slot, child));
                self.check_entries(merged, expected, (self.trees.local, local), place)
            }
        }
    }

    /// Checks a value that comes from updated, in whole or in part.
    fn check_incoming(
        &self,
        merged: NodeId,
        (updated, part): (NodeId, &Outcome),
        place: &Place<'_>,
    ) -> CheckResult {
        let tree = self.trees.updated;
        if !part.is_merge() {
            return self.check_same(merged, tree, updated, place);
        }
        let expected = part.staying().filter_map(|child| match child.slot {
            Slot::Local(entry) => Some((Slot::Updated(entry), child)),
            Slot::Updated(_) => None,
        });
        self.check_entries(merged, expected, (tree, updated), place)
    }

    /// Checks that a value equals `expected`, a value of `tree`.
    fn check_same(
        &self,
        merged: NodeId,
        tree: &Tree<'_>,
        expected: NodeId,
        place: &Place<'_>,
    ) -> CheckResult {
        if equal(self.merged, merged, tree, expected)
            || self.is_incoming_but_anchors(merged, tree, expected)
            || self.is_same_but_last_lines(merged, tree, expected)
        {
            Ok(())
        } else {
            Err(self.verification_error(place, "the value differs from the decided one"))
        }
    }

    /// Whether a value from updated differs only in that its aliases refer to the merged anchors.
    /// An alias of an anchor that all versions have stays one (rules: Places and formats).
    fn is_incoming_but_anchors(&self, merged: NodeId, tree: &Tree<'_>, expected: NodeId) -> bool {
        if !std::ptr::eq(tree, self.trees.updated) || !tree.has_aliases() {
            return false;
        }
        let shared = self.shared_anchors.get_or_init(|| {
            let others = [self.trees.original, self.trees.local, self.merged];
            shared_anchors(self.trees.updated, &others)
                .into_keys()
                .collect()
        });
        !shared.is_empty() && equal_but_anchors((self.merged, merged), (tree, expected), shared)
    }

    /// Checks that a value is a string with this content.
    fn check_text(&self, merged: NodeId, text: &str, place: &Place<'_>) -> CheckResult {
        match self.merged.scalar(merged) {
            Some(scalar)
                if scalar.scalar_type == ScalarType::Str
                    && self.has_content(merged, scalar, text) =>
            {
                Ok(())
            }
            _ => Err(self.verification_error(place, "the lines differ from the decided ones")),
        }
    }

    /// Whether a scalar has this content. If `last_lines` is set, white space at the end of a block
    /// scalar may differ; the scalar is recorded there.
    fn has_content(&self, merged: NodeId, scalar: Scalar<'_>, text: &str) -> bool {
        let found = scalar.content;
        let differs_in_last_lines = || {
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
        found == text || differs_in_last_lines()
    }

    /// Whether a value is `expected` apart from white space at the ends of block scalars. Records
    /// these in `last_lines`; always false if that is not set.
    fn is_same_but_last_lines(&self, merged: NodeId, tree: &Tree<'_>, expected: NodeId) -> bool {
        let expected = tree.resolve(expected);
        if self.last_lines.is_none() {
            return false;
        }
        if matches!(self.merged.node(merged).kind, NodeKind::Alias(_)) {
            // a difference is recorded at the anchor
            return true;
        }
        if let Some(scalar) = tree.scalar(expected) {
            let is_same = |found: Scalar<'_>| {
                found.scalar_type == scalar.scalar_type
                    && self.merged.custom_tag(merged) == tree.custom_tag(expected)
                    && self.has_content(merged, found, scalar.content)
            };
            return equal(self.merged, merged, tree, expected)
                || self.merged.scalar(merged).is_some_and(is_same);
        }
        let (found, wanted) = (self.merged.entries(merged), tree.entries(expected));
        found.len() == wanted.len()
            && found.zip(wanted).all(|(found, wanted)| {
                self.has_same_key(found, tree, wanted)
                    && self.is_same_but_last_lines(
                        self.merged.entry(found).value,
                        tree,
                        tree.entry(wanted).value,
                    )
            })
    }

    /// Checks the value of an entry of the result.
    fn check_entry(
        &self,
        merged: NodeId,
        (slot, child): Expected<'_>,
        place: &Place<'_>,
    ) -> CheckResult {
        let outcome = child.outcome().chosen(self.side);
        match (slot, outcome) {
            (Slot::Local(id), _) => {
                let local = self.trees.local.entry(id).value;
                self.check_local(merged, outcome, local, place)?;
                match outcome.is_merge() {
                    true => self.check_tag(merged, child.extras().tag, local, place),
                    false => Ok(()),
                }
            }
            (Slot::Updated(_), Outcome::Take(incoming)) => {
                self.check_incoming(merged, (incoming.node, incoming.outcome()), place)
            }
            // inside a collection of which only a part comes
            (Slot::Updated(id), part) => {
                let updated = self.trees.updated.entry(id).value;
                self.check_incoming(merged, (updated, part), place)
            }
        }
    }

    /// Checks the tag of a merged map or list: that of an updated entry's value, or else local's.
    /// That of an alias is checked at its anchor.
    fn check_tag(
        &self,
        merged: NodeId,
        tag: Option<EntryId>,
        local: NodeId,
        place: &Place<'_>,
    ) -> CheckResult {
        let updated = self.trees.updated;
        let of_updated = |entry| updated.custom_tag(updated.entry(entry).value);
        let expected = tag.map_or_else(|| self.trees.local.custom_tag(local), of_updated);
        let error = || self.verification_error(place, "the tag differs from the decided one");
        let is_alias = matches!(self.merged.node(merged).kind, NodeKind::Alias(_));
        let is_same = is_alias || self.merged.custom_tag(merged) == expected;
        is_same.then_some(()).ok_or_else(error)
    }

    /// Checks a map or list entry by entry. `expected` are the decided entries; `wanted` says
    /// whether it has to be a map or a list.
    fn check_entries<'o>(
        &self,
        merged: NodeId,
        expected: impl Iterator<Item = Expected<'o>> + Clone,
        (wanted_tree, wanted): (&Tree<'_>, NodeId),
        place: &Place<'_>,
    ) -> CheckResult {
        let tree = self.merged;
        let node = tree.resolve(merged);
        let (found, count) = (tree.entries(node), expected.clone().count());
        let (kind, wanted_kind) = (shape(tree, node), shape(wanted_tree, wanted));
        let is_same_kind =
            kind != Shape::Scalar && (kind == Shape::Map) == (wanted_kind == Shape::Map);
        if !is_same_kind || found.len() != count {
            return Err(self.verification_error(
                place,
                &format!("{count} entries were decided, {} are there", found.len()),
            ));
        }
        let mut fields = None;
        for (at_position, expected) in found.zip(expected) {
            let key = expected.1.extras().key.or_else(|| expected.1.text());
            let (side, id) = match (expected.0, key) {
                (_, Some(key)) => (self.trees.updated, key),
                (Slot::Local(id), None) => (self.trees.local, id),
                (Slot::Updated(id), None) => (self.trees.updated, id),
            };
            // try the entry at the same position first: fields are mostly in the order of the
            // decisions, but need not be
            let found = if self.has_same_key(at_position, side, id) {
                at_position
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
            self.check_entry(tree.entry(found).value, expected, &place)?;
        }
        Ok(())
    }

    /// Whether a field has the decided key; true for elements.
    fn has_same_key(&self, found: EntryId, side: &Tree<'_>, expected: EntryId) -> bool {
        match (self.merged.entry(found).key, side.entry(expected).key) {
            (Some(found), Some(expected)) => equal(self.merged, found, side, expected),
            (None, None) => true,
            _ => false,
        }
    }

    fn verification_error(&self, place: &Place<'_>, message: &str) -> Box<VerificationError> {
        Box::new(VerificationError {
            path: place.path(self.merged),
            message: message.to_owned(),
        })
    }
}

/// A place in the merged tree: an entry, and the place of the collection that has it.
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

    /// Returns the path of the place.
    fn path(&self, tree: &Tree<'_>) -> String {
        let above = self
            .above
            .map_or_else(String::new, |above| above.path(tree));
        let Some(entry) = self.entry else {
            return above;
        };
        match tree.key_text(entry) {
            Some(name) if above.is_empty() => name.to_owned(),
            Some(name) => format!("{above}.{name}"),
            None => format!("{above}[]"),
        }
    }
}
