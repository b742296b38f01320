//! Folders that only this user may write to: what is in them is trusted, and git runs what the
//! configuration of a repository there says.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The folder that a variable names, where that is an absolute path.
pub(crate) fn named(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    folder.filter(|folder| folder.is_absolute())
}

/// Makes a folder, and those above it, for this user alone.
///
/// # Errors
/// Where that cannot be done.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
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
pub(crate) fn check(folder: &Path) -> io::Result<()> {
    let metadata = fs::metadata(folder)?;
    refuse(&metadata)?;
    match owned_mode(&metadata) {
        (_, mode) if mode & 0o077 != 0 => protect(folder),
        _ => Ok(()),
    }
}

/// Refuses what is no folder of this user's to which nobody else may write.
///
/// # Errors
/// Where that is so.
pub(crate) fn refuse(metadata: &Metadata) -> io::Result<()> {
    let message = match owned_mode(metadata) {
        _ if !metadata.is_dir() => "it is no folder",
        (false, _) => "it belongs to somebody else",
        (true, mode) if mode & 0o022 != 0 => "others may write to it",
        _ => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

/// Whether something is this user's, and its mode.
#[cfg(unix)]
fn owned_mode(metadata: &Metadata) -> (bool, u32) {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    (metadata.uid() == user, metadata.mode())
}

/// A user's folders are that user's already.
#[cfg(not(unix))]
fn owned_mode(_: &Metadata) -> (bool, u32) {
    (true, 0o700)
}

/// Keeps others out of a folder.
///
/// # Errors
/// Where that cannot be done.
#[cfg(unix)]
pub(crate) fn protect(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
pub(crate) fn protect(_: &Path) -> io::Result<()> {
    Ok(())
}
