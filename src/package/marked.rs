//! A package as it is, to be reviewed: the files that a run, or git, left with conflict markers;
//! and rules for it.

use std::fs::Permissions;
use std::path::Path;

use super::disk::is_missing;
use super::file_triple::Source;
use super::plan::{ChangeKind, FileChange, Plan};
use super::rules::{RULES_FILE, Rules, Written, with_rules};
use super::single_package::load_package;
use crate::error::Error;

/// The files of a package that `is_marked` picks by their content, each in a plan that leaves it as
/// it is.
///
/// # Errors
/// Where the package cannot be read, or a run has left it unfinished.
pub(crate) fn plan_marked(local: &Path, is_marked: impl Fn(&[u8]) -> bool) -> Result<Plan, Error> {
    let mut package = load_package(local, "--to", &["*".to_owned()])?;
    package.settle(0)?;
    let mut plan = Plan::new(package.root, 0);
    let files = package.files.into_iter();
    plan.files.extend(
        files
            .filter(|(_, source)| is_marked(&source.bytes))
            .filter_map(|(path, source)| {
                Some(FileChange {
                    path,
                    kind: ChangeKind::Changed,
                    old: Some(source.bytes.clone()),
                    new: Some(source.bytes),
                    permissions: source.permissions?,
                    old_permissions: None,
                    seen: source.seen,
                })
            }),
    );
    Ok(plan)
}

impl Plan {
    /// Adds rules to the package's own; a new file of them has the permissions that are given.
    ///
    /// # Errors
    /// Where the file that is there cannot be read, or its rules cannot be edited.
    pub(crate) fn add_rules(
        &mut self,
        rules: &[Written],
        new: Option<Permissions>,
    ) -> Result<(), Error> {
        let path = self.root.join(RULES_FILE);
        let source = match Source::read(&path, true) {
            Err(Error::Read { error, .. }) if is_missing(&error) => None,
            read => Some(read?),
        };
        let kind = match &source {
            Some(_) => ChangeKind::Changed,
            None => ChangeKind::Added,
        };
        let known = source.as_ref().and_then(|it| it.permissions.clone());
        let Some(permissions) = known.or(new) else {
            return Ok(());
        };
        let text = source.as_ref().map_or(&[][..], |it| &it.bytes);
        let text = with_rules(&path, &String::from_utf8_lossy(text), rules)?;
        Rules::check(&path, &text)?;
        self.files.push(FileChange {
            path: RULES_FILE.into(),
            kind,
            permissions,
            old_permissions: None,
            old: source.as_ref().map(|it| it.bytes.clone()),
            new: Some(text.into_bytes().into()),
            seen: source.and_then(|it| it.seen),
        });
        Ok(())
    }
}
