//! `.krmignore`: what a package excludes from merges (rules: Packages and files), in the syntax of
//! gitignore. Of `ignore` only the matcher is used: folders are walked with `walkdir`, because
//! files that are left out on one side have to be known of on the others.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Settings;
use super::disk::folders_above;
use super::input::Input;
use super::walk::{IGNORE_FILE, Kind, Listing};
use crate::error::{Error, Warning};
use crate::triple::Triple;

/// The ignore files of some packages; what one of them excludes is excluded.
#[derive(Default)]
pub(crate) struct Ignored {
    /// For each package, its ignore files by the folder they are in.
    packages: Vec<FxHashMap<PathBuf, Gitignore>>,
    /// Folders that were asked about already.
    folders: FxHashMap<PathBuf, bool>,
}

impl Ignored {
    /// Reads the ignore files of the local and the updated package, or of the local one what is its
    /// own.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub(crate) fn of(
        sides: &Triple<Input>,
        listings: &Triple<Listing>,
        settings: &Settings,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        let mut ignored = Self::default();
        let upstream = [
            (&sides.original, &listings.original),
            (&sides.updated, &listings.updated),
        ];
        if settings.own_ignores {
            ignored.add_without(&sides.local, &listings.local, &upstream, warnings)?;
        } else {
            ignored.add(&sides.local, &listings.local, warnings)?;
            ignored.add(&sides.updated, &listings.updated, warnings)?;
        }
        Ok(ignored)
    }

    /// Reads the ignore files of one more package.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub(crate) fn add(
        &mut self,
        side: &Input,
        listing: &Listing,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Error> {
        self.add_without(side, listing, &[], warnings)
    }

    /// [`Ignored::add`], without the lines that others have in the same file.
    fn add_without(
        &mut self,
        side: &Input,
        listing: &Listing,
        others: &[(&Input, &Listing)],
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Error> {
        let mut files = FxHashMap::default();
        for (path, kind) in &listing.entries {
            if *kind != Kind::File || path.file_name().is_none_or(|name| name != IGNORE_FILE) {
                continue;
            }
            let folder = path.parent().unwrap_or(Path::new(""));
            let mut text = text_of(side, path)?;
            for (other, listing) in others {
                let has = |(there, kind): &(PathBuf, Kind)| there == path && *kind == Kind::File;
                if listing.entries.iter().any(has) {
                    text = without_lines(&text, &text_of(other, path)?);
                }
            }
            files.insert(folder.to_owned(), read(side, path, &text, warnings)?);
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
        let result = folders_above(path)
            .next()
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

fn text_of(side: &Input, path: &Path) -> Result<String, Error> {
    let bytes = side.read(path, false)?.bytes;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The lines of a text that another one has not; the others are empty.
fn without_lines(text: &str, other: &str) -> String {
    let known: FxHashSet<&str> = other.lines().map(str::trim_end).collect();
    let own = |line: &str| match known.contains(line.trim_end()) {
        true => "\n".to_owned(),
        false => format!("{line}\n"),
    };
    text.lines().map(own).collect()
}

fn read(
    side: &Input,
    path: &Path,
    text: &str,
    warnings: &mut Vec<Warning>,
) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new("");
    for (number, line) in text.lines().enumerate() {
        if builder.add_line(None, line).is_err() {
            let message = format!(
                "line {}: '{line}' is no pattern, and excludes nothing",
                number + 1
            );
            warnings.push(Warning::about(path, message));
        }
    }
    builder
        .build()
        .map_err(|error| Error::pattern(&side.name().join(path).to_string_lossy(), error))
}
