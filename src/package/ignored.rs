//! `.krmignore`: what a package excludes from merges (SPEC 2), in the syntax of gitignore.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use super::walk::{IGNORE_FILE, Kind, Listing};
use crate::error::{Error, Warning};

/// The ignore files of some packages; what one of them excludes is excluded.
#[derive(Default)]
pub(crate) struct Ignored {
    /// For each package, its ignore files by the folder they are in.
    packages: Vec<FxHashMap<PathBuf, Gitignore>>,
    /// Folders that were asked about already.
    folders: FxHashMap<PathBuf, bool>,
}

impl Ignored {
    /// Reads the ignore files of one more package.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub(crate) fn add(
        &mut self,
        root: &Path,
        listing: &Listing,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Error> {
        let mut files = FxHashMap::default();
        for (path, kind) in &listing.entries {
            if *kind != Kind::File || path.file_name().is_none_or(|name| name != IGNORE_FILE) {
                continue;
            }
            let folder = path.parent().unwrap_or(Path::new(""));
            let whole = root.join(path);
            files.insert(folder.to_owned(), read(&whole, folder, warnings)?);
        }
        if !files.is_empty() {
            self.packages.push(files);
        }
        Ok(())
    }

    /// Whether a relative path, or a folder above it, is excluded.
    pub(crate) fn matches(&mut self, path: &Path, is_folder: bool) -> bool {
        if self.packages.is_empty() {
            return false;
        }
        if is_folder && let Some(known) = self.folders.get(path) {
            return *known;
        }
        let result = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .is_some_and(|parent| self.matches(parent, true))
            || self
                .packages
                .iter()
                .any(|files| is_ignored(files, path, is_folder));
        if is_folder {
            self.folders.insert(path.to_owned(), result);
        }
        result
    }
}

/// What the nearest ignore file says that says anything.
fn is_ignored(files: &FxHashMap<PathBuf, Gitignore>, path: &Path, is_folder: bool) -> bool {
    path.ancestors()
        .skip(1)
        .filter_map(|folder| Some((folder, files.get(folder)?)))
        .find_map(|(folder, file)| {
            let within = path.strip_prefix(folder).unwrap_or(path);
            match file.matched(within, is_folder) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            }
        })
        .unwrap_or(false)
}

fn read(path: &Path, folder: &Path, warnings: &mut Vec<Warning>) -> Result<Gitignore, Error> {
    let bytes = super::disk::read_named(path).map_err(|error| Error::Read {
        path: path.to_owned(),
        error,
    })?;
    let mut builder = GitignoreBuilder::new("");
    let text = String::from_utf8_lossy(&bytes);
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if builder.add_line(None, line).is_err() {
            let message = format!(
                "line {}: '{line}' is no pattern, and excludes nothing",
                number + 1
            );
            warnings.push(Warning::about(&folder.join(IGNORE_FILE), message));
        }
    }
    builder.build().map_err(|error| Error::Pattern {
        pattern: path.display().to_string(),
        message: error.to_string(),
    })
}
