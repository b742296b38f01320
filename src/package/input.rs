//! The input of one side of a merge: a path on the disk, or files in memory. A folder is listed
//! recursively, with paths and kinds; no file of the package is opened for that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rustc_hash::FxHashSet;
use walkdir::{DirEntry, WalkDir};

use super::disk::{folders_above, open, read_open};
use super::file_triple::Source;
use super::write::{UNFINISHED, is_reserved, unfinished_run_at};
use crate::error::Error;

/// The maximum size of a file with a YAML name, in bytes: three of them are in memory at once.
pub(super) const LARGEST: u64 = 256 << 20;

/// The input of one side of a merge.
#[derive(Debug, Clone)]
pub enum Input {
    /// A folder or a file on the disk.
    Disk(PathBuf),
    /// A folder in memory, for example from a version control system.
    Read(Snapshot),
}

/// A folder in memory.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Its name in messages, in the form of a path.
    pub name: PathBuf,
    /// Its entries by relative path, without folders.
    pub entries: BTreeMap<PathBuf, SnapshotEntry>,
}

/// An entry of a [`Snapshot`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotEntry {
    /// A file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Whether it is executable.
        is_executable: bool,
    },
    /// A symbolic link and its target. It is never followed.
    Link(PathBuf),
    /// Anything else, such as a submodule. It is ignored.
    Other,
}

impl Input {
    /// Returns the input for a path on the disk.
    pub fn disk(path: impl AsRef<Path>) -> Self {
        Self::Disk(path.as_ref().to_owned())
    }

    /// Returns its name in messages; on the disk, its path.
    pub(crate) fn name(&self) -> &Path {
        match self {
            Self::Disk(path) => path,
            Self::Read(snapshot) => &snapshot.name,
        }
    }

    /// Lists the entries of the folder.
    pub(crate) fn list(&self) -> Listing {
        match self {
            Self::Disk(path) => list(path),
            Self::Read(snapshot) => snapshot.list(),
        }
    }

    /// Reads the file at a relative path.
    ///
    /// # Errors
    /// If it cannot be read, or has a YAML name (`yaml`) and more than [`LARGEST`] bytes.
    pub(crate) fn read(&self, path: &Path, yaml: bool) -> Result<Source, Error> {
        match self {
            Self::Disk(root) => Source::read(&root.join(path), yaml),
            Self::Read(snapshot) => match snapshot.entries.get(path) {
                Some(SnapshotEntry::File {
                    bytes,
                    is_executable,
                }) => Ok(Source {
                    path: snapshot.name.join(path),
                    ..Source::new_file(bytes.clone(), *is_executable)
                }),
                _ => {
                    let missing = std::io::ErrorKind::NotFound.into();
                    Err(Error::reading(&snapshot.name.join(path))(missing))
                }
            },
        }
    }
}

impl Snapshot {
    /// Returns the content of the file at a path; `None` if the path is not a file.
    pub(crate) fn file(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        match self.entries.get(path.as_ref())? {
            SnapshotEntry::File { bytes, .. } => Some(bytes),
            SnapshotEntry::Link(_) | SnapshotEntry::Other => None,
        }
    }

    /// Lists the entries as [`list`] does on the disk: with folders, without `.git`.
    fn list(&self) -> Listing {
        let mut entries: BTreeMap<&Path, Kind> = BTreeMap::new();
        for (path, entry) in &self.entries {
            if path.iter().any(|name| name == ".git") {
                continue;
            }
            let kind = match entry {
                SnapshotEntry::File { .. } => Kind::File,
                SnapshotEntry::Link(target) => Kind::Link(target.clone()),
                SnapshotEntry::Other => Kind::Special,
            };
            for folder in folders_above(path) {
                entries.entry(folder).or_insert(Kind::Folder);
            }
            entries.insert(path, kind);
        }
        let owned = |(path, kind): (&Path, Kind)| (path.to_owned(), kind);
        Listing {
            entries: entries.into_iter().map(owned).collect(),
            ..Listing::default()
        }
    }
}

impl Source {
    /// Reads a file from the disk.
    ///
    /// # Errors
    /// If it cannot be read, or has a YAML name (`yaml`) and more than [`LARGEST`] bytes.
    pub(crate) fn read(path: &Path, yaml: bool) -> Result<Self, Error> {
        let (file, metadata) = open(path, true).map_err(Error::reading(path))?;
        if yaml && metadata.len() > LARGEST {
            return Err(Error::too_large(path, LARGEST));
        }
        let permissions = Some(metadata.permissions());
        let bytes = read_open((file, metadata)).map_err(Error::reading(path))?;
        Ok(Self {
            path: path.to_owned(),
            bytes: bytes.into(),
            permissions,
        })
    }
}

