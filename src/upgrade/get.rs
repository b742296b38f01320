//! `get`: vendors a package for the first time.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::address::{Address, Origin};
use super::record::{self, RULES_FILE, with_record};
use super::refs::Version;
use super::remote::Remotes;
use super::tree::{Fetched, link_stays_within};
use super::version::Choice;
use crate::error::{Error, Warning, shown};
use crate::package::{LEFT_OUT, Snapshot, SnapshotEntry, if_there, link, of_new, or_here};
use crate::visible::visible;

/// A package whose record was written.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// The folder.
    pub(super) folder: PathBuf,
    /// The origin.
    pub(super) origin: Origin,
    /// The version.
    pub(super) version: Version,
    /// The name of the file with the record.
    pub(super) record: PathBuf,
}

impl Recorded {
    /// Returns the message about it, with `details` after the version.
    pub(crate) fn told(&self, details: &str) -> String {
        format!(
            "{}: {} of {}{details}; recorded in {}\n",
            shown(&self.folder),
            visible(&self.version.full),
            visible(&self.origin.shown()),
            shown(&self.record)
        )
    }
}

/// Vendors the package at `address` (`REPO[/DIR][@REF]`) into `folder`, or into a folder with the
/// package's name. Writes all of it or nothing. Returns the record, the number of files with the
/// record's, and warnings about what was left out.
///
/// # Errors
/// If the package cannot be read, or the folder is not empty.
pub(crate) fn get(
    remotes: &Remotes<'_>,
    address: &str,
    folder: Option<&Path>,
    choice: Choice,
) -> Result<(Recorded, usize, Vec<Warning>), Error> {
    let address = Address::parse(address)?;
    let (origin, _, version) = remotes.version_at(&address, |origin, refs| {
        Ok(refs.default_version(&origin.directory, choice))
    })?;
    let folder = folder.map_or_else(|| PathBuf::from(origin.base_name()), Path::to_owned);
    refuse_not_empty(&folder)?;
    let fetched = remotes.snapshot(&origin, &version)?;
    write(&folder, fetched, origin, version)
}

/// Refuses a folder that is not empty, or that is not a named folder (such as `.` or `..`).
fn refuse_not_empty(folder: &Path) -> Result<(), Error> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let mut names = folder.components();
    if is_empty && names.any(|part| matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    Err(Error::package(
        folder,
        "there is something already",
        "name a folder that does not exist yet; a package that is \
         there already is brought up to date with `merge3 upgrade`",
    ))
}

/// Writes the package to a temporary folder beside its own, and renames that.
fn write(
    folder: &Path,
    fetched: Fetched,
    origin: Origin,
    version: Version,
) -> Result<(Recorded, usize, Vec<Warning>), Error> {
    let parent = or_here(folder.parent().unwrap_or(Path::new("")));
    fs::create_dir_all(parent).map_err(Error::writing(parent))?;
    let staging = tempfile::Builder::new()
        .prefix(".merge3-")
        .tempdir_in(parent)
        .map_err(Error::writing(parent))?;
    let root = staging.path().join("package");
    fs::create_dir(&root).map_err(Error::writing(&root))?;
    let Fetched {
        mut snapshot,
        left_out,
    } = fetched;
    let mut warnings: Vec<Warning> = left_out.iter().map(|path| left_out_warning(path)).collect();
    let record = PathBuf::from(record::file_in(&snapshot, &origin));
    let bytes = match snapshot.entries.remove(&record) {
        Some(SnapshotEntry::File { bytes, .. }) => bytes,
        _ => Vec::new(),
    };
    let file = SnapshotEntry::File {
        bytes: with_record(&folder.join(&record), bytes, &origin, &version)?,
        is_executable: false,
    };
    snapshot.entries.insert(record.clone(), file);
    let files = write_files(&snapshot, &root, &mut warnings)?;
    // an empty folder may exist
    if_there(fs::remove_dir(folder)).map_err(Error::writing(folder))?;
    fs::rename(&root, folder).map_err(Error::writing(folder))?;
    let recorded = Recorded {
        folder: folder.to_owned(),
        origin,
        version,
        record,
    };
    Ok((recorded, files, warnings))
}

/// Writes the files of a package into a folder. Returns the number of files, and adds warnings
/// about what is left out.
pub(super) fn write_files(
    snapshot: &Snapshot,
    root: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<usize, Error> {
    let mut links = Vec::new();
    let mut files = 0;
    let mut create = |path: &Path, write: &dyn Fn(&Path) -> io::Result<()>| {
        let target = root.join(path);
        let parent = target.parent().unwrap_or(root);
        fs::create_dir_all(parent).map_err(Error::writing(parent))?;
        files += 1;
        write(&target).map_err(Error::writing(&target))
    };
    for (path, entry) in &snapshot.entries {
        match entry {
            SnapshotEntry::File {
                bytes,
                is_executable,
            } => create(path, &|target| {
                fs::write(target, bytes)?;
                of_new(*is_executable).map_or(Ok(()), |new| fs::set_permissions(target, new))
            })?,
            SnapshotEntry::Link(to) if link_stays_within(snapshot, path, to) => {
                links.push((path, to));
            }
            SnapshotEntry::Link(to) => warnings.push(Warning::about(
                path,
                format!(
                    "a symbolic link to {}, out of the package, is left out",
                    shown(to)
                ),
            )),
            SnapshotEntry::Other => warnings.push(Warning::about(path, "a submodule is left out")),
        }
    }
    // after all files, so that no file is written through a link
    for (path, to) in links {
        create(path, &|target| link(to, target))?;
    }
    Ok(files)
}

/// Returns the warning that a file of upstream for merge3 is left out.
pub(super) fn left_out_warning(path: &Path) -> Warning {
    let message = match path.ends_with(RULES_FILE) {
        true => "upstream's own rules for merges are left out: this file is yours",
        false => LEFT_OUT,
    };
    Warning::about(path, message)
}
