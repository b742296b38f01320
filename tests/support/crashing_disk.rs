//! A disk on which a process appears to end while it writes.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use merge3::package::{Disk, RealDisk};

/// Fails every call after the first file was renamed into its place, as if the process had ended.
#[derive(Default)]
pub(crate) struct CrashingDisk(AtomicUsize);

impl CrashingDisk {
    fn check_running(&self) -> io::Result<()> {
        match self.0.load(Ordering::SeqCst) {
            0 | 1 => Ok(()),
            _ => Err(ended()),
        }
    }
}

fn ended() -> io::Error {
    io::Error::other("the process has ended")
}

impl Disk for CrashingDisk {
    fn create_file(&self, path: &Path) -> io::Result<File> {
        self.check_running()?;
        RealDisk.create_file(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        // of two calls at once, exactly one is the first
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => RealDisk.rename(from, to),
            _ => Err(ended()),
        }
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.check_running()?;
        RealDisk.remove_file(path)
    }
}
