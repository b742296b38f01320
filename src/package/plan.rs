//! What a merge is going to do to a package, before any of it is done (rules: Writing).

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bytes::Bytes;
use super::disk::Seen;
use super::file_triple::Source;
use super::resource::ResourceId;
use crate::error::Warning;
use crate::merge::{Conflict, ConflictKind, Resolution};
use crate::triple::Triple;

/// The outcome of a merge: what is to be written, and what there is to say about it.
#[derive(Debug, Default)]
pub struct Plan {
    /// The local package's folder; for a file, the folder it is in.
    pub root: PathBuf,
    /// The files that change, by path.
    pub files: Vec<FileChange>,
    /// The places where both sides changed and do not agree, by file and line.
    pub conflicts: Vec<FileConflict>,
    /// Upstream's changes that a comment `# merge3: keep` held back, by file and line: no
    /// conflicts.
    pub pinned: Vec<FileConflict>,
    /// The values that both sides changed and that were put together from both, by file and line:
    /// no conflicts (rules: Texts and images, Lists).
    pub combined: Vec<FileConflict>,
    /// The resources that were paired although their names or namespaces differ (rules: Renamed
    /// resources), by file and line.
    pub renamed: Vec<Renamed>,
    /// What there is to know beside.
    pub warnings: Vec<Warning>,
    /// How many files of the local and the updated package were read.
    pub read: usize,
    /// Whether a diff shows the content of files that hold Secrets.
    pub show_secrets: bool,
    /// The local files that conflicts, pins and the like are in, as they were read.
    pub(crate) sources: BTreeMap<PathBuf, Bytes>,
    /// Whether what is written is to be committed: until it is forgotten then, the next run knows
    /// of it.
    pub(crate) awaits_commit: bool,
    /// The fingerprint of what upstream changed: which merge this is.
    pub(crate) merge: u64,
}

/// One file that changes.
#[derive(Debug)]
pub struct FileChange {
    /// Its path in the package, after the merge; of a file that goes, the one it had.
    pub path: PathBuf,
    /// What happens to it.
    pub kind: ChangeKind,
    /// What is in it now; `None` for a file that comes.
    pub old: Option<Bytes>,
    /// What will be in it; `None` for a file that goes.
    pub new: Option<Bytes>,
    /// The permissions it has or gets.
    pub permissions: Permissions,
    /// Those that it had, where they change.
    pub old_permissions: Option<Permissions>,
    /// What the disk said of the file when it was read, where it was.
    pub(crate) seen: Option<Seen>,
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// It comes.
    Added,
    /// Its content changes.
    Changed,
    /// It goes.
    Deleted,
    /// Upstream gave it another path, and so it gets that too.
    Moved {
        /// The path it had.
        from: PathBuf,
    },
}

/// A conflict and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileConflict {
    /// The file in the local package; where it has none, the one in upstream's.
    pub file: Arc<Path>,
    /// The line in the local file, from 1; `None` if the local side has not got it.
    pub line: Option<usize>,
    /// The resource, where it is in one.
    pub resource: Option<Arc<ResourceId<'static>>>,
    /// What happened.
    pub conflict: Conflict,
    /// Whether its values are left out, because they are those of a Secret.
    pub hidden: bool,
}

impl FileConflict {
    /// One about a part of a file that is in no resource.
    pub(crate) fn in_file(
        file: impl Into<Arc<Path>>,
        line: Option<usize>,
        conflict: Conflict,
    ) -> Self {
        Self {
            file: file.into(),
            line,
            resource: None,
            conflict,
            hidden: false,
        }
    }

    /// One about a file or folder as a whole.
    pub(crate) fn of_whole(
        file: &Path,
        kind: ConflictKind,
        values: Triple<Option<Box<str>>>,
        resolution: Resolution,
    ) -> Self {
        let conflict = Conflict {
            path: "".into(),
            kind,
            line: 0,
            values,
            resolution,
            rule: None,
        };
        Self::in_file(file, None, conflict)
    }

    /// Whether it says that something whole that local deleted stays deleted: that was decided long
    /// ago.
    pub fn stays_deleted(&self) -> bool {
        self.conflict.kind == ConflictKind::DeletedLocally
            && self.conflict.resolution == Resolution::Local
            && self.conflict.path.is_empty()
    }
}

/// A resource that has another name or namespace on one side than on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The file in the local package.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: usize,
    /// What it is called on each side that has it.
    pub names: Triple<Option<ResourceId<'static>>>,
}

/// How much was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Files of the local and the updated package that were read.
    pub read: usize,
    /// Files whose content changes.
    pub changed: usize,
    /// Files that come.
    pub added: usize,
    /// Files that go.
    pub deleted: usize,
    /// Files that get another path.
    pub moved: usize,
}

impl FileChange {
    /// What becomes of a file that is one thing before and another one afterwards; `None` if that
    /// is the same, or nothing is known of its permissions.
    pub(crate) fn between(path: PathBuf, old: Option<Source>, new: Option<Source>) -> Option<Self> {
        let kind = match (&old, &new) {
            (Some(old), Some(new)) if old.bytes == new.bytes => return None,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (Some(_), None) => ChangeKind::Deleted,
            (None, _) => ChangeKind::Added,
        };
        Self::of(path, kind, old, new)
    }

    /// The same, whatever is in the file before and afterwards.
    pub(crate) fn of(
        path: PathBuf,
        kind: ChangeKind,
        old: Option<Source>,
        new: Option<Source>,
    ) -> Option<Self> {
        let present = [&old, &new].into_iter().flatten();
        let permissions = present.filter_map(|it| it.permissions.clone()).next();
        Some(Self {
            path,
            kind,
            seen: old.as_ref().and_then(|old| old.seen),
            old: old.map(|old| old.bytes),
            new: new.map(|new| new.bytes),
            permissions: permissions?,
            old_permissions: None,
        })
    }
}

impl ChangeKind {
    /// The word that reports use.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
            Self::Moved { .. } => "moved",
        }
    }
}

impl Plan {
    /// A plan that does nothing yet in a package. `merge` is the fingerprint of what upstream
    /// changed.
    pub(crate) fn new(root: PathBuf, merge: u64) -> Self {
        Self {
            root,
            merge,
            ..Self::default()
        }
    }

    /// All that is told of single places, by list.
    pub(crate) fn records(&mut self) -> [&mut Vec<FileConflict>; 3] {
        [&mut self.conflicts, &mut self.pinned, &mut self.combined]
    }

    /// Sorts files by their paths, and what is told by file and line.
    pub(crate) fn sort(&mut self) {
        self.files.sort_by(|left, right| left.path.cmp(&right.path));
        for records in self.records() {
            // mostly they are in order, and to sort takes half as much memory as they do
            let place = |record: &FileConflict| (Arc::clone(&record.file), record.line);
            if !records.is_sorted_by_key(place) {
                records.sort_by_key(place);
            }
        }
    }

    /// How much is done.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            read: self.read,
            ..Counts::default()
        };
        for change in &self.files {
            match change.kind {
                ChangeKind::Added => counts.added += 1,
                ChangeKind::Changed => counts.changed += 1,
                ChangeKind::Deleted => counts.deleted += 1,
                ChangeKind::Moved { .. } => counts.moved += 1,
            }
        }
        counts
    }

    /// Whether a conflict is left to somebody, most often between conflict markers.
    pub fn has_open_conflicts(&self) -> bool {
        self.conflicts
            .iter()
            .any(|it| it.conflict.resolution.is_open())
    }
}
