//! Checks that nothing is in the way of files that come: files, folders, links.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;

use super::case_only;
use super::plan::{ChangeKind, FileChange, Plan};
use super::walk::Kind;
use crate::error::{Error, Warning, shown};

impl Plan {
    /// Checks the places of the files that come, in a package that has these.
    ///
    /// A file that would be written through a symbolic link is left out, with a warning.
    ///
    /// # Errors
    /// Where a file that stays is where a folder has to be, or a folder where a file has to be.
    pub(super) fn clear_obstacles(
        &mut self,
        local: &FxHashMap<PathBuf, Kind>,
    ) -> Result<(), Error> {
        let going = self.files.iter().filter_map(going).map(Path::to_owned);
        let going: FxHashSet<PathBuf> = going.collect();
        let mut errors = Vec::new();
        let changes = std::mem::take(&mut self.files);
        for change in changes {
            if !matches!(change.kind, ChangeKind::Added | ChangeKind::Moved { .. }) {
                self.files.push(change);
                continue;
            }
            match obstacle(&change.path, local, &going) {
                None => self.files.push(change),
                Some(link) if matches!(local.get(&link), Some(Kind::Link(_))) => {
                    let message = format!(
                        "upstream's file is not written: {} is a symbolic link",
                        link.display()
                    );
                    self.warnings.push(Warning::about(&change.path, message));
                }
                Some(obstacle) => errors.push(Error::refused(
                    format!(
                        "upstream has a file {}, but {} is in its way",
                        shown(&self.root.join(&change.path)),
                        shown(&self.root.join(obstacle))
                    ),
                    "move it away and run again",
                )),
            }
        }
        Error::if_any(errors)?;
        let warnings = case_only::warnings(&self.files, local);
        self.warnings.extend(warnings);
        Ok(())
    }
}

/// The path that a file leaves free.
pub(crate) fn going(change: &FileChange) -> Option<&Path> {
    match &change.kind {
        ChangeKind::Deleted => Some(&change.path),
        ChangeKind::Moved { from } => Some(from),
        ChangeKind::Added | ChangeKind::Changed => None,
    }
}

/// What is in the way of a new file at `path`, if anything that stays.
fn obstacle(
    path: &Path,
    local: &FxHashMap<PathBuf, Kind>,
    going: &FxHashSet<PathBuf>,
) -> Option<PathBuf> {
    let stays = |other: &Path| {
        let kind = local.get(other).filter(|kind| **kind != Kind::Folder);
        kind.is_some() && !going.contains(other)
    };
    let above = path.ancestors().skip(1).find(|above| stays(above));
    above.map(Path::to_owned).or_else(|| {
        local.get(path).filter(|kind| **kind == Kind::Folder)?;
        let below = local.keys().filter(|other| other.starts_with(path));
        below.filter(|other| stays(other)).min().cloned()
    })
}
