//! Lists what is in a folder, by path and kind. No file is opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use walkdir::WalkDir;

use super::write::{Left, UNFINISHED, is_reserved, left_at};
use crate::error::Error;

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
    /// What a run left that did not come to its end. Its temporary files are no entries.
    pub(crate) left: Option<Left>,
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
    match left_at(root) {
        Ok(Some(left)) => {
            let staged: FxHashSet<PathBuf> = left.journal.all_staged().collect();
            listing.entries.retain(|(path, _)| !staged.contains(path));
            listing.left = Some(left);
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
    /// Takes out what upstream does not have.
    pub(crate) fn take_reserved(&mut self) -> Vec<PathBuf> {
        let taken = self.entries.extract_if(.., |(path, _)| is_reserved(path));
        let mut taken: Vec<PathBuf> = taken.map(|(path, _)| path).collect();
        // in a folder of upstream's it says nothing of a run
        self.errors.retain(|(path, _)| match is_reserved(path) {
            true => {
                taken.push(path.clone());
                false
            }
            false => true,
        });
        taken
    }

    fn add(&mut self, root: &Path, entry: &walkdir::DirEntry) {
        let Ok(path) = entry.path().strip_prefix(root) else {
            return;
        };
        let file_type = entry.file_type();
        let kind = if file_type.is_file() {
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
