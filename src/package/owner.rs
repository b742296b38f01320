//! Owners and permissions of files, on systems that have them.

use std::fs::{File, Permissions};
use std::io;
use std::path::Path;

use super::write::MODES;
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

/// Who may do what, as a journal says it: without set-user-ID, set-group-ID and sticky bits.
#[cfg(unix)]
pub(super) fn mode(permissions: &Permissions) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;

    Some(permissions.mode() & MODES)
}

#[cfg(not(unix))]
pub(super) fn mode(_permissions: &Permissions) -> Option<u32> {
    None
}

/// What a file gets of which a journal says that.
#[cfg(unix)]
pub(super) fn permissions(mode: Option<u32>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    mode.map(Permissions::from_mode)
}

#[cfg(not(unix))]
pub(super) fn permissions(_mode: Option<u32>) -> Option<Permissions> {
    None
}

/// What a new file gets: 0644, or 0755 where it can be run, less what the user's mask takes away.
#[cfg(unix)]
pub(crate) fn of_new(is_executable: bool) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::OnceLock;

    static MOST: OnceLock<u32> = OnceLock::new();
    let most = *MOST.get_or_init(|| {
        // the mask is told by what becomes of a file that asks for everything
        let probe = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o755))
            .tempfile();
        let made = probe.and_then(|file| file.as_file().metadata());
        made.map_or(0o700, |it| it.permissions().mode() & 0o755)
    });
    let mode = if is_executable { most } else { most & 0o644 };
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn of_new(_is_executable: bool) -> Option<Permissions> {
    let probe = tempfile::tempfile().and_then(|file| file.metadata());
    probe.ok().map(|it| it.permissions())
}

/// Whether a file can be run, on systems that know that.
#[cfg(unix)]
pub(crate) fn is_executable(permissions: &Permissions) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    permissions.mode() & 0o100 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_permissions: &Permissions) -> bool {
    false
}

/// The permissions of a local file where upstream changed whether it can be executed and local did
/// not (rules: Writing); `None` if they stay. Whoever may read it may execute it then, as git has
/// it.
#[cfg(unix)]
pub(super) fn with_executable_bit(sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    let (original, updated, local) = (sides.original?, sides.updated?, sides.local?);
    let wanted = is_executable(updated);
    if is_executable(original) == wanted || is_executable(local) == wanted {
        return None;
    }
    let local = local.mode();
    Some(Permissions::from_mode(match wanted {
        true => local | (local & 0o444) >> 2,
        false => local & !0o111,
    }))
}

#[cfg(not(unix))]
pub(super) fn with_executable_bit(_sides: &Triple<Option<&Permissions>>) -> Option<Permissions> {
    None
}
