//! Owners and permissions of files, on systems that support them.

use std::fs::{File, Permissions};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use super::write::MODES;
use crate::triple::{Change, Triple};

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

/// Returns the mode that a file has on this system, if it has modes.
#[cfg(unix)]
fn full_mode(permissions: &Permissions) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;

    Some(permissions.mode())
}

#[cfg(not(unix))]
fn full_mode(_permissions: &Permissions) -> Option<u32> {
    None
}

/// Returns the permissions for a mode; `None` if the system has no modes.
#[cfg(unix)]
pub(super) fn permissions(mode: u32) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn permissions(_mode: u32) -> Option<Permissions> {
    None
}

/// Returns the mode for the journal: without the set-user-ID, set-group-ID and sticky bits.
pub(super) fn mode(permissions: &Permissions) -> Option<u32> {
    full_mode(permissions).map(|mode| mode & MODES)
}

/// Returns the permissions of a new file: 0644, or 0755 if it is executable, without the bits that
/// the umask clears.
pub(crate) fn of_new(is_executable: bool) -> Option<Permissions> {
    static PROBED: OnceLock<Option<Permissions>> = OnceLock::new();
    let probed = PROBED.get_or_init(|| {
        // the umask is read off a file that is created with all of these bits
        let mut probe = tempfile::Builder::new();
        if let Some(all) = permissions(0o755) {
            probe.permissions(all);
        }
        let metadata = probe.tempfile().and_then(|file| file.as_file().metadata());
        metadata.map_or(permissions(0o700), |it| Some(it.permissions()))
    });
    let probed = probed.as_ref()?;
    match full_mode(probed) {
        Some(mode) => permissions(mode & if is_executable { 0o755 } else { 0o644 }),
        None => Some(probed.clone()),
    }
}

/// Returns true if the owner may execute the file; always false on systems without that permission.
pub(crate) fn is_executable(permissions: &Permissions) -> bool {
    full_mode(permissions).is_some_and(|mode| mode & 0o100 != 0)
}

/// Returns new permissions for the local file if upstream changed the executable bit and local did
/// not (rules: Writing), else `None`. An executable file can be executed by all who may read it, as
/// in git.
pub(super) fn with_executable_bit(sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    let sides = sides.transpose()?;
    if sides.map(is_executable).change() != Change::Upstream {
        return None;
    }
    let mode = full_mode(sides.local)?;
    permissions(match is_executable(sides.updated) {
        true => mode | (mode & 0o444) >> 2,
        false => mode & !0o111,
    })
}
