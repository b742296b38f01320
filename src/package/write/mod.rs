//! A plan, written to disk so that every file is whole at any moment, and so that all of it is done
//! or nothing (rules: Writing).
//!
//! [`journal`] is what a run writes down before it begins, [`run_folder`] where that is kept with
//! the old contents of the files, and [`mod@undo`] how it is taken back. One file has all the old
//! contents: to link or to move each file aside takes two more calls to the system for each, and
//! does not work from one file system to another.

mod disk;
mod journal;
mod run_folder;
mod step;
mod undo;

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::disk::gone_is_fine;
use super::owner::{mode, permissions};
use super::plan::Plan;
use crate::error::Error;
use journal::Journal;
use run_folder::RunFolder;
use step::{Step, steps};
use undo::{make_folders, take_back};

pub(crate) use disk::NewFile;
pub use disk::{Disk, RealDisk};
pub(crate) use journal::{LEFT_OUT, MODES, TEMPORARY, UNFINISHED, is_reserved};
pub(crate) use run_folder::{Left, git_folder, left_at};
pub use undo::undo;
pub(crate) use undo::{Progressed, forget, missing_folders, progress_at, settle};

/// How much of the old contents is written at once, in bytes.
const PIECE: usize = 256 << 10;

impl Plan {
    /// Writes the plan.
    ///
    /// First it is seen that no file has changed since it was read. Then what will be done and the
    /// old contents are kept in a folder of this run, which is not in the package; all new contents
    /// are written to temporary files beside their places; these are renamed into place, and what
    /// goes is deleted, with the folders that are left empty by that. At last the run's folder
    /// goes. With `durable`, contents and journal reach the disk before the renames, and the
    /// renames before the end.
    ///
    /// # Errors
    /// [`Error::Changed`] where somebody else was at it, [`Error::Write`] where the disk says no.
    /// What was done is taken back then; where the disk does not allow that either, every file is
    /// whole, and [`undo`](super::undo()) can take the rest back later.
    pub fn write(&self, durable: bool) -> Result<(), Error> {
        self.write_to(&RealDisk, durable)
    }

