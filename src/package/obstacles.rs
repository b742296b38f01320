//! Checks that no existing file, folder or link is at or above the path of a file that a plan adds.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;

use super::case_only;
use super::plan::{ChangeKind, FileChange, Plan};
use super::walk::Kind;
use crate::error::{Error, Warning, shown};

impl Plan {
    /// Checks the paths of the files that the plan adds or moves against `local`, the kinds of all
    /// paths in the local package.
    ///
    /// Drops a file that would be written through a symbolic link, with a warning.
    ///
    /// # Errors
    /// If a remaining file is where a folder is needed, or a remaining folder where a file is
    /// needed.
    pub(super) fn clear_obstacles(
        &mut self,
        local: &FxHashMap<PathBuf, Kind>,
    ) -> Result<(), Error> {
        let vacated = self.files.iter().filter_map(going).map(Path::to_owned);
        let vacated: FxHashSet<PathBuf> = vacated.collect();
        let mut errors = Vec::new();
        self.files.retain(|change| {
            let obstacle = || obstacle(&change.path, local, &vacated);
            let Some(obstacle) = is_new(change).then(obstacle).flatten() else {
                return true;
            };
            if let Some(Kind::Link(_)) = local.get(&obstacle) {
                let link = obstacle.display();
                let message = format!("upstream's file is not written: {link} is a symbolic link");
                self.warnings.push(Warning::about(&change.path, message));
            } else {
                let path = shown(&self.root.join(&change.path));
                let obstacle = shown(&self.root.join(obstacle));
                errors.push(Error::refused(
                    format!("upstream has a file {path}, but {obstacle} is in its way"),
                    "move it away and run again",
                ));
            }
            false
        });
        Error::if_any(errors)?;
        let warnings = case_only::warnings(&self.files, local);
        self.warnings.extend(warnings);
        Ok(())
    }
}

/// Returns true if a change needs a path that had no file.
pub(super) fn is_new(change: &FileChange) -> bool {
    matches!(change.kind, ChangeKind::Added | ChangeKind::Moved { .. })
}

/// Returns the path that a change makes free: that of a deleted file, or the former one of a moved
/// file.
pub(crate) fn going(change: &FileChange) -> Option<&Path> {
    match &change.kind {
        ChangeKind::Deleted => Some(&change.path),
        ChangeKind::Moved { from } => Some(from),
        ChangeKind::Added | ChangeKind::Changed => None,
    }
}

/// Returns the path of an entry that stays and prevents a new file at `path`, if there is one.
fn obstacle(
    path: &Path,
    local: &FxHashMap<PathBuf, Kind>,
    vacated: &FxHashSet<PathBuf>,
) -> Option<PathBuf> {
    let stays = |other: &Path| {
        let kind = local.get(other).filter(|kind| **kind != Kind::Folder);
        kind.is_some() && !vacated.contains(other)
    };
    let above = path.ancestors().skip(1).find(|above| stays(above));
    above.map(Path::to_owned).or_else(|| {
        local.get(path).filter(|kind| **kind == Kind::Folder)?;
        let below = local.keys().filter(|other| other.starts_with(path));
        below.filter(|other| stays(other)).min().cloned()
    })
}
