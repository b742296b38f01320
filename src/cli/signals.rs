//! Signals such as Ctrl-C: they end a run at once while nothing is being written, and during a
//! write after it is undone.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::package::Disk;

/// What a shell says of a program that a signal ended: this and the signal's number.
const BY_SIGNAL: i32 = 128;

/// The signals that ask a run to stop.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Who asked the run to stop.
#[derive(Debug, Clone, Default)]
pub(super) struct Signals {
    /// Whether a signal ends the run where it is.
    ends_at_once: Arc<AtomicBool>,
    /// The signal that came while it did not.
    came: Arc<AtomicUsize>,
}

impl Signals {
    /// Listens to signals.
    ///
    /// # Errors
    /// Where the system does not allow that.
    pub(super) fn listen() -> io::Result<Self> {
        let signals = Self::default();
        signals.ends_at_once.store(true, Ordering::SeqCst);
        for signal in SIGNALS {
            if is_ignored(signal) {
                continue;
            }
            let number = usize::try_from(signal).unwrap_or_default();
            let ends_at_once = Arc::clone(&signals.ends_at_once);
            flag::register_conditional_shutdown(signal, BY_SIGNAL + signal, ends_at_once)?;
            // who asks twice has no patience left: what was done is taken back by the next run
            flag::register_usize(signal, Arc::clone(&signals.came), number)?;
            flag::register(signal, Arc::clone(&signals.ends_at_once))?;
        }
        Ok(signals)
    }

    /// The disk for what a signal only asks to stop from here on. When that is done one is not
    /// heeded any more, unless it comes twice: what was done is to be told.
    pub(super) fn hold_off(&self) -> &Self {
        self.ends_at_once.store(false, Ordering::SeqCst);
        self
    }

    /// Waits for a program that has the terminal: what is typed there is for that one.
    ///
    /// # Errors
    /// Where the system does not say what became of it.
    pub(super) fn outlast(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let ended = loop {
            self.ends_at_once.store(false, Ordering::SeqCst);
            match child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                ended => break ended,
            }
        };
        self.came.store(0, Ordering::SeqCst);
        self.ends_at_once.store(true, Ordering::SeqCst);
        ended?.ok_or_else(|| io::ErrorKind::Other.into())
    }

    /// The exit status that tells of the signal that came, if one did.
    pub(super) fn status(&self) -> Option<u8> {
        match self.came.load(Ordering::SeqCst) {
            0 => None,
            signal => u8::try_from(BY_SIGNAL)
                .ok()?
                .checked_add(u8::try_from(signal).ok()?),
        }
    }
}

/// Whether whoever started this program wants it to survive a signal, as nohup does. Where the
/// system does not tell, nobody does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.unwrap_or(0) >> (signal - 1) & 1 == 1
}

/// The disk, until a signal comes.
impl Disk for Signals {
    fn is_stopped(&self) -> bool {
        self.came.load(Ordering::SeqCst) != 0
    }
}
