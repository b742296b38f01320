//! Lists the entries of a folder, recursively, with path and kind. No file of the package is
//! opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use walkdir::{DirEntry, WalkDir};

use super::write::{UNFINISHED, is_reserved, unfinished_run_at};

/// The name of ignore files, which exclude paths of a package from the merge.
pub(crate) const IGNORE_FILE: &str = ".krmignore";

/// The kind of an entry in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    /// A symbolic link and its target.
    Link(PathBuf),
    /// A pipe, a socket or a device. It is never opened.
    Special,
}

/// The entries of a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Relative paths, in no order.
    pub(crate) entries: Vec<(PathBuf, Kind)>,
    /// The entries that could not be listed, with the reason.
    pub(crate) errors: Vec<(PathBuf, io::Error)>,
}

/// Lists the entries of `root` at any depth. Links are not followed, and `.git` and the temporary
/// files of an unfinished run are skipped.
pub(crate) fn list(root: &Path) -> Listing {
    let mut listing = Listing::default();
    let walk = WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let (path, kind) = match entry {
            Ok(entry) => (entry.path().to_owned(), kind_of(&entry)),
            Err(error) => (error.path().unwrap_or(root).to_owned(), Err(error.into())),
        };
        let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
        match kind {
            Ok(kind) => listing.entries.push((path, kind)),
            Err(error) => listing.errors.push((path, error)),
        }
    }
    // a journal that cannot be read is reported by `settle`
    if let Ok(Some(unfinished_run)) = unfinished_run_at(root) {
        let staged: FxHashSet<PathBuf> = unfinished_run.journal.all_staged().collect();
        listing.entries.retain(|(path, _)| !staged.contains(path));
    }
    listing
}

fn kind_of(entry: &DirEntry) -> io::Result<Kind> {
    let file_type = entry.file_type();
    Ok(if file_type.is_file() {
        if entry.depth() == 1 && entry.file_name() == UNFINISHED {
            let message = "the run of merge3 that writes its result there did not finish";
            return Err(io::Error::other(message));
        }
        Kind::File
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_symlink() {
        Kind::Link(fs::read_link(entry.path())?)
    } else {
        Kind::Special
    })
}

impl Listing {
    /// Removes the entries with reserved names and returns their paths.
    pub(crate) fn take_reserved(&mut self) -> Vec<PathBuf> {
        let entries = self.entries.extract_if(.., |(path, _)| is_reserved(path));
        // in upstream's folder, such a file does not mean that a run is unfinished
        let errors = self.errors.extract_if(.., |(path, _)| is_reserved(path));
        let entries = entries.map(|(path, _)| path);
        entries.chain(errors.map(|(path, _)| path)).collect()
    }
}
