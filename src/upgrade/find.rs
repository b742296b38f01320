//! Finds packages: those below a folder, a share of these, or the named ones.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::nested_package::refuse_foreign;
use super::package_upgrade::UpgradeOptions;
use super::record::{self, KPTFILE, RULES_FILE, Record};
use super::worktree;
use crate::error::Error;
use crate::package::{or_here, read_own, sha256};
use crate::report;

/// A share of the packages: number `index` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    count: NonZeroU64,
}

/// A package, with its record or the error of reading it.
#[derive(Debug)]
pub(super) struct FoundPackage {
    /// The package's folder, relative to the current one or as the user named it.
    pub path: PathBuf,
    /// Its record.
    pub record: Result<Record, Error>,
    /// The error that keeps the package from an upgrade if it has uncommitted changes.
    pub(super) uncommitted: Option<Error>,
}

/// A package and what was found out about it or done with it.
#[derive(Debug)]
pub(crate) struct PackageOutcome<T> {
    pub(crate) package: PathBuf,
    /// The upgrade that was made or planned, or the newer version that was found. `None` if the
    /// package is at the requested version. A package with an error was not changed, unless the
    /// error says otherwise.
    pub(crate) newer: Result<Option<T>, Error>,
}

impl FoundPackage {
    fn new(path: &Path, record: Result<Record, Error>) -> Self {
        Self {
            path: path.to_owned(),
            record,
            uncommitted: None,
        }
    }
}

impl Shard {
    /// Returns share number `index` of `count`, from 1; `None` if there is no such share.
    pub(crate) fn new(index: u64, count: u64) -> Option<Self> {
        let count = NonZeroU64::new(count)?;
        let is_share = (1..=count.get()).contains(&index);
        is_share.then_some(Self { index, count })
    }

    /// Whether the package at a path is in this share. That depends only on the SHA-256 of the
    /// path, so that new packages do not move others to another share.
    pub(crate) fn has(&self, path: &str) -> bool {
        let digits = &sha256(path.as_bytes())[..16];
        let number = u64::from_str_radix(digits, 16).unwrap_or(0);
        number % self.count == self.index - 1
    }
}

/// Returns the packages, in groups of an outer package and those in it. The packages of a group are
/// upgraded one after the other.
///
/// # Errors
/// If a folder cannot be read, or a named folder does not exist.
pub(super) fn groups(options: &UpgradeOptions) -> Result<Vec<Vec<FoundPackage>>, Error> {
    let single = |folder: &PathBuf| Ok(vec![named(folder, &options.allowed)?]);
    match options.packages.as_slice() {
        [] => below(options.shard, &options.allowed),
        folders => folders.iter().map(single).collect(),
    }
}

fn named(folder: &Path, allowed: &[String]) -> Result<FoundPackage, Error> {
    if !folder.is_dir() {
        return Err(Error::package(
            folder,
            "there is no such folder",
            "name the folder of a package, or use --all for all packages below",
        ));
    }
    let record = record_of(folder, allowed);
    let record = record.and_then(|record| record.ok_or_else(|| no_record(folder)));
    Ok(FoundPackage::new(folder, record))
}

/// Returns a package's record; `None` if it has none.
///
/// # Errors
/// If it cannot be read, or the package is in another one and its origin is not allowed.
pub(super) fn record_of(package: &Path, allowed: &[String]) -> Result<Option<Record>, Error> {
    let record = record::read(package)?;
    if let Some(record) = &record {
        refuse_foreign(package, record, allowed)?;
    }
    Ok(record)
}

/// Returns the error for a package without a record.
pub(super) fn no_record(package: &Path) -> Error {
    Error::package(
        package,
        "it has no record of where it comes from",
        "neither its Kptfile nor its .merge3.yaml has `upstream` and `upstreamLock`: \
         vendor it with `merge3 get`, or record where it comes from with `merge3 adopt`",
    )
}

/// Returns the packages with a record in the current folder and below, sorted by path, without
/// those of other shares.
fn below(shard: Option<Shard>, allowed: &[String]) -> Result<Vec<Vec<FoundPackage>>, Error> {
    let start = Path::new(".");
    let mut groups: Vec<Vec<FoundPackage>> = Vec::new();
    let walk = WalkDir::new(start)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let entry = entry.map_err(Error::walking(start))?;
        if !entry.file_type().is_dir() || !may_be_package(entry.path()) {
            continue;
        }
        let path = or_here(entry.path().strip_prefix(start).unwrap_or(entry.path()));
        let Some(record) = record_of(path, allowed).transpose() else {
            continue;
        };
        let found = FoundPackage::new(path, record);
        match groups.last_mut() {
            Some(group) if path.starts_with(&group[0].path) => group.push(found),
            _ => groups.push(vec![found]),
        }
    }
    if let Some(shard) = shard {
        let top = worktree::top(start)?.unwrap_or_else(|| start.to_owned());
        // from the top, the path is the same on every machine and in every current folder
        let name = |package: &Path| report::portable(&worktree::path_in(&top, package));
        groups.retain(|group| shard.has(&name(&group[0].path)));
    }
    Ok(groups)
}

/// Whether a folder has a file that may contain a record.
fn may_be_package(folder: &Path) -> bool {
    [KPTFILE, RULES_FILE].iter().any(|name| {
        let bytes = read_own(&folder.join(name)).unwrap_or_default();
        // `repo:` finds a record whose `upstream` is misspelled, so that an error can be reported
        let contains = |word: &str| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
        contains("upstream") || contains("repo:")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_in_one_share() {
        let shares: Vec<Shard> = (1..=3).filter_map(|index| Shard::new(index, 3)).collect();
        let containing = shares.iter().filter(|share| share.has("apps/grafana"));
        assert_eq!((shares.len(), containing.count()), (3, 1));
        assert_eq!(Shard::new(0, 3), None);
        assert_eq!(Shard::new(4, 3), None);
    }
}
