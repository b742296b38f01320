//! One run at a time on a local package.
//!
//! What is locked is the folder itself, by a lock that the system holds for the open folder: there
//! is no file that could stay behind, and the lock of a run that was killed is gone with it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::Error;

/// How long a run waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// What a run is going to do to a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only read it: others may, too.
    Read,
    /// Change it.
    Write,
}

/// The right to be at a package, until it is dropped.
#[derive(Debug)]
#[must_use = "the lock is given back as soon as this is dropped"]
pub struct Lock {
    _folder: Option<File>,
}

/// Locks a local package: its folder; for a file, the folder that it is in. Where another run is at
/// it, `waiting` is called, and that one waited for.
///
/// On a file system that knows no locks nothing is locked: that a file changed since it was read is
/// found all the same.
///
/// # Errors
/// [`Error::Busy`] where the other run takes longer than half a minute.
pub fn lock(local: &Path, access: Access, waiting: impl FnOnce()) -> Result<Lock, Error> {
    lock_within(local, access, PATIENCE, waiting)
}

fn lock_within(
    local: &Path,
    access: Access,
    patience: Duration,
    waiting: impl FnOnce(),
) -> Result<Lock, Error> {
    // what is not there is for others to say
    let Some(file) = handle(local) else {
        return Ok(Lock { _folder: None });
    };
    let start = Instant::now();
    let mut waiting = Some(waiting);
    loop {
        let locked = match access {
            Access::Read => file.try_lock_shared(),
            Access::Write => file.try_lock(),
        };
        match locked {
            Ok(()) => {
                return Ok(Lock {
                    _folder: Some(file),
                });
            }
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => {
                return Ok(Lock { _folder: None });
            }
            Err(_) if start.elapsed() >= patience => {
                return Err(Error::Busy {
                    path: local.to_owned(),
                });
            }
            Err(_) => {
                if let Some(waiting) = waiting.take() {
                    waiting();
                }
                std::thread::sleep(PAUSE);
            }
        }
    }
}

#[cfg(unix)]
fn handle(local: &Path) -> Option<File> {
    let metadata = std::fs::metadata(local).ok()?;
    if metadata.is_dir() {
        return File::open(local).ok();
    }
    let whole = std::fs::canonicalize(local).ok()?;
    File::open(whole.parent()?).ok()
}

/// A folder cannot be locked here: a file with its name does, among the temporary ones.
#[cfg(not(unix))]
fn handle(local: &Path) -> Option<File> {
    let whole = std::fs::canonicalize(local).ok()?;
    let folder = if whole.is_dir() {
        &whole
    } else {
        whole.parent()?
    };
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
        let attempt = |path: &Path, access| {
            let mut told = false;
            let lock = lock_within(path, access, Duration::ZERO, || told = true);
            lock.map_err(|error| assert!(matches!(error, Error::Busy { .. }), "{error}"))
        };
        let reader = attempt(path, Access::Read).unwrap();
        let other = attempt(path, Access::Read).unwrap();
        assert!(attempt(path, Access::Write).is_err());
        drop((reader, other));
        let writer = attempt(&file, Access::Write).unwrap();
        assert!(attempt(path, Access::Read).is_err());
        assert!(attempt(path, Access::Write).is_err());
        drop(writer);
        assert!(attempt(path, Access::Write).is_ok());
        assert_eq!(std::fs::read_dir(path).unwrap().count(), 1);
    }
}
