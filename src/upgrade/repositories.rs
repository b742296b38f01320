//! Locks the local repositories that contain the packages of a run, and checks that commits can be
//! made in them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::find::FoundPackage;
use super::worktree;
use crate::error::Error;
use crate::package::{self, Access};

/// Locks the repositories that contain the packages. A run that commits needs the only lock: other
/// runs would take what it has not committed yet for the remains of a killed run.
pub(super) fn lock_all(
    groups: &[Vec<FoundPackage>],
    access: Access,
    waiting: &dyn Fn(&Path),
) -> Result<Vec<package::Lock>, Error> {
    let packages = groups.iter().flatten();
    let paths = packages.filter_map(|found| found.path.canonicalize().ok());
    let folders = paths.filter_map(|path| package::git_folder(&path));
    // all runs lock in the same order, so that no two wait for each other
    let folders: BTreeMap<PathBuf, PathBuf> = folders.map(|(top, git)| (git, top)).collect();
    let lock = |(git, top): (&PathBuf, &PathBuf)| {
        let locked = package::lock(git, access, || waiting(top));
        locked.map_err(|_| Error::Busy { path: top.clone() })
    };
    folders.iter().map(lock).collect()
}

/// Returns the top of the repository for each package, after checking that commits can be made
/// there.
///
/// # Errors
/// If a package is in no repository, or its repository cannot take commits.
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
