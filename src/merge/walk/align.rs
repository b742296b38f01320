//! Aligns three lists whose elements have no identity: pairs the elements of the original with
//! those of updated and local, by equal value first and then by similarity.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::element_pairs::{align_equal, moved_values, pair_elements};
use super::positions::Positions;
use super::similarity::{Threshold, similarity};
use super::{Nodes, Shape, Walker, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::merge::index::{FieldIndex, fields_of};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId};

/// The elements of three lists without a key, which are not aligned yet.
pub(super) struct Lists<'f> {
    pub(super) prints: Triple<&'f Fingerprints<'f>>,
    pub(super) elements: Triple<Vec<EntryId>>,
    /// The fingerprints of the elements.
    pub(super) values: Triple<Arc<[u64]>>,
}

impl Walker<'_> {
    /// Returns the elements of three lists.
    pub(super) fn lists(&self, nodes: Nodes) -> Lists<'_> {
        let prints = self.fingerprints.as_ref();
        let values = prints.zip(nodes).map(|(prints, list)| {
            list.map(|list| prints.of_elements(list))
                .unwrap_or_default()
        });
        Lists {
            prints,
            elements: Side::ALL.map(|side| self.entries_on(side, nodes).collect()),
            values,
        }
    }

    /// Returns the nodes, without the original's if it is not a list.
    pub(super) fn with_original_list(&self, nodes: Nodes) -> Nodes {
        let is_list = |node: &NodeId| shape(self.trees.original, *node) == Shape::List;
        Triple {
            original: nodes.original.filter(is_list),
            ..nodes
        }
    }
}

