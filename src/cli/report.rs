//! The arguments about reports (rules: Reports), and the file that a report goes to.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::error::Error;
use crate::package::{is_open_already, replace_itself};

/// What report is made of a run.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ReportTo {
    /// The report: text (default), json, markdown, html
    #[arg(long = "report", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    pub form: Form,
    /// Write the report there, beside the summary
    #[arg(long = "report-file", value_name = "FILE", hide_short_help = true)]
    pub file: Option<PathBuf>,
}

impl ReportTo {
    /// Sees that the report can go to its file, before anything is written: not through a link,
    /// which may have come with a branch.
    ///
    /// # Errors
    /// Where something other than a file is there, or its folder is not.
    pub(super) fn ready(&self) -> Result<(), Error> {
        const OPTION: &str = "--report-file";
        match &self.file {
            Some(path) if path.is_symlink() && !is_open_already(path) => Err(no_file(OPTION, path)),
            Some(path) => ready(OPTION, path),
            None => Ok(()),
        }
    }

    /// Writes the report to its file, if it has one. So many files were `written` before.
    ///
    /// # Errors
    /// Where the disk says no.
    pub(super) fn put(&self, report: impl FnOnce() -> String, written: usize) -> Result<(), Error> {
        let Some(path) = &self.file else {
            return Ok(());
        };
        let put = match is_open_already(path) {
            true => fs::write(path, report()),
            false => replace_itself(path, report().as_bytes()),
        };
        put.map_err(|error| Error::Write {
            path: path.clone(),
            error,
            written,
        })
    }

    /// Whether standard output has the report alone, in a form that somebody asked for.
    pub(super) fn is_printed(&self) -> bool {
        self.form != Form::Text && self.file.is_none()
    }
}

/// Sees that a file can go to `path`, before anything is written: a pipe has perhaps nobody at its
/// other end, and is not opened.
///
/// # Errors
/// Where something other than a file is there, or its folder is not.
pub(super) fn ready(option: &str, path: &Path) -> Result<(), Error> {
    if is_open_already(path) {
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(no_file(option, path)),
        Err(_)
            if path
                .parent()
                .is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir()) =>
        {
            Ok(())
        }
        Err(error) => Err(Error::writing(path)(error)),
    }
}

fn no_file(option: &str, path: &Path) -> Error {
    let help =
        format!("nothing was written; give {option} a regular file, or one that is not there yet");
    Error::option(option, path, "is no regular file", help)
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Form {
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
