//! Records where an existing copy of a package comes from, and restores the original of a package.

use std::path::Path;

use tempfile::TempDir;

use super::address::{Address, Origin, is_hash};
use super::get::{Recorded, put};
use super::kptfile;
use super::nearest::{Nearness, nearest, nearness, tagged_versions};
use super::record::{self, RULES_FILE, with_record};
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::vendir;
use super::version::Choice;
use crate::error::Error;
use crate::package::{Snapshot, if_there, read_own, replace};

/// Records where the copy in `folder` comes from: `address` (`REPO[/DIR][@REF]`), or without a ref
/// the version there whose files are nearest to the copy. Without an address it is where vendir has
/// it from. Nothing but the record is written. Returns how near the copy is to that version.
///
/// # Errors
/// Where it has a record, or upstream cannot be read.
pub(crate) fn adopt(
    remotes: &Remotes<'_>,
    folder: &Path,
    address: Option<&str>,
    choice: Choice,
) -> Result<(Recorded, Nearness), Error> {
    let wrong = |message: &str, help: &str| Error::package(folder, message, help);
    if !folder.is_dir() {
        return Err(wrong(
            "there is no such folder",
            "name the folder with the copy",
        ));
    }
    if record::read(folder)?.is_some() {
        let help = "bring it up to date with `merge3 upgrade`, or \
            take `upstream` and `upstreamLock` out of its record";
        return Err(wrong("it says already where it comes from", help));
    }
    let is_named = address.is_some();
    let address = address.map_or_else(|| said_by_vendir(folder), Address::parse)?;
    let here = local(folder)?;
    let (origin, refs, version) = remotes.version_at(&address, |origin, refs| {
        nearest(remotes, origin, refs, &here, choice)
    })?;
    let version = match is_named {
        true => version,
        false => tagged(&origin, &refs, version),
    };
    let fetched = remotes.snapshot(&origin, &version)?;
    let nearness = nearness(&here, &fetched.snapshot);
    if nearness.same + nearness.changed == 0 {
        let message = format!("no file of it is in {} at {}", origin.shown(), version.name);
        return Err(wrong(
            &message,
            "name the folder in the repository: REPO/DIR[@REF]",
        ));
    }
    let name = record::file_in(&here, &origin);
    put_record(folder, name, &origin, &version)?;
    let recorded = Recorded {
        folder: folder.to_owned(),
        origin,
        version,
        record: name.into(),
    };
    Ok((recorded, nearness))
}

fn said_by_vendir(folder: &Path) -> Result<Address, Error> {
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

/// The files of a copy; this program's own are none of them.
fn local(folder: &Path) -> Result<Snapshot, Error> {
    let mut snapshot =
        super::package_upgrade::of_disk(folder, &crate::package::Settings::default())?;
    snapshot.entries.remove(Path::new(RULES_FILE));
    Ok(snapshot)
}

/// The tag of a commit, where it has one: a package that follows a commit stays there.
fn tagged(origin: &Origin, refs: &Refs, version: Version) -> Version {
    let tags = tagged_versions(origin, refs, Choice::newest(true)).into_iter();
    let mut tags = tags.filter(|tag| tag.commit == version.commit && is_hash(&version.name));
    tags.next().unwrap_or(version)
}

/// The package as it was when its files were made from upstream, in a folder of its own: what is
/// kpt's bookkeeping is the same there as here.
///
/// # Errors
/// Where the package has no record, or upstream cannot be read.
pub(crate) fn original(remotes: &Remotes<'_>, package: &Path) -> Result<TempDir, Error> {
    let record = record::read(package)?.ok_or_else(|| super::find::no_record(package))?;
    let refs = remotes.refs(&record.lock.origin.repository)?;
    let version = super::package_upgrade::current(&record, &refs);
    let origin = &record.lock.origin;
    let mut snapshot = remotes.snapshot(origin, &version)?.snapshot;
    kptfile::keep_local_file(&mut snapshot, package)?;
    let folder = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    put(snapshot, folder.path(), &mut Vec::new())?;
    Ok(folder)
}
