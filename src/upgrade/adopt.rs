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
use super::version::Choice;
use super::{find, package_upgrade, vendir};
use crate::error::Error;
use crate::package::{Settings, if_there, read_own, replace};

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
        None => vendir::address_of(folder)?.ok_or_else(|| {
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
    let recorded = Recorded {
        folder: folder.to_owned(),
        origin,
        version,
        record: name.into(),
    };
    Ok((recorded, comparison))
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
    write_files(&snapshot, folder.path(), &mut Vec::new())?;
    Ok(folder)
}
