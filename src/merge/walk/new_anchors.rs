//! Decides about anchors and aliases (rules: Places and formats): those that upstream adds to
//! values that local has, such as where it writes equal values as an anchor and aliases of it, and
//! aliases that one side leaves as they are.

use rustc_hash::{FxHashMap, FxHashSet};

use super::same_text::same_lines;
use super::{Entries, Nodes, Shape, Walker};
use crate::merge::anchors::shared_anchors;
use crate::merge::decision::{Incoming, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, Tree, equal, equal_but_anchors};

/// The anchors of the original that updated and local have at the same place: the original's node
/// by the name of the anchor.
#[derive(Default)]
pub(super) struct KeptAnchors<'a>(Triple<FxHashMap<&'a str, NodeId>>);

impl<'a> KeptAnchors<'a> {
    pub(super) fn of(trees: Triple<&Tree<'a>>) -> Self {
        let has_alias = |tree: &Tree<'_>| tree.has_aliases();
        if !trees.into_array().into_iter().any(has_alias) {
            return Self::default();
        }
        let kept = |side: Side| shared_anchors(trees.original, &[trees[side]]);
        Self(Triple {
            updated: kept(Side::Updated),
            local: kept(Side::Local),
            ..Triple::default()
        })
    }

    /// Returns the names of the anchors that all three have and a side changed: in lists, the
    /// aliases of such an anchor are the same.
    pub(super) fn changed(&self, trees: Triple<&Tree<'a>>) -> FxHashSet<&'a str> {
        let Triple { updated, local, .. } = &self.0;
        if updated.is_empty() || local.is_empty() {
            return FxHashSet::default();
        }
        let sides = [trees.updated, trees.local];
        let sides = sides.map(|tree| (tree, shared_anchors(tree, &[trees.original])));
        let shared = updated.iter().filter(|(name, _)| local.contains_key(*name));
        let changed = shared.filter(|(name, old)| {
            sides.iter().any(|(tree, nodes)| {
                let node = nodes.get(**name);
                node.is_some_and(|node| !equal(trees.original, **old, tree, *node))
            })
        });
        changed.map(|(name, _)| *name).collect()
    }
}

impl<'a> Walker<'a> {
    /// Whether a side's value differs from the original's at most where both have an alias of the
    /// same anchor: the change is at the anchor, and not here.
    pub(super) fn is_equal_but_anchors(&self, side: Side, nodes: Nodes) -> bool {
        let shared = &self.kept_anchors.0[side];
        let (Some(original), Some(other)) = (nodes.original, nodes[side]) else {
            return false;
        };
        let sides = ((self.trees.original, original), (self.trees[side], other));
        !shared.is_empty() && equal_but_anchors(sides.0, sides.1, shared)
    }

    /// Decides about a value that is an alias in the original. An alias that upstream left as it is
    /// changes nothing, and neither does local's if upstream wrote it out and a side changed the
    /// anchor. Returns `None` if the value merges like others, such as where local wrote out the
    /// alias.
    pub(super) fn merge_alias(&self, nodes: Nodes) -> Option<Outcome> {
        let names = self.each(nodes, Tree::alias_name).map(Option::flatten);
        let (Some(name), Some(value)) = (names.original, nodes.updated) else {
            return None;
        };
        let Triple { updated, local, .. } = &self.kept_anchors.0;
        if names.updated == Some(name) && updated.contains_key(name) {
            let shapes = self.shapes(nodes);
            let is_collection = |shape| matches!(shape, Some(Shape::Map | Shape::List));
            let merges = match names.local {
                // local gave the anchor another name
                Some(_) => !local.contains_key(name),
                None => {
                    shapes.local == shapes.original && is_collection(shapes.local)
                        || self.unchanged_locally(nodes)
                }
            };
            return (!merges).then_some(Outcome::Keep);
        }
        let is_written_out = names.updated.is_none()
            && names.local == Some(name)
            && self.fingerprints.local.is_named(name)
            && self.unchanged_upstream(nodes)
            && !self.holds_pin(nodes);
        is_written_out.then(|| Outcome::Take(Incoming::whole(value)))
    }

    /// If both sides added an alias of one anchor, sets its original to the original's value of
    /// the anchor, so that the alias merges like the anchor.
    pub(super) fn with_original_anchor(&self, nodes: Nodes) -> Nodes {
        let names = self.each(nodes, Tree::alias_name);
        let (None, Some(updated), Some(local)) = (
            nodes.original,
            names.updated.flatten(),
            names.local.flatten(),
        ) else {
            return nodes;
        };
        let kept = &self.kept_anchors.0;
        let original = kept.local.get(updated);
        let is_same = updated == local && kept.updated.contains_key(updated);
        Triple {
            original: original.copied().filter(|_| is_same),
            ..nodes
        }
    }

    /// Returns upstream's alias if it replaces an equal value that local has as the original writes
    /// it.
    pub(super) fn new_alias(&self, entries: Entries) -> Option<Outcome> {
        let (original, updated, local) = (entries.original?, entries.updated?, entries.local?);
        let trees = self.trees;
        let value = trees.updated.entry(updated).value;
        let is_new = matches!(trees.updated.node(value).kind, NodeKind::Alias(_))
            && [(trees.original, original), (trees.local, local)]
                .into_iter()
                .all(|(tree, entry)| !tree.slice(tree.entry(entry).span).contains(['&', '*']));
        let is_taken = is_new
            && self.merges_lines
            && self.on_own_lines == Triple::new(true, true, true)
            && same_lines((trees.original, original), (trees.local, local))
            && self.unchanged_upstream(self.values_of(entries))
            && !self.holds_pin(self.values_of(entries));
        is_taken.then(|| Outcome::Take(Incoming::whole(value)))
    }

    /// Returns the updated entry whose value has an anchor that local's value gets: one that
    /// upstream added. `outcome` is the decision about the value.
    pub(super) fn new_anchor(&self, entries: Entries, outcome: &Outcome) -> Option<EntryId> {
        let entry = |side: Side| Some(self.trees[side].entry(entries[side]?));
        let anchor = |side: Side| {
            let (tree, entry) = (self.trees[side], entry(side)?);
            tree.node(entry.value).anchor().map(|it| tree.slice(it))
        };
        let name = anchor(Side::Updated)?;
        let (tree, local) = (self.trees.local, entry(Side::Local)?);
        let stays = matches!(outcome, Outcome::Keep | Outcome::Merge(_) | Outcome::Row(_));
        let is_known = |tree: &Tree<'_>| tree.anchor_names().any(|it| it == name);
        let is_added = stays
            && self.on_own_lines.local
            && has_room_for_anchor(tree, local)
            && !is_known(self.trees.original)
            && !is_known(tree);
        entries.updated.filter(|_| is_added)
    }
}

/// Whether an anchor can be added to the value of an entry, on the line of its key or dash.
fn has_room_for_anchor(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    let value = tree.node(entry.value);
    let is_on_own_line = || tree.start_of_indent(value.span.start).is_some();
    value.anchor().is_none()
        && !matches!(value.kind, NodeKind::Alias(_))
        && (!tree.is_block_collection(entry.value) || is_on_own_line())
}
