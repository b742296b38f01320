//! Finds packages: those below a folder, a share of these, or the named ones. Checks nested
//! packages (packages in another package): where one may be fetched from, and whether the outer
//! package merges it. Upstream of the outer package may have written the record of a nested one, so
//! the record is not trusted.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::address::Origin;
use super::host::{authority, host_in};
use super::package_upgrade::UpgradeOptions;
use super::record::{self, KPTFILE, RULES_FILE, Record, SECTIONS};
use super::worktree;
use crate::error::Error;
use crate::git_process::top_of;
use crate::package::{is_reserved, or_here, read_own, sha256};
use crate::report;
use crate::yaml::{Tree, equal};

/// A share of the packages: number `index` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    count: u64,
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
        // then the count is not 0
        let is_share = (1..=count).contains(&index);
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
        // a `get` that was stopped may leave a temporary folder
        .filter_entry(|entry| entry.file_name() != ".git" && !is_reserved(entry.path()));
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

/// Refuses a nested package whose repository is neither the one of an outer package nor in
/// `allowed`. A package that is not nested is accepted.
///
/// # Errors
/// If the repository is not allowed.
fn refuse_foreign(package: &Path, record: &Record, allowed: &[String]) -> Result<(), Error> {
    let outer_packages = outer_packages(package);
    let mut trusted = HashSet::new();
    for (at, outer) in outer_packages.iter().rev().enumerate() {
        // the outermost record is trusted, an inner one only if its repository is allowed itself
        if let Some(outer) = outer
            && (at == 0 || foreign_origin(outer, &trusted, allowed).is_none())
        {
            let origins = [&outer.origin, &outer.lock.origin];
            trusted.extend(origins.map(|it| without_suffix(&it.repository)));
        }
    }
    let is_nested = !outer_packages.is_empty();
    match foreign_origin(record, &trusted, allowed).filter(|_| is_nested) {
        None => Ok(()),
        Some(origin) => Err(Error::package(
            package,
            format!(
                "it is in another package, and says that it comes \
                 from {}, which is not that package's repository",
                origin.shown()
            ),
            format!(
                "where you trust it, allow it with --allow-upstream {}",
                host(&origin.repository).map_or_else(|| origin.shown(), str::to_owned)
            ),
        )),
    }
}

/// Returns the records of the packages that contain a package, the innermost first; `None` stands
/// for a record that cannot be read.
fn outer_packages(package: &Path) -> Vec<Option<Record>> {
    let Ok(folder) = package.canonicalize() else {
        return Vec::new();
    };
    let top = top_of(&folder);
    let is_inside = |folder: &&Path| top.as_ref().is_none_or(|top| folder.starts_with(top));
    let outer = folder.ancestors().skip(1).take_while(is_inside);
    let records = outer.filter_map(|folder| record::read(folder).transpose());
    records.map(Result::ok).collect()
}

/// Returns the first origin of a record whose repository is neither trusted nor allowed.
fn foreign_origin<'r>(
    record: &'r Record,
    trusted: &HashSet<&str>,
    allowed: &[String],
) -> Option<&'r Origin> {
    let is_allowed = |origin: &Origin| {
        let repository = origin.repository.as_str();
        trusted.contains(without_suffix(repository))
            || allowed.iter().any(|name| {
                without_suffix(name) == without_suffix(repository)
                    || host(repository).is_some_and(|host| host.eq_ignore_ascii_case(name))
            })
    };
    let mut origins = [&record.origin, &record.lock.origin].into_iter();
    origins.find(|origin| !is_allowed(origin))
}

fn without_suffix(repository: &str) -> &str {
    let repository = repository.trim_end_matches('/');
    repository.strip_suffix(".git").unwrap_or(repository)
}

/// Returns the host of an address; `None` for one on this machine.
fn host(repository: &str) -> Option<&str> {
    let host = host_in(match repository.contains("://") {
        true => authority(repository),
        false => repository.split_once(':')?.0,
    });
    (!host.is_empty() && !host.contains('/')).then_some(host)
}

/// Whether a nested package has a record that did not come from the outer package's upstream.
/// `original` is the nested package's Kptfile in the original of the outer package.
pub(super) fn has_own_record(folder: &Path, original: Option<&[u8]>) -> bool {
    let text = |name: &str| String::from_utf8(read_own(&folder.join(name)).ok()?).ok();
    // this file is never taken from upstream
    if text(RULES_FILE).is_some_and(|rules| !same_record(&rules, "")) {
        return true;
    }
    let original = original.and_then(|bytes| std::str::from_utf8(bytes).ok());
    text(KPTFILE).is_some_and(|local| {
        !same_record(&local, "") && !same_record(&local, original.unwrap_or_default())
    })
}

/// Whether two texts have equal records, or none. A text that is not YAML has none.
fn same_record(left: &str, right: &str) -> bool {
    let [left, right] = [left, right].map(|text| Tree::parse(text).ok().flatten());
    let section = |tree: &Option<Tree<'_>>, name: &str| tree.as_ref()?.at(&[name]);
    SECTIONS.iter().all(|name| {
        let nodes = (section(&left, name), section(&right, name));
        match (nodes, &left, &right) {
            ((None, None), ..) => true,
            ((Some(l), Some(r)), Some(left), Some(right)) => equal(left, l, right, r),
            _ => false,
        }
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

    #[test]
    fn finds_the_host_of_an_address() {
        assert_eq!(
            host("https://bot@example.org:8443/a.git"),
            Some("example.org")
        );
        assert_eq!(host("ssh://git@[::1]:22/a"), Some("::1"));
        assert_eq!(host("git@example.org:a/b.git"), Some("example.org"));
        assert_eq!(host("file:///a.git"), None);
        assert_eq!(host("/a/b.git"), None);
    }

    #[test]
    fn compares_records_by_value() {
        let block = "upstream:\n  git:\n    repo: a\n";
        assert!(same_record(block, "x: 1\nupstream: {git: {repo: 'a'}}\n"));
        assert!(!same_record(block, "upstream: {git: {repo: b}}\n"));
        assert!(!same_record(block, ""));
        assert!(same_record("a: 1\n", ""));
    }
}
