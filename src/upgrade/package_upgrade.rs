//! Upgrades one package from the version that it was made from to another one.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::address::Origin;
use super::get::own_file;
use super::history::Commit;
use super::message::Template;
use super::record::{KPTFILE, RULES_FILE, Record, Strategy};
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::version::{Choice, Tag};
use super::{kptfile, subpackages, worktree};
use crate::error::{Error, shown};
use crate::package::{
    self, ChangeKind, Disk, Input, Kind, Plan, RealDisk, Settings, Snapshot, SnapshotEntry,
    is_executable,
};
use crate::report::Facts;

/// The settings of an upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UpgradeOptions {
    /// The version to go to; the newest one where none is given.
    pub to: Option<String>,
    /// Which version is the newest.
    pub choice: Choice,
    /// How the merge is done.
    pub settings: Settings,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether what is written is forced to the disk.
    pub durable: bool,
    /// Whether a package with uncommitted changes is upgraded all the same.
    pub allow_dirty: bool,
    /// Whether upstream's commits are reported.
    pub log: bool,
    /// Hosts and repositories that a package in a package may come from, beside those of the
    /// package that it is in.
    pub allowed: Vec<String>,
    /// The branch for commits, if one is wanted.
    pub branch: Option<String>,
    /// Whether commits are made.
    pub commit: bool,
    /// What their messages are made from.
    pub template: Template,
}

/// A package that was, or would be, upgraded.
#[derive(Debug)]
pub(crate) struct Upgrade {
    /// The package's folder.
    pub package: PathBuf,
    /// Where it comes from.
    pub origin: Origin,
    /// The version that the local files were made from.
    pub from: Version,
    /// The version that it goes to.
    pub to: Version,
    /// What the merge does, the record included.
    pub plan: Plan,
    /// What became of it.
    pub facts: Facts,
    /// Upstream's commits between the two, the newest first; `None` if upstream does not tell
    /// them, or nobody asked.
    pub commits: Option<Vec<Commit>>,
    /// The commit of this upgrade, where one was made.
    pub committed: Option<String>,
    start: Instant,
}

/// The version that a package would go to; `None` if it has it already.
///
/// # Errors
/// Where upstream cannot be reached, or has no such version.
pub(super) fn target(
    remotes: &Remotes<'_>,
    record: &Record,
    refs: &Refs,
    options: &UpgradeOptions,
) -> Result<Option<Version>, Error> {
    let directory = &record.origin.directory;
    let target = match &options.to {
        Some(name) => Some(
            refs.resolve(name, directory)
                .ok_or_else(|| refs.no_version(&record.origin, name))?,
        ),
        None => refs.newest(&record.reference, directory, options.choice),
    };
    let Some(target) = target else {
        let known = refs.resolve(&record.reference, directory).is_some();
        if !known && Tag::parse(&record.reference).is_none() {
            return Err(refs.no_version(&record.origin, &record.reference));
        }
        return Ok(None);
    };
    let target = remotes.with_digest(&record.origin, target)?;
    let is_here = target.commit == record.lock.commit
        && target.name == record.reference
        && record.origin == record.lock.origin;
    Ok((!is_here).then_some(target))
}

/// The version that the local files were made from.
pub(super) fn current(record: &Record, refs: &Refs) -> Version {
    let lock = &record.lock;
    Version {
        name: record.reference.clone(),
        full: lock.reference.clone(),
        commit: lock.commit.clone(),
        tag: refs
            .resolve(&lock.reference, "")
            .is_some_and(|found| found.tag && found.commit == lock.commit),
    }
}

/// [`current`], by the name that it had then.
pub(super) fn locked(record: &Record, refs: &Refs) -> Version {
    Version {
        name: record.lock.reference.clone(),
        ..current(record, refs)
    }
}

