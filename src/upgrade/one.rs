//! One package, brought from the version that it was made from to another one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::address::Place;
use super::history::Commit;
use super::objects::Modes;
use super::record::{KPTFILE, Record, Strategy};
use super::remote::{Refs, Remotes, Resolved};
use super::version::{Choice, Tag};
use super::{kptfile, subpackages};
use crate::error::Error;
use crate::merge::OnConflict;
use crate::package::{self, ChangeKind, Counts, Disk, Entry, FileChange, Plan, Settings, Snapshot};
use crate::report::Facts;

/// What an upgrade is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wish {
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
}

/// A package that was, or would be, upgraded.
#[derive(Debug)]
pub struct Upgrade {
    /// The package's folder.
    pub package: PathBuf,
    /// Where it comes from.
    pub place: Place,
    /// The version that the local files were made from.
    pub from: Resolved,
    /// The version that it goes to.
    pub to: Resolved,
    /// What the merge does, the record included.
    pub plan: Plan,
    /// What became of it.
    pub facts: Facts,
    /// Conflicts are left, and so nothing was written.
    pub refused: bool,
    /// Upstream's commits between the two, the newest first; none where upstream does not tell them.
    pub commits: Option<Vec<Commit>>,
    /// The commit of this upgrade, where one was made.
    pub committed: Option<String>,
    /// The change of the record, which is written after everything else.
    record: Option<FileChange>,
    start: Instant,
}

/// The version that a package would go to; none where it has it already.
///
/// # Errors
/// Where upstream cannot be reached, or has no such version.
pub(super) fn target(record: &Record, refs: &Refs, wish: &Wish) -> Result<Option<Resolved>, Error> {
    let directory = &record.place.directory;
    let target = match &wish.to {
        Some(name) => Some(
            refs.resolve(name, directory)
                .ok_or_else(|| no_version(record, refs, name))?,
        ),
        None => refs.newest(&record.reference, directory, wish.choice),
    };
    let Some(target) = target else {
        let known = refs.resolve(&record.reference, directory).is_some();
        if !known && Tag::parse(&record.reference).is_none() {
            return Err(no_version(record, refs, &record.reference));
        }
        return Ok(None);
    };
    let is_here = target.commit == record.lock.commit
        && target.name == record.reference
        && record.place == record.lock.place;
    Ok((!is_here).then_some(target))
}

fn no_version(record: &Record, refs: &Refs, name: &str) -> Error {
    let alike = refs.alike(name);
    let help = match alike.as_slice() {
        [] => "see what there is with `git ls-remote`, and name it with --to".to_owned(),
        names => format!("upstream has {}; name one with --to", names.join(", ")),
    };
    Error::Git {
        message: format!(
            "{} has no tag, branch or commit {name}",
            record.place.shown()
        ),
        help,
    }
}

/// Plans the upgrade of a package. Nothing is written. None where there is nothing to do.
///
/// # Errors
/// See [`Error`]; whatever it is, nothing was changed.
pub(super) fn plan(
    remotes: &Remotes,
    package: &Path,
    record: &Record,
    wish: &Wish,
) -> Result<Option<Upgrade>, Error> {
    let start = Instant::now();
    let refs = remotes.refs(&record.place.repository)?;
    let Some(to) = target(record, &refs, wish)? else {
        return Ok(None);
    };
    let from = Resolved {
        name: record.lock.reference.clone(),
        full: record.lock.reference.clone(),
        commit: record.lock.commit.clone(),
        tag: refs
            .resolve(&record.lock.reference, "")
            .is_some_and(|found| found.tag && found.commit == record.lock.commit),
    };
    let modes = Modes::of_system()?;
    let original = remotes.snapshot(&record.lock.place, &from, &modes)?;
    let updated = remotes.snapshot(&record.place, &to, &modes)?;
    let commits = remotes.commits(&record.place, &from, &to)?;
    let (plan, change) = merged(package, record, (original, updated), &to, wish)?;
    let refused = wish.settings.merge.on_conflict == OnConflict::Fail
        && plan.conflicts.iter().any(|it| it.conflict.rule.is_none());
    let facts = Facts {
        written: false,
        open: refused || plan.has_open_conflicts(),
        duration: start.elapsed(),
    };
    Ok(Some(Upgrade {
        package: package.to_owned(),
        place: record.place.clone(),
        from,
        to,
        plan,
        facts,
        refused,
        commits,
        committed: None,
        record: change,
        start,
    }))
}

