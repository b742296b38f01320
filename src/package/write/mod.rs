//! Writes a plan to disk, so that every file is complete at any moment, and all changes are made or
//! none (rules: Writing).
//!
//! [`journal`] describes the changes before they are made, [`run_folder`] is the folder with the
//! journal and the old contents of the files, and [`mod@undo`] restores them. All old contents are
//! in one file: to link or move each file aside takes two more system calls for each, and does not
//! work across file systems.

mod disk;
mod journal;
mod run_folder;
mod undo;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::disk::{if_there, mode, permissions};
use super::plan::Plan;
use crate::error::Error;
use journal::{Journal, Step, steps};
use run_folder::RunFolder;
use undo::{make_folders, restore_all};

pub(crate) use disk::NewFile;
pub use disk::{Disk, RealDisk};
pub(crate) use journal::{LEFT_OUT, MODES, TEMPORARY, UNFINISHED, is_reserved};
pub(crate) use run_folder::{git_folder, unfinished_run_at};
pub use undo::undo;
pub(crate) use undo::{RunProgress, forget, missing_folders, progress_at, settle};

/// The buffer size for writing the old contents, in bytes.
const BUFFER_SIZE: usize = 256 << 10;

impl Plan {
    /// Writes the plan.
    ///
    /// First merge3 checks that no file has changed since it was read. It saves the journal and the
    /// old contents in the folder of the run, outside of the package, and writes all new contents
    /// to temporary files beside the files they replace. Then it renames these into place and
    /// deletes the files that go, with the folders that this leaves empty. At last it deletes the
    /// folder of the run. With `durable`, contents and journal reach the disk before the renames,
    /// and the renames before the end.
    ///
    /// # Errors
    /// [`Error::Changed`] if a file has changed since it was read, [`Error::Write`] if writing
    /// fails. Then all changes are undone. If that fails too, every file is complete, old or new,
    /// and [`undo`](super::undo()) can restore the rest later.
    pub fn write(&self, durable: bool) -> Result<(), Error> {
        self.write_to(&RealDisk, durable)
    }

    /// [`Plan::write`] with a [`Disk`] that can fail or stop the run.
    ///
    /// # Errors
    /// As for [`Plan::write`], and [`Error::Stopped`] if [`Disk::is_stopped`] returns true.
    pub fn write_to(&self, disk: &dyn Disk, durable: bool) -> Result<(), Error> {
        disk.begin();
        // of an unfinished run, which `settle` found not to matter
        forget(disk, &self.root)?;
        if self.files.is_empty() {
            return Ok(());
        }
        let run = WriteRun::begin(self, disk, durable)?;
        run.carry_out().map_err(|error| {
            let old = run.folder.as_ref().map(RunFolder::old_contents);
            let undone = restore_all(disk, &self.root, &run.journal, old.as_deref());
            match undone.and_then(|()| run.delete_folder()) {
                Ok(()) => error,
                Err(_) => run.with_count(error),
            }
        })
    }
}

/// A plan that is being written.
struct WriteRun<'p> {
    disk: &'p dyn Disk,
    root: &'p Path,
    steps: Vec<Step<'p>>,
    durable: bool,
    awaits_commit: bool,
    /// `None` if the run changes a single file and no folder could be created.
    folder: Option<RunFolder>,
    journal: Journal,
    /// The number of files changed so far.
    written: AtomicUsize,
}

impl<'p> WriteRun<'p> {
    /// Checks that no file has changed since it was read, and creates the folder of the run.
    fn begin(plan: &'p Plan, disk: &'p dyn Disk, durable: bool) -> Result<Self, Error> {
        let (root, steps) = (&*plan.root, steps(plan));
        all_ok(steps.par_iter().map(|step| step.check_unchanged(root)))?;
        let entries = steps.par_iter().map(|step| step.journal_entry(root));
        let entries = entries.collect::<Result<Vec<_>, Error>>()?;
        let folder = match RunFolder::create_for(disk, root) {
            // a single replaced file needs no journal: the rename is atomic
            Err(Error::Write { .. }) if steps.len() == 1 && steps[0].new.is_some() => None,
            folder => Some(folder?),
        };
        let package = folder.as_ref().map(|folder| folder.package.clone());
        Ok(Self {
            disk,
            root,
            steps,
            durable,
            awaits_commit: plan.awaits_commit,
            journal: Journal::new(package.unwrap_or_default(), plan.merge, entries),
            folder,
            written: AtomicUsize::new(0),
        })
    }

