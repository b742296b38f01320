//! The calls to the disk, a function for each, so that a test can have any of them fail or stop.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::package::owner::keep_owner;

/// Everything that writing a plan does to a disk. What is there by default does it.
pub trait Disk: Sync {
    /// Makes a folder, in one that is there.
    ///
    /// # Errors
    /// As for [`fs::create_dir`].
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Makes a file that nobody else can read, where nothing is.
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

    /// Writes to a file, all of it.
    ///
    /// # Errors
    /// As for [`io::Write::write_all`].
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Sets who may do what with a file.
    ///
    /// # Errors
    /// As for [`File::set_permissions`].
    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        file.set_permissions(permissions)
    }

    /// Forces a file or folder to the disk.
    ///
    /// # Errors
    /// As for [`File::sync_all`].
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Puts a file in a place, in that of the one that is there.
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

    /// Deletes a folder that is empty.
    ///
    /// # Errors
    /// As for [`fs::remove_dir`].
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    /// Whether somebody wants the run to stop.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// The disk itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {}

/// How a file is made.
#[derive(Debug, Default)]
pub(crate) struct NewFile<'f> {
    /// The file whose owner it gets.
    pub(crate) owner: Option<&'f Path>,
    pub(crate) permissions: Option<Permissions>,
    /// Whether it reaches the disk at once.
    pub(crate) durable: bool,
}

impl NewFile<'_> {
    /// Makes it, where nothing is, and closes it: there may be more files than a process may have
    /// open.
    ///
    /// # Errors
    /// Where the disk says no.
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
