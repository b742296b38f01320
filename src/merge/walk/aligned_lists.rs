//! Three aligned lists without a key, cut at the elements that all of them have, and queries over
//! them: what was inserted anywhere in them, and what was only moved.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::namesakes::Namesakes;
use super::positions::Positions;
use super::{Entries, Nodes, Walker};
use crate::merge::Sides;
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId};

/// Three lists and their alignment.
pub(super) struct AlignedLists {
    pub(super) elements: Triple<Vec<EntryId>>,
    /// The fingerprints of the elements.
    pub(super) values: Triple<Arc<[u64]>>,
    /// For each original element, its position in updated.
    pub(super) in_updated: Positions,
    /// For each original element, its position in local.
    pub(super) in_local: Positions,
    /// For each updated element, its position in the original.
    pub(super) of_updated: Positions,
    /// For each local element, its position in the original.
    pub(super) of_local: Positions,
    /// The comments that all lists have, by the number of elements above them, if both sides
    /// inserted elements between two neighbours in the original.
    comments: Vec<Triple<usize>>,
    pub(super) namesakes: Namesakes,
    /// The positions on each side of the original elements that it moved and changed.
    pub(super) moved_by_name: Triple<FxHashMap<usize, usize>>,
    /// The original elements of those that local moved and changed.
    moved_locally: FxHashMap<usize, usize>,
    counts: OnceCell<FxHashMap<u64, Triple<Count>>>,
    local_insertions: OnceCell<LocalInsertions>,
    /// The positions of the moved elements in each list.
    pub(super) moved: OnceCell<Triple<FxHashSet<usize>>>,
    pub(super) is_sorted: OnceCell<bool>,
}

/// A part of three aligned lists.
#[derive(Debug, Clone)]
pub(super) enum Stretch {
    /// The positions of an element that all three lists have.
    Element(Triple<usize>),
    /// The ranges between two such elements.
    Between(Triple<Range<usize>>),
}

impl Stretch {
    /// Returns true if both sides inserted elements between two neighbours in the original.
    fn is_inserted_by_both(&self) -> bool {
        match self {
            Self::Between(ranges) => {
                ranges.original.is_empty() && !ranges.updated.is_empty() && !ranges.local.is_empty()
            }
            Self::Element(_) => false,
        }
    }
}

/// The number of elements of a list that have a value, and how many of them have no partner; 255
/// for more.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count {
    pub(super) total: u8,
    pub(super) unpaired: u8,
}

/// The elements that local inserted.
#[derive(Debug, Default)]
struct LocalInsertions {
    /// Pairs of value and position, sorted.
    elements: Vec<(u64, usize)>,
    /// For each position in the list, the start of the run of inserted elements around it.
    run_starts: Vec<usize>,
}

impl Walker<'_> {
    /// Aligns three lists.
    pub(super) fn aligned_lists(&self, nodes: Nodes) -> AlignedLists {
        let lists = self.lists(nodes);
        let (mut in_updated, mut in_local) = lists.aligned();
        lists.pair_common_renames([&mut in_updated, &mut in_local]);
        let moved_by_name = Triple {
            updated: lists.moved_by_name(Side::Updated, &in_updated),
            local: lists.moved_by_name(Side::Local, &in_local),
            ..Triple::default()
        };
        let of_updated = in_updated.inverse(lists.values.updated.len());
        let of_local = in_local.inverse(lists.values.local.len());
        let namesakes = match self.options.sides {
            Sides::Upstream => Namesakes::of(&lists, &of_updated, &of_local),
            Sides::Equal => Namesakes::default(),
        };
        let mut lists = AlignedLists {
            elements: lists.elements,
            values: lists.values,
            of_updated,
            of_local,
            in_updated,
            in_local,
            comments: Vec::new(),
            namesakes,
            moved_locally: moved_by_name
                .local
                .iter()
                .map(|(old, new)| (*new, *old))
                .collect(),
            moved_by_name,
            counts: OnceCell::new(),
            local_insertions: OnceCell::new(),
            moved: OnceCell::new(),
            is_sorted: OnceCell::new(),
        };
        if lists.uncut_stretches().any(|it| it.is_inserted_by_both()) {
            lists.comments = self.shared_comments(nodes);
        }
        lists
    }

    /// Returns each element of local's list with those that pair with it; `None` if upstream
    /// removed or moved elements, or added some that are not at the end.
    pub(crate) fn elements_of_local(&self, lists: Triple<NodeId>) -> Option<Vec<Entries>> {
        let lists = self.aligned_lists(lists.map(Some));
        let AlignedLists {
            elements, of_local, ..
        } = &lists;
        let unmoved = (0..elements.original.len()).map(Some);
        let entries = |(local, at): (&EntryId, Option<usize>)| Triple {
            original: at.map(|at| elements.original[at]),
            updated: at.map(|at| elements.updated[at]),
            local: Some(*local),
        };
        let locals = elements.local.iter().zip(of_local.iter());
        let is_unmoved = lists.in_updated.iter().eq(unmoved);
        is_unmoved.then(|| locals.map(entries).collect())
    }
}

