//! The steps of a plan: what happens to each path. Also checks that a file is as it was read.

use std::fs::Permissions;
use std::io;
use std::path::Path;

use super::journal::{Fingerprint, JournalEntry, OldFile, is_inside};
use super::undo::missing_folders;
use crate::error::Error;
use crate::package::bytes::Bytes;
use crate::package::disk::{ContentError, content};
use crate::package::owner::mode;
use crate::package::plan::{ChangeKind, FileChange, Plan};

/// What happens to one path.
#[derive(Clone, Copy)]
pub(super) struct Step<'p> {
    pub(super) path: &'p Path,
    pub(super) old: Option<&'p Bytes>,
    pub(super) new: Option<&'p Bytes>,
    pub(super) change: &'p FileChange,
}

/// Returns the steps of a plan: two for a file that moves, one for any other.
pub(super) fn steps(plan: &Plan) -> Vec<Step<'_>> {
    let steps = plan.files.iter().flat_map(|change| {
        let (path, old, new) = (&*change.path, change.old.as_ref(), change.new.as_ref());
        let step = |path, old, new| Step {
            path,
            old,
            new,
            change,
        };
        match &change.kind {
            ChangeKind::Moved { from } => vec![step(from, old, None), step(path, None, new)],
            _ => vec![step(path, old, new)],
        }
    });
    steps.collect()
}

impl Step<'_> {
    /// Returns the path of the file whose owner the new file gets.
    pub(super) fn owner(&self) -> &Path {
        match &self.change.kind {
            ChangeKind::Moved { from } => from,
            _ => self.path,
        }
    }

    /// Checks that the file has the content that it had when it was read.
    pub(super) fn check_unchanged(&self, root: &Path) -> Result<(), Error> {
        let path = root.join(self.path);
        // a folder at a new file's path will be empty before the file is moved there
        match content(root, self.path) {
            Ok(now) if now.as_deref() == self.old.map(|old| &**old) => Ok(()),
            Err(ContentError::Unreadable(error)) => Err(Error::reading(&path)(error)),
            _ => Err(Error::Changed { path }),
        }
    }

    /// Returns the journal entry of the step.
    pub(super) fn journal_entry(&self, root: &Path) -> Result<JournalEntry, Error> {
        let path = root.join(self.path);
        if !is_inside(self.path) {
            let message = "a package must not contain such a file";
            return Err(Error::writing(&path)(io::Error::other(message)));
        }
        let old_permissions = self.change.old_permissions.as_ref();
        let old_permissions: &Permissions = old_permissions.unwrap_or(&self.change.permissions);
        let folders = match self.old {
            None => missing_folders(path.parent().unwrap_or(root)).len(),
            Some(_) => 0,
        };
        Ok(JournalEntry {
            path: self.path.to_owned(),
            folders,
            old: self.old.map(|bytes| OldFile {
                content: Fingerprint::of(bytes),
                mode: mode(old_permissions),
            }),
            new: self.new.map(|bytes| Fingerprint::of(bytes)),
        })
    }
}
