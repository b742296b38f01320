//! Takes back what a run did to a package: the run itself where it cannot go on, or the next one
//! where it was killed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::disk::{Disk, NewFile, RealDisk};
use super::journal::{Journal, JournalEntry, Print, State};
use super::run_folder::{Left, left_at};
use crate::error::{Error, shown};
use crate::package::disk::gone_is_fine;
use crate::package::owner::permissions;

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

/// Sees to what a run left in a folder that did not come to its end, before the merge with that
/// fingerprint: nothing is to be done where it did nothing, or all of another merge.
///
/// # Errors
/// [`Error::Unfinished`] where it did a part of its work, [`Error::Read`] where a file that it
/// changed cannot be read.
pub(crate) fn settle(root: &Path, left: Option<Left>, merge: u64) -> Result<(), Error> {
    let Some(left) = left else {
        return Ok(());
    };
    let journal = left.folder.old();
    if left.written || journal.symlink_metadata().is_err() {
        return Ok(());
    }
    let states = left.journal.states(root)?;
    let all = |wanted: State| states.iter().all(|state| *state == wanted);
    let is_made = |entry: &JournalEntry| entry.folders().any(|folder| root.join(folder).is_dir());
    let untouched = all(State::Old) && !left.journal.entries.iter().any(is_made);
    let same = left.journal.merge == merge;
    // the same merge starts anew: conflicts that nobody was told of are found again
    if untouched || !same && all(State::New) {
        return Ok(());
    }
    Err(Error::Unfinished {
        package: root.to_owned(),
        journal,
        same,
    })
}

/// Takes back what a run did in the folder `local` that was killed before it was done, so that its
/// merge can be run anew.
///
/// # Errors
/// [`Error::Refused`] where somebody changed one of its files since: nothing is done then.
/// [`Error::Write`] where the disk says no: what is left can be taken back later.
pub fn undo(local: &Path) -> Result<(), Error> {
    let Some(left) = left_at(local)? else {
        return Ok(());
    };
    let old = left.folder.old();
    if old.symlink_metadata().is_err() {
        return forget(&RealDisk, local);
    }
    let states = left.journal.states(local)?;
    if let Some(other) = states.iter().position(|state| *state == State::Other) {
        return Err(Error::refused(
            format!(
                "{} was changed after a run was killed that had changed it",
                shown(&local.join(&left.journal.entries[other].path))
            ),
            format!(
                "nothing was written; put the file back (git checkout) \
                 and run again, or keep the package as it is now: rm {}",
                shown(&old)
            ),
        ));
    }
    take_back(&RealDisk, local, &left.journal, Some(&old))?;
    let closed = left.folder.close(&RealDisk);
    closed.map_err(failed(left.folder.path()))
}

/// How far the run came that left something at a package; `None` if nothing was left.
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
    let states = left.journal.states(root)?;
    let mut paths = left.journal.entries.into_iter().map(|entry| entry.path);
    let changed = states.iter().position(|state| *state != State::New);
    Ok(Some(match changed.and_then(|changed| paths.nth(changed)) {
        None => Progressed::Wholly(paths.collect()),
        _ if states.iter().all(|state| *state == State::Old) => Progressed::TakenBack,
        Some(path) => Progressed::Changed(path),
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
    closed.map_err(failed(left.folder.path()))
}

fn remove_staged(disk: &dyn Disk, root: &Path, journal: &Journal) -> Result<(), Error> {
    let staged = journal.all_staged().map(|staged| root.join(staged));
    for staged in staged.filter(|it| it.symlink_metadata().is_ok()) {
        remove(disk, &staged)?;
    }
    Ok(())
}

fn remove(disk: &dyn Disk, path: &Path) -> Result<(), Error> {
    let removed = disk.remove_file(path).or_else(gone_is_fine);
    removed.map_err(failed(path))
}

/// Puts back every file that is what the journal says it was to become, from the file of old
/// contents. Files that somebody else has changed since stay.
///
/// # Errors
/// Where the disk says no. It can be tried again.
pub(super) fn take_back(
    disk: &dyn Disk,
    root: &Path,
    journal: &Journal,
    old: Option<&Path>,
) -> Result<(), Error> {
    let states = journal.states(root)?;
    remove_staged(disk, root, journal)?;
    let entries = journal.entries.iter().zip(states).enumerate();
    let done = entries.filter(|(_, (_, state))| *state == State::New);
    let done: Vec<(usize, &JournalEntry)> =
        done.map(|(index, (entry, _))| (index, entry)).collect();
    // what came makes room for what was there
    for (_, entry) in done.iter().filter(|(_, entry)| entry.old.is_none()) {
        remove(disk, &root.join(&entry.path))?;
    }
    for folder in journal.entries.iter().flat_map(JournalEntry::folders) {
        // one in which something is stays, until the last of that is gone
        let _ = disk.remove_folder(&root.join(folder));
    }
    for (index, entry) in done {
        if let Some((from, old)) = old.zip(entry.old) {
            let before = journal.entries[..index].iter();
            let before = before.filter_map(|entry| Some(entry.old?.content.length));
            let bytes = kept(from, before.sum(), old.content).map_err(failed(from))?;
            let staged = root.join(journal.staged(index));
            let place = root.join(&entry.path);
            restore(disk, &place, &staged, &bytes, old.mode).map_err(failed(&place))?;
        }
    }
    Ok(())
}

/// Puts a file back.
fn restore(
    disk: &dyn Disk,
    place: &Path,
    staged: &Path,
    bytes: &[u8],
    mode: Option<u32>,
) -> io::Result<()> {
    make_folders(disk, place.parent().unwrap_or(place))?;
    let file = NewFile {
        owner: Some(place),
        permissions: permissions(mode),
        ..NewFile::default()
    };
    file.put(disk, staged, bytes)
        .and_then(|()| disk.rename(staged, place))
        .inspect_err(|_| {
            // what is left of it goes with the next try
            let _ = disk.remove_file(staged);
        })
}

/// The old content of a file, out of the one that has all of them.
fn kept(from: &Path, start: u64, content: Print) -> io::Result<Vec<u8>> {
    let mut file = File::open(from)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(content.length).read_to_end(&mut bytes)?;
    match Print::of(&bytes) == content {
        true => Ok(bytes),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it does not hold the old contents of the files",
        )),
    }
}

/// Makes a folder, and those above it that are missing.
pub(super) fn make_folders(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let missing = missing_folders(folder);
    missing
        .iter()
        .try_for_each(|folder| disk.create_folder(folder))
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

/// The error of a package that may be half merged.
fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    |error| Error::Write {
        path: path.to_owned(),
        error,
        written: 1,
    }
}
