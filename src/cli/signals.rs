//! Handles signals such as that of Ctrl-C. While a run writes nothing, a signal ends the process at
//! once. While it writes, a signal makes it undo the write and end.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::Error;
use crate::package::Disk;

/// The exit status that shells report for a process that a signal ended is this plus the signal's
/// number.
const SIGNAL_STATUS_BASE: i32 = 128;

/// The signals that ask a run to stop.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// The state of the signal handlers.
#[derive(Debug, Clone, Default)]
pub(super) struct Signals {
    /// Whether a signal ends the process at once.
    exits_immediately: Arc<AtomicBool>,
    /// The exit status for the signal that was received while `exits_immediately` was false; 0 if
    /// there was none.
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(super) fn listen() -> io::Result<Self> {
        let signals = Self::default();
        signals.exits_immediately.store(true, Ordering::SeqCst);
        for signal in SIGNALS {
            if is_ignored(signal) {
                continue;
            }
            let exits_immediately = Arc::clone(&signals.exits_immediately);
            let status = SIGNAL_STATUS_BASE + signal;
            flag::register_conditional_shutdown(signal, status, exits_immediately)?;
            // a second signal ends the process at once; the next run undoes the write
            let received = usize::try_from(status).unwrap_or_default();
            flag::register_usize(signal, Arc::clone(&signals.received), received)?;
            flag::register(signal, Arc::clone(&signals.exits_immediately))?;
        }
        Ok(signals)
    }

    /// Waits for a child process that uses the terminal. Signals during that time are ignored,
    /// because Ctrl-C is meant for the child.
    ///
    /// # Errors
    /// The system does not report the exit status of the child.
    pub(super) fn wait_for(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let status = loop {
            self.exits_immediately.store(false, Ordering::SeqCst);
            match child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                status => break status,
            }
        };
        self.received.store(0, Ordering::SeqCst);
        self.exits_immediately.store(true, Ordering::SeqCst);
        status?.ok_or_else(|| io::ErrorKind::Other.into())
    }

    /// Returns the exit status for the signal that stopped a run; `None` if the error is another.
    pub(super) fn status_after(&self, error: &Error) -> Option<u8> {
        let is_stopped = matches!(error, Error::Stopped { .. }) && self.is_stopped();
        let status = u8::try_from(self.received.load(Ordering::SeqCst));
        status.ok().filter(|_| is_stopped)
    }
}

/// Returns true if the parent process made this one ignore a signal, as nohup does. Returns false
/// if the system has no `/proc`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.unwrap_or(0) >> (signal - 1) & 1 == 1
}

/// The real disk, on which writing stops when a signal is received.
impl Disk for Signals {
    /// From now on, the first signal only asks the write to stop. After the write it has no effect,
    /// so that the run can report; a second signal ends the process.
    fn begin(&self) {
        self.exits_immediately.store(false, Ordering::SeqCst);
    }

    fn is_stopped(&self) -> bool {
        self.received.load(Ordering::SeqCst) != 0
    }
}
