//! Warnings about names that differ only in case. Some systems take them for one name.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::obstacles::going;
use super::plan::{ChangeKind, FileChange};
use super::walk::Kind;
use crate::error::Warning;

/// A warning for each name that comes beside one which differs from it only in case. Two that the
/// local package has already are its own affair.
pub(crate) fn warnings(changes: &[FileChange], local: &FxHashMap<PathBuf, Kind>) -> Vec<Warning> {
    let comes =
        |change: &&FileChange| matches!(change.kind, ChangeKind::Added | ChangeKind::Moved { .. });
    let mut coming = changes.iter().filter(comes).peekable();
    if coming.peek().is_none() {
        return Vec::new();
    }
    let going: FxHashSet<&Path> = changes.iter().filter_map(going).collect();
    let mut names = Names::default();
    for (path, kind) in local {
        if *kind != Kind::Folder && !going.contains(path.as_path()) {
            names.add(path);
        }
    }
    let mut warnings = Vec::new();
    for change in coming {
        if let Some((name, twin)) = names.twin(&change.path) {
            let message = format!(
                "differs only in case from {}: on macOS and \
                 Windows only one of the two can be there",
                twin.display()
            );
            warnings.push(Warning::about(name, message));
        }
        names.add(&change.path);
    }
    warnings
}

/// The names of files and folders, each under what is left of it where case does not count.
#[derive(Default)]
struct Names<'p>(FxHashMap<String, Vec<&'p Path>>);

impl<'p> Names<'p> {
    fn add(&mut self, path: &'p Path) {
        for name in path.ancestors().filter(|it| !it.as_os_str().is_empty()) {
            let names = self.0.entry(folded(name)).or_default();
            if names.contains(&name) {
                break;
            }
            names.push(name);
        }
    }

    /// The first name on the way to a path that is new and has a twin, and that.
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
