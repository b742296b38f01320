//! Decides about the anchors and aliases that upstream adds to values that local has or replaces
//! there, such as where it writes equal values as an anchor and aliases of it (rules: Places and
//! formats).

use rustc_hash::FxHashMap;

use super::entry::holds_null;
use super::same_text::same_lines;
use super::{Entries, Nodes, Walker};
use crate::merge::anchors::shared_anchors;
use crate::merge::decision::{Incoming, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId, Tree};

impl Walker<'_> {
    /// Returns upstream's value if it is another alias, or another value in the place of an alias,
    /// and local has the value as the original writes it.
    pub(super) fn changed_alias(&self, entries: Entries) -> Option<Outcome> {
        let (original, updated, local) = (entries.original?, entries.updated?, entries.local?);
        let (trees, nodes) = (self.trees, self.values_of(entries));
        let names = self.each(nodes, Tree::alias_name).map(Option::flatten);
        let is_as_in_original = || match names.local {
            Some(_) => names.local == names.original,
            None => same_lines((trees.original, original), (trees.local, local)),
        };
        // an anchor that goes or comes with the value may have other aliases
        let may_have_anchor = || {
            let has_sign = |tree: &Tree<'_>, it| tree.slice(tree.entry(it).span).contains('&');
            let has_sign = self.each(entries, has_sign).into_array();
            has_sign.contains(&Some(true))
        };
        let is_taken = names.updated != names.local
            && self.merges_formats
            && self.on_own_lines == Triple::new(true, true, true)
            && !may_have_anchor()
            && is_as_in_original()
            && (names.updated.is_some() || !self.unchanged_upstream(nodes))
            && self.unchanged_locally(nodes)
            && !self.holds_pin(nodes)
            && !(self.nulls_clear && holds_null(trees.updated, nodes.updated?));
        is_taken.then(|| Outcome::Take(Incoming::whole(trees.updated.entry(updated).value)))
    }

    /// Returns the updated entry whose value has an anchor that local's value gets: one that
    /// upstream added or renamed. `outcome` is the decision about the value.
    pub(super) fn new_anchor(&self, entries: Entries, outcome: &Outcome) -> Option<EntryId> {
        let entry = |side: Side| Some(self.trees[side].entry(entries[side]?));
        let anchor = |side: Side| {
            let (tree, entry) = (self.trees[side], entry(side)?);
            tree.node(entry.value).anchor().map(|it| tree.slice(it))
        };
        let name = anchor(Side::Updated)?;
        let (tree, local) = (self.trees.local, entry(Side::Local)?);
        let stays = matches!(outcome, Outcome::Keep | Outcome::Merge(_) | Outcome::Row(_));
        let is_known = || {
            let known = [self.trees.original, tree].map(Tree::anchor_names);
            let known = || known.into_iter().flatten().collect();
            self.known_anchors.get_or_init(known).contains(name)
        };
        let is_added = stays
            && self.on_own_lines.local
            && match anchor(Side::Local) {
                Some(own) => anchor(Side::Original) == Some(own),
                None => tree.alias_name(local.value).is_none(),
            }
            && !is_known();
        entries.updated.filter(|_| is_added)
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
        let original = self.shared_anchors().get(updated);
        Triple {
            original: original.filter(|_| updated == local).copied(),
            ..nodes
        }
    }

    /// Returns updated's value if both sides added a map or list with the same text, with aliases of
    /// anchors that all versions have at the same place: the aliases follow the merged anchors.
    pub(super) fn same_aliases(&self, nodes: Nodes) -> Option<Outcome> {
        let (tree, other) = (self.trees.updated, self.trees.local);
        let (None, Some(updated), Some(local)) = (nodes.original, nodes.updated, nodes.local)
        else {
            return None;
        };
        let is_same = !self.text_is_value
            && tree.is_flow(updated).is_some()
            && tree.slice(tree.node(updated).span) == other.slice(other.node(local).span);
        if !is_same {
            return None;
        }
        let shared = self.shared_anchors();
        let entries = tree.entries(updated).map(|id| tree.entry(id));
        let within = entries.flat_map(|entry| tree.entries_within(entry));
        let mut names = within.filter_map(|it| tree.alias_name(it.value)).peekable();
        let is_taken = names.peek().is_some() && names.all(|name| shared.contains_key(name));
        is_taken.then(|| Outcome::Take(Incoming::whole(updated)))
    }

    fn shared_anchors(&self) -> &FxHashMap<&str, NodeId> {
        let others = [self.trees.updated, self.trees.local];
        let find = || shared_anchors(self.trees.original, &others);
        self.shared_anchors.get_or_init(find)
    }
}
