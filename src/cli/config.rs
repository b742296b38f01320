//! The settings of a run, in one value. Nothing else reads the command line.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::exit_code::ExitCode;
use super::extras::Extra;
use super::output_path::Destination;
use super::report::ReportTo;
use super::signals::Signals;
use crate::error::Error;
use crate::package::{ApplyTo, Patching, Selector, Settings};
use crate::triple::Triple;

/// What the program is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// The main job: merge three packages; or another one that changes a package.
    Merge(Box<Config>),
    /// What git calls, and what sets it up.
    Git(crate::git::Command),
    /// Say why a value comes out as it does.
    Explain {
        /// What a merge would be told.
        config: Box<Config>,
        /// The file in the package.
        file: PathBuf,
        /// Where in it.
        path: String,
    },
    /// What has to do with packages' upstreams.
    Upstream(Box<super::upstream_args::UpstreamRun>),
    /// Print what was applied last.
    ViewLastApplied {
        /// The live objects.
        live: PathBuf,
        /// The resources among them; all where none are given.
        resources: Vec<Selector>,
        /// What is shown of them.
        shown: Shown,
    },
    /// Make patches.
    Diff(Box<super::diff::DiffJob>),
    /// Decide a merge place by place.
    Review(super::review::Review),
    /// Generate something about the program itself.
    Generate(Extra),
}

/// Everything that a run needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The three packages.
    pub sides: Triple<PathBuf>,
    /// How they merge.
    pub settings: Settings,
    /// What is done with them.
    pub job: Job,
    /// What is done with the result.
    pub action: Action,
    /// Where the result goes; in the local package's place where nothing is said.
    pub destination: Option<Destination>,
    /// How many threads; as many as there are cores where none is given.
    pub threads: Option<NonZeroUsize>,
    /// Whether the exit status says if anything changes.
    pub check: bool,
    /// What report is made.
    pub report: ReportTo,
    /// How much is reported.
    pub verbosity: Verbosity,
    /// What is shown, and how.
    pub shown: Shown,
}

impl Config {
    /// Whether the local package is what is written.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.action, Action::Write { .. }) && self.destination.is_none()
    }
}

/// What is done with the packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// They merge.
    Merge,
    /// Configurations are applied to live objects. The latter are the local side.
    Apply(ApplyTo),
    /// Patches are applied. Their target is the local side.
    Patch(Patching),
}

/// What is done with the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is written.
    Write {
        /// Forced to the disk.
        durable: bool,
    },
    /// It is told what would change.
    DryRun,
    /// It is shown as a unified diff.
    Diff,
}

/// How much is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// The summary and the conflicts.
    Normal,
    /// Each file that changes, too.
    Verbose,
}

/// What of a run is shown, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
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
