//! Warnings about paths that differ only in case: some file systems take them for one path.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::obstacles::{going, is_new};
use super::plan::FileChange;
use super::walk::Kind;
use crate::error::Warning;

/// Returns a warning for each new path that differs only in case from another path of the merged
/// package. `local` are the paths of the local package; two of them that differ only in case are no
/// reason for a warning.
pub(crate) fn warnings(changes: &[FileChange], local: &FxHashMap<PathBuf, Kind>) -> Vec<Warning> {
    let mut added = changes.iter().filter(|it| is_new(it)).peekable();
    if added.peek().is_none() {
        return Vec::new();
    }
    let freed: FxHashSet<&Path> = changes.iter().filter_map(going).collect();
    let mut known = KnownPaths::default();
    for (path, kind) in local {
        if *kind != Kind::Folder && !freed.contains(path.as_path()) {
            known.add(path);
        }
    }
    let mut warnings = Vec::new();
    for change in added {
        if let Some((name, twin)) = known.twin(&change.path) {
            let message = format!(
                "differs only in case from {}: on macOS and \
                 Windows only one of the two can be there",
                twin.display()
            );
            warnings.push(Warning::about(name, message));
        }
        known.add(&change.path);
    }
    warnings
}

/// The paths of files and folders, by their lower-case form.
#[derive(Default)]
struct KnownPaths<'p>(FxHashMap<String, Vec<&'p Path>>);

impl<'p> KnownPaths<'p> {
    /// Adds a path and the folders above it.
    fn add(&mut self, path: &'p Path) {
        for name in path.ancestors().filter(|it| !it.as_os_str().is_empty()) {
            let names = self.0.entry(folded(name)).or_default();
            if names.contains(&name) {
                break;
            }
            names.push(name);
        }
    }

    /// Returns the topmost folder above `path`, or `path` itself, that is new and differs only in
    /// case from a known path; and that path.
    fn twin<'n>(&self, path: &'n Path) -> Option<(&'n Path, &'p Path)> {
        let mut names: Vec<&Path> = path.ancestors().collect();
        names.reverse();
        names.into_iter().find_map(|name| {
            let twins = self.0.get(&folded(name))?;
            let is_new = !twins.contains(&name);
            Some((name, *twins.iter().min()?)).filter(|_| is_new)
        })
    }
}

fn folded(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}
