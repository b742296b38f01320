//! Runs a process within limits: it is killed if it takes too long or prints too much.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The limits of a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The most bytes that it may write to standard output.
    pub(super) max_stdout: u64,
    /// The time limit.
    pub(super) timeout: Duration,
    /// Whether it reads data from strangers, so that its memory and the size of its files are
    /// limited too.
    pub(super) untrusted: bool,
}

/// How long to wait for the end of standard error after the process has ended: a helper that runs
/// on in the background keeps it open.
const GRACE: Duration = Duration::from_secs(2);

/// How many bytes of the end of standard error are kept.
const KEPT: usize = 64 << 10;

/// The longest pause between two looks at a process that has closed its output.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// A process that runs beside this one.
pub(crate) struct Running {
    /// `None` when it is dropped.
    child: Option<Child>,
    max_stdout: u64,
    deadline: Instant,
}

/// Runs a process to its end, with `input` on its standard input.
///
/// # Errors
/// If it cannot be started, or exceeds a limit and is killed: [`TimedOut`](ErrorKind::TimedOut), or
/// [`FileTooLarge`](ErrorKind::FileTooLarge) for its output.
pub(super) fn run(command: &mut Command, input: &[u8], limits: &Limits) -> io::Result<Output> {
    let stdin = match input {
        [] => Stdio::null(),
        _ => Stdio::piped(),
    };
    command.stdin(stdin).stderr(Stdio::piped());
    let mut running = start(command, limits)?;
    let child = running.child()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // a thread, because both processes would wait for each other if they wrote and neither
        // read; the error of a process that stops reading is on its standard error
        thread::spawn(move || stdin.write_all(&input).unwrap_or_default());
    }
    let stderr = child.stderr.take();
    let stderr = stderr.map(|pipe| in_background(|| read_end(pipe)));
    let stdout = running.stdout()?;
    let deadline = running.deadline;
    let child = running.child()?;
    let status = wait_before(deadline, child).inspect_err(|_| kill(child))?;
    let stderr = stderr.and_then(|stderr| stderr.recv_timeout(GRACE).ok());
    Ok(Output {
        status,
        stdout,
        stderr: stderr.unwrap_or_default(),
    })
}

/// Starts a process. Its standard output is read when it is asked for, so it waits if it has
/// written more than a pipe can hold.
///
/// # Errors
/// If it cannot be started.
pub(super) fn start(command: &mut Command, limits: &Limits) -> io::Result<Running> {
    let deadline = Instant::now() + limits.timeout;
    let child = command.stdout(Stdio::piped()).spawn()?;
    if limits.untrusted {
        confine(&child);
    }
    Ok(Running {
        child: Some(child),
        max_stdout: limits.max_stdout,
        deadline,
    })
}

impl Running {
    /// Returns all of the process's standard output. It may still be ending then.
    ///
    /// # Errors
    /// If it exceeds a limit and is killed, as for [`run`].
    pub(crate) fn stdout(&mut self) -> io::Result<Vec<u8>> {
        let (deadline, max) = (self.deadline, self.max_stdout);
        let child = self.child()?;
        let pipe = child.stdout.take().ok_or(ErrorKind::NotFound)?;
        // in a thread, which is left to itself after the deadline
        let stdout = in_background(move || read_at_most(pipe, max));
        let time_left = deadline.saturating_duration_since(Instant::now());
        let stdout = stdout.recv_timeout(time_left);
        let stdout = stdout.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
        stdout.inspect_err(|_| kill(child))
    }

    fn child(&mut self) -> io::Result<&mut Child> {
        let child = self.child.as_mut();
        child.ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // a process that still runs must not stay a zombie when it ends
        if let Some(mut child) = self.child.take()
            && !matches!(child.try_wait(), Ok(Some(_)))
        {
            let _ = thread::Builder::new().spawn(move || child.wait());
        }
    }
}

fn wait_before(deadline: Instant, child: &mut Child) -> io::Result<ExitStatus> {
    // most processes close their output as they end, so the first pauses are short
    let mut pause = Duration::from_micros(20);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            return Err(ErrorKind::TimedOut.into());
        }
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Runs `work` in a thread, and returns the receiver of the result. The thread is not joined.
fn in_background<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Receiver<R> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        // the receiver is gone after a timeout
        let _ = sender.send(work());
    });
    receiver
}

fn read_at_most(pipe: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut limited = pipe.take(max.saturating_add(1));
    limited.read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max {
        true => Err(ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Reads a pipe to its end and returns its last bytes, between [`KEPT`] and twice as many.
fn read_end(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 8192];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
        if bytes.len() > 2 * KEPT {
            bytes.drain(..bytes.len() - KEPT);
        }
    }
    bytes
}

/// Kills a process and its descendants. Descendants are found on Linux only.
fn kill(child: &mut Child) {
    let descendants = descendants_of(child.id());
    // it may have ended in the meantime
    let _ = child.kill();
    let _ = child.wait();
    kill_all(&descendants);
}

/// Returns the ids of the child processes of a process, of their children, and so on.
fn descendants_of(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut next = 0;
    while let Some(process) = all.get(next) {
        let list = format!("/proc/{process}/task/{process}/children");
        let children = std::fs::read_to_string(list).unwrap_or_default();
        let children = children.split_whitespace();
        all.extend(children.filter_map(|id| id.parse::<u32>().ok()));
        next += 1;
    }
    all.split_off(1)
}

#[cfg(unix)]
fn kill_all(processes: &[u32]) {
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
fn kill_all(_: &[u32]) {}

/// Limits the memory of a process and the size of each file that it writes.
#[cfg(target_os = "linux")]
fn confine(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    const MAX_MEMORY: u64 = 4 << 30;
    const MAX_FILE: u64 = 8 << 30;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    for (resource, max) in [(Resource::Data, MAX_MEMORY), (Resource::Fsize, MAX_FILE)] {
        let limit = Rlimit {
            current: Some(max),
            maximum: Some(max),
        };
        // the limit may be refused; the time limit holds all the same
        let _ = prlimit(id, resource, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn confine(_: &Child) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn limits(seconds: u64) -> Limits {
        Limits {
            max_stdout: 100_000,
            timeout: Duration::from_secs(seconds),
            untrusted: true,
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn returns_stdout_and_stderr_and_passes_input() {
        let output = run(&mut shell("cat; echo no >&2; exit 3"), b"in", &limits(60)).unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (output.stdout, output.stderr),
            (b"in".to_vec(), b"no\n".to_vec())
        );
    }

    #[test]
    fn a_process_that_takes_too_long_is_killed() {
        let start = Instant::now();
        let result = run(&mut shell("sleep 60 & sleep 60"), &[], &limits(1));
        assert_eq!(result.unwrap_err().kind(), ErrorKind::TimedOut);
        let result = run(&mut shell("exec >&-; sleep 60"), &[], &limits(1));
        assert_eq!(result.unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_whose_output_nobody_asks_for_is_no_zombie() {
        let running = start(&mut shell("exit 0"), &limits(60)).unwrap();
        let id = running.child.as_ref().unwrap().id();
        drop(running);
        let end = Instant::now() + Duration::from_secs(30);
        while std::path::Path::new(&format!("/proc/{id}")).exists() {
            assert!(Instant::now() < end);
            thread::sleep(LONGEST_PAUSE);
        }
    }

    #[test]
    fn a_process_that_prints_too_much_is_killed() {
        let result = run(&mut shell("while :; do echo yes; done"), &[], &limits(60));
        assert_eq!(result.unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