/// Takes back what an upgrade did to a package that was killed, where an error of [`plan`] says so and this is the same upgrade.
/// Whether it was so, and the plan is to be made anew.
///
/// # Errors
/// As for [`package::undo`].
pub(super) fn recovered(record: &Record, error: &Error) -> Result<bool, Error> {
    let Error::Unfinished { journal, same } = error else {
        return Ok(false);
    };
    // what it has done so far counts as upstream's with `Replace`, and so no upgrade is the same
    let is_same = *same || record.strategy == Strategy::Replace;
    let Some(folder) = journal.parent().filter(|_| is_same) else {
        return Ok(false);
    };
    package::undo(folder)?;
    Ok(true)
}

/// The merge's plan, and the change of the record.
fn merged(
    package: &Path,
    record: &Record,
    upstream: (Snapshot, Snapshot),
    to: &Resolved,
    wish: &Wish,
) -> Result<(Plan, Option<FileChange>), Error> {
    let (mut original, mut updated) = upstream;
    let read =
        |path: PathBuf| fs::read_to_string(&path).map_err(|error| Error::Read { path, error });
    let unchanged = (record.strategy == Strategy::FastForward).then(|| original.clone());
    if record.strategy == Strategy::Replace {
        original = of_disk(package, &wish.settings)?;
    }
    if package.join(KPTFILE).is_file() {
        let local = read(package.join(KPTFILE))?;
        kptfile::as_local_has_it(&mut original, &local);
        kptfile::as_local_has_it(&mut updated, &local);
    }
    let plan = subpackages::plan((original, updated), package, &wish.settings)?;
    // a run that was killed is told of before what it changed
    if let Some(original) = unchanged {
        refuse_changed(package, record, &original)?;
    }
    let text = read(record.file.clone())?;
    let change = record_change(record, &plan, &text, to)?;
    Ok((plan, change))
}

/// The change of the record's file from what the merge makes of it.
fn record_change(
    record: &Record,
    plan: &Plan,
    text: &str,
    to: &Resolved,
) -> Result<Option<FileChange>, Error> {
    let new = record.updated(text, to)?;
    let name = PathBuf::from(record.file.file_name().unwrap_or_default());
    let merged = plan.files.iter().find(|change| change.path == name);
    let merged = merged.and_then(|change| change.new.as_ref());
    let old = merged.map_or(text.as_bytes(), |merged| merged).to_vec();
    let edited = match merged.map(|bytes| String::from_utf8_lossy(bytes)) {
        None => new.into_bytes(),
        // conflict markers make it no YAML
        Some(merged) => {
            let edited = record.updated(&merged, to);
            edited
                .unwrap_or_else(|_| lines_changed(&merged, text, &new))
                .into_bytes()
        }
    };
    if edited == old {
        return Ok(None);
    }
    let metadata = fs::metadata(&record.file).map_err(|error| Error::Read {
        path: record.file.clone(),
        error,
    })?;
    Ok(Some(FileChange {
        path: name,
        kind: ChangeKind::Changed,
        old: Some(old.into()),
        new: Some(edited.into()),
        permissions: metadata.permissions(),
        old_permissions: None,
        seen: None,
    }))
}

/// Makes the change that leads from `old` to `new`, lines of the record, in a text that has the same lines: the merge leaves them
/// alone, whatever it did beside them.
fn lines_changed(text: &str, old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    let mut text = text.to_owned();
    for op in diff.ops() {
        let (before, after) = (op.old_range(), op.new_range());
        let lines = |text: &str, range: std::ops::Range<usize>, more: usize| -> String {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let start = range.start.saturating_sub(more);
            lines.get(start..range.end).unwrap_or_default().concat()
        };
        if op.tag() == similar::DiffTag::Equal {
            continue;
        }
        // with some lines before them, which tell `ref` of `upstream` from that of `upstreamLock`
        for more in 0..=before.start {
            let sought = lines(old, before.clone(), more);
            if !sought.is_empty() && text.matches(&sought).count() == 1 {
                let kept = lines(old, before.start..before.start, more);
                let with = format!("{kept}{}", lines(new, after, 0));
                text = text.replacen(&sought, &with, 1);
                break;
            }
        }
    }
    text
}

