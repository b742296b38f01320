//! The plan of a run: the changes to a package and the records to report, before anything is
//! written (rules: Writing).

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::Content;
use super::disk::{is_executable, of_new, serialize_portable, with_executable_bit};
use super::file_triple::{Bytes, FileTriple, Source};
use super::resource::ResourceId;
use crate::error::Warning;
use crate::merge::{Conflict, ConflictKind, ConflictTexts, Resolution};
use crate::triple::{Side, Triple};

/// The outcome of a merge: the files to write, and the records to report.
#[derive(Debug, Default)]
pub struct Plan {
    /// The local package's folder; for a file, its parent folder.
    pub root: PathBuf,
    /// The files that change, sorted by path.
    pub files: Vec<FileChange>,
    /// The places where both sides changed the same thing and do not agree, sorted by file and
    /// line.
    pub conflicts: Vec<FileConflict>,
    /// The changes of upstream that a comment `# merge3: keep` held back, sorted by file and line.
    /// They are not conflicts.
    pub pinned: Vec<FileConflict>,
    /// The values that both sides changed and that were combined, sorted by file and line. They are
    /// not conflicts (rules: Texts and images, Lists).
    pub combined: Vec<FileConflict>,
    /// The resources that were paired although their names or namespaces differ (rules: Renamed
    /// resources), sorted by file and line.
    pub renamed: Vec<Renamed>,
    /// The warnings.
    pub warnings: Vec<Warning>,
    /// The number of files of the local and the updated package that were read.
    pub read: usize,
    /// Whether a diff shows the content of files that contain Secrets.
    pub show_secrets: bool,
    /// The local files that records refer to, as they were read.
    pub(crate) sources: BTreeMap<PathBuf, Bytes>,
    /// Whether the changes will be committed. The journal is then kept until the commit.
    pub(crate) awaits_commit: bool,
    /// The fingerprint of upstream's changes. It identifies the merge.
    pub(crate) merge: u64,
}

/// A change of one file.
#[derive(Debug, Serialize)]
pub struct FileChange {
    /// The path in the package after the merge; of a deleted file, its former path.
    #[serde(serialize_with = "serialize_portable")]
    pub path: PathBuf,
    /// The kind of change.
    #[serde(flatten)]
    pub kind: ChangeKind,
    /// The old content; `None` for a new file.
    #[serde(skip)]
    pub old: Option<Bytes>,
    /// The new content; `None` for a deleted file.
    #[serde(skip)]
    pub new: Option<Bytes>,
    /// The permissions after the change.
    #[serde(skip)]
    pub permissions: Permissions,
    /// The old permissions, if they change.
    #[serde(skip)]
    pub old_permissions: Option<Permissions>,
}

/// The kind of a change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum ChangeKind {
    /// The file is new.
    Added,
    /// The content or the permissions change.
    Changed,
    /// The file is deleted.
    Deleted,
    /// The file moves to the path that upstream gave it.
    Moved {
        /// The former path.
        #[serde(serialize_with = "serialize_portable")]
        from: PathBuf,
    },
}

/// A conflict, or another record, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileConflict {
    /// The file in the local package, at its path after the merge; if there is none, the file in
    /// upstream's.
    pub file: Arc<Path>,
    /// The line in the local file, from 1; `None` if the local file does not have it.
    pub line: Option<usize>,
    /// The resource, if the place is in one.
    pub resource: Option<Arc<ResourceId<'static>>>,
    /// The conflict.
    pub conflict: Conflict,
    /// Whether the values are hidden because they are those of a Secret.
    pub hidden: bool,
}

impl FileConflict {
    /// Returns a record about a part of a file that is not in a resource.
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

    /// Returns a record about a whole file or folder.
    pub(crate) fn of_whole(
        file: &Path,
        kind: ConflictKind,
        values: &Triple<Option<impl AsRef<str>>>,
        resolution: Resolution,
    ) -> Self {
        let conflict = Conflict {
            texts: ConflictTexts::new("", values),
            kind,
            line: 0,
            resolution,
            rule: None,
        };
        Self::in_file(file, None, conflict)
    }

    /// Returns true if the record reports a document, file or folder that local deleted and that
    /// stays deleted.
    pub fn stays_deleted(&self) -> bool {
        self.conflict.kind == ConflictKind::DeletedLocally
            && self.conflict.resolution == Resolution::Local
            && self.conflict.path().is_empty()
    }
}

/// A resource whose name or namespace differs between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// The file in the local package, at its path after the merge.
    #[serde(serialize_with = "serialize_portable")]
    pub file: PathBuf,
    /// The line in the file, from 1.
    pub line: usize,
    /// The identity on each side that has it.
    #[serde(flatten)]
    pub names: Triple<Option<ResourceId<'static>>>,
}

