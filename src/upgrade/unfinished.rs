//! Handles packages at which an earlier run did not finish: undoes its changes, or refuses the
//! package.

use std::path::Path;

use super::package_upgrade::UpgradeOptions;
use super::{commit, worktree};
use crate::error::{Error, shown};
use crate::package::{self, RealDisk, RunProgress};

/// Undoes the changes that an unfinished run left in a package without a commit, so that this run
/// makes, reports and commits the upgrade again. Returns whether a run had left anything.
///
/// # Errors
/// As for [`package::undo`], and if a file was changed since without a commit.
pub(super) fn undo_unfinished(package: &Path, options: &UpgradeOptions) -> Result<bool, Error> {
    let Some(progressed) = package::progress_at(package)? else {
        return Ok(false);
    };
    let is_clean = || worktree::refuse_uncommitted(package).is_ok();
    match progressed {
        RunProgress::Partly => package::undo(package)?,
        RunProgress::TakenBack => package::forget(&RealDisk, package)?,
        // the user has committed the changes
        _ if is_clean() => package::forget(&RealDisk, package)?,
        RunProgress::Wholly(files) => {
            commit::unstage(package, &files)?;
            match is_clean() {
                // the changes are committed, only the index lacked them
                true => package::forget(&RealDisk, package)?,
                false => package::undo(package)?,
            }
        }
        RunProgress::Changed(_) if options.allow_dirty => package::forget(&RealDisk, package)?,
        RunProgress::Changed(path) => {
            return Err(uncommitted(
                package,
                &format!(", and {} was changed since", shown(&path)),
                "commit it by hand, or take it back with git, and run again",
            ));
        }
    }
    Ok(true)
}

/// Refuses a package at which a run did not finish. For runs that write nothing.
///
/// # Errors
/// If a run left changes there that are not committed.
pub(super) fn refuse_unfinished(package: &Path) -> Result<(), Error> {
    let help = "nothing was written; run `merge3 upgrade` to finish it";
    match package::progress_at(package)? {
        None | Some(RunProgress::TakenBack) => Ok(()),
        Some(RunProgress::Partly) => Err(Error::package(
            package,
            "an earlier run that changes it did not finish",
            help,
        )),
        Some(_) if worktree::refuse_uncommitted(package).is_ok() => Ok(()),
        Some(_) => Err(uncommitted(package, "", help)),
    }
}

fn uncommitted(package: &Path, details: &str, help: &str) -> Error {
    Error::package(
        package,
        format!("an earlier run upgraded it, and that is not committed{details}"),
        help,
    )
}
