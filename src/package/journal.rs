//! What a run is about to do to a package, written down before it does any of it, so that the next
//! run can take back what one that was killed has done. [`RunFolder`](super::run_folder::RunFolder)
//! says where that is kept.
//!
//! Whatever is read here is checked: a journal never names a path outside of the package, nor
//! `.git`, nor a mode beyond 0777.

use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::disk::{Unlike, content, stays_within};

/// The file that says of a folder that the result which is written there is not finished.
pub(crate) const UNFINISHED: &str = ".merge3-output";
/// The name of the journal of earlier versions. Packages have no file of that name.
const FORMER: &str = ".merge3-journal";
/// How the names of temporary files begin and end.
pub(crate) const TEMPORARY: (&str, &str) = (".merge3-", ".tmp");
/// The version of the form.
const VERSION: u32 = 2;
/// The most that the mode of a file says here: no set-user-ID, set-group-ID or sticky bit.
pub(crate) const MODES: u32 = 0o777;

/// What a run does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    version: u32,
    /// The package that it is about, by the name that its run folder has for it.
    package: OsString,
    /// Which merge it is: the fingerprint of what upstream changed.
    pub(crate) merge: u64,
    /// A random number that the names of the run's temporary files have in common.
    run: u64,
    /// The folders that are made, those above before those in them.
    pub(crate) folders: Vec<Inside>,
    pub(crate) entries: Vec<Entry>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) path: Inside,
    pub(crate) old: Option<Old>,
    pub(crate) new: Option<Print>,
}

/// What was in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Old {
    pub(crate) content: Print,
    /// Its mode, on systems that have one.
    pub(crate) mode: Option<Mode>,
}

/// What a content is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Print {
    pub(crate) length: u64,
    hash: u64,
}

/// A path that stays in the package, and out of `.git`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Name", into = "Name")]
pub(crate) struct Inside(PathBuf);

/// A mode of at most [`MODES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) struct Mode(u32);

/// How a path is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    /// One that is no UTF-8.
    Other(OsString),
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Not done.
    Old,
    /// Done.
    New,
    /// Somebody else was there since.
    Other,
}

impl Print {
    pub(crate) fn of(bytes: &Bytes) -> Self {
        Self {
            length: bytes.len() as u64,
            hash: bytes.hash(),
        }
    }
}

impl Inside {
    /// None where it leads out of the package, or to `.git`.
    pub(crate) fn new(path: &Path) -> Option<Self> {
        let is_git = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".git");
        (stays_within(path) && !path.iter().any(is_git)).then(|| Self(path.to_owned()))
    }
}

impl Deref for Inside {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl TryFrom<Name> for Inside {
    type Error = &'static str;

    fn try_from(name: Name) -> Result<Self, Self::Error> {
        let path = match name {
            Name::Text(text) => PathBuf::from(text),
            Name::Other(other) => PathBuf::from(other),
        };
        Self::new(&path).ok_or("a path leads out of the package")
    }
}

impl From<Inside> for Name {
    fn from(path: Inside) -> Self {
        let name = path.0.into_os_string().into_string();
        name.map_or_else(Self::Other, Self::Text)
    }
}

impl Mode {
    /// The part of a mode that is at most [`MODES`].
    pub(crate) const fn of(mode: u32) -> Self {
        Self(mode & MODES)
    }
}

impl TryFrom<u32> for Mode {
    type Error = &'static str;

    fn try_from(mode: u32) -> Result<Self, Self::Error> {
        (mode <= MODES).then_some(Self(mode)).ok_or("no mode")
    }
}

impl From<Mode> for u32 {
    fn from(mode: Mode) -> Self {
        mode.0
    }
}

impl Entry {
    /// How far it is; an error where the disk does not say.
    pub(crate) fn state(&self, root: &Path) -> std::io::Result<State> {
        let now = match content(root, &self.path) {
            Ok(now) => now.map(|bytes| Print::of(&bytes.into())),
            Err(Unlike::Other) => return Ok(State::Other),
            Err(Unlike::Unreadable(error)) => return Err(error),
        };
        Ok(match now {
            now if now == self.old.map(|old| old.content) => State::Old,
            now if now == self.new => State::New,
            _ => State::Other,
        })
    }
}

impl Journal {
    /// The journal of a run that begins.
    pub(crate) fn new(
        package: &OsString,
        merge: u64,
        folders: Vec<Inside>,
        entries: Vec<Entry>,
    ) -> Self {
        Self {
            version: VERSION,
            package: package.clone(),
            merge,
            // each state has keys of its own: the one source of random numbers that std has
            run: RandomState::new().hash_one(merge),
            folders,
            entries,
        }
    }

    /// As it is kept.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // nothing in it can fail to be written
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads what [`Journal::to_bytes`] wrote; none where it is not whole, not of this form, or not
    /// about that package.
    pub(crate) fn read(bytes: &[u8], package: &OsString) -> Option<Self> {
        let journal: Self = serde_json::from_slice(bytes).ok()?;
        (journal.version == VERSION && journal.package == *package).then_some(journal)
    }

    /// Where the new content of an entry is put before it is renamed into place: beside it, under a
    /// name that no other run has.
    pub(crate) fn staged(&self, index: usize) -> PathBuf {
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
        let print = |text: &str| Print::of(&text.as_bytes().to_vec().into());
        Journal::new(
            &"apps/app".into(),
            7,
            vec![Inside("new".into()), Inside("new/in it".into())],
            vec![
                Entry {
                    path: Inside(path.into()),
                    old: Some(Old {
                        content: print("a: 1\n"),
                        mode: Some(Mode(mode)),
                    }),
                    new: Some(print("a: 2\n")),
                },
                Entry {
                    path: Inside("gone\nfile".into()),
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
        Journal::read(&journal.to_bytes(), &"apps/app".into())
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
        whole.entries[0].path = Inside(OsString::from_vec(b"\xff.yaml".to_vec()).into());
        assert_eq!(read(&whole), Some(whole));
    }

    #[test]
    fn an_unfinished_one_is_none() {
        let bytes = journal("a.yaml", 0o644).to_bytes();
        for length in 0..bytes.len() {
            let part = Journal::read(&bytes[..length], &"apps/app".into());
            assert_eq!(part, None, "{length}");
        }
        assert_eq!(Journal::read(&bytes, &"apps/other".into()), None);
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
