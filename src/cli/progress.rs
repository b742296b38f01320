//! Progress output on a terminal: a status line, and a bar for runs that take longer than half a
//! second (rules: Reports).

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::package::Progress;
use crate::visible::visible;

/// The time after which a run shows a progress bar.
const BAR_DELAY: Duration = Duration::from_millis(500);
/// The time between two updates of the output.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// A line on a terminal that says what the program is waiting for.
pub(super) struct StatusLine(Option<ProgressBar>);

impl StatusLine {
    /// Makes a status line. It prints nothing unless `is_shown` is set.
    pub(super) fn new(is_shown: bool) -> Self {
        Self(is_shown.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::default_spinner());
            bar.enable_steady_tick(UPDATE_INTERVAL);
            bar
        }))
    }

    /// Sets the message. It may contain foreign text.
    pub(super) fn set(&self, message: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(visible(message));
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Runs `work`. If `is_shown` is set and the work takes longer than [`BAR_DELAY`], shows a progress
/// bar on standard error.
pub(super) fn with_progress_bar<R>(is_shown: bool, work: impl FnOnce(&Progress) -> R) -> R {
    let progress = Progress::default();
    if !is_shown {
        return work(&progress);
    }
    std::thread::scope(|scope| {
        let (end_bar, bar_ended) = channel::<()>();
        let progress = &progress;
        scope.spawn(move || {
            let mut bar = None;
            let mut pause = BAR_DELAY;
            while bar_ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = UPDATE_INTERVAL;
                let (done, total) = progress.now();
                if total == 0 {
                    // the total is unknown until all files are read
                    continue;
                }
                let bar = bar.get_or_insert_with(|| {
                    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                });
                bar.set_length(total);
                bar.set_position(done);
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let result = work(progress);
        drop(end_bar);
        result
    })
}
