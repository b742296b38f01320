//! What a run is about to do to a package, written down before it does any of it, with what is there now: so that the next run can
//! take back what one that was killed has done.
//!
//! It is a file at the top of the package, there only while a run writes. After its first line come a `folder` for each that
//! is made and a `file` for each that changes, and at last the hash of all that: a journal without it was not finished, and
//! nothing was done yet.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::disk::{Unlike, content, hash, stays_within};

/// Its name.
pub(crate) const JOURNAL: &str = ".merge3-journal";
/// The file that says of a folder that the result which is written there is not finished.
pub(crate) const UNFINISHED: &str = ".merge3-output";
const FIRST_LINE: &str = "merge3 journal 1\n";

/// What a run does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Journal<'p> {
    /// Which merge it is: the fingerprint of what upstream changed.
    pub(crate) merge: u64,
    /// The folders that are made, those above before those in them.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) entries: Vec<Entry<'p>>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry<'p> {
    pub(crate) path: PathBuf,
    pub(crate) old: Option<Old<'p>>,
    pub(crate) new: Option<Print>,
}

/// What was in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Old<'p> {
    pub(crate) bytes: Cow<'p, [u8]>,
    /// Its mode, on systems that have one.
    pub(crate) mode: Option<u32>,
}

/// What a content is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Print {
    length: usize,
    hash: u64,
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
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self {
            length: bytes.len(),
            hash: hash(bytes),
        }
    }
}

impl Entry<'_> {
    /// How far it is; an error where the disk does not say.
    pub(crate) fn state(&self, root: &Path) -> std::io::Result<State> {
        let now = match content(root, &self.path) {
            Ok(now) => now,
            Err(Unlike::Other) => return Ok(State::Other),
            Err(Unlike::Unreadable(error)) => return Err(error),
        };
        Ok(match now {
            now if now.as_deref() == self.old.as_ref().map(|old| &*old.bytes) => State::Old,
            now if now.as_deref().map(Print::of) == self.new => State::New,
            _ => State::Other,
        })
    }
}

impl Journal<'_> {
    /// As it is written down.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let size: usize = self.entries.iter().map(Entry::size).sum();
        let mut bytes = Vec::with_capacity(size + 256);
        bytes.extend_from_slice(FIRST_LINE.as_bytes());
        bytes.extend_from_slice(format!("merge {:x}\n", self.merge).as_bytes());
        for folder in &self.folders {
            let path = path_bytes(folder);
            bytes.extend_from_slice(format!("folder {}\n", path.len()).as_bytes());
            bytes.extend_from_slice(&path);
            bytes.push(b'\n');
        }
        for entry in &self.entries {
            entry.push_to(&mut bytes);
        }
        let end = format!("end {:x}\n", hash(&bytes));
        bytes.extend_from_slice(end.as_bytes());
        bytes
    }

    /// Reads what [`Journal::to_bytes`] wrote; none where it is not finished, or not a journal whose paths stay in the package.
    pub(crate) fn read(bytes: &[u8]) -> Option<Journal<'static>> {
        let mut reader = Reader { bytes, at: 0 };
        let mut journal = Journal::default();
        if reader.take(FIRST_LINE.len())? != FIRST_LINE.as_bytes() {
            return None;
        }
        loop {
            let start = reader.at;
            let line = reader.line()?;
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["merge", merge] => journal.merge = u64::from_str_radix(merge, 16).ok()?,
                ["folder", length] => {
                    journal.folders.push(reader.path(length)?);
                    reader.take(1)?;
                }
                ["file", length, mode, old, new, new_hash] => {
                    let path = reader.path(length)?;
                    let old = match *old {
                        "-" => None,
                        length => Some(Old {
                            bytes: reader.take(length.parse().ok()?)?.to_vec().into(),
                            mode: u32::from_str_radix(mode, 8).ok(),
                        }),
                    };
                    let new = match *new {
                        "-" => None,
                        length => Some(Print {
                            length: length.parse().ok()?,
                            hash: u64::from_str_radix(new_hash, 16).ok()?,
                        }),
                    };
                    reader.take(1)?;
                    journal.entries.push(Entry { path, old, new });
                }
                ["end", end] => {
                    let whole = u64::from_str_radix(end, 16) == Ok(hash(&bytes[..start]));
                    return (whole && reader.at == bytes.len()).then_some(journal);
                }
                _ => return None,
            }
        }
    }
}

impl Entry<'_> {
    fn size(&self) -> usize {
        self.old.as_ref().map_or(0, |old| old.bytes.len()) + self.path.as_os_str().len() + 64
    }

    fn push_to(&self, bytes: &mut Vec<u8>) {
        let path = path_bytes(&self.path);
        let mut line = format!("file {}", path.len());
        let mode = self.old.as_ref().and_then(|old| old.mode);
        let written = match mode {
            Some(mode) => write!(line, " {mode:o}"),
            None => write!(line, " -"),
        };
        let written = written.and_then(|()| match &self.old {
            Some(old) => write!(line, " {}", old.bytes.len()),
            None => write!(line, " -"),
        });
        let written = written.and_then(|()| match &self.new {
            Some(new) => writeln!(line, " {} {:x}", new.length, new.hash),
            None => writeln!(line, " - -"),
        });
        debug_assert!(written.is_ok(), "writing to a string does not fail");
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(&path);
        if let Some(old) = &self.old {
            bytes.extend_from_slice(&old.bytes);
        }
        bytes.push(b'\n');
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn line(&mut self) -> Option<&'b str> {
        let length = memchr::memchr(b'\n', self.bytes.get(self.at..)?)?;
        let line = std::str::from_utf8(self.take(length)?).ok()?;
        self.take(1)?;
        Some(line)
    }

    /// A path: one that leads out of the package is none.
    fn path(&mut self, length: &str) -> Option<PathBuf> {
        let path = path_of(self.take(length.parse().ok()?)?)?;
        stays_within(&path).then_some(path)
    }
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).into()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    Some(PathBuf::from(name))
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    path.to_string_lossy().into_owned().into_bytes().into()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(path: &str) -> Journal<'static> {
        Journal {
            merge: 7,
            folders: vec!["new".into(), "new/in it".into()],
            entries: vec![
                Entry {
                    path: path.into(),
                    old: Some(Old {
                        bytes: b"a: 1\nend 0\n".as_slice().into(),
                        mode: Some(0o644),
                    }),
                    new: Some(Print::of(b"a: 2\n")),
                },
                Entry {
                    path: "gone\nfile".into(),
                    old: Some(Old {
                        bytes: b"".as_slice().into(),
                        mode: None,
                    }),
                    new: None,
                },
            ],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = journal("a.yaml").to_bytes();
        assert_eq!(Journal::read(&bytes), Some(journal("a.yaml")));
    }

    #[test]
    fn an_unfinished_one_is_none() {
        let bytes = journal("a.yaml").to_bytes();
        for length in 0..bytes.len() {
            assert_eq!(Journal::read(&bytes[..length]), None, "{length}");
        }
        let mut spoiled = bytes;
        spoiled[40] ^= 1;
        assert_eq!(Journal::read(&spoiled), None);
    }

    #[test]
    fn a_path_that_leads_out_is_none() {
        for path in ["../a.yaml", "/etc/passwd", "a/../../b", "", "."] {
            assert_eq!(Journal::read(&journal(path).to_bytes()), None, "{path}");
        }
    }
}
