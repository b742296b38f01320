//! Whose a file is and who may do what with it, on systems that know that.

use std::fs::{File, Permissions};
use std::io;
use std::path::Path;

use crate::triple::Triple;

/// A file that is replaced stays its owner's, where we may say so.
#[cfg(unix)]
pub(super) fn keep_owner(old: &Path, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let Ok(old) = std::fs::symlink_metadata(old) else {
        return Ok(());
    };
    let own = new.metadata()?;
    if (old.uid(), old.gid()) != (own.uid(), own.gid()) {
        // only root may; anyone else gets a file of their own, as with an editor
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn keep_owner(_old: &Path, _new: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
pub(super) fn mode(permissions: &Permissions) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;

    Some(permissions.mode() & 0o7777)
}

#[cfg(not(unix))]
pub(super) fn mode(_permissions: &Permissions) -> Option<u32> {
    None
}

/// The permissions of a local file where upstream changed whether it can be executed and local did not (SPEC 9); none where
/// they stay. Whoever may read it may execute it then, as git has it.
#[cfg(unix)]
pub(super) fn with_executable_bit(sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    let modes = sides.map(|side| side.map(Permissions::mode));
    let (original, updated, local) = (modes.original?, modes.updated?, modes.local?);
    let is_executable = |mode: u32| mode & 0o100 != 0;
    let wanted = is_executable(updated);
    if is_executable(original) == wanted || is_executable(local) == wanted {
        return None;
    }
    Some(Permissions::from_mode(match wanted {
        true => local | (local & 0o444) >> 2,
        false => local & !0o111,
    }))
}

#[cfg(not(unix))]
pub(super) fn with_executable_bit(_sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    None
}
