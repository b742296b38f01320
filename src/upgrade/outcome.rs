//! The outcome of one package of a run.

use std::path::PathBuf;

use crate::error::Error;

/// What became of one package, or was found out about it.
#[derive(Debug)]
pub(crate) enum PackageOutcome<T> {
    /// There is another version to go to: the upgrade that was done or would be, or what is known
    /// of that version.
    Newer(Box<T>),
    /// It is at the version that was asked for.
    UpToDate(PathBuf),
    /// It stays what it is, but where the error says otherwise.
    Failed(PathBuf, Error),
}

impl<T> PackageOutcome<T> {
    pub(super) fn of(package: PathBuf, found: Result<Option<T>, Error>) -> Self {
        match found {
            Ok(Some(newer)) => Self::Newer(Box::new(newer)),
            Ok(None) => Self::UpToDate(package),
            Err(error) => Self::Failed(package, error),
        }
    }

    /// What there is of another version.
    pub(crate) fn newer(&self) -> Option<&T> {
        match self {
            Self::Newer(newer) => Some(newer),
            _ => None,
        }
    }
}
