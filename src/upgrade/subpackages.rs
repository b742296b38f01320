//! A package and the packages in it (a Kptfile below a Kptfile): each merges on its own, as in kpt.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::nested_package::is_its_own;
use super::record::{KPTFILE, RULES_FILE};
use crate::error::{Error, Warning};
use crate::merge::{ConflictKind, Resolution};
use crate::package::{
    ChangeKind, FileConflict, Input, Kind, Plan, Progress, Settings, Snapshot, SnapshotEntry,
    folders_above, is_as_upstream, is_reserved, plan_sides,
};
use crate::triple::Triple;

/// Merges a package, its subpackages each on its own.
///
/// A subpackage that upstream deleted goes where nothing in it was changed here, else it stays
/// whole; one that was deleted here stays deleted. Either is reported as a conflict.
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
    if roots.is_empty() {
        return plan_sides(&sides, settings, &Progress::default());
    }
    let ignored = crate::package::ignored(&sides, settings)?;
    let (Input::Read(original), Input::Read(updated)) = (&sides.original, &sides.updated) else {
        return plan_sides(&sides, settings, &Progress::default());
    };
    let mut whole_settings = settings.clone();
    whole_settings.excluded = roots.iter().cloned().collect();
    let mut whole = plan_sides(&sides, &whole_settings, &Progress::default())?;
    let (own, roots) = own_and_parents(roots, original, local);
    for root in &own {
        let [before, now] = [original, updated].map(|side| cut(side, root, &[]));
        if before.entries != now.entries {
            whole.warnings.push(Warning::about(
                root,
                "a package with a record of its own here: what upstream \
                 changed in it is left out, upgrade it by itself",
            ));
        }
    }
    for root in &roots {
        let others = roots.iter().chain(&own).filter(|other| *other != root);
        let left_to_others = others.chain(&ignored);
        let left_to_others = left_to_others.filter_map(|other| other.strip_prefix(root).ok());
        let left_to_others: Vec<PathBuf> = left_to_others.map(Path::to_owned).collect();
        let is_all = |path: &PathBuf| path.as_os_str().is_empty();
        if left_to_others.iter().any(is_all) {
            continue;
        }
        let upstream = [original, updated].map(|side| cut(side, root, &left_to_others));
        let settings = Settings {
            excluded: left_to_others,
            // a subpackage has rules of its own, or none; where upstream has some there they
            // may be upstream's
            config: None,
            no_rules: left_out.contains(&root.join(RULES_FILE)),
            ..settings.clone()
        };
        if let Some(plan) = plan_one(root, upstream, local.join(root), &settings)? {
            join(&mut whole, plan, root);
        }
    }
    whole.sort();
    Ok(whole)
}

/// The subpackages that are their own, with all that is in them, and those that merge with the
/// package.
fn own_and_parents(
    roots: BTreeSet<PathBuf>,
    original: &Snapshot,
    local: &Path,
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut own: Vec<PathBuf> = Vec::new();
    let mut parents = Vec::new();
    for root in roots {
        if own.iter().any(|outer| root.starts_with(outer)) {
            continue;
        }
        let before = original.file(root.join(KPTFILE));
        match is_its_own(&local.join(&root), before) {
            true => own.push(root),
            false => parents.push(root),
        }
    }
    (own, parents)
}

