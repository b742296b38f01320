//! Many packages, upgraded in parallel.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::address::Origin;
use super::branch::Branches;
use super::commit;
use super::find::{Member, Shard, below};
use super::message::Template;
use super::nested_package::refuse_foreign;
use super::package_upgrade::{self, Upgrade, UpgradeOptions};
use super::remote::{Remotes, Version};
use super::{record, repositories, unfinished, worktree};
use crate::error::Error;
use crate::package::{self, Access, Disk};

/// Which packages are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packages {
    /// These folders.
    Named(Vec<PathBuf>),
    /// All below a folder, or a share of them.
    Below(PathBuf, Option<Shard>),
}

/// Where commits go.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commits {
    /// The branch for them, if one is wanted.
    pub branch: Option<String>,
    /// Whether commits are made.
    pub commit: bool,
    /// What their messages are made from.
    pub template: Template,
}

/// The program that upgrades are run by.
pub trait Host: Sync {
    /// Is told that another run is at a package, which is waited for.
    fn waiting(&self, package: &Path);

    /// Has `work` write, to a disk that may say that the run is to stop.
    ///
    /// # Errors
    /// Those of `work`.
    fn write(&self, work: &mut dyn FnMut(&dyn Disk) -> Result<(), Error>) -> Result<(), Error>;
}

/// What became of one package, or was found out about it.
#[derive(Debug)]
pub enum Outcome<T> {
    /// There is another version to go to: the upgrade that was done or would be, or what is known
    /// of that version.
    Newer(Box<T>),
    /// It is at the version that was asked for.
    UpToDate(PathBuf),
    /// It stays what it is, but where the error says otherwise.
    Failed(PathBuf, Error),
}

impl<T> Outcome<T> {
    pub(super) fn of(package: PathBuf, found: Result<Option<T>, Error>) -> Self {
        match found {
            Ok(Some(newer)) => Self::Newer(Box::new(newer)),
            Ok(None) => Self::UpToDate(package),
            Err(error) => Self::Failed(package, error),
        }
    }

    /// What there is of another version.
    pub fn newer(&self) -> Option<&T> {
        match self {
            Self::Newer(newer) => Some(newer),
            _ => None,
        }
    }
}

impl Packages {
    /// What is said where there are none.
    pub fn none(&self) -> &'static str {
        match self {
            Self::Below(_, Some(_)) => "no packages in this share",
            _ => {
                "no packages here: vendor one with `merge3 get`, or record where a copy comes from with `merge3 adopt`"
            }
        }
    }
}

/// The packages that are meant, in groups of those that are in one another, by path.
///
/// # Errors
/// Where a folder cannot be read, or a folder that was named has no record.
pub(super) fn families(packages: &Packages, allowed: &[String]) -> Result<Vec<Vec<Member>>, Error> {
    let found = match packages {
        Packages::Below(folder, shard) => below(folder, *shard, allowed)?,
        Packages::Named(folders) => folders
            .iter()
            .map(|folder| named(folder, allowed))
            .collect::<Result<_, _>>()?,
    };
    let mut families: Vec<Vec<Member>> = Vec::new();
    for package in found {
        match families.last_mut() {
            Some(family) if family[0].family == package.family => family.push(package),
            _ => families.push(vec![package]),
        }
    }
    Ok(families)
}

fn named(folder: &Path, allowed: &[String]) -> Result<Member, Error> {
    if !folder.is_dir() {
        return Err(Error::package(
            folder,
            "there is no such folder",
            "name the folder of a package, or use --all for all packages below",
        ));
    }
    let record = match record::read(folder) {
        Ok(Some(record)) => refuse_foreign(folder, &record, allowed).map(|()| record),
        Ok(None) => Err(no_record(folder)),
        Err(error) => Err(error),
    };
    Ok(Member {
        path: folder.to_owned(),
        record,
        family: folder.to_owned(),
        uncommitted: None,
    })
}

pub(super) fn no_record(package: &Path) -> Error {
    Error::package(
        package,
        "it does not say where it comes from",
        "neither its Kptfile nor its .merge3.yaml has `upstream` and `upstreamLock`: vendor it with `merge3 get`, or \
               record where it comes from with `merge3 adopt`",
    )
}

/// Upgrades packages. What fails for one does not hinder the others.
///
/// # Errors
/// Where the packages cannot be found, or no commit could be made: then nothing was changed.
pub fn upgrade(
    remotes: &Remotes<'_>,
    packages: &Packages,
    options: &UpgradeOptions,
    commits: &Commits,
    host: &dyn Host,
) -> Result<Vec<Outcome<Upgrade>>, Error> {
    let _locks = match options.dry_run {
        true => Vec::new(),
        false => repositories::lock_all(&families(packages, &options.allowed)?, commits, host)?,
    };
    // others may have upgraded them while they were waited for
    let families = families(packages, &options.allowed)?;
    let paths = families.iter().flatten().map(|found| found.path.clone());
    let tops = repositories::tops(paths, options, commits)?;
    let branches = Branches::prepare(&tops, commits)?;
    // the branch may have been another version of them
    let families = match commits.branch {
        Some(_) => self::families(packages, &options.allowed)?,
        None => families,
    };
    // what is not committed is looked for before our own changes are there
    let families: Vec<Vec<Member>> = families
        .into_par_iter()
        .map(|family| {
            family
                .into_iter()
                .map(|found| looked_at(found, options))
                .collect()
        })
        .collect();
    fetch_all(remotes, &families, options);
    let outcomes: Vec<Vec<Outcome<Upgrade>>> = families
        .into_par_iter()
        .map(|family| {
            let each = family.into_iter();
            let go = || branches.go();
            each.map(|found| upgrade_package(remotes, found, options, commits, host, go))
                .collect()
        })
        .collect();
    let mut outcomes: Vec<Outcome<Upgrade>> = outcomes.into_iter().flatten().collect();
    if commits.commit && !options.dry_run {
        commit_all(&mut outcomes, &tops, &commits.template);
    }
    let same = branches.finish()?;
    for outcome in &mut outcomes {
        if let Outcome::Newer(upgrade) = outcome
            && let Some(old) = upgrade.committed.as_ref().and_then(|new| same.get(new))
        {
            upgrade.committed = Some(old.clone());
        }
    }
    Ok(outcomes)
}

