//! Commits of upgrades, whatever other processes do at the repository.
//!
//! `git commit PATH` reads the index before it locks it. So of two processes one may write back an
//! index that lacks what the other one has put there in between: a new file is unknown again. So
//! what is to be committed is found out with a copy of the index, to which nobody else writes; git
//! is told of a new file by name, and refuses where the index has lost it; and the index is looked
//! at again when all commits are made.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use tempfile::TempDir;

use super::tree::path_of;
use super::worktree::{
    LOCKED, LOST, PATIENCE, PAUSE, Tried, is_busy, path_in, patiently, top, why,
};
use crate::error::Error;
use crate::git_process::Git;
use crate::package::{gone_is_fine, or_here};

/// The line of a commit's message that says which tree the upgrade made.
pub(super) const TRAILER: &str = "Merge3-Tree";
/// How often the index is put right that another process writes.
const TRIES: usize = 20;

/// Commits some files, and nothing else; what else is staged stays so. Returns the new commit;
/// `None` if nothing changed. Another process that is at the repository is waited for as long as
/// there is `patience`.
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
        Tried::Refused(output) => {
            let help = match is_busy(&output) {
                true => {
                    // nobody is at it: the lock is that of a process that is gone
                    *patience = Duration::ZERO;
                    LOCKED
                }
                false => "run again to do it anew, commit it by hand, or take it back with git",
            };
            let why = why(&output);
            let message = format!("the upgrade is in the files, and could not be committed: {why}");
            Err(Error::package(top, &message, help))
        }
    }
}

fn try_commit(top: &Path, files: &[PathBuf], message: &str) -> Result<Tried, Error> {
    let staged = stage(Git::at(top), files)?;
    if !staged.status.success() {
        return Ok(Tried::Refused(staged));
    }
    let index = OwnIndex::with(top, files)?;
    let changed = index.staged(files)?;
    if changed.is_empty() {
        return Ok(Tried::Done(None));
    }
    let committed = Git::at(top)
        .with_hooks()
        .args(["commit", "-q", "--only", "--cleanup=whitespace", "-F"])
        .arg(index.message(message)?)
        .args(["--trailer", &format!("{TRAILER}: {}", index.tree(files)?)])
        .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
        .output_with_input(&list_of(index.only(&changed, files)?))?;
    if committed.status.success() {
        let commit = Git::at(top).args(["rev-parse", "HEAD"]).stdout_text()?;
        return Ok(Tried::Done(commit));
    }
    // another process that committed all there was has committed this, too
    Ok(match index.staged(files)?.is_empty() {
        true => Tried::Done(None),
        false => Tried::Refused(committed),
    })
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
    let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let unstage = || put_back(&top, &folder, &files);
    match patiently(PATIENCE, unstage)? {
        Tried::Done(_) => Ok(()),
        Tried::Refused(output) => Err(Error::package(
            package,
            format!(
                "an earlier run upgraded it, and git refuses to begin anew: {}",
                why(&output)
            ),
            LOCKED,
        )),
    }
}

/// Puts files of a folder into the index as they were committed last. (`git reset` reads the index
/// before it locks it: of the calls for several packages one would take back another's.)
///
/// # Errors
/// Where git cannot be run.
fn put_back(top: &Path, folder: &Path, files: &[PathBuf]) -> Result<Tried, Error> {
    let tree = Git::at(top).args(["ls-tree", "-r", "-z", "HEAD", "--"]);
    let tree = tree.arg(or_here(folder)).output()?;
    let own: HashSet<&PathBuf> = files.iter().collect();
    let (mut known, mut rows) = (HashSet::new(), Vec::new());
    for row in tree.stdout.split(|byte| *byte == 0) {
        let Some(tab) = memchr::memchr(b'\t', row) else {
            continue;
        };
        let path = path_of(&row[tab + 1..]);
        if own.contains(&path) {
            rows.extend_from_slice(row);
            rows.push(0);
            known.insert(path);
        }
    }
    let new = files.iter().filter(|path| !known.contains(*path));
    for (how, list) in [
        (&["--index-info"][..], rows),
        (&["--force-remove", "--stdin"], list_of(new)),
    ] {
        let update = Git::at(top).args(["update-index", "-z"]).args(how);
        let updated = update.output_with_input(&list)?;
        if !updated.status.success() {
            return Ok(Tried::Refused(updated));
        }
    }
    Ok(Tried::Done(None))
}

