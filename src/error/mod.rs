//! Everything that can end a run, each with the place and with what to do about it (rules:
//! Reports).

mod message;
mod place;
mod render;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use place::Lines;
pub use place::{Place, shown};

/// Why a run ended without a result. Nothing was written, but where [`Error::Write`] says so.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A side does not exist.
    Missing {
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// A side is neither a file nor a folder (a pipe, a device).
    Unsupported {
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// Something that is no file stands where a file is to be written.
    NoFile {
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// There is nothing where something is needed.
    Empty {
        /// What there is not.
        what: &'static str,
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// Some sides are folders, others are files.
    Mixed {
        /// A side that is a folder.
        folder: PathBuf,
        /// A side that is a file.
        file: PathBuf,
        /// What to do about it.
        help: &'static str,
    },
    /// A file or folder cannot be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file with a YAML name is larger than is read.
    TooLarge {
        /// Which.
        path: PathBuf,
        /// The most bytes that one may have.
        most: u64,
    },
    /// A file or folder cannot be written or deleted.
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
        /// How many files had been changed before.
        written: usize,
    },
    /// A pattern of `--yaml` is none.
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// The result cannot go where `--output` says.
    Output {
        /// Where it was to go.
        path: PathBuf,
        /// What is in the way.
        message: &'static str,
    },
    /// Nothing that a path could stand for is there.
    NothingThere {
        /// The file.
        file: PathBuf,
        /// The path; none where the file itself is not there.
        path: Option<String>,
    },
    /// A path in a document is none.
    NoPath {
        /// The path.
        path: String,
        /// What is wrong with it.
        message: &'static str,
    },
    /// A file of rules does not hold rules.
    Rules {
        /// Where.
        place: Box<Place>,
        /// What is wrong there.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A document is not what it was given for.
    Unfit {
        /// Where.
        place: Box<Place>,
        /// What is wrong with the document.
        problem: String,
        /// What is wrong at the place.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A file is broken YAML on one side, and merging it line by line would not do.
    Broken {
        /// Where.
        place: Box<Place>,
        /// What is wrong there.
        message: String,
        /// What to do about it.
        help: Option<String>,
        /// Why the line merge was refused.
        refused: &'static str,
    },
    /// A file with a YAML name that is not UTF-8 on one side.
    NotUtf8 {
        /// Where the first byte stands that is not.
        place: Box<Place>,
    },
    /// Two resources with one identity in one file.
    DuplicateResource {
        /// The identity.
        resource: String,
        /// Where the first stands.
        first: Box<Place>,
        /// Where the second stands.
        second: Box<Place>,
    },
    /// The merged text does not say what the merge decided (rules: Laws): a defect of this program.
    Unfaithful {
        /// The file.
        file: PathBuf,
        /// Where in the document.
        path: String,
        /// What differs.
        message: String,
    },
    /// A file changed between reading and writing.
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// Another run is at the local package.
    Busy {
        /// The package.
        path: PathBuf,
    },
    /// Somebody wanted the run to stop, with Ctrl-C say.
    Stopped {
        /// How many files had been changed before, and stay so.
        written: usize,
    },
    /// A run that was killed has left the package half merged.
    Unfinished {
        /// The package.
        package: PathBuf,
        /// What it kept of it.
        journal: PathBuf,
        /// Whether it was the same merge as this one.
        same: bool,
    },
    /// A file was changed after the run was killed that had changed it.
    ChangedSince {
        /// Which.
        path: PathBuf,
        /// What that run kept of the package.
        journal: PathBuf,
    },
    /// Something local stands where a file has to go.
    InTheWay {
        /// Where the file has to go.
        path: PathBuf,
        /// What stands there.
        obstacle: PathBuf,
    },
    /// Git cannot give what is needed.
    Git {
        /// What went wrong.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// What a package says of where it comes from cannot be used.
    Record {
        /// Where.
        place: Box<Place>,
        /// What is wrong there.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A package, or its folder, is not fit for what was asked.
    Package {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The threads could not be started.
    Threads(String),
    /// More than one of these.
    Several(Vec<Error>),
}

impl Error {
    /// One error of many; none where there are none.
    pub(crate) fn from_many(mut errors: Vec<Self>) -> Option<Self> {
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(errors)),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } | Self::Write { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Something to know about a run that did not end it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file or folder it is about.
    pub path: PathBuf,
    /// Where in it, if that is known.
    pub place: Option<Place>,
    /// What to know.
    pub message: String,
}

impl Warning {
    pub(crate) fn about(path: &Path, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            place: None,
            message: message.into(),
        }
    }
}