/// Fetches what the upgrades need, all versions of a repository at once. What goes wrong is
/// reported for the package that needs it.
fn fetch_all(remotes: &Remotes<'_>, families: &[Vec<Member>], options: &UpgradeOptions) {
    let members: Vec<&Member> = families.iter().flatten().collect();
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

/// Looks whether something in a package is not committed, where that matters.
fn looked_at(found: Member, options: &UpgradeOptions) -> Member {
    let uncommitted = match found.record {
        Ok(_) => uncommitted_in(&found.path, options),
        Err(_) => None,
    };
    Member {
        uncommitted,
        ..found
    }
}

fn uncommitted_in(package: &Path, options: &UpgradeOptions) -> Option<Error> {
    let matters = !options.allow_dirty && !options.dry_run;
    let looked = matters.then(|| worktree::refuse_uncommitted(package));
    looked.and_then(Result::err)
}

fn upgrade_package(
    remotes: &Remotes<'_>,
    found: Member,
    options: &UpgradeOptions,
    commits: &Commits,
    host: &dyn Host,
    branch: impl Fn() -> Result<(), Error>,
) -> Outcome<Upgrade> {
    let upgrade = || -> Result<Option<Upgrade>, Error> {
        let mut record = found.record?;
        if found.family != found.path {
            // it may have come with the package that it is in, a moment ago
            match record::read(&found.path)? {
                Some(read) => record = read,
                None => return Ok(None),
            }
            refuse_foreign(&found.path, &record, &options.allowed)?;
        }
        let access = match options.dry_run {
            true => Access::Read,
            false => Access::Write,
        };
        let _lock = package::lock(&found.path, access, || host.waiting(&found.path))?;
        let mut uncommitted = found.uncommitted;
        if options.dry_run {
            unfinished::refuse_unfinished(&found.path)?;
        } else if unfinished::resumed(&found.path, options)? {
            // what that run did was none of the user's changes
            uncommitted = uncommitted_in(&found.path, options);
            match record::read(&found.path)? {
                Some(before) => record = before,
                None => return Ok(None),
            }
        }
        let planned = loop {
            match package_upgrade::plan(remotes, &found.path, &record, options, &mut uncommitted) {
                Err(error) if !options.dry_run && unfinished::recovered(&record, &error)? => {
                    // what a killed run did was none of the user's changes
                    uncommitted = uncommitted_in(&found.path, options);
                }
                planned => break planned?,
            }
        };
        let Some(mut upgrade) = planned else {
            return Ok(None);
        };
        if options.dry_run || upgrade.refused {
            upgrade.show_record();
        } else {
            branch()?;
            // what somebody has to resolve is not committed
            let awaits_commit = commits.commit && !upgrade.facts.open;
            host.write(&mut |disk| upgrade.write(disk, options.durable, awaits_commit))?;
        }
        Ok(Some(upgrade))
    };
    let upgrade = upgrade();
    Outcome::of(found.path, upgrade)
}

/// Commits what was written, one package after the other. What is not committed, or not in the
/// index in the end, is known to the next run.
fn commit_all(
    outcomes: &mut [Outcome<Upgrade>],
    tops: &HashMap<PathBuf, PathBuf>,
    template: &Template,
) {
    let mut patience = worktree::PATIENCE;
    let mut committed: BTreeMap<&PathBuf, Vec<&mut Outcome<Upgrade>>> = BTreeMap::new();
    for outcome in outcomes {
        let Some((top, upgrade)) = written(outcome, tops) else {
            continue;
        };
        let told = template.message(upgrade, &upgrade.path_in(top));
        match commit::commit(top, &upgrade.files(top), &told, &mut patience) {
            Ok(commit) => {
                upgrade.committed = commit;
                committed.entry(top).or_default().push(outcome);
            }
            Err(error) => *outcome = Outcome::Failed(upgrade.package.clone(), error),
        }
    }
    for (top, mut outcomes) in committed {
        let files = outcomes.iter_mut().filter_map(|it| written(it, tops));
        let files: Vec<PathBuf> = files.flat_map(|(_, it)| it.files(top)).collect();
        let settled = commit::settle(top, &files, patience);
        for outcome in outcomes {
            let Some((_, upgrade)) = written(outcome, tops) else {
                continue;
            };
            let done = match &settled {
                Ok(()) => upgrade.is_settled(),
                Err(why) => Err(Error::package(
                    &upgrade.package,
                    format!("it is committed, and the index cannot be put right: {why}"),
                    worktree::LOCKED.to_owned(),
                )),
            };
            if let Err(error) = done {
                *outcome = Outcome::Failed(upgrade.package.clone(), error);
            }
        }
    }
}

/// An upgrade that was written, and the repository that it is in.
fn written<'t, 'o>(
    outcome: &'o mut Outcome<Upgrade>,
    tops: &'t HashMap<PathBuf, PathBuf>,
) -> Option<(&'t PathBuf, &'o mut Upgrade)> {
    match outcome {
        Outcome::Newer(upgrade) if upgrade.facts.written && !upgrade.facts.open => {
            Some((tops.get(&upgrade.package)?, upgrade))
        }
        _ => None,
    }
}
