//! What a run has done to a package, taken back: by the run itself where it cannot go on, or by the
//! next one where it was killed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::disk::{Disk, RealDisk, gone_is_fine};
use super::journal::{Entry, Journal, Old, Print, State};
use super::owner::{mode, permissions};
use super::run_folder::{Left, left_at};
use crate::error::Error;

/// What is to be known of what a run left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing of importance: nothing was done, or all of it and it was another merge.
    Nothing,
    /// The run did a part of its work. Whether it was the same merge.
    Unfinished { same: bool },
}

/// How far a run came that did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progressed {
    /// It may have done a part of its work.
    Partly,
    /// It did all of its work, but for the commit, and changed these files.
    Wholly(Vec<PathBuf>),
    /// It did all of its work, and somebody took that back.
    TakenBack,
    /// It did all of its work, and this file, among others perhaps, was changed since.
    Changed(PathBuf),
}

/// What it means for a run of the merge with that fingerprint that another one left this.
///
/// # Errors
/// Where a file that was changed cannot be read.
pub(crate) fn look(root: &Path, left: &Left, merge: u64) -> Result<Found, Error> {
    let journal = &left.journal;
    if left.written || left.folder.old().symlink_metadata().is_err() {
        return Ok(Found::Nothing);
    }
    let states = states(journal, root)?;
    let all = |wanted: State| states.iter().all(|state| *state == wanted);
    let is_made = |folder: &Path| root.join(folder).is_dir();
    let untouched = all(State::Old) && !journal.folders.iter().any(|folder| is_made(folder));
    let same = journal.merge == merge;
    // the same merge starts anew: conflicts that nobody was told of are found again
    if untouched || !same && all(State::New) {
        return Ok(Found::Nothing);
    }
    Ok(Found::Unfinished { same })
}

/// Takes back what a run did in the folder `local` that was killed before it was done, so that its
/// merge can be run anew.
///
/// # Errors
/// [`Error::ChangedSince`] where somebody changed one of its files since: nothing is done then.
/// [`Error::Write`] where the disk says no: what is left can be taken back later.
pub fn undo(local: &Path) -> Result<(), Error> {
    let Some(left) = left_at(local)? else {
        return Ok(());
    };
    let old = left.folder.old();
    if old.symlink_metadata().is_err() {
        return forget(&RealDisk, local);
    }
    let states = states(&left.journal, local)?;
    if let Some(other) = states.iter().position(|state| *state == State::Other) {
        return Err(Error::ChangedSince {
            path: local.join(&*left.journal.entries[other].path),
            journal: old,
        });
    }
    take_back(&RealDisk, local, &left.journal, Some(&old))?;
    let closed = left.folder.close(&RealDisk);
    closed.map_err(|error| failed(left.folder.path(), error))
}

/// How far the run came that left something at a package; none where nothing was left.
///
/// # Errors
/// Where that cannot be read.
pub(crate) fn progress_at(root: &Path) -> Result<Option<Progressed>, Error> {
    let Some(left) = left_at(root)? else {
        return Ok(None);
    };
    if !left.written {
        return Ok(Some(Progressed::Partly));
    }
    let states = states(&left.journal, root)?;
    let all = |wanted: State| states.iter().all(|state| *state == wanted);
    Ok(Some(if all(State::New) {
        let entries = left.journal.entries.iter();
        Progressed::Wholly(entries.map(|entry| entry.path.to_path_buf()).collect())
    } else if all(State::Old) {
        Progressed::TakenBack
    } else {
        let changed = states.iter().position(|state| *state != State::New);
        let changed = &left.journal.entries[changed.unwrap_or_default()];
        Progressed::Changed(changed.path.to_path_buf())
    }))
}

/// Forgets what a run left: what it did stays, but for its temporary files.
///
/// # Errors
/// Where the disk says no.
pub(crate) fn forget(disk: &dyn Disk, root: &Path) -> Result<(), Error> {
    let Some(left) = left_at(root)? else {
        return Ok(());
    };
    remove_staged(disk, root, &left.journal)?;
    let closed = left.folder.close(disk);
    closed.map_err(|error| failed(left.folder.path(), error))
}

