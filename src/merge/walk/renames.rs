//! Entries that one side gave another key: removed under the old one, and added at the same place
//! under a new one with mostly the same content.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::is_mostly;
use super::{Walker, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, Tree};

/// Which entry of the original an entry was, by the side that renamed it, and the other way round.
#[derive(Debug, Default)]
pub(super) struct Renames {
    updated: Pairs,
    local: Pairs,
}

#[derive(Debug, Default)]
struct Pairs {
    new_of_old: FxHashMap<EntryId, EntryId>,
    old_of_new: FxHashMap<EntryId, EntryId>,
}

/// The entries of a collection, each with the same entry of another one, by key.
type Matched = Vec<(EntryId, Option<EntryId>)>;

impl Renames {
    pub(super) fn is_empty(&self) -> bool {
        self.updated.new_of_old.is_empty() && self.local.new_of_old.is_empty()
    }

    /// The entry of updated that an original one became.
    pub(super) fn in_updated(&self, original: EntryId) -> Option<EntryId> {
        self.updated.new_of_old.get(&original).copied()
    }

    /// The entry of local that an original one became.
    pub(super) fn in_local(&self, original: EntryId) -> Option<EntryId> {
        self.local.new_of_old.get(&original).copied()
    }

    /// The original of an entry that updated renamed.
    pub(super) fn of_updated(&self, updated: EntryId) -> Option<EntryId> {
        self.updated.old_of_new.get(&updated).copied()
    }

    /// The original of an entry that local renamed.
    pub(super) fn of_local(&self, local: EntryId) -> Option<EntryId> {
        self.local.old_of_new.get(&local).copied()
    }
}

impl Walker<'_> {
    /// What each side renamed. `find` gives the entry with the key that an entry has, in another of
    /// the three collections.
    pub(super) fn renames(
        &self,
        entries: Triple<Vec<EntryId>>,
        find: impl Fn(Side, EntryId, Side) -> Option<EntryId>,
    ) -> Renames {
        if entries.original.is_empty() {
            return Renames::default();
        }
        // none where each has a partner
        let matched = |from: Side, to: Side, row: &[EntryId]| -> Option<Matched> {
            let pairs = row.iter().map(|entry| (*entry, find(from, *entry, to)));
            let has_change = pairs.clone().any(|(_, other)| other.is_none());
            has_change.then(|| pairs.collect())
        };
        let trees = self.trees;
        let pairs = |side: Side, prints: &Fingerprints<'_>, row: &[EntryId], others: &Pairs| {
            let old = matched(Side::Original, side, &entries.original);
            let both = old.and_then(|old| Some((old, matched(side, Side::Original, row)?)));
            let Some((old, new)) = both else {
                return Pairs::default();
            };
            let is_like = |old: EntryId, new: EntryId| {
                let new = (prints, prints.tree().entry(new).value);
                let before = (&self.fingerprints.original, trees.original.entry(old).value);
                // what upstream made of it counts as well: a merged entry has it already
                let upstream = || {
                    let other = others.new_of_old.get(&old).copied();
                    let other = other.or_else(|| find(Side::Original, old, Side::Updated))?;
                    Some((&self.fingerprints.updated, trees.updated.entry(other).value))
                };
                is_mostly(before, new)
                    || side == Side::Local && upstream().is_some_and(|it| is_mostly(it, new))
            };
            matching((&old, &new), is_like)
        };
        let updated = pairs(
            Side::Updated,
            &self.fingerprints.updated,
            &entries.updated,
            &Pairs::default(),
        );
        let local = pairs(
            Side::Local,
            &self.fingerprints.local,
            &entries.local,
            &updated,
        );
        let mut renames = Renames { updated, local };
        let is_alike = |old: EntryId, tree: &Tree<'_>, other: Option<EntryId>| {
            let old = shape(trees.original, trees.original.entry(old).value);
            other.is_some_and(|other| shape(tree, tree.entry(other).value) == old)
        };
        // what has the new key here and not the old one any more was renamed alike, whatever is in
        // it now
        for (old, new) in &renames.updated.new_of_old {
            let is_gone = find(Side::Original, *old, Side::Local).is_none();
            if is_gone
                && !renames.local.new_of_old.contains_key(old)
                && let Some(ours) = find(Side::Updated, *new, Side::Local)
                && !renames.local.old_of_new.contains_key(&ours)
                && is_alike(*old, trees.local, Some(ours))
            {
                renames.local.new_of_old.insert(*old, ours);
                renames.local.old_of_new.insert(ours, *old);
            }
        }
        // where each side gave it a key of its own, they are two changes; so they are where the
        // other side has the new key for something else, or not the old one any more
        let both: FxHashSet<EntryId> = renames
            .updated
            .new_of_old
            .iter()
            .filter(|(old, new)| {
                let ours = renames.local.new_of_old.get(old);
                ours.is_some() && ours.copied() == find(Side::Updated, **new, Side::Local)
            })
            .map(|(old, _)| *old)
            .collect();
        let of_local = renames.local.new_of_old.clone();
        renames.updated.keep(|old, new| {
            both.contains(&old)
                || !of_local.contains_key(&old)
                    && find(Side::Updated, new, Side::Local).is_none()
                    && is_alike(old, trees.local, find(Side::Original, old, Side::Local))
        });
        renames.local.keep(|old, new| {
            both.contains(&old)
                || is_alike(old, trees.updated, find(Side::Original, old, Side::Updated))
                    && find(Side::Local, new, Side::Updated).is_none()
        });
        renames
    }
}

/// Each entry without a partner with the first one at the same place that is mostly like it. Of
/// very many only the next ones that are left are looked at.
fn matching((old, new): (&Matched, &Matched), is_like: impl Fn(EntryId, EntryId) -> bool) -> Pairs {
    let mut left: FxHashMap<Option<EntryId>, VecDeque<EntryId>> = FxHashMap::default();
    for (place, entry) in gaps(new, |_, entry| entry) {
        left.entry(place).or_default().push_back(entry);
    }
    let mut pairs = Pairs::default();
    for (place, entry) in gaps(old, |other, _| other) {
        let Some(candidates) = left.get_mut(&place) else {
            continue;
        };
        let mut near = candidates.iter().take(MOST_CANDIDATES);
        let found = near.position(|new| is_like(entry, *new));
        if let Some(new) = found.and_then(|at| candidates.remove(at)) {
            pairs.new_of_old.insert(entry, new);
            pairs.old_of_new.insert(new, entry);
        }
    }
    pairs
}

/// So many candidates are looked at for one entry.
const MOST_CANDIDATES: usize = 256;

impl Pairs {
    fn keep(&mut self, is_one: impl Fn(EntryId, EntryId) -> bool) {
        self.new_of_old.retain(|old, new| is_one(*old, *new));
        self.old_of_new.retain(|new, old| is_one(*old, *new));
    }
}

/// The entries without a partner, each with the partner of the entry before it that has one: its
/// place. `named` names that partner by the new side's entry.
fn gaps(
    row: &Matched,
    named: impl Fn(EntryId, EntryId) -> EntryId,
) -> Vec<(Option<EntryId>, EntryId)> {
    let mut place = None;
    let mut found = Vec::new();
    for (entry, other) in row {
        match other {
            Some(other) => place = Some(named(*other, *entry)),
            None => found.push((place, *entry)),
        }
    }
    found
}
