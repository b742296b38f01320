//! An archive, unpacked in memory: what of it is no plain file or link in the package is refused,
//! and so is what would be too large.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use crate::package::{Snapshot, SnapshotEntry, folders_above};
use crate::upgrade::tree::{self, Fetched, Listed, path_of};

/// The most bytes that an archive unpacks to.
const LARGEST: u64 = 256 << 20;
/// The most bytes of a path, as Linux has it.
const LONGEST_PATH: usize = 4096;

/// The files of an archive; of a chart, those in its folder.
///
/// # Errors
/// What of it no package may have.
pub(in crate::upgrade) fn unpack(bytes: &[u8], is_chart: bool) -> Result<Fetched, String> {
    let is_compressed = bytes.starts_with(&[0x1f, 0x8b]);
    let unpacked: Box<dyn Read + '_> = match is_compressed {
        true => Box::new(MultiGzDecoder::new(bytes)),
        false => Box::new(bytes),
    };
    let mut archive = Archive::new(Limited {
        inner: unpacked,
        left: LARGEST,
    });
    let mut listed = Vec::new();
    let mut contents: BTreeMap<PathBuf, SnapshotEntry> = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader | EntryType::Directory) {
            continue;
        }
        let path = path_in(&entry, is_chart)?;
        let (mode, content) = content(&mut entry, &path)?;
        folders.extend(folders_above(&path).map(PathBuf::from));
        listed.push(Listed::new(mode, &path));
        contents.insert(path, content);
        if listed.len() + folders.len() > tree::MOST_ENTRIES {
            let most = tree::MOST_ENTRIES;
            return Err(format!("it has more than {most} files and folders"));
        }
    }
    listed.extend(folders.iter().map(|folder| Listed::new(b"040000", folder)));
    let listed = tree::check(listed)?;
    let (own, _): (Vec<Listed>, Vec<Listed>) = listed.into_iter().partition(Listed::is_own);
    let left_out: Vec<PathBuf> = own.into_iter().map(|entry| entry.path).collect();
    contents.retain(|path, _| !left_out.contains(path));
    let snapshot = Snapshot {
        entries: contents,
        ..Snapshot::default()
    };
    Ok(Fetched { snapshot, left_out })
}

fn broken(error: std::io::Error) -> String {
    format!("its archive cannot be read: {error}")
}

/// The path of an entry in the package. What is too long or too deep for one is refused before
/// anything is made of it: each of its folders would be.
fn path_in<R: Read>(entry: &tar::Entry<'_, R>, is_chart: bool) -> Result<PathBuf, String> {
    let bytes = entry.path_bytes();
    if bytes.len() > LONGEST_PATH {
        return Err(format!("it has a path of more than {LONGEST_PATH} bytes"));
    }
    let path = path_of(&bytes);
    let path = path.strip_prefix(".").unwrap_or(&path);
    let mut names = path.components();
    if is_chart {
        names.next();
    }
    if names.clone().count() > tree::DEEPEST {
        let most = tree::DEEPEST;
        return Err(format!("it has folders in folders, more than {most} deep"));
    }
    Ok(names.as_path().to_owned())
}

/// What kind of entry it is, in git's numbers, and what is in it.
fn content<R: Read>(
    entry: &mut tar::Entry<'_, R>,
    path: &Path,
) -> Result<(&'static [u8], SnapshotEntry), String> {
    match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous => {
            let is_executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(broken)?;
            let mode: &[u8] = if is_executable { b"100755" } else { b"100644" };
            let file = SnapshotEntry::File {
                bytes,
                is_executable,
            };
            Ok((mode, file))
        }
        EntryType::Symlink => {
            let target = entry.link_name_bytes().unwrap_or_default();
            Ok((b"120000", SnapshotEntry::Link(path_of(&target))))
        }
        _ => Err(format!("it has {path:?}, which is no file, link or folder")),
    }
}

/// A reader that ends with an error where there is more than is allowed: a few bytes can unpack to
/// any length.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let message = format!("it has more than {} MiB", LARGEST >> 20);
            std::io::Error::other(message)
        })?;
        Ok(count)
    }
}
