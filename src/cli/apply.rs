//! The arguments of `merge3 apply` and `merge3 patch`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::args::usage_error;
use super::output::{DisplayArgs, FilesArgs, OutputArgs, ReportArgs};
use super::print::{Printer, Streams};
use super::run::{Config, Job, merge};
use crate::package::{
    ApplyAction, ApplyPaths, ApplyTo, Patching, Selector, Settings, view_last_applied,
};
use crate::triple::Triple;

/// The arguments of `apply`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_arg("definitions", |argument| argument.hide_short_help(false)))]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    paths: Option<ApplyPaths>,
    /// What was applied last (file or folder), instead of what the annotations in LIVE say
    #[arg(long, value_name = "FILE")]
    last_applied: Option<PathBuf>,
    /// Delete what was applied and is in CONFIG no more; it is listed first
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(subcommand)]
    command: Option<ApplyCommand>,
}

/// The subcommands of `apply`.
#[derive(Debug, Subcommand)]
enum ApplyCommand {
    /// Print what was applied last to the objects in LIVE
    ViewLastApplied(ViewArgs),
    /// Write down in LIVE that CONFIG was applied, and change nothing else
    SetLastApplied(Box<SetArgs>),
}

/// The arguments of `view-last-applied`.
#[derive(Debug, Args)]
struct ViewArgs {
    /// The live objects (file or folder)
    live: PathBuf,
    /// Of this resource only: KIND/NAME or KIND/NAMESPACE/NAME (repeatable)
    #[arg(long = "resource", value_name = "KIND/NAME")]
    resources: Vec<Selector>,
    #[command(flatten)]
    display: DisplayArgs,
}

/// The arguments of `set-last-applied`.
#[derive(Debug, Args)]
struct SetArgs {
    #[command(flatten)]
    paths: ApplyPaths,
    /// Also add the annotation where it is missing
    #[arg(long)]
    create_annotation: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl ApplyArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// A required argument is missing.
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        let missing = || usage_error("", "apply needs --config and --live");
        let config = match (self.command, self.paths) {
            (Some(ApplyCommand::ViewLastApplied(args)), _) => {
                let printer = Printer::showing(args.display);
                let secrets = printer.args.display.show_secrets;
                let text = view_last_applied(&args.live, &args.resources, secrets);
                return Ok(printer.print(text, streams));
            }
            (Some(ApplyCommand::SetLastApplied(args)), _) => {
                let apply = ApplyTo {
                    paths: args.paths,
                    last_applied: None,
                    prune: false,
                    action: ApplyAction::SetLastApplied {
                        create: args.create_annotation,
                    },
                };
                config(apply, Settings::default(), (args.output, args.report))
            }
            (None, paths) => {
                let apply = ApplyTo {
                    paths: paths.ok_or_else(missing)?,
                    last_applied: self.last_applied,
                    prune: self.prune,
                    action: ApplyAction::Apply,
                };
                config(apply, self.files.settings(), (self.output, self.report))
            }
        };
        Ok(merge(&config, streams))
    }
}

/// Returns the settings of a run that applies a configuration.
fn config(apply: ApplyTo, settings: Settings, output: (OutputArgs, ReportArgs)) -> Config {
    let ApplyPaths { config, live, .. } = &apply.paths;
    let sides = Triple::new(live, config, live).map(Clone::clone);
    Config::new(Job::Apply(apply), sides, settings, output)
}

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
