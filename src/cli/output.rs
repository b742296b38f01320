//! What is done with a result: the arguments that the commands which change packages share.

use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::args::Color;
use super::config::{Action, Config, Job, Verbosity};
use super::elsewhere::Destination;
use super::report::ReportArgs;
use crate::package::Settings;
use crate::triple::Triple;

/// What is done with a result, and what is told of it.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Tell what would change, write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// As --dry-run; exit status 1 if anything would change
    #[arg(long)]
    pub(super) check: bool,
    /// Print the changes as a unified diff, write nothing
    #[arg(long)]
    pub(super) diff: bool,
    /// Write the result there, and change nothing in place; - prints one file
    #[arg(long, value_name = "PATH", conflicts_with_all = ["diff", "dry_run", "check"])]
    pub(super) output: Option<PathBuf>,
    /// Force what is written to the disk
    #[arg(long)]
    pub(super) sync: bool,
    /// How many threads; else one for each core
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Name each file that changes
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) verbose: bool,
    /// Colour: auto (default), always, never
    #[arg(
        long, value_enum, value_name = "WHEN", default_value_t = Color::Auto,
        hide_possible_values = true, hide_default_value = true
    )]
    pub(super) color: Color,
}

impl OutputArgs {
    /// What a run is told.
    pub(super) fn config(
        self,
        sides: Triple<PathBuf>,
        settings: Settings,
        job: Job,
        report: ReportArgs,
    ) -> Config {
        let color = |terminal| self.color.is_on(terminal);
        Config {
            action: match (self.diff, self.dry_run || self.check) {
                (true, _) => Action::Diff,
                (false, true) => Action::DryRun,
                (false, false) => Action::Write { durable: self.sync },
            },
            check: self.check,
            destination: self.output.map(|path| match path.as_os_str() == "-" {
                true => Destination::Output,
                false => Destination::Path(path),
            }),
            report: report.into(),
            verbosity: match (self.quiet, self.verbose) {
                (true, _) => Verbosity::Quiet,
                (false, true) => Verbosity::Verbose,
                (false, false) => Verbosity::Normal,
            },
            color_output: color(std::io::stdout().is_terminal()),
            color_errors: color(std::io::stderr().is_terminal()),
            threads: self.threads,
            settings,
            sides,
            job,
        }
    }
}

impl Color {
    /// Whether an output has colour that is a terminal, or is none.
    pub(super) fn is_on(self, terminal: bool) -> bool {
        let no_color = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self {
            Self::Auto => terminal && !no_color(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}
