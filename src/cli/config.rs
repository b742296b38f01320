//! The settings of a run that changes a package, in one value.

use std::path::PathBuf;

use super::output::{OutputArgs, Shown};
use super::report::ReportTo;
use crate::package::{ApplyTo, Patching, Settings};
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
    pub(super) fn new(
        output: OutputArgs,
        sides: Triple<PathBuf>,
        settings: Settings,
        job: Job,
        report: ReportTo,
    ) -> Self {
        let shown = output.run.shown.shown();
        Self {
            settings: Settings {
                show_secrets: shown.secrets,
                ..settings
            },
            output,
            sides,
            job,
            report,
            shown,
        }
    }

    /// Whether the result is written, and not only told or shown.
    pub(super) fn writes(&self) -> bool {
        !self.output.diff && !self.output.dry_run && !self.output.check
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
