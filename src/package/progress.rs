//! How many files of a run are merged, for a progress bar.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many of the files are merged; may be asked from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// The files that are merged, and all that there are; none as long as they are being read.
    pub fn now(&self) -> (u64, u64) {
        let done = self.done.load(Ordering::Relaxed);
        (done, self.total.load(Ordering::Relaxed))
    }

    pub(super) fn expect(&self, files: usize) {
        let files = u64::try_from(files).unwrap_or(u64::MAX);
        self.total.store(files, Ordering::Relaxed);
    }

    pub(super) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}
