//! What turns one package into another, file by file; `comparison` has it as patches.

mod comparison;

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use super::Settings;
use super::file_triple::Source;
use super::plan::{FileChange, Plan};
use super::selector::Selector;
use super::single_package::load_package;
use crate::error::Error;

pub use comparison::difference;

/// Two packages to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffInput {
    /// The file or folder that is to become the other.
    pub old: PathBuf,
    /// The other.
    pub new: PathBuf,
    /// The only resources to compare; all where none are given.
    pub resources: Vec<Selector>,
}

/// The changes that make the new files of the old ones, as a merge would make them.
///
/// # Errors
/// Where a package cannot be read.
pub fn plan_difference(input: &DiffInput, settings: &Settings) -> Result<Plan, Error> {
    let old = load_package(&input.old, "OLD", &settings.matches)?;
    let new = load_package(&input.new, "NEW", &settings.matches)?;
    let mut plan = Plan::new(old.root.clone(), 0);
    plan.show_secrets = settings.show_secrets;
    let mut news = new.files;
    if let ([(name, _)], [(other, _)]) = (old.files.as_slice(), news.as_mut_slice())
        && !input.old.is_dir()
        && !input.new.is_dir()
    {
        // two files are one file, whatever they are called
        other.clone_from(name);
    }
    let mut news: FxHashMap<PathBuf, Source> = news.into_iter().collect();
    for (path, source) in old.files {
        let new = news.remove(&path);
        plan.files
            .extend(FileChange::between(path, Some(source), new));
    }
    let added = news.into_iter();
    plan.files
        .extend(added.filter_map(|(path, new)| FileChange::between(path, None, Some(new))));
    plan.files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(plan)
}
