//! A plan, written to disk so that every file is whole at any moment (SPEC 9).

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use tempfile::TempPath;

use super::obstacles::going;
use super::plan::{ChangeKind, FileChange, Plan};
use super::walk::TEMPORARY;
use crate::error::Error;

impl Plan {
    /// Writes the plan.
    ///
    /// First it is seen that no file has changed since it was read; then all new contents are written to temporary files
    /// beside their places; then these are renamed into place, and what goes is deleted, with the folders that are left
    /// empty by that. With `durable`, contents reach the disk before the renames, and the renames before the end.
    ///
    /// # Errors
    /// [`Error::Changed`] where somebody else was at it, [`Error::Write`] where the disk says no. Every file is whole
    /// then, old or new, and planning and writing again finishes the merge.
    pub fn write(&self, durable: bool) -> Result<(), Error> {
        let writer = Writer {
            plan: self,
            durable,
            written: AtomicUsize::new(0),
        };
        writer.run()
    }
}

struct Writer<'p> {
    plan: &'p Plan,
    durable: bool,
    written: AtomicUsize,
}

impl Writer<'_> {
    fn run(&self) -> Result<(), Error> {
        let files = &self.plan.files;
        for leftover in &self.plan.leftovers {
            fs::remove_file(leftover)
                .or_else(gone_is_fine)
                .map_err(|error| self.error(leftover, error))?;
        }
        all(files.par_iter().map(|change| self.unchanged(change)))?;
        // what stands where a folder is to be, or the other way round, goes first
        let (early, late): (Vec<_>, Vec<_>) = self.deletions().partition(|(_, early)| *early);
        self.delete(&early)?;
        let staged = all(files.par_iter().map(|change| self.stage(change)))?;
        all(files
            .par_iter()
            .zip(staged)
            .map(|(change, staged)| self.rename(change, staged)))?;
        self.delete(&late)?;
        if self.durable {
            self.sync_folders()?;
        }
        Ok(())
    }

    /// The file is what it was when it was read.
    fn unchanged(&self, change: &FileChange) -> Result<(), Error> {
        let path = self.plan.root.join(going(change).unwrap_or(&change.path));
        let now = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {
                Some(fs::read(&path).map_err(|error| Error::Read {
                    path: path.clone(),
                    error,
                })?)
            }
            // a folder here is one that will be empty by the time the file comes
            Ok(metadata) if metadata.is_dir() && change.old.is_none() => None,
            Err(error) if is_missing(&error) => None,
            Ok(_) => return Err(Error::Changed { path }),
            Err(error) => return Err(Error::Read { path, error }),
        };
        if now == change.old {
            Ok(())
        } else {
            Err(Error::Changed { path })
        }
    }

    /// The files that go for good, and whether they have to before others come.
    fn deletions(&self) -> impl Iterator<Item = (&Path, bool)> {
        let coming = self.plan.files.iter().filter(|change| change.new.is_some());
        let mut places: FxHashSet<&Path> = FxHashSet::default();
        let mut folders: FxHashSet<&Path> = FxHashSet::default();
        for change in coming {
            places.insert(&change.path);
            folders.extend(change.path.ancestors().skip(1));
        }
        let deleted = self
            .plan
            .files
            .iter()
            .filter(|change| change.kind == ChangeKind::Deleted);
        deleted.map(move |change| {
            let path = change.path.as_path();
            let below = path
                .ancestors()
                .skip(1)
                .any(|folder| places.contains(folder));
            (path, below || folders.contains(path))
        })
    }

    fn delete(&self, paths: &[(&Path, bool)]) -> Result<(), Error> {
        for (path, _) in paths {
            let whole = self.plan.root.join(path);
            fs::remove_file(&whole)
                .or_else(gone_is_fine)
                .map_err(|error| self.error(&whole, error))?;
            self.written.fetch_add(1, Ordering::Relaxed);
            self.remove_empty_folders(path);
        }
        Ok(())
    }

    /// The folders above a file that is gone, as far as they are empty now.
    fn remove_empty_folders(&self, path: &Path) {
        for folder in path.ancestors().skip(1) {
            let is_root = folder.as_os_str().is_empty();
            if is_root || fs::remove_dir(self.plan.root.join(folder)).is_err() {
                break;
            }
        }
    }

    /// The new content, in a temporary file beside its place.
    fn stage(&self, change: &FileChange) -> Result<Option<TempPath>, Error> {
        let Some(new) = &change.new else {
            return Ok(None);
        };
        let path = self.plan.root.join(&change.path);
        let folder = path.parent().unwrap_or(&self.plan.root);
        let stage = || {
            if change.kind != ChangeKind::Changed {
                fs::create_dir_all(folder)?;
            }
            let mut file = tempfile::Builder::new()
                .prefix(TEMPORARY.0)
                .suffix(TEMPORARY.1)
                .tempfile_in(folder)?;
            file.write_all(new)?;
            if change.old.is_some() {
                let old = going(change).unwrap_or(&change.path);
                keep_owner(&self.plan.root.join(old), file.as_file())?;
            }
            file.as_file().set_permissions(change.permissions.clone())?;
            if self.durable {
                file.as_file().sync_all()?;
            }
            // closes it: there may be more files than a process may have open
            Ok(Some(file.into_temp_path()))
        };
        stage().map_err(|error| self.error(&path, error))
    }

    fn rename(&self, change: &FileChange, staged: Option<TempPath>) -> Result<(), Error> {
        let Some(staged) = staged else { return Ok(()) };
        self.unchanged(change)?;
        let path = self.plan.root.join(&change.path);
        if let ChangeKind::Moved { from } = &change.kind {
            // first the place, then the content: a run that is killed between leaves what the next one can go on with
            fs::rename(self.plan.root.join(from), &path)
                .map_err(|error| self.error(&path, error))?;
            self.written.fetch_add(1, Ordering::Relaxed);
        } else if change.kind == ChangeKind::Added {
            self.remove_empty_folders(&change.path.join("x"));
        }
        staged
            .persist(&path)
            .map_err(|error| self.error(&path, error.error))?;
        self.written.fetch_add(1, Ordering::Relaxed);
        if let ChangeKind::Moved { from } = &change.kind {
            self.remove_empty_folders(from);
        }
        Ok(())
    }

    /// The folders in which something was renamed or deleted.
    fn sync_folders(&self) -> Result<(), Error> {
        let mut folders: FxHashSet<PathBuf> = FxHashSet::default();
        for change in &self.plan.files {
            let paths = [Some(change.path.as_path()), going(change)];
            for path in paths.into_iter().flatten() {
                folders.extend(path.ancestors().skip(1).map(Path::to_owned));
            }
        }
        for folder in folders {
            let path = self.plan.root.join(folder);
            match File::open(&path) {
                Ok(file) => file.sync_all().map_err(|error| self.error(&path, error))?,
                Err(error) => gone_is_fine(error).map_err(|error| self.error(&path, error))?,
            }
        }
        Ok(())
    }

    fn error(&self, path: &Path, error: io::Error) -> Error {
        Error::Write {
            path: path.to_owned(),
            error,
            written: self.written.load(Ordering::Relaxed),
        }
    }
}

/// All results; of several errors that of the first file, whichever thread was first.
fn all<T: Send>(
    results: impl IndexedParallelIterator<Item = Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    let results: Vec<Result<T, Error>> = results.collect();
    results.into_iter().collect()
}

/// Nothing is there; where a file is in place of a folder above, neither.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn gone_is_fine(error: io::Error) -> io::Result<()> {
    if is_missing(&error) {
        Ok(())
    } else {
        Err(error)
    }
}

/// A file that is replaced stays its owner's, where we may say so.
#[cfg(unix)]
fn keep_owner(old: &Path, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let old = fs::metadata(old)?;
    let own = new.metadata()?;
    if (old.uid(), old.gid()) != (own.uid(), own.gid()) {
        // only root may; anyone else gets a file of their own, as with an editor
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_old: &Path, _new: &File) -> io::Result<()> {
    Ok(())
}
