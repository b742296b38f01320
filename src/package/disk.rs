//! Opens, reads, compares and replaces files, with their owners and permissions on systems that
//! support them. Anything but a regular file is an error.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::Hasher as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path};
use std::sync::OnceLock;

use rustc_hash::FxHasher;
use serde::Serializer;
use sha2::{Digest as _, Sha256};

use super::write::{MODES, TEMPORARY};
use crate::triple::{Change, Triple};

/// Returns a hash of some bytes, which is the same in each run of the program.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Returns the SHA-256 of some bytes as 64 hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Opens a regular file for reading, and never blocks.
///
/// # Errors
/// If the path cannot be opened, or is not a regular file. If `links` is false, a symbolic link is
/// an error as well.
pub(crate) fn open(path: &Path, links: bool) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;

        // if the path has become a pipe, opening it would block until another process writes to it
        let mut flags = OFlags::NONBLOCK;
        flags.set(OFlags::NOFOLLOW, !links);
        OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    if !links && fs::symlink_metadata(path)?.is_symlink() {
        let message = "it is a symbolic link, which is not followed: put the file itself there";
        return Err(io::Error::other(message));
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(not_a_file(&metadata))
    }
}

/// Reads a regular file, and never blocks.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    open(path, true).and_then(read_open)
}

/// Reads an open file. Its metadata has its expected length.
pub(crate) fn read_open((file, metadata): (File, Metadata)) -> io::Result<Vec<u8>> {
    // one byte more than expected: the read that finds the end needs room. `take` keeps
    // `read_to_end` from asking the system for the length again
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file that describes a package, such as its rules. A symbolic link is an error, because
/// it could lead to any file of the user.
pub(crate) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    open(path, false).and_then(read_open)
}

/// Reads a regular file whose path the user gave. Anything else is an error, and is not opened.
pub(crate) fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(not_a_file(&metadata));
    }
    read(path)
}

/// Writes a file by renaming a temporary file into place, so that it is complete at any moment. An
/// existing file keeps its permissions. If `path` is a symbolic link, its target is replaced. A file
/// that [is open already](is_open_already) is written to as it is.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::canonicalize(path) {
        Ok(target) if !is_open_already(path) => replace_itself(&target, bytes),
        _ => replace_itself(path, bytes),
    }
}

/// As [`replace`], but a symbolic link is an error.
pub(crate) fn replace_itself(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_open_already(path) {
        return fs::write(path, bytes);
    }
    let old = match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(not_a_file(&metadata)),
        old => old.ok(),
    };
    let folder = or_here(path.parent().unwrap_or(Path::new("")));
    let (begin, end) = TEMPORARY;
    let mut builder = tempfile::Builder::new();
    builder.prefix(begin).suffix(end);
    if old.is_none()
        && let Some(all) = permissions(0o666)
    {
        // the system applies the user's umask to this mode
        builder.permissions(all);
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(path, file.as_file())?;
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

/// Creates a symbolic link `at` that leads `to`, on Unix only.
#[cfg(unix)]
pub(crate) fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
pub(crate) fn link(_to: &Path, _at: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the error for a path that is not a regular file.
fn not_a_file(metadata: &Metadata) -> io::Error {
    if metadata.is_dir() {
        io::ErrorKind::IsADirectory.into()
    } else {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file (a pipe, a socket or a device is not opened)",
        )
    }
}

/// Returns true if a path names a file that this process has open already, such as `/dev/stdout`,
/// or `/dev/null`: opening it does not block.
pub(crate) fn is_open_already(path: &Path) -> bool {
    let known = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let folders = ["/dev/fd", "/proc/self/fd"];
    known.iter().any(|it| path == Path::new(it)) || folders.iter().any(|it| path.starts_with(it))
}

/// Returns true if a relative path does not leave the folder that it is relative to, and is not
/// empty.
pub(crate) fn stays_within(path: &Path) -> bool {
    let mut components = path.components();
    components.clone().next().is_some() && components.all(|it| matches!(it, Component::Normal(_)))
}

/// Returns `.` for an empty path, which stands for the current folder, and any other path as it is.
pub(crate) fn or_here(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

/// Returns the folders above a relative path, innermost first.
pub(crate) fn folders_above(path: &Path) -> impl Iterator<Item = &Path> {
    let above = path.ancestors().skip(1);
    above.filter(|folder| !folder.as_os_str().is_empty())
}

/// Returns true if an error says that a path does not exist, or that a folder above it is a file.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Turns the error for a path that does not exist into `None`.
///
/// # Errors
/// All other errors.
pub(crate) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if is_missing(&error) => Ok(None),
        found => found.map(Some),
    }
}

/// Returns the current content of a file; `None` if the path does not exist or is a folder.
///
/// # Errors
/// [`ContentError::Other`] if the path is anything else, or a folder above it is a symbolic link.
pub(crate) fn content(root: &Path, path: &Path) -> Result<Option<Vec<u8>>, ContentError> {
    let through_link = folders_above(path)
        .any(|folder| fs::symlink_metadata(root.join(folder)).is_ok_and(|it| it.is_symlink()));
    if through_link {
        return Err(ContentError::Other);
    }
    let full_path = root.join(path);
    match fs::symlink_metadata(&full_path) {
        Ok(metadata) if metadata.is_file() => {
            read(&full_path).map(Some).map_err(ContentError::Unreadable)
        }
        Ok(metadata) if metadata.is_dir() => Ok(None),
        Err(error) if is_missing(&error) => Ok(None),
        Ok(_) => Err(ContentError::Other),
        Err(error) => Err(ContentError::Unreadable(error)),
    }
}

/// Why a path has no content to compare.
#[derive(Debug)]
pub(crate) enum ContentError {
    /// The path is neither a file nor a folder, or is below a symbolic link.
    Other,
    /// The file cannot be read.
    Unreadable(io::Error),
}

/// Returns a path with `/` as separator, on every system.
pub(crate) fn portable(path: &Path) -> String {
    let path = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => path.into_owned(),
        separator => path.replace(separator, "/"),
    }
}

/// Serializes a path as [`portable`] returns it.
pub(crate) fn serialize_portable<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&portable(path))
}

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
