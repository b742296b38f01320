//! The system calls that change the disk, one function for each, so that a test can make any of
//! them fail or stop.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::package::disk::keep_owner;

/// All operations on the disk that writing a plan needs. The default methods perform them.
pub trait Disk: Sync {
    /// Called before the first operation of a run that writes.
    fn begin(&self) {}

    /// Creates a folder. Its parent must exist.
    ///
    /// # Errors
    /// As for [`fs::create_dir`].
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Creates a file that only the user can read. The path must not exist.
    ///
    /// # Errors
    /// As for [`OpenOptions::open`].
    fn create_file(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }

    /// Writes all of `bytes` to a file.
    ///
    /// # Errors
    /// As for [`io::Write::write_all`].
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Sets the permissions of a file.
    ///
    /// # Errors
    /// As for [`File::set_permissions`].
    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        file.set_permissions(permissions)
    }

    /// Syncs a file or folder to the disk.
    ///
    /// # Errors
    /// As for [`File::sync_all`].
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Renames a file, and replaces an existing file at `to`.
    ///
    /// # Errors
    /// As for [`fs::rename`].
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Deletes a file.
    ///
    /// # Errors
    /// As for [`fs::remove_file`].
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Deletes an empty folder.
    ///
    /// # Errors
    /// As for [`fs::remove_dir`].
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    /// Returns true if the run shall stop.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// The real disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {}

/// The attributes of a new file.
#[derive(Debug, Default)]
pub(crate) struct NewFile<'f> {
    /// The path of the file whose owner the new file gets.
    pub(crate) owner: Option<&'f Path>,
    pub(crate) permissions: Option<Permissions>,
    /// Whether the file is synced.
    pub(crate) durable: bool,
}

impl NewFile<'_> {
    /// Creates the file with this content and closes it at once: there may be more files than a
    /// process may have open. The path must not exist.
    ///
    /// # Errors
    /// If the disk fails.
    pub(crate) fn put(self, disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = disk.create_file(path)?;
        disk.write(&mut file, bytes)?;
        if let Some(owner) = self.owner {
            keep_owner(owner, &file)?;
        }
        if let Some(permissions) = self.permissions {
            disk.set_permissions(&file, permissions)?;
        }
        match self.durable {
            true => disk.sync(&file),
            false => Ok(()),
        }
    }
}
