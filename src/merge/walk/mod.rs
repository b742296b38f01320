//! The walk over original, updated and local at once: what changed upstream, and what becomes of
//! the local text.

mod agreement;
mod align;
mod alike;
pub(crate) mod arrive;
mod become_list;
mod delete;
pub(crate) mod entries_at;
pub(crate) mod fields;
mod hunks;
mod hunks_of_sides;
mod images;
pub(crate) mod index;
mod inserted;
pub(crate) mod keys;
mod lists;
mod moved;
mod namesakes;
mod order;
mod pinned;
pub(crate) mod place;
mod record;
pub(crate) mod remarks;
mod renames;
mod rows;
mod ruled;
mod same_text;
mod sequences;
mod sorted;
mod texts;

use super::decision::{Child, Incoming, Outcome};
use super::fingerprint::Fingerprints;
use super::pins::Pins;
use super::{Conflict, ConflictKind, Options, Resolution, Sides};
use crate::schema::FieldSchemas;
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, NodeKind, ScalarStyle, Tree, equal};

use record::Step;

/// A node of each side that has one.
type Nodes = Triple<Option<NodeId>>;
/// An entry of each side that has one.
type Entries = Triple<Option<EntryId>>;

/// Walks three trees and decides what becomes of the local one.
pub(crate) struct Walker<'a> {
    trees: Triple<&'a Tree<'a>>,
    options: &'a Options,
    /// Whether an explicit null is a word of command (rules: Nulls).
    nulls_clear: bool,
    /// Whether two spans of equal text always mean equal values: not so where aliases occur.
    text_is_value: bool,
    /// What the schema says of each node, where there is a schema.
    schemas: Option<Triple<FieldSchemas<'a>>>,
    /// Whether what is between entries merges too.
    merges_lines: bool,
    /// Where the documents' bodies begin: what is above is merged elsewhere.
    bodies: Triple<u32>,
    /// On which sides the entries that the walk is at have lines of their own.
    has_lines: Triple<bool>,
    fingerprints: Triple<Fingerprints<'a>>,
    steps: Vec<Step>,
    pins: Pins,
    /// Whose version is the higher one, of the conflict that is being recorded, if a rule asks for
    /// that.
    higher: Option<Resolution>,
    conflicts: Vec<Conflict>,
    /// What is reported and is no conflict.
    noted: Vec<Conflict>,
}

/// What a walk decided, and what there is to say about it.
pub(crate) struct Decided {
    pub(crate) outcome: Outcome,
    pub(crate) conflicts: Vec<Conflict>,
    /// What is reported and is no conflict: what pins held back, and what was put together from
    /// both sides.
    pub(crate) noted: Vec<Conflict>,
}

/// Map, list or scalar: the kinds of values (rules: Equality, Kinds that differ).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Map,
    List,
    Scalar,
}

