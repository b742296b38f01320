//! Writes out aliases of the target whose anchor changes or is removed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Editor;
use crate::merge::decision::{Outcome, Slot};
use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

/// The effects of decisions on the nodes of the target.
#[derive(Default)]
struct Effects<'o> {
    /// Nodes whose value changes.
    changed: FxHashSet<NodeId>,
    /// Nodes whose text is removed.
    removed: FxHashSet<NodeId>,
    /// The decision about each map and list that is merged.
    merged: FxHashMap<NodeId, &'o Outcome>,
    /// The entry of the source whose anchor a node gets.
    anchors: FxHashMap<NodeId, EntryId>,
}

impl Editor<'_> {
    /// Writes out the aliases of the target that would have another value in the result. If the
    /// anchor itself is removed, the first alias that is left gets the value and the anchor; if it
    /// is renamed, the aliases are.
    pub(super) fn write_out_touched_aliases(&mut self, outcome: &Outcome) {
        let mut effects = Effects::default();
        effects.visit(self.target, self.target.root().value, outcome);
        let mut moved: FxHashSet<NodeId> = FxHashSet::default();
        for (owner, node) in self.aliases_within(self.target.tree.root()) {
            let Some(anchor) = self.target.node(node).anchor() else {
                continue;
            };
            if effects.removed.contains(&owner.value) || moved.contains(&node) {
                continue;
            }
            if let Some(own) = effects.merged.get(&owner.value) {
                // the alias has the same decision as its anchor, and follows it
                if !effects.merged.get(&node).is_some_and(|it| is_same(it, own)) {
                    continue;
                }
                self.done_aliases.insert(owner.value);
            } else if effects.removed.contains(&node) {
                moved.insert(node);
                self.write_out(owner, self.target.slice(anchor));
                continue;
            } else if effects.changed.contains(&node) {
                self.write_out(owner, "");
                continue;
            }
            if let Some(renamed) = effects.anchors.get(&node) {
                let renamed = self.source.node(self.source.entry(*renamed).value).anchor();
                let renamed = renamed.map_or("", |anchor| self.source.slice(anchor));
                let alias = self.target.node(owner.value).span;
                self.edits.replace(alias, renamed.replacen('&', "*", 1));
            }
        }
    }
}

impl<'o> Effects<'o> {
    /// Records the effects of a decision on a node and the nodes in it. Returns whether the value
    /// of the node changes.
    fn visit(&mut self, tree: &Tree<'_>, node: NodeId, outcome: &'o Outcome) -> bool {
        let changes = match outcome {
            Outcome::Keep | Outcome::Open(_) => false,
            Outcome::Text(_) | Outcome::Lines(_) => true,
            Outcome::Remove => {
                self.remove(tree, node);
                true
            }
            Outcome::Take(_) => {
                for entry in tree.entries(node) {
                    self.remove(tree, tree.entry(entry).value);
                }
                if let NodeKind::Alias(_) = tree.node(node).kind {
                    self.removed.insert(node);
                }
                true
            }
            Outcome::Merge(_) | Outcome::Row(_) => {
                self.merged.insert(node, outcome);
                self.visit_children(tree, node, outcome)
            }
        };
        if changes {
            self.changed.insert(node);
        }
        changes
    }

    /// Records the effects of the decisions about the entries of a collection. Returns whether its
    /// value changes.
    fn visit_children(&mut self, tree: &Tree<'_>, node: NodeId, outcome: &'o Outcome) -> bool {
        let mut changes = false;
        let mut stays = FxHashSet::default();
        for child in outcome.children() {
            match child.slot {
                Slot::Local(entry) => {
                    stays.insert(entry);
                    if let Some(from) = child.extras().anchor {
                        self.anchors.insert(tree.entry(entry).value, from);
                    }
                    changes |= self.visit(tree, tree.entry(entry).value, child.outcome());
                }
                Slot::Updated(_) => changes |= child.stays(),
            }
        }
        for entry in tree.entries(tree.resolve(node)) {
            if !stays.contains(&entry) {
                self.remove(tree, tree.entry(entry).value);
                changes = true;
            }
        }
        changes
    }

    /// Records that a node is removed, with all nodes in it.
    fn remove(&mut self, tree: &Tree<'_>, node: NodeId) {
        self.removed.insert(node);
        for entry in tree.entries(node) {
            self.remove(tree, tree.entry(entry).value);
        }
    }
}

/// Whether two decisions result in the same value.
fn is_same(left: &Outcome, right: &Outcome) -> bool {
    if !left.is_merge() || !right.is_merge() {
        return left == right;
    }
    let (left, right) = (left.staying(), right.staying());
    let mut pairs = left.clone().zip(right.clone());
    left.count() == right.count()
        && pairs.all(|(a, b)| a.slot == b.slot && is_same(a.outcome(), b.outcome()))
}
