//! Pairs the documents of the three packages (rules: Documents).
//!
//! [`pair`] returns a [`Group`] for each document of the result. `renamed` pairs renamed resources.

use std::hash::Hash;
use std::num::NonZeroU32;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::parsed::{Parsed, ParsedFile};
use super::read::ReadFile;
use super::renamed::pair_renamed;
use super::resource::ResourceId;
use super::unnamed::pair_unnamed;
use crate::error::{Error, Place, Warning, shown};
use crate::merge::Leaves;
use crate::triple::{Side, Triple};
use crate::visible::visible;

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
    /// Its first member.
    document: &'r Parsed<'r>,
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
        let by_side = Side::ALL.map(|side| candidates(triple, side, sides[side]));
        resources.extend(without_repeated(by_side));
    }
    let path = |candidate: &Candidate<'_>| path_merge_key.then(|| first_file(&candidate.group));
    bind_to_other_version(&mut resources);
    let resources = pair_by_key(resources, |candidate| (candidate.id, path(candidate)));
    let is_complete = |it: &Candidate<'_>| it.group.transpose().is_some();
    let (complete, incomplete): (Vec<_>, Vec<_>) = resources.into_iter().partition(is_complete);
    let incomplete = pair_by_key(incomplete, |it| (it.id.of_any_version(), path(it)));
    let resources = complete.into_iter().chain(incomplete);
    groups.extend(resources.map(|candidate| candidate.group));
    pair_renamed(&mut groups, files);
    // the order of the local files, then of upstream's, then of the original's
    groups.sort_unstable_by_key(|group| (group.local, group.updated, group.original));
    groups
}

/// Returns the candidates of one side of a file: one for each resource.
fn candidates<'r>(
    triple: usize,
    side: Side,
    file: Option<&'r ParsedFile<'r>>,
) -> Vec<Candidate<'r>> {
    let documents = file
        .into_iter()
        .flat_map(|file| file.documents.iter().enumerate());
    let candidate = |(document, parsed): (usize, &'r Parsed<'r>)| {
        let mut group = Group::default();
        group[side] = Some(DocRef::new(triple, document));
        Some(Candidate {
            group,
            id: parsed.resource.as_ref()?.pairing(),
            document: parsed,
            is_bound_to_file: false,
        })
    };
    documents.filter_map(candidate).collect()
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
    bucket.iter().any(|it| it.is_bound_to_file)
        && bucket.iter().all(|it| it.group.updated.is_none())
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
    let count = |side: Side| bucket.iter().filter(|it| it.group[side].is_some()).count();
    bucket.len() <= 3 && Side::ALL.into_iter().all(|side| count(side) < 2)
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
    let mut sides = left.zip(*right).into_iter();
    sides.any(|(left, right)| left.is_some() && right.is_some())
}

fn first_file(group: &Group) -> usize {
    let first = group.original.or(group.updated).or(group.local);
    first.map_or(usize::MAX, DocRef::triple)
}

/// Looks for files that upstream changed and in which two resources have the same identity. Returns
/// a warning for each file that has them in the original, unless it is an error.
///
/// # Errors
/// One for each file that needs merging and has two such resources in updated or local: it is
/// unclear which of the two a change is for.
pub(super) fn look_for_duplicates(files: &[ReadFile<'_>]) -> Result<Vec<Warning>, Error> {
    let results = files.par_iter().map(|file| {
        let bytes = file.triple.bytes();
        if bytes.original == bytes.updated {
            return Ok(None);
        }
        let is_merged = bytes.local != bytes.original && bytes.local != bytes.updated;
        let sides = file.yaml().zip(file.triple.sides.as_ref());
        let duplicates = sides.map(|(file, source)| file?.duplicate(&source.as_ref()?.path));
        match (duplicates.updated.or(duplicates.local), duplicates.original) {
            (Some(found), _) if is_merged => Err(found.into_error()),
            (_, Some(found)) => Ok(Some(found.into_warning())),
            _ => Ok(None),
        }
    });
    let results: Vec<Result<Option<Warning>, Error>> = results.collect();
    Ok(Error::all(results)?.into_iter().flatten().collect())
}

/// Two resources with the same identity in one file.
pub(super) struct Duplicate {
    /// The identity, as it is displayed.
    pub(super) resource: String,
    pub(super) first: Place,
    pub(super) second: Place,
}

impl Duplicate {
    fn into_error(self) -> Error {
        let [first, second] = [self.first, self.second];
        let lines = format!("in lines {} and {}", first.line, second.line);
        let (resource, path) = (visible(&self.resource), shown(&first.path));
        Error::Unfit {
            title: format!("{resource} occurs twice in {path}: {lines}"),
            places: vec![
                (second, "the second".to_owned()),
                (first, "the first".to_owned()),
            ],
            help: "delete or rename one of the two, or move it to a file of its own".to_owned(),
        }
    }

    fn into_warning(self) -> Warning {
        let message = format!(
            "{} occurs twice in the original, in lines {} and \
             {}: it was merged with the one that is most like it",
            self.resource, self.first.line, self.second.line
        );
        Warning::at(self.second, message)
    }
}

/// Drops repeated resources from the original: of several with the same identity in a file, which
/// updated and local have at most once, the one that is most similar to local's stays, or on a tie
/// to updated's. The others would pair with nothing and count as deleted.
fn without_repeated(sides: Triple<Vec<Candidate<'_>>>) -> impl Iterator<Item = Candidate<'_>> {
    let mut original = Vec::with_capacity(sides.original.len());
    for same in buckets(sides.original, |it| it.id) {
        let others = |side: &'_ [Candidate<'_>]| -> Vec<Leaves> {
            let of_id = side.iter().filter(|it| it.id == same[0].id);
            of_id.map(|it| Leaves::of_document(it.document)).collect()
        };
        // most identities occur once
        let is_repeated = same.len() > 1;
        let others = is_repeated.then(|| [others(&sides.local), others(&sides.updated)]);
        match others.filter(|others| others.iter().all(|it| it.len() < 2)) {
            Some(others) => {
                let rank = |it: &Candidate<'_>| {
                    let leaves = Leaves::of_document(it.document);
                    let distance = |others: &Vec<Leaves>| {
                        others.first().map_or(0, |other| leaves.distance(other))
                    };
                    (others.each_ref().map(distance), it.group.original)
                };
                original.extend(same.into_iter().min_by_key(rank));
            }
            None => original.extend(same),
        }
    }
    original.sort_unstable_by_key(|it| it.group.original);
    original.into_iter().chain(sides.updated).chain(sides.local)
}