impl AlignedLists {
    /// Returns the elements that all lists have, and the ranges between, in order. A range in which
    /// both sides inserted elements is cut at the comments that all have there: what is above such
    /// a comment is at another place than what is below.
    pub(super) fn stretches(&self) -> impl Iterator<Item = Stretch> {
        self.uncut_stretches().flat_map(|it| self.cut(it))
    }

    fn uncut_stretches(&self) -> impl Iterator<Item = Stretch> {
        let partners = self.in_updated.iter().zip(self.in_local.iter());
        let partners = partners.enumerate();
        let shared = partners.filter_map(|(original, (updated, local))| {
            let at = Triple::new(original, updated?, local?);
            Some((at, Some(Stretch::Element(at))))
        });
        let ends = self.values.as_ref().map(|values| values.len());
        let mut start = Triple::default();
        shared.chain([(ends, None)]).flat_map(move |(at, element)| {
            let above = between(start, at);
            start = at.map(|index| index + 1);
            above.into_iter().chain(element)
        })
    }

    fn cut(&self, stretch: Stretch) -> impl Iterator<Item = Stretch> + use<> {
        let mut above = Vec::new();
        let rest = match &stretch {
            Stretch::Between(ranges) if stretch.is_inserted_by_both() => {
                let mut start = ranges.as_ref().map(|range| range.start);
                let end = ranges.as_ref().map(|range| range.end);
                for comment in &self.comments {
                    let is_inside = start.zip(end).zip(*comment).into_array();
                    if is_inside
                        .iter()
                        .all(|((start, end), at)| start <= at && at <= end)
                    {
                        above.extend(between(start, *comment));
                        start = *comment;
                    }
                }
                between(start, end)
            }
            _ => Some(stretch),
        };
        above.into_iter().chain(rest)
    }

    /// Returns the elements at these positions.
    pub(super) fn at(&self, positions: Triple<usize>) -> Triple<EntryId> {
        let elements = self.elements.as_ref().zip(positions);
        elements.map(|(elements, position)| elements[position])
    }

    /// Returns the elements in these ranges.
    pub(super) fn elements_in(&self, ranges: &Triple<Range<usize>>) -> Triple<&[EntryId]> {
        let elements = self.elements.as_ref().zip(ranges.clone());
        elements.map(|(elements, range)| &elements[range])
    }

    /// Returns, for each list, the number of elements with a value.
    pub(super) fn count(&self, value: u64) -> Triple<Count> {
        let counts = self.counts.get_or_init(|| {
            let mut counts: FxHashMap<u64, Triple<Count>> = FxHashMap::default();
            for (side, partners) in [
                (Side::Original, &self.in_updated),
                (Side::Updated, &self.of_updated),
                (Side::Local, &self.of_local),
            ] {
                for (value, partner) in self.values[side].iter().zip(partners.iter()) {
                    let count = &mut counts.entry(*value).or_default()[side];
                    count.total = count.total.saturating_add(1);
                    count.unpaired = count.unpaired.saturating_add(partner.is_none().into());
                }
            }
            counts
        });
        counts.get(&value).copied().unwrap_or_default()
    }

