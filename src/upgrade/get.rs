//! `get` vendors a package for the first time, and `adopt` records the origin of an existing copy,
//! which the files of vendir may name. Also restores the original of a package for `diff`.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;

use super::address::{Address, Origin, is_hash};
use super::edit::text_at;
use super::nearest::{compare, nearest, tagged_versions};
use super::record::{self, RULES_FILE, with_record};
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::tree::{Fetched, link_stays_within};
use super::version::Choice;
use super::{find, kptfile, package_upgrade};
use crate::error::{Error, Warning, shown};
use crate::package::{
    Disk, LEFT_OUT, RealDisk, Settings, Snapshot, SnapshotEntry, TEMPORARY, if_there, link, of_new,
    or_here, read_own, replace,
};
use crate::report::many;
use crate::visible::visible;
use crate::yaml::{NodeId, Tree};

/// Returns the message about a package whose record was written to the file `record`, with
/// `details` after the version.
fn recorded(
    (folder, record): (&Path, &Path),
    origin: &Origin,
    version: &Version,
    details: &str,
) -> String {
    format!(
        "{}: {} of {}{details}; recorded in {}\n",
        shown(folder),
        visible(&version.full),
        visible(&origin.shown()),
        shown(record)
    )
}

/// Vendors the package at `address` (`REPO[/DIR][@REF]`) into `folder`, or into a folder with the
/// package's name. Writes all of it or nothing. Returns a message, and warnings about what was left
/// out.
///
/// # Errors
/// If the package cannot be read, or the folder is not empty; [`Error::Stopped`] if
/// [`Disk::is_stopped`] returns true.
pub(crate) fn get(
    remotes: &Remotes<'_>,
    address: &str,
    folder: Option<&Path>,
    choice: Choice,
    disk: &dyn Disk,
) -> Result<(String, Vec<Warning>), Error> {
    let address = Address::parse(address)?;
    let (origin, _, version) = remotes.version_at(&address, |origin, refs| {
        Ok(refs.default_version(&origin.directory, choice))
    })?;
    let folder = folder.map_or_else(|| PathBuf::from(origin.base_name()), Path::to_owned);
    refuse_not_empty(&folder)?;
    let fetched = remotes.snapshot(&origin, &version)?;
    write(&folder, fetched, (&origin, &version), disk)
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
    (origin, version): (&Origin, &Version),
    disk: &dyn Disk,
) -> Result<(String, Vec<Warning>), Error> {
    disk.begin();
    let parent = or_here(folder.parent().unwrap_or(Path::new("")));
    fs::create_dir_all(parent).map_err(Error::writing(parent))?;
    let (prefix, suffix) = TEMPORARY;
    let staging = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(suffix)
        .tempdir_in(parent)
        .map_err(Error::writing(parent))?;
    let root = staging.path().join("package");
    fs::create_dir(&root).map_err(Error::writing(&root))?;
    let mut snapshot = fetched.snapshot;
    let left_out = fetched.left_out.iter();
    let mut warnings: Vec<Warning> = left_out.map(|path| left_out_warning(path)).collect();
    let record = PathBuf::from(record::file_in(&snapshot, origin));
    let bytes = snapshot.file(&record).unwrap_or_default().to_vec();
    let file = SnapshotEntry::File {
        bytes: with_record(&folder.join(&record), bytes, origin, version)?,
        is_executable: false,
    };
    snapshot.entries.insert(record.clone(), file);
    let files = write_files(&snapshot, &root, &mut warnings, disk)?;
    // an empty folder may exist
    if_there(fs::remove_dir(folder)).map_err(Error::writing(folder))?;
    fs::rename(&root, folder).map_err(Error::writing(folder))?;
    let details = format!(", {}", many(files, "file"));
    let message = recorded((folder, &record), origin, version, &details);
    Ok((message, warnings))
}

