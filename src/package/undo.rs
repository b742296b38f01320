//! What a run has done to a package, taken back: by the run itself where it cannot go on, or by the next one where it was killed.

use std::fs::Permissions;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, RealDisk, gone_is_fine, temporary_for};
use super::journal::{Entry, JOURNAL, Journal, Old, Print, State};
use crate::error::Error;

/// What is to be known of a journal that is found in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// None, or one that says nothing of importance: nothing was done, or all of it and it was another merge.
    Nothing,
    /// The run that wrote it did a part of its work. Whether it was the same merge.
    Unfinished { same: bool },
}

/// What a journal means for a run of the merge with that fingerprint.
///
/// # Errors
/// Where it, or a file that it names, cannot be read.
pub(crate) fn look(root: &Path, bytes: &[u8], merge: u64) -> Result<Found, Error> {
    let Some(journal) = Journal::read(bytes) else {
        return Ok(Found::Nothing);
    };
    let states = states(&journal, root)?;
    let all = |wanted: State| states.iter().all(|state| *state == wanted);
    let same = journal.merge == merge;
    // the same merge starts anew: conflicts that nobody was told of are found again
    if all(State::Old) && journal.folders.is_empty() || !same && all(State::New) {
        return Ok(Found::Nothing);
    }
    Ok(Found::Unfinished { same })
}

/// Takes back what a run did in `local` that was killed before it was done, so that its merge can be run anew.
///
/// # Errors
/// [`Error::ChangedSince`] where somebody changed one of its files since: nothing is done then. [`Error::Write`] where the
/// disk says no: what is left can be taken back later.
pub fn undo(local: &Path) -> Result<(), Error> {
    let path = local.join(JOURNAL);
    let bytes = super::disk::read_named(&path).map_err(|error| Error::Read {
        path: path.clone(),
        error,
    })?;
    if let Some(journal) = Journal::read(&bytes) {
        let states = states(&journal, local)?;
        let other = states.iter().position(|state| *state == State::Other);
        if let Some(other) = other {
            return Err(Error::ChangedSince {
                path: local.join(&journal.entries[other].path),
                journal: path,
            });
        }
        take_back(&RealDisk, local, &journal)?;
    }
    RealDisk
        .remove_file(&path)
        .map_err(|error| failed(&path, error))
}

fn states(journal: &Journal<'_>, root: &Path) -> Result<Vec<State>, Error> {
    let state = |entry: &Entry<'_>| {
        let path = root.join(&entry.path);
        match entry.state(root) {
            Ok(State::Old) if has_new_mode(&path, entry) => Ok(State::New),
            Ok(state) => Ok(state),
            Err(error) => Err(Error::Read { path, error }),
        }
    };
    journal.entries.iter().map(state).collect()
}

/// Whether a file of which only the permissions change has the new ones.
fn has_new_mode(path: &Path, entry: &Entry<'_>) -> bool {
    let Some(old) = &entry.old else {
        return false;
    };
    let now = std::fs::symlink_metadata(path).ok();
    let now = now.and_then(|now| super::owner::mode(&now.permissions()));
    now != old.mode && entry.new == Some(Print::of(&old.bytes.to_vec().into()))
}

/// Puts back every file that is what the journal says it was to become. Files that somebody else has changed since stay.
///
/// # Errors
/// Where the disk says no. It can be tried again.
pub(crate) fn take_back(disk: &dyn Disk, root: &Path, journal: &Journal<'_>) -> Result<(), Error> {
    let states = states(journal, root)?;
    for entry in &journal.entries {
        let staged = root.join(temporary_for(&entry.path));
        disk.remove_file(&staged)
            .or_else(gone_is_fine)
            .map_err(|error| failed(&staged, error))?;
    }
    let done = || {
        let both = journal.entries.iter().zip(&states);
        both.filter(|(_, state)| **state == State::New)
            .map(|(entry, _)| entry)
    };
    // what came makes room for what was there
    for entry in done().filter(|entry| entry.old.is_none()) {
        let path = root.join(&entry.path);
        disk.remove_file(&path)
            .or_else(gone_is_fine)
            .map_err(|error| failed(&path, error))?;
    }
    for folder in journal.folders.iter().rev() {
        // one in which somebody has put something stays
        let _ = disk.remove_folder(&root.join(folder));
    }
    for entry in done() {
        if let Some(old) = &entry.old {
            restore(disk, root, &entry.path, old)
                .map_err(|error| failed(&root.join(&entry.path), error))?;
        }
    }
    Ok(())
}

fn restore(disk: &dyn Disk, root: &Path, path: &Path, old: &Old<'_>) -> io::Result<()> {
    let whole = root.join(path);
    let folder = whole.parent().unwrap_or(root);
    for folder in missing_folders(folder) {
        disk.create_folder(&folder)?;
    }
    let staged = temporary_for(&whole);
    let mut file = disk.create_file(&staged)?;
    let written = disk.write(&mut file, &old.bytes).and_then(|()| {
        super::owner::keep_owner(&whole, &file)?;
        match permissions(old) {
            Some(permissions) => disk.set_permissions(&file, permissions),
            None => Ok(()),
        }
    });
    drop(file);
    written
        .and_then(|()| disk.rename(&staged, &whole))
        .inspect_err(|_| {
            // what is left of it goes with the next try
            let _ = disk.remove_file(&staged);
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

#[cfg(unix)]
fn permissions(old: &Old<'_>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    old.mode.map(Permissions::from_mode)
}

#[cfg(not(unix))]
fn permissions(_old: &Old<'_>) -> Option<Permissions> {
    None
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        error,
        written: 1,
    }
}
