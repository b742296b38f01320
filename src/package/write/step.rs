//! The steps of a plan: what becomes of one path. Checks that a file is still as it was read.

use std::fs::{self, Permissions};
use std::io;
use std::path::Path;

use super::journal::{JournalEntry, Old, Print, is_inside};
use super::undo::missing_folders;
use crate::error::Error;
use crate::package::bytes::Bytes;
use crate::package::disk::{Seen, Unlike, content};
use crate::package::owner::mode;
use crate::package::plan::{ChangeKind, FileChange, Plan};

/// What becomes of one place.
#[derive(Clone, Copy)]
pub(super) struct Step<'p> {
    pub(super) path: &'p Path,
    /// The file whose owner a new one stays.
    pub(super) owner: &'p Path,
    pub(super) old: Option<&'p Bytes>,
    pub(super) new: Option<&'p Bytes>,
    pub(super) change: &'p FileChange,
}

/// What becomes of each place that a plan changes: of a file that moves, of two.
pub(super) fn steps(plan: &Plan) -> Vec<Step<'_>> {
    let step = |path, owner, old, new, change| Step {
        path,
        owner,
        old,
        new,
        change,
    };
    let steps = plan.files.iter().flat_map(|change| {
        let (path, old, new) = (&*change.path, change.old.as_ref(), change.new.as_ref());
        match &change.kind {
            ChangeKind::Moved { from } => [
                Some(step(from, from, old, None, change)),
                Some(step(path, from, None, new, change)),
            ],
            _ => [Some(step(path, path, old, new, change)), None],
        }
    });
    steps.flatten().collect()
}

impl Step<'_> {
    /// The system says of the file what it said when it was read, or else the file is what it was.
    pub(super) fn seems_unchanged(&self, root: &Path) -> Result<(), Error> {
        let now = fs::symlink_metadata(root.join(self.path)).ok();
        match (self.old, self.change.seen, now) {
            (Some(_), Some(seen), Some(now)) if seen == Seen::of(&now) => Ok(()),
            _ => self.unchanged(root),
        }
    }

    /// The file is what it was when it was read.
    pub(super) fn unchanged(&self, root: &Path) -> Result<(), Error> {
        let path = root.join(self.path);
        // a folder here is one that will be empty by the time the file comes
        match content(root, self.path) {
            Ok(now) if now.as_deref() == self.old.map(|old| &**old) => Ok(()),
            Err(Unlike::Unreadable(error)) => Err(Error::reading(&path)(error)),
            _ => Err(Error::Changed { path }),
        }
    }

    /// What the journal says of it.
    pub(super) fn entry(&self, root: &Path) -> Result<JournalEntry, Error> {
        let path = root.join(self.path);
        if !is_inside(self.path) {
            let message = "a package has no such file";
            return Err(Error::writing(&path)(io::Error::other(message)));
        }
        let had = self.change.old_permissions.as_ref();
        let had: &Permissions = had.unwrap_or(&self.change.permissions);
        let folders = match self.old {
            None => missing_folders(path.parent().unwrap_or(root)).len(),
            Some(_) => 0,
        };
        Ok(JournalEntry {
            path: self.path.to_owned(),
            folders,
            old: self.old.map(|bytes| Old {
                content: Print::of(bytes),
                mode: mode(had),
            }),
            new: self.new.map(|bytes| Print::of(bytes)),
        })
    }
}
