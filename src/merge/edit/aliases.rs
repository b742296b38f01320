//! Aliases of the target whose anchor changes or goes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Editor;
use crate::merge::decision::{Child, Outcome, Slot};
use crate::yaml::{NodeId, NodeKind, Tree};

/// What decisions do to the nodes of the target.
#[derive(Default)]
struct Fates<'o> {
    /// Nodes that have another value afterwards.
    changed: FxHashSet<NodeId>,
    /// Nodes whose text goes.
    gone: FxHashSet<NodeId>,
    /// What was decided of each map and list that is merged.
    merged: FxHashMap<NodeId, &'o Outcome>,
}

impl Editor<'_> {
    /// Writes out the aliases of the target that would stand for something else afterwards. Where
    /// the anchor itself goes, its first remaining use takes the value and the anchor.
    pub(super) fn write_out_touched_aliases(&mut self, outcome: &Outcome) {
        let mut fates = Fates::default();
        fates.visit(self.target, self.target.root().value, outcome);
        let end = self.target.text().len() as u32;
        let mut moved: FxHashSet<NodeId> = FxHashSet::default();
        for (owner, node) in self.aliases_in(&(0..end)) {
            let Some(anchor) = self.target.node(node).anchor() else {
                continue;
            };
            if fates.gone.contains(&owner.value) || moved.contains(&node) {
                continue;
            }
            if let Some(own) = fates.merged.get(&owner.value) {
                // what is decided of the alias is what is decided of its anchor: it follows that
                if fates.merged.get(&node).is_some_and(|it| is_same(it, own)) {
                    self.done_aliases.insert(owner.value);
                }
                continue;
            }
            if fates.gone.contains(&node) {
                moved.insert(node);
                let name = self.target.slice(anchor);
                self.write_out(owner, Some(name));
            } else if fates.changed.contains(&node) {
                self.write_out(owner, None);
            }
        }
    }
}

impl<'o> Fates<'o> {
    /// What an outcome does to a node and to those in it; whether the node has another value
    /// afterwards.
    fn visit(&mut self, tree: &Tree<'_>, node: NodeId, outcome: &'o Outcome) -> bool {
        let changes = match outcome {
            Outcome::Keep | Outcome::Apart(_) => false,
            Outcome::Text(_) | Outcome::Lines(_) => true,
            Outcome::Remove => {
                self.go(tree, node);
                true
            }
            Outcome::Take(_) => {
                for entry in tree.entries(node) {
                    self.go(tree, tree.entry(entry).value);
                }
                if let NodeKind::Alias(_) = tree.node(node).kind {
                    self.gone.insert(node);
                }
                true
            }
            Outcome::Merge(_) | Outcome::Row(_) => {
                self.merged.insert(node, outcome);
                let children = outcome.children().collect::<Vec<&Child>>();
                self.children(tree, node, &children)
            }
        };
        if changes {
            self.changed.insert(node);
        }
        changes
    }

    fn children(&mut self, tree: &Tree<'_>, node: NodeId, children: &[&'o Child]) -> bool {
        let mut changes = false;
        let mut stays = FxHashSet::default();
        for child in children {
            match child.slot {
                Slot::Local(entry) => {
                    stays.insert(entry);
                    changes |= self.visit(tree, tree.entry(entry).value, &child.outcome);
                }
                Slot::Updated(_) => changes |= child.stays(),
            }
        }
        for entry in tree.entries(tree.resolve(node)) {
            if !stays.contains(&entry) {
                self.go(tree, tree.entry(entry).value);
                changes = true;
            }
        }
        changes
    }

    /// A node goes, and all in it.
    fn go(&mut self, tree: &Tree<'_>, node: NodeId) {
        self.gone.insert(node);
        for entry in tree.entries(node) {
            self.go(tree, tree.entry(entry).value);
        }
    }
}

/// Whether two decisions come to the same value.
fn is_same(left: &Outcome, right: &Outcome) -> bool {
    if !left.is_merge() || !right.is_merge() {
        return left == right;
    }
    let stays = |outcome: &Outcome| outcome.children().filter(|child| child.stays()).count();
    stays(left) == stays(right)
        && left
            .children()
            .filter(|child| child.stays())
            .zip(right.children().filter(|child| child.stays()))
            .all(|(a, b)| a.slot == b.slot && is_same(&a.outcome, &b.outcome))
}
