//! Reads `.krmignore` files: the paths that a package excludes from merges (rules: Packages and
//! files), in the syntax of gitignore.
//!
//! The crate `ignore` only provides the matcher. `walkdir` lists the folders, because the paths
//! that one package excludes have to be known on the other sides.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Settings;
use super::disk::folders_above;
use super::input::{IGNORE_FILE, Input, Kind, Listing};
use crate::error::{Error, Warning};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed_end;

/// The ignore files of several packages. A path is excluded if one of the packages excludes it.
#[derive(Default)]
pub(crate) struct Ignored {
    /// The ignore files of each package, by folder.
    packages: Vec<FxHashMap<PathBuf, Gitignore>>,
    /// The results of [`Ignored::matches`] for folders.
    folders: FxHashMap<PathBuf, bool>,
}

impl Ignored {
    /// Reads the ignore files of the local and the updated package. With `own_ignores`, reads only
    /// those lines of the local ones that neither the original nor the updated package has in the
    /// file with the same path. A line that is not a pattern is a warning.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(crate) fn of(
        sides: &Triple<Input>,
        listings: &Triple<Listing>,
        settings: &Settings,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        let (read, left_out): (&[Side], &[Side]) = match settings.own_ignores {
            true => (&[Side::Local], &[Side::Original, Side::Updated]),
            false => (&[Side::Local, Side::Updated], &[]),
        };
        let mut ignored = Self::default();
        for side in read {
            let mut files = FxHashMap::default();
            for (path, _) in listings[*side].entries.iter().filter(is_ignore_file) {
                let mut text = read_text(&sides[*side], path)?;
                for other in left_out {
                    let mut others = listings[*other].entries.iter().filter(is_ignore_file);
                    if others.any(|(other_path, _)| other_path == path) {
                        text = without_lines(&text, &read_text(&sides[*other], path)?);
                    }
                }
                let folder = path.parent().unwrap_or(Path::new(""));
                let file = parse(&sides[*side], path, &text, warnings)?;
                files.insert(folder.to_owned(), file);
            }
            if !files.is_empty() {
                ignored.packages.push(files);
            }
        }
        Ok(ignored)
    }

    /// Returns true if a relative path or a folder above it is excluded.
    pub(crate) fn matches(&mut self, path: &Path, is_folder: bool) -> bool {
        if self.packages.is_empty() {
            return false;
        }
        if is_folder && let Some(known) = self.folders.get(path) {
            return *known;
        }
        let parent = folders_above(path).next();
        let is_below = parent.is_some_and(|parent| self.matches(parent, true));
        let mut packages = self.packages.iter();
        let result = is_below || packages.any(|files| is_ignored(files, path, is_folder));
        if is_folder {
            self.folders.insert(path.to_owned(), result);
        }
        result
    }
}

/// Returns true if an entry of a listing is an ignore file.
fn is_ignore_file((path, kind): &&(PathBuf, Kind)) -> bool {
    *kind == Kind::File && path.file_name().is_some_and(|name| name == IGNORE_FILE)
}

/// Returns true if the ignore files of one package exclude a path: the innermost file with a
/// matching pattern decides.
fn is_ignored(files: &FxHashMap<PathBuf, Gitignore>, path: &Path, is_folder: bool) -> bool {
    let mut matches = path.ancestors().skip(1).filter_map(|folder| {
        let relative = path.strip_prefix(folder).unwrap_or(path);
        Some(files.get(folder)?.matched(relative, is_folder))
    });
    let innermost = matches.find(|it| !it.is_none());
    innermost.is_some_and(|it| it.is_ignore())
}

fn read_text(side: &Input, path: &Path) -> Result<String, Error> {
    let bytes = side.read(path, false)?.bytes;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Returns a text with the lines that `other` has too made empty, so that line numbers stay.
fn without_lines(text: &str, other: &str) -> String {
    let other_lines: FxHashSet<&str> = other.lines().map(trimmed_end).collect();
    let own = |line: &str| match other_lines.contains(trimmed_end(line)) {
        true => "\n".to_owned(),
        false => format!("{line}\n"),
    };
    text.lines().map(own).collect()
}

fn parse(
    side: &Input,
    path: &Path,
    text: &str,
    warnings: &mut Vec<Warning>,
) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new("");
    for (number, line) in text.lines().enumerate() {
        if builder.add_line(None, line).is_err() {
            let message = format!(
                "line {}: '{line}' is not a valid pattern, and excludes nothing",
                number + 1
            );
            warnings.push(Warning::about(path, message));
        }
    }
    builder
        .build()
        .map_err(|error| Error::pattern(&side.name().join(path).to_string_lossy(), error))
}
