//! Which documents of the three packages are the same one (rules: Documents).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::duplicates::{Named, without_repeated};
use super::parsed::ParsedFile;
use super::read::ReadFile;
use super::renamed::pair_renamed;
use super::resource::ResourceId;
use crate::triple::{Side, Triple};

/// A document: the index of its file among the triples, and its own among the file's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DocRef {
    pub(crate) triple: usize,
    pub(crate) document: usize,
}

/// One document on all sides that have it.
pub(crate) type Group = Triple<Option<DocRef>>;

/// A resource that is being paired: a group, and what its first member is called.
struct Candidate<'r> {
    group: Group,
    id: &'r ResourceId<'r>,
    /// Whether what became of it is not looked for in another file: what shares its identity there
    /// is an overlay.
    is_bound_to_file: bool,
}

/// Binds the original resources to their file that updated and local have there, both in one other
/// version of the API: that is what became of them, and no resource elsewhere that has their
/// version still.
fn bind_to_other_version(candidates: &mut [Candidate<'_>]) {
    type Others<'r, 's> = FxHashMap<(usize, [&'r str; 4]), Triple<Option<&'r ResourceId<'s>>>>;
    let mut others: Others<'_, '_> = FxHashMap::default();
    for candidate in candidates.iter() {
        let sides = others
            .entry((first_file(&candidate.group), candidate.id.of_any_version()))
            .or_default();
        let of_side = |member: Option<DocRef>| member.map(|_| candidate.id);
        *sides = candidate
            .group
            .map(of_side)
            .zip(*sides)
            .map(|(own, other)| own.or(other));
    }
    let bound: Vec<bool> = candidates
        .iter()
        .map(|candidate| {
            let key = (first_file(&candidate.group), candidate.id.of_any_version());
            let same = others.get(&key);
            candidate.group.original.is_some()
                && same.is_some_and(|same| {
                    same.updated.is_some_and(|updated| updated != candidate.id)
                        && same.updated == same.local
                })
        })
        .collect();
    for (candidate, is_bound) in candidates.iter_mut().zip(bound) {
        candidate.is_bound_to_file = is_bound;
    }
}

/// Pairs the documents of the files that are given; those of files that are none are left out.
///
/// Resources pair by identity, wherever they are; where one occurs more than once in a package, by
/// path. What is left pairs without the API version's version, and then with what one side gave
/// another name or namespace in the same file. Other documents pair by path and by their index
/// among such documents.
pub(crate) fn pair(files: &[ReadFile<'_>], path_merge_key: bool) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut resources = Vec::new();
    for (triple, file) in files.iter().enumerate() {
        let sides = Side::ALL.map(|side| file.file(side));
        groups.extend(others(triple, &sides));
        let named = sides.map(|side| side.map_or_else(Vec::new, |it| named(triple, it)));
        resources.extend(joined(without_repeated(&sides, named)));
    }
    let path = |candidate: &Candidate<'_>| path_merge_key.then(|| first_file(&candidate.group));
    bind_to_other_version(&mut resources);
    let resources = unite(resources, |candidate| (candidate.id, path(candidate)));
    let (complete, left): (Vec<_>, Vec<_>) = resources
        .into_iter()
        .partition(|candidate| is_complete(&candidate.group));
    let left = unite(left, |candidate| {
        (candidate.id.of_any_version(), path(candidate))
    });
    groups.extend(
        complete
            .into_iter()
            .chain(left)
            .map(|candidate| candidate.group),
    );
    pair_renamed(&mut groups, files);
    groups.sort_unstable_by_key(order);
    groups
}

/// The resources of one side of a file.
fn named<'r>(triple: usize, file: &'r ParsedFile<'_>) -> Named<'r> {
    let documents = file.documents.iter().enumerate();
    documents
        .filter_map(|(document, parsed)| {
            let resource = parsed.resource.as_ref()?;
            Some((DocRef { triple, document }, resource.pairing()))
        })
        .collect()
}

/// The resources of one file, to be paired. Where all sides have the same ones in the same order,
/// as most files do, those are one already.
fn joined<'r>(sides: Triple<Named<'r>>) -> Vec<Candidate<'r>> {
    let ids = sides.as_ref().map(|side| side.iter().map(|(_, id)| *id));
    let candidate = |group, id| Candidate {
        group,
        id,
        is_bound_to_file: false,
    };
    if ids.original.clone().eq(ids.updated) && ids.original.eq(ids.local) {
        let groups = (0..sides.original.len()).map(|index| {
            let (_, id) = sides.original[index];
            candidate(sides.as_ref().map(|side| Some(side[index].0)), id)
        });
        return groups.collect();
    }
    let sides = sides.into_array().into_iter().enumerate();
    sides
        .flat_map(|(side, resources)| {
            let one = move |(document, id)| candidate(only(side, document), id);
            resources.into_iter().map(one)
        })
        .collect()
}

/// The documents of one file that are no resources, by index.
fn others(triple: usize, sides: &Triple<Option<&ParsedFile<'_>>>) -> Vec<Group> {
    let indexes = sides.map(|side| {
        side.map_or_else(Vec::new, |file| {
            (0..file.documents.len())
                .filter(|document| file.documents[*document].resource.is_none())
                .map(|document| DocRef { triple, document })
                .collect()
        })
    });
    let count = indexes
        .as_ref()
        .into_array()
        .iter()
        .map(|side| side.len())
        .max();
    (0..count.unwrap_or(0))
        .map(|index| indexes.as_ref().map(|side| side.get(index).copied()))
        .collect()
}

/// Unites the candidates that share a key: all of them where no side has two; else those of one
/// file; else, where that leaves at most one on each side, these. But of several resources of one
/// identity, one that upstream has deleted is not looked for in another file: what is there is
/// local's own.
fn unite<'r, K: Hash + Eq>(
    candidates: Vec<Candidate<'r>>,
    key: impl Fn(&Candidate<'r>) -> K,
) -> Vec<Candidate<'r>> {
    buckets(candidates, key)
        .into_iter()
        .flat_map(|bucket| match disjoint(&bucket) {
            true if is_of_other_files(&bucket) => bucket,
            true => join(bucket),
            false => unite_by_path(bucket),
        })
        .collect()
}

fn unite_by_path(bucket: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let mut done = Vec::new();
    let mut left = Vec::new();
    for bucket in buckets(bucket, |candidate| first_file(&candidate.group)) {
        for mut candidate in join_in_order(bucket) {
            candidate.is_bound_to_file = true;
            if is_complete(&candidate.group) {
                done.push(candidate);
            } else {
                left.push(candidate);
            }
        }
    }
    done.extend(match disjoint(&left) && !is_of_other_files(&left) {
        true => join(left),
        false => left,
    });
    done
}

/// Whether candidates are one that upstream has no longer and that is bound to its file, and local
/// ones in others.
fn is_of_other_files(bucket: &[Candidate<'_>]) -> bool {
    bucket.len() > 1
        && bucket.iter().any(|candidate| candidate.is_bound_to_file)
        && bucket
            .iter()
            .all(|candidate| candidate.group.updated.is_none())
        && bucket
            .windows(2)
            .any(|pair| first_file(&pair[0].group) != first_file(&pair[1].group))
}

/// Sorts into buckets, in the order of first appearance.
fn buckets<T, K: Hash + Eq>(items: Vec<T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut index: FxHashMap<K, usize> = FxHashMap::default();
    let mut buckets: Vec<Vec<T>> = Vec::new();
    for item in items {
        let next = buckets.len();
        let at = *index.entry(key(&item)).or_insert(next);
        if at == next {
            buckets.push(Vec::with_capacity(3));
        }
        buckets[at].push(item);
    }
    buckets
}

/// Whether no side is there twice.
fn disjoint(bucket: &[Candidate<'_>]) -> bool {
    let is_once = |side: Side| {
        let mut members = bucket.iter().filter_map(|it| it.group[side]);
        members.next().is_none() || members.next().is_none()
    };
    bucket.len() <= 3 && Side::ALL.into_array().into_iter().all(is_once)
}

fn join(bucket: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let united = bucket.into_iter().reduce(|left, right| Candidate {
        group: both(left.group, right.group),
        id: left.id,
        is_bound_to_file: left.is_bound_to_file || right.is_bound_to_file,
    });
    united.into_iter().collect()
}

/// Joins what shares a key within one file: the first of each side, then the second, and so on.
/// Twice on one side is an error where upstream changed the file; where it did not, this keeps the
/// first ones together.
fn join_in_order(bucket: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let mut united: Vec<Candidate<'_>> = Vec::new();
    // for each side, how many of the united have it: these are the first ones
    let mut taken = [0; 3];
    for candidate in bucket {
        let members = candidate.group.map(|member| member.is_some()).into_array();
        let sides = [0, 1, 2].into_iter().filter(|side| members[*side]);
        let at = sides.clone().map(|side| taken[side]).max().unwrap_or(0);
        sides.for_each(|side| taken[side] = at + 1);
        match united.get_mut(at) {
            Some(first) => first.group = both(first.group, candidate.group),
            None => united.push(candidate),
        }
    }
    united
}

pub(super) fn both(left: Group, right: Group) -> Group {
    left.zip(right).map(|(left, right)| left.or(right))
}

fn only(side: usize, document: DocRef) -> Group {
    let member = |at| (at == side).then_some(document);
    Triple::new(member(0), member(1), member(2))
}

pub(super) fn is_complete(group: &Group) -> bool {
    group.into_array().iter().all(Option::is_some)
}

fn first_file(group: &Group) -> usize {
    let first = group.original.or(group.updated).or(group.local);
    first.map_or(usize::MAX, |document| document.triple)
}

/// Groups are in the order of the local files, then of upstream's.
pub(super) fn order(group: &Group) -> (Option<DocRef>, Option<DocRef>, Option<DocRef>) {
    (group.local, group.updated, group.original)
}
