//! Finds entries that one side renamed: removed under the old key, and added at the same place
//! under a new key with mostly the same content (rules: Renamed keys).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::pairing::Pairing;
use super::similarity::{differs_in_at_most, is_mostly_equal, shares_most_fields};
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::Sides;
use crate::triple::Side;
use crate::yaml::EntryId;

/// The renamed entries of each side, paired with the original ones.
#[derive(Debug, Default)]
pub(super) struct Renames {
    pub(super) updated: Pairs,
    pub(super) local: Pairs,
}

/// The entries that one side renamed, paired with the original ones.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    new_of_old: FxHashMap<EntryId, EntryId>,
    old_of_new: FxHashMap<EntryId, EntryId>,
}

/// How much an entry is like the original of one that a side renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Different,
    Similar,
    Equal,
}

/// An entry without a partner, and its place: the nearest entry above it that has one. The place is
/// an entry of the new collection, so that the places of two collections compare.
type Unmatched = (Option<EntryId>, EntryId);

impl Walker<'_> {
    /// Finds the entries of three maps or lists that each side renamed. `keys` pairs them by key;
    /// `key_fields` is the number of fields that make up the key of an element.
    pub(super) fn renames(
        &self,
        collections: Nodes,
        key_fields: usize,
        keys: &Pairing<'_>,
    ) -> Renames {
        let trees = self.trees;
        let has_same_kind = |old: EntryId, side: Side, other: Option<EntryId>| {
            let shape_of = |side: Side, entry| shape(trees[side], trees[side].entry(entry).value);
            other.is_some_and(|other| shape_of(side, other) == shape_of(Side::Original, old))
        };
        let mut renames = Renames::default();
        let found = self.renamed_by(Side::Updated, collections, (&renames, key_fields), keys);
        renames.updated.add(found);
        let Renames { updated, local } = &mut renames;
        local.add_renames_of((updated, Side::Updated), Side::Local, keys, has_same_kind);
        let found = self.renamed_by(Side::Local, collections, (&renames, key_fields), keys);
        renames.local.add(found);
        let Renames { updated, local } = &mut renames;
        updated.add_renames_of((local, Side::Local), Side::Updated, keys, has_same_kind);
        let can_be_hunk = self.options.sides == Sides::Equal
            && self.trees.zip(collections).into_iter().all(|(tree, it)| {
                it.is_some_and(|collection| tree.is_block_collection(collection))
            });
        renames.drop_conflicting(keys, can_be_hunk, has_same_kind);
        renames
    }

    /// Whether an entry of the original and one of a side are both maps or both lists, with keys
    /// that differ at most in their quotes: without quotes, `on` is true for readers of YAML 1.1.
    fn differs_in_quotes_of_key(&self, old: EntryId, (side, new): (Side, EntryId)) -> bool {
        let words = |side: Side, entry: EntryId| {
            let (tree, entry) = (self.trees[side], self.trees[side].entry(entry));
            let key = tree.scalar(entry.key?)?;
            Some((key.content, shape(tree, entry.value))).filter(|(_, it)| *it != Shape::Scalar)
        };
        let old = words(Side::Original, old);
        old.is_some() && old == words(side, new)
    }

    /// Compares an entry of the original with `new`, to which a side may have renamed it.
    /// `is_only_pair` says that the two are the only ones at their place. `version` is the
    /// other side's version of the entry, which the side may have too, with another name.
    fn likeness(
        &self,
        (old, version, key_fields): (EntryId, Option<(Side, EntryId)>, usize),
        (side, new): (Side, EntryId),
        is_only_pair: bool,
    ) -> Likeness {
        if self.differs_in_quotes_of_key(old, (side, new)) {
            return Likeness::Equal;
        }
        let value = |side: Side, entry: EntryId| {
            let tree = self.trees[side];
            (&self.fingerprints[side], tree.entry(entry).value)
        };
        let new = value(side, new);
        // Empty values are all similar, and pair only if they are the only ones at their place.
        let is_empty = entries_of(new.0.tree(), new.1).len() == 0;
        let is_similar = |old| {
            (is_only_pair || !is_empty) && is_mostly_equal(old, new)
                || is_only_pair && shares_most_fields(old, new)
        };
        let is_other_name = |changed| {
            is_similar(changed) || is_only_pair && differs_in_at_most(key_fields, changed, new)
        };
        let is_same_but_key = |changed| {
            !is_empty && is_similar(changed) && differs_in_at_most(key_fields, changed, new)
        };
        let version = version.map(|(side, version)| value(side, version));
        let old = value(Side::Original, old);
        if is_same_but_key(old) || version.is_some_and(is_same_but_key) {
            Likeness::Equal
        } else if is_similar(old) || version.is_some_and(is_other_name) {
            Likeness::Similar
        } else {
            Likeness::Different
        }
    }

    /// Finds the entries that one side renamed, besides those in `known`, which has all of
    /// upstream's if `side` is local.
    fn renamed_by(
        &self,
        side: Side,
        collections: Nodes,
        (known, key_fields): (&Renames, usize),
        keys: &Pairing<'_>,
    ) -> Pairs {
        let own = match side {
            Side::Local => &known.local,
            Side::Original | Side::Updated => &known.updated,
        };
        // A rename leaves an entry without a partner in both collections.
        let with_new = |old: EntryId| {
            let new = keys.find(Side::Original, old, side);
            (new.or_else(|| own.new_of(old)), old)
        };
        let removed = unmatched(self.entries_on(Side::Original, collections).map(with_new));
        let added = match removed.is_empty() {
            true => Vec::new(),
            false => unmatched(self.entries_on(side, collections).map(|new| {
                let old = keys.find(side, new, Side::Original);
                (old.or_else(|| own.old_of(new)).map(|_| new), new)
            })),
        };
        if added.is_empty() {
            return Pairs::default();
        }
        let may_pair = |old, new| side != Side::Local || !upstream_has_both(keys, old, new);
        let likeness = |old, new, is_only_pair| {
            let version = match side {
                // If the merge ran before, local has upstream's version of the entry.
                Side::Local => {
                    let renamed = known.updated.new_of(old);
                    let updated = renamed.or_else(|| keys.find(Side::Original, old, Side::Updated));
                    updated.map(|it| (Side::Updated, it))
                }
                _ if self.options.sides == Sides::Equal => {
                    let local = keys.find(Side::Original, old, Side::Local);
                    local.map(|it| (Side::Local, it))
                }
                _ => None,
            };
            let old = (old, version, key_fields);
            self.likeness(old, (side, new), is_only_pair)
        };
        let mut pairs = pair_unmatched((&removed, &added), may_pair, likeness);
        if side == Side::Local {
            // If the merge ran before, local has upstream's order.
            let updateds = self.entries_on(Side::Updated, collections);
            let originals = updateds.filter_map(|it| keys.find(Side::Updated, it, Side::Original));
            let removed = unmatched(originals.map(with_new));
            pairs.add(pair_unmatched((&removed, &added), may_pair, likeness));
        }
        pairs
    }
}