    /// Returns true if an inserted updated element is not added here, because local inserted it
    /// too, at any place, or deleted an element that upstream only moved.
    pub(super) fn is_handled_elsewhere(&self, updated: usize) -> bool {
        if self.namesakes.of_updated(updated).is_some() {
            return true;
        } else if self.moved_positions().updated.contains(&updated) {
            return false;
        }
        let count = self.count(self.values.updated[updated]);
        if self.of_updated.get(updated).is_some() || count.updated.total > 1 {
            return false;
        }
        match (count.original.total, count.local.total) {
            (0, 1) | (1, 0) => true,
            (1, 1) => count.local.unpaired > 0,
            _ => false,
        }
    }

    /// Returns true if upstream also inserted, at any place, an element that local inserted.
    pub(super) fn is_inserted_by_both(&self, local: usize) -> bool {
        if self.namesakes.of_local(local).is_some() {
            return true;
        }
        let count = self.count(self.values.local[local]);
        count.as_ref().map(|count| count.total).into_array() == [0, 1, 1]
            && count.updated.unpaired > 0
    }

    /// Returns true if local also inserted, at any place, an element that upstream inserted.
    pub(super) fn is_inserted_by_local(&self, updated: usize) -> bool {
        let count = self.count(self.values.updated[updated]);
        count.as_ref().map(|count| count.total).into_array() == [0, 1, 1]
    }

    /// Returns true if local moved an element that upstream deleted.
    pub(super) fn is_moved_and_deleted(&self, local: usize) -> bool {
        let count = self.count(self.values.local[local]);
        let is_only_moved = self.of_local.get(local).is_none()
            && count.as_ref().map(|count| count.total).into_array() == [1, 0, 1]
            && count.original.unpaired > 0;
        is_only_moved || self.changed_and_deleted(local).is_some()
    }

    /// Returns the original of an element that local moved and changed, and that upstream deleted.
    pub(super) fn changed_and_deleted(&self, local: usize) -> Option<usize> {
        let original = *self.moved_locally.get(&local)?;
        let is_updated = self.in_updated.get(original).is_some()
            || self.moved_value(original, Side::Updated).is_some()
            || self.moved_by_name.updated.contains_key(&original);
        (!is_updated).then_some(original)
    }

    /// Returns true if local inserted elements with these values in one run, in this order, and has
    /// each of them as often as upstream.
    pub(super) fn local_has_inserted(&self, values: &[u64]) -> bool {
        let inserted = self
            .local_insertions
            .get_or_init(|| LocalInsertions::of(self));
        let is_complete = |value: &u64| {
            let count = self.count(*value);
            count.updated.total <= count.local.total
        };
        !values.is_empty() && inserted.contains(values) && values.iter().all(is_complete)
    }
}

impl LocalInsertions {
    fn of(lists: &AlignedLists) -> Self {
        let (values, originals) = (&lists.values.local, &lists.of_local);
        let mut inserted = Self::default();
        let mut start = 0;
        for (at, (value, original)) in values.iter().zip(originals.iter()).enumerate() {
            if original.is_some() {
                start = at + 1;
            } else {
                inserted.elements.push((*value, at));
            }
            inserted.run_starts.push(start);
        }
        inserted.elements.sort_unstable();
        inserted
    }

    /// Returns the first position of a value at or after `from`.
    fn next(&self, value: u64, from: usize) -> Option<usize> {
        let at = self
            .elements
            .partition_point(|known| *known < (value, from));
        let (found, at) = self.elements.get(at)?;
        (*found == value).then_some(*at)
    }

    /// Returns true if one run contains these values in this order.
    fn contains(&self, values: &[u64]) -> bool {
        let mut start = 0;
        loop {
            let mut from = start;
            let mut runs = values.iter().map(|value| {
                let at = self.next(*value, from)?;
                from = at + 1;
                Some(self.run_starts[at])
            });
            // The run of this value is the next candidate: no run before it has the value.
            match runs.find(|run| *run != Some(start)) {
                Some(Some(run)) => start = run,
                Some(None) => return false,
                None => return true,
            }
        }
    }
}

/// Returns what is between two places of three lists, if there is anything.
fn between(start: Triple<usize>, end: Triple<usize>) -> Option<Stretch> {
    let ranges = start.zip(end).map(|(start, end)| start..end);
    let lengths = ranges.as_ref().map(ExactSizeIterator::len);
    (lengths != Triple::default()).then_some(Stretch::Between(ranges))
}
