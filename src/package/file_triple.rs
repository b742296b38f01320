//! The files of three packages at one path, in memory. Sides with equal bytes share them.

use std::fs::Permissions;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::disk::of_new;
use crate::line_breaks::line_break_of;
use crate::merge::pins::is_file_pinned;
use crate::triple::{Side, Triple};

/// A file of one package.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The path that messages show.
    pub(crate) path: PathBuf,
    /// Its content. Sides with equal bytes share them.
    pub(crate) bytes: Bytes,
    /// Its permissions; `None` if it is not on a disk.
    pub(crate) permissions: Option<Permissions>,
}

/// The three sides of one file.
#[derive(Debug)]
pub(crate) struct FileTriple {
    /// The path of the merged file, relative to the package.
    pub(crate) path: PathBuf,
    /// The path on each side, if they differ (rules: Renamed files).
    paths: Option<Box<Triple<PathBuf>>>,
    /// Whether it has a YAML name.
    pub(crate) yaml: bool,
    pub(crate) sides: Triple<Option<Source>>,
}

impl Source {
    /// Returns a file that is not on a disk and that no message is about.
    pub(crate) fn in_memory(bytes: impl Into<Bytes>) -> Self {
        Self {
            path: PathBuf::new(),
            bytes: bytes.into(),
            permissions: None,
        }
    }

    /// Returns a file that is to be created.
    pub(crate) fn new_file(bytes: impl Into<Bytes>, is_executable: bool) -> Self {
        Self {
            permissions: of_new(is_executable),
            ..Self::in_memory(bytes)
        }
    }
}

impl FileTriple {
    pub(crate) fn new(path: PathBuf, yaml: bool, sides: Triple<Option<Source>>) -> Self {
        Self {
            path,
            paths: None,
            yaml,
            sides,
        }
    }

    /// Joins the sides of a renamed file, which are in several triples. `sides` has the index of
    /// each side's triple, and `target` the index of the triple whose path the file gets.
    pub(crate) fn joined(triples: &[Self], target: usize, sides: Triple<usize>) -> Self {
        Self {
            path: triples[target].path.clone(),
            paths: Some(Box::new(sides.map(|at| triples[at].path.clone()))),
            yaml: triples[target].yaml,
            sides: Side::ALL.map(|side| triples[sides[side]].sides[side].clone()),
        }
    }

    /// Returns the path of the file on one side.
    pub(crate) fn path_on(&self, side: Side) -> &Path {
        let paths = self.paths.as_ref();
        paths.map_or(&self.path, |paths| &paths[side])
    }

    /// Returns the content of each side.
    pub(crate) fn bytes(&self) -> Triple<Option<&Bytes>> {
        let sides = self.sides.as_ref();
        sides.map(|source| source.as_ref().map(|it| &it.bytes))
    }

    /// Returns the total size of its sides, in bytes.
    pub(crate) fn len(&self) -> usize {
        let bytes = self.bytes().into_iter().flatten();
        bytes.map(|bytes| bytes.len()).sum()
    }

    /// Returns true if the first line of the local file pins it (rules: Pins).
    pub(crate) fn is_pinned(&self) -> bool {
        let local = self.sides.local.as_ref();
        local.is_some_and(|local| is_file_pinned(&local.bytes, self.yaml))
    }
}

/// The bytes of a file; clones share them.
///
/// ```
/// use merge3::package::Bytes;
///
/// let bytes = Bytes::from(b"a: 1\n".to_vec());
/// assert_eq!(bytes.len(), 5);
/// assert_eq!(bytes, Bytes::from(b"a: 1\n".to_vec()));
/// ```
#[derive(Debug, Clone)]
pub struct Bytes(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes: Vec<u8>,
    /// The bytes as text, with a line break at its end; see [`Bytes::with_line_break`].
    with_line_break: OnceLock<String>,
}

impl Bytes {
    /// Returns `text` with a line break at its end, which it must lack. `text` has to be these
    /// bytes: the result is made once and kept.
    pub(crate) fn with_line_break(&self, text: &str) -> &str {
        let add_line_break = || format!("{text}{}", line_break_of(text));
        self.0.with_line_break.get_or_init(add_line_break)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Shared {
            bytes,
            with_line_break: OnceLock::new(),
        }))
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for Bytes {}
