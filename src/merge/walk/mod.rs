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
pub(crate) mod arrive;
mod both_changed;
mod collection;
mod delete;
pub(crate) mod entries_at;
mod exact;
mod hunks;
mod images;
pub(crate) mod index;
mod keyed;
pub(crate) mod keys;
mod moved;
mod namesakes;
mod order;
mod pairing;
mod path_rules;
mod pinned;
pub(crate) mod place;
mod record;
pub(crate) mod remarks;
mod renames;
mod rows;
mod same_text;
mod sequences;
mod similarity;
mod sorted;
mod texts;

use super::decision::{Child, Incoming, Outcome};
use super::fingerprint::Fingerprints;
use super::pins::Pins;
use super::{Conflict, ConflictKind, Options, Resolution, Sides};
use crate::schema::FieldSchemas;
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId, NodeKind, ScalarStyle, Tree, equal};

use keys::ListKey;
use record::{Segment, Step};

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
    schemas: Option<Triple<FieldSchemas<'a>>>,
    /// Whether comments and blank lines between entries are merged too.
    merges_lines: bool,
    /// The offset at which each document's body starts; `merge::around` merges what is above.
    bodies: Triple<u32>,
    /// For each side, whether the entries of the current collection are on lines of their own.
    on_own_lines: Triple<bool>,
    fingerprints: Triple<Fingerprints<'a>>,
    steps: Vec<Step>,
    pins: Pins,
    /// The side with the higher version in the current conflict, if a rule says `take: higher`.
    higher_version: Option<Resolution>,
    conflicts: Vec<Conflict>,
    /// Reports that are not conflicts.
    noted: Vec<Conflict>,
}

/// The result of a walk.
pub(crate) struct Decided {
    pub(crate) outcome: Outcome,
    pub(crate) conflicts: Vec<Conflict>,
    /// Reports that are not conflicts: held back by pins, or combined from both sides.
    pub(crate) noted: Vec<Conflict>,
}

