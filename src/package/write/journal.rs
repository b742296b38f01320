//! What a run is about to do to a package, written down before it does any of it, so that the next
//! run can take back what one that was killed has done. [`RunFolder`](super::run_folder::RunFolder)
//! says where that is kept.
//!
//! Whatever is read here is checked: a journal never names a path outside of the package, nor
//! `.git`, nor a mode beyond 0777.

use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::package::disk::{Unlike, content, hash, stays_within};
use crate::package::owner::mode;

/// The file that says of a folder that the result which is written there is not finished.
pub(crate) const UNFINISHED: &str = ".merge3-output";
/// The name of the journal of earlier versions. Packages have no file of that name.
const FORMER: &str = ".merge3-journal";
/// How the names of temporary files begin and end.
pub(crate) const TEMPORARY: (&str, &str) = (".merge3-", ".tmp");
/// The version of the form.
const VERSION: u32 = 3;
/// The most that the mode of a file says here: no set-user-ID, set-group-ID or sticky bit.
pub(crate) const MODES: u32 = 0o777;

/// What a run does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    version: u32,
    /// The package that it is about, by the name that its run folder has for it.
    #[serde(with = "name")]
    package: PathBuf,
    /// Which merge it is: the fingerprint of what upstream changed.
    pub(super) merge: u64,
    /// A random number that the names of the run's temporary files have in common.
    run: u64,
    pub(super) entries: Vec<JournalEntry>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalEntry {
    #[serde(with = "name")]
    pub(super) path: PathBuf,
    /// How many of the folders above it are made.
    pub(super) folders: usize,
    pub(super) old: Option<Old>,
    pub(super) new: Option<Print>,
}

/// What was in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Old {
    pub(super) content: Print,
    /// Its mode, on systems that have one.
    pub(super) mode: Option<u32>,
}

/// What a content is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Print {
    pub(super) length: u64,
    hash: u64,
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Not done.
    Old,
    /// Done.
    New,
    /// Somebody else was there since.
    Other,
}

/// How a path is written: as text where it is UTF-8.
mod name {
    use super::{Deserialize, OsString, Path, PathBuf, Serialize};
    use serde::{Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Name {
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
        Ok(match Name::deserialize(from)? {
            Name::Text(path) => path,
            Name::Other(name) => name.into(),
        })
    }
}

impl Print {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            length: bytes.len() as u64,
            hash: hash(bytes),
        }
    }
}

/// Whether a path stays in the package, and out of `.git`.
pub(super) fn is_inside(path: &Path) -> bool {
    stays_within(path) && !path.iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

impl JournalEntry {
    /// How far it is.
    ///
    /// # Errors
    /// Where the disk does not say.
    pub(super) fn state(&self, root: &Path) -> Result<State, Error> {
        let path = root.join(&self.path);
        let now = match content(root, &self.path) {
            Ok(now) => now.map(|bytes| Print::of(&bytes)),
            Err(Unlike::Other) => return Ok(State::Other),
            Err(Unlike::Unreadable(error)) => return Err(Error::reading(&path)(error)),
        };
        // of some files only the permissions change
        let has_new_mode = |old: Old| {
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

    /// The folders that are made for it, those within others first.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.path.ancestors().skip(1).take(self.folders)
    }
}

impl Journal {
    /// The journal of a run that begins.
    pub(super) fn new(package: PathBuf, merge: u64, entries: Vec<JournalEntry>) -> Self {
        Self {
            version: VERSION,
            package,
            merge,
            // each state has keys of its own: the one source of random numbers that std has
            run: RandomState::new().hash_one(merge),
            entries,
        }
    }

    /// As it is kept.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // nothing in it can fail to be written
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads what [`Journal::to_bytes`] wrote; `None` if it is not whole, not of this form, or not
    /// about that package.
    pub(super) fn read(bytes: &[u8], package: &Path) -> Option<Self> {
        let journal: Self = serde_json::from_slice(bytes).ok()?;
        let is_fine = |entry: &JournalEntry| {
            let mode = entry.old.and_then(|old| old.mode);
            is_inside(&entry.path) && mode.is_none_or(|mode| mode <= MODES)
        };
        let is_ours = journal.version == VERSION && journal.package == package;
        (is_ours && journal.entries.iter().all(is_fine)).then_some(journal)
    }

    /// How far each of its changes has come.
    ///
    /// # Errors
    /// As for [`JournalEntry::state`].
    pub(super) fn states(&self, root: &Path) -> Result<Vec<State>, Error> {
        self.entries.iter().map(|entry| entry.state(root)).collect()
    }

    /// Where the new content of an entry is put before it is renamed into place: beside it, under a
    /// name that no other run has.
    pub(super) fn staged(&self, index: usize) -> PathBuf {
        let (begin, end) = TEMPORARY;
        let name = format!("{begin}{:016x}-{index}{end}", self.run);
        self.entries[index].path.with_file_name(name)
    }

    /// All temporary files that the run may have made.
    pub(crate) fn all_staged(&self) -> impl Iterator<Item = PathBuf> + '_ {
        (0..self.entries.len()).map(|index| self.staged(index))
    }
}

/// What is said where upstream has such a file all the same.
pub(crate) const LEFT_OUT: &str =
    "upstream's file is left out: files of this name are merge3's own";

/// Whether a name in a package is for files of this program alone: upstream has none of these.
pub(crate) fn is_reserved(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (begin, end) = TEMPORARY;
    [UNFINISHED, FORMER].contains(&&*name) || name.starts_with(begin) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(path: &str, mode: u32) -> Journal {
        let print = |text: &str| Print::of(text.as_bytes());
        Journal::new(
            "apps/app".into(),
            7,
            vec![
                JournalEntry {
                    path: path.into(),
                    folders: 2,
                    old: Some(Old {
                        content: print("a: 1\n"),
                        mode: Some(mode),
                    }),
                    new: Some(print("a: 2\n")),
                },
                JournalEntry {
                    path: "gone\nfile".into(),
                    folders: 0,
                    old: Some(Old {
                        content: print(""),
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
    fn what_was_written_is_read() {
        let whole = journal("a.yaml", 0o644);
        assert_eq!(read(&whole), Some(whole));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_utf_8_is_read() {
        use std::os::unix::ffi::OsStringExt as _;

        let mut whole = journal("a.yaml", 0o644);
        whole.entries[0].path = OsString::from_vec(b"\xff.yaml".to_vec()).into();
        assert_eq!(read(&whole), Some(whole));
    }

    #[test]
    fn an_unfinished_one_is_none() {
        let bytes = journal("a.yaml", 0o644).to_bytes();
        for length in 0..bytes.len() {
            let part = Journal::read(&bytes[..length], Path::new("apps/app"));
            assert_eq!(part, None, "{length}");
        }
        assert_eq!(Journal::read(&bytes, Path::new("apps/other")), None);
    }

    #[test]
    fn a_path_that_leads_out_is_none() {
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
    fn a_mode_beyond_0777_is_none() {
        for mode in [0o4755, 0o1777, 0o100_644] {
            assert_eq!(read(&journal("a.yaml", mode)), None, "{mode:o}");
        }
    }

    #[test]
    fn no_two_runs_have_the_same_temporary_files() {
        let names = |journal: &Journal| journal.all_staged().collect::<Vec<_>>();
        let (one, other) = (journal("a.yaml", 0o644), journal("a.yaml", 0o644));
        assert_ne!(names(&one), names(&other));
        assert!(names(&one).iter().all(|path| is_reserved(path)));
        assert!(!is_reserved(Path::new(".merge3.yaml")));
    }
}
