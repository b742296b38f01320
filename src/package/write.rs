//! A plan, written to disk so that every file is whole at any moment, and so that all of it is done or nothing (SPEC 9).

use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::bytes::Bytes;
use super::disk::{Disk, RealDisk, Seen, Unlike, gone_is_fine, is_content, temporary_for};
use super::journal::{Entry, JOURNAL, Journal, Old, Print};
use super::owner::{keep_owner, mode};
use super::plan::{ChangeKind, Plan};
use super::undo::{missing_folders, take_back};
use crate::error::Error;

impl Plan {
    /// Writes the plan.
    ///
    /// First it is seen that no file has changed since it was read. Then it is written down what will be done, in a journal at
    /// the top of the package; all new contents are written to temporary files beside their places; these are renamed into
    /// place, and what goes is deleted, with the folders that are left empty by that. At last the journal goes.
    /// With `durable`, contents and journal reach the disk before the renames, and the renames before the end.
    ///
    /// # Errors
    /// [`Error::Changed`] where somebody else was at it, [`Error::Write`] where the disk says no. What was done is taken
    /// back then; where the disk does not allow that either, every file is whole, and [`undo`](super::undo()) can take the
    /// rest back later.
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
            written: AtomicUsize::new(0),
        };
        writer.clear(&self.leftovers)?;
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
            let old = change.old.as_deref();
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
    old: Option<&'p [u8]>,
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
    written: AtomicUsize,
}

impl Writer<'_> {
    /// What a run left that was killed.
    fn clear(&self, leftovers: &[PathBuf]) -> Result<(), Error> {
        for leftover in leftovers {
            self.remove(leftover)?;
        }
        Ok(())
    }

    fn run(&self, merge: u64) -> Result<(), Error> {
        if self.steps.is_empty() {
            return Ok(());
        }
        all(self.steps.par_iter().map(|step| self.seems_unchanged(step)))?;
        let journal = self.journal(merge);
        let path = self.root.join(JOURNAL);
        // one file that is replaced is old or new as it is
        let is_written = self.steps.len() > 1 || self.steps[0].new.is_none();
        let (early, late): (Vec<_>, Vec<_>) = self.deletions().partition(|(_, early)| *early);
        // temporary files do no harm before the journal is there; what makes room for them does
        let has_room = journal.folders.is_empty() && early.is_empty();
        let begin = || match is_written {
            true => self.write_down(&journal, &path),
            false => Ok(()),
        };
        let stage = || self.stage_all();
        let begun = if has_room {
            let (begun, staged) = rayon::join(begin, stage);
            begun.and(staged)
        } else {
            begin()
                .and_then(|()| self.make_room(&early, &journal))
                .and_then(|()| stage())
        };
        let end = || {
            if is_written {
                self.remove(&path)
            } else {
                Ok(())
            }
        };
        let done = begun
            .and_then(|()| self.carry_out(&late))
            .and_then(|()| end());
        done.map_err(|error| {
            let undone = take_back(self.disk, self.root, &journal).and_then(|()| end());
            if undone.is_ok() {
                error
            } else {
                self.with_count(&error)
            }
        })
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
        match is_content(self.root, step.path, step.old) {
            Ok(true) => Ok(()),
            Err(Unlike::Unreadable(error)) => Err(Error::Read {
                path: path(),
                error,
            }),
            _ => Err(Error::Changed { path: path() }),
        }
    }

    fn journal(&self, merge: u64) -> Journal<'_> {
        let entries = self.steps.par_iter().map(|step| Entry {
            path: step.path.to_owned(),
            old: step.old.map(|bytes| Old {
                bytes: bytes.into(),
                mode: mode(step.old_permissions),
            }),
            new: step.new.map(Print::of),
        });
        let mut folders: FxHashSet<PathBuf> = FxHashSet::default();
        for step in self.steps.iter().filter(|step| step.old.is_none()) {
            let above = step.path.parent().unwrap_or(Path::new(""));
            for missing in missing_folders(&self.root.join(above)) {
                folders.extend(missing.strip_prefix(self.root).map(Path::to_owned));
            }
        }
        let mut folders: Vec<PathBuf> = folders.into_iter().collect();
        folders.sort_unstable();
        Journal {
            merge,
            folders,
            entries: entries.collect(),
        }
    }

    fn write_down(&self, journal: &Journal<'_>, path: &Path) -> Result<(), Error> {
        let write = || {
            let mut file = self.disk.create_file(path)?;
            journal.write_to(|piece| self.disk.write(&mut file, piece))?;
            if self.durable {
                self.disk.sync(&file)?;
                self.disk.sync(&File::open(self.root)?)?;
            }
            Ok(())
        };
        write().map_err(|error| self.error(path, error))
    }

    /// What stands where a folder is to be, or the other way round, goes, and folders come.
    fn make_room(&self, early: &[(&Step<'_>, bool)], journal: &Journal<'_>) -> Result<(), Error> {
        self.delete(early)?;
        for folder in &journal.folders {
            let path = self.root.join(folder);
            self.disk
                .create_folder(&path)
                .map_err(|error| self.error(&path, error))?;
        }
        Ok(())
    }

    fn stage_all(&self) -> Result<(), Error> {
        all(self.steps.par_iter().map(|step| self.stage(step)))
    }

    fn carry_out(&self, late: &[(&Step<'_>, bool)]) -> Result<(), Error> {
        all(self.steps.par_iter().map(|step| self.place(step)))?;
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
    fn stage(&self, step: &Step<'_>) -> Result<(), Error> {
        let Some(new) = step.new else {
            return Ok(());
        };
        self.go_on()?;
        let path = self.root.join(step.path);
        let stage = || {
            // closed at the end: there may be more files than a process may have open
            let mut file = self.disk.create_file(&temporary_for(&path))?;
            self.disk.write(&mut file, new)?;
            keep_owner(&self.root.join(step.owner), &file)?;
            self.disk.set_permissions(&file, step.permissions.clone())?;
            if self.durable {
                self.disk.sync(&file)?;
            }
            Ok(())
        };
        stage().map_err(|error| self.error(&path, error))
    }

    /// A staged file goes to its place.
    fn place(&self, step: &Step<'_>) -> Result<(), Error> {
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
            .rename(&temporary_for(&path), &path)
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

/// All results; of several errors that of the first file, whichever thread was first.
fn all(results: impl IndexedParallelIterator<Item = Result<(), Error>>) -> Result<(), Error> {
    let results: Vec<Result<(), Error>> = results.collect();
    results.into_iter().collect()
}
