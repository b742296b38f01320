//! The walk: decides what becomes of each value and comment of the local document.
//!
//! The input is the trees of original, updated and local. The output is the conflicts, and an
//! [`Outcome`] for the local root, which `merge::edit` applies to the local text.
//! [`Walker::decide`] is the start; `keyed` merges maps and lists with a key, `sequences` lists
//! without one, `arrive` and `delete` handle additions and deletions, `rows` merges comments and
//! blank lines.

mod agreement;
mod align;
mod aligned_lists;
mod anchors;
pub(crate) mod arrive;
mod both_changed;
mod collection;
mod delete;
mod element_pairs;
pub(crate) mod entries_at;
mod entry;
mod exact;
mod halves;
mod hunks;
mod images;
mod keyed;
pub(crate) mod keys;
mod moved;
mod namesakes;
pub(super) mod order;
mod pairing;
mod path_rules;
mod pinned;
pub(crate) mod place;
mod positions;
mod record;
pub(crate) mod remarks;
mod renames;
mod rows;
mod same_text;
mod sequences;
mod shared_comments;
pub(super) mod similarity;
mod sorted;
mod tags;
mod texts;

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decision::{Incoming, Outcome};
use super::fingerprint::Fingerprints;
use super::pins::Pins;
use super::shape::{Shape, entries_of, shape};
use super::{Conflict, ConflictKind, Options, Resolution, Sides};
use crate::schema::FieldSchemas;
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::{EntryId, NodeId, ScalarStyle, Span, Tree, equal};

use record::Step;
use same_text::same_lines_with_text;

/// The node on each side that has one.
type Nodes = Triple<Option<NodeId>>;
/// The entry on each side that has one.
type Entries = Triple<Option<EntryId>>;

/// Walks three trees in parallel and decides the outcome for the local one.
pub(crate) struct Walker<'a> {
    trees: Triple<&'a Tree<'a>>,
    options: &'a Options,
    /// Whether an explicit null deletes a field (rules: Nulls).
    nulls_clear: bool,
    /// Whether equal text always means equal values. False if a document has aliases.
    text_is_value: bool,
    /// The field schemas of each document, if the merge uses a schema.
    schemas: Option<Arc<Triple<FieldSchemas<'a>>>>,
    /// Whether the formats of values are merged too, and not only the values.
    merges_formats: bool,
    /// Whether comments and blank lines between entries are merged too.
    merges_rows: bool,
    /// The body of each document; `merge::around` merges what is above and below.
    bodies: Triple<Span>,
    /// The text above each document in its file; `merge::around` merges it.
    heads: Triple<&'a str>,
    /// For each side, whether the entries of the current collection are on lines of their own.
    on_own_lines: Triple<bool>,
    fingerprints: Triple<Fingerprints<'a>>,
    steps: Vec<Step>,
    pins: Arc<Pins>,
    /// The original's node of each anchor that all three have.
    shared_anchors: OnceCell<FxHashMap<&'a str, NodeId>>,
    /// The names of the anchors of the original and of local.
    known_anchors: OnceCell<FxHashSet<&'a str>>,
    /// The side with the higher version in the current conflict, if a rule says `take: higher`.
    higher_version: Option<Resolution>,
    conflicts: Vec<Conflict>,
    /// Reports that are not conflicts.
    notes: Vec<Conflict>,
}

/// Whether a walk merges comments and blank lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    Merged,
    /// A text that is there already is only checked for the decided values.
    LeftOut,
}

/// The result of a walk.
pub(crate) struct Decided {
    pub(crate) outcome: Outcome,
    pub(crate) conflicts: Vec<Conflict>,
    /// Reports that are not conflicts: held back by pins, or combined from both sides.
    pub(crate) notes: Vec<Conflict>,
}

