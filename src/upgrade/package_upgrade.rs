//! Upgrades one package from the version of its record to another one: plans the merge, and writes
//! it. `outdated` finds the packages that have a newer version.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use super::address::Origin;
use super::batch::refuse_unfinished;
use super::find::{FoundPackage, PackageOutcome, Shard, groups};
use super::get::left_out_warning;
use super::message::Template;
use super::record::{Format, KPTFILE, RULES_FILE, Record, Strategy};
use super::refs::{Refs, Version};
use super::remote::{Commit, Remotes};
use super::tree::Fetched;
use super::version::{Choice, Tag, Within};
use super::{kptfile, subpackages, worktree};
use crate::error::Error;
use crate::package::{
    ChangeKind, Disk, Input, Kind, Plan, Settings, Snapshot, SnapshotEntry, is_executable,
};
use crate::report::{Facts, serialize_portable};

/// The settings of an upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UpgradeOptions {
    /// The folders of the packages; if there is none, all packages below the current folder.
    pub packages: Vec<PathBuf>,
    /// The share of all packages.
    pub shard: Option<Shard>,
    /// The version to upgrade to; the newest one if `None`.
    pub to: Option<String>,
    /// Which versions may be the newest.
    pub choice: Choice,
    /// The settings of the merge.
    pub settings: Settings,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether written files are flushed to the disk.
    pub durable: bool,
    /// Whether packages with uncommitted changes may be upgraded.
    pub allow_dirty: bool,
    /// Whether upstream's commits are reported.
    pub log: bool,
    /// Hosts and repositories that a nested package may come from, besides the repository of the
    /// outer package.
    pub allowed: Vec<String>,
    /// The branch for commits; `None` is the current branch.
    pub branch: Option<String>,
    /// Whether commits are made.
    pub commit: bool,
    /// The template of commit messages.
    pub template: Template,
}

/// The upgrade of a package, planned or written.
#[derive(Debug, Serialize)]
pub(crate) struct Upgrade {
    /// The package's folder.
    #[serde(serialize_with = "serialize_portable")]
    pub package: PathBuf,
    /// The origin.
    #[serde(flatten)]
    pub origin: Origin,
    /// The version that the local files were made from.
    pub from: Version,
    /// The new version, with its name on the server.
    pub to: Version,
    /// Upstream's commits between the two versions, the newest first; `None` if they are not
    /// requested or upstream does not send them.
    pub commits: Option<Vec<Commit>>,
    /// The hash of the commit of this upgrade, if one was made.
    #[serde(rename = "commit")]
    pub committed: Option<String>,
    /// The facts of the run for reports.
    #[serde(flatten)]
    pub facts: Facts,
    /// The changes of the merge and of the record.
    #[serde(flatten)]
    pub plan: Plan,
}

/// Returns the version to upgrade a package to; `None` if the package has it already or there is no
/// newer one. If the record has another origin or ref than its lock, that is the version.
///
/// # Errors
/// If upstream cannot be reached, or does not have the version.
pub(super) fn target(
    remotes: &Remotes<'_>,
    record: &Record,
    refs: &Refs,
    options: &UpgradeOptions,
) -> Result<Option<Version>, Error> {
    let (directory, lock) = (&record.origin.directory, &record.lock);
    let name = options.to.as_ref().unwrap_or(&record.reference);
    let is_edited = !has_locked_ref(record) || record.origin != lock.origin;
    let named = refs.resolve(name, directory);
    if named.is_none() && (options.to.is_some() || !has_locked_ref(record)) {
        return Err(refs.no_version(&record.origin, name));
    }
    let named = named.filter(|_| options.to.is_some() || is_edited);
    let named = named.map(|it| remotes.with_digest(&record.origin, it));
    let is_other = |it: &Version| options.to.is_some() || it.commit != lock.commit;
    match named.transpose()?.filter(is_other) {
        Some(named) => Ok(Some(named).filter(|it| !is_current(record, it))),
        None => newest(remotes, record, refs, options.choice),
    }
}

/// Returns the newest version after that in the record; `None` if the package has it already.
fn newest(
    remotes: &Remotes<'_>,
    record: &Record,
    refs: &Refs,
    choice: Choice,
) -> Result<Option<Version>, Error> {
    let (name, directory) = (&record.reference, &record.origin.directory);
    let Some(newest) = refs.newest(name, directory, choice) else {
        // a tag that is gone may still be the newest version
        let is_known = Tag::parse(name).is_some() || refs.resolve(name, directory).is_some();
        return match is_known {
            true => Ok(None),
            false => Err(refs.no_version(&record.origin, name)),
        };
    };
    let newest = remotes.with_digest(&record.origin, newest)?;
    Ok(Some(newest).filter(|it| !is_current(record, it)))
}

