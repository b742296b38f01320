//! A disk that lets a process end in the midst of its writing.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use merge3::package::{Disk, RealDisk};

/// The disk of a process that ends after the first file is in its place.
#[derive(Default)]
pub(crate) struct Ending(AtomicUsize);

impl Ending {
    fn lives(&self) -> io::Result<()> {
        match self.0.load(Ordering::SeqCst) {
            0 | 1 => Ok(()),
            _ => Err(io::Error::other("the process has ended")),
        }
    }
}

impl Disk for Ending {
    fn create_file(&self, path: &Path) -> io::Result<File> {
        self.lives()?;
        RealDisk.create_file(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.lives()?;
        RealDisk.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.lives()?;
        RealDisk.remove_file(path)
    }
}
