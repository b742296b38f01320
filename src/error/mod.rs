//! Everything that can end a run, each with the place and with what to do about it (rules:
//! Reports).
//!
//! What callers tell apart, and what shows a place in a file, is a variant of its own; all else is
//! [`Error::Refused`], whose words are written where it is found. `help` has what to do about a
//! variant, `render` draws an error with its lines, `place` is such a line.

mod help;
mod place;
mod render;
mod warning;

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use place::Lines;
pub use place::{Place, shown};
pub use warning::Warning;

use crate::visible::visible;

/// Why a run ended without a result. Nothing was written, but where [`Error::Write`] says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {}", shown(path), told(error))]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file or folder cannot be written or deleted.
    #[error("cannot write {}: {}", shown(path), told(error))]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
        /// How many files had been changed before.
        written: usize,
    },
    /// A file or a document is not what it was given for.
    #[error("{title}")]
    Unfit {
        /// Which file, and what is wrong with it.
        title: String,
        /// Where, and what is wrong there.
        places: Vec<(Place, String)>,
        /// What to do about it.
        help: String,
    },
    /// The merged text does not say what the merge decided (rules: Laws): a defect of this program.
    #[error(
        "the merged text of {} is not what was decided, at '{}': {}",
        shown(file),
        told(path),
        told(message)
    )]
    Verification {
        /// The file.
        file: PathBuf,
        /// Where in the document.
        path: String,
        /// What differs.
        message: String,
    },
    /// A file changed between reading and writing.
    #[error("{} changed while the merge was running", shown(path))]
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// Another run is at the local package.
    #[error("another run of merge3 is at {}", shown(path))]
    Busy {
        /// The package.
        path: PathBuf,
    },
    /// Somebody wanted the run to stop, with Ctrl-C say.
    #[error("stopped")]
    Stopped {
        /// How many files had been changed before, and stay so.
        written: usize,
    },
    /// A run that was killed has left the package half merged.
    #[error("{} is half merged: a run of {} did not come to its end", shown(package), if *same { "this merge" } else { "another merge" })]
    Unfinished {
        /// The package.
        package: PathBuf,
        /// What it kept of it.
        journal: PathBuf,
        /// Whether it was the same merge as this one.
        same: bool,
    },
    /// It cannot be done with what was given or with what is there.
    #[error("{}", told(message))]
    Refused {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// More than one of these.
    #[error("{} errors", .0.len())]
    Several(Vec<Error>),
}

/// A text that somebody else wrote, on one line.
fn told(text: &impl ToString) -> String {
    visible(&text.to_string())
}

impl Error {
    /// For [`Error::Refused`].
    pub(crate) fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), help.into());
        Self::Refused { message, help }
    }

    /// [`Error::refused`], about a package, a file or a folder.
    pub(crate) fn package(path: &Path, message: impl Display, help: impl Into<String>) -> Self {
        Self::refused(format!("{}: {message}", shown(path)), help)
    }

    /// [`Error::refused`], about the file or folder that an option named.
    pub(crate) fn option(
        option: &str,
        path: &Path,
        problem: &str,
        help: impl Into<String>,
    ) -> Self {
        Self::refused(format!("{option}: {} {problem}", shown(path)), help)
    }

    /// A pattern of `--yaml` that is none.
    pub(crate) fn pattern(pattern: &str, message: impl Display) -> Self {
        Self::refused(
            format!("--yaml '{pattern}' is no pattern: {message}"),
            "write it like 'charts/**/*.yaml', in quotes for the shell",
        )
    }

    /// A file with a YAML name that has more than `most` bytes.
    pub(crate) fn too_large(path: &Path, most: u64) -> Self {
        let (path, most) = (shown(path), most >> 20);
        Self::refused(
            format!("{path} is larger than {most} MiB, the most that is read of a YAML file"),
            "nothing was written; exclude it in .krmignore or with --yaml, or divide it",
        )
    }

    /// The result cannot go where `--output` says.
    pub(crate) fn output(path: &Path, problem: &str) -> Self {
        let help = "give --output a folder that does not exist yet, \
            outside of the package, or for files the name of a file";
        Self::option("--output", path, problem, help)
    }

    /// For [`Error::Unfit`], of a file of which the title says `problem`.
    pub(crate) fn unfit(
        place: Place,
        problem: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let title = format!("{}: {}", shown(&place.path), visible(&problem.into()));
        Self::titled(place, title, message, help)
    }

    /// For [`Error::Unfit`].
    pub(crate) fn titled(
        place: Place,
        title: String,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::Unfit {
            title,
            places: vec![(place, message.into())],
            help: help.into(),
        }
    }

    /// What makes an [`Error::Read`] of what the system says.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self + Copy + use<'_> {
        |error| Self::Read {
            path: path.to_owned(),
            error,
        }
    }

    /// [`Error::reading`], of something in a folder that is walked.
    pub(crate) fn walking(folder: &Path) -> impl Fn(walkdir::Error) -> Self + Copy + use<'_> {
        |error| {
            let path = error.path().unwrap_or(folder).to_owned();
            Self::reading(&path)(error.into())
        }
    }

    /// What makes an [`Error::Write`] of what the system says, before any file was changed.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + Copy + use<'_> {
        |error| Self::Write {
            path: path.to_owned(),
            error,
            written: 0,
        }
    }

    /// All results, or all errors.
    pub(crate) fn all<T>(
        results: impl IntoIterator<Item = Result<T, Self>>,
    ) -> Result<Vec<T>, Self> {
        let (mut all, mut errors) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(item) => all.push(item),
                Err(error) => errors.push(error),
            }
        }
        Self::if_any(errors).map(|()| all)
    }

    /// Fails with all of these errors, if there are any.
    pub(crate) fn if_any(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 | 1 => errors.pop().map_or(Ok(()), Err),
            _ => Err(Self::Several(errors)),
        }
    }
}