/// `updateStrategy: fast-forward`: upstream's version comes only where nothing was changed here.
fn refuse_changed(package: &Path, record: &Record, original: &Snapshot) -> Result<(), Error> {
    let mut original = original.clone();
    let own = [KPTFILE, super::record::RULES_FILE].map(PathBuf::from);
    for file in &own {
        original.entries.remove(file);
    }
    let settings = Settings {
        apart: own.to_vec(),
        ..Settings::default()
    };
    if subpackages::is_unchanged(&original, package, &settings) {
        return Ok(());
    }
    Err(Error::Package {
        path: package.to_owned(),
        message: "it was changed here, and its updateStrategy is `fast-forward`".to_owned(),
        help: format!(
            "take the changes back, or write `updateStrategy: resource-merge` in {}",
            record.file.display()
        ),
    })
}

/// `updateStrategy: force-delete-replace`: whatever is here counts as upstream's.
fn of_disk(package: &Path, settings: &Settings) -> Result<Snapshot, Error> {
    let mut snapshot = Snapshot {
        name: package.to_owned(),
        ..Snapshot::default()
    };
    let walk = walkdir::WalkDir::new(package)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let entry = entry.map_err(|error| Error::Read {
            path: error.path().unwrap_or(package).to_owned(),
            error: error.into(),
        })?;
        let path = entry.path().strip_prefix(package).unwrap_or(entry.path());
        if !entry.file_type().is_file()
            || settings.apart.iter().any(|apart| path.starts_with(apart))
        {
            continue;
        }
        let failed = |error| Error::Read {
            path: entry.path().to_owned(),
            error,
        };
        let permissions = fs::metadata(entry.path()).map_err(failed)?.permissions();
        let bytes = fs::read(entry.path()).map_err(failed)?;
        snapshot
            .entries
            .insert(path.to_owned(), Entry::File { bytes, permissions });
    }
    Ok(snapshot)
}

impl Upgrade {
    /// Writes it: first the merge, then the record, so that an upgrade that was interrupted is finished by the next one.
    ///
    /// # Errors
    /// Where the disk says no, or somebody changed a file in the meantime.
    pub(super) fn write(&mut self, disk: &dyn Disk, durable: bool) -> Result<(), Error> {
        self.plan.write_to(disk, durable)?;
        if let Some(change) = self.record.take() {
            let record = Plan {
                root: self.plan.root.clone(),
                files: vec![change],
                conflicts: Vec::new(),
                pinned: Vec::new(),
                renamed: Vec::new(),
                warnings: Vec::new(),
                counts: Counts::default(),
                show_secrets: self.plan.show_secrets,
                leftovers: Vec::new(),
                merge: 0,
            };
            record.write_to(disk, durable)?;
            self.record = record.files.into_iter().next();
        }
        self.facts.written = true;
        self.show_record();
        Ok(())
    }

    /// Makes the record's change part of the plan that is told.
    pub(super) fn show_record(&mut self) {
        self.facts.duration = self.start.elapsed();
        let Some(change) = self.record.take() else {
            return;
        };
        let files = &mut self.plan.files;
        match files.iter_mut().find(|it| it.path == change.path) {
            Some(merged) => merged.new = change.new,
            None => {
                self.plan.counts.changed += 1;
                files.push(change);
                files.sort_by(|left, right| left.path.cmp(&right.path));
            }
        }
    }

    /// The package's folder, as a path from `top`.
    pub(super) fn path_in(&self, top: &Path) -> PathBuf {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = whole(&self.plan.root);
        root.strip_prefix(whole(top)).unwrap_or(&root).to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_change_where_a_text_has_them() {
        let old = "a:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let new = "a:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        let text = "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let expected =
            "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        assert_eq!(lines_changed(text, old, new), expected);
    }
}
