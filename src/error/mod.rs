//! The errors that end a run, each with its place in a file and with help, and the warnings that a
//! completed run reports (rules: Reports).
//!
//! An error that callers handle specially or that shows a place in a file has its own variant. All
//! others are [`Error::Refused`], with a message that is written where the error occurs. `render`
//! formats an error with its source lines, `place` is a place in a file.

mod place;
mod render;

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub(crate) use place::Lines;
pub use place::{Place, shown};

use crate::visible::visible;

/// Why a run ended without a result. The run wrote nothing, unless a variant's `written` is not 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {}", shown(path), on_one_line(error))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// A file or folder cannot be written or deleted.
    #[error("cannot write {}: {}", shown(path), on_one_line(error))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
        /// The number of files that the run had already changed.
        written: usize,
    },
    /// A file or a document cannot be used for its purpose, for example because it is not YAML.
    #[error("{title}")]
    Unfit {
        /// The file, and what is wrong with it.
        title: String,
        /// The places in the file, each with what is wrong there.
        places: Vec<(Place, String)>,
        /// What the user can do about it.
        help: String,
    },
    /// The merged text does not have the values that the merge decided (rules: Laws): a defect of
    /// this program.
    #[error(
        "the merged text of {} is not what was decided, at '{}': {}",
        shown(file),
        on_one_line(path),
        on_one_line(message)
    )]
    Verification {
        /// The file.
        file: PathBuf,
        /// The path in the document.
        path: String,
        /// What differs.
        message: String,
    },
    /// A file changed between reading and writing.
    #[error("{} changed while the merge was running", shown(path))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Another run has locked the local package.
    #[error("another run of merge3 is using {}", shown(path))]
    Busy {
        /// The package.
        path: PathBuf,
    },
    /// A signal stopped the run, for example because the user pressed Ctrl-C.
    #[error("stopped")]
    Stopped {
        /// The number of files that the run had already changed. They stay changed.
        written: usize,
    },
    /// A run that was killed left the package partly merged.
    #[error("{} is half merged: a run of {} did not finish", shown(package), if *same { "this merge" } else { "another merge" })]
    Unfinished {
        /// The package.
        package: PathBuf,
        /// The journal that the killed run left.
        journal: PathBuf,
        /// Whether the killed run was the same merge as this one.
        same: bool,
    },
    /// The arguments or the files do not allow what was asked for.
    #[error("{}", on_one_line(message))]
    Refused {
        /// What is wrong.
        message: String,
        /// What the user can do about it.
        help: String,
    },
    /// Two or more errors.
    #[error("{} errors", .0.len())]
    Several(Vec<Error>),
}

/// Returns a foreign text on one line, with control and invisible characters escaped.
fn on_one_line(text: &impl ToString) -> String {
    visible(&text.to_string())
}

