//! Unpacks archives in memory. Refuses entries that are no file, link or folder or that lead out of
//! the package, and archives that are too large.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use crate::package::{Snapshot, SnapshotEntry, folders_above};
use crate::upgrade::tree::{self, Fetched, TreeEntry, path_of};

/// The maximum size of an unpacked archive in bytes.
const MAX_UNPACKED_SIZE: u64 = 256 << 20;
/// The maximum length of a path in bytes, the same as on Linux.
const MAX_PATH_LENGTH: usize = 4096;

/// Returns the files of an archive; for a chart, those in its folder.
///
/// # Errors
/// The reason why the archive is no valid package.
pub(super) fn unpack(bytes: &[u8], is_chart: bool) -> Result<Fetched, String> {
    let is_compressed = bytes.starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read + '_> = match is_compressed {
        true => Box::new(MultiGzDecoder::new(bytes)),
        false => Box::new(bytes),
    };
    let mut archive = Archive::new(Limited {
        inner: reader,
        left: MAX_UNPACKED_SIZE,
    });
    let mut entries = Vec::new();
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
        let tree_entry = TreeEntry::new(mode, &path);
        // before a path is made for each of its folders
        tree::check_path(&tree_entry)?;
        folders.extend(folders_above(&path).map(PathBuf::from));
        entries.push(tree_entry);
        contents.insert(path, content);
        if entries.len() + folders.len() > tree::MAX_ENTRIES {
            let max = tree::MAX_ENTRIES;
            return Err(format!("it has more than {max} files and folders"));
        }
    }
    entries.extend(
        folders
            .iter()
            .map(|folder| TreeEntry::new(b"040000", folder)),
    );
    let entries = tree::check_entries(entries)?.into_iter();
    let own_files = entries.filter(TreeEntry::is_own);
    let left_out: Vec<PathBuf> = own_files.map(|entry| entry.path).collect();
    for path in &left_out {
        contents.remove(path);
    }
    let snapshot = Snapshot {
        entries: contents,
        ..Snapshot::default()
    };
    Ok(Fetched { snapshot, left_out })
}

fn broken(error: std::io::Error) -> String {
    format!("its archive cannot be read: {error}")
}

/// Returns the path of an entry in the package. Refuses paths that are too long.
fn path_in<R: Read>(entry: &tar::Entry<'_, R>, is_chart: bool) -> Result<PathBuf, String> {
    let bytes = entry.path_bytes();
    if bytes.len() > MAX_PATH_LENGTH {
        return Err(format!(
            "it has a path of more than {MAX_PATH_LENGTH} bytes"
        ));
    }
    let path = path_of(&bytes);
    let path = path.strip_prefix(".").unwrap_or(&path);
    let mut names = path.components();
    if is_chart {
        names.next();
    }
    Ok(names.as_path().to_owned())
}

/// Returns git's mode of an entry, and its content.
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
        _ => Err(format!(
            "it has {path:?}, which is not a file, link or folder"
        )),
    }
}

/// A reader that fails after a number of bytes, because a few compressed bytes can unpack to any
/// length.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let message = format!("it has more than {} MiB", MAX_UNPACKED_SIZE >> 20);
            std::io::Error::other(message)
        })?;
        Ok(count)
    }
}
