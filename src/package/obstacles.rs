//! Checks the paths of the files that a plan adds: no existing file, folder or link may be at or
//! above one. Paths that differ only in case get a warning: some file systems take them for one.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::input::Kind;
use super::plan::{ChangeKind, FileChange, Plan};
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
        self.warnings.extend(case_warnings(&self.files, local));
        Ok(())
    }
}

/// Returns true if a change needs a path that had no file.
fn is_new(change: &FileChange) -> bool {
    matches!(change.kind, ChangeKind::Added | ChangeKind::Moved { .. })
}

/// Returns the path that a change makes free: that of a deleted file, or the former one of a moved
/// file.
fn going(change: &FileChange) -> Option<&Path> {
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

/// Returns a warning for each new path that differs only in case from another path of the merged
/// package. `local` are the paths of the local package; two of them that differ only in case are no
/// reason for a warning.
fn case_warnings(changes: &[FileChange], local: &FxHashMap<PathBuf, Kind>) -> Vec<Warning> {
    let mut added = changes.iter().filter(|it| is_new(it)).peekable();
    if added.peek().is_none() {
        return Vec::new();
    }
    let freed: FxHashSet<&Path> = changes.iter().filter_map(going).collect();
    let mut known = KnownPaths::default();
    for (path, kind) in local {
        if *kind != Kind::Folder && !freed.contains(path.as_path()) {
            add(&mut known, path);
        }
    }
    let mut warnings = Vec::new();
    for change in added {
        if let Some((name, twin)) = twin(&known, &change.path) {
            let message = format!(
                "differs only in case from {}: on macOS and \
                 Windows only one of the two can be there",
                twin.display()
            );
            warnings.push(Warning::about(name, message));
        }
        add(&mut known, &change.path);
    }
    warnings
}

/// The paths of files and folders, by their lower-case form.
type KnownPaths<'p> = FxHashMap<String, Vec<&'p Path>>;

/// Adds a path and the folders above it.
fn add<'p>(known: &mut KnownPaths<'p>, path: &'p Path) {
    for name in path.ancestors().filter(|it| !it.as_os_str().is_empty()) {
        let names = known.entry(folded(name)).or_default();
        if names.contains(&name) {
            break;
        }
        names.push(name);
    }
}

/// Returns the topmost folder above `path`, or `path` itself, that is new and differs only in case
/// from a known path; and that path.
fn twin<'n, 'p>(known: &KnownPaths<'p>, path: &'n Path) -> Option<(&'n Path, &'p Path)> {
    let twin_of = |name: &'n Path| {
        let twins = known.get(&folded(name)).filter(|it| !it.contains(&name))?;
        Some((name, *twins.iter().min()?))
    };
    // the topmost one comes last
    path.ancestors().filter_map(twin_of).last()
}

fn folded(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}
