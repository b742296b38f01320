//! The repository that a package is in: what is not committed there, and whether commits can be
//! made.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::git_process::{Git, reason, top_of};
use crate::package::or_here;

/// The top of the repository that a folder is in; `None` if it is in none.
pub(super) fn top(folder: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(start) = top_of(folder) else {
        return Ok(None);
    };
    let top = Git::at(&start)
        .args(["rev-parse", "--show-toplevel"])
        .stdout_text()?;
    Ok(top.filter(|top| !top.is_empty()).map(PathBuf::from))
}

/// A folder, as a path from `top`.
pub(super) fn path_in(top: &Path, folder: &Path) -> PathBuf {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = whole(folder);
    folder
        .strip_prefix(whole(top))
        .unwrap_or(&folder)
        .to_owned()
}

/// Refuses a package in which something is not committed.
///
/// # Errors
/// Where that is so. A folder that is in no repository is as it is.
pub(super) fn refuse_uncommitted(package: &Path) -> Result<(), Error> {
    let Some(top) = top(package)? else {
        return Ok(());
    };
    let printed = Git::at(&top)
        .args(["status", "--porcelain", "-z", "--untracked-files=all", "--"])
        .arg(or_here(&path_in(&top, package)))
        .stdout()?;
    let printed = printed.map_err(|reason| {
        let message = format!("git cannot tell what is committed: {reason}");
        Error::package(package, message, "see what `git status` says there")
    })?;
    let told = String::from_utf8_lossy(&printed);
    let Some(first) = told.split('\0').find(|line| line.len() > 3) else {
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

/// Sees that a commit can be made.
///
/// # Errors
/// Where it could not.
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
        let known = Git::at(top).args(["var", identity]).stdout()?;
        known.map_err(|reason| {
            let message = format!("git does not know who commits: {reason}");
            Error::package(top, message, "set user.name and user.email")
        })?;
    }
    Ok(())
}

/// Tries something again as long as another process is at the repository.
pub(super) fn patiently(
    patience: Duration,
    attempt: impl Fn() -> Result<Tried, Error>,
) -> Result<Tried, Error> {
    let start = Instant::now();
    loop {
        match attempt()? {
            Tried::Refused(output) if is_busy(&output) && start.elapsed() < patience => {
                std::thread::sleep(PAUSE);
            }
            tried => return Ok(tried),
        }
    }
}

/// What to do where the repository stays locked.
pub(super) const LOCKED: &str =
    "wait for the other git process and run again; if there is none, delete the lock file first";
/// How long another process that is at a repository is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);
/// What is said of an index that went back each time.
pub(super) const LOST: &str = "another process takes files of it out of the index";
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// What came of something that another process may keep from being done.
pub(super) enum Tried {
    Done(Option<String>),
    Refused(Output),
}

impl Tried {
    pub(super) fn of(output: Output) -> Self {
        match output.status.success() {
            true => Self::Done(None),
            false => Self::Refused(output),
        }
    }
}

/// The line in which git says that another process was at the repository, if one was.
fn busy(output: &Output) -> Option<String> {
    let told = String::from_utf8_lossy(&output.stderr);
    // the index, HEAD or a branch is locked, or the branch has moved
    let signs = [".lock': File exists", "cannot lock ref", "but expected "];
    let is_sign = |line: &&str| signs.iter().any(|sign| line.contains(sign));
    let locked = told.lines().find(is_sign).map(str::to_owned);
    let is_lost = told.contains("did not match any file(s) known to git");
    locked.or_else(|| is_lost.then(|| LOST.to_owned()))
}

pub(super) fn is_busy(output: &Output) -> bool {
    busy(output).is_some()
}

/// Why git refused.
pub(super) fn why(output: &Output) -> String {
    busy(output).unwrap_or_else(|| reason(output))
}
