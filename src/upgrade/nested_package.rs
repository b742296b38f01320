//! Checks nested packages (packages in another package): where one may be fetched from, and whether
//! the outer package merges it. Upstream of the outer package may have written the record of a
//! nested one, so the record is not trusted.

use std::collections::HashSet;
use std::path::Path;

use super::address::Origin;
use super::host::{authority, host_in};
use super::record::{self, KPTFILE, RULES_FILE, Record, SECTIONS};
use crate::error::Error;
use crate::git_process::top_of;
use crate::package::read_own;
use crate::yaml::{Tree, equal};

/// Refuses a nested package whose repository is neither the one of an outer package nor in
/// `allowed`. A package that is not nested is accepted.
///
/// # Errors
/// If the repository is not allowed.
pub(super) fn refuse_foreign(
    package: &Path,
    record: &Record,
    allowed: &[String],
) -> Result<(), Error> {
    let mut trusted = HashSet::new();
    for (at, outer) in outer_packages(package).into_iter().rev().enumerate() {
        // a record that cannot be read adds no repository, but makes the set non-empty: the package
        // is nested
        let Some(outer) = outer else {
            trusted.insert(String::new());
            continue;
        };
        // the outermost record is trusted, an inner one only if its repository is allowed itself
        if at == 0 || foreign_origin(&outer, &trusted, allowed).is_none() {
            let origins = [&outer.origin, &outer.lock.origin];
            trusted.extend(origins.map(|it| without_suffix(&it.repository).to_owned()));
        }
    }
    let is_nested = !trusted.is_empty();
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
    trusted: &HashSet<String>,
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
