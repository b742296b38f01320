//! What turns one package into another, file by file; `comparison` has it as patches.

mod comparison;

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use super::SchemaSource;
use super::alone::load_package;
use super::plan::{ChangeKind, FileChange, Plan};
use super::selector::Selector;
use crate::error::Error;

pub use comparison::difference;

/// Two packages to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// The file or folder that is to become the other.
    pub old: PathBuf,
    /// The other.
    pub new: PathBuf,
    /// The only resources to compare; all where none are given.
    pub resources: Vec<Selector>,
    /// Where custom resource definitions are, beside those in the packages.
    pub schema: SchemaSource,
    /// Which files are YAML; the usual names where nothing is said.
    pub matches: Vec<String>,
}

/// The changes that make the new files of the old ones, as a merge would make them.
///
/// # Errors
/// Where a package cannot be read.
pub fn plan_difference(differing: &Differing) -> Result<Plan, Error> {
    let old = load_package(&differing.old, "OLD", &differing.matches)?;
    let new = load_package(&differing.new, "NEW", &differing.matches)?;
    let mut plan = Plan::new(old.root.clone(), 0);
    let mut news = new.files;
    if let ([(name, _)], [(other, _)]) = (old.files.as_slice(), news.as_mut_slice())
        && !differing.old.is_dir()
        && !differing.new.is_dir()
    {
        // two files are one file, whatever they are called
        other.clone_from(name);
    }
    let mut contents: FxHashMap<PathBuf, super::slot::Source> = news.into_iter().collect();
    for (path, source) in old.files {
        let other = contents.remove(&path);
        if other
            .as_ref()
            .is_some_and(|other| other.bytes == source.bytes)
        {
            continue;
        }
        let Some(permissions) = source.permissions else {
            continue;
        };
        let kind = match other {
            Some(_) => ChangeKind::Changed,
            None => ChangeKind::Deleted,
        };
        plan.files.push(FileChange {
            path,
            kind,
            old: Some(source.bytes),
            new: other.map(|other| other.bytes),
            permissions,
            old_permissions: None,
            seen: None,
        });
    }
    for (path, source) in contents {
        let Some(permissions) = source.permissions else {
            continue;
        };
        plan.files.push(FileChange {
            path,
            kind: ChangeKind::Added,
            old: None,
            new: Some(source.bytes),
            permissions,
            old_permissions: None,
            seen: None,
        });
    }
    plan.files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(plan)
}
