//! How files are opened, read, compared and replaced: regular ones only.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::Hasher as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path};
use std::time::SystemTime;

use rustc_hash::FxHasher;
use sha2::{Digest as _, Sha256};

use super::owner::keep_owner;
use super::write::TEMPORARY;

/// A number that other bytes hardly have, the same in each run.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// SHA-256 as text: 64 digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Opens a file to read it: a regular one, else it is an error. Nothing is waited for, whatever
/// is there.
pub(crate) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    open_following(path, true)
}

fn open_following(path: &Path, links: bool) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;

        // a pipe that came here since the folder was listed has nobody at its other end
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
        Err(no_file(&metadata))
    }
}

/// What a system says of a file: as long as it says the same, the file is most likely the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    /// Which file it is, and when anything about it was changed last.
    #[cfg(unix)]
    changed: [i64; 3],
}

impl Seen {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;

        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            changed: [
                metadata.ino().cast_signed(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            ],
        }
    }
}

/// Reads a regular file. Nothing is waited for, whatever is there.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, metadata) = open(path)?;
    read_open(&mut file, metadata.len())
}

/// Reads a file of about that length, in bytes.
pub(crate) fn read_open(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    // one byte more, to see that there are no more; the system is not asked for the length again
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
    file.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file of a package that says something of the package: a link in its place could lead to
/// anything of the user's.
pub(crate) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, metadata) = open_following(path, false)?;
    read_open(&mut file, metadata.len())
}

/// Reads a file that somebody named: a regular one, else it is an error, and it is not opened.
pub(crate) fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(no_file(&metadata));
    }
    read(path)
}

/// Writes a file by a temporary one beside it, so that it is whole at any moment. Where one is
/// there it keeps its permissions, and a link to it stays one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let whole = fs::canonicalize(path);
    replace_itself(whole.as_deref().unwrap_or(path), bytes)
}

/// [`replace`], but nothing is written where there is a link.
pub(crate) fn replace_itself(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(no_file(&metadata)),
        old => old.ok(),
    };
    let folder = or_here(path.parent().unwrap_or(Path::new("")));
    let (begin, end) = TEMPORARY;
    let mut builder = tempfile::Builder::new();
    builder.prefix(begin).suffix(end);
    #[cfg(unix)]
    if old.is_none() {
        // less what the user's mask takes away
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
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

/// Makes a symbolic link, on systems that have them.
#[cfg(unix)]
pub(crate) fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
pub(crate) fn link(_to: &Path, _at: &Path) -> io::Result<()> {
    Ok(())
}

fn no_file(metadata: &Metadata) -> io::Error {
    if metadata.is_dir() {
        io::ErrorKind::IsADirectory.into()
    } else {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file (a pipe, a socket or a device is not opened)",
        )
    }
}

/// Whether a path names something that this process has open already, such as `/dev/stdout`, or
/// swallows everything: opening that waits for nobody.
pub(crate) fn is_open_already(path: &Path) -> bool {
    let known = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let folders = ["/dev/fd", "/proc/self/fd"];
    known.iter().any(|it| path == Path::new(it)) || folders.iter().any(|it| path.starts_with(it))
}

/// Whether a path stays in the folder that it is relative to.
pub(crate) fn stays_within(path: &Path) -> bool {
    let mut parts = path.components();
    parts.clone().next().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// A folder as a path that is not empty: the one that this process is in has none of its own.
pub(crate) fn or_here(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

/// The folders that a relative path is in, the innermost first.
pub(crate) fn folders_above(path: &Path) -> impl Iterator<Item = &Path> {
    let above = path.ancestors().skip(1);
    above.filter(|folder| !folder.as_os_str().is_empty())
}

/// Nothing is there; where a file is in place of a folder above, neither.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// What is there; `None` where nothing is.
///
/// # Errors
/// What else the system says.
pub(crate) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if is_missing(&error) => Ok(None),
        found => found.map(Some),
    }
}

pub(crate) fn gone_is_fine(error: io::Error) -> io::Result<()> {
    if is_missing(&error) {
        Ok(())
    } else {
        Err(error)
    }
}

/// What is in a file now; `None` if there is none, or a folder.
///
/// # Errors
/// [`Unlike::Other`] where something else is there, or the way there leads over a link.
pub(crate) fn content(root: &Path, path: &Path) -> Result<Option<Vec<u8>>, Unlike> {
    let through_link = folders_above(path)
        .any(|folder| fs::symlink_metadata(root.join(folder)).is_ok_and(|it| it.is_symlink()));
    if through_link {
        return Err(Unlike::Other);
    }
    let whole = root.join(path);
    match fs::symlink_metadata(&whole) {
        Ok(metadata) if metadata.is_file() => read(&whole).map(Some).map_err(Unlike::Unreadable),
        Ok(metadata) if metadata.is_dir() => Ok(None),
        Err(error) if is_missing(&error) => Ok(None),
        Ok(_) => Err(Unlike::Other),
        Err(error) => Err(Unlike::Unreadable(error)),
    }
}

/// Why nothing can be said of the content of a place.
#[derive(Debug)]
pub(crate) enum Unlike {
    /// What is there is neither a file nor a folder, or is reached over a link.
    Other,
    /// It cannot be read.
    Unreadable(io::Error),
}
