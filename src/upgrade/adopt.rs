//! `adopt`: records the origin of an existing copy of a package. Also restores the original of a
//! package for `diff`.

use std::path::Path;

use tempfile::TempDir;

use super::address::{Address, Origin, is_hash};
use super::get::{Recorded, write_files};
use super::kptfile;
use super::nearest::{Comparison, compare, nearest, tagged_versions};
use super::record::{self, RULES_FILE, with_record};
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::vendir;
use super::version::Choice;
use crate::error::Error;
use crate::package::{Snapshot, if_there, read_own, replace};

/// Records `address` (`REPO[/DIR][@REF]`) as the origin of the copy in `folder`. Without a ref, the
/// version is the one whose files are most similar to the copy; without an address, the origin is
/// the one in vendir's files. Writes nothing but the record. Returns what was recorded, and the
/// comparison of the copy with that version.
///
/// # Errors
/// If the folder has a record already, or upstream cannot be read.
pub(crate) fn adopt(
    remotes: &Remotes<'_>,
    folder: &Path,
    address: Option<&str>,
    choice: Choice,
) -> Result<(Recorded, Comparison), Error> {
    let refused = |message: &str, help: &str| Error::package(folder, message, help);
    if !folder.is_dir() {
        return Err(refused(
            "there is no such folder",
            "name the folder with the copy",
        ));
    }
    if record::read(folder)?.is_some() {
        let help = "bring it up to date with `merge3 upgrade`, or \
            take `upstream` and `upstreamLock` out of its record";
        return Err(refused(
            "it has a record of where it comes from already",
            help,
        ));
    }
    let is_named = address.is_some();
    let address = address.map_or_else(|| vendir_address(folder), Address::parse)?;
    let copy = read_copy(folder)?;
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
        return Err(refused(
            &message,
            "name the folder in the repository: REPO/DIR[@REF]",
        ));
    }
    let name = record::file_in(&copy, &origin);
    put_record(folder, name, &origin, &version)?;
    let recorded = Recorded {
        folder: folder.to_owned(),
        origin,
        version,
        record: name.into(),
    };
    Ok((recorded, comparison))
}

fn vendir_address(folder: &Path) -> Result<Address, Error> {
    vendir::address_of(folder)?.ok_or_else(|| {
        let help = "say it: merge3 adopt FOLDER REPO[/DIR][@REF]";
        Error::package(folder, "no vendir.lock.yml says where it comes from", help)
    })
}

fn put_record(folder: &Path, name: &str, origin: &Origin, version: &Version) -> Result<(), Error> {
    let file = folder.join(name);
    let bytes = if_there(read_own(&file)).map_err(Error::reading(&file))?;
    let text = String::from_utf8(bytes.unwrap_or_default())
        .map_err(|_| Error::package(&file, "it is not UTF-8", "save the file as UTF-8"))?;
    let text = with_record(&file, &text, origin, version)?;
    replace(&file, text.as_bytes()).map_err(Error::writing(&file))
}

/// Reads the files of a copy, without merge3's own.
fn read_copy(folder: &Path) -> Result<Snapshot, Error> {
    let mut snapshot =
        super::package_upgrade::of_disk(folder, &crate::package::Settings::default())?;
    snapshot.entries.remove(Path::new(RULES_FILE));
    Ok(snapshot)
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
    let record = record::read(package)?.ok_or_else(|| super::find::no_record(package))?;
    let refs = remotes.refs(&record.lock.origin.repository)?;
    let version = super::package_upgrade::current(&record, &refs);
    let origin = &record.lock.origin;
    let mut snapshot = remotes.snapshot(origin, &version)?.snapshot;
    kptfile::keep_local_file(&mut snapshot, package)?;
    let folder = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    write_files(snapshot, folder.path(), &mut Vec::new())?;
    Ok(folder)
}
