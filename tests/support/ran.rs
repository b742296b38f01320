//! What a command that was run gave.

use std::process::Output;

/// What a run gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    /// -1 where a signal ended it.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Expects standard error to say all of this.
    #[allow(dead_code)] // not all tests look at it so
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
