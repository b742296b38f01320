//! What is done with a result: the arguments that the commands which change packages share.

use std::io::{IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::exit_code::ExitCode;
use super::signals::Signals;
use crate::error::Error;
use crate::package::{SchemaSource, Settings};

/// What is done with a result, and what is told of it.
#[derive(Debug, Default, Args)]
#[group(skip)]
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
    /// Write there and not in place; - prints one file
    #[arg(long, value_name = "PATH", conflicts_with_all = ["diff", "dry_run", "check"])]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

/// How a run is carried out.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) shown: ShownArgs,
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

/// What of a run is shown, and how.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub(super) struct ShownArgs {
    /// Show values of Secrets, in reports, errors and diffs
    #[arg(long, hide_short_help = true)]
    show_secrets: bool,
    /// Colour: auto (default), always, never
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t = Color::Auto,
        hide_short_help = true
    )]
    color: Color,
}

/// Which files are read, and what is known of the fields in them.
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

impl OutputArgs {
    /// Of a run that changes nothing, and only shows something.
    pub(super) fn showing(shown: ShownArgs) -> Self {
        let run = RunArgs {
            shown,
            ..RunArgs::default()
        };
        Self {
            run,
            ..Self::default()
        }
    }
}

impl FilesArgs {
    /// The settings that say so.
    pub(super) fn settings(self) -> Settings {
        Settings {
            matches: self.matches,
            schema: Some(SchemaSource {
                definitions: self.definitions,
            }),
            ..Settings::default()
        }
    }
}

impl ShownArgs {
    /// What is shown by a run of this process.
    pub(super) fn shown(&self) -> Shown {
        Shown {
            secrets: self.show_secrets,
            color_output: self.color.is_on(std::io::stdout().is_terminal()),
            color_errors: self.color.is_on(std::io::stderr().is_terminal()),
        }
    }
}

impl Color {
    /// Whether an output has colour that is a terminal, or is none.
    fn is_on(self, terminal: bool) -> bool {
        let no_color = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self {
            Self::Auto => terminal && !no_color(),
            Self::Always => true,
            Self::Never => false,
        }
    }
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
    /// Tells what went wrong: the status of a run that ended by that, perhaps because a signal
    /// came.
    pub(super) fn failed(
        &self,
        error: Error,
        signals: Option<&Signals>,
        errors: &mut impl Write,
    ) -> ExitCode {
        let is_stopped = matches!(error, Error::Stopped { .. });
        let told = error.with_secrets(self.secrets).render(self.color_errors);
        // there is nobody left to tell where that fails
        let _ = writeln!(errors, "{told}");
        let status = signals.filter(|_| is_stopped).and_then(Signals::status);
        status.map_or(ExitCode::Failed, ExitCode::Other)
    }
}

/// The most threads: each has a stack and a heap of its own.
const MOST_THREADS: usize = 512;

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize = text.parse().map_err(|error| format!("{error}"))?;
    match number.get() {
        ..=MOST_THREADS => Ok(number),
        _ => Err(format!("at most {MOST_THREADS} threads are started")),
    }
}
