//! `upgrade`: upgrades many packages in parallel, and commits the upgrades one after the other.
//! Undoes what an earlier run did not finish, or refuses the package.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::address::Origin;
use super::branch::Branches;
use super::find::{self, FoundPackage, PackageOutcome, groups};
use super::message::Template;
use super::package_upgrade::{self, Upgrade, UpgradeOptions};
use super::refs::Version;
use super::remote::Remotes;
use super::{commit, record, worktree};
use crate::error::{Error, shown};
use crate::package::{self, Access, Disk, RealDisk, RunProgress};

/// The disk to write to, and what is called before waiting for another run that has locked a
/// package or a repository.
type Host<'h> = (&'h dyn Disk, &'h (dyn Fn(&Path) + Sync));

/// Upgrades packages and returns an outcome for each. The failure of one does not stop the others.
///
/// # Errors
/// If the packages cannot be found, or commits cannot be made in their repositories; then nothing
/// was changed. Also if a branch cannot be restored in the end.
pub(crate) fn upgrade(
    remotes: &Remotes<'_>,
    options: &UpgradeOptions,
    (disk, waiting): Host<'_>,
) -> Result<Vec<PackageOutcome<Upgrade>>, Error> {
    let _locks = match options.dry_run {
        true => Vec::new(),
        false => lock_all(&groups(options)?, Access::of(options.commit), waiting)?,
    };
    // read again, because another run may have upgraded them before the locks were free
    let groups = groups(options)?;
    let paths = groups.iter().flatten().map(|found| found.path.clone());
    let makes_commits = !options.dry_run && (options.commit || options.branch.is_some());
    let tops = tops_of(paths.filter(|_| makes_commits))?;
    let branches = Branches::prepare(&tops, options.branch.as_deref())?;
    // read again, because the branches may have other versions of the packages
    let mut groups = match options.branch {
        Some(_) => find::groups(options)?,
        None => groups,
    };
    // checked before this run changes any files
    groups.par_iter_mut().flatten().for_each(|found| {
        if found.record.is_ok() {
            found.uncommitted = uncommitted_in(&found.path, options);
        }
    });
    fetch_all(remotes, &groups, options);
    let upgrade_one = |found: FoundPackage| {
        let package = found.path.clone();
        let newer = upgrade_package(remotes, found, options, (disk, waiting), &branches);
        let newer = newer.map_err(|error| error.with_secrets(options.settings.show_secrets));
        PackageOutcome { package, newer }
    };
    let outcomes = groups.into_par_iter();
    let outcomes = outcomes.flat_map_iter(|group| group.into_iter().map(upgrade_one));
    let mut outcomes: Vec<PackageOutcome<Upgrade>> = outcomes.collect();
    if options.commit && !options.dry_run {
        commit_all(&mut outcomes, &tops, &options.template);
    }
    let replaced = branches.finish()?;
    for outcome in &mut outcomes {
        if let Ok(Some(upgrade)) = &mut outcome.newer
            && let Some(old) = upgrade.committed.as_ref().and_then(|new| replaced.get(new))
        {
            upgrade.committed = Some(old.clone());
        }
    }
    Ok(outcomes)
}

/// Locks the repositories that contain the packages. A run that commits needs the only lock: other
/// runs would take what it has not committed yet for the remains of a killed run.
fn lock_all(
    groups: &[Vec<FoundPackage>],
    access: Access,
    waiting: &dyn Fn(&Path),
) -> Result<Vec<package::Lock>, Error> {
    let packages = groups.iter().flatten();
    let paths = packages.filter_map(|found| found.path.canonicalize().ok());
    let folders = paths.filter_map(|path| package::git_folder(&path));
    // all runs lock in the same order, so that no two wait for each other
    let folders: BTreeMap<PathBuf, PathBuf> = folders.map(|(top, git)| (git, top)).collect();
    let lock = |(git, top): (&PathBuf, &PathBuf)| {
        let locked = package::lock(git, access, || waiting(top));
        locked.map_err(|_| Error::Busy { path: top.clone() })
    };
    folders.iter().map(lock).collect()
}

