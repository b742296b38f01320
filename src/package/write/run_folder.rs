//! Where a run keeps what the next one needs to take it back: out of reach of packages, which may
//! come from anybody.
//!
//! It is a folder in the git folder of the work tree that the package is in, which no commit can
//! reach; for a package in no work tree, one in the user's folder for state. Git is not asked where
//! its folder is: it would read the package's files for that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::journal::Journal;
use crate::error::Error;
use crate::package::disk::{gone_is_fine, if_there, read, sha256};
use crate::package::private_folder;

/// The folder that holds run folders.
const FOLDER: &str = "merge3";
/// What the run does: it is there while the package may be half written.
const MANIFEST: &str = "manifest.json";
/// What the run has done, all of it: it is there while that is to be committed.
const WRITTEN: &str = "written.json";
/// The old contents of all files, one after the other.
const OLD: &str = "old";

/// The folder of the run that is at a package. One run at a time is.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    /// It is no matter whether it is there.
    path: PathBuf,
    /// What the journal calls the package.
    package: PathBuf,
}

/// What a run left that did not come to its end.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    pub(crate) folder: RunFolder,
    pub(crate) journal: Journal,
    /// Whether all of it was written: what is missing is the commit.
    pub(crate) written: bool,
}

/// What was left at a package, if anything was.
///
/// # Errors
/// Where a journal is there and cannot be read.
pub(crate) fn left_at(root: &Path) -> Result<Option<Left>, Error> {
    for folder in candidates(root) {
        if !is_ours(folder.base()) {
            continue;
        }
        for (name, written) in [(MANIFEST, false), (WRITTEN, true)] {
            let path = folder.path.join(name);
            let Some(bytes) = if_there(read(&path)).map_err(Error::reading(&path))? else {
                continue;
            };
            // one that is not whole was not begun: nothing was done yet
            if let Some(journal) = Journal::read(&bytes, &folder.package) {
                return Ok(Some(Left {
                    folder,
                    journal,
                    written,
                }));
            }
        }
    }
    Ok(None)
}

/// The folders in which a run at a package may keep what it needs, the best one first.
fn candidates(root: &Path) -> Vec<RunFolder> {
    // what is not there has no runs
    let Ok(root) = fs::canonicalize(root) else {
        return Vec::new();
    };
    let mut candidates = Vec::new();
    if let Some((top, git)) = git_folder(&root) {
        // so that it is found when the whole work tree is moved
        let package = root.strip_prefix(&top).unwrap_or(&root);
        candidates.push(RunFolder::new(&git, package));
    }
    candidates.extend(state_folder().map(|state| RunFolder::new(&state, &root)));
    candidates
}

/// The work tree that a folder is in, and its git folder.
pub(crate) fn git_folder(root: &Path) -> Option<(PathBuf, PathBuf)> {
    root.ancestors().find_map(|top| {
        let git = top.join(".git");
        let git = match fs::metadata(&git).ok()? {
            it if it.is_dir() => git,
            // that of a submodule, or of a further work tree
            it if it.is_file() && it.len() < 4096 => {
                let text = fs::read_to_string(&git).ok()?;
                top.join(
                    text.strip_prefix("gitdir: ")?
                        .trim_end_matches(['\n', '\r']),
                )
            }
            _ => return None,
        };
        let is_git = git.join("HEAD").symlink_metadata().is_ok();
        is_git.then(|| (top.to_owned(), git))
    })
}

/// The user's folder for state.
fn state_folder() -> Option<PathBuf> {
    private_folder::named("XDG_STATE_HOME")
        .or_else(|| private_folder::named("LOCALAPPDATA"))
        .or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")))
}

impl RunFolder {
    fn new(folder: &Path, package: &Path) -> Self {
        let digest = sha256(package.as_os_str().as_encoded_bytes());
        Self {
            path: folder.join(FOLDER).join(&digest[..32]),
            package: package.to_owned(),
        }
    }

    /// A folder for a run at a package, empty. Others cannot look into it.
    ///
    /// # Errors
    /// Where none can be made.
    pub(super) fn make(disk: &dyn Disk, root: &Path) -> Result<Self, Error> {
        let mut refused = None;
        for folder in candidates(root) {
            let Err(error) = folder.create(disk) else {
                return Ok(folder);
            };
            let may_be_elsewhere = [
                io::ErrorKind::PermissionDenied,
                io::ErrorKind::ReadOnlyFilesystem,
            ]
            .contains(&error.kind());
            refused = Some(Error::writing(&folder.path)(error));
            if !may_be_elsewhere {
                break;
            }
        }
        Err(refused.unwrap_or_else(|| {
            let message = "there is no folder for state; set XDG_STATE_HOME";
            Error::writing(root)(io::Error::other(message))
        }))
    }

    fn create(&self, disk: &dyn Disk) -> io::Result<()> {
        let base = self.base();
        private_folder::make(base)?;
        private_folder::refuse(&fs::symlink_metadata(base)?)?;
        self.close(disk)?;
        disk.create_folder(&self.path)
    }

    fn base(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// What a journal calls the package.
    pub(super) fn package(&self) -> &Path {
        &self.package
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// The old contents. Where they are missing nothing can be taken back.
    pub(super) fn old(&self) -> PathBuf {
        self.path.join(OLD)
    }

    /// Takes it away: what the run did stays.
    ///
    /// # Errors
    /// Where the disk says no: it still counts then.
    pub(super) fn close(&self, disk: &dyn Disk) -> io::Result<()> {
        if self.path.symlink_metadata().is_err() {
            return Ok(());
        }
        for name in [MANIFEST, WRITTEN] {
            let path = self.path.join(name);
            if path.symlink_metadata().is_ok() {
                disk.remove_file(&path).or_else(gone_is_fine)?;
            }
        }
        // without these the rest says nothing, and goes with the next run if not now
        let _ = fs::remove_file(self.old());
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    /// [`RunFolder::close`], but it is kept until what was written is committed.
    ///
    /// # Errors
    /// As for [`RunFolder::close`].
    pub(super) fn keep_until_committed(&self, disk: &dyn Disk) -> io::Result<()> {
        disk.rename(&self.manifest(), &self.path.join(WRITTEN))
    }
}

/// Whether a folder is this user's, and nobody else may write to it.
fn is_ours(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|it| private_folder::refuse(&it).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(root: &Path, name: &str) -> PathBuf {
        let path = root.join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_git_folder_is_found_from_any_depth() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let deep = folder(&root, "tree/apps/app");
        assert_eq!(git_folder(&deep), None);
        let git = folder(&root, "tree/.git");
        // without a HEAD it is none
        assert_eq!(git_folder(&deep), None);
        fs::write(git.join("HEAD"), "").unwrap();
        assert_eq!(git_folder(&deep), Some((root.join("tree"), git)));
    }

    #[test]
    fn that_of_a_further_work_tree_is_elsewhere() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let git = folder(&root, "main/.git/worktrees/other");
        fs::write(git.join("HEAD"), "").unwrap();
        let other = folder(&root, "other/app");
        let link = "gitdir: ../main/.git/worktrees/other\n";
        fs::write(root.join("other/.git"), link).unwrap();
        let found = git_folder(&other).unwrap();
        assert_eq!(found.0, root.join("other"));
        assert_eq!(found.1.canonicalize().unwrap(), git);
    }
}
