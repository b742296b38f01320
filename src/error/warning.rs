//! Warnings: what a completed run reports beside its result.

use std::path::{Path, PathBuf};

use super::Place;

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