impl Lists<'_> {
    /// Returns the similarity of the elements at two positions, as [`similarity`] does.
    pub(super) fn similarity(
        &self,
        left: (Side, usize),
        right: (Side, usize),
        threshold: Threshold,
    ) -> Option<usize> {
        let element = |(side, at): (Side, usize)| (self.prints[side], self.elements[side][at]);
        similarity(element(left), element(right), threshold)
    }

    /// Returns, for each original element, its positions in updated and in local.
    pub(super) fn aligned(&self) -> (Positions, Positions) {
        let values = &self.values;
        let in_updated = self.pair_with_updated();
        let of_updated = in_updated.inverse(values.updated.len());
        let inserted = of_updated.iter().zip(&*values.updated);
        let inserted: FxHashSet<u64> = inserted
            .filter_map(|(old, value)| old.is_none().then_some(*value))
            .collect();
        let in_local = self.pair_with_local(&in_updated, &inserted);
        let mut positions = (in_updated, in_local);
        if keeps_positions(&positions.0, values.updated.len())
            && keeps_positions(&positions.1, values.local.len())
            && !is_inserted_elsewhere(values, &inserted)
            && moved_values(&positions.0, &values.original, &values.updated).is_empty()
            && moved_values(&positions.1, &values.original, &values.local).is_empty()
        {
            self.pair_collections_by_position(&mut positions);
        }
        positions
    }

    /// Pairs the original's elements with updated's.
    fn pair_with_updated(&self) -> Positions {
        let any = |_: usize| true;
        let (originals, updateds) = (&self.values.original, &self.values.updated);
        pair_elements(originals, updateds, (any, any), |old, new, threshold| {
            self.similarity((Side::Original, old), (Side::Updated, new), threshold)
        })
    }

    /// Pairs the original's elements with local's. An element that upstream inserted (its value is
    /// in `inserted`) never pairs with an original one. Local may already have upstream's version
    /// of an element: it pairs too. Of two that are equally similar, the one that upstream did not
    /// replace pairs.
    fn pair_with_local(&self, in_updated: &Positions, inserted: &FxHashSet<u64>) -> Positions {
        let values = &self.values;
        let is_merged = values.local.iter().any(|value| inserted.contains(value));
        let similarity_of = |old: usize, new: usize, threshold: Threshold| {
            let is_moved = inserted.contains(&values.original[old]);
            let threshold = threshold_of_local(in_updated, (old, is_moved), threshold);
            let alike = |other| self.similarity(other, (Side::Local, new), threshold);
            let updated = in_updated.get(old);
            let updated = updated.filter(|at| values.updated[*at] != values.original[old]);
            let to_updated = updated.and_then(|at| alike((Side::Updated, at)));
            let to_original = alike((Side::Original, old));
            let similarity = to_original.max(to_updated)?;
            let is_other = |at| self.share_no_key(Triple::new(old, at, new));
            // it may have upstream's change already
            let is_nearer_original = updated.is_some() && to_updated < to_original;
            let less = usize::from(is_merged && threshold == Threshold::Strict)
                + usize::from(is_nearer_original);
            (!updated.is_some_and(is_other)).then(|| similarity.saturating_sub(less))
        };
        // Elements that upstream moved are left out here, and pair in the gaps between the others.
        let unmoved = self.unmoved_upstream(in_updated, inserted);
        let unmoved_values: Vec<u64> = unmoved.iter().map(|old| values.original[*old]).collect();
        let mut positions = Positions::none(values.original.len());
        let mut start = (0, 0);
        let locals = with_original_values(values, in_updated);
        let equal = align_equal(&unmoved_values, &locals, |old, new| {
            let may_pair = !inserted.contains(&values.local[new]);
            may_pair.then(|| similarity_of(unmoved[old], new, Threshold::Half))?
        });
        let cuts = || equal.same().map(|(old, new)| (unmoved[old], new));
        for (old, new) in cuts() {
            positions.set(old, Some(new));
        }
        let moved = moved_values(&positions, &values.original, &locals);
        for (old, new) in cuts().chain([(values.original.len(), values.local.len())]) {
            let (olds, news) = (start.0..old, start.1..new);
            let may_pair_old = |at: usize| !moved.contains(&values.original[start.0 + at]);
            let may_pair_new = |at: usize| {
                let new = start.1 + at;
                !inserted.contains(&values.local[new]) && !moved.contains(&locals[new])
            };
            let similarity = |old: usize, new: usize, threshold: Threshold| {
                similarity_of(start.0 + old, start.1 + new, threshold)
            };
            let gap = pair_elements(
                &values.original[olds.clone()],
                &locals[news],
                (may_pair_old, may_pair_new),
                similarity,
            );
            for (old, at) in olds.zip(gap.iter()) {
                positions.set(old, at.map(|at| start.1 + at));
            }
            start = (old + 1, new + 1);
        }
        positions
    }

    /// Returns the positions of the original elements that upstream did not move.
    fn unmoved_upstream(&self, in_updated: &Positions, inserted: &FxHashSet<u64>) -> Vec<usize> {
        let moved = self.moved_by_name(Side::Updated, in_updated);
        let is_moved =
            |old: &usize, value: &u64| inserted.contains(value) || moved.contains_key(old);
        let originals = self.values.original.iter().zip(in_updated.iter());
        let originals = originals.enumerate();
        let unmoved = originals.filter(|(old, (value, at))| at.is_some() || !is_moved(old, value));
        unmoved.map(|(old, _)| old).collect()
    }

    /// Pairs maps and lists by position, if the kinds of the elements are the same in all three
    /// lists. A map of local's that has no key in common with the others does not pair: local
    /// replaced the element. The caller makes sure that nothing was inserted, deleted or moved.
    fn pair_collections_by_position(&self, (in_updated, in_local): &mut (Positions, Positions)) {
        let shapes = self.prints.zip(self.elements.as_ref());
        let shapes = shapes.map(|(prints, elements)| -> Vec<Shape> {
            let tree = prints.tree();
            let shapes = elements.iter().map(|it| shape(tree, tree.entry(*it).value));
            shapes.collect()
        });
        if shapes.original != shapes.local || shapes.updated != shapes.local {
            return;
        }
        let is_replaced = |at: usize| {
            let fields = self.fields_at(Triple::new(at, at, at));
            fields.original.is_disjoint(&fields.local) && fields.updated.is_disjoint(&fields.local)
        };
        let shapes = shapes.local.iter().enumerate();
        for (at, _) in shapes.filter(|(_, shape)| **shape != Shape::Scalar) {
            if !is_replaced(at) {
                in_updated.set(at, Some(at));
                in_local.set(at, Some(at));
            }
        }
    }

    /// Returns true if three elements are maps of which no two have a key in common. They are not
    /// versions of one element.
    fn share_no_key(&self, at: Triple<usize>) -> bool {
        let fields = self.fields_at(at);
        fields.original.is_disjoint(&fields.updated)
            && fields.original.is_disjoint(&fields.local)
            && fields.updated.is_disjoint(&fields.local)
    }

    /// Returns the keys of the fields of elements; empty for an element that is not a map.
    fn fields_at(&self, at: Triple<usize>) -> Triple<FieldIndex<'_>> {
        Side::ALL.map(|side| {
            let (tree, element) = (self.prints[side].tree(), self.elements[side][at[side]]);
            fields_of(tree, Some(tree.entry(element).value))
        })
    }
}

