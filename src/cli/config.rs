//! The settings of a run that changes a package: what to merge, and what to do with the result.

use std::path::PathBuf;

use super::output::{DisplayOptions, OutputArgs};
use super::report::ReportArgs;
use crate::package::{ApplyTo, Patching, Settings};
use crate::triple::Triple;

/// The settings of a run.
#[derive(Debug)]
pub(super) struct Config {
    /// The paths of the three packages.
    pub sides: Triple<PathBuf>,
    /// How to merge.
    pub settings: Settings,
    /// What to do with the packages.
    pub job: Job,
    /// What to do with the result.
    pub output: OutputArgs,
    /// Which report to write.
    pub report: ReportArgs,
    /// Which values and colours to print.
    pub display: DisplayOptions,
}

impl Config {
    pub(super) fn new(
        output: OutputArgs,
        sides: Triple<PathBuf>,
        settings: Settings,
        job: Job,
        report: ReportArgs,
    ) -> Self {
        let display = output.run.display.options();
        Self {
            settings: Settings {
                show_secrets: display.secrets,
                ..settings
            },
            output,
            sides,
            job,
            report,
            display,
        }
    }

    /// Returns true if the run writes its result, and false if it only reports it.
    pub(super) fn writes(&self) -> bool {
        !self.output.diff && !self.output.dry_run && !self.output.check
    }
}

/// What a run does with the packages.
#[derive(Debug)]
pub(super) enum Job {
    /// Merge the three packages.
    Merge,
    /// Apply configurations to live objects, which are the local side.
    Apply(ApplyTo),
    /// Apply patches to a target, which is the local side.
    Patch(Patching),
}
