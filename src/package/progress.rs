//! Counts the merged files of a run, for a progress bar.

use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of a run. It can be read from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Returns the number of merged files and the total, which is 0 until the files have been read.
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
