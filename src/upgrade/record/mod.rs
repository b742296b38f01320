//! The record of a package: its origin and version, in its Kptfile or its `.merge3.yaml`.
//!
//! `read` parses a record, and `write` updates it or adds one to a file.

mod read;
mod write;

use std::path::{Path, PathBuf};

use super::address::{Origin, is_archive};
use super::refs::Version;
use crate::differences::differences_of_lines;
use crate::error::{Error, Place, Warning};
use crate::merge::Resolution;
use crate::package::{ChangeKind, FileChange, Plan, Snapshot, Source, if_there, read_own};
use crate::yaml::Tree;
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
    let problem = format!("the record of where the package comes from is not valid: {message}");
    Error::unfit(Place::new(file, text, offset), problem, message, help)
}

impl Record {
    /// Updates the record in the plan's result for its file. If the merge would change the record,
    /// or delete or move its file, the local file stays instead, with a warning.
    ///
    /// # Errors
    /// If the file cannot be read or edited.
    pub(super) fn update_in(&self, plan: &mut Plan, to: &Version) -> Result<(), Error> {
        let old = Source::read(&self.file, true)?;
        let text = String::from_utf8_lossy(&old.bytes);
        let new = self.updated(&text, to)?;
        let name = PathBuf::from(self.file.file_name().unwrap_or_default());
        self.drop_changes_of_record(plan, &name);
        let planned = plan.files.iter_mut().find(|change| change.path == name);
        if let Some(merged) = planned.and_then(|change| change.new.as_mut()) {
            let merged_text = String::from_utf8_lossy(merged);
            let edited = match Tree::parse(&merged_text) {
                Ok(_) => self.updated(&merged_text, to)?,
                // with conflict markers it is not YAML
                Err(_) => with_changed_lines(&merged_text, &text, &new),
            };
            *merged = edited.into_bytes().into();
            return Ok(());
        }
        let new = Source::in_memory(new);
        let change = FileChange::between(name, Some(old), Some(new));
        plan.files.extend(change);
        plan.sort();
        Ok(())
    }

    /// Removes changes of the record's file from a plan that affect the record, delete the file or
    /// move it.
    fn drop_changes_of_record(&self, plan: &mut Plan, name: &Path) {
        let has_markers = plan.conflicts.iter().any(|record| {
            *record.file == *name && record.conflict.resolution == Resolution::Markers
        });
        let is_kept = |change: &FileChange| match (&change.kind, &change.new) {
            (ChangeKind::Moved { from }, _) if from == name => false,
            _ if change.path != name => true,
            (ChangeKind::Changed, Some(new)) => std::str::from_utf8(new).is_ok_and(|new| {
                self.is_unchanged_in(new) || (has_markers && Tree::parse(new).is_err())
            }),
            _ => false,
        };
        let count = plan.files.len();
        plan.files.retain(is_kept);
        if plan.files.len() < count {
            plan.conflicts.retain(|record| *record.file != *name);
            plan.warnings.push(Warning::about(
                name,
                "upstream would change where the package comes from: your file stays as it is",
            ));
        }
    }

    /// Whether a text of the record's file has this record.
    fn is_unchanged_in(&self, text: &str) -> bool {
        parse(&self.file, text).is_ok_and(|read| read.as_ref() == Some(self))
    }
}

/// Applies the changed lines between `old` and `new` to a text that has the same lines: the merge
/// did not change the lines of the record.
fn with_changed_lines(text: &str, old: &str, new: &str) -> String {
    let mut text = text.to_owned();
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    for change in differences_of_lines(&old, &new).changed() {
        let (before, after) = (change.old, change.new);
        // lines are added above until the match is unique: both sections have a field `ref`
        for start in (0..=before.start).rev() {
            let pattern = old[start..before.end].concat();
            if !pattern.is_empty() && text.matches(&pattern).count() == 1 {
                let kept = old[start..before.start].concat();
                let replacement = format!("{kept}{}", new[after].concat());
                text = text.replacen(&pattern, &replacement, 1);
                break;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_lines_in_a_text_with_markers() {
        let old = "a:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let new = "a:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        let text = "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let expected =
            "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        assert_eq!(with_changed_lines(text, old, new), expected);
    }
}
