//! Progress output on a terminal: a status line, and a bar for runs that take longer than half a
//! second (rules: Reports).

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::Error;
use crate::package::Progress;
use crate::upgrade::{Cache, Remotes};
use crate::visible::visible;

/// The time after which a run shows a progress bar.
const BAR_DELAY: Duration = Duration::from_millis(500);
/// The time between two updates of the output.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work` with the upstream repositories. On a terminal, a line says what the program waits for,
/// unless `is_quiet` is set.
pub(super) fn with_remotes<R>(
    is_quiet: bool,
    work: impl FnOnce(&Remotes<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let mut line = ProgressBar::hidden();
    if !is_quiet && io::stderr().is_terminal() {
        line = new_bar().with_style(ProgressStyle::default_spinner());
        line.enable_steady_tick(UPDATE_INTERVAL);
    }
    // it may contain foreign text
    let set_message = |message: &str| line.set_message(visible(message));
    work(&Remotes::new(Cache::of_user()?, &set_message))
}

/// Makes a bar or line on standard error. It is cleared when it goes out of scope.
fn new_bar() -> ProgressBar {
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
}

/// Runs `work`. If it takes longer than [`BAR_DELAY`], shows a progress bar on the terminal, unless
/// `is_quiet` is set.
pub(super) fn with_progress_bar<R>(is_quiet: bool, work: impl FnOnce(&Progress) -> R) -> R {
    let progress = Progress::default();
    if is_quiet || !io::stderr().is_terminal() {
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
                let bar = bar.get_or_insert_with(new_bar);
                bar.set_length(total);
                bar.set_position(done);
            }
        });
        let result = work(progress);
        drop(end_bar);
        result
    })
}
