//! The settings of a run, in one value. Nothing else reads the command line.

use std::io::Write;
use std::path::PathBuf;

use super::exit_code::ExitCode;
use super::output::OutputArgs;
use super::output_path::Destination;
use super::report::ReportTo;
use super::signals::Signals;
use crate::error::Error;
use crate::package::{ApplyTo, Patching, STANDARD_INPUT, Settings};
use crate::triple::Triple;

/// Everything that a run needs to know.
#[derive(Debug)]
pub(super) struct Config {
    /// The three packages.
    pub sides: Triple<PathBuf>,
    /// How they merge.
    pub settings: Settings,
    /// What is done with them.
    pub job: Job,
    /// What is done with the result.
    pub output: OutputArgs,
    /// What report is made.
    pub report: ReportTo,
    /// What is shown, and how.
    pub shown: Shown,
}

impl Config {
    /// Whether the result is written, and not only told or shown.
    pub(super) fn writes(&self) -> bool {
        let OutputArgs {
            diff,
            dry_run,
            check,
            ..
        } = self.output;
        !diff && !dry_run && !check
    }

    /// Where the result goes; in the local package's place where nothing is said.
    pub(super) fn destination(&self) -> Option<Destination<'_>> {
        match self.output.output.as_deref() {
            Some(path) if path.as_os_str() != STANDARD_INPUT => Some(Destination::Path(path)),
            Some(_) => Some(Destination::Output),
            // what comes on standard input goes to standard output
            None => (self.sides.local.as_os_str() == STANDARD_INPUT).then_some(Destination::Output),
        }
    }

    /// Whether the local package is what is written.
    pub(super) fn is_in_place(&self) -> bool {
        self.writes() && self.destination().is_none()
    }
}

/// What is done with the packages.
#[derive(Debug)]
pub(super) enum Job {
    /// They merge.
    Merge,
    /// Configurations are applied to live objects. The latter are the local side.
    Apply(ApplyTo),
    /// Patches are applied. Their target is the local side.
    Patch(Patching),
}

/// What of a run is shown, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    /// Whether the values of Secrets are.
    pub secrets: bool,
    /// Whether standard output is coloured.
    pub color_output: bool,
    /// Whether standard error is.
    pub color_errors: bool,
}

impl Shown {
    /// An error as it may be shown.
    pub(super) fn readable(&self, error: Error) -> Error {
        match self.secrets {
            true => error.with_secrets(),
            false => error,
        }
    }

    /// Tells what went wrong: the status of a run that ended by that, perhaps because a signal
    /// came.
    pub(super) fn failed(
        &self,
        error: Error,
        signals: Option<&Signals>,
        errors: &mut impl Write,
    ) -> ExitCode {
        let is_stopped = matches!(error, Error::Stopped { .. });
        let told = self.readable(error).render(self.color_errors);
        // there is nobody left to tell where that fails
        let _ = writeln!(errors, "{told}");
        let status = signals.filter(|_| is_stopped).and_then(Signals::status);
        status.map_or(ExitCode::Failed, ExitCode::Other)
    }
}