    fn carry_out(&self) -> Result<(), Error> {
        self.write_journal()?;
        let (early, late) = self.deletions();
        let makes_folders = self.journal.entries.iter().any(|entry| entry.folders > 0);
        if early.is_empty() && !makes_folders {
            // files are replaced only after both are done, so they can run in parallel
            let (saved, staged) = rayon::join(|| self.save_old_contents(), || self.stage_all());
            saved.and(staged)?;
        } else {
            self.save_old_contents()?;
            self.delete_files(&early)?;
            self.make_folders()?;
            self.stage_all()?;
        }
        let steps = self.steps.par_iter().enumerate();
        all_ok(steps.map(|(index, step)| self.move_into_place(index, step)))?;
        self.delete_files(&late)?;
        if self.durable {
            self.sync_folders()?;
        }
        match &self.folder {
            Some(folder) if self.awaits_commit => folder
                .keep_until_committed(self.disk)
                .map_err(Error::writing(&folder.path)),
            _ => self.delete_folder(),
        }
    }

    fn write_journal(&self) -> Result<(), Error> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let path = folder.manifest();
        let manifest = NewFile {
            durable: self.durable,
            ..NewFile::default()
        };
        let write = || {
            manifest.put(self.disk, &path, &self.journal.to_bytes())?;
            let folders = folder.path.ancestors().take(2);
            for folder in folders.filter(|_| self.durable) {
                self.disk.sync(&File::open(folder)?)?;
            }
            Ok(())
        };
        write().map_err(Error::writing(&path))
    }

    /// Saves the old contents of all files, concatenated.
    fn save_old_contents(&self) -> Result<(), Error> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let path = folder.old_contents();
        let save = || {
            let mut file = self.disk.create_file(&path)?;
            let mut buffer = Vec::with_capacity(BUFFER_SIZE);
            let old_contents = self.steps.iter().filter_map(|step| step.old);
            for chunk in old_contents.flat_map(|old| old.chunks(BUFFER_SIZE)) {
                if buffer.len() + chunk.len() > BUFFER_SIZE {
                    self.disk.write(&mut file, &buffer)?;
                    buffer.clear();
                }
                buffer.extend_from_slice(chunk);
            }
            self.disk.write(&mut file, &buffer)?;
            match self.durable {
                true => self.disk.sync(&file),
                false => Ok(()),
            }
        };
        save().map_err(Error::writing(&path))
    }

    fn delete_folder(&self) -> Result<(), Error> {
        match &self.folder {
            Some(folder) => folder
                .delete(self.disk)
                .map_err(Error::writing(&folder.path)),
            None => Ok(()),
        }
    }

    fn make_folders(&self) -> Result<(), Error> {
        for entry in self.journal.entries.iter().filter(|it| it.folders > 0) {
            let path = self.root.join(&entry.path);
            let folder = path.parent().unwrap_or(self.root);
            make_folders(self.disk, folder).map_err(Error::writing(folder))?;
        }
        Ok(())
    }

    /// Returns the deletions: first those that must precede the new files, because they are at the
    /// path of a needed folder or below the path of a new file; then all others.
    fn deletions(&self) -> (Vec<&Step<'p>>, Vec<&Step<'p>>) {
        let (writes, deletions): (Vec<&Step<'p>>, Vec<&Step<'p>>) =
            self.steps.iter().partition(|step| step.new.is_some());
        let new_paths: FxHashSet<&Path> = writes.iter().map(|step| step.path).collect();
        let folders = writes.iter().flat_map(|step| step.path.ancestors().skip(1));
        let folders: FxHashSet<&Path> = folders.collect();
        deletions.into_iter().partition(|step| {
            let mut above = step.path.ancestors().skip(1);
            folders.contains(step.path) || above.any(|folder| new_paths.contains(folder))
        })
    }

    fn delete_files(&self, steps: &[&Step<'_>]) -> Result<(), Error> {
        for step in steps {
            self.check_stopped()?;
            step.check_unchanged(self.root)?;
            let path = self.root.join(step.path);
            if_there(self.disk.remove_file(&path)).map_err(Error::writing(&path))?;
            self.written.fetch_add(1, Ordering::Relaxed);
            self.remove_empty_folders(step.path.ancestors().skip(1));
        }
        Ok(())
    }

    /// Removes the folders, from the innermost to the outermost, until one is not empty.
    fn remove_empty_folders<'f>(&self, folders: impl Iterator<Item = &'f Path>) {
        for folder in folders.take_while(|folder| !folder.as_os_str().is_empty()) {
            if self.disk.remove_folder(&self.root.join(folder)).is_err() {
                break;
            }
        }
    }

    /// Writes the new contents to temporary files beside the files they replace.
    fn stage_all(&self) -> Result<(), Error> {
        all_ok(self.steps.par_iter().enumerate().map(|(index, step)| {
            let Some(new) = step.new else {
                return Ok(());
            };
            self.check_stopped()?;
            let staged = NewFile {
                owner: Some(&self.root.join(step.owner())),
                permissions: mode(&step.change.permissions).and_then(permissions),
                durable: self.durable,
            };
            let to = self.root.join(self.journal.staged(index));
            let staged = staged.put(self.disk, &to, new);
            staged.map_err(Error::writing(&self.root.join(step.path)))
        }))
    }

    /// Renames a staged file into place.
    fn move_into_place(&self, index: usize, step: &Step<'_>) -> Result<(), Error> {
        if step.new.is_none() {
            return Ok(());
        }
        self.check_stopped()?;
        step.check_unchanged(self.root)?;
        if step.old.is_none() {
            // a new file may be at the path of a folder, which is empty by now
            self.remove_empty_folders(step.path.ancestors());
        }
        let path = self.root.join(step.path);
        let staged = self.root.join(self.journal.staged(index));
        let placed = self.disk.rename(&staged, &path);
        placed.map_err(Error::writing(&path))?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Syncs the folders in which files were renamed or deleted.
    fn sync_folders(&self) -> Result<(), Error> {
        let paths = self.steps.iter().map(|step| step.path);
        let folders = paths.flat_map(|path| path.ancestors().skip(1));
        for folder in folders.collect::<FxHashSet<&Path>>() {
            let path = self.root.join(folder);
            let file = if_there(File::open(&path)).map_err(Error::writing(&path))?;
            let synced = file.map_or(Ok(()), |file| self.disk.sync(&file));
            synced.map_err(Error::writing(&path))?;
        }
        Ok(())
    }

    fn check_stopped(&self) -> Result<(), Error> {
        match self.disk.is_stopped() {
            true => Err(Error::Stopped { written: 0 }),
            false => Ok(()),
        }
    }

    /// Returns the error for changes that could not be undone, with the number of changed files.
    fn with_count(&self, error: Error) -> Error {
        let written = self.written.load(Ordering::Relaxed);
        let (path, error) = match error {
            Error::Stopped { .. } => return Error::Stopped { written },
            Error::Write { path, error, .. } => (path, error),
            other => (self.root.to_owned(), io::Error::other(other.to_string())),
        };
        Error::Write {
            path,
            error,
            written,
        }
    }
}

/// Returns the error of the first failed step in the order of the steps, not of time.
fn all_ok(results: impl IndexedParallelIterator<Item = Result<(), Error>>) -> Result<(), Error> {
    let results: Vec<Result<(), Error>> = results.collect();
    results.into_iter().collect()
}
