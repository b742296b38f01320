//! What is in a folder: names and kinds, nothing is opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::disk::is_temporary;
use super::journal::{JOURNAL, UNFINISHED};

/// The file that says what of a package is none of a merge's business.
pub(crate) const IGNORE_FILE: &str = ".krmignore";

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    /// A symbolic link and what it says.
    Link(PathBuf),
    /// A pipe, a socket, a device: never opened.
    Special,
}

/// What is in a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Relative paths, in no order.
    pub(crate) entries: Vec<(PathBuf, Kind)>,
    /// What could not be listed.
    pub(crate) errors: Vec<(PathBuf, io::Error)>,
    /// Temporary files that a killed run left, as absolute paths.
    pub(crate) leftovers: Vec<PathBuf>,
    /// The journal of a run that did not come to its end.
    pub(crate) journal: Option<PathBuf>,
}

/// Lists what is in `root`, at any depth. Links are not followed, and `.git` is skipped.
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
    listing
}

impl Listing {
    fn add(&mut self, root: &Path, entry: &walkdir::DirEntry) {
        let Ok(path) = entry.path().strip_prefix(root) else {
            return;
        };
        let file_type = entry.file_type();
        let kind = if file_type.is_file() {
            if is_temporary(path) {
                self.leftovers.push(entry.path().to_owned());
                return;
            }
            if path == Path::new(JOURNAL) {
                self.journal = Some(entry.path().to_owned());
                return;
            }
            if path == Path::new(UNFINISHED) {
                let message =
                    "the run of merge3 that was to put its result there did not come to its end";
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