/// Returns the threshold for pairing an original element with one of local's. If upstream deleted
/// the original element and did not move it, only a clearly similar one of local's is its new
/// version. If it deleted or moved a neighbour, the element is not the only one at its place in the
/// next merge.
fn threshold_of_local(
    in_updated: &Positions,
    (old, is_moved): (usize, bool),
    threshold: Threshold,
) -> Threshold {
    let stays = |at: usize| !in_updated.has(at) || in_updated.get(at).is_some();
    match stays(old) {
        false if !is_moved => Threshold::Strict,
        true if stays(old + 1) && stays(old.saturating_sub(1)) => threshold,
        _ => Threshold::Half,
    }
}

/// Returns local's values, in which upstream's version of an original element is replaced by the
/// original value, unless local has the original value as well.
fn with_original_values(values: &Triple<Arc<[u64]>>, in_updated: &Positions) -> Vec<u64> {
    let originals: FxHashSet<u64> = values.original.iter().copied().collect();
    let locals: FxHashSet<u64> = values.local.iter().copied().collect();
    let mut original_of: FxHashMap<u64, Option<u64>> = FxHashMap::default();
    for (original, at) in values.original.iter().zip(in_updated.iter()) {
        let updated = at.map(|at| values.updated[at]);
        if let Some(updated) = updated.filter(|it| !originals.contains(it)) {
            let original_value = original_of.entry(updated).or_insert(Some(*original));
            *original_value = original_value.filter(|original_value| {
                original_value == original && !locals.contains(original_value)
            });
        }
    }
    let of_original = |value: &u64| original_of.get(value).copied().flatten().unwrap_or(*value);
    values.local.iter().map(of_original).collect()
}

/// Returns true if local has a value that upstream inserted at another position than upstream.
fn is_inserted_elsewhere(values: &Triple<Arc<[u64]>>, inserted: &FxHashSet<u64>) -> bool {
    let mut local_counts: FxHashMap<u64, usize> = FxHashMap::default();
    for value in values.local.iter().filter(|it| inserted.contains(it)) {
        *local_counts.entry(*value).or_default() += 1;
    }
    values.updated.iter().enumerate().any(|(at, value)| {
        let expected = usize::from(values.local[at] == *value);
        local_counts
            .get(value)
            .is_some_and(|count| *count > expected)
    })
}

/// Returns true if a side has as many elements as the original and each pair has the same position
/// in both.
fn keeps_positions(positions: &Positions, len: usize) -> bool {
    let is_same_position =
        |(at, position): (usize, Option<usize>)| position.is_none_or(|other| other == at);
    positions.len() == len && positions.iter().enumerate().all(is_same_position)
}
