//! The arguments that say what to do with a result, shared by the commands that change packages.

use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::print::{FAILED, Streams};
use super::signals::Signals;
use crate::error::{Error, Warning};
use crate::package::Settings;

/// The arguments that say what to do with a result, and what to report.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub(super) struct OutputArgs {
    /// Show what would change, write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// As --dry-run; exit status 1 if anything would change
    #[arg(long)]
    pub(super) check: bool,
    /// Print the changes as a unified diff, write nothing
    #[arg(long)]
    pub(super) diff: bool,
    /// Write there and not in place; - prints one file
    #[arg(long, value_name = "PATH", conflicts_with_all = ["diff", "dry_run", "check"])]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

/// The arguments that say how to carry out a run.
#[derive(Debug, Default, Clone, Args)]
#[group(skip)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) display: DisplayArgs,
    /// Force what is written to the disk
    #[arg(long, hide_short_help = true)]
    pub(super) sync: bool,
    /// How many threads; else one for each core
    #[arg(long, value_name = "N", value_parser = threads, hide_short_help = true)]
    pub(super) threads: Option<NonZeroUsize>,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Name each file that changes, and all that counts
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) verbose: bool,
}

/// The arguments that say which values and colours to print.
#[derive(Debug, Default, Clone, Args)]
#[group(skip)]
pub(super) struct DisplayArgs {
    /// Show values of Secrets, in reports, errors and diffs
    #[arg(long, hide_short_help = true)]
    pub(super) show_secrets: bool,
    /// Colour: auto (default), always, never
    #[arg(long, value_enum, value_name = "WHEN", hide_short_help = true)]
    color: Option<Color>,
}

/// The arguments that say which files to read, and which fields they may have.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct FilesArgs {
    /// A file with custom resource definitions (repeatable)
    #[arg(long = "crd", value_name = "FILE", hide_short_help = true)]
    definitions: Vec<PathBuf>,
    /// Read these as YAML, instead of *.yaml, *.yml, *.json, Kptfile; others
    /// are left alone (repeatable)
    #[arg(
        long = "yaml",
        alias = "match",
        value_name = "GLOB",
        hide_short_help = true
    )]
    matches: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Yes
    Always,
    /// No
    Never,
}

impl From<DisplayArgs> for RunArgs {
    /// Returns the arguments of a run with the given display and defaults for all else.
    fn from(display: DisplayArgs) -> Self {
        Self {
            display,
            ..Self::default()
        }
    }
}

impl FilesArgs {
    /// Returns the settings for these arguments.
    pub(super) fn settings(self) -> Settings {
        Settings {
            matches: self.matches,
            schema: Some(self.definitions),
            ..Settings::default()
        }
    }
}

impl DisplayArgs {
    /// Returns settings that show the values of Secrets if these arguments ask for it.
    pub(super) fn settings(&self, settings: Settings) -> Settings {
        Settings {
            show_secrets: self.show_secrets,
            ..settings
        }
    }

    /// Returns true if standard output gets colours.
    pub(super) fn color_output(&self) -> bool {
        self.has_color(std::io::stdout().is_terminal())
    }

    /// Returns true if standard error gets colours.
    pub(super) fn color_errors(&self) -> bool {
        self.has_color(std::io::stderr().is_terminal())
    }

    /// Returns warnings as text.
    pub(super) fn rendered(&self, warnings: &[Warning]) -> Vec<String> {
        let color = self.color_errors();
        warnings.iter().map(|it| it.render(color)).collect()
    }

    fn has_color(&self, is_terminal: bool) -> bool {
        let no_color = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self.color.unwrap_or_default() {
            Color::Auto => is_terminal && !no_color(),
            Color::Always => true,
            Color::Never => false,
        }
    }

    /// Prints an error and returns the exit status. If a signal stopped the run, that is the status
    /// of the signal.
    pub(super) fn fail(&self, error: Error, signals: &Signals, streams: &mut Streams<'_>) -> u8 {
        let status = signals.status_after(&error).unwrap_or(FAILED);
        let error = error.with_secrets(self.show_secrets);
        streams.tell(&error.render(self.color_errors()));
        status
    }
}

/// The maximum number of threads. Each thread needs memory for its own stack and heap.
const MAX_THREADS: usize = 512;

/// Parses a number of threads.
pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize = text.parse().map_err(|error| format!("{error}"))?;
    match number.get() {
        ..=MAX_THREADS => Ok(number),
        _ => Err(format!("at most {MAX_THREADS} threads are started")),
    }
}
