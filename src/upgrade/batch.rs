//! Upgrades many packages in parallel.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::address::Origin;
use super::branch::Branches;
use super::commit;
use super::find::{self, FoundPackage, Packages, groups};
use super::message::Template;
use super::outcome::PackageOutcome;
use super::package_upgrade::{self, Upgrade, UpgradeOptions};
use super::refs::Version;
use super::remote::Remotes;
use super::{record, repositories, unfinished, worktree};
use crate::error::Error;
use crate::package::{self, Access, Disk};

/// The program that upgrades are run by.
pub(crate) trait Host: Sync {
    /// Is told that another run is at a package, which is waited for.
    fn waiting(&self, package: &Path);

    /// The disk that is written to from here on, which may say that the run is to stop.
    fn disk(&self) -> &dyn Disk;
}

/// Upgrades packages. What fails for one does not hinder the others.
///
/// # Errors
/// Where the packages cannot be found, or no commit could be made: then nothing was changed.
pub(crate) fn upgrade(
    remotes: &Remotes<'_>,
    packages: &Packages,
    options: &UpgradeOptions,
    host: &dyn Host,
) -> Result<Vec<PackageOutcome<Upgrade>>, Error> {
    let _locks = match options.dry_run {
        true => Vec::new(),
        false => {
            let access = match options.commit {
                true => Access::Write,
                false => Access::Read,
            };
            let groups = groups(packages, &options.allowed)?;
            repositories::lock_all(&groups, access, &|top| host.waiting(top))?
        }
    };
    // others may have upgraded them while they were waited for
    let groups = groups(packages, &options.allowed)?;
    let paths = groups.iter().flatten().map(|found| found.path.clone());
    let makes_commits = !options.dry_run && (options.commit || options.branch.is_some());
    let tops = repositories::tops(paths.filter(|_| makes_commits))?;
    let branches = Branches::prepare(&tops, options.branch.as_deref())?;
    // the branch may have been another version of them
    let mut groups = match options.branch {
        Some(_) => find::groups(packages, &options.allowed)?,
        None => groups,
    };
    // what is not committed is looked for before our own changes are there
    groups.par_iter_mut().flatten().for_each(|found| {
        if found.record.is_ok() {
            found.uncommitted = uncommitted_in(&found.path, options);
        }
    });
    fetch_all(remotes, &groups, options);
    let one = |found: FoundPackage| {
        let package = found.path.clone();
        let newer = upgrade_package(remotes, found, options, host, &branches);
        let newer = newer.map_err(|error| error.with_secrets(options.settings.show_secrets));
        PackageOutcome { package, newer }
    };
    let outcomes = groups.into_par_iter();
    let outcomes = outcomes.flat_map_iter(|group| group.into_iter().map(one));
    let mut outcomes: Vec<PackageOutcome<Upgrade>> = outcomes.collect();
    if options.commit && !options.dry_run {
        commit_all(&mut outcomes, &tops, &options.template);
    }
    let same = branches.finish()?;
    for outcome in &mut outcomes {
        if let Ok(Some(upgrade)) = &mut outcome.newer
            && let Some(old) = upgrade.committed.as_ref().and_then(|new| same.get(new))
        {
            upgrade.committed = Some(old.clone());
        }
    }
    Ok(outcomes)
}

/// Fetches what the upgrades need, all versions of a repository at once. What goes wrong is
/// reported for the package that needs it.
fn fetch_all(remotes: &Remotes<'_>, groups: &[Vec<FoundPackage>], options: &UpgradeOptions) {
    let members: Vec<&FoundPackage> = groups.iter().flatten().collect();
    let versions = members.into_par_iter().filter_map(|found| {
        let record = found.record.as_ref().ok();
        let record = record.filter(|_| found.uncommitted.is_none())?;
        let refs = remotes.refs(&record.origin.repository).ok()?;
        let target = package_upgrade::target(remotes, record, &refs, options);
        let from = package_upgrade::locked(record, &refs);
        let (from, target) = ((&record.lock.origin, from), target.ok()??);
        Some([from, (&record.origin, target)])
    });
    let versions: Vec<[(&Origin, Version); 2]> = versions.collect();
    let wanted = versions.iter().flatten().map(|(origin, it)| (*origin, it));
    let wanted: Vec<(&Origin, &Version)> = wanted.collect();
    remotes.fetch_many(&wanted);
}

