//! Pairs the documents of the three packages (rules: Documents).
//!
//! [`pair`] returns a [`Group`] for each document of the result. `renamed` pairs renamed resources.

use std::hash::Hash;
use std::num::NonZeroU32;

use rustc_hash::FxHashMap;

use super::duplicates::{Named, without_repeated};
use super::parsed::ParsedFile;
use super::read::ReadFile;
use super::renamed::pair_renamed;
use super::resource::ResourceId;
use super::unnamed::pair_unnamed;
use crate::triple::{Side, Triple};

/// A document: the index of its file among the triples, and its index among the file's documents.
/// It takes 8 bytes, because there are several for each document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DocRef {
    triple: u32,
    /// The index of the document plus 1.
    document: NonZeroU32,
}

impl DocRef {
    pub(crate) const fn new(triple: usize, document: usize) -> Self {
        Self {
            triple: triple as u32,
            document: NonZeroU32::MIN.saturating_add(document as u32),
        }
    }

    /// Returns the index of its file among the triples.
    pub(crate) const fn triple(self) -> usize {
        self.triple as usize
    }

    /// Returns its index among the documents of its file.
    pub(crate) const fn document(self) -> usize {
        (self.document.get() - 1) as usize
    }
}

/// The paired documents: one on each side that has it.
pub(crate) type Group = Triple<Option<DocRef>>;

/// A resource during pairing: a group and the identity of its first member.
struct Candidate<'r> {
    group: Group,
    id: &'r ResourceId<'r>,
    /// Whether it pairs only within its file: a resource with its identity in another file is an
    /// overlay.
    is_bound_to_file: bool,
}

/// Binds a resource of the original to its file if updated and local have it there with one other
/// version of its API. These are its counterparts, and not a resource elsewhere that still has the
/// original's version.
fn bind_to_other_version<'r>(candidates: &mut [Candidate<'r>]) {
    type Key<'r> = (usize, [&'r str; 4]);
    let key = |it: &Candidate<'r>| (first_file(&it.group), it.id.of_any_version());
    let mut ids: FxHashMap<Key<'r>, Triple<Option<&ResourceId<'r>>>> = FxHashMap::default();
    for candidate in candidates.iter() {
        let sides = ids.entry(key(candidate)).or_default();
        for side in Side::ALL {
            sides[side] = candidate.group[side].map_or(sides[side], |_| Some(candidate.id));
        }
    }
    for candidate in candidates {
        let sides = ids.get(&key(candidate)).copied().unwrap_or_default();
        candidate.is_bound_to_file = candidate.group.original.is_some()
            && sides.updated.is_some_and(|updated| updated != candidate.id)
            && sides.updated == sides.local;
    }
}

/// Pairs the documents of `files`. Files that are not merged document by document have none.
///
/// Resources pair by identity, in whatever file they are; if an identity occurs more than once in a
/// package, by path. The rest pairs by identity without the version of the API, and then with
/// renamed resources of the same file. Documents that are not resources pair within their file,
/// by content and position. With `path_merge_key`, the path is a part of every identity.
pub(crate) fn pair(files: &[ReadFile<'_>], path_merge_key: bool) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut resources = Vec::new();
    for (triple, file) in files.iter().enumerate() {
        let sides = Side::ALL.map(|side| file.file(side));
        groups.extend(pair_unnamed(triple, &sides));
        let by_side = sides.map(|side| side.map_or_else(Vec::new, |it| resources_of(triple, it)));
        resources.extend(candidates(without_repeated(&sides, by_side)));
    }
    let path = |candidate: &Candidate<'_>| path_merge_key.then(|| first_file(&candidate.group));
    bind_to_other_version(&mut resources);
    let resources = pair_by_key(resources, |candidate| (candidate.id, path(candidate)));
    let (complete, incomplete): (Vec<_>, Vec<_>) = resources
        .into_iter()
        .partition(|candidate| candidate.group.transpose().is_some());
    let incomplete = pair_by_key(incomplete, |candidate| {
        (candidate.id.of_any_version(), path(candidate))
    });
    groups.extend(
        complete
            .into_iter()
            .chain(incomplete)
            .map(|candidate| candidate.group),
    );
    pair_renamed(&mut groups, files);
    groups.sort_unstable_by_key(sort_key);
    groups
}

/// Returns the resources of one side of a file.
fn resources_of<'r>(triple: usize, file: &'r ParsedFile<'_>) -> Named<'r> {
    let documents = file.documents.iter().enumerate();
    documents
        .filter_map(|(document, parsed)| {
            let resource = parsed.resource.as_ref()?;
            Some((DocRef::new(triple, document), resource.pairing()))
        })
        .collect()
}

/// Returns the candidates of one file: one for each resource of each side.
fn candidates<'r>(sides: Triple<Named<'r>>) -> impl Iterator<Item = Candidate<'r>> {
    let sides = Side::ALL.zip(sides).into_iter();
    sides.flat_map(|(side, resources)| {
        resources.into_iter().map(move |(document, id)| {
            let mut group = Group::default();
            group[side] = Some(document);
            Candidate {
                group,
                id,
                is_bound_to_file: false,
            }
        })
    })
}

