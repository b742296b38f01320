//! The files of one package, read, and what to say where they are not as they should be.

use std::path::{Path, PathBuf};

use crate::error::{Error, Place};
use crate::package::parsed::{Broken, ParsedFile, Trees};
use crate::package::sides_read::read;
use crate::package::single_package::Package;
use crate::yaml::ParseError;

/// A file that is YAML.
pub(in crate::package) struct Readable<'a> {
    /// Its path in the package.
    pub(in crate::package) name: &'a Path,
    /// Its path as errors show it.
    pub(in crate::package) path: PathBuf,
    pub(in crate::package) file: ParsedFile<'a>,
}

/// Reads a package's files, whose path `root` was given as.
///
/// # Errors
/// `problem`, where one is no YAML.
pub(in crate::package) fn all<'a>(
    root: &Path,
    package: &'a Package,
    problem: &str,
) -> Result<Vec<Readable<'a>>, Error> {
    let read = each(root, package);
    read.map(|file| {
        file.map_err(|broken| {
            let problem = format!("{problem}: it is not valid YAML");
            broken.into_error(&problem, "repair the file")
        })
    })
    .collect()
}

/// As [`all`], but in a folder what is no YAML is passed over: a template, say.
pub(in crate::package) fn usable<'a>(
    root: &Path,
    package: &'a Package,
    problem: &str,
) -> Result<Vec<Readable<'a>>, Error> {
    match package.is_folder {
        true => Ok(each(root, package).filter_map(Result::ok).collect()),
        false => all(root, package, problem),
    }
}

fn each<'a>(
    root: &Path,
    package: &'a Package,
) -> impl Iterator<Item = Result<Readable<'a>, Box<Broken>>> {
    package.files.iter().map(move |(name, source)| {
        let path = match package.is_folder {
            true => root.join(name),
            false => root.to_owned(),
        };
        let file = read(&path, source, Trees::Kept)?;
        Ok(Readable { name, path, file })
    })
}

pub(super) fn unfit(place: Place, problem: &str, error: ParseError) -> Error {
    Error::unfit(
        place,
        problem,
        error.message,
        error
            .help
            .unwrap_or_else(|| "nothing was written".to_owned()),
    )
}

/// Documents as one file.
pub(in crate::package) fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            if !all.ends_with('\n') {
                all.push('\n');
            }
            let is_marked = |line: &str| line == "---" || line.starts_with("--- ");
            if !text.lines().any(is_marked) {
                all.push_str("---\n");
            }
        }
        all.push_str(&text);
    }
    all
}
