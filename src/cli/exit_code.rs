//! What the program ends with (SPEC 10).

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Merged; conflicts that the policy resolved included.
    Merged,
    /// Conflicts are left.
    Conflicts,
    /// The arguments or the input are wrong, or reading or writing failed.
    Failed,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(match code {
            ExitCode::Merged => 0,
            ExitCode::Conflicts => 1,
            ExitCode::Failed => 2,
        })
    }
}