impl Renames {
    /// Drops renames that conflict with the other side, so that they merge as a deletion and an
    /// addition: the other side chose another key, uses the new key for something else, or has
    /// another kind of value under the old one. Two keys for one entry stay if they `can_be_hunk`.
    fn drop_conflicting(
        &mut self,
        keys: &Pairing<'_>,
        can_be_hunk: bool,
        has_same_kind: impl Fn(EntryId, Side, Option<EntryId>) -> bool,
    ) {
        let both = self.updated.new_of_old.iter().filter_map(|(old, new)| {
            let renamed = self.local.new_of(*old)?;
            let in_local = keys.find(Side::Updated, *new, Side::Local);
            let are_free = in_local.or_else(|| keys.find(Side::Local, renamed, Side::Updated));
            let stays = Some(renamed) == in_local || can_be_hunk && are_free.is_none();
            Some((*old, stays))
        });
        let both: FxHashMap<EntryId, bool> = both.collect();
        let applies_to = |other: Side, old: EntryId, (side, new): (Side, EntryId)| {
            let in_other = keys.find(Side::Original, old, other);
            keys.find(side, new, other).is_none()
                && (in_other.is_none() || has_same_kind(old, other, in_other))
        };
        for (pairs, side, other) in [
            (&mut self.updated, Side::Updated, Side::Local),
            (&mut self.local, Side::Local, Side::Updated),
        ] {
            pairs.retain(|old, new| match both.get(&old) {
                Some(stays) => *stays,
                None => applies_to(other, old, (side, new)),
            });
        }
    }
}

/// Whether upstream has an entry under the key of an original one, and one under that of local's.
fn upstream_has_both(keys: &Pairing<'_>, original: EntryId, local: EntryId) -> bool {
    keys.find(Side::Original, original, Side::Updated).is_some()
        && keys.find(Side::Local, local, Side::Updated).is_some()
}

