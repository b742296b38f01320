//! Commits upgrades while other processes may use the same repository.
//!
//! `git commit PATH` reads the index before it locks it. Another process may add files to the index
//! in between, and the commit then writes back an index without them, so that new files are
//! untracked again. Three things guard against that: a private copy of the index shows what there
//! is to commit; git gets the name of a new file, and fails if the index has lost it; and when all
//! commits are made, [`repair_index`] checks the index and adds what is missing.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::tree::path_of;
use super::worktree::{
    Attempt, INDEX_OVERWRITTEN, LOCK_TIMEOUT, LOCKED_HELP, PAUSE, path_in, retry_while_locked,
    succeeded, top,
};
use crate::error::Error;
use crate::git_process::Git;
use crate::package::{if_there, or_here};

/// The trailer of a commit's message with the hash of the tree that the upgrade made.
pub(super) const TRAILER: &str = "Merge3-Tree";
/// How often the index is repaired if another process overwrites it.
const MAX_REPAIRS: usize = 20;

/// Commits some files and nothing else; other staged changes stay staged. Returns the hash of the
/// new commit; `None` if nothing changed. If another process has locked the repository, waits until
/// `lock_timeout`, which becomes zero after the first time that it passes.
///
/// # Errors
/// If git cannot make the commit.
pub(super) fn commit(
    top: &Path,
    files: &[PathBuf],
    message: &str,
    lock_timeout: &mut Duration,
) -> Result<Option<String>, Error> {
    let committed = retry_while_locked(*lock_timeout, || try_commit(top, files, message))?;
    committed.map_err(|failure| {
        let help = match failure.is_locked {
            true => {
                // the lock is probably left from a process that has ended: do not wait again
                *lock_timeout = Duration::ZERO;
                LOCKED_HELP
            }
            false => "run again to do it anew, commit it by hand, or take it back with git",
        };
        let reason = failure.reason;
        let message = format!("the upgrade is in the files, and could not be committed: {reason}");
        Error::package(top, message, help)
    })
}

fn try_commit(top: &Path, files: &[PathBuf], message: &str) -> Attempt<Option<String>> {
    if let Err(refused) = stage(Git::at(top), top, files)? {
        return Ok(Err(refused));
    }
    let index = PrivateIndex::with(top, files)?;
    let changed = index.staged()?;
    if changed.is_empty() {
        return Ok(Ok(None));
    }
    let committed = Git::with_hooks_at(top)
        .args(["commit", "-q", "--only", "--cleanup=whitespace", "-F"])
        .arg(index.message(message)?)
        .args(["--trailer", &format!("{TRAILER}: {}", index.tree()?)])
        .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
        .output_with_input(&nul_separated(index.pathspecs(&changed)?))?;
    match succeeded(&committed) {
        Ok(_) => Git::at(top)
            .args(["rev-parse", "HEAD"])
            .stdout_text()
            .map(Ok),
        // another process may have committed these files together with its own
        Err(_) if index.staged()?.is_empty() => Ok(Ok(None)),
        Err(refused) => Ok(Err(refused)),
    }
}

/// Removes the changes of an earlier run to files of a package from the index.
///
/// # Errors
/// If git fails.
pub(super) fn unstage(package: &Path, files: &[PathBuf]) -> Result<(), Error> {
    let Some(top) = top(package)? else {
        return Ok(());
    };
    let folder = path_in(&top, package);
    let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let unstaged = retry_while_locked(LOCK_TIMEOUT, || reset_index(&top, &folder, &files))?;
    unstaged.map_err(|failure| {
        let reason = failure.reason;
        let message =
            format!("an earlier run upgraded it, and git refuses to begin anew: {reason}");
        Error::package(package, message, LOCKED_HELP)
    })
}

/// Resets files of a folder in the index to the last commit. `git reset` cannot be used: it reads
/// the index before it locks it, so that parallel calls would undo each other.
///
/// # Errors
/// If git cannot be run.
fn reset_index(top: &Path, folder: &Path, files: &[PathBuf]) -> Attempt<()> {
    let tree = Git::at(top).args(["ls-tree", "-r", "-z", "HEAD", "--"]);
    let tree = tree.arg(or_here(folder)).output()?;
    let wanted: HashSet<&PathBuf> = files.iter().collect();
    let (mut committed, mut rows) = (HashSet::new(), Vec::new());
    for row in tree.stdout.split(|byte| *byte == 0) {
        let Some(tab) = memchr::memchr(b'\t', row) else {
            continue;
        };
        let path = path_of(&row[tab + 1..]);
        if wanted.contains(&path) {
            rows.extend_from_slice(row);
            rows.push(0);
            committed.insert(path);
        }
    }
    let new = files.iter().filter(|path| !committed.contains(*path));
    for (options, input) in [
        (&["--index-info"][..], rows),
        (&["--force-remove", "--stdin"], nul_separated(new)),
    ] {
        let update = Git::at(top).args(["update-index", "-z"]).args(options);
        if let Err(refused) = succeeded(&update.output_with_input(&input)?) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(()))
}

