//! Merges a package and its subpackages (folders with a Kptfile of their own) separately, as kpt
//! does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::find::has_own_record;
use super::record::{KPTFILE, RULES_FILE};
use crate::error::{Error, Warning};
use crate::merge::{ConflictKind, Resolution};
use crate::package::{
    ChangeKind, FileConflict, Input, Kind, Plan, Progress, Settings, Snapshot, SnapshotEntry,
    folders_above, is_as_upstream, is_reserved, plan_sides,
};
use crate::triple::Triple;

/// Merges a package and each of its subpackages, and returns one plan.
///
/// A subpackage that upstream deleted is deleted if it has no local changes; else all of it stays,
/// with a conflict. A subpackage that was deleted locally stays deleted, with a conflict if
/// upstream changed it. `left_out` has the paths of upstream's files for merge3.
///
/// # Errors
/// As for [`plan_sides`].
pub(super) fn plan(
    upstream: (Snapshot, Snapshot),
    left_out: &[PathBuf],
    local: &Path,
    settings: &Settings,
) -> Result<Plan, Error> {
    let (original, updated) = upstream;
    let roots = roots(&original, &updated, local);
    let [original, updated] = [original, updated].map(Input::Read);
    let sides = Triple::new(original, updated, Input::disk(local));
    let (Input::Read(original), Input::Read(updated), false) =
        (&sides.original, &sides.updated, roots.is_empty())
    else {
        return plan_sides(&sides, settings, &Progress::default());
    };
    let ignored = crate::package::ignored(&sides, settings)?;
    let outer_settings = Settings {
        excluded: roots.iter().cloned().collect(),
        ..settings.clone()
    };
    let mut whole = plan_sides(&sides, &outer_settings, &Progress::default())?;
    let (independent, roots) = split_independent(roots, original, local);
    for root in &independent {
        let [before, after] = [original, updated].map(|side| subfolder(side, root, &[]));
        if before.entries != after.entries {
            whole.warnings.push(Warning::about(
                root,
                "a package with a record of its own here: what upstream \
                 changed in it is left out, upgrade it by itself",
            ));
        }
    }
    for root in &roots {
        let others = roots.iter().chain(&independent);
        let others = others.filter(|other| *other != root);
        let excluded = others.chain(&ignored);
        let excluded = excluded.filter_map(|other| other.strip_prefix(root).ok());
        let excluded: Vec<PathBuf> = excluded.map(Path::to_owned).collect();
        // the whole subpackage is ignored
        if excluded.contains(&PathBuf::new()) {
            continue;
        }
        let upstream = [original, updated].map(|side| subfolder(side, root, &excluded));
        let settings = Settings {
            excluded,
            // the rules of the outer package do not apply; a rules file in the subpackage may be
            // upstream's if upstream has one there, and is then not read
            config: None,
            no_rules: left_out.contains(&root.join(RULES_FILE)),
            ..settings.clone()
        };
        if let Some(plan) = plan_one(root, upstream, local.join(root), &settings)? {
            add_plan(&mut whole, plan, root);
        }
    }
    whole.sort();
    Ok(whole)
}

/// Splits the roots of subpackages into those with a record of their own, without what is below
/// them, and those that merge with the package.
fn split_independent(
    roots: BTreeSet<PathBuf>,
    original: &Snapshot,
    local: &Path,
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut independent: Vec<PathBuf> = Vec::new();
    let mut dependent = Vec::new();
    for root in roots {
        if independent.iter().any(|outer| root.starts_with(outer)) {
            continue;
        }
        let kptfile = original.file(root.join(KPTFILE));
        match has_own_record(&local.join(&root), kptfile) {
            true => independent.push(root),
            false => dependent.push(root),
        }
    }
    (independent, dependent)
}