/// Pairs each entry without a partner with one at the same place, of those that `may_pair`: with
/// the first equal one, or else with the first similar one that is left. `likeness` also gets
/// whether the two are the only ones at their place that may pair.
fn pair_unmatched(
    (removed, added): (&[Unmatched], &[Unmatched]),
    may_pair: impl Fn(EntryId, EntryId) -> bool,
    likeness: impl Fn(EntryId, EntryId, bool) -> Likeness,
) -> Pairs {
    let mut candidates_at: FxHashMap<Option<EntryId>, VecDeque<EntryId>> = FxHashMap::default();
    for (place, entry) in added {
        candidates_at.entry(*place).or_default().push_back(*entry);
    }
    let mut pairs = Pairs::default();
    for least in [Likeness::Equal, Likeness::Similar] {
        for (at, (place, entry)) in removed.iter().copied().enumerate() {
            let candidates = candidates_at.get_mut(&place);
            let Some(candidates) = candidates.filter(|_| pairs.new_of(entry).is_none()) else {
                continue;
            };
            let is_here = |at: usize| removed.get(at).is_some_and(|(other, _)| *other == place);
            let is_first = at.checked_sub(1).is_none_or(|before| !is_here(before));
            let nearest = candidates.iter().take(MAX_CANDIDATES).enumerate();
            let nearest: Vec<_> = nearest.filter(|(_, new)| may_pair(entry, **new)).collect();
            let is_only_one = nearest.len() == 1 && candidates.len() <= MAX_CANDIDATES;
            let is_only_pair = is_only_one && is_first && !is_here(at + 1);
            let mut nearest = nearest.into_iter();
            let found = nearest.find(|(_, new)| likeness(entry, **new, is_only_pair) >= least);
            let found = found.map(|(at, _)| at);
            if let Some(new) = found.and_then(|at| candidates.remove(at)) {
                pairs.insert(entry, new);
            }
        }
    }
    pairs
}

/// The number of candidates that are compared with one entry, at most.
const MAX_CANDIDATES: usize = 64;

impl Pairs {
    /// Returns the entry that an original one was renamed to.
    pub(super) fn new_of(&self, old: EntryId) -> Option<EntryId> {
        self.new_of_old.get(&old).copied()
    }

    /// Returns the original of a renamed entry.
    pub(super) fn old_of(&self, new: EntryId) -> Option<EntryId> {
        self.old_of_new.get(&new).copied()
    }

    /// Adds the pairs whose entries are both unpaired.
    fn add(&mut self, more: Self) {
        for (old, new) in more.new_of_old {
            if self.new_of(old).is_none() && self.old_of(new).is_none() {
                self.insert(old, new);
            }
        }
    }

    /// Adds the other side's renames that this side made too: it has the new key, and no longer the
    /// old one. The values do not matter.
    fn add_renames_of(
        &mut self,
        (others, other): (&Self, Side),
        side: Side,
        keys: &Pairing<'_>,
        has_same_kind: impl Fn(EntryId, Side, Option<EntryId>) -> bool,
    ) {
        for (old, new) in &others.new_of_old {
            if keys.find(Side::Original, *old, side).is_none()
                && self.new_of(*old).is_none()
                && let Some(renamed) = keys.find(other, *new, side)
                && self.old_of(renamed).is_none()
                && has_same_kind(*old, side, Some(renamed))
            {
                self.insert(*old, renamed);
            }
        }
    }

    fn insert(&mut self, old: EntryId, new: EntryId) {
        self.new_of_old.insert(old, new);
        self.old_of_new.insert(new, old);
    }

    fn retain(&mut self, stays: impl Fn(EntryId, EntryId) -> bool) {
        self.new_of_old.retain(|old, new| stays(*old, *new));
        self.old_of_new.retain(|new, old| stays(*old, *new));
    }
}

/// Returns the entries without a partner. `entries` has each entry of a collection, behind the one of
/// the new collection that it or its partner is, if it has a partner.
fn unmatched(entries: impl Iterator<Item = (Option<EntryId>, EntryId)>) -> Vec<Unmatched> {
    let mut place = None;
    let unmatched = entries.filter_map(|(matched, entry)| {
        place = matched.or(place);
        matched.is_none().then_some((place, entry))
    });
    unmatched.collect()
}
