//! Three aligned lists without a key, cut at the elements that all of them have, and queries over
//! them: what was inserted anywhere in them, and what was only moved.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::align::{Positions, inverse};
use super::namesakes::Namesakes;
use super::{Nodes, Walker};
use crate::merge::Sides;
use crate::triple::{Side, Triple};
use crate::yaml::EntryId;

/// Three lists and their alignment.
pub(super) struct AlignedLists {
    pub(super) elements: Triple<Vec<EntryId>>,
    /// The fingerprints of the elements.
    pub(super) values: Triple<Arc<[u64]>>,
    pub(super) stretches: Vec<Stretch>,
    /// For each original element, its position in updated.
    pub(super) in_updated: Positions,
    /// For each original element, its position in local.
    pub(super) in_local: Positions,
    /// For each updated element, its position in the original.
    pub(super) of_updated: Positions,
    /// For each local element, its position in the original.
    pub(super) of_local: Positions,
    pub(super) namesakes: Namesakes,
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
    unpaired: u8,
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
        let elements = Side::ALL.map(|side| self.entries_on(side, nodes).collect());
        let values = self.fingerprints.as_ref().zip(nodes).map(|(prints, list)| {
            list.map(|list| prints.of_elements(list))
                .unwrap_or_default()
        });
        let (in_updated, in_local) = self.aligned(&elements, &values);
        let mut stretches = cut(&in_updated, &in_local, &values);
        if stretches.iter().any(Stretch::is_inserted_by_both) {
            stretches = cut_at_comments(stretches, &self.shared_comments(nodes));
        }
        let mut lists = AlignedLists {
            stretches,
            of_updated: inverse(&in_updated, values.updated.len()),
            of_local: inverse(&in_local, values.local.len()),
            elements,
            values,
            in_updated,
            in_local,
            namesakes: Namesakes::default(),
            counts: OnceCell::new(),
            local_insertions: OnceCell::new(),
            moved: OnceCell::new(),
            is_sorted: OnceCell::new(),
        };
        if self.options.sides == Sides::Upstream {
            lists.namesakes = Namesakes::of(self.fingerprints.as_ref(), &lists);
        }
        lists
    }
}

impl AlignedLists {
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
                for (value, partner) in self.values[side].iter().zip(partners) {
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
        }
        let count = self.count(self.values.updated[updated]);
        if self.of_updated[updated].is_some() || count.updated.total > 1 {
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

    /// Returns true if local only moved an element that upstream deleted.
    pub(super) fn is_moved_and_deleted(&self, local: usize) -> bool {
        let count = self.count(self.values.local[local]);
        self.of_local[local].is_none()
            && count.as_ref().map(|count| count.total).into_array() == [1, 0, 1]
            && count.original.unpaired > 0
    }

    /// Returns true if local inserted elements with these values in one run, in this order.
    pub(super) fn local_has_inserted(&self, values: &[u64]) -> bool {
        let inserted = self
            .local_insertions
            .get_or_init(|| LocalInsertions::of(self));
        !values.is_empty() && inserted.contains(values)
    }
}

impl LocalInsertions {
    fn of(lists: &AlignedLists) -> Self {
        let (values, originals) = (&lists.values.local, &lists.of_local);
        let mut inserted = Self::default();
        let mut start = 0;
        for (at, (value, original)) in values.iter().zip(originals).enumerate() {
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

/// Cuts three lists at the elements that all of them have.
fn cut(in_updated: &Positions, in_local: &Positions, values: &Triple<Arc<[u64]>>) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut start = Triple::new(0, 0, 0);
    for (original, partners) in in_updated.iter().zip(in_local).enumerate() {
        if let (Some(updated), Some(local)) = partners {
            let at = Triple::new(original, *updated, *local);
            push_between(&mut stretches, start, at);
            stretches.push(Stretch::Element(at));
            start = at.map(|index| index + 1);
        }
    }
    let ends = values.as_ref().map(|values| values.len());
    push_between(&mut stretches, start, ends);
    stretches
}

/// Cuts the stretches in which both sides inserted elements at the comments that all have there:
/// what is above such a comment is at another place than what is below.
fn cut_at_comments(stretches: Vec<Stretch>, comments: &[Triple<usize>]) -> Vec<Stretch> {
    let mut all = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let Stretch::Between(ranges) = &stretch else {
            all.push(stretch);
            continue;
        };
        let mut start = ranges.as_ref().map(|range| range.start);
        let end = ranges.as_ref().map(|range| range.end);
        for comment in comments.iter().filter(|_| stretch.is_inserted_by_both()) {
            let is_inside = start.zip(end).zip(*comment).into_array();
            if is_inside
                .iter()
                .all(|((start, end), at)| start <= at && at <= end)
            {
                push_between(&mut all, start, *comment);
                start = *comment;
            }
        }
        push_between(&mut all, start, end);
    }
    all
}

fn push_between(stretches: &mut Vec<Stretch>, start: Triple<usize>, end: Triple<usize>) {
    let ranges = start.zip(end).map(|(start, end)| start..end);
    let is_empty = ranges
        .as_ref()
        .into_array()
        .into_iter()
        .all(Range::is_empty);
    if !is_empty {
        stretches.push(Stretch::Between(ranges));
    }
}
