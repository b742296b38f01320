//! Pairs the elements of two lists without a key, by equal value and by similarity (rules: Lists
//! without a key).

use rustc_hash::{FxHashMap, FxHashSet};

use super::positions::Positions;
use super::similarity::Threshold;
use crate::differences::{AlignedRange, Differences, differences};
use crate::merge::rows::heaviest_pairs;

/// The largest number of candidate pairs in a gap between equal elements for which the best pairing
/// is computed. Larger gaps pair each element with the first similar one.
const MAX_PAIRS: usize = 10_000;

/// The largest number of candidate pairs for which similar elements with equal ones between them
/// are looked for.
const MAX_PAIRS_ACROSS: usize = 1000;

/// The limit of comparisons per element when each pairs with the first similar one.
const COMPARISONS_EACH: usize = 64;

/// What a pair of equal elements counts, as a similarity. A pair of clearly similar ones counts
/// more: an element without changes is found where a side moved it, and a changed one is not.
const EQUAL_OR_MOVED: usize = 600;

/// What a pair of equal elements counts that one of the lists repeats: such elements do not move.
const EQUAL_AND_REPEATED: usize = 2000;

/// Larger than the number of pairs in an alignment that is computed exactly.
const TIES: u32 = 128;

/// Aligns equal values of two lists. Of the alignments, returns the one with which most elements
/// have a partner: an equal one, which may have moved, or a similar one between the same
/// neighbours.
pub(super) fn align_equal(
    olds: &[u64],
    news: &[u64],
    similarity: impl Fn(usize, usize) -> Option<usize>,
) -> Differences {
    let equal = differences(olds, news);
    let lengths = (olds.len(), news.len());
    let positions = positions_of(&equal, lengths.0);
    let paired = equal.pairs().count();
    if paired == lengths.0.min(lengths.1) || lengths.0 * lengths.1 > MAX_PAIRS {
        return equal;
    }
    let mut counts: FxHashMap<u64, [usize; 2]> = FxHashMap::default();
    for (list, values) in [olds, news].into_iter().enumerate() {
        for value in values {
            counts.entry(*value).or_default()[list] += 1;
        }
    }
    let is_in_both = |value: &u64| !counts[value].contains(&0);
    let changed = [olds, news].map(|values| values.iter().filter(|it| !is_in_both(it)).count());
    if paired == 0 || changed[0] * changed[1] > MAX_PAIRS_ACROSS {
        return equal;
    }
    // of alignments with the same sum, the one by equal values only stays
    let pairs = heaviest_pairs_once(lengths, |old, new| {
        let (value, other) = (olds[old], news[new]);
        let (similarity, is_aligned) = match value == other {
            true if counts[&value] == [1; 2] => (EQUAL_OR_MOVED, positions.get(old) == Some(new)),
            true => (EQUAL_AND_REPEATED, positions.get(old) == Some(new)),
            false if is_in_both(&value) || is_in_both(&other) => return None,
            false => (similarity(old, new)?, false),
        };
        Some(similarity as u32 * TIES + u32::from(is_aligned))
    });
    let is_equal = |[old, new]: &[u32; 2]| olds[*old as usize] == news[*new as usize];
    let lengths = [lengths.0 as u32, lengths.1 as u32];
    Differences::with(pairs.into_iter().filter(is_equal), lengths)
}

/// Returns the values that elements without a partner have in both lists: those elements moved.
pub(super) fn moved_values(positions: &Positions, olds: &[u64], news: &[u64]) -> FxHashSet<u64> {
    let unpaired = |values: &[u64], partners: &Positions| -> FxHashSet<u64> {
        let partners = values.iter().zip(partners.iter());
        let unpaired = partners.filter(|(_, partner)| partner.is_none());
        unpaired.map(|(value, _)| *value).collect()
    };
    let olds = unpaired(olds, positions);
    if olds.is_empty() {
        return olds;
    }
    let news = unpaired(news, &positions.inverse(news.len()));
    olds.intersection(&news).copied().collect()
}

