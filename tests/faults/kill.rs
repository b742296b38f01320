//! Kills the real program by real signals at random moments.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Packages, RunOutput, Tree, assert_no_partial_file, times};
use crate::moments::Moments;

/// A large package, and the duration of an undisturbed run on it.
struct Scene {
    /// The number of files in addition to those of every package.
    files: usize,
    packages: Packages,
    work: Packages,
    before: Tree,
    after: Tree,
    duration: Duration,
}

impl Scene {
    fn new(files: usize) -> Self {
        let packages = Packages::large(files);
        let work = packages.copy();
        let mut duration = Duration::ZERO;
        for _ in 0..3 {
            work.restore(&packages);
            let start = Instant::now();
            let run = work.run(&[]);
            duration = duration.max(start.elapsed());
            assert_eq!(run.status, 0, "{run:?}");
        }
        Self {
            files,
            before: packages.tree(),
            after: work.tree(),
            packages,
            work,
            duration,
        }
    }

    /// After every `rounds` rounds that had too few relevant moments, returns a larger scene: if
    /// the test process has to wait for a processor, a short run ends before the signal arrives.
    fn or_larger(self, round: usize, rounds: usize) -> Self {
        match round % rounds {
            0 => Self::new(self.files * 2),
            _ => self,
        }
    }

    /// Starts a run and waits until the moment.
    fn start(&self, moment: Duration) -> Child {
        self.work.restore(&self.packages);
        let mut command = self.work.command(&[]);
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        std::thread::sleep(moment);
        child.unwrap()
    }
}

/// The initial number of files.
const FILES: usize = 120;

/// The maximum number of rounds, as a multiple of the requested number, if too few moments were
/// relevant.
const MAX_ROUNDS_FACTOR: usize = 8;

/// The speed of the machine varies, so the moments adapt to the duration of the runs.
fn shorter(duration: Duration) -> Duration {
    duration * 8 / 10
}

/// The inverse of [`shorter`].
fn longer(duration: Duration) -> Duration {
    duration * 11 / 10
}

#[test]
fn a_run_that_is_killed_is_made_good_by_the_next() {
    let mut scene = Scene::new(FILES);
    let mut moments = Moments(0x9e37_79b9_7f4a_7c15);
    let (mut untouched, mut half, mut done) = (0, 0, 0);
    let times = times(25);
    let mut killed = 0;
    while killed < times || (half <= times / 20 && killed < MAX_ROUNDS_FACTOR * times) {
        killed += 1;
        scene = scene.or_larger(killed, 2 * times);
        let mut child = scene.start(moments.next(scene.duration));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = scene.work.tree();
        assert_no_partial_file(&now, &scene.before, &scene.after);
        match now {
            now if now == scene.before => {
                untouched += 1;
                scene.duration = longer(scene.duration);
            }
            now if now == scene.after => {
                done += 1;
                scene.duration = shorter(scene.duration);
            }
            _ => half += 1,
        }
        let run = scene.work.run(&[]);
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(scene.work.tree(), scene.after);
    }
    println!(
        "killed {killed} times: {untouched} before the first write, {half} in between, {done} at the end"
    );
    assert!(
        half > times / 20,
        "{untouched} before, {half} in between, {done} at the end"
    );
}

#[test]
fn a_run_that_is_interrupted_leaves_nothing_behind() {
    let mut scene = Scene::new(FILES);
    let mut moments = Moments(0x2545_f491_4f6c_dd1d);
    let (mut stopped, mut done, mut early) = (0, 0, 0);
    let times = times(25);
    let mut round = 0;
    while round < times || (stopped <= times / 4 && round < MAX_ROUNDS_FACTOR * times) {
        round += 1;
        scene = scene.or_larger(round, 2 * times);
        let (signal, status) = match round % 4 {
            0 => (Signal::TERM, 143),
            _ => (Signal::INT, 130),
        };
        let child = scene.start(moments.next(scene.duration));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let run = RunOutput::from(child.wait_with_output().unwrap());
        let now = scene.work.tree();
        match run.status {
            // the signal arrived before the program handles it
            -1 => {
                early += 1;
                scene.duration = longer(scene.duration);
                assert_eq!(now, scene.before);
            }
            0 => {
                done += 1;
                scene.duration = shorter(scene.duration);
                assert_eq!(now, scene.after);
            }
            other => {
                stopped += 1;
                assert_eq!(other, status, "{run:?}");
                assert_eq!(now, scene.before, "{run:?}");
            }
        }
    }
    println!(
        "interrupted {round} times: {early} before it listened, {stopped} stopped, {done} at the end"
    );
    assert!(
        stopped > times / 4,
        "{early} early, {stopped} stopped, {done} done"
    );
}
