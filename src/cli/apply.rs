//! The arguments of `merge3 apply`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::config::{Config, Job};
use super::exit_code::ExitCode;
use super::output::{FilesArgs, OutputArgs, ShownArgs};
use super::report::ReportTo;
use super::run::{merge, plain, print};
use crate::package::{ApplyAction, ApplyTo, Selector, Settings, view_last_applied};
use crate::triple::Triple;

/// What is applied to what.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_arg("definitions", |argument| argument.hide_short_help(false)))]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    what: Option<WhatArgs>,
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
    report: ReportTo,
    #[command(subcommand)]
    command: Option<ApplyCommand>,
}

/// The two sides.
#[derive(Debug, Args)]
struct WhatArgs {
    /// The configuration (file or folder): what `kubectl apply -f` would get
    #[arg(long, value_name = "CONFIG")]
    config: PathBuf,
    /// The live objects (file or folder); changed in place
    #[arg(long, value_name = "LIVE")]
    live: PathBuf,
    /// The namespace of the objects that CONFIG names none of
    #[arg(short, long)]
    namespace: Option<String>,
}

/// What else can be done with what was applied last.
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
    shown: ShownArgs,
}

/// The arguments of `set-last-applied`.
#[derive(Debug, Args)]
struct SetArgs {
    #[command(flatten)]
    what: WhatArgs,
    /// Also where nothing was written down before
    #[arg(long)]
    create_annotation: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    report: ReportTo,
}

impl ApplyArgs {
    /// Does what the arguments say; `None` if they do not say it.
    pub(super) fn run(
        self,
        output: &mut impl Write,
        errors: &mut (impl Write + Send),
    ) -> Option<ExitCode> {
        let config = match (self.command, self.what) {
            (Some(ApplyCommand::ViewLastApplied(args)), _) => {
                let shown = args.shown.shown();
                let text = view_last_applied(&args.live, &args.resources, shown.secrets);
                return Some(print(text.map(plain), &shown, output, errors));
            }
            (Some(ApplyCommand::SetLastApplied(args)), _) => {
                let action = ApplyAction::SetLastApplied {
                    create: args.create_annotation,
                };
                let what = args.what.to(action);
                config(what, Settings::default(), args.output, args.report)
            }
            (None, what) => {
                let what = ApplyTo {
                    last_applied: self.last_applied,
                    prune: self.prune,
                    ..what?.to(ApplyAction::Apply)
                };
                config(what, self.files.settings(), self.output, self.report)
            }
        };
        Some(merge(&config, output, errors))
    }
}

impl WhatArgs {
    fn to(self, action: ApplyAction) -> ApplyTo {
        ApplyTo {
            config: self.config,
            live: self.live,
            last_applied: None,
            namespace: self.namespace,
            prune: false,
            action,
        }
    }
}

fn config(what: ApplyTo, settings: Settings, output: OutputArgs, report: ReportTo) -> Config {
    let sides = Triple::new(what.live.clone(), what.config.clone(), what.live.clone());
    Config::new(output, sides, settings, Job::Apply(what), report)
}
