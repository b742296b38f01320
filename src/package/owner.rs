//! Whose a file is and who may do what with it, on systems that know that.

use std::fs::{File, Permissions};
use std::io;
use std::path::Path;

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
