//! The journal of a run: the changes that it is about to make, written before it makes any of them,
//! so that the next run can undo those of a killed run. It is kept in a
//! [`RunFolder`](super::run_folder::RunFolder).
//!
//! A journal is checked when it is read: it never names a path outside of the package or in `.git`,
//! nor a mode beyond 0777.

use std::ffi::OsString;
use std::fs::Permissions;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::undo::missing_folders;
use crate::error::Error;
use crate::package::disk::{ContentError, content, hash, mode, stays_within};
use crate::package::file_triple::Bytes;
use crate::package::plan::{ChangeKind, FileChange, Plan};

/// The file that marks an output folder whose result is not complete.
pub(crate) const UNFINISHED: &str = ".merge3-output";
/// The name of the journal in earlier versions, which packages still must not contain.
const FORMER_JOURNAL: &str = ".merge3-journal";
/// The prefix and the suffix of the names of temporary files.
pub(crate) const TEMPORARY: (&str, &str) = (".merge3-", ".tmp");
/// The version of the journal's format.
const VERSION: u32 = 3;
/// The mode bits that a journal may have: no set-user-ID, set-group-ID or sticky bit.
pub(crate) const MODES: u32 = 0o777;

/// The changes of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    version: u32,
    /// The path of the package, as [`RunFolder::package`](super::run_folder::RunFolder) has it.
    #[serde(with = "path_as_text")]
    package: PathBuf,
    /// The fingerprint of upstream's changes, which identifies the merge.
    pub(super) merge: u64,
    /// A random number in the names of the run's temporary files.
    run: u64,
    pub(super) entries: Vec<JournalEntry>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalEntry {
    #[serde(with = "path_as_text")]
    pub(super) path: PathBuf,
    /// The number of folders above the file that are created for it.
    pub(super) folders: usize,
    pub(super) old: Option<OldFile>,
    pub(super) new: Option<Fingerprint>,
}

/// The old state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OldFile {
    pub(super) content: Fingerprint,
    /// The mode of the file, on systems that have modes.
    pub(super) mode: Option<u32>,
}

/// Length and hash of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fingerprint {
    pub(super) length: u64,
    hash: u64,
}

/// The state of a change on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Not done.
    Old,
    /// Done.
    New,
    /// The file was changed by something else.
    Other,
}

/// Serializes a path as text if it is UTF-8, else as an `OsString`.
mod path_as_text {
    use super::{Deserialize, OsString, Path, PathBuf, Serialize};
    use serde::{Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum StoredPath {
        Text(PathBuf),
        Other(OsString),
    }

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(to),
            None => path.as_os_str().serialize(to),
        }
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PathBuf, D::Error> {
        Ok(match StoredPath::deserialize(from)? {
            StoredPath::Text(path) => path,
            StoredPath::Other(name) => name.into(),
        })
    }
}

impl Fingerprint {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            length: bytes.len() as u64,
            hash: hash(bytes),
        }
    }
}

/// Returns true if a relative path stays in the package and out of `.git`.
pub(super) fn is_inside(path: &Path) -> bool {
    stays_within(path) && !path.iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

impl JournalEntry {
    /// Returns the state of the change on disk.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn state(&self, root: &Path) -> Result<State, Error> {
        let path = root.join(&self.path);
        let now = match content(root, &self.path) {
            Ok(now) => now.map(|bytes| Fingerprint::of(&bytes)),
            Err(ContentError::Other) => return Ok(State::Other),
            Err(ContentError::Unreadable(error)) => return Err(Error::reading(&path)(error)),
        };
        // the content may be unchanged: then only the permissions change
        let has_new_mode = |old: OldFile| {
            let now = fs::symlink_metadata(&path).ok();
            now.and_then(|now| mode(&now.permissions())) != old.mode
        };
        Ok(match self.old {
            Some(old) if now == self.new && now == Some(old.content) => match has_new_mode(old) {
                true => State::New,
                false => State::Old,
            },
            old if now == old.map(|old| old.content) => State::Old,
            _ if now == self.new => State::New,
            _ => State::Other,
        })
    }

    /// Returns the folders that are created for the file, innermost first.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.path.ancestors().skip(1).take(self.folders)
    }
}

