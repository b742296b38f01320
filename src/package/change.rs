//! The change of one file: its content, its path and its executable bit (rules: Writing).

use super::Content;
use super::file_triple::FileTriple;
use super::owner::{is_executable, of_new, with_executable_bit};
use super::plan::{ChangeKind, FileChange};
use crate::triple::{Side, Triple};

/// Returns the change of the file of a triple; `None` if it stays as it is. `moved` is the triple
/// of the local file that is moved to this path, if any.
pub(super) fn change(
    triple: &FileTriple,
    moved: Option<&FileTriple>,
    content: Content,
) -> Option<FileChange> {
    let moved = moved.filter(|moved| moved.sides.local.is_some());
    let from = moved.unwrap_or(triple).path_on(Side::Local);
    let from = (from != triple.path).then(|| from.to_owned());
    let sides = Triple {
        updated: &triple.sides.updated,
        ..moved.unwrap_or(triple).sides.as_ref()
    };
    let sides = sides.map(Option::as_ref);
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
    Some(FileChange {
        path,
        kind,
        permissions,
        old_permissions,
        old,
        new,
    })
}
