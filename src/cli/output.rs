//! The arguments that say what to do with a result, shared by the commands that change packages,
//! and the arguments for reports (rules: Reports). Writes a report to a file.

use std::fs;
use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, ValueEnum};

use super::print::{FAILED, Streams};
use super::signals::Signals;
use crate::error::{Error, Warning};
use crate::package::{Plan, Settings, is_open_already, replace_itself};
use crate::report;
use crate::visible::visible_lines;

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

impl RunArgs {
    /// Returns warnings as text; none with `--quiet`.
    pub(super) fn rendered(&self, warnings: &[Warning]) -> Vec<String> {
        let color = self.display.color_errors();
        let told = warnings.iter().filter(|_| !self.quiet);
        told.map(|it| it.render(color)).collect()
    }

    /// Returns the diff of a plan, with paths that start with `folder`, and, without `--quiet`, a
    /// warning for each file that it leaves out. On a terminal, control characters are escaped; in
    /// a diff with colours they already are. Elsewhere the diff stays a patch that can be applied.
    pub(super) fn diff(&self, folder: &Path, plan: &Plan) -> (String, Vec<String>) {
        let color = self.display.color_output();
        let diff = report::diff(folder, plan, color);
        let text = match std::io::stdout().is_terminal() && !color {
            true => visible_lines(&diff.text),
            false => diff.text,
        };
        (text, self.left_out(&diff.left_out))
    }

    /// Returns the warnings about what is left out of a diff.
    pub(super) fn left_out(&self, messages: &[String]) -> Vec<String> {
        let messages = messages.iter().filter(|_| !self.quiet);
        messages.map(|it| format!("warning: {it}")).collect()
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

/// The arguments that say which report to write, and where.
#[derive(Debug, Default, Clone, clap::Args)]
pub(super) struct ReportArgs {
    /// The report: text (default), json, markdown, html
    #[arg(long = "report", value_enum, value_name = "FORM", default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Write the report there, beside the summary
    #[arg(long = "report-file", value_name = "FILE", hide_short_help = true)]
    pub file: Option<PathBuf>,
}

impl ReportArgs {
    /// Checks that the report can be written to its file, before the run writes anything. A
    /// symbolic link is refused, because it may come from a foreign branch and point anywhere.
    ///
    /// # Errors
    /// The path is not a regular file, or its folder does not exist.
    pub(super) fn check_writable(&self) -> Result<(), Error> {
        const OPTION: &str = "--report-file";
        match &self.file {
            Some(path) if path.is_symlink() && !is_open_already(path) => not_a_file(OPTION, path),
            Some(path) => check_writable(OPTION, path),
            None => Ok(()),
        }
    }

    /// Writes the report to its file, if there is one. `written` is the number of files that the
    /// run has already changed, for the error.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, report: &str, written: usize) -> Result<(), Error> {
        let Some(path) = &self.file else {
            return Ok(());
        };
        let result = replace_itself(path, report.as_bytes());
        result.map_err(Error::writing_after(written, path))
    }

    /// Returns true if the report replaces the summary on standard output.
    pub(super) fn is_printed(&self) -> bool {
        self.format != ReportFormat::Text && self.file.is_none()
    }
}

/// Checks that a file can be written to `path`, the value of `option`, before the run writes
/// anything. Opens no file: a pipe without a reader would block.
///
/// # Errors
/// The path is not a regular file, or its folder does not exist.
pub(super) fn check_writable(option: &str, path: &Path) -> Result<(), Error> {
    let is_folder = |folder: &Path| folder.as_os_str().is_empty() || folder.is_dir();
    match fs::metadata(path) {
        _ if is_open_already(path) => Ok(()),
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => not_a_file(option, path),
        Err(_) if path.parent().is_none_or(is_folder) => Ok(()),
        Err(error) => Err(Error::writing(path)(error)),
    }
}

/// Fails because a path is not a regular file.
fn not_a_file(option: &str, path: &Path) -> Result<(), Error> {
    let help =
        format!("nothing was written; give {option} a regular file, or one that is not there yet");
    Err(Error::option(option, path, "is not a regular file", help))
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ReportFormat {
    /// A summary, for people
    #[default]
    Text,
    /// For programs: docs/report.schema.json says what is in it
    Json,
    /// For the body of a pull request
    Markdown,
    /// A page to look at
    Html,
}