/// The name of ignore files, which exclude paths of a package from the merge.
pub(crate) const IGNORE_FILE: &str = ".krmignore";

/// The kind of an entry in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    /// A symbolic link and its target.
    Link(PathBuf),
    /// A pipe, a socket or a device. It is never opened.
    Special,
}

/// The entries of a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Relative paths, in no order.
    pub(crate) entries: Vec<(PathBuf, Kind)>,
    /// The entries that could not be listed, with the reason.
    pub(crate) errors: Vec<(PathBuf, io::Error)>,
}

/// Lists the entries of `root` at any depth. Links are not followed, and `.git` and the temporary
/// files of an unfinished run are skipped.
pub(crate) fn list(root: &Path) -> Listing {
    let mut listing = Listing::default();
    let walk = WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let (path, kind) = match entry {
            Ok(entry) => (entry.path().to_owned(), kind_of(&entry)),
            Err(error) => (error.path().unwrap_or(root).to_owned(), Err(error.into())),
        };
        let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
        match kind {
            Ok(kind) => listing.entries.push((path, kind)),
            Err(error) => listing.errors.push((path, error)),
        }
    }
    // a journal that cannot be read is reported by `settle`
    if let Ok(Some(unfinished_run)) = unfinished_run_at(root) {
        let staged: FxHashSet<PathBuf> = unfinished_run.journal.all_staged().collect();
        listing.entries.retain(|(path, _)| !staged.contains(path));
    }
    listing
}

fn kind_of(entry: &DirEntry) -> io::Result<Kind> {
    let file_type = entry.file_type();
    Ok(if file_type.is_file() {
        if entry.depth() == 1 && entry.file_name() == UNFINISHED {
            let message = "the run of merge3 that writes its result there did not finish";
            return Err(io::Error::other(message));
        }
        Kind::File
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_symlink() {
        Kind::Link(fs::read_link(entry.path())?)
    } else {
        Kind::Special
    })
}

impl Listing {
    /// Removes the entries with reserved names and returns their paths.
    pub(crate) fn take_reserved(&mut self) -> Vec<PathBuf> {
        let entries = self.entries.extract_if(.., |(path, _)| is_reserved(path));
        // in upstream's folder, such a file does not mean that a run is unfinished
        let errors = self.errors.extract_if(.., |(path, _)| is_reserved(path));
        let entries = entries.map(|(path, _)| path);
        entries.chain(errors.map(|(path, _)| path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::{Progress, Settings, plan_sides};
    use crate::triple::Triple;

    /// Writes the files of a snapshot to a folder.
    fn on_disk(snapshot: &Snapshot, folder: &Path) -> Input {
        for (path, entry) in &snapshot.entries {
            let SnapshotEntry::File { bytes, .. } = entry else {
                continue;
            };
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        Input::disk(folder)
    }

    #[test]
    fn an_input_in_memory_merges_like_one_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let file = |text: &str| SnapshotEntry::File {
            bytes: text.as_bytes().to_vec(),
            is_executable: false,
        };
        let side = |name: &str, files: &[(&str, &str)]| Snapshot {
            name: name.into(),
            entries: files
                .iter()
                .map(|(path, text)| (PathBuf::from(path), file(text)))
                .collect(),
        };
        let snapshots = Triple::new(
            side(
                "original",
                &[
                    ("a.yaml", "a: 1\nb: 1\n"),
                    ("d/gone.txt", "x\n"),
                    ("o/k.yaml", "a: 1\n"),
                ],
            ),
            side(
                "updated",
                &[
                    ("a.yaml", "a: 2\nb: 1\n"),
                    ("d/new.yaml", "n: 1\n"),
                    (".krmignore", "o\n"),
                    ("o/k.yaml", "a: 2\n"),
                ],
            ),
            side(
                "local",
                &[
                    ("a.yaml", "a: 1\nb: 3\n"),
                    ("d/gone.txt", "x\n"),
                    ("o/k.yaml", "a: 1\n"),
                ],
            ),
        );
        let local = on_disk(&snapshots.local, &folder.path().join("local"));
        let disk = Triple::new(
            on_disk(&snapshots.original, &folder.path().join("original")),
            on_disk(&snapshots.updated, &folder.path().join("updated")),
            local.clone(),
        );
        let memory = Triple::new(
            Input::Read(snapshots.original),
            Input::Read(snapshots.updated),
            local,
        );
        let outcome = |sides: &Triple<Input>| {
            let plan = plan_sides(sides, &Settings::default(), &Progress::default()).unwrap();
            let files = plan.files.into_iter();
            files
                .map(|it| {
                    (
                        it.path,
                        it.kind,
                        it.new.map(|new| String::from_utf8(new.to_vec()).unwrap()),
                    )
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(outcome(&memory), outcome(&disk));
        assert_eq!(outcome(&memory).len(), 4);
    }
}
