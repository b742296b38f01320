//! How near a copy of a package is to versions of upstream's, and which one is nearest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use super::address::{Origin, is_archive};
use super::edit::get;
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::version::{Choice, Tag, prefixes};
use crate::differences::differences_of_lines;
use crate::error::Error;
use crate::package::Snapshot;

/// How many versions that have most files alike are compared line by line.
const COMPARED: usize = 5;
/// How many versions are looked at, the newest first.
const MOST: usize = 1000;
/// How many archives are looked at, the newest first: each is fetched as a whole.
const ARCHIVES: usize = 20;

/// How near a copy is to a version of upstream's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Nearness {
    /// The files of both that are the same.
    pub same: usize,
    /// The files of both that differ.
    pub changed: usize,
    /// The lines that differ in them, and those of text files that only one has.
    pub lines: usize,
    /// The files that only upstream has.
    pub missing: usize,
    /// The files that only the copy has.
    pub added: usize,
}

/// The version of a copy that nobody names: the one whose files are nearest to those of the copy;
/// of equal ones the newest.
pub(super) fn nearest(
    remotes: &Remotes<'_>,
    origin: &Origin,
    refs: &Refs,
    here: &Snapshot,
    choice: Choice,
) -> Result<Option<Version>, Error> {
    let is_archive = is_archive(&origin.repository);
    // a chart says its version, unless that was changed here
    let said = chart_version(here).filter(|_| is_archive);
    let said = said.and_then(|name| refs.resolve(&name, &origin.directory));
    if said.is_some() {
        return Ok(said);
    }
    let versions = tagged_versions(origin, refs, choice);
    if versions.is_empty() {
        return Ok(refs.first(&origin.directory, choice));
    }
    if !is_archive {
        return nearest_by_files(remotes, origin, versions, here);
    }
    let newest = versions.into_iter().take(ARCHIVES);
    let newest = newest.map(|version| remotes.fixed(origin, version));
    let newest: Vec<Version> = newest.collect::<Result<_, _>>()?;
    nearest_by_lines(remotes, origin, newest.iter(), here)
}

/// Of versions in git: by the hashes of their files, and of the best ones by their lines.
fn nearest_by_files(
    remotes: &Remotes<'_>,
    origin: &Origin,
    versions: Vec<Version>,
    here: &Snapshot,
) -> Result<Option<Version>, Error> {
    let trees = remotes.trees(origin, &versions)?;
    let hashes = remotes.hashes(origin, here)?;
    let mut seen = BTreeSet::new();
    // of versions that have the same files, the newest
    let mut best: Vec<(usize, &Version)> = Vec::new();
    for (files, version) in trees.iter().zip(&versions) {
        if !files.is_empty() && seen.insert(files) {
            best.push((distance(files, &hashes), version));
        }
    }
    best.sort_by_key(|(distance, _)| *distance);
    best.truncate(COMPARED);
    let best: Vec<&Version> = best.into_iter().map(|(_, version)| version).collect();
    let wanted: Vec<(&Origin, &Version)> = best.iter().map(|it| (origin, *it)).collect();
    remotes.fetch(&wanted, "adopt");
    nearest_by_lines(remotes, origin, best.into_iter(), here)
}

/// The version whose lines are nearest to those of a copy; of equal ones the first.
fn nearest_by_lines<'v>(
    remotes: &Remotes<'_>,
    origin: &Origin,
    versions: impl Iterator<Item = &'v Version>,
    here: &Snapshot,
) -> Result<Option<Version>, Error> {
    let mut near = Vec::new();
    for version in versions {
        let fetched = remotes.snapshot(origin, version)?;
        let far = nearness(here, &fetched.snapshot);
        near.push((far.lines, far.changed + far.missing, version));
    }
    let nearest = near
        .into_iter()
        .min_by_key(|(lines, files, _)| (*lines, *files));
    Ok(nearest.map(|(_, _, version)| version.clone()))
}

/// The version that a copy's `Chart.yaml` says.
fn chart_version(here: &Snapshot) -> Option<String> {
    let chart = std::str::from_utf8(here.file("Chart.yaml")?).ok()?;
    get(chart, &["version"])
}

/// The tags that name a version of the package, the newest first.
pub(super) fn tagged_versions(origin: &Origin, refs: &Refs, choice: Choice) -> Vec<Version> {
    let tags = refs.tags().filter_map(Tag::parse);
    let tags = tags.filter(|tag| choice.pre_releases || tag.version.pre.is_empty());
    let mut tags: Vec<Tag<'_>> = tags.collect();
    let has = |prefix: &String| tags.iter().any(|tag| tag.prefix == prefix);
    if let Some(own) = prefixes(&origin.directory).into_iter().find(has) {
        tags.retain(|tag| tag.prefix == own);
    }
    tags.sort_by(|left, right| right.version.cmp(&left.version));
    let versions = tags.iter().take(MOST);
    versions
        .filter_map(|tag| refs.resolve(&format!("refs/tags/{}", tag.name), ""))
        .collect()
}

/// How many files of two packages are not the same.
fn distance(left: &BTreeMap<PathBuf, String>, right: &HashMap<PathBuf, String>) -> usize {
    let same = left
        .iter()
        .filter(|(path, hash)| right.get(*path) == Some(hash));
    left.len() + right.len() - 2 * same.count()
}

/// Compares a copy with a version of upstream's.
pub(super) fn nearness(here: &Snapshot, upstream: &Snapshot) -> Nearness {
    let paths: BTreeSet<&PathBuf> = here.entries.keys().chain(upstream.entries.keys()).collect();
    let mut told = Nearness::default();
    for path in paths {
        match (here.file(path), upstream.file(path)) {
            (Some(left), Some(right)) if left == right => told.same += 1,
            (Some(left), Some(right)) => {
                told.changed += 1;
                told.lines += lines(left, right);
            }
            (None, Some(right)) => {
                told.missing += 1;
                told.lines += lines(&[], right);
            }
            (Some(_), None) => told.added += 1,
            (None, None) => {}
        }
    }
    told
}

/// How many lines two files do not have in common.
fn lines(left: &[u8], right: &[u8]) -> usize {
    let [left, right] = [left, right].map(|text| {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.collect::<Vec<&[u8]>>()
    });
    let differences = differences_of_lines(&left, &right);
    let lengths = differences
        .changed()
        .map(|part| part.old.len() + part.new.len());
    lengths.sum()
}