impl Error {
    /// Makes an [`Error::Refused`].
    pub(crate) fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), help.into());
        Self::Refused { message, help }
    }

    /// Makes an [`Error::Refused`] about a package, a file or a folder.
    pub(crate) fn package(path: &Path, message: impl Display, help: impl Into<String>) -> Self {
        Self::refused(format!("{}: {message}", shown(path)), help)
    }

    /// Makes an [`Error::Refused`] about the file or folder that an option names.
    pub(crate) fn option(
        option: &str,
        path: &Path,
        problem: &str,
        help: impl Into<String>,
    ) -> Self {
        Self::refused(format!("{option}: {} {problem}", shown(path)), help)
    }

    /// Makes the error for an invalid pattern of `--yaml`.
    pub(crate) fn pattern(pattern: &str, message: impl Display) -> Self {
        Self::refused(
            format!("--yaml '{pattern}' is not a valid pattern: {message}"),
            "write it like 'charts/**/*.yaml', in quotes for the shell",
        )
    }

    /// Makes the error for a file with a YAML name that has more than `max_bytes` bytes.
    pub(crate) fn too_large(path: &Path, max_bytes: u64) -> Self {
        let (path, max_mib) = (shown(path), max_bytes >> 20);
        Self::refused(
            format!("{path} is larger than {max_mib} MiB, the most that is read of a YAML file"),
            "nothing was written; exclude it in .krmignore or with --yaml, or divide it",
        )
    }

    /// Makes the error for a path of `--output` that the result cannot be written to.
    pub(crate) fn output(path: &Path, problem: &str) -> Self {
        let help = "give --output a folder that does not exist yet, \
            outside of the package, or for files the name of a file";
        Self::option("--output", path, problem, help)
    }

    /// Makes an [`Error::Unfit`] with the title `FILE: PROBLEM`.
    pub(crate) fn unfit(
        place: Place,
        problem: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let title = format!("{}: {}", shown(&place.path), visible(&problem.into()));
        Self::titled(place, title, message, help)
    }

    /// Makes an [`Error::Unfit`] with the given title.
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

    /// Returns a function that makes an [`Error::Read`] from the system's error.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self + Copy + use<'_> {
        |error| Self::Read {
            path: path.to_owned(),
            error,
        }
    }

    /// Returns a function like that of [`Error::reading`] for errors of walking a folder.
    pub(crate) fn walking(folder: &Path) -> impl Fn(walkdir::Error) -> Self + Copy + use<'_> {
        |error| {
            let path = error.path().unwrap_or(folder).to_owned();
            Self::reading(&path)(error.into())
        }
    }

    /// Returns a function that makes an [`Error::Write`] from the system's error, for a run that
    /// has not changed any file yet.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + Copy + use<'_> {
        Self::writing_after(0, path)
    }

    /// Like [`Error::writing`], for a run that has changed `written` files already.
    pub(crate) fn writing_after(
        written: usize,
        path: &Path,
    ) -> impl Fn(io::Error) -> Self + Copy + use<'_> {
        move |error| Self::Write {
            path: path.to_owned(),
            error,
            written,
        }
    }

    /// Returns the values of all results, or fails with all of their errors.
    pub(crate) fn all<T>(
        results: impl IntoIterator<Item = Result<T, Self>>,
    ) -> Result<Vec<T>, Self> {
        let mut errors = Vec::new();
        let results = results.into_iter();
        let values = results.filter_map(|it| it.map_err(|error| errors.push(error)).ok());
        let values = values.collect();
        Self::if_any(errors).map(|()| values)
    }

    /// Fails with all of the given errors, if there are any.
    pub(crate) fn if_any(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 | 1 => errors.pop().map_or(Ok(()), Err),
            _ => Err(Self::Several(errors)),
        }
    }
}

/// A problem that did not end the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file or folder that the warning is about.
    pub path: PathBuf,
    /// The place in the file, if it is known.
    pub place: Option<Place>,
    /// The text of the warning.
    pub message: String,
}

impl Warning {
    /// Makes a warning about a file or folder.
    pub(crate) fn about(path: &Path, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            place: None,
            message: message.into(),
        }
    }

    /// Makes a warning about a place in a file.
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        Self {
            path: place.path.clone(),
            place: Some(place),
            message: message.into(),
        }
    }
}

/// The help for a run that changed some files and not all of them.
const PARTLY_WRITTEN: &str = "every file is whole, old or new; running again finishes the merge";

impl Error {
    /// Returns what the user can do about the error.
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Refused { help, .. } | Self::Unfit { help, .. } => help,
            Self::Unfinished {
                journal,
                same: false,
                ..
            } => {
                return Some(format!(
                    "nothing was written; run that merge again to \
                     finish it, or keep the package as it is now: rm {}",
                    shown(journal)
                ));
            }
            Self::Read { error, .. } if error.kind() == ErrorKind::PermissionDenied => {
                "make it readable (chmod u+r, for a folder also u+x), or exclude it in .krmignore"
            }
            Self::Read { .. } => "nothing was written; run again when it can be read",
            Self::Write { written: 0, .. } => {
                "nothing was written; make the folder writable and see that the disk has room"
            }
            Self::Stopped { written: 0 } => "nothing was written",
            Self::Write { .. } | Self::Stopped { .. } => PARTLY_WRITTEN,
            Self::Verification { .. } => {
                "nothing was written; this is a defect of \
                 merge3, please report it with the three files"
            }
            Self::Changed { .. } => {
                "nothing was lost; run again to merge the files as they are now"
            }
            Self::Busy { .. } => "nothing was written; run again when the other one is done",
            Self::Unfinished { .. } => {
                "nothing was written; run the merge itself, \
                 and it starts anew from what was there before"
            }
            Self::Several(_) => return None,
        };
        Some(help.to_owned())
    }

    /// Returns a copy of the error, as [`Error::Refused`], for each further item that depends on
    /// what failed.
    pub(crate) fn again(&self) -> Self {
        Self::refused(self.to_string(), self.help().unwrap_or_default())
    }
}