fn is_current(record: &Record, version: &Version) -> bool {
    version.commit == record.lock.commit
        && version.name == record.reference
        && record.origin == record.lock.origin
}

/// Whether the record and its lock have the same ref. In the lock, the folder may be before it.
fn has_locked_ref(record: &Record) -> bool {
    Path::new(&record.lock.reference).ends_with(&record.reference)
}

/// Returns the version that the local files were made from.
pub(super) fn current(record: &Record, refs: &Refs) -> Version {
    let lock = &record.lock;
    let found = refs.resolve(&lock.reference, "");
    let name = match has_locked_ref(record) {
        true => &record.reference,
        false => &lock.reference,
    };
    Version {
        name: name.clone(),
        full: lock.reference.clone(),
        commit: lock.commit.clone(),
        tag: found.is_some_and(|found| found.tag && found.commit == lock.commit),
    }
}

/// Plans the upgrade of a package, without writing anything. `None` if there is nothing to do.
/// `uncommitted` is the error for uncommitted changes in the package; it is returned before
/// anything is fetched, if there is something to do.
///
/// # Errors
/// If upstream cannot be read or the packages cannot be merged.
pub(super) fn plan(
    remotes: &Remotes<'_>,
    package: &Path,
    record: &Record,
    options: &UpgradeOptions,
    uncommitted: Option<Error>,
) -> Result<Option<Upgrade>, Error> {
    let start = Instant::now();
    let refs = remotes.refs(&record.origin.repository)?;
    let Some(to) = target(remotes, record, &refs, options)? else {
        return Ok(None);
    };
    let from = current(record, &refs);
    if let Some(error) = uncommitted {
        return Err(error);
    }
    let original = remotes.snapshot(&record.lock.origin, &from)?;
    let updated = remotes.snapshot(&record.origin, &to)?;
    let commits = match options.log {
        true => remotes.commits(&record.origin, &from, &to)?,
        false => None,
    };
    let plan = merged(package, record, (original, updated), &to, options)?;
    let reference = Format::of(&record.origin.repository)
        .reference(&to)
        .to_owned();
    let on_conflict = options.settings.merge.on_conflict;
    let facts = Facts::of(&plan, on_conflict, start.elapsed());
    Ok(Some(Upgrade {
        package: package.to_owned(),
        origin: record.origin.clone(),
        from: from.with_name(record.lock.reference.clone()),
        to: to.with_name(reference),
        plan,
        facts,
        commits,
        committed: None,
    }))
}

/// Merges the package and its record according to the record's strategy, and returns the plan.
fn merged(
    package: &Path,
    record: &Record,
    (original, updated): (Fetched, Fetched),
    to: &Version,
    options: &UpgradeOptions,
) -> Result<Plan, Error> {
    let (old_left_out, left_out) = (original.left_out, updated.left_out);
    let (mut original, mut updated) = (original.snapshot, updated.snapshot);
    match record.strategy {
        Strategy::Merge => {}
        Strategy::FastForward => refuse_changed(package, record, original.clone())?,
        Strategy::Replace => original = of_disk(package, &options.settings)?,
    }
    let settings = Settings {
        own_ignores: true,
        ..options.settings.clone()
    };
    let warning = kptfile::keep_local_identity((&mut original, &mut updated), record)?;
    let all_left_out = [old_left_out.as_slice(), &left_out].concat();
    let mut plan = subpackages::plan((original, updated), &all_left_out, package, &settings)?;
    plan.warnings.extend(warning);
    record.update_in(&mut plan, to)?;
    // no warning about rules that upstream had before
    let is_old = |path: &&PathBuf| path.ends_with(RULES_FILE) && old_left_out.contains(path);
    let left_out = left_out.iter().filter(|path| !is_old(path));
    plan.warnings
        .extend(left_out.map(|path| left_out_warning(path)));
    Ok(plan)
}

