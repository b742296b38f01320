//! Owners and permissions of files, on systems that support them.

use std::fs::{File, Permissions};
use std::io;
use std::path::Path;

use super::write::MODES;
use crate::triple::Triple;

/// Gives the new file the owner and group of the file that it replaces, if the system permits it.
#[cfg(unix)]
pub(super) fn keep_owner(old: &Path, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let Ok(old) = std::fs::symlink_metadata(old) else {
        return Ok(());
    };
    let current = new.metadata()?;
    if (old.uid(), old.gid()) != (current.uid(), current.gid()) {
        // only root may change the owner; otherwise the file is the user's, as with an editor
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn keep_owner(_old: &Path, _new: &File) -> io::Result<()> {
    Ok(())
}

/// Returns the mode for the journal: without the set-user-ID, set-group-ID and sticky bits.
#[cfg(unix)]
pub(super) fn mode(permissions: &Permissions) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;

    Some(permissions.mode() & MODES)
}

#[cfg(not(unix))]
pub(super) fn mode(_permissions: &Permissions) -> Option<u32> {
    None
}

/// Returns the permissions for a mode from the journal.
#[cfg(unix)]
pub(super) fn permissions(mode: Option<u32>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    mode.map(Permissions::from_mode)
}

#[cfg(not(unix))]
pub(super) fn permissions(_mode: Option<u32>) -> Option<Permissions> {
    None
}

/// Returns the permissions of a new file: 0644, or 0755 if it is executable, without the bits that
/// the umask clears.
#[cfg(unix)]
pub(crate) fn of_new(is_executable: bool) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::OnceLock;

    static ALLOWED: OnceLock<u32> = OnceLock::new();
    let allowed = *ALLOWED.get_or_init(|| {
        // the umask is read off a file that is created with all of these bits
        let probe = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o755))
            .tempfile();
        let metadata = probe.and_then(|file| file.as_file().metadata());
        metadata.map_or(0o700, |it| it.permissions().mode() & 0o755)
    });
    let mode = if is_executable {
        allowed
    } else {
        allowed & 0o644
    };
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn of_new(_is_executable: bool) -> Option<Permissions> {
    let probe = tempfile::tempfile().and_then(|file| file.metadata());
    probe.ok().map(|it| it.permissions())
}

/// Returns true if the owner may execute the file; always false on systems without that permission.
#[cfg(unix)]
pub(crate) fn is_executable(permissions: &Permissions) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    permissions.mode() & 0o100 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_permissions: &Permissions) -> bool {
    false
}

/// Returns new permissions for the local file if upstream changed the executable bit and local did
/// not (rules: Writing), else `None`. An executable file can be executed by all who may read it, as
/// in git.
#[cfg(unix)]
pub(super) fn with_executable_bit(sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    let (original, updated, local) = (sides.original?, sides.updated?, sides.local?);
    let executable = is_executable(updated);
    if is_executable(original) == executable || is_executable(local) == executable {
        return None;
    }
    let local = local.mode();
    Some(Permissions::from_mode(match executable {
        true => local | (local & 0o444) >> 2,
        false => local & !0o111,
    }))
}

#[cfg(not(unix))]
pub(super) fn with_executable_bit(_sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    None
}
