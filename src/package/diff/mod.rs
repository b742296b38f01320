//! `merge3 diff`: compares two packages, file by file ([`plan_difference`]) or as patches for the
//! resources that differ ([`difference`]).

mod comparison;

use std::path::PathBuf;

use super::Settings;
use super::plan::Plan;
use super::selector::Selector;
use super::single_package::load_package;
use crate::error::Error;

pub use comparison::difference;

/// Two packages to compare.
#[derive(Debug, Clone)]
pub struct DiffInput {
    /// The old package, a file or folder.
    pub old: PathBuf,
    /// The new package, a file or folder.
    pub new: PathBuf,
    /// The resources to compare; all if empty.
    pub resources: Vec<Selector>,
}

/// Returns the changes that turn the old files into the new ones, in the form of a merge's plan.
///
/// # Errors
/// If a package cannot be read.
pub fn plan_difference(input: &DiffInput, settings: &Settings) -> Result<Plan, Error> {
    let old = load_package(&input.old, "OLD", &settings.matches)?;
    let new = load_package(&input.new, "NEW", &settings.matches)?;
    let mut plan = Plan::new(old.root, 0);
    plan.show_secrets = settings.show_secrets;
    let mut new_files = new.files;
    if let ([(old_path, _)], [(new_path, _)]) = (old.files.as_slice(), new_files.as_mut_slice())
        && !input.old.is_dir()
        && !input.new.is_dir()
    {
        // two single files are compared, whatever their names
        new_path.clone_from(old_path);
    }
    let deleted = old.files.iter().map(|(path, _)| (path.clone(), None));
    let new_files = new_files.into_iter().map(|(path, new)| (path, Some(new)));
    let changed = deleted.chain(new_files).collect();
    plan.change_files(old.files, changed);
    Ok(plan)
}
