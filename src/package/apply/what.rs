//! The settings of an application.

use std::path::PathBuf;

/// What is applied to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyTo {
    /// The configurations: a file or a folder.
    pub config: PathBuf,
    /// The live objects: a file or a folder.
    pub live: PathBuf,
    /// What was applied last, where that is not read from the live objects: a file or a folder.
    pub last_applied: Option<PathBuf>,
    /// The namespace of the objects that configurations are for which name none.
    pub namespace: Option<String>,
    /// Whether objects go that were applied and that no configuration is for any more.
    pub prune: bool,
    /// What is done.
    pub action: ApplyAction,
}

/// What is done with configurations and live objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyAction {
    /// The first are applied.
    Apply,
    /// It is only written down that they were applied.
    SetLastApplied {
        /// Also where nothing was written down before.
        create: bool,
    },
}