impl<'a> Walker<'a> {
    /// A walk over three trees; an original that is not there is an empty tree.
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
            has_lines: Triple::default(),
            fingerprints: trees.map(Fingerprints::new),
            steps: Vec::new(),
            pins: Pins::of(trees.local),
            higher: None,
            conflicts: Vec::new(),
            noted: Vec::new(),
        }
    }

    /// The same, where what is between entries merges too, from where the documents' bodies
    /// begin.
    pub(crate) fn with_lines(self, bodies: Triple<u32>) -> Self {
        Self {
            merges_lines: true,
            bodies,
            ..self
        }
    }

    /// Decides the whole document. `has_original` says whether there is one to compare with.
    pub(crate) fn decide(mut self, has_original: bool) -> Decided {
        let outcome = self.value(self.roots(has_original));
        Decided {
            outcome,
            conflicts: self.conflicts,
            noted: self.noted,
        }
    }

    /// What there is to say where the whole document is pinned.
    pub(crate) fn held_document(mut self, has_original: bool) -> Vec<Conflict> {
        self.hold_back(self.roots(has_original));
        self.noted
    }

    pub(super) fn roots(&self, has_original: bool) -> Nodes {
        Triple::new(
            has_original.then(|| self.trees.original.root().value),
            Some(self.trees.updated.root().value),
            Some(self.trees.local.root().value),
        )
    }

    /// What becomes of an entry that at least one side has; `None` if the result has none and
    /// local has none.
    fn entry(&mut self, entries: Entries) -> Option<Child> {
        let nodes = self.values_of(entries);
        if let Some(local) = entries.local.filter(|local| self.pins.has(*local)) {
            self.hold_back(nodes);
            return Some(Child::keep(local));
        }
        match (entries.original, entries.updated, entries.local) {
            (_, None, None) => None,
            (None, None, Some(local)) => Some(Child::keep(local)),
            (Some(original), None, Some(local)) => {
                let is_changed = self.options.sides == Sides::Equal
                    && !self.unchanged_locally(nodes)
                    && !self.holds_pin(nodes);
                let outcome = if is_changed || self.is_rewritten_locally(original, local, nodes) {
                    self.conflict(ConflictKind::DeletedUpstream, nodes, Outcome::Remove)
                } else {
                    self.deleted_upstream(nodes)
                };
                Some(Child::local(local, outcome))
            }
            (_, Some(updated), None) => self
                .absent_locally(entries, None)
                .map(|outcome| Child::updated(updated, outcome)),
            (original, Some(updated), Some(local)) => {
                if original.is_some_and(|original| self.same_text(original, updated)) {
                    return Some(Child::keep(local).of_sides(entries));
                }
                if let Some(rewritten) = self.fast_forward(entries) {
                    return Some(rewritten);
                }
                let has_lines = self.has_lines;
                let outcome = self.value(nodes);
                self.has_lines = has_lines;
                let remarks = self.remarks(entries, &outcome);
                let below = match has_lines.local {
                    true => self.merged_below(entries, &outcome),
                    false => None,
                };
                let child = Child::local(local, outcome).of_sides(entries);
                Some(child.with_remarks(remarks).with_below(below))
            }
        }
    }

    /// An entry that local left as it was is what upstream made of it, to the byte.
    fn fast_forward(&self, entries: Entries) -> Option<Child> {
        let (original, updated, local) = (entries.original?, entries.updated?, entries.local?);
        let trees = self.trees;
        let value = trees.updated.entry(updated).value;
        let is_plain = self.merges_lines
            && self.has_lines == Triple::new(true, true, true)
            && (self.text_is_value || self.names_no_anchor(original, updated))
            && !self.holds_pin(self.values_of(entries))
            && (!self.nulls_clear || !holds_null(trees.updated, value));
        let column = |tree: &Tree<'_>, entry: EntryId| tree.column(tree.entry(entry).span.start);
        let in_place = column(trees.original, original) == column(trees.local, local)
            || !trees.updated.is_block_collection(value);
        let is_left = is_plain
            && in_place
            && same_text::same_lines((trees.original, original), (trees.local, local));
        is_left.then(|| Child::rewritten(local, value).of_sides(entries))
    }

    /// A value that updated and local both have (rules: Fields).
    fn value(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        match (
            shape(self.trees.updated, updated),
            shape(self.trees.local, local),
        ) {
            _ if self.became_apart(nodes) && !self.holds_pin(nodes) => self.single(nodes),
            (Shape::Map, Shape::Map) if !self.is_atomic_map(nodes) => self.fields(nodes),
            (Shape::List, Shape::List) => self.list(nodes),
            _ if self.holds_pin(nodes) => self.held_whole(nodes),
            _ => self.single(nodes),
        }
    }

    /// Whether, between equals, both made a value of another kind of what the original has, and not
    /// alike.
    fn became_apart(&self, nodes: Nodes) -> bool {
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

    /// A scalar, or kinds that differ: one value (rules: Scalars, Kinds that differ), nulls being
    /// commands (rules: Nulls).
    fn single(&mut self, nodes: Nodes) -> Outcome {
        let Some(updated) = nodes.updated else {
            return Outcome::Keep;
        };
        if self.settled(nodes) {
            return Outcome::Keep;
        }
        let taken = self.taken_in_lines(nodes);
        let taken = taken.unwrap_or_else(|| self.taken(nodes, updated));
        let nulls = self.clearing_nulls(nodes);
        if !nulls.original {
            if nulls.local {
                let kind = self.kind_of_change(nodes);
                return self.conflict_kept(kind, nodes, Outcome::Keep, taken);
            }
            if nulls.updated {
                return self.override_local(nodes, Outcome::Remove);
            }
        }
        if let Some(merged) = self.merged_parts(nodes) {
            return merged;
        }
        self.override_local(nodes, taken)
    }

    /// Upstream's value in the place of local's.
    fn taken(&self, nodes: Nodes, updated: NodeId) -> Outcome {
        Outcome::Take(Incoming {
            quoting: self.local_quoting(nodes),
            ..Incoming::whole(updated)
        })
    }

    /// On which sides a null is where one is a word of command (rules: Nulls): in a field. A
    /// document that is null as a whole is data.
    fn clearing_nulls(&self, nodes: Nodes) -> Triple<bool> {
        let is_field = !self.steps.is_empty();
        let is_null = |tree: &Tree<'_>, node: Option<NodeId>| {
            self.nulls_clear && is_field && node.is_some_and(|node| tree.is_null(node))
        };
        self.trees
            .zip(nodes)
            .map(|(tree, node)| is_null(tree, node))
    }

    /// Whether upstream changed nothing, or local has what upstream made of it already.
    fn settled(&self, nodes: Nodes) -> bool {
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

    /// Upstream's outcome where local did not change the value; else a conflict, decided by the
    /// policy.
    fn override_local(&mut self, nodes: Nodes, taken: Outcome) -> Outcome {
        if self.unchanged_locally(nodes) {
            return taken;
        }
        let kind = self.kind_of_change(nodes);
        self.conflict(kind, nodes, taken)
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

    /// Local's way of quoting a scalar that original and updated quote alike.
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

    pub(super) fn values_of(&self, entries: Entries) -> Nodes {
        self.trees
            .zip(entries)
            .map(|(tree, entry)| entry.map(|entry| tree.entry(entry).value))
    }
}

/// Whether a null is anywhere in a value.
fn holds_null(tree: &Tree<'_>, node: NodeId) -> bool {
    let mut entries = tree.entries(node);
    tree.is_null(node) || entries.any(|entry| holds_null(tree, tree.entry(entry).value))
}

/// The kind of a node; an alias is what it stands for.
pub(crate) fn shape(tree: &Tree<'_>, node: NodeId) -> Shape {
    match tree.node(tree.resolve(node)).kind {
        NodeKind::Mapping(_) => Shape::Map,
        NodeKind::Sequence(_) => Shape::List,
        NodeKind::Scalar(_) | NodeKind::Alias(_) => Shape::Scalar,
    }
}

/// The entries of a node, an alias being what it stands for.
fn entries_of<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
) -> impl DoubleEndedIterator<Item = EntryId> + ExactSizeIterator + use<'t> {
    tree.entries(tree.resolve(node))
}

/// The position of an entry among the entries of its collection, which are numbered in a row.
pub(crate) fn position(mut entries: impl Iterator<Item = EntryId>, wanted: EntryId) -> usize {
    let first = entries.next().unwrap_or(wanted);
    (wanted.number() - first.number()) as usize
}
