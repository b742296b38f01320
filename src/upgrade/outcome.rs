//! The outcome of one package in a run of `upgrade` or `outdated`.

use std::path::PathBuf;

use crate::error::Error;

/// A package and what was found out about it or done with it.
#[derive(Debug)]
pub(crate) struct PackageOutcome<T> {
    pub(crate) package: PathBuf,
    /// The upgrade that was made or planned, or the newer version that was found. `None` if the
    /// package is at the requested version. A package with an error was not changed, unless the
    /// error says otherwise.
    pub(crate) newer: Result<Option<T>, Error>,
}
