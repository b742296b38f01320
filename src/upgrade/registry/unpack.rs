//! An archive, unpacked in memory: what of it is no plain file or link in the package is refused,
//! and so is what would be too large.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use crate::package::{Entry, Snapshot};
use crate::upgrade::objects::{Fetched, Modes};
use crate::upgrade::tree::{self, Listed, path_of};

/// The most bytes that an archive unpacks to.
const LARGEST: u64 = 256 << 20;

/// The files of an archive; of a chart, those in its folder.
///
/// # Errors
/// What of it no package may have.
pub(super) fn unpack(bytes: &[u8], is_chart: bool, modes: &Modes) -> Result<Fetched, String> {
    let is_compressed = bytes.starts_with(&[0x1f, 0x8b]);
    let unpacked: Box<dyn Read + '_> = match is_compressed {
        true => Box::new(MultiGzDecoder::new(bytes)),
        false => Box::new(bytes),
    };
    let mut archive = Archive::new(Limited {
        inner: unpacked,
        left: LARGEST,
    });
    let broken = |error: std::io::Error| format!("its archive cannot be read: {error}");
    let mut listed = Vec::new();
    let mut contents: BTreeMap<PathBuf, Entry> = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader | EntryType::Directory) {
            continue;
        }
        let path = path_of(entry.path_bytes().into_owned());
        let path = path.strip_prefix(".").unwrap_or(&path);
        let path = match is_chart {
            true => {
                let mut names = path.components();
                names.next();
                names.as_path()
            }
            false => path,
        };
        let (mode, content) = match kind {
            EntryType::Regular | EntryType::Continuous => {
                let is_program = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(broken)?;
                let mode: &[u8] = if is_program { b"100755" } else { b"100644" };
                let permissions = modes.of_file(is_program);
                (mode, Entry::File { bytes, permissions })
            }
            EntryType::Symlink => {
                let target = entry.link_name_bytes().unwrap_or_default();
                (&b"120000"[..], Entry::Link(path_of(target.into_owned())))
            }
            _ => return Err(format!("it has {path:?}, which is no file, link or folder")),
        };
        let parents = path.ancestors().skip(1);
        folders.extend(
            parents
                .filter(|it| !it.as_os_str().is_empty())
                .map(PathBuf::from),
        );
        listed.push(Listed::new(mode, path));
        contents.insert(path.to_owned(), content);
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
