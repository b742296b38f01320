//! Warnings: what a run that came to its end has to tell.

use std::path::{Path, PathBuf};

use super::Place;

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

    /// One about a place in a file.
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        Self {
            path: place.path.clone(),
            place: Some(place),
            message: message.into(),
        }
    }
}
