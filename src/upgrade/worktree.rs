//! The repository that a package is in: what is not committed there, and commits of upgrades.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

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
    let attempt = || {
        let output = Git::at(top)
            .args(["checkout", "-q", "-b", branch, "--"])
            .output()?;
        Ok(match output.status.success() {
            true => Tried::Done(None),
            false => Tried::Refused(output),
        })
    };
    let Tried::Refused(output) = patiently(PATIENCE, attempt)? else {
        return Ok(());
    };
    let message = format!("branch '{branch}' cannot be made: {}", why(&output));
    Err(refused(
        top,
        &message,
        "check it out yourself, delete it, or name another one with --branch",
    ))
}

/// Commits some files, and nothing else; what else is staged stays so. Returns the new commit; none where nothing changed. Another
/// process that is at the repository is waited for as long as there is `patience`.
///
/// # Errors
/// Where git refuses.
pub(super) fn commit(
    top: &Path,
    files: &[PathBuf],
    message: &str,
    patience: &mut Duration,
) -> Result<Option<String>, Error> {
    match patiently(*patience, || try_commit(top, files, message))? {
        Tried::Done(commit) => Ok(commit),
        Tried::Refused(output) if is_busy(&output) => {
            // nobody is at it: the lock is that of a process that is gone
            *patience = Duration::ZERO;
            let help = "wait for the other git process and run again; if there is none, delete the lock file first";
            Err(not_committed(top, &output, help))
        }
        Tried::Refused(output) => {
            let help = "run again to do it anew, commit it by hand, or take it back with git";
            Err(not_committed(top, &output, help))
        }
    }
}

/// Takes files of a package out of the index again that an earlier run put there.
///
/// # Errors
/// Where git refuses.
pub(super) fn unstage(package: &Path, files: &[PathBuf]) -> Result<(), Error> {
    let Some(top) = top(package)? else {
        return Ok(());
    };
    let folder = path_in(&top, package);
    let list = list_of(files.iter().map(|file| folder.join(file)));
    let unstage = || {
        let git = Git::at(&top).args(["reset", "-q"]);
        let from_list = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let output = git.args(from_list).output_of(&list)?;
        Ok(match output.status.success() {
            true => Tried::Done(None),
            false => Tried::Refused(output),
        })
    };
    match patiently(PATIENCE, unstage)? {
        Tried::Done(_) => Ok(()),
        Tried::Refused(output) => Err(refused(
            package,
            &format!(
                "an earlier run upgraded it, and git refuses to begin anew: {}",
                why(&output)
            ),
            "wait for the other git process and run again; if there is none, delete the lock file first",
        )),
    }
}

/// Tries something again as long as another process is at the repository.
fn patiently(
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

/// How long another process that is at a repository is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(50);

/// What came of a commit.
enum Tried {
    Done(Option<String>),
    Refused(Output),
}

/// The line in which git says that another process was at the repository, if one was.
fn busy(output: &Output) -> Option<String> {
    let told = String::from_utf8_lossy(&output.stderr);
    // the index, HEAD or a branch is locked, or the branch has moved
    let signs = [".lock': File exists", "cannot lock ref", "but expected "];
    let is_sign = |line: &&str| signs.iter().any(|sign| line.contains(sign));
    told.lines().find(is_sign).map(str::to_owned)
}

fn is_busy(output: &Output) -> bool {
    busy(output).is_some()
}

/// Why git refused.
fn why(output: &Output) -> String {
    busy(output).unwrap_or_else(|| reason(output))
}

fn try_commit(top: &Path, files: &[PathBuf], message: &str) -> Result<Tried, Error> {
    // by name, and so in time that grows with the number of files; an upstream file may match what is ignored here, and belongs to the
    // package all the same
    let staged = Git::at(top)
        .args([
            "update-index",
            "-z",
            "--add",
            "--remove",
            "--replace",
            "--stdin",
        ])
        .output_of(&list_of(files))?;
    if !staged.status.success() {
        return Ok(Tried::Refused(staged));
    }
    let own: BTreeSet<&PathBuf> = files.iter().collect();
    let is_committed = || -> Result<bool, Error> {
        let staged = names(top, &["diff", "--cached", "--name-only"], &[])?;
        Ok(!staged.iter().any(|path| own.contains(path)))
    };
    if is_committed()? {
        return Ok(Tried::Done(None));
    }
    // git compares each name that it is given with each file: where nothing else is changed in the folder, that is all it is given
    let folder = common_folder(files);
    let changed = [
        &["diff", "--name-only", "HEAD"][..],
        &["diff", "--cached", "--name-only"],
    ];
    let mut is_all = true;
    for arguments in changed {
        let changed = names(top, arguments, std::slice::from_ref(&folder))?;
        is_all &= changed.iter().all(|path| own.contains(path));
    }
    let changed = names(top, changed[1], &[])?.into_iter();
    let changed: Vec<PathBuf> = changed.filter(|path| own.contains(path)).collect();
    let list = list_of(match is_all {
        true => std::slice::from_ref(&folder),
        false => &changed,
    });
    let from_list = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    let file = tempfile::NamedTempFile::new().and_then(|mut file| {
        std::io::Write::write_all(&mut file, message.as_bytes())?;
        Ok(file)
    });
    let file = file.map_err(|error| Error::Write {
        path: std::env::temp_dir(),
        error,
        written: 1,
    })?;
    let committed = Git::at(top)
        .with_hooks()
        .args(["commit", "-q", "--only", "--cleanup=whitespace", "-F"])
        .arg(file.path())
        .args(from_list)
        .output_of(&list)?;
    if committed.status.success() {
        let commit = Git::at(top).args(["rev-parse", "HEAD"]).ask()?;
        return Ok(Tried::Done(commit));
    }
    // another process that committed all there was has committed these, too
    match is_committed()? {
        true => Ok(Tried::Done(None)),
        false => Ok(Tried::Refused(committed)),
    }
}

/// The names that a comparison of git's prints, in some folders or everywhere.
fn names(top: &Path, arguments: &[&str], folders: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let output = Git::at(top)
        .args(arguments)
        .args(["-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--"])
        .args(folders)
        .output()?;
    let names = output.stdout.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    Ok(names.map(super::objects::path_of_bytes).collect())
}

/// The nearest folder that all files are in.
fn common_folder(files: &[PathBuf]) -> PathBuf {
    let mut folder = files.first().and_then(|file| file.parent());
    while let Some(above) = folder {
        if files.iter().all(|file| file.starts_with(above)) {
            break;
        }
        folder = above.parent();
    }
    match folder {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn list_of(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path.as_ref().as_os_str().as_encoded_bytes());
        list.push(0);
    }
    list
}

fn not_committed(top: &Path, output: &Output, help: &str) -> Error {
    let why = why(output);
    let message = format!("the upgrade is in the files, and could not be committed: {why}");
    refused(top, &message, help)
}

fn refused(top: &Path, message: &str, help: &str) -> Error {
    Error::Package {
        path: top.to_owned(),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}
