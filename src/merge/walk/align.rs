//! Which elements of lists without an identity are the same in three lists.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{Least, likeness};
use super::{Shape, Walker, shape};
use crate::differences::{AlignedRange, differences};
use crate::triple::Triple;
use crate::yaml::EntryId;

/// Where each of the original's elements is on a side, if it is there.
pub(super) type Found = Vec<Option<usize>>;

/// Among so many pairs of elements between two that are equal, the ones that are most alike are
/// looked for; among more, the first that are alike.
const MOST_PAIRS: usize = 10_000;

/// So many pairs for each element are looked at, at most, to find the first that are alike.
const PAIRS_EACH: usize = 64;

/// Three lists, cut at the elements that all of them have.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) stretches: Vec<Stretch>,
    pub(super) in_updated: Found,
    pub(super) in_local: Found,
    /// For each element of a side, which one of the original's it is, if it is one.
    pub(super) of_updated: Found,
    pub(super) of_local: Found,
}

/// A part of three lists.
#[derive(Debug)]
pub(super) enum Stretch {
    /// One element that all three have: where it is.
    Element(Triple<usize>),
    /// What lies between two of those.
    Between(Triple<Range<usize>>),
}

impl Walker<'_> {
    /// Cuts three lists into elements that all of them have and what lies between. `values` are the
    /// elements' fingerprints.
    pub(super) fn aligned(
        &self,
        elements: &Triple<Vec<EntryId>>,
        values: &Triple<Rc<[u64]>>,
    ) -> Alignment {
        let in_updated = self.found_in_updated(elements, values);
        let of_updated = turned(&in_updated, values.updated.len());
        let inserted = of_updated.iter().zip(&*values.updated);
        let inserted: FxHashSet<u64> = inserted
            .filter_map(|(old, value)| old.is_none().then_some(*value))
            .collect();
        let in_local = self.found_in_local(elements, values, &in_updated, &inserted);
        let mut found = (in_updated, in_local);
        if is_in_place(&found.0, values.updated.len())
            && is_in_place(&found.1, values.local.len())
            && !is_inserted_elsewhere(values, &inserted)
        {
            self.pair_collections_by_place(elements, &mut found);
        }
        let (in_updated, in_local) = found;
        Alignment {
            stretches: cut(&in_updated, &in_local, values),
            of_updated: turned(&in_updated, values.updated.len()),
            of_local: turned(&in_local, values.local.len()),
            in_updated,
            in_local,
        }
    }

    fn found_in_updated(
        &self,
        elements: &Triple<Vec<EntryId>>,
        values: &Triple<Rc<[u64]>>,
    ) -> Found {
        let prints = self.fingerprints.as_ref();
        let any = |_: usize| true;
        found_in(&values.original, &values.updated, any, |old, new, least| {
            let old = (prints.original, elements.original[old]);
            likeness(old, (prints.updated, elements.updated[new]), least)
        })
    }

    /// What upstream inserted and local has is none of the original's. What upstream changed may be
    /// changed in local already.
    fn found_in_local(
        &self,
        elements: &Triple<Vec<EntryId>>,
        values: &Triple<Rc<[u64]>>,
        in_updated: &Found,
        inserted: &FxHashSet<u64>,
    ) -> Found {
        let prints = self.fingerprints.as_ref();
        let is_own = |new: usize| !inserted.contains(&values.local[new]);
        let alike = |old: usize, new: usize, least: Least| {
            // what upstream removed is removed here too, if nothing that is like it is left
            let least = in_updated[old].map_or(Least::HalfOfDeleted, |_| least);
            let new = (prints.local, elements.local[new]);
            let before = likeness((prints.original, elements.original[old]), new, least);
            let after = in_updated[old].filter(|at| values.updated[*at] != values.original[old]);
            let after =
                after.and_then(|at| likeness((prints.updated, elements.updated[at]), new, least));
            before.max(after)
        };
        // what upstream moved is found around what it left at its place
        let is_moved =
            |old: usize| in_updated[old].is_none() && inserted.contains(&values.original[old]);
        let all = 0..values.original.len();
        let kept: Vec<usize> = all.filter(|old| !is_moved(*old)).collect();
        let of_kept: Vec<u64> = kept.iter().map(|old| values.original[*old]).collect();
        let mut found = vec![None; values.original.len()];
        let mut start = (0, 0);
        let ends = (values.original.len(), values.local.len());
        let locals = without_changes(values, in_updated);
        let equal = differences(&of_kept, &locals);
        let cuts = equal.same().map(|(old, new)| (kept[old], new));
        for (old, new) in cuts.chain([ends]) {
            let (olds, news) = (start.0..old, start.1..new);
            let is_own = |at: usize| is_own(start.1 + at);
            let alike =
                |old: usize, new: usize, least: Least| alike(start.0 + old, start.1 + new, least);
            let here = found_in(&values.original[olds.clone()], &locals[news], is_own, alike);
            for (place, at) in found[olds].iter_mut().zip(here) {
                *place = at.map(|at| start.1 + at);
            }
            if (old, new) != ends {
                found[old] = Some(new);
            }
            start = (old + 1, new + 1);
        }
        found
    }

    /// Where nothing came or went, nor is anything of upstream's at another place of local's,
    /// collections are what they were at their place.
    fn pair_collections_by_place(
        &self,
        elements: &Triple<Vec<EntryId>>,
        (in_updated, in_local): &mut (Found, Found),
    ) {
        let shapes = self.trees.zip(elements.as_ref());
        let shapes = shapes.map(|(tree, elements)| -> Vec<Shape> {
            let shapes = elements.iter().map(|it| shape(tree, tree.entry(*it).value));
            shapes.collect()
        });
        if shapes.original == shapes.local && shapes.updated == shapes.local {
            let all = shapes.local.iter().enumerate();
            for (at, _) in all.filter(|(_, shape)| **shape != Shape::Scalar) {
                (in_updated[at], in_local[at]) = (Some(at), Some(at));
            }
        }
    }
}

