//! A process that is stopped where it takes too long or prints too much.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What a process may do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// How many bytes it prints at most.
    pub(super) printed: u64,
    /// How much is kept of the end of what it writes to standard error.
    pub(super) said: usize,
    /// How long it takes at most.
    pub(super) patience: Duration,
    /// Whether it works on what strangers send, and so gets only as much memory and disk as that
    /// should need.
    pub(super) foreign: bool,
}

/// Why a process gave no output.
#[derive(Debug)]
pub(super) enum Ended {
    NotStarted(io::Error),
    TooLate,
    TooMuch,
}

/// How long standard error may stay open when the process is gone: a helper that goes on in the
/// background holds it.
const GRACE: Duration = Duration::from_secs(2);

/// How long is waited at a time for the end of a process that has closed its output.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Runs a process to its end.
///
/// # Errors
/// Where it cannot be started, or a limit is reached: it is killed then.
pub(super) fn run(command: &mut Command, input: &[u8], limits: &Limits) -> Result<Output, Ended> {
    let stdin = match input {
        [] => Stdio::null(),
        _ => Stdio::piped(),
    };
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let end = Instant::now() + limits.patience;
    let mut child = command.spawn().map_err(Ended::NotStarted)?;
    if limits.foreign {
        confine(&child);
    }
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // a pipe that both ends write to and neither reads would hang; where it stops reading, what
        // it says of that tells why
        thread::spawn(move || stdin.write_all(&input).unwrap_or_default());
    }
    let most = limits.printed;
    let printed = in_background(child.stdout.take(), move |pipe| up_to(pipe, most));
    let kept = limits.said;
    let said = in_background(child.stderr.take(), move |pipe| Ok(last(pipe, kept)));
    let result = wait(&mut child, &printed, &said, end);
    if result.is_err() {
        kill(&mut child);
    }
    result
}

fn wait(
    child: &mut Child,
    printed: &Receiver<Result<Vec<u8>, Ended>>,
    said: &Receiver<Result<Vec<u8>, Ended>>,
    end: Instant,
) -> Result<Output, Ended> {
    let left = || end.saturating_duration_since(Instant::now());
    let stdout = match printed.recv_timeout(left()) {
        Ok(printed) => printed?,
        Err(RecvTimeoutError::Timeout) => return Err(Ended::TooLate),
        Err(RecvTimeoutError::Disconnected) => Vec::new(),
    };
    // it closes its output as it ends, mostly: somebody may wait for each file
    let mut pause = Duration::from_micros(20);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(Ended::NotStarted)? {
            break status;
        }
        if left().is_zero() {
            return Err(Ended::TooLate);
        }
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    };
    let stderr = said.recv_timeout(GRACE).unwrap_or(Ok(Vec::new()))?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Reads a pipe in a thread, which is left alone where nobody waits for it any more.
fn in_background<P: Read + Send + 'static>(
    pipe: Option<P>,
    read: impl FnOnce(P) -> Result<Vec<u8>, Ended> + Send + 'static,
) -> Receiver<Result<Vec<u8>, Ended>> {
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        thread::spawn(move || {
            // nobody waits where it took too long
            let _ = sender.send(read(pipe));
        });
    }
    receiver
}

fn up_to(pipe: impl Read, most: u64) -> Result<Vec<u8>, Ended> {
    let mut bytes = Vec::new();
    let mut limited = pipe.take(most.saturating_add(1));
    limited.read_to_end(&mut bytes).map_err(Ended::NotStarted)?;
    match bytes.len() as u64 > most {
        true => Err(Ended::TooMuch),
        false => Ok(bytes),
    }
}

/// The end of what a pipe gives.
fn last(mut pipe: impl Read, kept: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut part = vec![0; 8192];
    while let Ok(count @ 1..) = pipe.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
        if bytes.len() > 2 * kept {
            bytes.drain(..bytes.len() - kept);
        }
    }
    bytes
}

/// Kills a process with what it started, as far as that can be found.
fn kill(child: &mut Child) {
    let below = started_by(child.id());
    // it may have ended in the meantime
    let _ = child.kill();
    let _ = child.wait();
    stop(&below);
}

/// The processes that a process started, and those that these started.
fn started_by(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut at = 0;
    while let Some(process) = all.get(at) {
        let list = format!("/proc/{process}/task/{process}/children");
        let children = std::fs::read_to_string(list).unwrap_or_default();
        all.extend(
            children
                .split_whitespace()
                .filter_map(|id| id.parse::<u32>().ok()),
        );
        at += 1;
    }
    all.split_off(1)
}

#[cfg(unix)]
fn stop(processes: &[u32]) {
    use rustix::process::{Pid, Signal, kill_process};

    for process in processes {
        let id = i32::try_from(*process).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            // it may have ended in the meantime
            let _ = kill_process(id, Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
fn stop(_: &[u32]) {}

/// Memory of its own, and one file, for a process that reads what a server says.
#[cfg(target_os = "linux")]
fn confine(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    const MEMORY: u64 = 4 << 30;
    const FILE: u64 = 8 << 30;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    for (resource, most) in [(Resource::Data, MEMORY), (Resource::Fsize, FILE)] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // where it may not be set, time is limited all the same
        let _ = prlimit(id, resource, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn confine(_: &Child) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn limits(patience: u64) -> Limits {
        Limits {
            printed: 100_000,
            said: 1000,
            patience: Duration::from_secs(patience),
            foreign: true,
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_is_read_and_what_is_said_comes() {
        let output = run(&mut shell("cat; echo no >&2; exit 3"), b"in", &limits(60)).unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (output.stdout, output.stderr),
            (b"in".to_vec(), b"no\n".to_vec())
        );
    }

    #[test]
    fn what_never_ends_is_stopped() {
        let start = Instant::now();
        let ended = run(&mut shell("sleep 60 & sleep 60"), &[], &limits(1));
        assert!(matches!(ended, Err(Ended::TooLate)), "{ended:?}");
        let ended = run(&mut shell("exec >&-; sleep 60"), &[], &limits(1));
        assert!(matches!(ended, Err(Ended::TooLate)), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn what_prints_without_end_is_stopped() {
        let ended = run(&mut shell("while :; do echo yes; done"), &[], &limits(60));
        assert!(matches!(ended, Err(Ended::TooMuch)), "{ended:?}");
    }
}