/// Pairs elements of two lists: equal values first, then similar elements between the same
/// neighbours. Elements that moved pair with no other.
///
/// Of the elements without an equal one, only those that `may_pair`, by old and by new position,
/// are considered. `similarity` gets an old position, a new position and the threshold, which is
/// lower for the only two elements between their neighbours. Returns the new position of each old
/// element.
pub(super) fn pair_elements(
    olds: &[u64],
    news: &[u64],
    may_pair: (impl Fn(usize) -> bool, impl Fn(usize) -> bool),
    similarity: impl Fn(usize, usize, Threshold) -> Option<usize>,
) -> Positions {
    let may_be_alike = |old, new| may_pair.0(old) && may_pair.1(new);
    let equal = align_equal(olds, news, |old, new| {
        may_be_alike(old, new).then(|| similarity(old, new, Threshold::Half))?
    });
    let mut positions = positions_of(&equal, olds.len());
    let moved = moved_values(&positions, olds, news);
    let may_pair_old = |old: &usize| may_pair.0(*old) && !moved.contains(&olds[*old]);
    let may_pair_new = |new: &usize| may_pair.1(*new) && !moved.contains(&news[*new]);
    for AlignedRange { old, new, .. } in equal.changed() {
        let olds: Vec<usize> = old.clone().filter(may_pair_old).collect();
        let news: Vec<usize> = new.clone().filter(may_pair_new).collect();
        let threshold = match (&olds[..], &news[..]) {
            ([_], [_]) => Threshold::Any,
            _ => Threshold::Half,
        };
        let similarity_at = |old: usize, new: usize| {
            similarity(olds[old], news[new], threshold).map(|it| it as u32)
        };
        let lengths = (olds.len(), news.len());
        let pairs = match lengths.0 * lengths.1 <= MAX_PAIRS {
            // the sum of their similarities is highest
            true => heaviest_pairs_once(lengths, similarity_at),
            false => first_similar_pairs(lengths, |old, new| similarity_at(old, new).is_some()),
        };
        for [old, new] in pairs {
            positions.set(olds[old as usize], Some(news[new as usize]));
        }
        if threshold == Threshold::Half {
            let is_alike = |old, new| similarity(old, new, Threshold::Any).is_some();
            pair_only_ones(&mut positions, &olds, &news, is_alike);
        }
    }
    positions
}

/// Returns the new position of each paired old element.
pub(super) fn positions_of(differences: &Differences, len: usize) -> Positions {
    let mut positions = Positions::none(len);
    for (old, new) in differences.same() {
        positions.set(old, Some(new));
    }
    positions
}

/// [`heaviest_pairs`] that compares each pair only once, because that takes long.
fn heaviest_pairs_once(
    lengths: (usize, usize),
    weight: impl Fn(usize, usize) -> Option<u32>,
) -> Vec<[u32; 2]> {
    let pairs = (0..lengths.0).flat_map(|old| (0..lengths.1).map(move |new| (old, new)));
    let weights: Vec<Option<u32>> = pairs.map(|(old, new)| weight(old, new)).collect();
    heaviest_pairs(lengths, |old, new| weights[old * lengths.1 + new])
}

/// Pairs elements that are the only ones without a partner between two pairs.
fn pair_only_ones(
    positions: &mut Positions,
    olds: &[usize],
    news: &[usize],
    is_alike: impl Fn(usize, usize) -> bool,
) {
    let (mut olds, mut news) = (olds, news);
    while !olds.is_empty() && !news.is_empty() {
        let pairs = olds.iter().enumerate();
        let mut pairs = pairs.filter_map(|(at, old)| Some((at, positions.get(*old)?)));
        let (until, end) = pairs.next().unwrap_or((olds.len(), usize::MAX));
        let below = news.partition_point(|new| *new < end);
        if let ([old], [new]) = (&olds[..until], &news[..below])
            && is_alike(*old, *new)
        {
            positions.set(*old, Some(*new));
        }
        olds = olds.get(until + 1..).unwrap_or_default();
        news = news.get(below + 1..).unwrap_or_default();
    }
}

/// Pairs each element with the first similar one behind the last pair.
fn first_similar_pairs(
    (old_count, new_count): (usize, usize),
    is_alike: impl Fn(usize, usize) -> bool,
) -> Vec<[u32; 2]> {
    let (mut pairs, mut next) = (Vec::new(), 0);
    let mut budget = COMPARISONS_EACH * (old_count + new_count);
    for old in 0..old_count {
        let mut candidates = (next..new_count).take(budget).inspect(|_| budget -= 1);
        if let Some(new) = candidates.find(|new| is_alike(old, *new)) {
            pairs.push([old as u32, new as u32]);
            next = new + 1;
        }
    }
    pairs
}
