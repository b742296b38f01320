//! A plan, written to disk so that every file is whole at any moment, and so that all of it is done
//! or nothing (rules: Writing).

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::bytes::Bytes;
use super::disk::{Disk, RealDisk, Seen, Unlike, gone_is_fine, is_content};
use super::journal::{Entry, Inside, Journal, Old, Print};
use super::owner::{keep_owner, mode, permissions};
use super::plan::{ChangeKind, Plan};
use super::run_folder::RunFolder;
use super::undo::{forget, missing_folders, take_back};
use crate::error::Error;

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
        let writer = Writer {
            disk,
            root: &self.root,
            steps: self.steps(),
            durable,
            awaits_commit: self.awaits_commit,
            written: AtomicUsize::new(0),
        };
        // of a run that was killed, and did nothing that matters
        forget(disk, &self.root)?;
        writer.run(self.merge)
    }

    fn steps(&self) -> Vec<Step<'_>> {
        let mut steps = Vec::with_capacity(self.files.len());
        for change in &self.files {
            let step = |path, old, new| Step {
                path,
                old,
                new,
                owner: path,
                permissions: &change.permissions,
                old_permissions: change
                    .old_permissions
                    .as_ref()
                    .unwrap_or(&change.permissions),
                seen: change.seen,
            };
            let old = change.old.as_ref();
            let new = change.new.as_ref();
            match &change.kind {
                ChangeKind::Moved { from } => {
                    steps.push(step(from, old, None));
                    steps.push(Step {
                        owner: from,
                        ..step(&change.path, None, new)
                    });
                }
                _ => steps.push(step(&change.path, old, new)),
            }
        }
        steps
    }
}

/// What becomes of one place.
#[derive(Clone, Copy)]
struct Step<'p> {
    path: &'p Path,
    old: Option<&'p Bytes>,
    new: Option<&'p Bytes>,
    /// The file whose owner a new one stays.
    owner: &'p Path,
    permissions: &'p Permissions,
    old_permissions: &'p Permissions,
    seen: Option<Seen>,
}

struct Writer<'p> {
    disk: &'p dyn Disk,
    root: &'p Path,
    steps: Vec<Step<'p>>,
    durable: bool,
    awaits_commit: bool,
    written: AtomicUsize,
}

/// How much of the old contents is written at once, in bytes.
const PIECE: usize = 256 << 10;

