//! A lock on a local package, so that only one run at a time changes it.
//!
//! The lock is an advisory lock of the system on the open folder. No lock file can stay behind: the
//! system releases the lock when the process ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::Error;

/// The longest time that a run waits for another one.
const MAX_WAIT: Duration = Duration::from_secs(30);
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The kind of access to a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Shared: other runs may read it at the same time.
    Read,
    /// Exclusive: the run changes the package.
    Write,
}

impl Access {
    /// Returns the access that a run needs, by whether it changes the package.
    pub(crate) const fn of(changes: bool) -> Self {
        match changes {
            true => Self::Write,
            false => Self::Read,
        }
    }
}

/// A lock on a package. It is released when this is dropped.
#[derive(Debug)]
#[must_use = "the lock is given back as soon as this is dropped"]
pub struct Lock {
    _folder: Option<File>,
}

/// Locks the folder of a local package; for a file, its parent folder. If another run holds the
/// lock, calls `on_wait` once and waits.
///
/// On a file system without locks nothing is locked. A file that changed since it was read is
/// detected all the same.
///
/// # Errors
/// [`Error::Busy`] if the other run takes longer than half a minute.
pub fn lock(local: &Path, access: Access, on_wait: impl FnOnce()) -> Result<Lock, Error> {
    lock_within(local, access, MAX_WAIT, on_wait)
}

fn lock_within(
    local: &Path,
    access: Access,
    max_wait: Duration,
    on_wait: impl FnOnce(),
) -> Result<Lock, Error> {
    // a missing path is reported where it is read
    let folder = open_for_locking(local);
    let Some(file) = &folder else {
        return Ok(Lock { _folder: None });
    };
    let start = Instant::now();
    let mut on_wait = Some(on_wait);
    loop {
        let locked = match access {
            Access::Read => file.try_lock_shared(),
            Access::Write => file.try_lock(),
        };
        match locked {
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => {
                return Ok(Lock { _folder: None });
            }
            Ok(()) => return Ok(Lock { _folder: folder }),
            Err(_) if start.elapsed() >= max_wait => {
                let path = local.to_owned();
                return Err(Error::Busy { path });
            }
            Err(_) => {
                on_wait.take().into_iter().for_each(|on_wait| on_wait());
                std::thread::sleep(RETRY_INTERVAL);
            }
        }
    }
}

/// Opens the package's folder. On a system where folders cannot be locked, opens a file in the
/// temporary folder, named after the package's folder.
fn open_for_locking(local: &Path) -> Option<File> {
    let canonical = std::fs::canonicalize(local).ok()?;
    let folder = match canonical.is_dir() {
        true => &canonical,
        false => canonical.parent()?,
    };
    if cfg!(unix) {
        return File::open(folder).ok();
    }
    let hash = super::disk::hash(folder.as_os_str().as_encoded_bytes());
    File::create(std::env::temp_dir().join(format!("merge3-{hash:016x}.lock"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_and_a_writer_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let file = path.join("a.yaml");
        std::fs::write(&file, "").unwrap();
        let try_to_lock = |path: &Path, access| {
            let mut waited = false;
            let lock = lock_within(path, access, Duration::ZERO, || waited = true);
            lock.map_err(|error| assert!(matches!(error, Error::Busy { .. }), "{error}"))
        };
        let reader = try_to_lock(path, Access::Read).unwrap();
        let other = try_to_lock(path, Access::Read).unwrap();
        assert!(try_to_lock(path, Access::Write).is_err());
        drop((reader, other));
        let writer = try_to_lock(&file, Access::Write).unwrap();
        assert!(try_to_lock(path, Access::Read).is_err());
        assert!(try_to_lock(path, Access::Write).is_err());
        drop(writer);
        assert!(try_to_lock(path, Access::Write).is_ok());
        assert_eq!(std::fs::read_dir(path).unwrap().count(), 1);
    }
}
