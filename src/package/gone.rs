//! Finds the files and folders that local deleted as a whole (rules: Deleted files and folders),
//! and combines the conflicts in each into one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::FileOutcome;
use super::disk::folders_above;
use super::file_triple::FileTriple;
use super::jobs::Job;
use super::pair::Group;
use super::plan::FileConflict;
use super::read::ReadFile;
use super::walk::Kind;
use super::whole_file::conflict;
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};

/// Sets [`Job::deleted_whole`] of each file that local deleted, alone or with a folder above it.
/// `local_kinds` are all paths of the local package.
pub(super) fn mark(
    jobs: &mut [Job],
    files: &[ReadFile<'_>],
    groups: &[Group],
    local_kinds: &FxHashMap<PathBuf, Kind>,
) {
    // a file whose documents are in other files now was not deleted
    let mut has_local_documents = vec![false; files.len()];
    // a file was deleted if it has only documents that upstream moved there: an earlier merge
    // created it
    let mut has_upstream_move = vec![false; files.len()];
    let mut has_other_document = vec![false; files.len()];
    for group in groups {
        let Triple {
            original,
            updated,
            local: Some(local),
        } = group.map(|member| member.map(|it| it.triple()))
        else {
            continue;
        };
        if let Some(original) = original {
            has_local_documents[original] = true;
        }
        match original.is_some_and(|it| it != local) && updated == Some(local) {
            true => has_upstream_move[local] = true,
            false => has_other_document[local] = true,
        }
    }
    let mut in_original: FxHashSet<&Path> = FxHashSet::default();
    let mut in_local: FxHashSet<&Path> = FxHashSet::default();
    // paths that the merge leaves out, such as symbolic links, exist nevertheless
    let mut unmerged: FxHashSet<&Path> = local_kinds
        .iter()
        .filter(|(_, kind)| **kind != Kind::Folder)
        .map(|(path, _)| path.as_path())
        .collect();
    for (index, ReadFile { triple, .. }) in files.iter().enumerate() {
        unmerged.remove(triple.path.as_path());
        let original_path = triple.path_on(Side::Original);
        if triple.sides.original.is_some() {
            in_original.extend(original_path.ancestors());
        }
        let only_upstream_moves = has_upstream_move[index] && !has_other_document[index];
        let has_own = triple.sides.local.is_some() && !only_upstream_moves;
        if has_own || has_local_documents[index] {
            in_local.extend(triple.path.ancestors().chain(original_path.ancestors()));
        }
    }
    in_local.extend(unmerged.iter().flat_map(|path| path.ancestors()));
    let is_deleted = |path: &Path| in_original.contains(path) && !in_local.contains(path);
    for (job, ReadFile { triple, .. }) in jobs.iter_mut().zip(files) {
        // `folders_above` leaves out the package's own folder
        let folders = folders_above(&triple.path);
        let above = folders.filter(|folder| is_deleted(folder)).last();
        let deleted = above.or_else(|| is_deleted(&triple.path).then_some(triple.path.as_path()));
        job.deleted_whole = deleted.map(Path::to_owned);
    }
}

/// Combines the conflicts about the documents of a file that local deleted into one.
pub(super) fn fold_file(triple: &FileTriple, outcome: &mut FileOutcome) {
    let is_new = |record: &FileConflict| record.conflict.values().original.is_none();
    let deletions = || outcome.conflicts.iter().filter(|it| it.stays_deleted());
    if deletions().count() > 1 || deletions().any(is_new) {
        outcome.conflicts.retain(|it| !it.stays_deleted());
        outcome.conflicts.push(conflict(
            triple,
            ConflictKind::DeletedLocally,
            Resolution::Local,
        ));
    }
}

/// Combines the conflicts about the files of each folder that local deleted into one.
pub(super) fn fold_folders(triples: &[FileTriple], jobs: &[Job], outcomes: &mut [FileOutcome]) {
    let mut folders: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        let has_deletion = |index: usize| {
            let mut conflicts = outcomes[index].conflicts.iter();
            conflicts.any(FileConflict::stays_deleted)
        };
        if let Some(folder) = &job.deleted_whole
            && *folder != triples[index].path
            && has_deletion(index)
        {
            folders.entry(folder).or_default().push(index);
        }
    }
    for (folder, files) in folders {
        let is_new = |index: &usize| triples[*index].sides.original.is_none();
        if files.len() == 1 && !files.iter().any(is_new) {
            continue;
        }
        for index in &files {
            outcomes[*index].conflicts.retain(|it| !it.stays_deleted());
        }
        outcomes[files[0]]
            .conflicts
            .push(folder_conflict(folder, triples));
    }
}

/// Returns the conflict about a folder that local deleted.
fn folder_conflict(folder: &Path, triples: &[FileTriple]) -> FileConflict {
    let count = |side: Side| {
        let is_below = |it: &&FileTriple| it.path.starts_with(folder) && it.sides[side].is_some();
        let files = triples.iter().filter(is_below).count();
        Some(format!("({files} files)"))
    };
    FileConflict::of_whole(
        folder,
        ConflictKind::DeletedLocally,
        &Triple::new(count(Side::Original), count(Side::Updated), None),
        Resolution::Local,
    )
}