impl Writer<'_> {
    fn run(&self, merge: u64) -> Result<(), Error> {
        if self.steps.is_empty() {
            return Ok(());
        }
        all(self.steps.par_iter().map(|step| self.seems_unchanged(step)))?;
        let run = &self.begin(merge)?;
        let journal = &run.journal;
        let (early, late): (Vec<_>, Vec<_>) = self.deletions().partition(|(_, early)| *early);
        let keep = || self.keep_old(run);
        let stage = || self.stage_all(journal);
        // temporary files do no harm before the old contents are kept; what makes room for them
        // does
        let has_room = journal.folders.is_empty() && early.is_empty();
        let begun = || match has_room {
            true => {
                let (kept, staged) = rayon::join(keep, stage);
                kept.and(staged)
            }
            false => keep()
                .and_then(|()| self.make_room(&early, journal))
                .and_then(|()| stage()),
        };
        let done = self
            .write_down(run)
            .and_then(|()| begun())
            .and_then(|()| self.carry_out(journal, &late))
            .and_then(|()| self.end(run));
        done.map_err(|error| {
            let old = run.folder.as_ref().map(RunFolder::old);
            let undone = take_back(self.disk, self.root, journal, old.as_deref());
            match undone.and_then(|()| self.close(run)) {
                Ok(()) => error,
                Err(_) => self.with_count(&error),
            }
        })
    }

    /// What will be done, and where it is kept.
    fn begin(&self, merge: u64) -> Result<Run, Error> {
        let folder = match RunFolder::make(self.disk, self.root) {
            // one file that is replaced is old or new as it is
            Err(Error::Write { .. }) if self.steps.len() == 1 && self.steps[0].new.is_some() => {
                None
            }
            folder => Some(folder?),
        };
        let journal = self.journal(merge, folder.as_ref());
        match journal {
            Ok(journal) => Ok(Run { folder, journal }),
            Err(error) => {
                let closed = folder.map(|folder| folder.close(self.disk));
                // an empty folder is no matter
                let _ = closed;
                Err(error)
            }
        }
    }

    /// The system says of the file what it said when it was read, or else the file is what it was.
    fn seems_unchanged(&self, step: &Step<'_>) -> Result<(), Error> {
        let now = fs::symlink_metadata(self.root.join(step.path)).ok();
        match (step.old, step.seen, now) {
            (Some(_), Some(seen), Some(now)) if seen == Seen::of(&now) => Ok(()),
            _ => self.unchanged(step),
        }
    }

    /// The file is what it was when it was read.
    fn unchanged(&self, step: &Step<'_>) -> Result<(), Error> {
        let path = || self.root.join(step.path);
        // a folder here is one that will be empty by the time the file comes
        match is_content(self.root, step.path, step.old.map(|old| &**old)) {
            Ok(true) => Ok(()),
            Err(Unlike::Unreadable(error)) => Err(Error::Read {
                path: path(),
                error,
            }),
            _ => Err(Error::Changed { path: path() }),
        }
    }

    fn journal(&self, merge: u64, run: Option<&RunFolder>) -> Result<Journal, Error> {
        let inside = |path: &Path| {
            Inside::new(path).ok_or_else(|| {
                let message = "a package has no such file";
                self.error(&self.root.join(path), io::Error::other(message))
            })
        };
        let entries = self.steps.par_iter().map(|step| {
            Ok(Entry {
                path: inside(step.path)?,
                old: step.old.map(|bytes| Old {
                    content: Print::of(bytes),
                    mode: mode(step.old_permissions),
                }),
                new: step.new.map(Print::of),
            })
        });
        let mut folders: FxHashSet<PathBuf> = FxHashSet::default();
        for step in self.steps.iter().filter(|step| step.old.is_none()) {
            let above = step.path.parent().unwrap_or(Path::new(""));
            for missing in missing_folders(&self.root.join(above)) {
                folders.extend(missing.strip_prefix(self.root).map(Path::to_owned));
            }
        }
        let folders = folders.iter().map(|folder| inside(folder));
        let mut folders = folders.collect::<Result<Vec<_>, _>>()?;
        folders.sort_unstable();
        let package = run.map(|run| run.package().clone()).unwrap_or_default();
        let entries = entries.collect::<Result<_, Error>>()?;
        Ok(Journal::new(&package, merge, folders, entries))
    }

    fn write_down(&self, run: &Run) -> Result<(), Error> {
        let Some(folder) = &run.folder else {
            return Ok(());
        };
        let path = folder.manifest();
        let write = || {
            let mut file = self.disk.create_file(&path)?;
            self.disk.write(&mut file, &run.journal.to_bytes())?;
            if self.durable {
                self.disk.sync(&file)?;
                for folder in folder.path().ancestors().take(2) {
                    self.disk.sync(&File::open(folder)?)?;
                }
            }
            Ok(())
        };
        write().map_err(|error| self.error(&path, error))
    }

    /// Writes down what is in the files now, one after the other.
    fn keep_old(&self, run: &Run) -> Result<(), Error> {
        let Some(folder) = &run.folder else {
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
        keep().map_err(|error| self.error(&path, error))
    }

    /// All of it is done.
    fn end(&self, run: &Run) -> Result<(), Error> {
        match &run.folder {
            Some(folder) if self.awaits_commit => folder
                .keep_until_committed(self.disk)
                .map_err(|error| self.error(folder.path(), error)),
            _ => self.close(run),
        }
    }

    fn close(&self, run: &Run) -> Result<(), Error> {
        let Some(folder) = &run.folder else {
            return Ok(());
        };
        let closed = folder.close(self.disk);
        closed.map_err(|error| self.error(folder.path(), error))
    }

    /// What stands where a folder is to be, or the other way round, goes, and folders come.
    fn make_room(&self, early: &[(&Step<'_>, bool)], journal: &Journal) -> Result<(), Error> {
        self.delete(early)?;
        for folder in &journal.folders {
            let path = self.root.join(&**folder);
            self.disk
                .create_folder(&path)
                .map_err(|error| self.error(&path, error))?;
        }
        Ok(())
    }

    fn stage_all(&self, journal: &Journal) -> Result<(), Error> {
        let steps = self.steps.par_iter().enumerate();
        all(steps.map(|(index, step)| self.stage(step, &self.root.join(journal.staged(index)))))
    }

    fn carry_out(&self, journal: &Journal, late: &[(&Step<'_>, bool)]) -> Result<(), Error> {
        let steps = self.steps.par_iter().enumerate();
        all(steps.map(|(index, step)| self.place(step, &self.root.join(journal.staged(index)))))?;
        self.delete(late)?;
        if self.durable {
            self.sync_folders()?;
        }
        Ok(())
    }

    /// The files that go for good, and whether they have to before others come.
    fn deletions(&self) -> impl Iterator<Item = (&Step<'_>, bool)> {
        let mut places: FxHashSet<&Path> = FxHashSet::default();
        let mut folders: FxHashSet<&Path> = FxHashSet::default();
        for step in self.steps.iter().filter(|step| step.new.is_some()) {
            places.insert(step.path);
            folders.extend(step.path.ancestors().skip(1));
        }
        let deleted = self.steps.iter().filter(|step| step.new.is_none());
        deleted.map(move |step| {
            let below = step
                .path
                .ancestors()
                .skip(1)
                .any(|folder| places.contains(folder));
            (step, below || folders.contains(step.path))
        })
    }

    fn delete(&self, steps: &[(&Step<'_>, bool)]) -> Result<(), Error> {
        for (step, _) in steps {
            self.go_on()?;
            self.unchanged(step)?;
            self.remove(&self.root.join(step.path))?;
            self.written.fetch_add(1, Ordering::Relaxed);
            self.remove_empty_folders(step.path);
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), Error> {
        self.disk
            .remove_file(path)
            .or_else(gone_is_fine)
            .map_err(|error| self.error(path, error))
    }

    /// The folders above a file that is gone, as far as they are empty now.
    fn remove_empty_folders(&self, path: &Path) {
        for folder in path.ancestors().skip(1) {
            let is_root = folder.as_os_str().is_empty();
            if is_root || self.disk.remove_folder(&self.root.join(folder)).is_err() {
                break;
            }
        }
    }

    /// The new content, in a temporary file beside its place.
    fn stage(&self, step: &Step<'_>, staged: &Path) -> Result<(), Error> {
        let Some(new) = step.new else {
            return Ok(());
        };
        self.go_on()?;
        let path = self.root.join(step.path);
        let stage = || {
            // closed at the end: there may be more files than a process may have open
            let mut file = self.disk.create_file(staged)?;
            self.disk.write(&mut file, new)?;
            keep_owner(&self.root.join(step.owner), &file)?;
            if let Some(permissions) = permissions(mode(step.permissions)) {
                self.disk.set_permissions(&file, permissions)?;
            }
            if self.durable {
                self.disk.sync(&file)?;
            }
            Ok(())
        };
        stage().map_err(|error| self.error(&path, error))
    }

    /// A staged file goes to its place.
    fn place(&self, step: &Step<'_>, staged: &Path) -> Result<(), Error> {
        if step.new.is_none() {
            return Ok(());
        }
        self.go_on()?;
        self.unchanged(step)?;
        if step.old.is_none() {
            // folders here are empty by now
            self.remove_empty_folders(&step.path.join("x"));
        }
        let path = self.root.join(step.path);
        self.disk
            .rename(staged, &path)
            .map_err(|error| self.error(&path, error))?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The folders in which something was renamed or deleted.
    fn sync_folders(&self) -> Result<(), Error> {
        let mut folders: FxHashSet<&Path> = FxHashSet::default();
        for step in &self.steps {
            folders.extend(step.path.ancestors().skip(1));
        }
        for folder in folders {
            let path = self.root.join(folder);
            let synced = match File::open(&path) {
                Ok(file) => self.disk.sync(&file),
                Err(error) => gone_is_fine(error),
            };
            synced.map_err(|error| self.error(&path, error))?;
        }
        Ok(())
    }

    fn go_on(&self) -> Result<(), Error> {
        if self.disk.is_stopped() {
            Err(Error::Stopped { written: 0 })
        } else {
            Ok(())
        }
    }

    /// An error that is taken back: nothing was written then.
    fn error(&self, path: &Path, error: io::Error) -> Error {
        Error::Write {
            path: path.to_owned(),
            error,
            written: 0,
        }
    }

    /// The error, where what was done could not be taken back.
    fn with_count(&self, error: &Error) -> Error {
        let written = self.written.load(Ordering::Relaxed);
        match error {
            Error::Stopped { .. } => Error::Stopped { written },
            Error::Write { path, error, .. } => Error::Write {
                path: path.clone(),
                error: io::Error::new(error.kind(), error.to_string()),
                written,
            },
            other => Error::Write {
                path: self.root.to_owned(),
                error: io::Error::other(other.to_string()),
                written,
            },
        }
    }
}

/// A run that is under way.
struct Run {
    /// None where it changes one file, and no folder could be made for it.
    folder: Option<RunFolder>,
    journal: Journal,
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
