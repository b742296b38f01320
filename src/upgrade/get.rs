//! Vendors a package for the first time.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::address::{Address, Origin};
use super::record::{self, RULES_FILE, with_record};
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::tree::{Fetched, link_stays_within};
use super::version::Choice;
use crate::error::{Error, Warning, shown};
use crate::package::{LEFT_OUT, Snapshot, SnapshotEntry, gone_is_fine, link, of_new, or_here};
use crate::visible::visible;

/// A package whose origin is recorded now.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Where it comes from.
    pub(super) origin: Origin,
    /// Its version.
    pub(super) version: Version,
    /// The file in which its record is.
    pub(super) record: PathBuf,
}

impl Recorded {
    /// What there is to tell of it, with something `more` in the middle.
    pub(crate) fn told(&self, more: &str) -> String {
        format!(
            "{}: {} of {}{more}; recorded in {}\n",
            shown(&self.folder),
            visible(&self.version.full),
            visible(&self.origin.shown()),
            shown(&self.record)
        )
    }
}

/// Vendors the package at `address` (`REPO[/DIR][@REF]`) into `folder`, or one of the package's
/// name here. It is there as a whole afterwards, or not at all. Returns how many files it has, the
/// record's included, and what was left out.
///
/// # Errors
/// Where it cannot be read, and where the folder has something in it already.
pub(crate) fn get(
    remotes: &Remotes<'_>,
    address: &str,
    folder: Option<&Path>,
    choice: Choice,
) -> Result<(Recorded, usize, Vec<Warning>), Error> {
    let address = Address::parse(address)?;
    let first = |origin: &Origin, refs: &Refs| Ok(refs.default_version(&origin.directory, choice));
    let (origin, _, version) = remotes.version_at(&address, first)?;
    let folder = folder.map_or_else(|| PathBuf::from(origin.base_name()), Path::to_owned);
    refuse_taken(&folder)?;
    remotes.fetch(&[(&origin, &version)], &shown(&folder));
    let fetched = remotes.snapshot(&origin, &version)?;
    write(&folder, fetched, origin, version)
}

impl Remotes<'_> {
    /// Where the package is that an address names, and its version: the one that is named there,
    /// or another one.
    ///
    /// # Errors
    /// Where there is no such version, or the address would write a password into the package.
    pub(super) fn version_at(
        &self,
        address: &Address,
        other: impl FnOnce(&Origin, &Refs) -> Result<Option<Version>, Error>,
    ) -> Result<(Origin, Arc<Refs>, Version), Error> {
        let (origin, reference) = self.locate(address)?;
        if origin.has_password() {
            return Err(Error::refused(
                format!(
                    "the address {} holds a user name or a password, \
                     which would be written into the package",
                    origin.shown()
                ),
                "leave it out, and give it to git: git help credentials",
            ));
        }
        let refs = self.refs(&origin.repository)?;
        let version = match &reference {
            Some(name) => refs.resolve(name, &origin.directory),
            None => other(&origin, &refs)?,
        };
        let name = reference.as_deref().unwrap_or("HEAD");
        let version = version.ok_or_else(|| refs.no_version(&origin, name))?;
        let version = self.with_digest(&origin, version)?;
        Ok((origin, refs, version))
    }
}

fn refuse_taken(folder: &Path) -> Result<(), Error> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_free
        && folder
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
    {
        return Ok(());
    }
    Err(Error::package(
        folder,
        "there is something already",
        "name a folder that does not exist yet; a package that is \
         there already is brought up to date with `merge3 upgrade`",
    ))
}

/// Writes the package to a folder beside its own, and renames that.
fn write(
    folder: &Path,
    fetched: Fetched,
    origin: Origin,
    version: Version,
) -> Result<(Recorded, usize, Vec<Warning>), Error> {
    let above = or_here(folder.parent().unwrap_or(Path::new("")));
    fs::create_dir_all(above).map_err(Error::writing(above))?;
    let staging = tempfile::Builder::new()
        .prefix(".merge3-")
        .tempdir_in(above)
        .map_err(Error::writing(above))?;
    let root = staging.path().join("package");
    fs::create_dir(&root).map_err(Error::writing(&root))?;
    let Fetched {
        mut snapshot,
        left_out,
    } = fetched;
    let mut warnings: Vec<Warning> = left_out.iter().map(|path| own_file(path)).collect();
    let record = PathBuf::from(record::file_in(&snapshot, &origin));
    let record_text = match snapshot.entries.remove(&record) {
        Some(SnapshotEntry::File { bytes, .. }) => String::from_utf8(bytes).map_err(|_| {
            Error::package(
                &folder.join(&record),
                "it is not UTF-8",
                "upstream's file is broken; tell upstream",
            )
        })?,
        _ => String::new(),
    };
    let text = with_record(&folder.join(&record), &record_text, &origin, &version)?;
    let file = SnapshotEntry::File {
        bytes: text.into_bytes(),
        is_executable: false,
    };
    snapshot.entries.insert(record.clone(), file);
    let files = put(snapshot, &root, &mut warnings)?;
    // an empty folder may be there already
    let gone = fs::remove_dir(folder).or_else(gone_is_fine);
    gone.map_err(Error::writing(folder))?;
    fs::rename(&root, folder).map_err(Error::writing(folder))?;
    let folder = folder.to_owned();
    let recorded = Recorded {
        folder,
        origin,
        version,
        record,
    };
    Ok((recorded, files, warnings))
}

/// Writes the files of a package into a folder. Returns how many there are; what is left out is
/// reported.
pub(super) fn put(
    snapshot: Snapshot,
    root: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<usize, Error> {
    let links = leading_within(&snapshot, warnings);
    let mut files = 0;
    let mut make = |path: &Path, write: &dyn Fn(&Path) -> io::Result<()>| {
        let target = root.join(path);
        let above = target.parent().unwrap_or(root);
        fs::create_dir_all(above).map_err(Error::writing(above))?;
        files += 1;
        write(&target).map_err(Error::writing(&target))
    };
    for (path, entry) in &snapshot.entries {
        match entry {
            SnapshotEntry::File {
                bytes,
                is_executable,
            } => make(path, &|target| {
                fs::write(target, bytes)?;
                of_new(*is_executable).map_or(Ok(()), |new| fs::set_permissions(target, new))
            })?,
            SnapshotEntry::Link(_) => {}
            SnapshotEntry::Other => warnings.push(Warning::about(path, "a submodule is left out")),
        }
    }
    // last of all, so that nothing is written by way of one
    for (path, to) in &links {
        make(path, &|target| link(to, target))?;
    }
    Ok(files)
}

/// The links of a package that lead to something in it; the others are reported.
fn leading_within(snapshot: &Snapshot, warnings: &mut Vec<Warning>) -> Vec<(PathBuf, PathBuf)> {
    let mut links = Vec::new();
    for (path, entry) in &snapshot.entries {
        let SnapshotEntry::Link(to) = entry else {
            continue;
        };
        if link_stays_within(snapshot, path, to) {
            links.push((path.clone(), to.clone()));
            continue;
        }
        let message = format!(
            "a symbolic link to {}, out of the package, is left out",
            shown(to)
        );
        warnings.push(Warning::about(path, message));
    }
    links
}

/// Says of a file of upstream's that it does not come.
pub(super) fn own_file(path: &Path) -> Warning {
    let is_rules = path.file_name().is_some_and(|name| name == RULES_FILE);
    Warning::about(
        path,
        match is_rules {
            true => "upstream's own rules for merges are left out: this file is yours",
            false => LEFT_OUT,
        },
    )
}
