//! A document's habits of indentation (rules: Places and formats): the width, and how lists under a
//! key are indented.

use crate::merge::decision::{Outcome, Slot};
use crate::yaml::{NodeId, NodeKind, Tree};

/// The number of columns by which block collections are indented from their parents; `None` if the
/// document has no such collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Habits {
    /// A map under a key.
    pub(super) map_in_map: Option<u32>,
    /// A list under a key.
    pub(super) list_in_map: Option<u32>,
    /// A map or list under a dash.
    pub(super) in_list: Option<u32>,
    counts: Counts,
}

/// The kinds of a block collection and of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    MapInMap,
    ListInMap,
    InList,
}

impl Habits {
    /// Returns the most common habits of a document.
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut counts = Counts::default();
        counts.visit(tree, tree.root().value, None);
        Self {
            map_in_map: most_common(&counts.map_in_map),
            list_in_map: most_common(&counts.list_in_map),
            in_list: most_common(&counts.in_list),
            counts,
        }
    }

    /// Returns the habits of the result, in which the decisions change the indentation of rows.
    pub(super) fn moved(self, tree: &Tree<'_>, outcome: &Outcome) -> Self {
        let mut moved = self;
        moved.follow(self, tree, (tree.root().value, None), outcome);
        moved
    }

    /// Applies the changes of indentation in a decision about a node.
    fn follow(
        &mut self,
        before: Self,
        tree: &Tree<'_>,
        (node, in_map): (NodeId, Option<bool>),
        outcome: &Outcome,
    ) {
        if let (Outcome::Row(row), Some(in_map)) = (outcome, in_map)
            && row.moved != 0
            && let Some(nesting) = nesting(tree, in_map, node)
        {
            let width = before.of_nesting(nesting);
            let width = width.and_then(|it| u32::try_from(i64::from(it) + row.moved).ok());
            match nesting {
                Nesting::MapInMap => self.map_in_map = width,
                Nesting::ListInMap => self.list_in_map = width,
                Nesting::InList => self.in_list = width,
            }
        }
        for child in outcome.children() {
            if let Slot::Local(id) = child.slot {
                let entry = tree.entry(id);
                let below = (entry.value, Some(entry.key.is_some()));
                self.follow(before, tree, below, &child.outcome);
            }
        }
    }

    /// Whether a width is common in the document, even if another one is more common.
    pub(super) fn has(&self, nesting: Nesting, width: u32) -> bool {
        let counts = match nesting {
            Nesting::MapInMap => &self.counts.map_in_map,
            Nesting::ListInMap => &self.counts.list_in_map,
            Nesting::InList => &self.counts.in_list,
        };
        let most = counts.iter().max().copied().unwrap_or(0);
        counts[width.min(15) as usize] * 4 >= most.max(1)
    }

    pub(super) const fn of_nesting(&self, nesting: Nesting) -> Option<u32> {
        match nesting {
            Nesting::MapInMap => self.map_in_map,
            Nesting::ListInMap => self.list_in_map,
            Nesting::InList => self.in_list,
        }
    }
}

/// Returns how a block collection nests in its entry; `None` for other values and for lists in
/// lists.
pub(super) fn nesting(tree: &Tree<'_>, in_map: bool, node: NodeId) -> Option<Nesting> {
    match &tree.node(node).kind {
        NodeKind::Mapping(collection) if !collection.flow => Some(if in_map {
            Nesting::MapInMap
        } else {
            Nesting::InList
        }),
        NodeKind::Sequence(collection) if !collection.flow && in_map => Some(Nesting::ListInMap),
        _ => None,
    }
}

/// How often each width occurs. Larger widths count as 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    map_in_map: [u32; 16],
    list_in_map: [u32; 16],
    in_list: [u32; 16],
}

impl Counts {
    fn visit(&mut self, tree: &Tree<'_>, node: NodeId, parent: Option<(bool, u32)>) {
        let is_block = match &tree.node(node).kind {
            NodeKind::Mapping(collection) | NodeKind::Sequence(collection) => !collection.flow,
            _ => false,
        };
        if !is_block {
            return;
        }
        let column = tree.column(tree.node(node).span.start);
        if let Some((in_map, parent)) = parent
            && let Some(nesting) = nesting(tree, in_map, node)
        {
            let width = column.saturating_sub(parent).min(15) as usize;
            let counts = match nesting {
                Nesting::MapInMap => &mut self.map_in_map,
                Nesting::ListInMap => &mut self.list_in_map,
                Nesting::InList => &mut self.in_list,
            };
            counts[width] += 1;
        }
        for entry in tree.entries(node) {
            let entry = tree.entry(entry);
            self.visit(tree, entry.value, Some((entry.key.is_some(), column)));
        }
    }
}

fn most_common(counts: &[u32; 16]) -> Option<u32> {
    let (width, count) = (0..16)
        .zip(counts)
        .max_by_key(|(width, count)| (**count, u32::MAX - width))?;
    (*count > 0).then_some(width)
}