/// Refuses a package that was changed locally, for `updateStrategy: fast-forward`.
fn refuse_changed(package: &Path, record: &Record, mut original: Snapshot) -> Result<(), Error> {
    let excluded = [KPTFILE, RULES_FILE].map(PathBuf::from).to_vec();
    original.entries.retain(|path, _| !excluded.contains(path));
    let settings = Settings {
        excluded,
        ..Settings::default()
    };
    match subpackages::is_unchanged(&original, package, &settings) {
        true => Ok(()),
        false => Err(Error::package(
            package,
            "it was changed here, and its updateStrategy is `fast-forward`",
            format!(
                "take the changes back, or write `updateStrategy: resource-merge` in {}",
                record.file.display()
            ),
        )),
    }
}

/// Reads the local files of a package as a snapshot. For `updateStrategy: force-delete-replace` it
/// is the original, so that local changes are overwritten.
pub(super) fn of_disk(package: &Path, settings: &Settings) -> Result<Snapshot, Error> {
    let mut snapshot = Snapshot {
        name: package.to_owned(),
        ..Snapshot::default()
    };
    let side = Input::disk(package);
    let listing = side.list();
    if let Some((path, error)) = listing.errors.into_iter().next() {
        return Err(Error::reading(&package.join(path))(error));
    }
    for (path, kind) in listing.entries {
        if kind == Kind::File && !settings.is_excluded(&path) {
            let source = side.read(&path, false)?;
            let file = SnapshotEntry::File {
                bytes: source.bytes.to_vec(),
                is_executable: source.permissions.as_ref().is_some_and(is_executable),
            };
            snapshot.entries.insert(path, file);
        }
    }
    Ok(snapshot)
}

impl Upgrade {
    /// Writes the upgrade and the record. If it is going to be committed, the journal stays for the
    /// next run until then.
    ///
    /// # Errors
    /// If a file cannot be written, or was changed in the meantime.
    pub(super) fn write(&mut self, disk: &dyn Disk, options: &UpgradeOptions) -> Result<(), Error> {
        // an upgrade with open conflicts is not committed
        self.plan.awaits_commit = options.commit && !self.facts.open;
        let start = Instant::now();
        self.plan.write_to(disk, options.durable)?;
        self.facts.written = true;
        self.facts.duration += start.elapsed();
        Ok(())
    }

    /// Returns the files that the upgrade changes, relative to `top`.
    pub(super) fn files(&self, top: &Path) -> Vec<PathBuf> {
        let folder = worktree::path_in(top, &self.plan.root);
        let mut files = Vec::new();
        for change in &self.plan.files {
            files.push(folder.join(&change.path));
            if let ChangeKind::Moved { from } = &change.kind {
                files.push(folder.join(from));
            }
        }
        files
    }
}

/// A package that has a newer version.
#[derive(Debug, Serialize)]
pub(crate) struct Outdated {
    /// The package's folder.
    #[serde(serialize_with = "serialize_portable")]
    pub package: PathBuf,
    /// The origin.
    #[serde(flatten)]
    pub origin: Origin,
    /// The version of the local files.
    pub current: Version,
    /// The version that an upgrade goes to; `None` if no newer version is within the limit.
    #[serde(rename = "newest")]
    pub wanted: Option<Version>,
    /// The newest version.
    pub latest: Version,
}

/// Returns for each package whether it has a newer version.
///
/// # Errors
/// If the packages cannot be found. The error of a single package is in its outcome.
pub(crate) fn outdated(
    remotes: &Remotes<'_>,
    options: &UpgradeOptions,
) -> Result<Vec<PackageOutcome<Outdated>>, Error> {
    let groups = groups(options)?;
    let found: Vec<FoundPackage> = groups.into_iter().flatten().collect();
    let outcomes = found.into_par_iter().map(|found| PackageOutcome {
        package: found.path.clone(),
        newer: newer(remotes, found, options),
    });
    Ok(outcomes.collect())
}

fn newer(
    remotes: &Remotes<'_>,
    found: FoundPackage,
    options: &UpgradeOptions,
) -> Result<Option<Outdated>, Error> {
    let record = found.record?;
    refuse_unfinished(&found.path)?;
    let refs = remotes.refs(&record.origin.repository)?;
    let wanted = target(remotes, &record, &refs, options)?;
    let without_limit = Choice {
        within: Within::Major,
        ..options.choice
    };
    let latest = newest(remotes, &record, &refs, without_limit)?;
    Ok(latest.or_else(|| wanted.clone()).map(|latest| Outdated {
        package: found.path,
        current: current(&record, &refs),
        origin: record.origin,
        wanted,
        latest,
    }))
}
