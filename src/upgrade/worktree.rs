//! The repository that a package is in: what is not committed there, and commits of upgrades.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git::{Git, reason, top_of};
use crate::error::Error;

/// The top of the repository that a folder is in; none where it is in none.
pub(super) fn top(folder: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(start) = top_of(folder) else {
        return Ok(None);
    };
    let top = Git::at(&start)
        .args(["rev-parse", "--show-toplevel"])
        .ask()?;
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
    let within = match path_in(&top, package) {
        path if path.as_os_str().is_empty() => PathBuf::from("."),
        path => path,
    };
    let output = Git::at(&top)
        .args(["status", "--porcelain", "-z", "--untracked-files=all", "--"])
        .arg(within)
        .output()?;
    if !output.status.success() {
        return Err(Error::Package {
            path: package.to_owned(),
            message: format!("git cannot tell what is committed: {}", reason(&output)),
            help: "see what `git status` says there".to_owned(),
        });
    }
    let told = String::from_utf8_lossy(&output.stdout);
    let Some(first) = told.split('\0').find(|line| line.len() > 3) else {
        return Ok(());
    };
    Err(Error::Package {
        path: package.to_owned(),
        message: format!("it has changes that are not committed ({})", first[3..].escape_debug()),
        help: "commit or stash them, so that the upgrade can be told from them and taken back; --allow-dirty merges all the same".to_owned(),
    })
}

/// Sees that a commit can be made.
///
/// # Errors
/// Where it could not.
pub(super) fn refuse_uncommittable(top: &Path) -> Result<(), Error> {
    for state in ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"] {
        let found = Git::at(top)
            .args(["rev-parse", "-q", "--verify", state])
            .ask()?;
        if found.is_some() {
            return Err(refused(
                top,
                &format!("a merge is going on there ({state})"),
                "finish it first",
            ));
        }
    }
    for identity in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        let output = Git::at(top).args(["var", identity]).output()?;
        if !output.status.success() {
            let message = format!("git does not know who commits: {}", reason(&output));
            return Err(refused(top, &message, "set user.name and user.email"));
        }
    }
    Ok(())
}

/// Goes to a branch: a new one from here, or the one that is checked out already.
///
/// # Errors
/// Where it exists and is not the one here.
pub(super) fn go_to_branch(top: &Path, branch: &str) -> Result<(), Error> {
    let here = Git::at(top)
        .args(["symbolic-ref", "-q", "--short", "HEAD"])
        .ask()?;
    if here.as_deref() == Some(branch) {
        return Ok(());
    }
    let output = Git::at(top)
        .args(["checkout", "-q", "-b", branch, "--"])
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let message = format!("branch '{branch}' cannot be made: {}", reason(&output));
    Err(refused(
        top,
        &message,
        "check it out yourself, delete it, or name another one with --branch",
    ))
}

/// Commits some files, and nothing else; what else is staged stays so. Returns the new commit; none where nothing changed.
///
/// # Errors
/// Where git refuses.
pub(super) fn commit(
    top: &Path,
    files: &[PathBuf],
    message: &str,
) -> Result<Option<String>, Error> {
    let known = known(top, files)?;
    let exists = |path: &PathBuf| known.contains(path) || top.join(path).symlink_metadata().is_ok();
    let paths: Vec<&PathBuf> = files.iter().filter(|path| exists(path)).collect();
    let list = list_of(&paths);
    if list.is_empty() {
        return Ok(None);
    }
    let from_list = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    // an upstream file may match what is ignored here, and belongs to the package all the same
    let added = Git::at(top)
        .args(["add", "-A", "-f"])
        .args(from_list)
        .output_of(&list)?;
    if !added.status.success() {
        return Err(not_committed(top, &reason(&added)));
    }
    let quiet = [
        "diff",
        "--cached",
        "--quiet",
        "--no-ext-diff",
        "--no-textconv",
        "--",
    ];
    let mut compared = Git::at(top).args(quiet);
    compared = compared.args(&paths);
    if compared.output()?.status.success() {
        return Ok(None);
    }
    let file = tempfile::NamedTempFile::new().and_then(|mut file| {
        std::io::Write::write_all(&mut file, message.as_bytes())?;
        Ok(file)
    });
    let file = file.map_err(|error| not_committed(top, &error.to_string()))?;
    let committed = Git::at(top)
        .with_hooks()
        .args(["commit", "-q", "--only", "--cleanup=whitespace", "-F"])
        .arg(file.path())
        .args(from_list)
        .output_of(&list)?;
    if !committed.status.success() {
        return Err(not_committed(top, &reason(&committed)));
    }
    Git::at(top).args(["rev-parse", "HEAD"]).ask()
}

/// Which of some files git knows.
fn known(top: &Path, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>, Error> {
    let mut known = BTreeSet::new();
    for chunk in files.chunks(500) {
        let output = Git::at(top)
            .args(["ls-files", "-z", "--"])
            .args(chunk)
            .output()?;
        let told = output
            .stdout
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        known.extend(told.map(super::objects::path_of_bytes));
    }
    Ok(known)
}

fn list_of(paths: &[&PathBuf]) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path.as_os_str().as_encoded_bytes());
        list.push(0);
    }
    list
}

fn not_committed(top: &Path, reason: &str) -> Error {
    refused(
        top,
        &format!("the upgrade is in the files, and could not be committed: {reason}"),
        "commit it by hand, or take it back with git",
    )
}

fn refused(top: &Path, message: &str, help: &str) -> Error {
    Error::Package {
        path: top.to_owned(),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}