/// The numbers of files that a run read and changes, and of conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Files of the local and the updated package that were read.
    pub read: usize,
    /// Files whose content changes.
    pub changed: usize,
    /// New files.
    pub added: usize,
    /// Deleted files.
    pub deleted: usize,
    /// Files that move to another path.
    pub moved: usize,
    /// Conflicts.
    pub conflicts: usize,
    /// Changes of upstream that a comment held back.
    pub pinned: usize,
}

impl FileChange {
    /// Returns the merged change of the file of a triple: its content, its path and its executable
    /// bit (rules: Writing); `None` if it stays as it is.
    pub(super) fn merged(triple: &FileTriple, content: Content) -> Option<Self> {
        let from = triple.path_on(Side::Local);
        let from = (from != triple.path).then(|| from.to_owned());
        let sides = triple.sides.as_ref().map(Option::as_ref);
        let bytes = sides.map(|source| source.map(|it| it.bytes.clone()));
        let permissions = sides.map(|source| source.and_then(|it| it.permissions.as_ref()));
        let old = bytes.local;
        let new = match content {
            Content::Unchanged => old.clone(),
            Content::Delete => None,
            Content::Updated => bytes.updated,
            Content::Write(bytes) => Some(bytes.into()),
        };
        let new_permissions = match new {
            Some(_) if !triple.is_pinned() => with_executable_bit(&permissions),
            _ => None,
        };
        let is_unchanged = old == new && new_permissions.is_none();
        let path = triple.path.clone();
        let (path, kind) = match (&old, &new, from) {
            (Some(_), None, from) => (from.unwrap_or(path), ChangeKind::Deleted),
            (None, None, _) => return None,
            (None, Some(_), _) => (path, ChangeKind::Added),
            (Some(_), Some(_), None) if is_unchanged => return None,
            (Some(_), Some(_), None) => (path, ChangeKind::Changed),
            (Some(_), Some(_), Some(from)) => (path, ChangeKind::Moved { from }),
        };
        let current_permissions = match &old {
            Some(_) => permissions.local.cloned(),
            None => permissions.updated.and_then(|it| of_new(is_executable(it))),
        };
        let (permissions, old_permissions) = match new_permissions {
            Some(new_permissions) => (new_permissions, current_permissions),
            None => (current_permissions?, None),
        };
        Some(Self {
            path,
            kind,
            permissions,
            old_permissions,
            old,
            new,
        })
    }

    /// Returns the change from `old` to `new`; `None` if the contents are equal, or if neither has
    /// permissions.
    pub(crate) fn between(path: PathBuf, old: Option<Source>, new: Option<Source>) -> Option<Self> {
        let kind = match (&old, &new) {
            (Some(old), Some(new)) if old.bytes == new.bytes => return None,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (Some(_), None) => ChangeKind::Deleted,
            (None, _) => ChangeKind::Added,
        };
        Self::of(path, kind, old, new)
    }

    /// Returns a change of the given kind, even if the contents are equal; `None` if neither side
    /// has permissions.
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
            old: old.map(|old| old.bytes),
            new: new.map(|new| new.bytes),
            permissions: permissions?,
            old_permissions: None,
        })
    }
}

impl ChangeKind {
    /// Returns the name of the kind in reports.
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
    /// Returns an empty plan for a package. `merge` is the fingerprint of upstream's changes.
    pub(crate) fn new(root: PathBuf, merge: u64) -> Self {
        Self {
            root,
            merge,
            ..Self::default()
        }
    }

    /// Returns the lists of records: conflicts, pinned and combined.
    pub(crate) fn records(&mut self) -> [&mut Vec<FileConflict>; 3] {
        [&mut self.conflicts, &mut self.pinned, &mut self.combined]
    }

    /// Adds the changes of some files; `changed` has their new contents by path. `None` deletes a
    /// file.
    pub(super) fn change_files(
        &mut self,
        files: Vec<(PathBuf, Source)>,
        mut changed: FxHashMap<PathBuf, Option<Source>>,
    ) {
        for (path, old) in files {
            if let Some(new) = changed.remove(&path) {
                self.files.extend(FileChange::between(path, Some(old), new));
            }
        }
        let added = changed.into_iter();
        let added = added.filter_map(|(path, new)| FileChange::between(path, None, new));
        self.files.extend(added);
        self.sort();
    }

    /// Sorts files by path, and records by file and line.
    pub(crate) fn sort(&mut self) {
        self.files.sort_by(|left, right| left.path.cmp(&right.path));
        for records in self.records() {
            // sorting takes half as much memory as the records, and mostly they are sorted already
            let place = |record: &FileConflict| (Arc::clone(&record.file), record.line);
            if !records.is_sorted_by_key(place) {
                records.sort_by_key(place);
            }
        }
    }

    /// Returns the numbers of changed files and of conflicts.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            read: self.read,
            conflicts: self.conflicts.len(),
            pinned: self.pinned.len(),
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

    /// Returns true if a conflict is left for the user to resolve, usually between conflict
    /// markers.
    pub fn has_open_conflicts(&self) -> bool {
        self.conflicts
            .iter()
            .any(|it| it.conflict.resolution.is_open())
    }
}