/// Local's values; where one is what upstream made of one of the original's, which local has not
/// got, that one.
fn without_changes(values: &Triple<Rc<[u64]>>, in_updated: &Found) -> Vec<u64> {
    let originals: FxHashSet<u64> = values.original.iter().copied().collect();
    let locals: FxHashSet<u64> = values.local.iter().copied().collect();
    let mut before: FxHashMap<u64, Option<u64>> = FxHashMap::default();
    for (original, at) in values.original.iter().zip(in_updated) {
        let updated = at.map(|at| values.updated[at]);
        if let Some(updated) = updated.filter(|it| !originals.contains(it)) {
            let known = before.entry(updated).or_insert(Some(*original));
            *known = known.filter(|known| known == original && !locals.contains(known));
        }
    }
    let of_original = |value: &u64| before.get(value).copied().flatten().unwrap_or(*value);
    values.local.iter().map(of_original).collect()
}

/// Whether local has anything that upstream inserted at another place than upstream.
fn is_inserted_elsewhere(values: &Triple<Rc<[u64]>>, inserted: &FxHashSet<u64>) -> bool {
    let mut there_too: FxHashMap<u64, usize> = FxHashMap::default();
    for value in values.local.iter().filter(|it| inserted.contains(it)) {
        *there_too.entry(*value).or_default() += 1;
    }
    values.updated.iter().enumerate().any(|(at, value)| {
        let here = usize::from(values.local[at] == *value);
        there_too.get(value).is_some_and(|count| *count > here)
    })
}

