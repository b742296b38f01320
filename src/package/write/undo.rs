//! Undoes the changes of a run: in the run itself if it fails, or in the next run if it was killed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::disk::{Disk, NewFile, RealDisk};
use super::journal::{Fingerprint, Journal, JournalEntry, State};
use super::run_folder::unfinished_run_at;
use crate::error::{Error, shown};
use crate::package::disk::{if_there, permissions};

/// The progress of an unfinished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunProgress {
    /// It may have made a part of its changes.
    Partly,
    /// It changed all of these files. Only the commit is missing.
    Wholly(Vec<PathBuf>),
    /// It changed all of its files, and all of them have their old contents again.
    TakenBack,
    /// It changed all of its files, and at least this one was changed since.
    Changed(PathBuf),
}

/// Checks whether an unfinished run at `root` prevents a new one. `merge` is the fingerprint of the
/// new run's merge. The unfinished run does not matter if it changed nothing, or if it made all
/// changes of another merge.
///
/// # Errors
/// [`Error::Unfinished`] if it made a part of its changes, or all changes of the same merge;
/// [`Error::Read`] if a file that it changed cannot be read.
pub(crate) fn settle(root: &Path, merge: u64) -> Result<(), Error> {
    let Some(run) = unfinished_run_at(root)? else {
        return Ok(());
    };
    let old_contents = run.folder.old_contents();
    if run.written || old_contents.symlink_metadata().is_err() {
        return Ok(());
    }
    let states = run.journal.states(root)?;
    let all_are = |wanted: State| states.iter().all(|state| *state == wanted);
    let has_new_folder =
        |entry: &JournalEntry| entry.folders().any(|folder| root.join(folder).is_dir());
    let untouched = all_are(State::Old) && !run.journal.entries.iter().any(has_new_folder);
    let same = run.journal.merge == merge;
    // a completed run of the same merge has to be undone and run again, to report its conflicts
    if untouched || !same && all_are(State::New) {
        return Ok(());
    }
    Err(Error::Unfinished {
        package: root.to_owned(),
        journal: old_contents,
        same,
    })
}

/// Undoes the changes of a killed run in the folder `local`, so that its merge can run again.
///
/// # Errors
/// [`Error::Refused`] if one of its files was changed since; then nothing is done. [`Error::Write`]
/// if the disk fails; the rest can be undone later.
pub fn undo(local: &Path) -> Result<(), Error> {
    let Some(run) = unfinished_run_at(local)? else {
        return Ok(());
    };
    let old = run.folder.old_contents();
    if old.symlink_metadata().is_ok() {
        let states = run.journal.states(local)?;
        if let Some(changed) = states.iter().position(|state| *state == State::Other) {
            return Err(Error::refused(
                format!(
                    "{} was changed by a run that was killed, and again since then",
                    shown(&local.join(&run.journal.entries[changed].path))
                ),
                format!(
                    "nothing was written; put the file back (git checkout) \
                     and run again, or keep the package as it is now: rm {}",
                    shown(&old)
                ),
            ));
        }
        restore_all(&RealDisk, local, &run.journal, Some(&old))?;
    }
    forget(&RealDisk, local)
}

/// Returns the progress of the unfinished run at a package; `None` if there is none.
///
/// # Errors
/// If the journal or a file cannot be read.
pub(crate) fn progress_at(root: &Path) -> Result<Option<RunProgress>, Error> {
    let Some(run) = unfinished_run_at(root)? else {
        return Ok(None);
    };
    if !run.written {
        return Ok(Some(RunProgress::Partly));
    }
    let states = run.journal.states(root)?;
    let mut paths = run.journal.entries.into_iter().map(|entry| entry.path);
    let changed = states.iter().position(|state| *state != State::New);
    Ok(Some(match changed.and_then(|changed| paths.nth(changed)) {
        None => RunProgress::Wholly(paths.collect()),
        _ if states.iter().all(|state| *state == State::Old) => RunProgress::TakenBack,
        Some(path) => RunProgress::Changed(path),
    }))
}

