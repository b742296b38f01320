//! The arguments of `merge3 patch`.

use clap::Args;

use super::output::{FilesArgs, OutputArgs};
use super::report::ReportArgs;
use super::run::{Config, Job};
use crate::package::Patching;
use crate::triple::Triple;

/// The arguments of `patch`.
#[derive(Debug, Args)]
pub(super) struct PatchArgs {
    #[command(flatten)]
    patching: Patching,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl PatchArgs {
    /// Returns the settings of the run.
    pub(super) fn config(self) -> Config {
        let target = &self.patching.target;
        let sides = Triple::new(target, target, target).map(Clone::clone);
        let settings = self.files.settings();
        let output = (self.output, self.report);
        Config::new(Job::Patch(self.patching), sides, settings, output)
    }
}