impl<'a> Walker<'a> {
    /// Creates a walker over three trees. If there is no original, its tree is empty.
    pub(crate) fn new(
        trees: Triple<&'a Tree<'a>>,
        nulls_clear: bool,
        options: &'a Options,
    ) -> Self {
        let has_alias = |tree: &Tree<'_>| tree.has_aliases();
        Self {
            trees,
            options,
            nulls_clear,
            text_is_value: !trees.into_array().into_iter().any(has_alias),
            schemas: options
                .schema
                .as_deref()
                .map(|schema| trees.map(|tree| FieldSchemas::of_document(schema, tree)))
                .map(Arc::new),
            merges_formats: false,
            merges_rows: false,
            bodies: Triple::default(),
            heads: Triple::default(),
            on_own_lines: Triple::default(),
            fingerprints: trees.map(Fingerprints::new),
            steps: Vec::new(),
            pins: Arc::new(Pins::of(trees.local)),
            shared_anchors: OnceCell::new(),
            known_anchors: OnceCell::new(),
            higher_version: None,
            conflicts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Also merges the formats of values and, if `rows` says so, the comments and blank lines in
    /// the body of each document. `heads` is the text above the documents.
    pub(crate) fn with_formats(
        self,
        rows: Rows,
        bodies: Triple<Span>,
        heads: Triple<&'a str>,
    ) -> Self {
        Self {
            merges_formats: true,
            merges_rows: rows == Rows::Merged,
            bodies,
            heads,
            ..self
        }
    }

    /// Decides the whole document. `has_original` is false if the document has no original.
    pub(crate) fn decide(mut self, has_original: bool) -> Decided {
        let mut outcome = self.merge_value(self.roots(has_original));
        if let Outcome::Take(incoming) = &mut outcome {
            incoming.has_entry = self.has_lines_above(incoming.node);
        }
        Decided {
            outcome,
            conflicts: self.conflicts,
            notes: self.notes,
        }
    }

    /// Whether updated's body has the lines above the first entry of its root.
    fn has_lines_above(&self, root: NodeId) -> bool {
        let tree = self.trees.updated;
        let first = tree.entries(root).next();
        first.is_some_and(|it| tree.row_start(tree.entry(it)) >= self.bodies.updated.start)
    }

    /// Returns the reports for a document that is pinned as a whole.
    pub(crate) fn held_document(mut self, has_original: bool) -> Vec<Conflict> {
        self.record_held_back(self.roots(has_original));
        self.notes
    }

    pub(super) fn roots(&self, has_original: bool) -> Nodes {
        Triple::new(
            has_original.then(|| self.trees.original.root().value),
            Some(self.trees.updated.root().value),
            Some(self.trees.local.root().value),
        )
    }

    /// Merges a value that both updated and local have (rules: Fields).
    fn merge_value(&mut self, nodes: Nodes) -> Outcome {
        let nodes = self.with_original_anchor(nodes);
        if let Some(aliases) = self.same_aliases(nodes) {
            return aliases;
        }
        let shapes = self.shapes(nodes);
        match (shapes.updated, shapes.local) {
            _ if self.both_changed_kind(nodes) && !self.holds_pin(nodes) => self.one_value(nodes),
            _ if self.is_replaced_with_tag(nodes) => self.one_value(nodes),
            (Some(Shape::Map), Some(Shape::Map)) if !self.is_atomic_map(nodes) => {
                self.merge_keyed(None, nodes)
            }
            (Some(Shape::List), Some(Shape::List)) => self.merge_list(nodes),
            _ if self.holds_pin(nodes) => self.keep_whole_for_pin(nodes),
            _ => self.one_value(nodes),
        }
    }

    /// Returns true if two equal sides changed the kind of a value, and their new values differ.
    fn both_changed_kind(&self, nodes: Nodes) -> bool {
        let shapes = self.shapes(nodes);
        self.options.sides == Sides::Equal
            && shapes.original.is_some()
            && shapes.original != shapes.updated
            && shapes.original != shapes.local
            && !self.is_equal_updated_local(nodes)
    }

    /// Merges a scalar, or values of different kinds, as one value
    /// (rules: Scalars, Kinds that differ). A null may act as a deletion (rules: Nulls).
    fn one_value(&mut self, nodes: Nodes) -> Outcome {
        let Some(updated) = nodes.updated else {
            return Outcome::Keep;
        };
        if self.nothing_to_merge(nodes) && !self.replaces_rewritten(nodes) {
            return Outcome::Keep;
        }
        let updated_outcome = self.updated_as_literal(nodes);
        let updated_outcome = updated_outcome.unwrap_or_else(|| self.take_updated(nodes, updated));
        let nulls = self.clearing_nulls(nodes);
        if !nulls.original {
            if nulls.local {
                let kind = self.kind_of_change(nodes);
                return self.conflict_for_local(kind, nodes, Outcome::Keep, updated_outcome);
            }
            if nulls.updated {
                return self.override_local(nodes, Outcome::Remove);
            }
        }
        if let Some(merged) = self.merge_scalar_parts(nodes) {
            return merged;
        }
        self.override_local(nodes, updated_outcome)
    }

    /// Whether, in a merge of equal sides, local put a value of another kind in the place of one
    /// whose text updated changed.
    fn replaces_rewritten(&self, nodes: Nodes) -> bool {
        let (shapes, trees) = (self.shapes(nodes), self.trees);
        let is_replaced = shapes.local != shapes.original && shapes.local != shapes.updated;
        if self.options.sides == Sides::Upstream || !is_replaced {
            return false;
        }
        let Some(step) = self.steps.last() else {
            let lines = |side: Side| {
                let lines = trees[side].slice(self.bodies[side]).lines().map(trimmed);
                lines.filter(|line| !line.is_empty())
            };
            return !lines(Side::Original).eq(lines(Side::Updated));
        };
        let sides = step.entries.original.zip(step.entries.updated);
        sides.is_some_and(|(original, updated)| {
            !same_lines_with_text((trees.original, original), (trees.updated, updated))
        })
    }

    /// Returns the outcome that replaces local's value with upstream's.
    fn take_updated(&self, nodes: Nodes, updated: NodeId) -> Outcome {
        Outcome::Take(Incoming {
            quoting: self.local_quoting(nodes),
            ..Incoming::whole(updated)
        })
    }

    /// Returns, for each side, whether the value is a null that acts as a deletion (rules: Nulls).
    /// A document that is null as a whole is data.
    fn clearing_nulls(&self, nodes: Nodes) -> Triple<bool> {
        let clears = self.nulls_clear && !self.steps.is_empty();
        let nulls = self.each(nodes, |tree, node| clears && tree.is_null(node));
        nulls.map(|is_null| is_null == Some(true))
    }

    /// Returns true if upstream changed nothing, or if local already has upstream's value.
    fn nothing_to_merge(&self, nodes: Nodes) -> bool {
        self.unchanged_upstream(nodes) || self.is_equal_updated_local(nodes)
    }

    fn unchanged_upstream(&self, nodes: Nodes) -> bool {
        matches!((nodes.original, nodes.updated), (Some(original), Some(updated))
            if equal(self.trees.original, original, self.trees.updated, updated))
    }

    fn is_equal_updated_local(&self, nodes: Nodes) -> bool {
        matches!((nodes.updated, nodes.local), (Some(updated), Some(local))
            if equal(self.trees.updated, updated, self.trees.local, local))
    }

    fn unchanged_locally(&self, nodes: Nodes) -> bool {
        matches!((nodes.original, nodes.local), (Some(original), Some(local))
            if equal(self.trees.original, original, self.trees.local, local))
    }

    /// Returns `updated_outcome` if local did not change the value. Otherwise records a conflict,
    /// which the policy resolves.
    fn override_local(&mut self, nodes: Nodes, updated_outcome: Outcome) -> Outcome {
        if self.unchanged_locally(nodes) {
            return updated_outcome;
        }
        let kind = self.kind_of_change(nodes);
        self.conflict(kind, nodes, updated_outcome)
    }

    fn kind_of_change(&self, nodes: Nodes) -> ConflictKind {
        let (nulls, shapes) = (self.clearing_nulls(nodes), self.shapes(nodes));
        match shapes.original {
            None => ConflictKind::BothAdded,
            _ if nulls.local => ConflictKind::DeletedLocally,
            _ if nulls.updated => ConflictKind::DeletedUpstream,
            original if shapes.updated == original && shapes.local == original => {
                ConflictKind::BothChanged
            }
            _ => ConflictKind::KindChanged,
        }
    }

    /// Returns local's quoting of a scalar, if original and updated quote it alike.
    fn local_quoting(&self, nodes: Nodes) -> Option<ScalarStyle> {
        let styles = self.each(nodes, Tree::style_of);
        styles.local.filter(|_| styles.original == styles.updated)?
    }

    /// Returns the entries of the map or list on a side.
    fn entries_on(&self, side: Side, nodes: Nodes) -> impl Iterator<Item = EntryId> + use<'a> {
        let tree = self.trees[side];
        let node = nodes[side].into_iter();
        node.flat_map(|node| entries_of(tree, node))
    }

    fn values_of(&self, entries: Entries) -> Nodes {
        self.each(entries, |tree, entry| tree.entry(entry).value)
    }

    fn shapes(&self, nodes: Nodes) -> Triple<Option<Shape>> {
        self.each(nodes, shape)
    }

    /// Applies `operation` to the node or entry of each side that has one.
    fn each<I, R>(
        &self,
        items: Triple<Option<I>>,
        operation: impl Fn(&'a Tree<'a>, I) -> R,
    ) -> Triple<Option<R>> {
        let sides = self.trees.zip(items);
        sides.map(|(tree, item)| item.map(|item| operation(tree, item)))
    }
}
