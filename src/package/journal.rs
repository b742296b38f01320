//! What a run is about to do to a package, written down before it does any of it, with what is there now: so that the next run can
//! take back what one that was killed has done.
//!
//! It is a file at the top of the package, there only while a run writes. After its first line come a `folder` for each that
//! is made and a `file` for each that changes, and at last the hash of all that: a journal without it was not finished, and
//! nothing was done yet.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;

use super::bytes::Bytes;
use super::disk::{Unlike, content, stays_within};

/// Its name.
pub(crate) const JOURNAL: &str = ".merge3-journal";
/// The file that says of a folder that the result which is written there is not finished.
pub(crate) const UNFINISHED: &str = ".merge3-output";
const FIRST_LINE: &str = "merge3 journal 1\n";
/// In bytes: no less is written at once, but for the last piece.
const PIECE: usize = 256 << 10;

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
    pub(crate) fn of(bytes: &Bytes) -> Self {
        Self {
            length: bytes.len(),
            hash: bytes.hash(),
        }
    }
}

impl Entry<'_> {
    /// How far it is; an error where the disk does not say.
    pub(crate) fn state(&self, root: &Path) -> std::io::Result<State> {
        match content(root, &self.path).map(|now| now.map(Bytes::from)) {
            Ok(now) if now.as_deref() == self.old.as_ref().map(|old| &*old.bytes) => Ok(State::Old),
            Ok(now) if now.as_ref().map(Print::of) == self.new => Ok(State::New),
            Ok(_) => Ok(State::Other),
            Err(Unlike::Other) => Ok(State::Other),
            Err(Unlike::Unreadable(error)) => Err(error),
        }
    }
}

impl Journal<'_> {
    /// Writes it down, in pieces that are not too small.
    ///
    /// # Errors
    /// As for `write`.
    pub(crate) fn write_to(
        &self,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut piece = Vec::new();
        let mut hasher = FxHasher::default();
        piece.extend_from_slice(FIRST_LINE.as_bytes());
        piece.extend_from_slice(format!("merge {:x}\n", self.merge).as_bytes());
        for folder in &self.folders {
            let path = path_bytes(folder);
            piece.extend_from_slice(format!("folder {}\n", path.len()).as_bytes());
            piece.extend_from_slice(&path);
            piece.push(b'\n');
        }
        hasher.write(&piece);
        for entry in &self.entries {
            let start = piece.len();
            entry.push_to(&mut piece);
            hasher.write(&piece[start..]);
            if piece.len() >= PIECE {
                write(&piece)?;
                piece.clear();
            }
        }
        piece.extend_from_slice(format!("end {:x}\n", hasher.finish()).as_bytes());
        write(&piece)
    }

    /// Reads what [`Journal::write_to`] wrote; none where it is not finished, or not a journal whose paths stay in the package.
    pub(crate) fn read(bytes: &[u8]) -> Option<Journal<'static>> {
        let mut reader = Reader { bytes, at: 0 };
        let mut journal = Journal::default();
        let mut hashed = Hashed {
            bytes,
            at: 0,
            hasher: FxHasher::default(),
        };
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
                    hashed.up_to(start);
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
                    hashed.up_to(reader.at);
                    journal.entries.push(Entry { path, old, new });
                }
                ["end", end] => {
                    hashed.up_to(start);
                    let whole = u64::from_str_radix(end, 16) == Ok(hashed.hasher.finish());
                    return (whole && reader.at == bytes.len()).then_some(journal);
                }
                _ => return None,
            }
        }
    }
}

impl Entry<'_> {
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

/// A journal's hash: that of its head and those of its entries, one after the other.
struct Hashed<'b> {
    bytes: &'b [u8],
    at: usize,
    hasher: FxHasher,
}

impl Hashed<'_> {
    /// Takes in what stands from where it is up to `end`, where that is anything.
    fn up_to(&mut self, end: usize) {
        if self.at < end {
            self.hasher.write(&self.bytes[self.at..end]);
            self.at = end;
        }
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

    fn written(journal: &Journal<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let written = journal.write_to(|piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        assert!(written.is_ok());
        bytes
    }

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
                    new: Some(Print::of(&b"a: 2\n".to_vec().into())),
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
        let bytes = written(&journal("a.yaml"));
        assert_eq!(Journal::read(&bytes), Some(journal("a.yaml")));
    }

    #[test]
    fn one_of_many_pieces_is_read() {
        let old = vec![b'x'; PIECE / 3];
        let mut long = journal("a.yaml");
        let entry = |number: usize| Entry {
            path: format!("{number}.yaml").into(),
            old: Some(Old {
                bytes: Cow::Borrowed(&old),
                mode: None,
            }),
            new: Some(Print::of(&old.clone().into())),
        };
        long.entries.extend((0..10).map(entry));
        let mut pieces = 0;
        let written_down = long.write_to(|_| {
            pieces += 1;
            Ok(())
        });
        assert!(written_down.is_ok() && pieces > 2, "{pieces}");
        assert_eq!(Journal::read(&written(&long)).as_ref(), Some(&long));
    }

    #[test]
    fn an_unfinished_one_is_none() {
        let bytes = written(&journal("a.yaml"));
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
            assert_eq!(Journal::read(&written(&journal(path))), None, "{path}");
        }
    }
}
