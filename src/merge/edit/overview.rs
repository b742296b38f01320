//! Caches facts about a tree that are computed once, on first use, and shared by editors.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::habits::Habits;
use super::is_flow;
use super::parents::Parents;
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

/// A tree with cached facts about it.
pub(super) struct Overview<'a> {
    pub(super) tree: &'a Tree<'a>,
    habits: OnceCell<Habits>,
    parents: OnceCell<Parents>,
    /// The outermost flow collections, in order.
    brackets: OnceCell<Vec<Span>>,
    /// The aliases that are values, in order, with their entries.
    aliases: OnceCell<Vec<(NodeId, EntryId)>>,
    /// The anchors, in order.
    anchors: OnceCell<Vec<Span>>,
    anchor_names: OnceCell<HashSet<&'a str>>,
}

impl<'a> Overview<'a> {
    pub(super) const fn of(tree: &'a Tree<'a>) -> Self {
        Self {
            tree,
            habits: OnceCell::new(),
            parents: OnceCell::new(),
            brackets: OnceCell::new(),
            aliases: OnceCell::new(),
            anchors: OnceCell::new(),
            anchor_names: OnceCell::new(),
        }
    }

    pub(super) fn habits(&self) -> Habits {
        *self.habits.get_or_init(|| Habits::of(self.tree))
    }

    pub(super) fn parents(&self) -> &Parents {
        self.parents.get_or_init(|| Parents::of(self.tree))
    }

    /// Whether an offset is inside a flow collection.
    pub(super) fn is_in_flow_collection(&self, at: u32) -> bool {
        let outermost = self.brackets.get_or_init(|| {
            let mut all: Vec<Span> = self
                .nodes()
                .filter(|node| is_flow(self.tree, *node))
                .map(|node| self.tree.node(node).span)
                .collect();
            all.sort_by_key(|span| span.start);
            let mut end = 0;
            all.retain(|span| {
                let is_outermost = span.end > end;
                end = end.max(span.end);
                is_outermost
            });
            all
        });
        let before = outermost.partition_point(|span| span.start < at);
        outermost[..before].last().is_some_and(|span| at < span.end)
    }

    /// Returns the aliases in a range that are values, in order, each with its entry.
    pub(super) fn aliases_in(&self, range: &Range<u32>) -> &[(NodeId, EntryId)] {
        let start_of = |(node, _): &(NodeId, EntryId)| self.tree.node(*node).span.start;
        let aliases = self.aliases.get_or_init(|| {
            let mut all: Vec<(NodeId, EntryId)> = self
                .nodes()
                .filter(|node| matches!(self.tree.node(*node).kind, NodeKind::Alias(_)))
                .filter_map(|node| Some((node, self.parents().entry_of(node)?)))
                .collect();
            all.sort_by_key(start_of);
            all
        });
        let first = aliases.partition_point(|alias| start_of(alias) < range.start);
        let count = aliases[first..].partition_point(|alias| start_of(alias) < range.end);
        &aliases[first..][..count]
    }

    /// Returns the anchors in a range, in order.
    pub(super) fn anchors_in(&self, range: &Range<u32>) -> &[Span] {
        let anchors = self.anchors.get_or_init(|| {
            let mut all: Vec<Span> = self
                .nodes()
                .filter_map(|node| self.tree.node(node).anchor())
                .collect();
            all.sort_by_key(|anchor| anchor.start);
            all
        });
        let first = anchors.partition_point(|anchor| anchor.start < range.start);
        let count = anchors[first..].partition_point(|anchor| anchor.start < range.end);
        &anchors[first..][..count]
    }

    pub(super) fn anchor_names(&self) -> &HashSet<&'a str> {
        self.anchor_names
            .get_or_init(|| self.tree.anchor_names().collect())
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.tree.node_ids()
    }
}
