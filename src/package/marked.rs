//! Plans for `merge3 review` of a package without a merge: the files with conflict markers, and the
//! rules to add.

use std::path::{Path, PathBuf};

use super::disk::is_missing;
use super::file_triple::Source;
use super::plan::{ChangeKind, FileChange, Plan};
use super::rules::{NewRule, RULES_FILE, Rules, with_rules};
use super::single_package::load_package;
use super::write::settle;
use crate::error::{Error, Warning};

/// Returns a plan with the files of a package for which `is_marked` returns true. The plan leaves
/// each as it is, and has the warnings that `is_marked` returns for others.
///
/// # Errors
/// If the package cannot be read, or if an interrupted run left it unfinished.
pub(crate) fn plan_marked(
    local: &Path,
    is_marked: impl Fn(&Source) -> Result<bool, Box<Warning>>,
) -> Result<Plan, Error> {
    let package = load_package(local, "--to", &["*".to_owned()])?;
    settle(&package.root, 0)?;
    let mut plan = Plan::new(package.root, 0);
    let unchanged = |path: PathBuf, source: Source| {
        let new = Some(source.clone());
        FileChange::of(path, ChangeKind::Changed, Some(source), new)
    };
    for (path, source) in package.files {
        match is_marked(&source) {
            Ok(true) => plan.files.extend(unchanged(path, source)),
            Ok(false) => {}
            Err(warning) => plan.warnings.push(*warning),
        }
    }
    Ok(plan)
}

impl Plan {
    /// Adds `rules` to the rules file of the package.
    ///
    /// # Errors
    /// If the existing file cannot be read, or its rules cannot be edited.
    pub(crate) fn add_rules(&mut self, rules: &[NewRule]) -> Result<(), Error> {
        let path = self.root.join(RULES_FILE);
        let source = match Source::read(&path, true) {
            Err(Error::Read { error, .. }) if is_missing(&error) => None,
            read => Some(read?),
        };
        let text = source.as_ref().map_or(&[][..], |it| &it.bytes);
        let text = with_rules(&path, &String::from_utf8_lossy(text), rules)?;
        Rules::check(&path, &text)?;
        let new = Some(Source::new_file(text, false));
        let change = FileChange::between(RULES_FILE.into(), source, new);
        self.files.extend(change);
        Ok(())
    }
}