/// That something in a package is not committed, where that matters.
fn uncommitted_in(package: &Path, options: &UpgradeOptions) -> Option<Error> {
    let matters = !options.allow_dirty && !options.dry_run;
    let looked = matters.then(|| worktree::refuse_uncommitted(package));
    looked.and_then(Result::err)
}

fn upgrade_package(
    remotes: &Remotes<'_>,
    mut found: FoundPackage,
    options: &UpgradeOptions,
    host: &dyn Host,
    branches: &Branches,
) -> Result<Option<Upgrade>, Error> {
    let package = &found.path;
    found.record?;
    // another version may have come with the package that it is in, a moment ago
    let Some(mut record) = find::record_of(package, &options.allowed)? else {
        return Ok(None);
    };
    let access = match options.dry_run {
        true => Access::Read,
        false => Access::Write,
    };
    let _lock = package::lock(package, access, || host.waiting(package))?;
    if options.dry_run {
        unfinished::refuse_unfinished(package)?;
    } else if unfinished::resumed(package, options)? {
        // what that run did was none of the user's changes
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
        branches.go()?;
        // what somebody has to resolve is not committed
        let awaits_commit = options.commit && !upgrade.facts.open;
        upgrade.write(host.disk(), options.durable, awaits_commit)?;
    }
    Ok(Some(upgrade))
}

/// Commits what was written, one package after the other. What is not committed, or not in the
/// index in the end, is known to the next run.
fn commit_all(
    outcomes: &mut [PackageOutcome<Upgrade>],
    tops: &HashMap<PathBuf, PathBuf>,
    template: &Template,
) {
    let mut patience = worktree::PATIENCE;
    let mut committed: BTreeMap<&PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for outcome in &mut *outcomes {
        let Some((top, upgrade)) = written(outcome, tops) else {
            continue;
        };
        let told = template.message(upgrade, &upgrade.path_in(top));
        match commit::commit(top, &upgrade.files(top), &told, &mut patience) {
            Ok(commit) => {
                upgrade.committed = commit;
                let files = committed.entry(top).or_default();
                files.extend(upgrade.files(top));
            }
            Err(error) => outcome.newer = Err(error),
        }
    }
    let settled = committed.into_iter();
    let settled = settled.map(|(top, files)| (top, commit::settle(top, &files, patience)));
    let settled: HashMap<&PathBuf, Result<(), String>> = settled.collect();
    for outcome in outcomes {
        let Some((top, upgrade)) = written(outcome, tops) else {
            continue;
        };
        let done = match settled.get(top) {
            Some(Err(why)) => Err(Error::package(
                &upgrade.package,
                format!("it is committed, and the index cannot be put right: {why}"),
                worktree::LOCKED.to_owned(),
            )),
            _ => upgrade.is_settled(),
        };
        if let Err(error) = done {
            outcome.newer = Err(error);
        }
    }
}

/// An upgrade that was written, and the repository that it is in.
fn written<'t, 'o>(
    outcome: &'o mut PackageOutcome<Upgrade>,
    tops: &'t HashMap<PathBuf, PathBuf>,
) -> Option<(&'t PathBuf, &'o mut Upgrade)> {
    let upgrade = outcome.newer.as_mut().ok()?.as_mut()?;
    let is_written = upgrade.facts.written && !upgrade.facts.open;
    let top = tops.get(&outcome.package).filter(|_| is_written)?;
    Some((top, upgrade))
}
