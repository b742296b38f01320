//! The folder in which a run keeps the data that the next run needs to undo it. It is outside of
//! the package, whose files may come from anybody.
//!
//! It is in the git folder of the work tree that the package is in, which no commit can reach. For
//! a package outside of a work tree it is in the user's state folder. Git is not asked for the
//! location of its folder, because it would read the package's files for that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::journal::Journal;
use crate::error::Error;
use crate::package::disk::{if_there, read, sha256};
use crate::package::private_folder;

/// The name of the folder that contains the run folders.
const BASE_NAME: &str = "merge3";
/// The journal of a run. It exists while the package may be half written.
const MANIFEST: &str = "manifest.json";
/// The journal of a run that wrote all files. It exists until the changes are committed.
const WRITTEN: &str = "written.json";
/// The old contents of all files, concatenated.
const OLD_CONTENTS: &str = "old";

/// The folder of the run at a package. At most one run at a time changes a package.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    /// The path of the folder, which may not exist.
    pub(super) path: PathBuf,
    /// The package's path as the journal has it.
    pub(super) package: PathBuf,
}

/// A run that did not finish.
#[derive(Debug, Clone)]
pub(crate) struct UnfinishedRun {
    pub(crate) folder: RunFolder,
    pub(crate) journal: Journal,
    /// Whether it wrote all files and only the commit is missing.
    pub(crate) written: bool,
}

/// Returns the unfinished run at a package, if there is one.
///
/// # Errors
/// If a journal exists and cannot be read.
pub(crate) fn unfinished_run_at(root: &Path) -> Result<Option<UnfinishedRun>, Error> {
    for folder in candidates(root) {
        if !is_ours(folder.base()) {
            continue;
        }
        for (name, written) in [(MANIFEST, false), (WRITTEN, true)] {
            let path = folder.path.join(name);
            let Some(bytes) = if_there(read(&path)).map_err(Error::reading(&path))? else {
                continue;
            };
            // if the journal is incomplete, the run has changed nothing yet
            if let Some(journal) = Journal::read(&bytes, &folder.package) {
                return Ok(Some(UnfinishedRun {
                    folder,
                    journal,
                    written,
                }));
            }
        }
    }
    Ok(None)
}

/// Returns the possible run folders for a package, in order of preference.
fn candidates(root: &Path) -> Vec<RunFolder> {
    // a path that does not exist has no run
    let Ok(root) = fs::canonicalize(root) else {
        return Vec::new();
    };
    let mut candidates = Vec::new();
    if let Some((top, git)) = git_folder(&root) {
        // a relative path, so that the folder is found if the whole work tree is moved
        let package = root.strip_prefix(&top).unwrap_or(&root);
        candidates.push(RunFolder::new(&git, package));
    }
    candidates.extend(state_folder().map(|state| RunFolder::new(&state, &root)));
    candidates
}

/// Returns the work tree that a folder is in, and the git folder of that work tree.
pub(crate) fn git_folder(root: &Path) -> Option<(PathBuf, PathBuf)> {
    root.ancestors().find_map(|top| {
        let git = top.join(".git");
        let git = match fs::metadata(&git).ok()? {
            it if it.is_dir() => git,
            // a submodule or a linked work tree has a file that names its git folder
            it if it.is_file() && it.len() < 4096 => {
                let text = fs::read_to_string(&git).ok()?;
                let folder = text.strip_prefix("gitdir: ")?;
                top.join(folder.trim_end_matches(['\n', '\r']))
            }
            _ => return None,
        };
        let is_git = git.join("HEAD").symlink_metadata().is_ok();
        is_git.then(|| (top.to_owned(), git))
    })
}

/// Returns the user's folder for state.
fn state_folder() -> Option<PathBuf> {
    private_folder::named("XDG_STATE_HOME")
        .or_else(|| private_folder::named("LOCALAPPDATA"))
        .or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")))
}

impl RunFolder {
    fn new(folder: &Path, package: &Path) -> Self {
        let digest = sha256(package.as_os_str().as_encoded_bytes());
        Self {
            path: folder.join(BASE_NAME).join(&digest[..32]),
            package: package.to_owned(),
        }
    }

    /// Creates an empty folder for a run at a package. Other users cannot read it.
    ///
    /// # Errors
    /// If no folder can be created.
    pub(super) fn create_for(disk: &dyn Disk, root: &Path) -> Result<Self, Error> {
        let mut failure = None;
        for folder in candidates(root) {
            let Err(error) = folder.create(disk) else {
                return Ok(folder);
            };
            let can_try_next = [
                io::ErrorKind::PermissionDenied,
                io::ErrorKind::ReadOnlyFilesystem,
            ]
            .contains(&error.kind());
            failure = Some(Error::writing(&folder.path)(error));
            if !can_try_next {
                break;
            }
        }
        Err(failure.unwrap_or_else(|| {
            let message = "there is no folder for state; set XDG_STATE_HOME";
            Error::writing(root)(io::Error::other(message))
        }))
    }

    fn create(&self, disk: &dyn Disk) -> io::Result<()> {
        let base = self.base();
        private_folder::make(base)?;
        private_folder::refuse(&fs::symlink_metadata(base)?)?;
        self.delete(disk)?;
        disk.create_folder(&self.path)
    }

    fn base(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// Returns the path of the old contents. Without that file nothing can be undone.
    pub(super) fn old_contents(&self) -> PathBuf {
        self.path.join(OLD_CONTENTS)
    }

    /// Deletes the folder. The files that the run wrote stay.
    ///
    /// # Errors
    /// If a journal cannot be deleted. Then the run still counts as unfinished.
    pub(super) fn delete(&self, disk: &dyn Disk) -> io::Result<()> {
        if self.path.symlink_metadata().is_err() {
            return Ok(());
        }
        for name in [MANIFEST, WRITTEN] {
            let path = self.path.join(name);
            if path.symlink_metadata().is_ok() {
                if_there(disk.remove_file(&path))?;
            }
        }
        // without a journal the rest has no effect; if it cannot be deleted now, the next run does
        // so
        let _ = fs::remove_file(self.old_contents());
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    /// Marks the run as written: the journal is kept until the changes are committed.
    ///
    /// # Errors
    /// If the journal cannot be renamed.
    pub(super) fn keep_until_committed(&self, disk: &dyn Disk) -> io::Result<()> {
        disk.rename(&self.manifest(), &self.path.join(WRITTEN))
    }
}

/// Returns true if the folder is the user's and only the user may write to it.
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
        // a folder without HEAD is not a git folder
        assert_eq!(git_folder(&deep), None);
        fs::write(git.join("HEAD"), "").unwrap();
        assert_eq!(git_folder(&deep), Some((root.join("tree"), git)));
    }

    #[test]
    fn the_git_folder_of_a_linked_work_tree_is_found() {
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