    /// [`Plan::write`], to a disk that may be told to fail, or to stop.
    ///
    /// # Errors
    /// As for [`Plan::write`], and [`Error::Stopped`] where the disk says that somebody wants that.
    pub fn write_to(&self, disk: &dyn Disk, durable: bool) -> Result<(), Error> {
        // of a run that was killed, and did nothing that matters
        forget(disk, &self.root)?;
        if self.files.is_empty() {
            return Ok(());
        }
        let run = WriteRun::begin(self, disk, durable)?;
        run.carry_out().map_err(|error| {
            let old = run.folder.as_ref().map(RunFolder::old);
            let undone = take_back(disk, &self.root, &run.journal, old.as_deref());
            match undone.and_then(|()| run.close()) {
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
    /// None where it changes one file, and no folder could be made for it.
    folder: Option<RunFolder>,
    journal: Journal,
    /// How many files have been changed.
    written: AtomicUsize,
}

impl<'p> WriteRun<'p> {
    /// Sees that no file has changed, and makes the run's folder.
    fn begin(plan: &'p Plan, disk: &'p dyn Disk, durable: bool) -> Result<Self, Error> {
        let (root, steps) = (&*plan.root, steps(plan));
        all(steps.par_iter().map(|step| step.seems_unchanged(root)))?;
        let entries = steps.par_iter().map(|step| step.entry(root));
        let entries = entries.collect::<Result<Vec<_>, Error>>()?;
        let folder = match RunFolder::make(disk, root) {
            // one file that is replaced is old or new as it is
            Err(Error::Write { .. }) if steps.len() == 1 && steps[0].new.is_some() => None,
            folder => Some(folder?),
        };
        let package = folder.as_ref().map(RunFolder::package);
        let package = package.unwrap_or(Path::new("")).to_owned();
        Ok(Self {
            disk,
            root,
            steps,
            durable,
            awaits_commit: plan.awaits_commit,
            journal: Journal::new(package, plan.merge, entries),
            folder,
            written: AtomicUsize::new(0),
        })
    }

    fn carry_out(&self) -> Result<(), Error> {
        self.write_down()?;
        let (early, late) = self.deletions();
        let makes_folders = self.journal.entries.iter().any(|entry| entry.folders > 0);
        if early.is_empty() && !makes_folders {
            // temporary files do no harm before the old contents are kept
            let (kept, staged) = rayon::join(|| self.keep_old(), || self.stage_all());
            kept.and(staged)?;
        } else {
            self.keep_old()?;
            self.delete(&early)?;
            self.make_folders()?;
            self.stage_all()?;
        }
        let steps = self.steps.par_iter().enumerate();
        all(steps.map(|(index, step)| self.place(index, step)))?;
        self.delete(&late)?;
        if self.durable {
            self.sync_folders()?;
        }
        match &self.folder {
            Some(folder) if self.awaits_commit => folder
                .keep_until_committed(self.disk)
                .map_err(Error::writing(folder.path())),
            _ => self.close(),
        }
    }

    fn write_down(&self) -> Result<(), Error> {
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
            let folders = folder.path().ancestors().take(2);
            for folder in folders.filter(|_| self.durable) {
                self.disk.sync(&File::open(folder)?)?;
            }
            Ok(())
        };
        write().map_err(Error::writing(&path))
    }

    /// Writes down what is in the files now, one after the other.
    fn keep_old(&self) -> Result<(), Error> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let path = folder.old();
        let keep = || {
            let file = self.disk.create_file(&path)?;
            let mut writer = BufWriter::with_capacity(PIECE, OnDisk(self.disk, file));
            for old in self.steps.iter().filter_map(|step| step.old) {
                writer.write_all(old)?;
            }
            writer.flush()?;
            match self.durable {
                true => self.disk.sync(&writer.get_ref().1),
                false => Ok(()),
            }
        };
        keep().map_err(Error::writing(&path))
    }

    fn close(&self) -> Result<(), Error> {
        self.folder.as_ref().map_or(Ok(()), |folder| {
            let closed = folder.close(self.disk);
            closed.map_err(Error::writing(folder.path()))
        })
    }

    fn make_folders(&self) -> Result<(), Error> {
        for entry in self.journal.entries.iter().filter(|it| it.folders > 0) {
            let path = self.root.join(&entry.path);
            let folder = path.parent().unwrap_or(self.root);
            make_folders(self.disk, folder).map_err(Error::writing(folder))?;
        }
        Ok(())
    }

    /// The files that go for good: those that have to before others come, because they are in the
    /// place of a folder or below that of a file, and the others.
    fn deletions(&self) -> (Vec<&Step<'p>>, Vec<&Step<'p>>) {
        let (come, go): (Vec<&Step<'p>>, Vec<&Step<'p>>) =
            self.steps.iter().partition(|step| step.new.is_some());
        let places: FxHashSet<&Path> = come.iter().map(|step| step.path).collect();
        let folders = come.iter().flat_map(|step| step.path.ancestors().skip(1));
        let folders: FxHashSet<&Path> = folders.collect();
        go.into_iter().partition(|step| {
            let mut above = step.path.ancestors().skip(1);
            folders.contains(step.path) || above.any(|folder| places.contains(folder))
        })
    }

    fn delete(&self, steps: &[&Step<'_>]) -> Result<(), Error> {
        for step in steps {
            self.go_on()?;
            step.unchanged(self.root)?;
            let path = self.root.join(step.path);
            let removed = self.disk.remove_file(&path).or_else(gone_is_fine);
            removed.map_err(Error::writing(&path))?;
            self.written.fetch_add(1, Ordering::Relaxed);
            self.remove_empty_folders(step.path.ancestors().skip(1));
        }
        Ok(())
    }

    /// Removes folders, each in the next one, as far as they are empty.
    fn remove_empty_folders<'f>(&self, folders: impl Iterator<Item = &'f Path>) {
        for folder in folders.take_while(|folder| !folder.as_os_str().is_empty()) {
            if self.disk.remove_folder(&self.root.join(folder)).is_err() {
                break;
            }
        }
    }

    /// Puts the new contents into temporary files beside their places.
    fn stage_all(&self) -> Result<(), Error> {
        all(self.steps.par_iter().enumerate().map(|(index, step)| {
            let Some(new) = step.new else {
                return Ok(());
            };
            self.go_on()?;
            let staged = NewFile {
                owner: Some(&self.root.join(step.owner)),
                permissions: permissions(mode(&step.change.permissions)),
                durable: self.durable,
            };
            let to = self.root.join(self.journal.staged(index));
            let staged = staged.put(self.disk, &to, new);
            staged.map_err(Error::writing(&self.root.join(step.path)))
        }))
    }

    /// A staged file goes to its place.
    fn place(&self, index: usize, step: &Step<'_>) -> Result<(), Error> {
        if step.new.is_none() {
            return Ok(());
        }
        self.go_on()?;
        step.unchanged(self.root)?;
        if step.old.is_none() {
            // folders here are empty by now
            self.remove_empty_folders(step.path.ancestors());
        }
        let path = self.root.join(step.path);
        let staged = self.root.join(self.journal.staged(index));
        let placed = self.disk.rename(&staged, &path);
        placed.map_err(Error::writing(&path))?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The folders in which something was renamed or deleted.
    fn sync_folders(&self) -> Result<(), Error> {
        let folders = self
            .steps
            .iter()
            .flat_map(|step| step.path.ancestors().skip(1));
        for folder in folders.collect::<FxHashSet<&Path>>() {
            let path = self.root.join(folder);
            let synced = match File::open(&path) {
                Ok(file) => self.disk.sync(&file),
                Err(error) => gone_is_fine(error),
            };
            synced.map_err(Error::writing(&path))?;
        }
        Ok(())
    }

    fn go_on(&self) -> Result<(), Error> {
        match self.disk.is_stopped() {
            true => Err(Error::Stopped { written: 0 }),
            false => Ok(()),
        }
    }

    /// The error, where what was done could not be taken back.
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

/// A file on a disk.
struct OnDisk<'p>(&'p dyn Disk, File);

impl io::Write for OnDisk<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&mut self.1, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All results; of several errors that of the first file, whichever thread was first.
fn all(results: impl IndexedParallelIterator<Item = Result<(), Error>>) -> Result<(), Error> {
    let results: Vec<Result<(), Error>> = results.collect();
    results.into_iter().collect()
}