/// Plans the upgrade of a package. Nothing is written. `None` if there is nothing to do. A package
/// that is refused because something in it is `uncommitted` is refused before anything is fetched.
///
/// # Errors
/// See [`Error`]; whatever it is, nothing was changed.
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
    let from = locked(record, &refs);
    if let Some(error) = uncommitted {
        return Err(error);
    }
    let both = [(&record.lock.origin, &from), (&record.origin, &to)];
    remotes.fetch(&both, &shown(package));
    let original = remotes.snapshot(&record.lock.origin, &from)?;
    let updated = remotes.snapshot(&record.origin, &to)?;
    let commits = match options.log {
        true => remotes.commits(&record.origin, &from, &to)?,
        false => None,
    };
    let known = original.left_out;
    let all_left_out = [known.as_slice(), &updated.left_out].concat();
    // rules that upstream had before are no news
    let is_rules = |path: &Path| path.file_name().is_some_and(|name| name == RULES_FILE);
    let new = updated.left_out.iter();
    let new = new.filter(|path| !is_rules(path) || !known.contains(path));
    let left_out: Vec<_> = new.map(|path| own_file(path)).collect();
    let upstream = (original.snapshot, updated.snapshot);
    let mut plan = merged(package, record, (upstream, &all_left_out), &to, options)?;
    plan.warnings.extend(left_out);
    let on_conflict = options.settings.merge.on_conflict;
    let facts = Facts::of(&plan, on_conflict, start.elapsed());
    Ok(Some(Upgrade {
        package: package.to_owned(),
        origin: record.origin.clone(),
        from,
        to,
        plan,
        facts,
        commits,
        committed: None,
        start,
    }))
}

/// The merge's plan, with the change of the record.
fn merged(
    package: &Path,
    record: &Record,
    (upstream, left_out): ((Snapshot, Snapshot), &[PathBuf]),
    to: &Version,
    options: &UpgradeOptions,
) -> Result<Plan, Error> {
    let (mut original, mut updated) = upstream;
    match record.strategy {
        Strategy::Merge => {}
        Strategy::FastForward => refuse_changed(package, record, original.clone())?,
        Strategy::Replace => original = of_disk(package, &options.settings)?,
    }
    let settings = Settings {
        own_ignores: true,
        ..options.settings.clone()
    };
    let kept = kptfile::keep_local_identity((&mut original, &mut updated), record)?;
    let mut plan = subpackages::plan((original, updated), left_out, package, &settings)?;
    plan.warnings.extend(kept);
    record.change(&mut plan, to)?;
    Ok(plan)
}

/// `updateStrategy: fast-forward`: upstream's version comes only where nothing was changed here.
fn refuse_changed(package: &Path, record: &Record, mut original: Snapshot) -> Result<(), Error> {
    let own = [KPTFILE, RULES_FILE].map(PathBuf::from);
    for file in &own {
        original.entries.remove(file);
    }
    let settings = Settings {
        excluded: own.to_vec(),
        ..Settings::default()
    };
    if subpackages::is_unchanged(&original, package, &settings) {
        return Ok(());
    }
    Err(Error::package(
        package,
        "it was changed here, and its updateStrategy is `fast-forward`",
        format!(
            "take the changes back, or write `updateStrategy: resource-merge` in {}",
            record.file.display()
        ),
    ))
}

/// `updateStrategy: force-delete-replace`: whatever is here counts as upstream's.
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
    /// Writes it, the record included. Where it `awaits_commit`, the next run knows of it until
    /// [`Upgrade::is_settled`].
    ///
    /// # Errors
    /// Where the disk says no, or somebody changed a file in the meantime.
    pub(super) fn write(
        &mut self,
        disk: &dyn Disk,
        durable: bool,
        awaits_commit: bool,
    ) -> Result<(), Error> {
        self.plan.awaits_commit = awaits_commit;
        self.plan.write_to(disk, durable)?;
        self.facts.written = true;
        self.facts.duration = self.start.elapsed();
        Ok(())
    }

    /// It is committed, and nothing is left to do for the next run.
    ///
    /// # Errors
    /// Where that cannot be noted.
    pub(super) fn is_settled(&self) -> Result<(), Error> {
        package::forget(&RealDisk, &self.plan.root)
    }

    /// The package's folder, as a path from `top`.
    pub(super) fn path_in(&self, top: &Path) -> PathBuf {
        worktree::path_in(top, &self.plan.root)
    }

    /// The files that it changes, as paths from `top`.
    pub(super) fn files(&self, top: &Path) -> Vec<PathBuf> {
        let folder = self.path_in(top);
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
