//! Folders that only the user can write to. Their content is trusted, and git runs commands that
//! the configuration of a repository there names.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::disk::permissions;

/// Returns the folder that an environment variable names, if the path is absolute.
pub(crate) fn named(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    folder.filter(|folder| folder.is_absolute())
}

/// Creates a folder and its missing parents, accessible only to the user.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Checks that a folder belongs to the user and that no other user can write to it, and makes it
/// inaccessible to others.
///
/// # Errors
/// If it belongs to another user, or others can write to it.
pub(crate) fn check(folder: &Path) -> io::Result<()> {
    let metadata = fs::metadata(folder)?;
    refuse(&metadata)?;
    match owned_mode(&metadata) {
        (_, mode) if mode & 0o077 != 0 => protect(folder),
        _ => Ok(()),
    }
}

/// Checks that this is the metadata of a folder that belongs to the user and that no other user can
/// write to.
///
/// # Errors
/// If it is not.
pub(crate) fn refuse(metadata: &Metadata) -> io::Result<()> {
    let message = match owned_mode(metadata) {
        _ if !metadata.is_dir() => "it is not a folder",
        (false, _) => "it belongs to another user",
        (true, mode) if mode & 0o022 != 0 => "other users can write to it",
        _ => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

/// Returns whether the entry belongs to the user, and its mode.
#[cfg(unix)]
fn owned_mode(metadata: &Metadata) -> (bool, u32) {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    (metadata.uid() == user, metadata.mode())
}

/// Systems without modes protect the folders of a user already.
#[cfg(not(unix))]
fn owned_mode(_: &Metadata) -> (bool, u32) {
    (true, 0o700)
}

/// Makes a folder inaccessible to other users.
///
/// # Errors
/// If its permissions cannot be set.
pub(crate) fn protect(folder: &Path) -> io::Result<()> {
    permissions(0o700).map_or(Ok(()), |private| fs::set_permissions(folder, private))
}
