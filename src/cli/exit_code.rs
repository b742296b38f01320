//! Exit statuses (rules: Reports).

use std::ffi::OsString;
use std::io;

use crate::git;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Success. A merge resolved all conflicts, for example by its policy.
    Merged,
    /// Conflicts are left.
    Conflicts,
    /// The arguments or the input are wrong, or reading or writing failed.
    Failed,
    /// The status that git expects of a subcommand which it calls, or that a signal caused.
    Other(u8),
}

impl ExitCode {
    /// Returns the status for arguments that clap rejects. It is not 2 for commands that git calls:
    /// git takes 2 for the number of conflicts.
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

    /// Returns [`ExitCode::Failed`] if writing the output failed, else the status itself. A broken
    /// pipe is no failure: the reader stopped early, and the command has done its work.
    pub(super) fn unless_output_failed(self, written: io::Result<()>) -> Self {
        match written {
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