/// Three lists, cut at the elements that all of them have.
fn cut(in_updated: &Found, in_local: &Found, values: &Triple<Rc<[u64]>>) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut start = Triple::new(0, 0, 0);
    for (original, found) in in_updated.iter().zip(in_local).enumerate() {
        if let (Some(updated), Some(local)) = found {
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

/// The same, asked from the other end.
fn turned(found: &Found, len: usize) -> Found {
    let mut turned = vec![None; len];
    for (old, new) in found.iter().enumerate() {
        if let Some(new) = *new {
            turned[new] = Some(old);
        }
    }
    turned
}

/// Whether a side has as many elements as the original, and each that was found at its place.
fn is_in_place(found: &Found, len: usize) -> bool {
    let at_place = |(place, found): (usize, &Option<usize>)| found.is_none_or(|at| at == place);
    found.len() == len && found.iter().enumerate().all(at_place)
}

/// For each element of the first list, where it is in the second: where its value is, or one that
/// is like it between the same neighbours. Of the second list's others, only those that `may_pair`
/// count. One that is alone between its neighbours in both lists needs to have less in common.
pub(super) fn found_in(
    olds: &[u64],
    news: &[u64],
    may_pair: impl Fn(usize) -> bool,
    likeness: impl Fn(usize, usize, Least) -> Option<usize>,
) -> Found {
    let mut found = vec![None; olds.len()];
    let differences = differences(olds, news);
    for (old, new) in differences.same() {
        found[old] = Some(new);
    }
    for AlignedRange {
        old: olds,
        new: news,
        ..
    } in differences.changed()
    {
        let are_alone = olds.len() == 1 && news.clone().filter(|new| may_pair(*new)).count() == 1;
        let least = match are_alone {
            true => Least::Anything,
            false => Least::Half,
        };
        let likeness = |old, new| may_pair(new).then(|| likeness(old, new, least))?;
        if olds.len() * news.len() <= MOST_PAIRS {
            most_alike(&mut found, olds, news, likeness);
        } else {
            first_alike(&mut found, olds, news, likeness);
        }
    }
    found
}

/// Pairs elements in order so that they have as much in common as they can.
fn most_alike(
    found: &mut Found,
    olds: Range<usize>,
    news: Range<usize>,
    likeness: impl Fn(usize, usize) -> Option<usize>,
) {
    let (height, width) = (olds.len(), news.len());
    if height == 0 || width == 0 {
        return;
    }
    let mut alike = vec![None; height * width];
    let mut best = vec![0; (height + 1) * (width + 1)];
    let cell = |old: usize, new: usize| old * (width + 1) + new;
    for old in (0..height).rev() {
        for new in (0..width).rev() {
            let both = likeness(olds.start + old, news.start + new);
            let together = both.map_or(0, |both| both + best[cell(old + 1, new + 1)]);
            alike[old * width + new] = both;
            let apart = best[cell(old + 1, new)].max(best[cell(old, new + 1)]);
            best[cell(old, new)] = together.max(apart);
        }
    }
    let (mut old, mut new) = (0, 0);
    while old < height && new < width {
        let most = best[cell(old, new)];
        let both = alike[old * width + new].map(|both| both + best[cell(old + 1, new + 1)]);
        if both == Some(most) {
            found[olds.start + old] = Some(news.start + new);
            (old, new) = (old + 1, new + 1);
        } else if best[cell(old + 1, new)] == most {
            old += 1;
        } else {
            new += 1;
        }
    }
}

/// Pairs each element with the first behind the last pair that is like it.
fn first_alike(
    found: &mut Found,
    olds: Range<usize>,
    news: Range<usize>,
    likeness: impl Fn(usize, usize) -> Option<usize>,
) {
    let mut next = news.start;
    let mut left = PAIRS_EACH * (olds.len() + news.len());
    for old in olds {
        let mut nearest = (next..news.end).take(left).inspect(|_| left -= 1);
        if let Some(new) = nearest.find(|new| likeness(old, *new).is_some()) {
            found[old] = Some(new);
            next = new + 1;
        }
    }
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