/// Writes the files of a package into a folder. Returns the number of files, and adds warnings
/// about what is left out.
fn write_files(
    snapshot: &Snapshot,
    root: &Path,
    warnings: &mut Vec<Warning>,
    disk: &dyn Disk,
) -> Result<usize, Error> {
    let mut links = Vec::new();
    let mut files = 0;
    let mut create = |path: &Path, write: &dyn Fn(&Path) -> io::Result<()>| {
        if disk.is_stopped() {
            return Err(Error::Stopped { written: 0 });
        }
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
            SnapshotEntry::Link(to) => {
                let to = shown(to);
                let message = format!("a symbolic link to {to}, out of the package, is left out");
                warnings.push(Warning::about(path, message));
            }
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

/// Records `address` (`REPO[/DIR][@REF]`) as the origin of the copy in `folder`. Without a ref, the
/// version is the one whose files are most similar to the copy; without an address, the origin is
/// the one in vendir's files. Writes nothing but the record. Returns a message, which says how
/// much the copy differs from that version.
///
/// # Errors
/// If the folder has a record already, or upstream cannot be read.
pub(crate) fn adopt(
    remotes: &Remotes<'_>,
    folder: &Path,
    address: Option<&str>,
    choice: Choice,
) -> Result<String, Error> {
    let refused = |message: &str, help: &str| Error::package(folder, message, help);
    if !folder.is_dir() {
        let help = "name the folder with the copy";
        return Err(refused("there is no such folder", help));
    }
    if record::read(folder)?.is_some() {
        let help = "bring it up to date with `merge3 upgrade`, or \
            take `upstream` and `upstreamLock` out of its record";
        let message = "it has a record of where it comes from already";
        return Err(refused(message, help));
    }
    let is_named = address.is_some();
    let address = match address {
        Some(address) => Address::parse(address)?,
        None => vendir_address(folder)?.ok_or_else(|| {
            let help = "say it: merge3 adopt FOLDER REPO[/DIR][@REF]";
            refused("no vendir.lock.yml says where it comes from", help)
        })?,
    };
    let mut copy = package_upgrade::of_disk(folder, &Settings::default())?;
    copy.entries.remove(Path::new(RULES_FILE));
    let (origin, refs, version) = remotes.version_at(&address, |origin, refs| {
        nearest(remotes, origin, refs, &copy, choice)
    })?;
    let version = match is_named {
        true => version,
        false => tag_of_commit(&origin, &refs, version),
    };
    let fetched = remotes.snapshot(&origin, &version)?;
    let comparison = compare(&copy, &fetched.snapshot);
    if comparison.same + comparison.changed == 0 {
        let message = format!("no file of it is in {} at {}", origin.shown(), version.name);
        let help = "name the folder in the repository: REPO/DIR[@REF]";
        return Err(refused(&message, help));
    }
    let name = record::file_in(&copy, &origin);
    let file = folder.join(name);
    let bytes = if_there(read_own(&file)).map_err(Error::reading(&file))?;
    let bytes = with_record(&file, bytes.unwrap_or_default(), &origin, &version)?;
    replace(&file, &bytes).map_err(Error::writing(&file))?;
    let record = Path::new(name);
    let details = format!(": {}", comparison.in_words());
    Ok(recorded((folder, record), &origin, &version, &details))
}

/// Returns the tag of a commit, if it has one: an upgrade goes from a tag to a newer one, but does
/// not move a package that follows a commit.
fn tag_of_commit(origin: &Origin, refs: &Refs, version: Version) -> Version {
    let tags = tagged_versions(origin, refs, Choice::newest(true)).into_iter();
    let mut tags = tags.filter(|tag| tag.commit == version.commit && is_hash(&version.name));
    tags.next().unwrap_or(version)
}

/// Writes the original of a package to a temporary folder. kpt's own fields in the Kptfile are the
/// package's, so that a comparison does not show them.
///
/// # Errors
/// If the package has no record, or upstream cannot be read.
pub(crate) fn original(remotes: &Remotes<'_>, package: &Path) -> Result<TempDir, Error> {
    let record = record::read(package)?.ok_or_else(|| find::no_record(package))?;
    let refs = remotes.refs(&record.lock.origin.repository)?;
    let version = package_upgrade::current(&record, &refs);
    let origin = &record.lock.origin;
    let mut snapshot = remotes.snapshot(origin, &version)?.snapshot;
    kptfile::keep_local_file(&mut snapshot, package)?;
    let folder = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    write_files(&snapshot, folder.path(), &mut Vec::new(), &RealDisk)?;
    Ok(folder)
}

/// Returns the address of the contents of a folder; `None` if vendir's files do not name the
/// folder.
///
/// # Errors
/// If the files name an invalid address.
fn vendir_address(folder: &Path) -> Result<Option<Address>, Error> {
    let Ok(folder) = folder.canonicalize() else {
        return Ok(None);
    };
    let address_in = |ancestor: &Path| {
        let text = |name: &str| String::from_utf8(read_own(&ancestor.join(name)).ok()?).ok();
        let (config, lock) = (text("vendir.yml")?, text("vendir.lock.yml")?);
        let (config, lock) = (Tree::parse(&config).ok()??, Tree::parse(&lock).ok()??);
        let relative = folder.strip_prefix(ancestor).unwrap_or(&folder);
        let (wanted, locked) = (content(&config, relative)?, content(&lock, relative)?);
        Some(to_address(&config, wanted, &lock, locked))
    };
    let mut folders = folder.ancestors();
    folders.find_map(address_in).unwrap_or(Ok(None))
}

/// Returns the entry of `contents` for a folder, in one of vendir's files.
fn content(tree: &Tree<'_>, folder: &Path) -> Option<NodeId> {
    let directories = tree.at(&["directories"])?;
    for directory in tree.values(directories) {
        let parent = PathBuf::from(text_at(tree, directory, &["path"])?);
        for content in tree.values(tree.field(directory, "contents")?) {
            let path = text_at(tree, content, &["path"])?;
            if parent.join(path).components().eq(folder.components()) {
                return Some(content);
            }
        }
    }
    None
}

/// Makes an address of an entry in the configuration and the one of the same folder in the lock
/// file.
fn to_address(
    config: &Tree<'_>,
    wanted: NodeId,
    lock: &Tree<'_>,
    locked: NodeId,
) -> Result<Option<Address>, Error> {
    let configured = |path: &[&str]| text_at(config, wanted, path);
    let locked = |path: &[&str]| text_at(lock, locked, path);
    let (git, sha) = (configured(&["git", "url"]), locked(&["git", "sha"]));
    if let (Some(url), Some(commit)) = (git, sha) {
        let directory = configured(&["newRootPath"]).unwrap_or_default();
        let origin = Origin::new(&url, &directory)?;
        return Ok(Some(Address(vec![(origin, Some(commit))])));
    }
    let chart = configured(&["helmChart", "name"]);
    let url = configured(&["helmChart", "repository", "url"]);
    let version = locked(&["helmChart", "version"]);
    let (Some(chart), Some(url), Some(version)) = (chart, url, version) else {
        return Ok(None);
    };
    let base = url.trim_end_matches('/');
    let origin = match base.starts_with("oci://") {
        true => Origin::new(&format!("{base}/{chart}"), "")?,
        false => Origin::new(&format!("helm+{base}"), &chart)?,
    };
    Ok(Some(Address(vec![(origin, Some(version))])))
}
