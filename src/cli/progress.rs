//! The progress bar, on a terminal, for runs that take longer than half a second (rules: Reports).

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::package::Progress;

/// How long a run may take without a word.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

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
