//! The output of a command.

use std::process::Output;

/// The status and the output of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunOutput {
    /// The exit status, or -1 if a signal ended the process.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for RunOutput {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl RunOutput {
    /// Asserts that standard error contains all of these messages.
    #[allow(dead_code)] // some test crates do not use it
    #[track_caller]
    pub(crate) fn says(&self, messages: &[&str]) {
        for message in messages {
            assert!(
                self.stderr.contains(message),
                "'{message}' is not in:\n{}",
                self.stderr
            );
        }
    }
}
