//! Entries that one side gave another key: removed under the old one, and added at the same place
//! under a new one with mostly the same content.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Shape, Walker, shape};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, NodeKind, ScalarType, Tree};

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
        let pairs = |side: Side, tree: &Tree<'_>, row: &[EntryId], others: &Pairs| {
            let old = matched(Side::Original, side, &entries.original);
            let both = old.and_then(|old| Some((old, matched(side, Side::Original, row)?)));
            let Some((old, new)) = both else {
                return Pairs::default();
            };
            let befores = |old: EntryId| {
                let before = Leaves::of(trees.original, trees.original.entry(old).value);
                // what upstream made of it counts as well: a merged entry has it already
                let other = others.new_of_old.get(&old).copied();
                let other = other.or_else(|| find(Side::Original, old, Side::Updated));
                let other = other.filter(|_| side == Side::Local);
                let other =
                    other.map(|it| Leaves::of(trees.updated, trees.updated.entry(it).value));
                [before].into_iter().chain(other).flatten().collect()
            };
            matching((&old, &new), befores, |new| {
                Leaves::of(tree, tree.entry(new).value)
            })
        };
        let updated = pairs(
            Side::Updated,
            trees.updated,
            &entries.updated,
            &Pairs::default(),
        );
        let local = pairs(Side::Local, trees.local, &entries.local, &updated);
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
fn matching(
    (old, new): (&Matched, &Matched),
    befores: impl Fn(EntryId) -> Vec<Leaves>,
    leaves_of: impl Fn(EntryId) -> Option<Leaves>,
) -> Pairs {
    let mut left: FxHashMap<Option<EntryId>, Candidates> = FxHashMap::default();
    for (place, entry) in gaps(new, |_, entry| entry) {
        let candidates = left.entry(place).or_default();
        candidates.entries.push(Some(Candidate {
            entry,
            leaves: OnceCell::new(),
        }));
    }
    let mut pairs = Pairs::default();
    for (place, entry) in gaps(old, |other, _| other) {
        let Some(candidates) = left.get_mut(&place) else {
            continue;
        };
        let befores = befores(entry);
        let is_like = |candidate: &Candidate| {
            let leaves = candidate.leaves.get_or_init(|| leaves_of(candidate.entry));
            let is_mostly = |leaves| befores.iter().any(|before| before.is_mostly(leaves));
            leaves.as_ref().is_some_and(is_mostly)
        };
        if let Some(new) = candidates.take_first(is_like) {
            pairs.new_of_old.insert(entry, new);
            pairs.old_of_new.insert(new, entry);
        }
    }
    pairs
}

/// The new entries at one place.
#[derive(Default)]
struct Candidates {
    entries: Vec<Option<Candidate>>,
    /// How many at the beginning are taken.
    taken: usize,
}

struct Candidate {
    entry: EntryId,
    leaves: OnceCell<Option<Leaves>>,
}

/// So many candidates are looked at for one entry.
const MOST_CANDIDATES: usize = 256;

impl Candidates {
    fn take_first(&mut self, is_it: impl Fn(&Candidate) -> bool) -> Option<EntryId> {
        let mut free = self.entries[self.taken..].iter_mut();
        let mut free = free
            .by_ref()
            .filter(|it| it.is_some())
            .take(MOST_CANDIDATES);
        let found = free.find(|it| it.as_ref().is_some_and(&is_it))?;
        let taken = found.take().map(|candidate| candidate.entry);
        let rest = &self.entries[self.taken..];
        self.taken += rest.iter().take_while(|it| it.is_none()).count();
        taken
    }
}

/// A side of the merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Original,
    Updated,
    Local,
}

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

/// The scalars of a map or list with the keys down to them, as hashes, in order.
struct Leaves {
    shape: Shape,
    hashes: Vec<u64>,
}

/// Values with more leaves, or deeper ones, are not compared.
const MOST: usize = 4096;

impl Leaves {
    /// None for a scalar.
    fn of(tree: &Tree<'_>, node: NodeId) -> Option<Self> {
        let shape = shape(tree, node);
        let mut leaves = Self {
            shape,
            hashes: Vec::new(),
        };
        if shape == Shape::Scalar {
            return None;
        }
        leaves.visit(tree, node, 0, &mut String::new());
        leaves.hashes.sort_unstable();
        Some(leaves)
    }

    /// Whether two collections have at least two thirds of their leaves in common.
    fn is_mostly(&self, other: &Self) -> bool {
        let (mut left, mut right) = (&*self.hashes, &*other.hashes);
        let mut common = 0;
        while let ([first, lefts @ ..], [second, rights @ ..]) = (left, right) {
            match first.cmp(second) {
                Ordering::Less => left = lefts,
                Ordering::Greater => right = rights,
                Ordering::Equal => {
                    (left, right) = (lefts, rights);
                    common += 1;
                }
            }
        }
        let most = self.hashes.len().max(other.hashes.len());
        self.shape == other.shape && common > 0 && common * 3 >= most * 2
    }

    fn visit(&mut self, tree: &Tree<'_>, node: NodeId, depth: usize, path: &mut String) {
        if self.hashes.len() > MOST || depth > 64 {
            return;
        }
        match tree.node(tree.resolve(node)).kind {
            NodeKind::Scalar(scalar) => {
                let content = match scalar.scalar_type {
                    ScalarType::Null => "",
                    _ => scalar.content,
                };
                let mut hasher = DefaultHasher::new();
                (&*path, scalar.scalar_type, content).hash(&mut hasher);
                self.hashes.push(hasher.finish());
            }
            NodeKind::Mapping(_) | NodeKind::Sequence(_) => {
                for entry in tree.entries(tree.resolve(node)) {
                    let entry = tree.entry(entry);
                    let length = path.len();
                    path.push('/');
                    if let Some(key) = entry.key.and_then(|key| tree.scalar(key)) {
                        path.push_str(key.content);
                    }
                    self.visit(tree, entry.value, depth + 1, path);
                    path.truncate(length);
                }
            }
            NodeKind::Alias(_) => {}
        }
    }
}
