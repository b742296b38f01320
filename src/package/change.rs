//! What the merge makes of one file: its content, its path and its executable bit (rules: Writing).

use super::Content;
use super::file_triple::FileTriple;
use super::owner::{is_executable, of_new, with_executable_bit};
use super::plan::{ChangeKind, FileChange};
use crate::triple::{Side, Triple};

/// What happens to the file of a triple; `moved` has the local file it comes from, where that has
/// another path.
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
    let changed = match new {
        Some(_) if !triple.is_pinned() => with_executable_bit(&permissions),
        _ => None,
    };
    let is_same = old == new && changed.is_none();
    let path = triple.path.clone();
    let (path, kind) = match (&old, &new, from) {
        (Some(_), None, from) => (from.unwrap_or(path), ChangeKind::Deleted),
        (None, None, _) => return None,
        (None, Some(_), _) => (path, ChangeKind::Added),
        (Some(_), Some(_), None) if is_same => return None,
        (Some(_), Some(_), None) => (path, ChangeKind::Changed),
        (Some(_), Some(_), Some(from)) => (path, ChangeKind::Moved { from }),
    };
    let present = match &old {
        Some(_) => permissions.local.cloned(),
        None => permissions.updated.and_then(|it| of_new(is_executable(it))),
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
        seen: sides.local.and_then(|local| local.seen),
    })
}