/// Merges one subpackage; `None` if nothing is to be done.
fn plan_one(
    root: &Path,
    [original, updated]: [Snapshot; 2],
    local: PathBuf,
    settings: &Settings,
) -> Result<Option<Plan>, Error> {
    let here = local.is_dir();
    let before = !original.entries.is_empty();
    let now = !updated.entries.is_empty();
    let kind = match (before, now, here) {
        (_, false, false) | (false, false, true) => return Ok(None),
        (true, true, false) if original.entries == updated.entries => return Ok(None),
        (true, true, false) => ConflictKind::DeletedLocally,
        (true, false, true) if !is_unchanged(&original, &local, settings) => {
            ConflictKind::DeletedUpstream
        }
        (_, _, here) => {
            let local = match here {
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
    // it stays what it is here, and that is reported
    let value = |there: bool| there.then(|| format!("package {}", root.display()).into());
    let values = Triple::new(value(true), value(now), value(here));
    let conflict = FileConflict::of_whole(Path::new(KPTFILE), kind, values, Resolution::Local);
    Ok(Some(Plan {
        conflicts: vec![conflict],
        show_secrets: settings.show_secrets,
        ..Plan::new(local, 0)
    }))
}

/// The folders below the package that are packages on any side.
fn roots(original: &Snapshot, updated: &Snapshot, local: &Path) -> BTreeSet<PathBuf> {
    let mut roots = BTreeSet::new();
    let mut add = |path: &Path| {
        if let (true, Some(folder)) = (path.ends_with(KPTFILE), folders_above(path).next()) {
            roots.insert(folder.to_owned());
        }
    };
    for snapshot in [original, updated] {
        for (path, entry) in &snapshot.entries {
            if matches!(entry, SnapshotEntry::File { .. }) {
                add(path);
            }
        }
    }
    let here = Input::disk(local).list().entries;
    let files = here.iter().filter(|(_, kind)| *kind == Kind::File);
    files.for_each(|(path, _)| add(path));
    roots
}

/// What is in a folder of a snapshot, as a snapshot.
fn cut(snapshot: &Snapshot, root: &Path, left_out: &[PathBuf]) -> Snapshot {
    let entries = snapshot.entries.iter().filter_map(|(path, entry)| {
        let path = path.strip_prefix(root).ok()?;
        let own = !left_out.iter().any(|folder| path.starts_with(folder));
        own.then(|| (path.to_owned(), entry.clone()))
    });
    Snapshot {
        name: snapshot.name.join(root),
        entries: entries.collect(),
    }
}

/// Whether a folder has the files of a snapshot, and no others. What kpt writes into them is no
/// change.
pub(super) fn is_unchanged(snapshot: &Snapshot, folder: &Path, settings: &Settings) -> bool {
    let side = Input::disk(folder);
    let listing = side.list();
    let here = listing.entries.iter();
    let here = here.filter(|(path, kind)| *kind != Kind::Folder && !settings.is_excluded(path));
    let here: Vec<_> = here.collect();
    let is_same = |(path, kind): &&(PathBuf, Kind)| match (snapshot.entries.get(path), kind) {
        (Some(SnapshotEntry::File { bytes, .. }), Kind::File) => side
            .read(path, false)
            .is_ok_and(|local| is_as_upstream(path, bytes, &local.bytes)),
        (Some(SnapshotEntry::Link(target)), Kind::Link(local)) => local == target,
        _ => false,
    };
    let others = snapshot
        .entries
        .iter()
        .filter(|(path, entry)| matches!(entry, SnapshotEntry::Other) || is_reserved(path));
    listing.errors.is_empty()
        && here.len() + others.count() == snapshot.entries.len()
        && here.iter().all(is_same)
}

/// Adds the plan for a folder to that for the whole.
fn join(whole: &mut Plan, mut part: Plan, root: &Path) {
    let place = |path: &mut PathBuf| *path = root.join(&*path);
    for change in &mut part.files {
        place(&mut change.path);
        if let ChangeKind::Moved { from } = &mut change.kind {
            place(from);
        }
    }
    for (all, some) in whole.records().into_iter().zip(part.records()) {
        for record in &mut *some {
            record.file = root.join(&record.file).into();
        }
        all.append(some);
    }
    for renamed in &mut part.renamed {
        place(&mut renamed.file);
    }
    for warning in part.warnings.iter_mut().filter(|it| it.place.is_none()) {
        place(&mut warning.path);
    }
    let sources = part.sources.into_iter();
    let sources = sources.map(|(path, bytes)| (root.join(path), bytes));
    whole.sources.extend(sources);
    whole.files.append(&mut part.files);
    whole.renamed.append(&mut part.renamed);
    whole.warnings.append(&mut part.warnings);
    whole.read += part.read;
}
