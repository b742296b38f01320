//! Lists the entries of a folder, recursively, with path and kind. No file of the package is
//! opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use walkdir::WalkDir;

use super::write::{UNFINISHED, is_reserved, unfinished_run_at};
use crate::error::Error;

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
        match entry {
            Ok(entry) => listing.add(root, &entry),
            Err(error) => {
                let path = error.path().unwrap_or(root);
                let path = path.strip_prefix(root).unwrap_or(path).to_owned();
                listing.errors.push((path, error.into()));
            }
        }
    }
    match unfinished_run_at(root) {
        Ok(Some(unfinished_run)) => {
            let staged: FxHashSet<PathBuf> = unfinished_run.journal.all_staged().collect();
            listing.entries.retain(|(path, _)| !staged.contains(path));
        }
        Ok(None) => {}
        Err(Error::Read { path, error }) => listing.errors.push((path, error)),
        Err(error) => {
            let error = io::Error::other(error.to_string());
            listing.errors.push((PathBuf::new(), error));
        }
    }
    listing
}

impl Listing {
    /// Removes the entries with reserved names and returns their paths.
    pub(crate) fn take_reserved(&mut self) -> Vec<PathBuf> {
        let reserved = self.entries.extract_if(.., |(path, _)| is_reserved(path));
        let mut reserved: Vec<PathBuf> = reserved.map(|(path, _)| path).collect();
        // in upstream's folder, such a file does not mean that a run is unfinished
        self.errors.retain(|(path, _)| match is_reserved(path) {
            true => {
                reserved.push(path.clone());
                false
            }
            false => true,
        });
        reserved
    }

    fn add(&mut self, root: &Path, entry: &walkdir::DirEntry) {
        let Ok(path) = entry.path().strip_prefix(root) else {
            return;
        };
        let file_type = entry.file_type();
        let kind = if file_type.is_file() {
            if path == Path::new(UNFINISHED) {
                let message = "the run of merge3 that writes its result there did not finish";
                self.errors
                    .push((path.to_owned(), io::Error::other(message)));
                return;
            }
            Kind::File
        } else if file_type.is_dir() {
            Kind::Folder
        } else if file_type.is_symlink() {
            match fs::read_link(entry.path()) {
                Ok(target) => Kind::Link(target),
                Err(error) => {
                    self.errors.push((path.to_owned(), error));
                    return;
                }
            }
        } else {
            Kind::Special
        };
        self.entries.push((path.to_owned(), kind));
    }
}