impl Journal {
    /// Returns the journal of a new run.
    pub(super) fn new(package: PathBuf, merge: u64, entries: Vec<JournalEntry>) -> Self {
        Self {
            version: VERSION,
            package,
            merge,
            // each `RandomState` has its own keys: std has no other source of random numbers
            run: RandomState::new().hash_one(merge),
            entries,
        }
    }

    /// Serializes the journal.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // serializing these types cannot fail
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads what [`Journal::to_bytes`] wrote. Returns `None` if it is incomplete, has another
    /// format or an invalid entry, or is about another package.
    pub(super) fn read(bytes: &[u8], package: &Path) -> Option<Self> {
        let journal: Self = serde_json::from_slice(bytes).ok()?;
        let is_valid = |entry: &JournalEntry| {
            let mode = entry.old.and_then(|old| old.mode);
            is_inside(&entry.path) && mode.is_none_or(|mode| mode <= MODES)
        };
        let is_ours = journal.version == VERSION && journal.package == package;
        (is_ours && journal.entries.iter().all(is_valid)).then_some(journal)
    }

    /// Returns the state of each change on disk.
    ///
    /// # Errors
    /// As for [`JournalEntry::state`].
    pub(super) fn states(&self, root: &Path) -> Result<Vec<State>, Error> {
        self.entries.iter().map(|entry| entry.state(root)).collect()
    }

    /// Returns the path of the temporary file for the new content of an entry: in the same folder,
    /// with a name that is unique to the run.
    pub(super) fn staged(&self, index: usize) -> PathBuf {
        let (begin, end) = TEMPORARY;
        let name = format!("{begin}{:016x}-{index}{end}", self.run);
        self.entries[index].path.with_file_name(name)
    }

    /// Returns the paths of all temporary files that the run may have created.
    pub(crate) fn all_staged(&self) -> impl Iterator<Item = PathBuf> + '_ {
        (0..self.entries.len()).map(|index| self.staged(index))
    }
}

/// The warning about a file of upstream's with a reserved name.
pub(crate) const LEFT_OUT: &str =
    "upstream's file is left out: files of this name are merge3's own";

/// Returns true if the file name is reserved for merge3. Upstream cannot have such a file.
pub(crate) fn is_reserved(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (begin, end) = TEMPORARY;
    [UNFINISHED, FORMER_JOURNAL].contains(&&*name) || name.starts_with(begin) && name.ends_with(end)
}

/// What happens to one path.
#[derive(Clone, Copy)]
pub(super) struct Step<'p> {
    pub(super) path: &'p Path,
    pub(super) old: Option<&'p Bytes>,
    pub(super) new: Option<&'p Bytes>,
    pub(super) change: &'p FileChange,
}

/// Returns the steps of a plan: two for a file that moves, one for any other.
pub(super) fn steps(plan: &Plan) -> Vec<Step<'_>> {
    let steps = plan.files.iter().flat_map(|change| {
        let (path, old, new) = (&*change.path, change.old.as_ref(), change.new.as_ref());
        let step = |path, old, new| Step {
            path,
            old,
            new,
            change,
        };
        match &change.kind {
            ChangeKind::Moved { from } => vec![step(from, old, None), step(path, None, new)],
            _ => vec![step(path, old, new)],
        }
    });
    steps.collect()
}