/// Returns the top of the repository for each package, after checking that commits can be made
/// there.
///
/// # Errors
/// If a package is in no repository, or its repository cannot take commits.
fn tops_of(packages: impl Iterator<Item = PathBuf>) -> Result<HashMap<PathBuf, PathBuf>, Error> {
    let mut tops = HashMap::new();
    let mut seen = BTreeSet::new();
    for package in packages {
        let Some(top) = worktree::top(&package)? else {
            return Err(Error::package(
                &package,
                "it is in no git repository, so that nothing can be committed",
                "run `git init` there, or leave --branch and --commit out",
            ));
        };
        if seen.insert(top.clone()) {
            worktree::refuse_uncommittable(&top)?;
        }
        tops.insert(package, top);
    }
    Ok(tops)
}

/// Fetches the versions that the upgrades need, all of a repository at once. Errors are ignored
/// here, and reported for the package that needs the version.
fn fetch_all(remotes: &Remotes<'_>, groups: &[Vec<FoundPackage>], options: &UpgradeOptions) {
    let packages: Vec<&FoundPackage> = groups.iter().flatten().collect();
    let versions = packages.into_par_iter().filter_map(|found| {
        let record = found.record.as_ref().ok();
        let record = record.filter(|_| found.uncommitted.is_none())?;
        let refs = remotes.refs(&record.origin.repository).ok()?;
        let target = package_upgrade::target(remotes, record, &refs, options);
        let from = package_upgrade::current(record, &refs);
        let (from, target) = ((&record.lock.origin, from), target.ok()??);
        Some([from, (&record.origin, target)])
    });
    let versions: Vec<[(&Origin, Version); 2]> = versions.collect();
    let wanted = versions.iter().flatten().map(|(origin, it)| (*origin, it));
    let wanted: Vec<(&Origin, &Version)> = wanted.collect();
    remotes.fetch(&wanted);
}

/// Returns the error for uncommitted changes in a package, if there are any and the options do not
/// allow them.
fn uncommitted_in(package: &Path, options: &UpgradeOptions) -> Option<Error> {
    let is_checked = !options.allow_dirty && !options.dry_run;
    let checked = is_checked.then(|| worktree::refuse_uncommitted(package));
    checked.and_then(Result::err)
}

fn upgrade_package(
    remotes: &Remotes<'_>,
    mut found: FoundPackage,
    options: &UpgradeOptions,
    (disk, waiting): Host<'_>,
    branches: &Branches,
) -> Result<Option<Upgrade>, Error> {
    let package = &found.path;
    found.record?;
    // read again, because the upgrade of the outer package may have changed the record
    let Some(mut record) = find::record_of(package, &options.allowed)? else {
        return Ok(None);
    };
    let access = Access::of(!options.dry_run);
    let _lock = package::lock(package, access, || waiting(package))?;
    if options.dry_run {
        refuse_unfinished(package)?;
    } else if undo_unfinished(package, options)? {
        // checked again, because the first check took the other run's changes for the user's
        found.uncommitted = uncommitted_in(package, options);
        match record::read(package)? {
            Some(before) => record = before,
            None => return Ok(None),
        }
    }
    let planned = package_upgrade::plan(remotes, package, &record, options, found.uncommitted)?;
    let Some(mut upgrade) = planned else {
        return Ok(None);
    };
    if !options.dry_run && !upgrade.facts.refused {
        branches.create()?;
        upgrade.write(disk, options)?;
    }
    Ok(Some(upgrade))
}

