//! Lists whose elements have no identity: one value (SPEC 5.1), or merged element by element (`--lists merge`, SPEC 6).

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{Child, Outcome};
use crate::merge::fingerprint;
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Change, Triple};
use crate::yaml::{EntryId, NodeId};

/// The same stretch of three lists.
type Stretch = Triple<Range<usize>>;

impl Walker<'_> {
    /// A list that is one value.
    pub(super) fn one_value_list(&mut self, nodes: Nodes) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        if self.unchanged_upstream(nodes) {
            return if self.is_equal_updated_local(nodes) {
                self.comments_of_elements(nodes)
            } else {
                Outcome::Keep
            };
        }
        if self.is_equal_updated_local(nodes) {
            return Outcome::Keep;
        }
        let children = self.aligned_elements(nodes, updated, local);
        let taken = self.merged(nodes, children);
        self.override_local(nodes, taken)
    }

    /// Three lists of equal values: only comments can have changed.
    fn comments_of_elements(&mut self, nodes: Nodes) -> Outcome {
        let trees = self.trees;
        let elements = |tree, node: Option<NodeId>| -> Vec<EntryId> {
            node.map(|node| entries_of(tree, node).collect())
                .unwrap_or_default()
        };
        let originals = elements(trees.original, nodes.original);
        let updateds = elements(trees.updated, nodes.updated);
        let children = elements(trees.local, nodes.local)
            .into_iter()
            .enumerate()
            .map(|(index, local)| {
                let sides = Triple::new(
                    originals.get(index).copied(),
                    updateds.get(index).copied(),
                    Some(local),
                );
                let step = self.indexed_step(sides, index);
                self.at(step, |walker| walker.entry(sides))
                    .unwrap_or_else(|| Child::keep(local))
            })
            .collect();
        self.merged(nodes, children)
    }

    /// A list merged element by element, as `diff3` merges lines: a stretch that one side changed is that side's, one that
    /// both changed is a conflict.
    pub(super) fn sequence(&mut self, nodes: Nodes) -> Outcome {
        let original = nodes
            .original
            .filter(|node| shape(self.trees.original, *node) == Shape::List);
        let lists = Triple::new(original, nodes.updated, nodes.local);
        if original.is_none() || self.settled(nodes) || self.unchanged_locally(nodes) {
            return self.one_value_list(nodes);
        }
        let trees = self.trees;
        let elements = trees.zip(lists).map(|(tree, list)| -> Vec<EntryId> {
            list.map(|list| entries_of(tree, list).collect())
                .unwrap_or_default()
        });
        let values = trees.zip(lists).map(|(tree, list)| {
            list.map(|list| fingerprint::of_elements(tree, list))
                .unwrap_or_default()
        });
        let mut children = Vec::with_capacity(elements.local.len());
        for stretch in stretches(values.as_ref()) {
            self.stretch(nodes, &elements, &values, stretch, &mut children);
        }
        self.merged(nodes, children)
    }

    fn stretch(
        &mut self,
        nodes: Nodes,
        elements: &Triple<Vec<EntryId>>,
        values: &Triple<Vec<u64>>,
        stretch: Stretch,
        children: &mut Vec<Child>,
    ) {
        let here = values
            .as_ref()
            .zip(stretch.clone())
            .map(|(values, range)| &values[range]);
        let ours = &elements.local[stretch.local.clone()];
        let theirs = &elements.updated[stretch.updated.clone()];
        let taken = match here.change() {
            Change::Nobody | Change::Local | Change::BothAlike => false,
            Change::Upstream => true,
            Change::BothApart => {
                if !self.merge_one_by_one(elements, here, stretch, children) {
                    self.stretch_apart(nodes, ours, theirs, children);
                }
                return;
            }
        };
        if taken {
            children.extend(going(ours));
            children.extend(theirs.iter().map(|entry| self.whole(*entry)));
        } else {
            children.extend(ours.iter().map(|entry| Child::keep(*entry)));
        }
    }

    /// A stretch that both sides changed, and not alike.
    fn stretch_apart(
        &mut self,
        nodes: Nodes,
        ours: &[EntryId],
        theirs: &[EntryId],
        children: &mut Vec<Child>,
    ) {
        let kind = ConflictKind::BothChanged;
        let nothing = self.conflict_over(kind, nodes, Outcome::Keep, Outcome::Remove);
        children.extend(
            ours.iter()
                .map(|entry| Child::local(*entry, nothing.clone())),
        );
        let resolution = self.resolution();
        children.extend(theirs.iter().filter_map(|entry| {
            let whole = self.whole(*entry);
            match resolution {
                Resolution::Updated => Some(whole),
                Resolution::Local => None,
                Resolution::Markers => Some(Child::updated(
                    *entry,
                    Outcome::apart(Outcome::Remove, whole.outcome),
                )),
            }
        }));
    }

    /// A stretch of the same length in all three, in which no element was changed by both sides, or only maps were: its
    /// elements pair up. False where it is not one.
    fn merge_one_by_one(
        &mut self,
        elements: &Triple<Vec<EntryId>>,
        values: Triple<&[u64]>,
        stretch: Stretch,
        children: &mut Vec<Child>,
    ) -> bool {
        let lengths = stretch.clone().map(|range| range.len());
        if lengths.original != lengths.updated || lengths.original != lengths.local {
            return false;
        }
        let sides: Vec<_> = (0..lengths.original)
            .map(|index| {
                elements
                    .as_ref()
                    .zip(stretch.clone())
                    .map(|(entries, range)| entries[range.start + index])
            })
            .collect();
        let mergeable = |(index, sides): (usize, &Triple<EntryId>)| {
            values.map(|values| values[index]).change() != Change::BothApart
                || self
                    .trees
                    .zip(*sides)
                    .into_array()
                    .into_iter()
                    .all(|(tree, entry)| shape(tree, tree.entry(entry).value) == Shape::Map)
        };
        if !sides.iter().enumerate().all(mergeable) {
            return false;
        }
        for (index, sides) in sides.into_iter().enumerate() {
            let step = self.indexed_step(sides.map(Some), stretch.local.start + index);
            let child = self.at(step, |walker| walker.entry(sides.map(Some)));
            children.extend(child);
        }
        true
    }
}

