//! The packages below a folder, and a machine's share of them.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::nested_package::refuse_foreign;
use super::record::{self, KPTFILE, RULES_FILE, Record};
use super::worktree;
use crate::error::Error;
use crate::package::{or_here, read_own, sha256};
use crate::report;

/// Which packages are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Packages {
    /// These folders.
    Named(Vec<PathBuf>),
    /// All below here, or a share of them.
    Below(Option<Shard>),
}

/// A share of the packages: the `index`th of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    count: NonZeroU64,
}

/// A package that has a record, or one that cannot be read.
#[derive(Debug)]
pub(super) struct FoundPackage {
    /// The package's folder, as it was reached.
    pub path: PathBuf,
    /// Its record.
    pub record: Result<Record, Error>,
    /// Why it is not to be upgraded as it is here: something is not committed.
    pub(super) uncommitted: Option<Error>,
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
    /// The `index`th share of `count`, from 1. `None` if there is no such share.
    pub(crate) fn new(index: u64, count: u64) -> Option<Self> {
        let count = NonZeroU64::new(count)?;
        (1..=count.get())
            .contains(&index)
            .then_some(Self { index, count })
    }

    /// Whether a package is in this share: by SHA-256 of its path, whatever other packages there
    /// are.
    pub(crate) fn has(&self, path: &str) -> bool {
        let digits = &sha256(path.as_bytes())[..16];
        let number = u64::from_str_radix(digits, 16).unwrap_or(0);
        number % self.count == self.index - 1
    }
}

impl Packages {
    /// What is said where there are none.
    pub(crate) fn none(&self) -> &'static str {
        match self {
            Self::Below(Some(_)) => "no packages in this share",
            _ => {
                "no packages here: vendor one with `merge3 get`, or \
                 record where a copy comes from with `merge3 adopt`"
            }
        }
    }
}

/// The packages that are meant, each with those that are in it: these are done one after the other.
///
/// # Errors
/// Where a folder cannot be read, or a folder that was named has no record.
pub(super) fn groups(
    packages: &Packages,
    allowed: &[String],
) -> Result<Vec<Vec<FoundPackage>>, Error> {
    match packages {
        Packages::Below(shard) => below(*shard, allowed),
        Packages::Named(folders) => {
            let alone = |folder: &PathBuf| Ok(vec![named(folder, allowed)?]);
            folders.iter().map(alone).collect()
        }
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

/// A package's record; `None` if it has none.
///
/// # Errors
/// Where it cannot be read, or the package is in another one and may not come from where it says.
pub(super) fn record_of(package: &Path, allowed: &[String]) -> Result<Option<Record>, Error> {
    let record = record::read(package)?;
    if let Some(record) = &record {
        refuse_foreign(package, record, allowed)?;
    }
    Ok(record)
}

pub(super) fn no_record(package: &Path) -> Error {
    Error::package(
        package,
        "it does not say where it comes from",
        "neither its Kptfile nor its .merge3.yaml has `upstream` and `upstreamLock`: \
         vendor it with `merge3 get`, or record where it comes from with `merge3 adopt`",
    )
}

/// The packages here and below that say where they come from, by path, without those of other
/// shares.
fn below(shard: Option<Shard>, allowed: &[String]) -> Result<Vec<Vec<FoundPackage>>, Error> {
    let here = Path::new(".");
    let mut groups: Vec<Vec<FoundPackage>> = Vec::new();
    let walk = WalkDir::new(here)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let entry = entry.map_err(Error::walking(here))?;
        if !entry.file_type().is_dir() || !may_be_package(entry.path()) {
            continue;
        }
        let path = or_here(entry.path().strip_prefix(here).unwrap_or(entry.path()));
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
        let top = worktree::top(here)?.unwrap_or_else(|| here.to_owned());
        groups.retain(|group| shard.has(&name_in(&top, &group[0].path)));
    }
    Ok(groups)
}

/// A package's path in the repository, so that it is the same on every machine and from every
/// folder in it.
fn name_in(top: &Path, package: &Path) -> String {
    report::portable(&worktree::path_in(top, package))
}

/// Whether a folder has a file that speaks of upstream at all.
fn may_be_package(folder: &Path) -> bool {
    [KPTFILE, RULES_FILE].iter().any(|name| {
        let bytes = read_own(&folder.join(name)).unwrap_or_default();
        // where the field is misspelled, that is said
        let words = [&b"upstream"[..], b"repo:"];
        let has = |word| memchr::memmem::find(&bytes, word).is_some();
        words.into_iter().any(has)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_in_one_share() {
        let shares: Vec<Shard> = (1..=3).filter_map(|index| Shard::new(index, 3)).collect();
        let own = shares.iter().filter(|share| share.has("apps/grafana"));
        assert_eq!((shares.len(), own.count()), (3, 1));
        assert_eq!(Shard::new(0, 3), None);
        assert_eq!(Shard::new(4, 3), None);
    }
}