fn states(journal: &Journal, root: &Path) -> Result<Vec<State>, Error> {
    let state = |entry: &Entry| {
        let path = root.join(&*entry.path);
        match entry.state(root) {
            Ok(State::Old) if has_new_mode(&path, entry) => Ok(State::New),
            Ok(state) => Ok(state),
            Err(error) => Err(Error::Read { path, error }),
        }
    };
    journal.entries.iter().map(state).collect()
}

/// Whether a file of which only the permissions change has the new ones.
fn has_new_mode(path: &Path, entry: &Entry) -> bool {
    let Some(old) = &entry.old else {
        return false;
    };
    let now = std::fs::symlink_metadata(path).ok();
    let now = now.and_then(|now| mode(&now.permissions()));
    now != old.mode && entry.new == Some(old.content)
}

fn remove_staged(disk: &dyn Disk, root: &Path, journal: &Journal) -> Result<(), Error> {
    for staged in journal.all_staged() {
        let staged = root.join(staged);
        if staged.symlink_metadata().is_ok() {
            disk.remove_file(&staged)
                .or_else(gone_is_fine)
                .map_err(|error| failed(&staged, error))?;
        }
    }
    Ok(())
}

/// Puts back every file that is what the journal says it was to become, from the file of old
/// contents. Files that somebody else has changed since stay.
///
/// # Errors
/// Where the disk says no. It can be tried again.
pub(crate) fn take_back(
    disk: &dyn Disk,
    root: &Path,
    journal: &Journal,
    old: Option<&Path>,
) -> Result<(), Error> {
    let states = states(journal, root)?;
    remove_staged(disk, root, journal)?;
    let is_done = |index: &usize| states[*index] == State::New;
    let done = || (0..states.len()).filter(is_done);
    // what came makes room for what was there
    for entry in done().map(|index| &journal.entries[index]) {
        if entry.old.is_none() {
            let path = root.join(&*entry.path);
            disk.remove_file(&path)
                .or_else(gone_is_fine)
                .map_err(|error| failed(&path, error))?;
        }
    }
    for folder in journal.folders.iter().rev() {
        // one in which somebody has put something stays
        let _ = disk.remove_folder(&root.join(&**folder));
    }
    for index in done() {
        if let (Some(content), Some(path)) = (journal.entries[index].old, old) {
            let bytes =
                kept(path, journal, index, content.content).map_err(|error| failed(path, error))?;
            let place = root.join(&*journal.entries[index].path);
            restore(
                disk,
                root,
                &root.join(journal.staged(index)),
                &place,
                (&bytes, content),
            )
            .map_err(|error| failed(&place, error))?;
        }
    }
    Ok(())
}

/// The old content of an entry, out of the file that has them all.
fn kept(path: &Path, journal: &Journal, index: usize, content: Print) -> io::Result<Vec<u8>> {
    let before = journal.entries[..index].iter();
    let start = before
        .filter_map(|entry| Some(entry.old?.content.length))
        .sum();
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(content.length).read_to_end(&mut bytes)?;
    match Print::of(&bytes.clone().into()) == content {
        true => Ok(bytes),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it does not hold the old contents of the files",
        )),
    }
}

fn restore(
    disk: &dyn Disk,
    root: &Path,
    staged: &Path,
    place: &Path,
    (bytes, old): (&[u8], Old),
) -> io::Result<()> {
    let folder = place.parent().unwrap_or(root);
    for folder in missing_folders(folder) {
        disk.create_folder(&folder)?;
    }
    let mut file = disk.create_file(staged)?;
    let written = disk.write(&mut file, bytes).and_then(|()| {
        super::owner::keep_owner(place, &file)?;
        match permissions(old.mode) {
            Some(permissions) => disk.set_permissions(&file, permissions),
            None => Ok(()),
        }
    });
    drop(file);
    written
        .and_then(|()| disk.rename(staged, place))
        .inspect_err(|_| {
            // what is left of it goes with the next try
            let _ = disk.remove_file(staged);
        })
}

/// The folders that have to be made for `folder` to be there, those above first.
pub(crate) fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        error,
        written: 1,
    }
}
