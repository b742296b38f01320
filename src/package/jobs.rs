//! Distributes the paired documents (rules: Documents) over the files of the result: [`jobs`]
//! returns a [`Job`] for each file, which `documents` carries out. It also finds the files and
//! folders that local deleted as a whole (rules: Deleted files and folders); the conflicts in each
//! are combined into one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::FileOutcome;
use super::disk::folders_above;
use super::file_triple::FileTriple;
use super::input::Kind;
use super::pair::{DocRef, Group};
use super::parsed::Parsed;
use super::plan::FileConflict;
use super::read::ReadFile;
use super::whole_file::conflict;
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};

/// The documents to merge, insert and remove in one file of the result.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Job {
    /// The documents of the local file that stay in it, or that upstream deleted.
    pub(crate) staying: Vec<Group>,
    /// The documents of the local file that move to another file.
    pub(crate) moving_out: Vec<Group>,
    /// Upstream's documents to insert: new ones, and those that move here from another local file.
    pub(crate) inserted: Vec<Group>,
    /// The documents that take the head of their former file along.
    pub(crate) with_head: FxHashSet<Group>,
    /// Upstream's documents that local deleted.
    pub(crate) deleted_locally: Vec<Group>,
    /// The path of the file if local deleted it as a whole, or of the topmost folder above it that
    /// local deleted. No new document is inserted then.
    pub(crate) deleted_whole: Option<PathBuf>,
}

/// Returns one job for each triple. `local_kinds` are all paths of the local package.
///
/// A document stays in its local file, unless upstream moved it and local did not.
pub(crate) fn jobs(
    files: &[ReadFile<'_>],
    groups: &[Group],
    local_kinds: &FxHashMap<PathBuf, Kind>,
) -> Vec<Job> {
    let mut jobs: Vec<Job> = files.iter().map(|_| Job::default()).collect();
    let pinned: Vec<bool> = files.iter().map(|file| file.triple.is_pinned()).collect();
    for group in groups {
        match (group.local, group.updated) {
            (Some(local), _) => {
                let target = target_triple(group, local);
                // no document moves out of a pinned file or into one
                if target == local.triple() || pinned[target] || pinned[local.triple()] {
                    jobs[local.triple()].staying.push(*group);
                } else {
                    jobs[local.triple()].moving_out.push(*group);
                    jobs[target].inserted.push(*group);
                }
            }
            (None, Some(updated)) if group.original.is_some() => {
                jobs[updated.triple()].deleted_locally.push(*group);
            }
            (None, Some(updated)) => jobs[updated.triple()].inserted.push(*group),
            (None, None) => {}
        }
    }
    for group in with_heads(groups, jobs.len()) {
        if let Some(local) = group.local {
            jobs[target_triple(group, local)].with_head.insert(*group);
        }
    }
    mark_deleted(&mut jobs, files, groups, local_kinds);
    jobs
}

/// Returns the documents that take the head of their file along: the first one that upstream and
/// local have of each file of the original that upstream moved all documents out of.
fn with_heads(groups: &[Group], files: usize) -> impl Iterator<Item = &Group> {
    let mut first: Vec<Option<&Group>> = vec![None; files];
    let mut keeps_document = vec![false; files];
    for group in groups {
        let (Some(original), Some(updated)) = (group.original, group.updated) else {
            continue;
        };
        keeps_document[original.triple()] |= original.triple() == updated.triple();
        let first = &mut first[original.triple()];
        let is_first = first.is_none_or(|first| original < first.original.unwrap_or(original));
        if group.local.is_some() && is_first {
            *first = Some(group);
        }
    }
    let moved_out = first.into_iter().zip(keeps_document);
    moved_out.filter_map(|(first, keeps_document)| first.filter(|_| !keeps_document))
}

/// Returns the triple that a local document moves to, by a three-way merge of its path.
fn target_triple(group: &Group, local: DocRef) -> usize {
    match (group.original, group.updated) {
        (Some(original), Some(updated)) if original.triple() == local.triple() => updated.triple(),
        _ => local.triple(),
    }
}

/// Returns the documents of a group.
pub(crate) fn members<'f, 'a>(
    files: &'f [ReadFile<'a>],
    group: &Group,
) -> Triple<Option<&'f Parsed<'a>>> {
    Side::ALL.map(|side| document_at(files, side, group[side]?))
}

/// Returns a document of one side.
pub(crate) fn document_at<'f, 'a>(
    files: &'f [ReadFile<'a>],
    side: Side,
    at: DocRef,
) -> Option<&'f Parsed<'a>> {
    files[at.triple()].file(side)?.documents.get(at.document())
}

/// Sets [`Job::deleted_whole`] of each file that local deleted, alone or with a folder above it.
/// `local_kinds` are all paths of the local package.
pub(super) fn mark_deleted(
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
        let triples = group.map(|member| member.map(DocRef::triple));
        let Some(local) = triples.local else { continue };
        if let Some(original) = triples.original {
            has_local_documents[original] = true;
        }
        match triples.original.is_some_and(|it| it != local) && triples.updated == triples.local {
            true => has_upstream_move[local] = true,
            false => has_other_document[local] = true,
        }
    }
    let mut in_original: FxHashSet<&Path> = FxHashSet::default();
    let mut in_local: FxHashSet<&Path> = FxHashSet::default();
    // paths that the merge leaves out, such as symbolic links, exist nevertheless
    let no_folders = local_kinds.iter().filter(|it| *it.1 != Kind::Folder);
    let mut unmerged: FxHashSet<&Path> = no_folders.map(|(path, _)| path.as_path()).collect();
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
        let kind = ConflictKind::DeletedLocally;
        let folded = conflict(triple, kind, Resolution::Local);
        outcome.conflicts.push(folded);
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
        let count = |side: Side| {
            let below = triples.iter().filter(|it| it.path.starts_with(folder));
            let files = below.filter(|it| it.sides[side].is_some()).count();
            Some(format!("({files} files)"))
        };
        let values = Triple::new(count(Side::Original), count(Side::Updated), None);
        let kind = ConflictKind::DeletedLocally;
        let conflict = FileConflict::of_whole(folder, kind, &values, Resolution::Local);
        outcomes[files[0]].conflicts.push(conflict);
    }
}