impl Step<'_> {
    /// Returns the path of the file whose owner the new file gets.
    pub(super) fn owner(&self) -> &Path {
        match &self.change.kind {
            ChangeKind::Moved { from } => from,
            _ => self.path,
        }
    }

    /// Checks that the file has the content that it had when it was read.
    pub(super) fn check_unchanged(&self, root: &Path) -> Result<(), Error> {
        let path = root.join(self.path);
        // a folder at a new file's path will be empty before the file is moved there
        match content(root, self.path) {
            Ok(now) if now.as_deref() == self.old.map(|old| &**old) => Ok(()),
            Err(ContentError::Unreadable(error)) => Err(Error::reading(&path)(error)),
            _ => Err(Error::Changed { path }),
        }
    }

    /// Returns the journal entry of the step.
    pub(super) fn journal_entry(&self, root: &Path) -> Result<JournalEntry, Error> {
        let path = root.join(self.path);
        if !is_inside(self.path) {
            let message = "a package must not contain such a file";
            return Err(Error::writing(&path)(io::Error::other(message)));
        }
        let old_permissions = self.change.old_permissions.as_ref();
        let old_permissions: &Permissions = old_permissions.unwrap_or(&self.change.permissions);
        let folders = match self.old {
            None => missing_folders(path.parent().unwrap_or(root)).len(),
            Some(_) => 0,
        };
        Ok(JournalEntry {
            path: self.path.to_owned(),
            folders,
            old: self.old.map(|bytes| OldFile {
                content: Fingerprint::of(bytes),
                mode: mode(old_permissions),
            }),
            new: self.new.map(|bytes| Fingerprint::of(bytes)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(path: &str, mode: u32) -> Journal {
        let fingerprint = |text: &str| Fingerprint::of(text.as_bytes());
        Journal::new(
            "apps/app".into(),
            7,
            vec![
                JournalEntry {
                    path: path.into(),
                    folders: 2,
                    old: Some(OldFile {
                        content: fingerprint("a: 1\n"),
                        mode: Some(mode),
                    }),
                    new: Some(fingerprint("a: 2\n")),
                },
                JournalEntry {
                    path: "gone\nfile".into(),
                    folders: 0,
                    old: Some(OldFile {
                        content: fingerprint(""),
                        mode: None,
                    }),
                    new: None,
                },
            ],
        )
    }

    fn read(journal: &Journal) -> Option<Journal> {
        Journal::read(&journal.to_bytes(), Path::new("apps/app"))
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let journal_written = journal("a.yaml", 0o644);
        assert_eq!(read(&journal_written), Some(journal_written));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_utf_8_is_read() {
        use std::os::unix::ffi::OsStringExt as _;

        let mut journal_written = journal("a.yaml", 0o644);
        journal_written.entries[0].path = OsString::from_vec(b"\xff.yaml".to_vec()).into();
        assert_eq!(read(&journal_written), Some(journal_written));
    }

    #[test]
    fn an_incomplete_journal_is_rejected() {
        let bytes = journal("a.yaml", 0o644).to_bytes();
        for length in 0..bytes.len() {
            let part = Journal::read(&bytes[..length], Path::new("apps/app"));
            assert_eq!(part, None, "{length}");
        }
        assert_eq!(Journal::read(&bytes, Path::new("apps/other")), None);
    }

    #[test]
    fn a_path_outside_of_the_package_is_rejected() {
        for path in [
            "../a.yaml",
            "/etc/passwd",
            "a/../../b",
            "",
            ".",
            ".git/hooks/post-commit",
            "a/.GIT/config",
        ] {
            assert_eq!(read(&journal(path, 0o644)), None, "{path}");
        }
    }

    #[test]
    fn a_mode_beyond_0777_is_rejected() {
        for mode in [0o4755, 0o1777, 0o100_644] {
            assert_eq!(read(&journal("a.yaml", mode)), None, "{mode:o}");
        }
    }

    #[test]
    fn the_names_of_temporary_files_are_unique_to_a_run() {
        let names = |journal: &Journal| journal.all_staged().collect::<Vec<_>>();
        let (one, other) = (journal("a.yaml", 0o644), journal("a.yaml", 0o644));
        assert_ne!(names(&one), names(&other));
        assert!(names(&one).iter().all(|path| is_reserved(path)));
        assert!(!is_reserved(Path::new(".merge3.yaml")));
    }
}
