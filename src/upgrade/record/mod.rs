//! The record of a package: its origin and version, in its Kptfile or its `.merge3.yaml`.
//!
//! `read` parses a record, `write` updates it or adds one to a file, and `change` puts the updated
//! record into the plan of an upgrade.

mod change;
mod read;
mod write;

use std::path::{Path, PathBuf};

use super::address::{Origin, is_archive};
use crate::error::{self, Error, shown};
use crate::package::{Snapshot, if_there, read_own};
use crate::visible::visible;
use read::parse;

pub(super) use write::with_record;

/// kpt's file for a package.
pub(super) const KPTFILE: &str = "Kptfile";
/// merge3's file for a package.
pub(super) const RULES_FILE: &str = crate::package::RULES_FILE;
/// The sections of a record.
pub(super) const SECTIONS: [&str; 2] = ["upstream", "upstreamLock"];

/// The names of a record's fields for a type of upstream: kpt's for git, and similar ones for
/// archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// The value of `type`, and the key of the map with the fields.
    name: &'static str,
    /// The field with the folder or chart in the repository; empty if the package is the whole
    /// repository.
    directory: &'static str,
    /// The field with the commit or digest.
    commit: &'static str,
}

const FORMATS: [Format; 3] = [
    Format::new("git", "directory", "commit"),
    Format::new("helm", "chart", "digest"),
    Format::new("oci", "", "digest"),
];

impl Format {
    const fn new(name: &'static str, directory: &'static str, commit: &'static str) -> Self {
        Self {
            name,
            directory,
            commit,
        }
    }

    /// Returns the format for a repository.
    pub(super) fn of(repository: &str) -> Self {
        let [git, helm, oci] = FORMATS;
        match (repository.starts_with("oci://"), is_archive(repository)) {
            (true, _) => oci,
            (false, true) => helm,
            (false, false) => git,
        }
    }

    /// Whether it is git's, which kpt knows too.
    pub(super) fn is_git(self) -> bool {
        self.name == "git"
    }
}

/// The record of a package: its origin and version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// The path of the file with the record.
    pub file: PathBuf,
    /// The origin.
    pub origin: Origin,
    /// The tag, branch or commit that the package follows.
    pub reference: String,
    /// The version that the local files were made from.
    pub lock: UpstreamLock,
    /// kpt's `updateStrategy`.
    pub(super) strategy: Strategy,
}

/// The version that the local files were made from: `upstreamLock`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpstreamLock {
    /// The origin at that time.
    pub origin: Origin,
    /// The ref at that time.
    pub reference: String,
    /// The commit or digest.
    pub commit: String,
}

/// The values of `updateStrategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Merge upstream's changes into the local files.
    Merge,
    /// Upgrade only if there are no local changes.
    FastForward,
    /// Take upstream's files and discard local changes.
    Replace,
}

/// Returns the name of the file for a package's record: the Kptfile if there is one and kpt knows
/// the type of upstream, else `.merge3.yaml`.
pub(super) fn file_in(package: &Snapshot, origin: &Origin) -> &'static str {
    match package.file(KPTFILE).is_some() && Format::of(&origin.repository).is_git() {
        true => KPTFILE,
        false => RULES_FILE,
    }
}

/// Reads a package's record; `None` if it has none.
///
/// # Errors
/// If a file cannot be read or is not YAML, the record is incomplete, or both files have one.
pub(super) fn read(package: &Path) -> Result<Option<Record>, Error> {
    let kptfile = read_file(package, KPTFILE)?;
    let rules_file = read_file(package, RULES_FILE)?;
    match (kptfile, rules_file) {
        (Some(_), Some(_)) => Err(Error::package(
            package,
            format!("{KPTFILE} and {RULES_FILE} both say where it comes from"),
            format!(
                "take `upstream` and `upstreamLock` out of one of the two; kpt reads {KPTFILE}"
            ),
        )),
        (kptfile, rules_file) => Ok(kptfile.or(rules_file)),
    }
}

fn read_file(package: &Path, name: &str) -> Result<Option<Record>, Error> {
    let file = package.join(name);
    match bytes_of(&file)? {
        Some(bytes) => parse(&file, &text_of(&file, bytes)?),
        None => Ok(None),
    }
}

/// Returns the content of a file that may have a record; `None` if it is missing or a symbolic link,
/// which may lead out of the package.
///
/// # Errors
/// If it cannot be read.
pub(super) fn bytes_of(file: &Path) -> Result<Option<Vec<u8>>, Error> {
    match file.is_symlink() {
        true => Ok(None),
        false => if_there(read_own(file)).map_err(Error::reading(file)),
    }
}

/// Returns the text of a file that has a record or gets one.
fn text_of(file: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let message = "not UTF-8 from here on";
        invalid(file, &text, offset, message, "save the file as UTF-8")
    })
}

/// Returns the error for an invalid record, at an offset in the file.
fn invalid(file: &Path, text: &str, offset: usize, message: &str, help: &str) -> Error {
    let title = format!(
        "{}: the record of where the package comes from is not valid: {}",
        shown(file),
        visible(message)
    );
    Error::titled(error::Place::new(file, text, offset), title, message, help)
}
