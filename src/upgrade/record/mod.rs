//! Where a package comes from: what its Kptfile or its `.merge3.yaml` says (`read`), how that is
//! brought up to date (`write`), and that a merge leaves it alone (`change`).

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

/// kpt's file.
pub(super) const KPTFILE: &str = "Kptfile";
/// Ours.
pub(super) const RULES_FILE: &str = crate::package::RULES_FILE;
/// The sections of a record.
pub(super) const SECTIONS: [&str; 2] = ["upstream", "upstreamLock"];

/// How a record names where a package comes from: as kpt does for git, and alike for archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// The type, and the section of the fields.
    name: &'static str,
    /// The field with what is meant of the repository; empty where it is all of it.
    directory: &'static str,
    /// The field that says exactly what was fetched.
    commit: &'static str,
}

const FORMATS: [Format; 3] = [
    Format {
        name: "git",
        directory: "directory",
        commit: "commit",
    },
    Format {
        name: "helm",
        directory: "chart",
        commit: "digest",
    },
    Format {
        name: "oci",
        directory: "",
        commit: "digest",
    },
];

impl Format {
    /// The format for a repository.
    pub(super) fn of(repository: &str) -> Self {
        let [git, helm, oci] = FORMATS;
        match (repository.starts_with("oci://"), is_archive(repository)) {
            (true, _) => oci,
            (false, true) => helm,
            (false, false) => git,
        }
    }

    /// Whether kpt has it, too.
    pub(super) fn is_git(self) -> bool {
        self.name == "git"
    }
}

/// What a package says of where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// The file that says it.
    pub file: PathBuf,
    /// Where upstream is.
    pub origin: Origin,
    /// The tag, branch or commit that the package follows.
    pub reference: String,
    /// What the local files were made from.
    pub lock: UpstreamLock,
    /// How kpt is told to update it.
    pub(super) strategy: Strategy,
}

/// What the local files were made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpstreamLock {
    /// Where that was.
    pub origin: Origin,
    /// Its ref at the time.
    pub reference: String,
    /// Its commit.
    pub commit: String,
}

/// What `updateStrategy` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    Merge,
    /// Only where nothing was changed here.
    FastForward,
    /// Upstream's files, whatever was changed here.
    Replace,
}

/// The file of a package that its record goes to: the Kptfile where there is one, and kpt knows
/// such records.
pub(super) fn file_in(package: &Snapshot, origin: &Origin) -> &'static str {
    match package.file(KPTFILE).is_some() && Format::of(&origin.repository).is_git() {
        true => KPTFILE,
        false => RULES_FILE,
    }
}

/// Reads a package's record; `None` if it has none.
///
/// # Errors
/// Where a file cannot be read or is no YAML, where what it says of upstream is not complete, and
/// where both files say it.
pub(super) fn read(package: &Path) -> Result<Option<Record>, Error> {
    let kptfile = read_file(package, KPTFILE)?;
    let own = read_file(package, RULES_FILE)?;
    match (kptfile, own) {
        (Some(_), Some(_)) => Err(Error::package(
            package,
            format!("{KPTFILE} and {RULES_FILE} both say where it comes from"),
            format!(
                "take `upstream` and `upstreamLock` out of one of the two; kpt reads {KPTFILE}"
            ),
        )),
        (kptfile, own) => Ok(kptfile.or(own)),
    }
}

fn read_file(package: &Path, name: &str) -> Result<Option<Record>, Error> {
    let file = package.join(name);
    // what a link leads to is no word of the package
    if file.is_symlink() {
        return Ok(None);
    }
    let Some(text) = if_there(read_own(&file)).map_err(Error::reading(&file))? else {
        return Ok(None);
    };
    let text = String::from_utf8(text).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        wrong(
            &file,
            &text,
            offset,
            "not UTF-8 from here on",
            "save the file as UTF-8",
        )
    })?;
    parse(&file, &text)
}

fn wrong(file: &Path, text: &str, offset: usize, message: &str, help: &str) -> Error {
    let title = format!(
        "{} does not say where the package comes from: {}",
        shown(file),
        visible(message)
    );
    Error::titled(error::Place::new(file, text, offset), title, message, help)
}