/// The kind of a value: map, list or scalar (rules: Equality, Kinds that differ).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Map,
    List,
    Scalar,
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
                .map(|schema| trees.map(|tree| FieldSchemas::of_document(schema, tree))),
            merges_lines: false,
            bodies: Triple::default(),
            on_own_lines: Triple::default(),
            fingerprints: trees.map(Fingerprints::new),
            steps: Vec::new(),
            pins: Pins::of(trees.local),
            higher_version: None,
            conflicts: Vec::new(),
            noted: Vec::new(),
        }
    }

    /// Also merges comments and blank lines, from the offset at which the body of each document
    /// starts.
    pub(crate) fn with_lines(self, bodies: Triple<u32>) -> Self {
        Self {
            merges_lines: true,
            bodies,
            ..self
        }
    }

    /// Decides the whole document. `has_original` is false if the document has no original.
    pub(crate) fn decide(mut self, has_original: bool) -> Decided {
        let outcome = self.merge_value(self.roots(has_original));
        Decided {
            outcome,
            conflicts: self.conflicts,
            noted: self.noted,
        }
    }

    /// Returns the reports for a document that is pinned as a whole.
    pub(crate) fn held_document(mut self, has_original: bool) -> Vec<Conflict> {
        self.record_held_back(self.roots(has_original));
        self.noted
    }

    pub(super) fn roots(&self, has_original: bool) -> Nodes {
        Triple::new(
            has_original.then(|| self.trees.original.root().value),
            Some(self.trees.updated.root().value),
            Some(self.trees.local.root().value),
        )
    }

    /// Merges an entry, with the path extended by it. Returns `None` if neither updated nor local
    /// has the entry.
    fn merge_entry(&mut self, segment: Segment, entries: Entries) -> Option<Child> {
        let child = self.at(segment, entries, |walker| walker.merged_entry(entries))?;
        Some(child.of_sides(entries))
    }

    fn merged_entry(&mut self, entries: Entries) -> Option<Child> {
        let nodes = self.values_of(entries);
        Some(match (entries.original, entries.updated, entries.local) {
            (_, None, None) => return None,
            (_, None, Some(local)) if self.is_key_of_deleted_element(local) => Child::keep(local),
            (_, _, Some(local)) if self.pins.has(local) => {
                self.record_held_back(nodes);
                Child::keep(local)
            }
            (None, None, Some(local)) => Child::keep(local),
            (Some(original), None, Some(local)) => {
                Child::local(local, self.deleted_entry(original, local))
            }
            (_, Some(updated), None) => {
                let outcome = self.absent_locally(entries).unwrap_or(Outcome::Remove);
                Child::updated(updated, outcome)
            }
            (Some(original), Some(updated), Some(local)) if self.same_text(original, updated) => {
                Child::keep(local)
            }
            (None, Some(updated), Some(local)) if self.is_added_differently(nodes) => {
                let taken = Outcome::Take(Incoming::whole(self.trees.updated.entry(updated).value));
                Child::local(local, self.conflict(ConflictKind::BothAdded, nodes, taken))
            }
            (_, Some(_), Some(local)) => self.merge_both(entries, local, Self::merge_value),
        })
    }

    /// Returns true if, in a merge of equal sides, both sides added the current element of an
    /// associative list with different values.
    fn is_added_differently(&self, nodes: Nodes) -> bool {
        self.options.sides == Sides::Equal
            && self.key_of_element().is_some()
            && !self.is_equal_updated_local(nodes)
    }

    /// Merges an entry that updated and local have: its value with `merge_value`, and its comments.
    fn merge_both(
        &mut self,
        entries: Entries,
        local: EntryId,
        merge_value: fn(&mut Self, Nodes) -> Outcome,
    ) -> Child {
        if let Some(rewritten) = self.fast_forward(entries) {
            return rewritten;
        }
        let outcome = merge_value(self, self.values_of(entries));
        let remarks = self.remarks(entries, &outcome);
        let below = match self.on_own_lines.local {
            true => self.merge_comments_below(entries, &outcome),
            false => None,
        };
        let child = Child::local(local, outcome);
        child.with_remarks(remarks).with_below(below)
    }

    /// Runs `operation` on the entries of a collection: notes for each side whether they are, or
    /// would be, on lines of their own.
    fn within<R>(&mut self, nodes: Nodes, operation: impl FnOnce(&mut Self) -> R) -> R {
        let on_own_lines = self.trees.zip(nodes).map(|(tree, node)| {
            node.is_none_or(|node| {
                entries_of(tree, node).len() == 0 || tree.is_block_collection(node)
            })
        });
        let outer = std::mem::replace(&mut self.on_own_lines, on_own_lines);
        let result = operation(self);
        self.on_own_lines = outer;
        result
    }

    /// Returns upstream's entry, byte for byte, if local did not change the entry.
    fn fast_forward(&self, entries: Entries) -> Option<Child> {
        let (original, updated, local) = (entries.original?, entries.updated?, entries.local?);
        let trees = self.trees;
        let value = trees.updated.entry(updated).value;
        let is_plain = self.merges_lines
            && self.on_own_lines == Triple::new(true, true, true)
            && (self.text_is_value || self.is_free_of_anchors(original, updated))
            && !self.holds_pin(self.values_of(entries))
            && (!self.nulls_clear || !holds_null(trees.updated, value));
        let column = |tree: &Tree<'_>, entry: EntryId| tree.column(tree.entry(entry).span.start);
        let keeps_column = column(trees.original, original) == column(trees.local, local)
            || !trees.updated.is_block_collection(value);
        let is_unchanged = is_plain
            && keeps_column
            && same_text::same_lines((trees.original, original), (trees.local, local));
        is_unchanged.then(|| Child::rewritten(local, value))
    }

    /// Merges a value that both updated and local have (rules: Fields).
    fn merge_value(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        match (
            shape(self.trees.updated, updated),
            shape(self.trees.local, local),
        ) {
            _ if self.both_changed_kind(nodes) && !self.holds_pin(nodes) => self.one_value(nodes),
            (Shape::Map, Shape::Map) if !self.is_atomic_map(nodes) => self.merge_keyed(None, nodes),
            (Shape::List, Shape::List) => self.merge_list(nodes),
            _ if self.holds_pin(nodes) => self.keep_whole_for_pin(nodes),
            _ => self.one_value(nodes),
        }
    }

    /// Returns true if two equal sides changed the kind of a value, and their new values differ.
    fn both_changed_kind(&self, nodes: Nodes) -> bool {
        let shapes = self
            .trees
            .zip(nodes)
            .map(|(tree, node)| node.map(|node| shape(tree, node)));
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
        if self.nothing_to_merge(nodes) {
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
        let is_field = !self.steps.is_empty();
        let is_null = |tree: &Tree<'_>, node: Option<NodeId>| {
            self.nulls_clear && is_field && node.is_some_and(|node| tree.is_null(node))
        };
        self.trees
            .zip(nodes)
            .map(|(tree, node)| is_null(tree, node))
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
        let Some(original) = nodes.original else {
            return ConflictKind::BothAdded;
        };
        let nulls = self.clearing_nulls(nodes);
        if nulls.local {
            return ConflictKind::DeletedLocally;
        }
        if nulls.updated {
            return ConflictKind::DeletedUpstream;
        }
        let original = shape(self.trees.original, original);
        let differs = |tree: &Tree<'_>, node: Option<NodeId>| {
            node.is_some_and(|node| shape(tree, node) != original)
        };
        if differs(self.trees.updated, nodes.updated) || differs(self.trees.local, nodes.local) {
            ConflictKind::KindChanged
        } else {
            ConflictKind::BothChanged
        }
    }

    /// Returns local's quoting of a scalar, if original and updated quote it alike.
    fn local_quoting(&self, nodes: Nodes) -> Option<ScalarStyle> {
        let styles = self.trees.zip(nodes).map(|(tree, node)| {
            node.and_then(|node| tree.scalar(node))
                .map(|scalar| scalar.style)
        });
        if styles.original == styles.updated {
            styles.local
        } else {
            None
        }
    }

    /// Returns the key by which the current entry is an element of an associative list.
    fn key_of_element(&self) -> Option<&ListKey> {
        match &self.steps.last()?.segment {
            Segment::Element(key) => Some(key),
            Segment::Field | Segment::Index(_) => None,
        }
    }

    /// Returns the entries of the map or list on a side.
    fn entries_on(&self, side: Side, nodes: Nodes) -> impl Iterator<Item = EntryId> + use<'a> {
        let tree = self.trees[side];
        let node = nodes[side].into_iter();
        node.flat_map(|node| entries_of(tree, node))
    }

    pub(super) fn values_of(&self, entries: Entries) -> Nodes {
        self.trees
            .zip(entries)
            .map(|(tree, entry)| entry.map(|entry| tree.entry(entry).value))
    }
}

/// Returns true if a value is null or contains a null.
fn holds_null(tree: &Tree<'_>, node: NodeId) -> bool {
    let mut entries = tree.entries(node);
    tree.is_null(node) || entries.any(|entry| holds_null(tree, tree.entry(entry).value))
}

/// Returns the kind of a node. Aliases are resolved.
pub(crate) fn shape(tree: &Tree<'_>, node: NodeId) -> Shape {
    match tree.node(tree.resolve(node)).kind {
        NodeKind::Mapping(_) => Shape::Map,
        NodeKind::Sequence(_) => Shape::List,
        NodeKind::Scalar(_) | NodeKind::Alias(_) => Shape::Scalar,
    }
}

/// Returns the entries of a node. Aliases are resolved.
fn entries_of<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
) -> impl DoubleEndedIterator<Item = EntryId> + ExactSizeIterator + use<'t> {
    tree.entries(tree.resolve(node))
}

/// Returns the position of `wanted` among the entries of its collection, whose ids are consecutive.
pub(crate) fn position(mut entries: impl Iterator<Item = EntryId>, wanted: EntryId) -> usize {
    let first = entries.next().unwrap_or(wanted);
    (wanted.number() - first.number()) as usize
}