/// Adds the committed files to the index until they are in it: another process may have written
/// back an index that it had read before the commit.
///
/// # Errors
/// The reason why the index still lacks them.
pub(super) fn repair_index(
    top: &Path,
    files: &[PathBuf],
    lock_timeout: Duration,
) -> Result<(), String> {
    for _ in 0..MAX_REPAIRS {
        let staged = retry_while_locked(lock_timeout, || stage(Git::at(top), top, files));
        let staged = staged.map_err(|error| error.to_string())?;
        staged.map_err(|failure| failure.reason)?;
        if is_index_complete(top, files).map_err(|error| error.to_string())? {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    Err(INDEX_OVERWRITTEN.to_owned())
}

/// Whether the index agrees about these files with a private one that has them as they are now.
/// Comparing with the last commit would not do, because a hook may have committed other content.
fn is_index_complete(top: &Path, files: &[PathBuf]) -> Result<bool, Error> {
    let expected = PrivateIndex::with(top, files)?.staged()?;
    Ok(expected == staged(Git::at(top), files)?)
}

/// Stages files as they are now. `update-index` takes names, so that the time depends on the number
/// of these files only, and stages ignored files too: a package may have some. A file that has
/// become a folder needs no name, because the files in the folder replace it.
fn stage(git: Git, top: &Path, files: &[PathBuf]) -> Attempt<()> {
    let stage = ["--add", "--remove", "--replace", "--stdin"];
    let staged = git.args(["update-index", "-z"]).args(stage);
    let files = files.iter().filter(|file| !is_folder(&top.join(file)));
    let staged = staged.output_with_input(&nul_separated(files))?;
    Ok(succeeded(&staged))
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Returns those of some files that differ between an index and the last commit.
fn staged(git: Git, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>, Error> {
    let staged = names(git.args(["diff", "--cached"]), None)?;
    let staged: HashSet<PathBuf> = staged.into_iter().collect();
    let staged = files.iter().filter(|file| staged.contains(*file));
    Ok(staged.cloned().collect())
}

/// Runs a `git diff` in a folder or everywhere, and returns the names of the files that differ.
fn names(git: Git, folder: Option<&Path>) -> Result<Vec<PathBuf>, Error> {
    let output = git
        .args(["--name-only", "-z", "--no-renames"])
        .args(["--no-ext-diff", "--no-textconv", "--"])
        .args(folder)
        .output()?;
    let names = output.stdout.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    Ok(names.map(path_of).collect())
}

/// Copies a file with its modification time. With a newer time git would trust the times of files
/// that are as new as the original index, instead of comparing their content.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}

/// A private copy of the index, to which no other process writes.
struct PrivateIndex<'t> {
    top: &'t Path,
    /// The files to commit.
    files: &'t [PathBuf],
    folder: TempDir,
}

impl<'t> PrivateIndex<'t> {
    /// Copies the index and stages these files as they are now.
    fn with(top: &'t Path, files: &'t [PathBuf]) -> Result<Self, Error> {
        let folder = tempfile::tempdir().map_err(Error::writing_after(1, &std::env::temp_dir()))?;
        let index = Self { top, files, folder };
        let source = Git::at(top).args(["rev-parse", "--git-path", "index"]);
        let source = top.join(source.stdout_text()?.unwrap_or_default());
        let copied = if_there(copy_with_time(&source, &index.path()));
        copied.map_err(Error::writing_after(1, &index.path()))?;
        index.stage(index.git())?;
        Ok(index)
    }

    /// Returns those of the files that differ between this index and the last commit.
    fn staged(&self) -> Result<BTreeSet<PathBuf>, Error> {
        staged(self.git(), self.files)
    }

    /// Returns the pathspecs for the commit: folders and files that contain all changed files and
    /// no changes of other files than those to commit, and the name of one new file. They are as
    /// few as possible, because git compares each of them with each file.
    fn pathspecs(&self, changed: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, Error> {
        let folder = common_folder(changed);
        let wanted: HashSet<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        let mut above_others: HashSet<PathBuf> = HashSet::new();
        for comparison in [&["diff", "--cached"][..], &["diff-files"]] {
            for other in names(self.git().args(comparison), Some(or_here(&folder)))? {
                if !wanted.contains(&*other) {
                    above_others.extend(other.ancestors().map(Path::to_owned));
                }
            }
        }
        // git cannot commit the name of a file that has become a folder: the files in it replace it
        let (replaced, changed): (Vec<_>, Vec<_>) = changed
            .iter()
            .partition(|file| is_folder(&self.top.join(file)));
        above_others.extend(
            replaced
                .iter()
                .flat_map(|it| it.ancestors().map(Path::to_owned)),
        );
        let cover = |file: &PathBuf| {
            let is_free = |path: &&Path| path.starts_with(&folder) && !above_others.contains(*path);
            let widest = file.ancestors().take_while(is_free).last();
            or_here(widest.unwrap_or(file)).to_owned()
        };
        let cover: BTreeSet<PathBuf> = changed.iter().copied().map(cover).collect();
        let new = self.git().args(["diff", "--cached", "--diff-filter=A"]);
        let new = names(new, None)?;
        // by its name git notices if the index has lost the new files
        let new_file = new.into_iter().find(|path| changed.contains(&path));
        Ok(cover.into_iter().chain(new_file).collect())
    }

    fn stage(&self, git: Git) -> Result<(), Error> {
        stage(git, self.top, self.files)?.map_err(|failure| {
            let error = io::Error::other(failure.reason);
            Error::writing_after(1, self.folder.path())(error)
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// Returns a call of git that uses this index.
    fn git(&self) -> Git {
        Git::at(self.top).with_index(&self.path())
    }

    /// Returns the hash of the last commit's tree with the files in it, but without other staged
    /// changes.
    fn tree(&self) -> Result<String, Error> {
        let path = self.folder.path().join("committed");
        let git = || Git::at(self.top).with_index(&path);
        // it fails if there is no commit yet: then the index stays missing, which is an empty one
        git().args(["read-tree", "HEAD"]).output()?;
        self.stage(git())?;
        Ok(git().arg("write-tree").stdout_text()?.unwrap_or_default())
    }

    /// Writes the message of a commit to a file and returns its path.
    fn message(&self, text: &str) -> Result<PathBuf, Error> {
        let path = self.folder.path().join("message");
        fs::write(&path, text).map_err(Error::writing_after(1, &path))?;
        Ok(path)
    }
}

/// Returns the innermost folder that contains all files; empty for the top.
fn common_folder(files: &BTreeSet<PathBuf>) -> PathBuf {
    let contains_all = |folder: &&Path| files.iter().all(|file| file.starts_with(folder));
    let above = files.first().map(|file| file.ancestors().skip(1));
    let innermost = above.into_iter().flatten().find(contains_all);
    innermost.unwrap_or(Path::new("")).to_owned()
}

fn nul_separated(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path.as_ref().as_os_str().as_encoded_bytes());
        list.push(0);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(top: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let output = Git::at(top).args(identity).args(arguments).output();
        assert!(output.unwrap().status.success(), "{arguments:?}");
    }

    /// Git compares each pathspec with each file of the index.
    #[test]
    fn uses_few_pathspecs_for_many_changed_files() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path();
        git(top, &["init", "-q"]);
        let write = |content: &str| -> Vec<PathBuf> {
            let paths = (0..300).map(|at| PathBuf::from(format!("app/f{}/{at}.yaml", at % 5)));
            paths
                .inspect(|path| {
                    fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
                    fs::write(top.join(path), content).unwrap();
                })
                .collect()
        };
        write("a: 1\n");
        for name in ["other.yaml", "app/other.yaml", "app/f0/other.yaml"] {
            fs::write(top.join(name), "a: 1\n").unwrap();
        }
        git(top, &["add", "-A"]);
        git(top, &["commit", "-q", "-m", "begin"]);
        let mut files = write("a: 2\n");
        files.push(PathBuf::from("app/f1/new.yaml"));
        fs::write(top.join("app/f1/new.yaml"), "").unwrap();
        let pathspecs = || {
            let index = PrivateIndex::with(top, &files).unwrap();
            let changed = index.staged().unwrap();
            let paths = index.pathspecs(&changed).unwrap();
            let paths: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
            paths.join(" ")
        };
        assert_eq!(pathspecs(), "app app/f1/new.yaml");
        fs::write(top.join("other.yaml"), "a: 2\n").unwrap();
        assert_eq!(pathspecs(), "app app/f1/new.yaml");
        fs::write(top.join("app/other.yaml"), "a: 2\n").unwrap();
        let folders = "app/f0 app/f1 app/f2 app/f3 app/f4 app/f1/new.yaml";
        assert_eq!(pathspecs(), folders);
        // a staged change of another file counts, too
        git(top, &["rm", "-q", "--cached", "app/f0/other.yaml"]);
        assert_eq!(pathspecs().split(' ').count(), 60 + 4 + 1);
    }
}
