//! The arguments for reports (rules: Reports), and writing a report to a file.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::error::Error;
use crate::package::{is_open_already, replace_itself};

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
