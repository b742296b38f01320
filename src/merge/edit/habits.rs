//! A document's habits of indentation (rules: Places and formats): the width, and how lists under a
//! key are indented.

use super::overview::Overview;
use crate::merge::decision::{Outcome, Slot};
use crate::yaml::{Entry, NodeId, NodeKind, Tree};

/// The largest width that is counted. Larger ones count as this one.
const LARGEST: u32 = 15;

/// The habits of a document for each [`Nesting`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Habits([Habit; 3]);

/// By how many columns values of one nesting are indented from their parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Habit {
    /// The most common width; `None` if the document has no such value.
    usual: Option<u32>,
    /// How often each width occurs.
    counts: [u32; LARGEST as usize + 1],
}

/// The kinds of a value and of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// A map under a key.
    MapInMap,
    /// A list under a key.
    ListInMap,
    /// A map under a dash, or a value that is no block collection behind it.
    InList,
}

impl Habits {
    /// Returns the most common habits of a document.
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut habits = Self::default();
        habits.count(tree, tree.root().value, None);
        for habit in &mut habits.0 {
            let most = habit.counts.into_iter().max().filter(|count| *count > 0);
            let usual = (0..)
                .zip(habit.counts)
                .find(|(_, count)| Some(*count) == most);
            habit.usual = usual.map(|(width, _)| width);
        }
        habits
    }

    /// Counts the widths in a node. `parent` is the column of its entry, and whether that is a
    /// field.
    fn count(&mut self, tree: &Tree<'_>, node: NodeId, parent: Option<(bool, u32)>) {
        let span = tree.node(node).span;
        if let Some((in_map, parent)) = parent
            && let Some(nesting) = nesting(tree, in_map, node).filter(|_| !span.is_empty())
        {
            let width = tree.column(span.start).saturating_sub(parent);
            let width = width.min(LARGEST);
            self.0[nesting as usize].counts[width as usize] += 1;
        }
        if !tree.is_block_collection(node) {
            return;
        }
        let column = tree.column(span.start);
        for entry in tree.entries(node) {
            let entry = tree.entry(entry);
            self.count(tree, entry.value, Some((entry.key.is_some(), column)));
        }
    }

    /// Returns the habits of the result; `None` if the decisions do not change the indentation of
    /// rows.
    pub(super) fn moved(target: &Overview<'_>, outcome: &Outcome) -> Option<Self> {
        let mut moved = None;
        follow(target, None, outcome, &mut moved);
        moved
    }

    /// Returns the habits without the most common widths that `others` has too.
    pub(super) fn without(mut self, others: Self) -> Self {
        for (habit, other) in self.0.iter_mut().zip(others.0) {
            habit.usual = habit.usual.filter(|_| habit.usual != other.usual);
        }
        self
    }

    /// Whether a width is common in the document, even if another one is more common.
    pub(super) fn has(&self, nesting: Nesting, width: u32) -> bool {
        let counts = &self.0[nesting as usize].counts;
        let most = counts.iter().max().copied().unwrap_or(0);
        counts[width.min(LARGEST) as usize] * 4 >= most.max(1)
    }

    /// Returns the most common width; `None` if the document has no such value.
    pub(super) const fn usual(&self, nesting: Nesting) -> Option<u32> {
        self.0[nesting as usize].usual
    }
}

/// Applies the changes of indentation in the decision about an entry of `target`; `None` for the
/// root.
fn follow(
    target: &Overview<'_>,
    entry: Option<Entry<'_>>,
    outcome: &Outcome,
    moved: &mut Option<Habits>,
) {
    if let (Outcome::Row(row), Some(entry)) = (outcome, entry)
        && row.moved != 0
    {
        let moved = moved.get_or_insert_with(|| target.habits());
        if let Some(nesting) = nesting(target, entry.key.is_some(), entry.value) {
            let [outer, inner] = [entry.span, target.node(entry.value).span]
                .map(|span| i64::from(target.column(span.start)));
            moved.0[nesting as usize].usual = u32::try_from(inner - outer + row.moved).ok();
        }
    }
    for child in outcome.children() {
        if let Slot::Local(id) = child.slot {
            follow(target, Some(target.entry(id)), child.outcome(), moved);
        }
    }
}

/// Returns how a value nests in its entry; `None` for a list in a list, and for the value of a
/// field that is no block collection.
pub(super) fn nesting(tree: &Tree<'_>, in_map: bool, node: NodeId) -> Option<Nesting> {
    match &tree.node(node).kind {
        NodeKind::Mapping(collection) if !collection.flow => Some(match in_map {
            true => Nesting::MapInMap,
            false => Nesting::InList,
        }),
        NodeKind::Sequence(collection) if !collection.flow => in_map.then_some(Nesting::ListInMap),
        _ => (!in_map).then_some(Nesting::InList),
    }
}
