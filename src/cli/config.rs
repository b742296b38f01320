//! The settings of a run that changes a package: what to merge, and what to do with the result.

use std::path::{Path, PathBuf};

use super::output::{DisplayArgs, OutputArgs};
use super::report::ReportArgs;
use crate::package::{ApplyTo, Patching, STANDARD_INPUT, Settings};
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
}

impl Config {
    /// Makes the settings of a run. Its output arguments say whether secrets are shown.
    pub(super) fn new(
        job: Job,
        sides: Triple<PathBuf>,
        settings: Settings,
        (output, report): (OutputArgs, ReportArgs),
    ) -> Self {
        Self {
            settings: Settings {
                show_secrets: output.run.display.show_secrets,
                ..settings
            },
            output,
            sides,
            job,
            report,
        }
    }

    /// Returns which values and colours to print.
    pub(super) fn display(&self) -> &DisplayArgs {
        &self.output.run.display
    }

    /// Returns true if the run writes its result, and false if it only reports it.
    pub(super) fn writes(&self) -> bool {
        !self.output.diff && !self.output.dry_run && !self.output.check
    }

    /// Returns where the result goes, `-` for standard output; `None` for the local package itself.
    pub(super) fn destination(&self) -> Option<&Path> {
        // a local file from standard input has no path to write to
        let standard = Some(&*self.sides.local).filter(|local| is_standard(local));
        self.output.output.as_deref().or(standard)
    }

    /// Returns true if the run writes to the local package.
    pub(super) fn is_in_place(&self) -> bool {
        self.writes() && self.destination().is_none()
    }
}

/// Returns true for `-`, which stands for standard input and output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
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
