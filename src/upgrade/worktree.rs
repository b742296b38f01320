//! The local repository that contains a package: finds its top, checks for uncommitted changes and
//! whether commits can be made, and retries calls while another process has locked it.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::git_process::{Git, reason, top_of};
use crate::package::or_here;

/// Returns the top of the repository that contains a folder; `None` if there is none.
pub(super) fn top(folder: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(start) = top_of(folder) else {
        return Ok(None);
    };
    let top = Git::at(&start)
        .args(["rev-parse", "--show-toplevel"])
        .stdout_text()?;
    Ok(top.filter(|top| !top.is_empty()).map(PathBuf::from))
}

/// Returns the path of a folder relative to `top`.
pub(super) fn path_in(top: &Path, folder: &Path) -> PathBuf {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = canonical(folder);
    folder
        .strip_prefix(canonical(top))
        .unwrap_or(&folder)
        .to_owned()
}

/// Refuses a package with uncommitted changes. A package outside of a repository is accepted.
///
/// # Errors
/// If a file in the package is changed or untracked.
pub(super) fn refuse_uncommitted(package: &Path) -> Result<(), Error> {
    let Some(top) = top(package)? else {
        return Ok(());
    };
    let status = Git::at(&top)
        .args(["status", "--porcelain", "-z", "--untracked-files=all", "--"])
        .arg(or_here(&path_in(&top, package)))
        .stdout()?;
    let status = status.map_err(|reason| {
        let message = format!("git cannot tell what is committed: {reason}");
        Error::package(package, message, "see what `git status` says there")
    })?;
    let status = String::from_utf8_lossy(&status);
    // each entry is a status of two letters, a space and a path
    let Some(first) = status.split('\0').find(|entry| entry.len() > 3) else {
        return Ok(());
    };
    Err(Error::package(
        package,
        format!(
            "it has changes that are not committed ({})",
            first[3..].escape_debug()
        ),
        "commit or stash them, so that the upgrade can be told from \
         them and taken back; --allow-dirty merges all the same",
    ))
}

/// Refuses a repository in which commits cannot be made.
///
/// # Errors
/// If a merge, cherry-pick or revert is in progress, or git does not know the user's name.
pub(super) fn refuse_uncommittable(top: &Path) -> Result<(), Error> {
    for state in ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"] {
        let found = Git::at(top)
            .args(["rev-parse", "-q", "--verify", state])
            .stdout_text()?;
        if found.is_some() {
            return Err(Error::package(
                top,
                format!("a merge is going on there ({state})"),
                "finish it first",
            ));
        }
    }
    for identity in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        let found = Git::at(top).args(["var", identity]).stdout()?;
        found.map_err(|reason| {
            let message = format!("git does not know who commits: {reason}");
            Error::package(top, message, "set user.name and user.email")
        })?;
    }
    Ok(())
}

/// Why git failed.
pub(super) struct Failure {
    pub(super) reason: String,
    /// Whether it failed because of another process in the repository.
    pub(super) is_locked: bool,
}

/// The result of calls of git, or why git failed.
pub(super) type Attempt<T> = Result<Result<T, Failure>, Error>;

/// Returns an error if git failed.
pub(super) fn succeeded(output: &Output) -> Result<(), Failure> {
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    // the index, HEAD or a branch is locked, or the branch has moved
    let signs = [".lock': File exists", "cannot lock ref", "but expected "];
    let is_sign = |line: &&str| signs.iter().any(|sign| line.contains(sign));
    let locked = stderr.lines().find(is_sign);
    let is_overwritten = stderr.contains("did not match any file(s) known to git");
    let locked = locked.or(is_overwritten.then_some(INDEX_OVERWRITTEN));
    Err(Failure {
        reason: locked.map_or_else(|| reason(output), str::to_owned),
        is_locked: locked.is_some(),
    })
}

/// Repeats an attempt as long as another process has locked the repository, until the timeout.
pub(super) fn retry_while_locked<T>(
    timeout: Duration,
    attempt: impl Fn() -> Attempt<T>,
) -> Attempt<T> {
    let start = Instant::now();
    loop {
        match attempt()? {
            Err(failure) if failure.is_locked && start.elapsed() < timeout => {
                std::thread::sleep(PAUSE);
            }
            result => return Ok(result),
        }
    }
}

/// The advice for a repository that stays locked.
pub(super) const LOCKED_HELP: &str =
    "wait for the other git process and run again; if there is none, delete the lock file first";
/// How long to wait for another process that has locked a repository.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(15);
/// The error for an index that another process overwrites each time.
pub(super) const INDEX_OVERWRITTEN: &str = "another process takes files of it out of the index";
/// The pause between two attempts.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
