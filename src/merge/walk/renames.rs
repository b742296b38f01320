//! Entries that one side gave another key: removed under the old one, and added at the same place
//! under a new one with mostly the same content.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{is_mostly, is_mostly_by_fields, is_same_but_for};
use super::{Walker, entries_of, shape};
use crate::triple::{Side, Triple};
use crate::yaml::EntryId;

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
    /// the three collections; `key_fields` is how many fields of an element its key is made of.
    pub(super) fn renames(
        &self,
        entries: Triple<Vec<EntryId>>,
        key_fields: usize,
        find: impl Fn(Side, EntryId, Side) -> Option<EntryId>,
    ) -> Renames {
        if entries.original.is_empty() {
            return Renames::default();
        }
        let trees = self.trees;
        let none = Pairs::default();
        let updated = self.renamed_by(Side::Updated, &entries, (&none, key_fields), &find);
        let local = self.renamed_by(Side::Local, &entries, (&updated, key_fields), &find);
        let mut renames = Renames { updated, local };
        let is_alike = |old: EntryId, side: Side, other: Option<EntryId>| {
            let shape_of = |side: Side, entry| shape(trees[side], trees[side].entry(entry).value);
            other.is_some_and(|other| shape_of(side, other) == shape_of(Side::Original, old))
        };
        renames.add_renamed_alike(&find, is_alike);
        renames.drop_disputed(&find, is_alike);
        renames
    }

    /// What one side renamed: entries that the other collection lacks, at the same place and mostly
    /// alike.
    fn renamed_by(
        &self,
        side: Side,
        entries: &Triple<Vec<EntryId>>,
        (upstream, key_fields): (&Pairs, usize),
        find: &impl Fn(Side, EntryId, Side) -> Option<EntryId>,
    ) -> Pairs {
        // none where each has a partner
        let matched = |from: Side, to: Side| -> Option<Matched> {
            let pairs = entries[from].iter();
            let pairs = pairs.map(|entry| (*entry, find(from, *entry, to)));
            let has_change = pairs.clone().any(|(_, other)| other.is_none());
            has_change.then(|| pairs.collect())
        };
        let old = matched(Side::Original, side);
        let Some((old, new)) = old.and_then(|old| Some((old, matched(side, Side::Original)?)))
        else {
            return Pairs::default();
        };
        let value = |side: Side, entry: EntryId| {
            (
                &self.fingerprints[side],
                self.trees[side].entry(entry).value,
            )
        };
        let is_like = |old, new, are_alone| {
            let new = value(side, new);
            // all empty ones are alike
            let is_empty = entries_of(new.0.tree(), new.1).len() == 0;
            let is_like = |old| {
                (are_alone || !is_empty) && is_mostly(old, new)
                    || are_alone && is_mostly_by_fields(old, new)
            };
            // what upstream made of it counts as well: a merged entry has it already
            let changed = || {
                let other = upstream.new_of_old.get(&old).copied();
                let other = other.or_else(|| find(Side::Original, old, Side::Updated))?;
                Some(value(Side::Updated, other))
            };
            is_like(value(Side::Original, old))
                || side == Side::Local
                    && changed().is_some_and(|changed| {
                        is_like(changed) || are_alone && is_same_but_for(key_fields, changed, new)
                    })
        };
        let mut pairs = matching((&old, &new), is_like);
        if side == Side::Local {
            // upstream's order counts as well: a merged collection has it already
            let moved = entries.updated.iter().filter_map(|entry| {
                let old = find(Side::Updated, *entry, Side::Original)?;
                Some((old, find(Side::Original, old, Side::Local)))
            });
            pairs.add(matching((&moved.collect(), &new), is_like));
        }
        pairs
    }
}

impl Renames {
    /// What has the new key in local and not the old one any more was renamed alike, whatever is in
    /// it now.
    fn add_renamed_alike(
        &mut self,
        find: &impl Fn(Side, EntryId, Side) -> Option<EntryId>,
        is_alike: impl Fn(EntryId, Side, Option<EntryId>) -> bool,
    ) {
        for (old, new) in &self.updated.new_of_old {
            let is_gone = find(Side::Original, *old, Side::Local).is_none();
            if is_gone
                && !self.local.new_of_old.contains_key(old)
                && let Some(ours) = find(Side::Updated, *new, Side::Local)
                && !self.local.old_of_new.contains_key(&ours)
                && is_alike(*old, Side::Local, Some(ours))
            {
                self.local.new_of_old.insert(*old, ours);
                self.local.old_of_new.insert(ours, *old);
            }
        }
    }

    /// Where each side gave an entry a key of its own, they are two changes; so they are where the
    /// other side has the new key for something else, or not the old one any more.
    fn drop_disputed(
        &mut self,
        find: &impl Fn(Side, EntryId, Side) -> Option<EntryId>,
        is_alike: impl Fn(EntryId, Side, Option<EntryId>) -> bool,
    ) {
        let both = self.updated.new_of_old.iter().filter(|(old, new)| {
            let ours = self.local.new_of_old.get(old);
            ours.is_some() && ours.copied() == find(Side::Updated, **new, Side::Local)
        });
        let both: FxHashSet<EntryId> = both.map(|(old, _)| *old).collect();
        let of_local = self.local.new_of_old.clone();
        self.updated.keep(|old, new| {
            both.contains(&old)
                || !of_local.contains_key(&old)
                    && find(Side::Updated, new, Side::Local).is_none()
                    && is_alike(old, Side::Local, find(Side::Original, old, Side::Local))
        });
        self.local.keep(|old, new| {
            let upstream = find(Side::Original, old, Side::Updated);
            both.contains(&old)
                || is_alike(old, Side::Updated, upstream)
                    && find(Side::Local, new, Side::Updated).is_none()
        });
    }
}

/// Each entry without a partner with the first one at the same place that is like it; `is_like` is
/// told whether the two are alone at their place. Of very many only the next ones that are left are
/// looked at.
fn matching(
    (old, new): (&Matched, &Matched),
    is_like: impl Fn(EntryId, EntryId, bool) -> bool,
) -> Pairs {
    let mut left: FxHashMap<Option<EntryId>, VecDeque<EntryId>> = FxHashMap::default();
    for (place, entry) in gaps(new, |_, entry| entry) {
        left.entry(place).or_default().push_back(entry);
    }
    let mut pairs = Pairs::default();
    let removed = gaps(old, |other, _| other);
    for (at, (place, entry)) in removed.iter().copied().enumerate() {
        let Some(candidates) = left.get_mut(&place) else {
            continue;
        };
        let is_here = |at: usize| removed.get(at).is_some_and(|(other, _)| *other == place);
        let is_first = at.checked_sub(1).is_none_or(|before| !is_here(before));
        let are_alone = candidates.len() == 1 && is_first && !is_here(at + 1);
        let mut near = candidates.iter().take(MOST_CANDIDATES);
        let found = near.position(|new| is_like(entry, *new, are_alone));
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
    /// Adds pairs of entries that are in none yet.
    fn add(&mut self, more: Self) {
        for (old, new) in more.new_of_old {
            if !self.new_of_old.contains_key(&old) && !self.old_of_new.contains_key(&new) {
                self.new_of_old.insert(old, new);
                self.old_of_new.insert(new, old);
            }
        }
    }

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
