//! Compares a copy of a package with upstream's versions, and finds the most similar one.

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
use crate::report::many;

/// How many versions, those with the most equal files, are compared line by line.
const COMPARED_BY_LINES: usize = 5;
/// How many versions are compared, the newest first.
const MAX_VERSIONS: usize = 1000;
/// How many archives are compared, the newest first. Each is fetched as a whole.
const MAX_ARCHIVES: usize = 20;

/// The comparison of a copy with an upstream version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Comparison {
    /// The number of files that are equal.
    pub same: usize,
    /// The number of files that both have and that differ.
    pub changed: usize,
    /// The number of lines that differ in these, and of the lines of files that only upstream has.
    pub lines: usize,
    /// The number of files that only upstream has.
    pub missing: usize,
    /// The number of files that only the copy has.
    pub added: usize,
}

impl Comparison {
    /// Returns the numbers in words.
    pub(super) fn in_words(&self) -> String {
        let all = many(self.same + self.changed + self.missing, "file");
        let counts = [
            (self.changed, "changed"),
            (self.missing, "missing"),
            (self.added, "only here"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts = counts.map(|(count, what)| format!(", {count} {what}"));
        let counts: String = counts.collect();
        let lines = (self.lines > 0).then(|| format!(", {} apart", many(self.lines, "line")));
        let lines = lines.unwrap_or_default();
        format!("{} of {all} the same{counts}{lines}", self.same)
    }
}

/// Returns the version whose files are most similar to those of the copy; the newest one of equally
/// similar versions.
pub(super) fn nearest(
    remotes: &Remotes<'_>,
    origin: &Origin,
    refs: &Refs,
    copy: &Snapshot,
    choice: Choice,
) -> Result<Option<Version>, Error> {
    let is_archive = is_archive(&origin.repository);
    // a chart names its version, and the name is taken if upstream has that version
    let chart = copy.file("Chart.yaml").filter(|_| is_archive);
    let chart = chart.and_then(|chart| std::str::from_utf8(chart).ok());
    let named = chart.and_then(|chart| get(chart, &["version"]));
    let named = named.and_then(|name| refs.resolve(&name, &origin.directory));
    if named.is_some() {
        return Ok(named);
    }
    let versions = tagged_versions(origin, refs, choice);
    if versions.is_empty() {
        return Ok(refs.default_version(&origin.directory, choice));
    }
    if !is_archive {
        return nearest_by_files(remotes, origin, versions, copy);
    }
    let newest = versions.into_iter().take(MAX_ARCHIVES);
    let newest = newest.map(|version| remotes.with_digest(origin, version));
    let newest: Vec<Version> = newest.collect::<Result<_, _>>()?;
    nearest_by_lines(remotes, origin, newest.iter(), copy)
}

/// Returns the most similar version in git. All versions are compared by the hashes of their files,
/// and the best ones by their lines.
fn nearest_by_files(
    remotes: &Remotes<'_>,
    origin: &Origin,
    versions: Vec<Version>,
    copy: &Snapshot,
) -> Result<Option<Version>, Error> {
    let file_hashes = remotes.file_hashes(origin, &versions)?;
    let hashes = remotes.hashes_of_copy(origin, copy)?;
    let mut seen = BTreeSet::new();
    // of versions with the same files, only the newest counts
    let mut best: Vec<(usize, &Version)> = Vec::new();
    for (files, version) in file_hashes.iter().zip(&versions) {
        if !files.is_empty() && seen.insert(files) {
            best.push((distance(files, &hashes), version));
        }
    }
    best.sort_by_key(|(distance, _)| *distance);
    best.truncate(COMPARED_BY_LINES);
    let wanted: Vec<_> = best.iter().map(|(_, it)| (origin, *it)).collect();
    remotes.fetch(&wanted);
    nearest_by_lines(remotes, origin, best.iter().map(|(_, it)| *it), copy)
}

/// Returns the version with the fewest lines that differ from the copy's; the first one of equal
/// ones.
fn nearest_by_lines<'v>(
    remotes: &Remotes<'_>,
    origin: &Origin,
    versions: impl Iterator<Item = &'v Version>,
    copy: &Snapshot,
) -> Result<Option<Version>, Error> {
    let distances = versions.map(|version| {
        let found = compare(copy, &remotes.snapshot(origin, version)?.snapshot);
        Ok(((found.lines, found.changed + found.missing), version))
    });
    let distances: Vec<_> = distances.collect::<Result<_, Error>>()?;
    let closest = distances.into_iter().min_by_key(|(distance, _)| *distance);
    Ok(closest.map(|(_, version)| version.clone()))
}

/// Returns the tags that name versions of the package, the newest first.
pub(super) fn tagged_versions(origin: &Origin, refs: &Refs, choice: Choice) -> Vec<Version> {
    let tags = refs.tags().filter_map(Tag::parse);
    let mut tags: Vec<Tag<'_>> = tags.filter(|tag| choice.allows(tag, None)).collect();
    let is_used = |prefix: &String| tags.iter().any(|tag| tag.prefix == prefix);
    if let Some(prefix) = prefixes(&origin.directory).into_iter().find(is_used) {
        tags.retain(|tag| tag.prefix == prefix);
    }
    tags.sort_by(|left, right| right.version.cmp(&left.version));
    let versions = tags.iter().take(MAX_VERSIONS);
    versions
        .filter_map(|tag| refs.resolve(&format!("refs/tags/{}", tag.name), ""))
        .collect()
}

/// Returns the number of files of two packages that are not equal, counted on both sides.
fn distance(left: &BTreeMap<PathBuf, String>, right: &HashMap<PathBuf, String>) -> usize {
    let files = left.iter();
    let same = files.filter(|(path, hash)| right.get(*path) == Some(hash));
    left.len() + right.len() - 2 * same.count()
}

/// Compares a copy with an upstream version.
pub(super) fn compare(copy: &Snapshot, upstream: &Snapshot) -> Comparison {
    let paths: BTreeSet<&PathBuf> = copy.entries.keys().chain(upstream.entries.keys()).collect();
    let mut comparison = Comparison::default();
    for path in paths {
        let ours = copy.file(path);
        let Some(theirs) = upstream.file(path) else {
            comparison.added += usize::from(ours.is_some());
            continue;
        };
        let count = match ours {
            Some(ours) if ours == theirs => &mut comparison.same,
            Some(_) => &mut comparison.changed,
            None => &mut comparison.missing,
        };
        *count += 1;
        comparison.lines += differing_lines(ours.unwrap_or_default(), theirs);
    }
    comparison
}

/// Returns the number of lines that two files do not have in common.
fn differing_lines(left: &[u8], right: &[u8]) -> usize {
    let [left, right] = [left, right].map(|text| {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.collect::<Vec<&[u8]>>()
    });
    let differences = differences_of_lines(&left, &right);
    let changed = differences.changed();
    changed.map(|part| part.old.len() + part.new.len()).sum()
}
