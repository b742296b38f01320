//! Exit statuses (rules: Reports).

use std::ffi::OsString;
use std::io;

use crate::git;

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Merged; conflicts that the policy resolved included.
    Merged,
    /// Conflicts are left.
    Conflicts,
    /// The arguments or the input are wrong, or reading or writing failed.
    Failed,
    /// What the contract of git says that a subcommand stands in for.
    Other(u8),
}

impl ExitCode {
    /// For arguments that clap refuses. Where git calls, 2 would say that two conflicts are left.
    pub fn for_wrong_arguments(error: &clap::Error, arguments: &[OsString]) -> Self {
        let arguments: Vec<&str> = arguments
            .iter()
            .skip(1)
            .filter_map(|it| it.to_str())
            .collect();
        match arguments.as_slice() {
            _ if !error.use_stderr() => Self::Merged,
            ["git", "driver", ..] | ["merge-file", ..] => Self::Other(git::FAILED),
            _ => Self::Failed,
        }
    }

    /// The same, unless what there was to tell could not be told. Whoever has stopped reading it
    /// has seen enough: what was done is done.
    pub(super) fn unless_lost(self, told: io::Result<()>) -> Self {
        match told {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Self::Failed,
            _ => self,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(match code {
            ExitCode::Merged => 0,
            ExitCode::Conflicts => 1,
            ExitCode::Failed => 2,
            ExitCode::Other(status) => status,
        })
    }
}
