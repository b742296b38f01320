//! Folders that are this user's alone: git runs what the configuration of a repository says.

use std::fs;
use std::io;
use std::path::Path;

/// Makes a folder, and those above it, for this user alone.
///
/// # Errors
/// Where that cannot be done.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Sees that a folder is this user's, that nobody else may write to it, and that nobody else reads
/// it from now on.
///
/// # Errors
/// Where it is somebody else's, or others may write to it.
#[cfg(unix)]
pub(super) fn check(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = fs::metadata(folder)?;
    let refused = |message: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    if !metadata.is_dir() {
        return refused("it is no folder");
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return refused("it belongs to somebody else");
    }
    if metadata.mode() & 0o022 != 0 {
        return refused("others may write to it");
    }
    if metadata.mode() & 0o077 != 0 {
        protect(folder)?;
    }
    Ok(())
}

/// Keeps others out of a folder.
///
/// # Errors
/// Where that cannot be done.
#[cfg(unix)]
pub(super) fn protect(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
pub(super) fn check(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn protect(_: &Path) -> io::Result<()> {
    Ok(())
}
