//! The repositories that the packages of a run are in: locks them, and checks that they can take
//! commits.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::find::Member;
use super::worktree;
use crate::error::Error;
use crate::package::{self, Access};

/// Locks the repositories that the packages are in: a run that commits is alone there, for what it
/// has written and not committed yet is what a run that was killed leaves.
pub(super) fn lock_all(
    families: &[Vec<Member>],
    access: Access,
    waiting: &dyn Fn(&Path),
) -> Result<Vec<package::Lock>, Error> {
    let packages = families.iter().flatten();
    let whole = packages.filter_map(|found| found.path.canonicalize().ok());
    let folders = whole.filter_map(|path| package::git_folder(&path));
    // one order for all, so that no two runs wait for each other
    let folders: BTreeMap<PathBuf, PathBuf> = folders.map(|(top, git)| (git, top)).collect();
    let lock = |(git, top): (&PathBuf, &PathBuf)| {
        let locked = package::lock(git, access, || waiting(top));
        locked.map_err(|_| Error::Busy { path: top.clone() })
    };
    folders.iter().map(lock).collect()
}

/// The repositories that the packages are in, each fit for commits.
pub(super) fn tops(
    packages: impl Iterator<Item = PathBuf>,
) -> Result<HashMap<PathBuf, PathBuf>, Error> {
    let mut tops = HashMap::new();
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