/// Merges one subpackage; `None` if there is nothing to do.
fn plan_one(
    root: &Path,
    [original, updated]: [Snapshot; 2],
    local: PathBuf,
    settings: &Settings,
) -> Result<Option<Plan>, Error> {
    let in_local = local.is_dir();
    let in_original = !original.entries.is_empty();
    let in_updated = !updated.entries.is_empty();
    let kind = match (in_original, in_updated, in_local) {
        (_, false, false) | (false, false, true) => return Ok(None),
        (true, true, false) if original.entries == updated.entries => return Ok(None),
        (true, true, false) => ConflictKind::DeletedLocally,
        (true, false, true) if !is_unchanged(&original, &local, settings) => {
            ConflictKind::DeletedUpstream
        }
        _ => {
            let local = match in_local {
                true => Input::disk(&local),
                false => Input::Read(Snapshot {
                    name: local,
                    ..Snapshot::default()
                }),
            };
            let sides = Triple::new(Input::Read(original), Input::Read(updated), local);
            return plan_sides(&sides, settings, &Progress::default()).map(Some);
        }
    };
    // local stays as it is, with a conflict for the whole subpackage
    let value = |exists: bool| exists.then(|| format!("package {}", root.display()));
    let values = Triple::new(value(true), value(in_updated), value(in_local));
    let conflict = FileConflict::of_whole(Path::new(KPTFILE), kind, &values, Resolution::Local);
    Ok(Some(Plan {
        conflicts: vec![conflict],
        show_secrets: settings.show_secrets,
        ..Plan::new(local, 0)
    }))
}

/// Returns the folders below the package that have a Kptfile on any side.
fn roots(original: &Snapshot, updated: &Snapshot, local: &Path) -> BTreeSet<PathBuf> {
    let upstream = original.entries.iter().chain(&updated.entries);
    let upstream = upstream.filter(|(_, entry)| matches!(entry, SnapshotEntry::File { .. }));
    let local = Input::disk(local).list().entries;
    let local = local.iter().filter(|(_, kind)| *kind == Kind::File);
    let files = upstream
        .map(|(path, _)| path)
        .chain(local.map(|(path, _)| path));
    let kptfiles = files.filter(|path| path.ends_with(KPTFILE));
    let folders = kptfiles.filter_map(|path| folders_above(path).next());
    folders.map(Path::to_owned).collect()
}

/// Returns the contents of a folder of a snapshot, without those of `excluded` folders in it.
fn subfolder(snapshot: &Snapshot, root: &Path, excluded: &[PathBuf]) -> Snapshot {
    let entries = snapshot.entries.iter().filter_map(|(path, entry)| {
        let path = path.strip_prefix(root).ok()?;
        let is_included = !excluded.iter().any(|folder| path.starts_with(folder));
        is_included.then(|| (path.to_owned(), entry.clone()))
    });
    Snapshot {
        name: snapshot.name.join(root),
        entries: entries.collect(),
    }
}

/// Whether a folder has exactly the files of a snapshot. Changes that kpt makes to files do not
/// count.
pub(super) fn is_unchanged(snapshot: &Snapshot, folder: &Path, settings: &Settings) -> bool {
    let side = Input::disk(folder);
    let listing = side.list();
    let files = listing.entries.iter();
    let files = files.filter(|(path, kind)| *kind != Kind::Folder && !settings.is_excluded(path));
    let files: Vec<_> = files.collect();
    let is_same = |(path, kind): &&(PathBuf, Kind)| match (snapshot.entries.get(path), kind) {
        (Some(SnapshotEntry::File { bytes, .. }), Kind::File) => side
            .read(path, false)
            .is_ok_and(|local| is_as_upstream(path, bytes, &local.bytes)),
        (Some(SnapshotEntry::Link(target)), Kind::Link(local)) => local == target,
        _ => false,
    };
    let never_written = snapshot
        .entries
        .iter()
        .filter(|(path, entry)| matches!(entry, SnapshotEntry::Other) || is_reserved(path));
    listing.errors.is_empty()
        && files.len() + never_written.count() == snapshot.entries.len()
        && files.iter().all(is_same)
}

/// Adds the plan of the subpackage at `root` to the plan of the whole package.
fn add_plan(whole: &mut Plan, mut part: Plan, root: &Path) {
    let prefix = |path: &mut PathBuf| *path = root.join(&*path);
    for change in &mut part.files {
        prefix(&mut change.path);
        if let ChangeKind::Moved { from } = &mut change.kind {
            prefix(from);
        }
    }
    for (all, added) in whole.records().into_iter().zip(part.records()) {
        for record in &mut *added {
            record.file = root.join(&record.file).into();
        }
        all.append(added);
    }
    for renamed in &mut part.renamed {
        prefix(&mut renamed.file);
    }
    for warning in part.warnings.iter_mut().filter(|it| it.place.is_none()) {
        prefix(&mut warning.path);
    }
    let sources = part.sources.into_iter();
    let sources = sources.map(|(path, bytes)| (root.join(path), bytes));
    whole.sources.extend(sources);
    whole.files.append(&mut part.files);
    whole.renamed.append(&mut part.renamed);
    whole.warnings.append(&mut part.warnings);
    whole.read += part.read;
}
