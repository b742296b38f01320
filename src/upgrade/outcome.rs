//! The outcome of one package of a run.

use std::path::PathBuf;

use crate::error::Error;

/// What became of one package, or was found out about it.
#[derive(Debug)]
pub(crate) struct PackageOutcome<T> {
    pub(crate) package: PathBuf,
    /// What there is of another version: the upgrade that was done or would be, or what is known of
    /// that version. `None` of a package that is at the version that was asked for. One that failed
    /// stays what it is, but where the error says otherwise.
    pub(crate) newer: Result<Option<T>, Error>,
}