/// Deletes the journal and the temporary files of the unfinished run, if there is one. Its changes
/// stay.
///
/// # Errors
/// If the disk fails.
pub(crate) fn forget(disk: &dyn Disk, root: &Path) -> Result<(), Error> {
    let Some(run) = unfinished_run_at(root)? else {
        return Ok(());
    };
    remove_staged(disk, root, &run.journal)?;
    let deleted = run.folder.delete(disk);
    deleted.map_err(Error::writing_after(1, &run.folder.path))
}

fn remove_staged(disk: &dyn Disk, root: &Path, journal: &Journal) -> Result<(), Error> {
    let staged = journal.all_staged().map(|staged| root.join(staged));
    for staged in staged.filter(|it| it.symlink_metadata().is_ok()) {
        remove(disk, &staged)?;
    }
    Ok(())
}

fn remove(disk: &dyn Disk, path: &Path) -> Result<(), Error> {
    let removed = if_there(disk.remove_file(path)).map_err(Error::writing_after(1, path));
    removed.map(drop)
}

/// Restores the old content of every file that has the journal's new content, from the file `old`
/// with the old contents. Files that were changed since stay.
///
/// # Errors
/// If the disk fails. The function can then be called again.
pub(super) fn restore_all(
    disk: &dyn Disk,
    root: &Path,
    journal: &Journal,
    old: Option<&Path>,
) -> Result<(), Error> {
    let states = journal.states(root)?;
    remove_staged(disk, root, journal)?;
    let entries = journal.entries.iter().zip(states).enumerate();
    let written = entries.filter(|(_, (_, state))| *state == State::New);
    let written: Vec<(usize, &JournalEntry)> =
        written.map(|(index, (entry, _))| (index, entry)).collect();
    // new files may be at the path of a folder that restored files need
    for (_, entry) in written.iter().filter(|(_, entry)| entry.old.is_none()) {
        remove(disk, &root.join(&entry.path))?;
    }
    for folder in journal.entries.iter().flat_map(JournalEntry::folders) {
        // a folder that is not empty stays until its last entry is deleted
        let _ = disk.remove_folder(&root.join(folder));
    }
    for (index, entry) in written {
        let Some((from, old)) = old.zip(entry.old) else {
            continue;
        };
        let before = journal.entries[..index].iter();
        let before = before.filter_map(|entry| Some(entry.old?.content.length));
        let bytes = read_old(from, before.sum(), old.content);
        let bytes = bytes.map_err(Error::writing_after(1, from))?;
        let staged = root.join(journal.staged(index));
        let path = root.join(&entry.path);
        let file = NewFile {
            owner: Some(&path),
            permissions: old.mode.and_then(permissions),
            ..NewFile::default()
        };
        let failed = Error::writing_after(1, &path);
        make_folders(disk, path.parent().unwrap_or(root)).map_err(failed)?;
        let put = file.put(disk, &staged, &bytes);
        let placed = put.and_then(|()| disk.rename(&staged, &path));
        let placed = placed.inspect_err(|_| {
            // an undeleted temporary file is deleted by the next attempt
            let _ = disk.remove_file(&staged);
        });
        placed.map_err(failed)?;
    }
    Ok(())
}

/// Reads the old content of one file from the file with all old contents.
fn read_old(from: &Path, start: u64, content: Fingerprint) -> io::Result<Vec<u8>> {
    let mut file = File::open(from)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(content.length).read_to_end(&mut bytes)?;
    match Fingerprint::of(&bytes) == content {
        true => Ok(bytes),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it does not contain the old contents of the files",
        )),
    }
}

/// Creates a folder and its missing parents.
pub(super) fn make_folders(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let missing = missing_folders(folder);
    missing
        .iter()
        .try_for_each(|folder| disk.create_folder(folder))
}

/// Returns the missing folders down to `folder`, outermost first.
pub(crate) fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
    let missing = folder.ancestors().take_while(is_missing);
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}