/// Sees that the index has the files that were committed: another process may have written back one
/// that it had read before.
///
/// # Errors
/// Where that does not end: why.
pub(super) fn settle(top: &Path, files: &[PathBuf], patience: Duration) -> Result<(), String> {
    let stage_all = || Ok(Tried::of(stage(Git::at(top), files)?));
    for _ in 0..TRIES {
        let tried = patiently(patience, stage_all).map_err(|error| error.to_string())?;
        if let Tried::Refused(output) = tried {
            return Err(why(&output));
        }
        if is_settled(top, files).map_err(|error| error.to_string())? {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    Err(LOST.to_owned())
}

/// The index says of these files what one says to which nobody else writes. A hook may have
/// committed something else than there is: that is no matter of the index.
fn is_settled(top: &Path, files: &[PathBuf]) -> Result<bool, Error> {
    let expected = OwnIndex::with(top, files)?.staged(files)?;
    Ok(expected == staged(Git::at(top), files)?)
}

/// Puts files into an index as they are now. By name, and so in time that grows with their number;
/// an upstream file may match what is ignored here, and belongs to the package all the same.
fn stage(git: Git, files: &[PathBuf]) -> Result<Output, Error> {
    let stage = ["--add", "--remove", "--replace", "--stdin"];
    git.args(["update-index", "-z"])
        .args(stage)
        .output_with_input(&list_of(files))
}

/// Those of some files that an index has other than the last commit.
fn staged(git: Git, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>, Error> {
    let staged = names(git.args(["diff", "--cached", "--name-only"]), None)?;
    let staged: HashSet<PathBuf> = staged.into_iter().collect();
    let staged = files.iter().filter(|file| staged.contains(*file));
    Ok(staged.cloned().collect())
}

/// The names that a comparison of git's prints, in a folder or everywhere.
fn names(git: Git, folder: Option<&Path>) -> Result<Vec<PathBuf>, Error> {
    let output = git
        .args(["-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--"])
        .args(folder)
        .output()?;
    let names = output.stdout.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    Ok(names.map(path_of).collect())
}

/// Copies a file with the time of its last change. Git compares the content of files that are as
/// new as the index, and trusts their times if the index is newer.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}

/// A copy of the index, to which nobody else writes.
struct OwnIndex<'t> {
    top: &'t Path,
    folder: TempDir,
}

impl<'t> OwnIndex<'t> {
    /// With these files as they are now.
    fn with(top: &'t Path, files: &[PathBuf]) -> Result<Self, Error> {
        let folder = tempfile::tempdir().map_err(|error| unwritten(std::env::temp_dir(), error))?;
        let index = Self { top, folder };
        let shared = Git::at(top).args(["rev-parse", "--git-path", "index"]);
        let shared = top.join(shared.stdout_text()?.unwrap_or_default());
        let copied = copy_with_time(&shared, &index.path()).or_else(gone_is_fine);
        copied.map_err(|error| unwritten(index.path(), error))?;
        let staged = stage(index.git(), files)?;
        match staged.status.success() {
            true => Ok(index),
            false => Err(unwritten(index.path(), io::Error::other(why(&staged)))),
        }
    }

    /// Those of some files that it has other than the last commit.
    fn staged(&self, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>, Error> {
        staged(self.git(), files)
    }

    /// What git is told to commit: what covers the files that have changed and none that is not one
    /// of `files`, and a new file. Git compares each name that it is given with each file, so these
    /// are few where that is possible.
    fn only(&self, changed: &BTreeSet<PathBuf>, files: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        let folder = common_folder(changed);
        let own: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
        let mut above_others: HashSet<PathBuf> = HashSet::new();
        for comparison in [&["diff", "--cached"][..], &["diff-files"]] {
            let git = self.git().args(comparison).arg("--name-only");
            for other in names(git, Some(or_here(&folder)))? {
                if !own.contains(&*other) {
                    above_others.extend(other.ancestors().map(Path::to_owned));
                }
            }
        }
        let cover = |file: &PathBuf| {
            let is_free = |path: &&Path| path.starts_with(&folder) && !above_others.contains(*path);
            let widest = file.ancestors().take_while(is_free).last();
            or_here(widest.unwrap_or(file)).to_owned()
        };
        let cover: BTreeSet<PathBuf> = changed.iter().map(cover).collect();
        let new = self
            .git()
            .args(["diff", "--cached", "--name-only", "--diff-filter=A"]);
        let new = names(new, None)?;
        let witness = new.into_iter().find(|path| changed.contains(path));
        Ok(cover.into_iter().chain(witness).collect())
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// A call that works on it.
    fn git(&self) -> Git {
        Git::at(self.top).with_index(&self.path())
    }

    /// The tree that the last commit becomes with these files, and nothing else that is staged.
    fn tree(&self, files: &[PathBuf]) -> Result<String, Error> {
        let path = self.folder.path().join("committed");
        let git = || Git::at(self.top).with_index(&path);
        let read = git().args(["read-tree", "HEAD"]).output()?;
        if !read.status.success() {
            // there is no commit yet
            git().args(["read-tree", "--empty"]).output()?;
        }
        stage(git(), files)?;
        Ok(git().arg("write-tree").stdout_text()?.unwrap_or_default())
    }

    /// A file with the message of a commit.
    fn message(&self, text: &str) -> Result<OsString, Error> {
        let path = self.folder.path().join("message");
        fs::write(&path, text).map_err(|error| unwritten(path.clone(), error))?;
        Ok(path.into_os_string())
    }
}

fn unwritten(path: PathBuf, error: io::Error) -> Error {
    Error::Write {
        path,
        error,
        written: 1,
    }
}

/// The nearest folder that all files are in; empty for the top.
fn common_folder(files: &BTreeSet<PathBuf>) -> PathBuf {
    let mut folder = files.first().and_then(|file| file.parent());
    while let Some(above) = folder {
        if files.iter().all(|file| file.starts_with(above)) {
            break;
        }
        folder = above.parent();
    }
    folder.unwrap_or(Path::new("")).to_owned()
}

fn list_of(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<u8> {
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

    /// Git compares each name that it is told with each file of the index.
    #[test]
    fn git_is_told_few_names_however_many_files_change() {
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
        let told = || {
            let index = OwnIndex::with(top, &files).unwrap();
            let told = index.only(&index.staged(&files).unwrap(), &files).unwrap();
            let told: Vec<String> = told.iter().map(|it| it.display().to_string()).collect();
            told.join(" ")
        };
        assert_eq!(told(), "app app/f1/new.yaml");
        fs::write(top.join("other.yaml"), "a: 2\n").unwrap();
        assert_eq!(told(), "app app/f1/new.yaml");
        fs::write(top.join("app/other.yaml"), "a: 2\n").unwrap();
        let folders = "app/f0 app/f1 app/f2 app/f3 app/f4 app/f1/new.yaml";
        assert_eq!(told(), folders);
        // one that is staged counts, too
        git(top, &["rm", "-q", "--cached", "app/f0/other.yaml"]);
        assert_eq!(told().split(' ').count(), 60 + 4 + 1);
    }
}
