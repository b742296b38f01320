//! The files of three packages at one path, in memory.

use std::fs::Permissions;
use std::path::{Path, PathBuf};

use super::bytes::Bytes;
use super::disk::Seen;
use crate::merge::pins::is_file_pinned;
use crate::triple::{Side, Triple};

/// A file's bytes, and what the disk says about it.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Shared by the sides that have the same.
    pub(crate) bytes: Bytes,
    /// None where it is on no disk.
    pub(crate) permissions: Option<Permissions>,
    /// What the disk said of it.
    pub(crate) seen: Option<Seen>,
}

/// The files at one relative path.
#[derive(Debug)]
pub(crate) struct FileTriple {
    pub(crate) path: PathBuf,
    /// The paths that the sides have it at, where these are not one (rules: Renamed files).
    paths: Option<Box<Triple<PathBuf>>>,
    /// Whether the name is one of YAML.
    pub(crate) yaml: bool,
    pub(crate) sides: Triple<Option<Source>>,
}

/// Where the three packages are.
#[derive(Debug)]
pub(crate) enum Roots {
    /// In folders.
    Folders(Triple<PathBuf>),
    /// Each is one file.
    Files(Triple<PathBuf>),
}

impl Source {
    /// What is on no disk.
    pub(crate) fn in_memory(bytes: impl Into<Bytes>) -> Self {
        Self {
            bytes: bytes.into(),
            permissions: None,
            seen: None,
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

    /// One file that its sides have at several paths: `sides` says in which triple each has it, and
    /// `target` which path it gets.
    pub(crate) fn joined(triples: &[Self], target: usize, sides: Triple<usize>) -> Self {
        Self {
            path: triples[target].path.clone(),
            paths: Some(Box::new(sides.map(|at| triples[at].path.clone()))),
            yaml: triples[target].yaml,
            sides: Side::ALL.map(|side| triples[sides[side]].sides[side].clone()),
        }
    }

    /// The path that a side has it at.
    pub(crate) fn path_on(&self, side: Side) -> &Path {
        let paths = self.paths.as_ref();
        paths.map_or(&self.path, |paths| &paths[side])
    }

    /// What is in its files.
    pub(crate) fn bytes(&self) -> Triple<Option<&Bytes>> {
        let sides = self.sides.as_ref();
        sides.map(|source| source.as_ref().map(|it| &it.bytes))
    }

    /// How many bytes its files have.
    pub(crate) fn len(&self) -> usize {
        let bytes = self.bytes().into_array().into_iter().flatten();
        bytes.map(|bytes| bytes.len()).sum()
    }

    /// Whether the first line of the local file pins it (rules: Pins).
    pub(crate) fn is_pinned(&self) -> bool {
        let local = self.sides.local.as_ref();
        local.is_some_and(|local| is_file_pinned(&local.bytes, self.yaml))
    }
}

impl Roots {
    /// Where the files of a triple are.
    pub(crate) fn paths(&self, triple: &FileTriple) -> Triple<PathBuf> {
        match self {
            Self::Folders(folders) => {
                Side::ALL.map(|side| folders[side].join(triple.path_on(side)))
            }
            Self::Files(files) => files.clone(),
        }
    }

    /// The folder that paths in the local package are relative to.
    pub(crate) fn local(&self) -> PathBuf {
        match self {
            Self::Folders(folders) => folders.local.clone(),
            Self::Files(files) => files
                .local
                .parent()
                .map_or_else(PathBuf::new, Path::to_owned),
        }
    }
}