/// Combines the candidates with equal keys. If no side occurs twice among them, all are combined;
/// else those of one file, and then the rest, if no side occurs twice in it. If an identity occurs
/// more than once, a resource that upstream deleted does not pair with one in another file: that is
/// an overlay of local's own.
fn pair_by_key<'r, K: Hash + Eq>(
    candidates: Vec<Candidate<'r>>,
    key: impl Fn(&Candidate<'r>) -> K,
) -> Vec<Candidate<'r>> {
    buckets(candidates, key)
        .into_iter()
        .flat_map(|bucket| match can_combine(&bucket) {
            true if is_overlay_elsewhere(&bucket) => bucket,
            true => combine_in_order(bucket),
            false => pair_by_path(bucket),
        })
        .collect()
}

fn pair_by_path(bucket: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let by_file = buckets(bucket, |candidate| first_file(&candidate.group));
    let mut paired: Vec<_> = by_file.into_iter().flat_map(combine_in_order).collect();
    for candidate in &mut paired {
        candidate.is_bound_to_file = true;
    }
    let is_incomplete = |candidate: &mut Candidate<'_>| candidate.group.transpose().is_none();
    let incomplete: Vec<_> = paired.extract_if(.., is_incomplete).collect();
    paired.extend(
        match can_combine(&incomplete) && !is_overlay_elsewhere(&incomplete) {
            true => combine_in_order(incomplete),
            false => incomplete,
        },
    );
    paired
}

/// Returns true if one of these candidates is bound to its file, upstream has none of them, and
/// they are in several files: those in other files are overlays of local's own.
fn is_overlay_elsewhere(bucket: &[Candidate<'_>]) -> bool {
    bucket.len() > 1
        && bucket.iter().any(|candidate| candidate.is_bound_to_file)
        && bucket
            .iter()
            .all(|candidate| candidate.group.updated.is_none())
        && bucket
            .windows(2)
            .any(|pair| first_file(&pair[0].group) != first_file(&pair[1].group))
}

/// Groups items by key, in the order in which the keys first appear.
pub(super) fn buckets<T, K: Hash + Eq>(items: Vec<T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut index: FxHashMap<K, usize> = FxHashMap::default();
    let mut buckets: Vec<Vec<T>> = Vec::new();
    for item in items {
        let next = buckets.len();
        let bucket = *index.entry(key(&item)).or_insert(next);
        if bucket == next {
            buckets.push(Vec::with_capacity(3));
        }
        buckets[bucket].push(item);
    }
    buckets
}

/// Returns true if no side occurs twice among the candidates.
fn can_combine(bucket: &[Candidate<'_>]) -> bool {
    let occurs_once = |side: Side| {
        let mut members = bucket.iter().filter_map(|it| it.group[side]);
        members.next().is_none() || members.next().is_none()
    };
    bucket.len() <= 3 && Side::ALL.into_iter().all(occurs_once)
}

/// Combines candidates with equal keys: the first of each side, then the second, and so on. An
/// identity that occurs twice on one side of a file is an error if upstream changed the file
/// (`look_for_duplicates`); otherwise this order pairs the first ones.
fn combine_in_order(bucket: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let mut combined: Vec<Candidate<'_>> = Vec::new();
    // for each side, the number of combined candidates that have it, which are the first ones
    let mut taken: Triple<usize> = Triple::default();
    for candidate in bucket {
        let sides = Side::ALL.into_iter();
        let sides = sides.filter(|side| candidate.group[*side].is_some());
        let at = sides.clone().map(|side| taken[side]).max().unwrap_or(0);
        sides.for_each(|side| taken[side] = at + 1);
        match combined.get_mut(at) {
            Some(first) => {
                first.group = union(first.group, candidate.group);
                first.is_bound_to_file |= candidate.is_bound_to_file;
            }
            None => combined.push(candidate),
        }
    }
    combined
}

pub(super) fn union(left: Group, right: Group) -> Group {
    left.zip(right).map(|(left, right)| left.or(right))
}

/// Returns true if a side has a document in both groups.
pub(super) fn has_common_side(left: &Group, right: &Group) -> bool {
    let sides = left.zip(*right).into_array();
    sides
        .iter()
        .any(|(left, right)| left.is_some() && right.is_some())
}

fn first_file(group: &Group) -> usize {
    let first = group.original.or(group.updated).or(group.local);
    first.map_or(usize::MAX, DocRef::triple)
}

/// The sort key of groups: the order of the local files, then of upstream's, then of the
/// original's.
pub(super) fn sort_key(group: &Group) -> (Option<DocRef>, Option<DocRef>, Option<DocRef>) {
    (group.local, group.updated, group.original)
}
