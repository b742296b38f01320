//! The repositories that the packages of a run are in: locked, fit for commits.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::batch::{Commits, Host};
use super::find::Member;
use super::package_upgrade::UpgradeOptions;
use super::worktree;
use crate::error::Error;
use crate::package::{self, Access};

/// Locks the repositories that the packages are in: a run that commits is alone there, for what it
/// has written and not committed yet is what a run that was killed leaves.
pub(super) fn lock_all(
    families: &[Vec<Member>],
    commits: &Commits,
    host: &dyn Host,
) -> Result<Vec<package::Lock>, Error> {
    let access = match commits.commit {
        true => Access::Write,
        false => Access::Read,
    };
    let packages = families.iter().flatten();
    let whole = packages.filter_map(|found| found.path.canonicalize().ok());
    let folders = whole.filter_map(|path| package::git_folder(&path));
    // one order for all, so that no two runs wait for each other
    let folders: BTreeMap<PathBuf, PathBuf> = folders.map(|(top, git)| (git, top)).collect();
    let lock = |(git, top): (&PathBuf, &PathBuf)| {
        let locked = package::lock(git, access, || host.waiting(top));
        locked.map_err(|_| Error::Busy { path: top.clone() })
    };
    folders.iter().map(lock).collect()
}

/// The repositories that the packages are in, each fit for commits where there are to be such.
pub(super) fn tops(
    packages: impl Iterator<Item = PathBuf>,
    options: &UpgradeOptions,
    commits: &Commits,
) -> Result<HashMap<PathBuf, PathBuf>, Error> {
    let mut tops = HashMap::new();
    if options.dry_run || (!commits.commit && commits.branch.is_none()) {
        return Ok(tops);
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    for package in packages {
        let Some(top) = worktree::top(&package)? else {
            return Err(Error::package(
                &package,
                "it is in no git repository, so that nothing can be committed",
                "run `git init` there, or leave --branch and --commit out",
            ));
        };
        if !seen.contains(&top) {
            worktree::refuse_uncommittable(&top)?;
            seen.push(top.clone());
        }
        tops.insert(package, top);
    }
    Ok(tops)
}