/// Commits the upgrades that were written, one after the other. If a commit fails, or the index
/// lacks the committed files in the end, the journal stays and the next run continues.
fn commit_all(
    outcomes: &mut [PackageOutcome<Upgrade>],
    tops: &HashMap<PathBuf, PathBuf>,
    template: &Template,
) {
    let mut lock_timeout = worktree::LOCK_TIMEOUT;
    let mut committed: BTreeMap<&PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for_each_written(outcomes, tops, |top, upgrade| {
        let message = template.message(upgrade, &worktree::path_in(top, &upgrade.plan.root));
        let files = upgrade.files(top);
        upgrade.committed = commit::commit(top, &files, &message, &mut lock_timeout)?;
        committed.entry(top).or_default().extend(files);
        Ok(())
    });
    let mut repaired = HashMap::new();
    for (top, files) in committed {
        repaired.insert(top, commit::repair_index(top, &files, lock_timeout));
    }
    for_each_written(outcomes, tops, |top, upgrade| match repaired.get(top) {
        Some(Err(why)) => Err(Error::package(
            &upgrade.package,
            format!("it is committed, and the index cannot be put right: {why}"),
            worktree::LOCKED_HELP.to_owned(),
        )),
        // nothing is left to do for the next run
        _ => package::forget(&RealDisk, &upgrade.plan.root),
    });
}

/// Calls `work` with each upgrade that was written without open conflicts, and with the top of its
/// repository. The error of an upgrade becomes its outcome.
fn for_each_written<'t>(
    outcomes: &mut [PackageOutcome<Upgrade>],
    tops: &'t HashMap<PathBuf, PathBuf>,
    mut work: impl FnMut(&'t PathBuf, &mut Upgrade) -> Result<(), Error>,
) {
    for outcome in outcomes {
        if let Ok(Some(upgrade)) = &mut outcome.newer
            && upgrade.facts.written
            && !upgrade.facts.open
            && let Some(top) = tops.get(&outcome.package)
            && let Err(error) = work(top, upgrade)
        {
            outcome.newer = Err(error);
        }
    }
}

/// Undoes the changes that an unfinished run left in a package without a commit, so that this run
/// makes, reports and commits the upgrade again. Returns whether a run had left anything.
///
/// # Errors
/// As for [`package::undo`], and if a file was changed since without a commit.
fn undo_unfinished(package: &Path, options: &UpgradeOptions) -> Result<bool, Error> {
    let Some(progressed) = package::progress_at(package)? else {
        return Ok(false);
    };
    let is_clean = || worktree::refuse_uncommitted(package).is_ok();
    match progressed {
        RunProgress::Partly => package::undo(package)?,
        RunProgress::TakenBack => package::forget(&RealDisk, package)?,
        // the user has committed the changes
        _ if is_clean() => package::forget(&RealDisk, package)?,
        RunProgress::Wholly(files) => {
            commit::unstage(package, &files)?;
            match is_clean() {
                // the changes are committed, only the index lacked them
                true => package::forget(&RealDisk, package)?,
                false => package::undo(package)?,
            }
        }
        RunProgress::Changed(_) if options.allow_dirty => package::forget(&RealDisk, package)?,
        RunProgress::Changed(path) => {
            return Err(uncommitted(
                package,
                &format!(", and {} was changed since", shown(&path)),
                "commit it by hand, or take it back with git, and run again",
            ));
        }
    }
    Ok(true)
}

/// Refuses a package at which a run did not finish. For runs that write nothing.
///
/// # Errors
/// If a run left changes there that are not committed.
pub(super) fn refuse_unfinished(package: &Path) -> Result<(), Error> {
    let help = "nothing was written; run `merge3 upgrade` to finish it";
    match package::progress_at(package)? {
        None | Some(RunProgress::TakenBack) => Ok(()),
        Some(RunProgress::Partly) => Err(Error::package(
            package,
            "an earlier run that changes it did not finish",
            help,
        )),
        Some(_) if worktree::refuse_uncommitted(package).is_ok() => Ok(()),
        Some(_) => Err(uncommitted(package, "", help)),
    }
}

fn uncommitted(package: &Path, details: &str, help: &str) -> Error {
    Error::package(
        package,
        format!("an earlier run upgraded it, and that is not committed{details}"),
        help,
    )
}
