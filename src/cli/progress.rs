//! The progress bar, on a terminal, for runs that take longer than half a second (rules: Reports).

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::package::Progress;
use crate::visible::visible;

/// How long a run may take without a word.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

/// A line on a terminal that says what is waited for, from the beginning on.
pub(super) struct Line(Option<ProgressBar>);

impl Line {
    /// A line; none where nobody would see it.
    pub(super) fn new(shown: bool) -> Self {
        Self(shown.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::default_spinner());
            bar.enable_steady_tick(PAUSE);
            bar
        }))
    }

    /// Says something, which others may have named.
    pub(super) fn tell(&self, what: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(visible(what));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Does `work`; where it takes its time and `shown` says so, a bar on standard error tells how far
/// it is.
pub(super) fn with_bar<R>(shown: bool, work: impl FnOnce(&Progress) -> R) -> R {
    let progress = Progress::default();
    if !shown {
        return work(&progress);
    }
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let progress = &progress;
        scope.spawn(move || {
            let mut bar = None;
            let mut pause = PATIENCE;
            while is_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = PAUSE;
                let (done, total) = progress.now();
                if total == 0 {
                    // still reading: nobody knows how much there is
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
        drop(done);
        result
    })
}