/// Local elements that go.
fn going(entries: &[EntryId]) -> impl Iterator<Item = Child> {
    entries
        .iter()
        .map(|entry| Child::local(*entry, Outcome::Remove))
}

/// Cuts three lists into stretches: single elements that all three have, and what lies between them.
fn stretches(values: Triple<&Vec<u64>>) -> Vec<Stretch> {
    let in_updated = matches(values.original, values.updated);
    let in_local = matches(values.original, values.local);
    let mut stretches = Vec::new();
    let mut start = Triple::new(0, 0, 0);
    let stable = (0..values.original.len())
        .filter_map(|index| Some((index, in_updated[index]?, in_local[index]?)));
    for (original, updated, local) in stable {
        let at = Triple::new(original, updated, local);
        push_stretch(&mut stretches, start, at);
        push_stretch(&mut stretches, at, at.map(|index| index + 1));
        start = at.map(|index| index + 1);
    }
    push_stretch(&mut stretches, start, values.map(Vec::len));
    stretches
}

fn push_stretch(stretches: &mut Vec<Stretch>, start: Triple<usize>, end: Triple<usize>) {
    let stretch = start.zip(end).map(|(start, end)| start..end);
    if !stretch
        .as_ref()
        .into_array()
        .into_iter()
        .all(Range::is_empty)
    {
        stretches.push(stretch);
    }
}

/// For each of `old`, where it is in `new`.
fn matches(old: &[u64], new: &[u64]) -> Vec<Option<usize>> {
    let mut found = vec![None; old.len()];
    for operation in capture_diff_slices(Algorithm::Myers, old, new) {
        if let DiffOp::Equal { .. } = operation {
            for (old, new) in operation.old_range().zip(operation.new_range()) {
                found[old] = Some(new);
            }
        }
    }
    found
}
