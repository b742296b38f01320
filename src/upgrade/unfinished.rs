//! Runs that did not finish: what they left at a package is taken back, or the package is refused.

use std::path::Path;

use super::package_upgrade::UpgradeOptions;
use super::{commit, worktree};
use crate::error::{Error, shown};
use crate::package::{self, Progressed, RealDisk};

/// Sees to what a run left at a package that did not come to its end: it is taken back, and so the
/// upgrade is made, told of and committed anew. Whether anything was there.
///
/// # Errors
/// As for [`package::undo`], and where somebody changed what it wrote and did not commit.
pub(super) fn resumed(package: &Path, options: &UpgradeOptions) -> Result<bool, Error> {
    let Some(progressed) = package::progress_at(package)? else {
        return Ok(false);
    };
    let is_clean = || worktree::refuse_uncommitted(package).is_ok();
    match progressed {
        Progressed::Partly => package::undo(package)?,
        Progressed::TakenBack => package::forget(&RealDisk, package)?,
        // somebody has committed it
        _ if is_clean() => package::forget(&RealDisk, package)?,
        Progressed::Wholly(files) => {
            commit::unstage(package, &files)?;
            match is_clean() {
                // it was committed, and only the index did not have it
                true => package::forget(&RealDisk, package)?,
                false => package::undo(package)?,
            }
        }
        Progressed::Changed(_) if options.allow_dirty => package::forget(&RealDisk, package)?,
        Progressed::Changed(path) => {
            return Err(uncommitted(
                package,
                &format!(", and {} was changed since", shown(&path)),
                "commit it by hand, or take it back with git, and run again",
            ));
        }
    }
    Ok(true)
}

/// Refuses a package at which a run did not come to its end, for those that only look.
///
/// # Errors
/// Where that is so.
pub(super) fn refuse_unfinished(package: &Path) -> Result<(), Error> {
    let help = "nothing was written; run `merge3 upgrade` to finish it";
    match package::progress_at(package)? {
        None | Some(Progressed::TakenBack) => Ok(()),
        Some(Progressed::Partly) => Err(Error::package(
            package,
            "a run that was to change it did not come to its end",
            help,
        )),
        Some(_) if worktree::refuse_uncommitted(package).is_ok() => Ok(()),
        Some(_) => Err(uncommitted(package, "", help)),
    }
}

fn uncommitted(package: &Path, more: &str, help: &str) -> Error {
    Error::package(
        package,
        format!("an earlier run upgraded it, and that is not committed{more}"),
        help,
    )
}
