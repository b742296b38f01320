//! What the merge makes of one file: its content, its path and its executable bit (rules: Writing).

use std::fs::Permissions;
use std::path::PathBuf;

use super::Content;
use super::bytes::Bytes;
use super::file_triple::{FileTriple, Source};
use super::owner::{is_executable, of_new, with_executable_bit};
use super::plan::{ChangeKind, FileChange};
use crate::triple::Triple;

/// The local file that becomes one with another path.
#[derive(Debug)]
pub(super) struct Base {
    path: PathBuf,
    local: Source,
    /// The permissions of the original's file.
    original: Option<Permissions>,
}

impl Base {
    /// The local file of a triple, if there is one.
    pub(super) fn of(triple: &FileTriple) -> Option<Self> {
        Some(Self {
            path: triple.path.clone(),
            local: triple.sides.local.clone()?,
            original: content_and_permissions(triple.sides.original.clone()).1,
        })
    }
}

/// What happens to the file of a triple; `moved` is the local file it comes from, where that has
/// another path.
pub(super) fn change(
    triple: FileTriple,
    moved: Option<Base>,
    content: Content,
) -> Option<FileChange> {
    let is_pinned = triple.is_pinned();
    let FileTriple { path, sides, .. } = triple;
    let (bytes, of_updated) = content_and_permissions(sides.updated);
    let (from, local, of_original) = match moved {
        Some(base) => (Some(base.path), Some(base.local), base.original),
        None => (None, sides.local, content_and_permissions(sides.original).1),
    };
    let seen = local.as_ref().and_then(|local| local.seen);
    let (old, of_local) = content_and_permissions(local);
    let new = match content {
        Content::Unchanged => old.clone(),
        Content::Delete => None,
        Content::Updated => bytes,
        Content::Write(bytes) => Some(bytes.into()),
    };
    let sides = Triple::new(&of_original, &of_updated, &of_local).map(Option::as_ref);
    let changed = match new {
        Some(_) if !is_pinned => with_executable_bit(&sides),
        _ => None,
    };
    let is_same = old == new && changed.is_none();
    let (path, kind) = match (&old, &new, from) {
        (Some(_), None, from) => (from.unwrap_or(path), ChangeKind::Deleted),
        (None, None, _) => return None,
        (None, Some(_), _) => (path, ChangeKind::Added),
        (Some(_), Some(_), None) if is_same => return None,
        (Some(_), Some(_), None) => (path, ChangeKind::Changed),
        (Some(_), Some(_), Some(from)) => (path, ChangeKind::Moved { from }),
    };
    let present = match &old {
        Some(_) => of_local,
        None => of_updated.and_then(|it| of_new(is_executable(&it))),
    };
    let (permissions, old_permissions) = match changed {
        Some(changed) => (changed, present),
        None => (present?, None),
    };
    Some(FileChange {
        path,
        kind,
        permissions,
        old_permissions,
        old,
        new,
        seen,
    })
}

/// What is in a file, and its permissions.
fn content_and_permissions(source: Option<Source>) -> (Option<Bytes>, Option<Permissions>) {
    match source {
        Some(source) => (Some(source.bytes), source.permissions),
        None => (None, None),
    }
}
