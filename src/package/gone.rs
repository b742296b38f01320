//! What local deleted as a whole stays deleted as a whole (rules: Deleted files and folders):
//! files, and folders of which it has nothing left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::FileOutcome;
use super::disk::folders_above;
use super::file_triple::FileTriple;
use super::jobs::Job;
use super::pair::Group;
use super::plan::FileConflict;
use super::walk::Kind;
use super::whole_file::conflict;
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Side, Triple};

/// What a file of upstream's is a part of that local deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The file itself.
    File,
    /// This folder, the topmost one.
    Folder(PathBuf),
}

/// Says of each file of upstream's whether local deleted it, or a folder that it is in.
pub(super) fn mark(
    jobs: &mut [Job],
    triples: &[FileTriple],
    groups: &[Group],
    local_kinds: &FxHashMap<PathBuf, Kind>,
) {
    // a file whose documents are elsewhere now was not deleted
    let mut lives_on = vec![false; triples.len()];
    // one that is there with nothing but what upstream moved there was: a merge put that there
    let mut came_back: Vec<Option<bool>> = vec![None; triples.len()];
    for group in groups {
        if let (Some(original), Some(_)) = (group.original, group.local) {
            lives_on[original.triple] = true;
        }
        if let Some(local) = group.local {
            let triples = group.map(|member| member.map(|it| it.triple));
            let moved = triples.original.is_some_and(|it| it != local.triple);
            let is_moved = moved && triples.updated == triples.local;
            let others = came_back[local.triple].unwrap_or(true);
            came_back[local.triple] = Some(others && is_moved);
        }
    }
    let mut had: FxHashSet<&Path> = FxHashSet::default();
    let mut has: FxHashSet<&Path> = FxHashSet::default();
    // what is no part of the merge, a link say, is there all the same
    let mut others: FxHashSet<&Path> = local_kinds
        .iter()
        .filter(|(_, kind)| **kind != Kind::Folder)
        .map(|(path, _)| path.as_path())
        .collect();
    for (index, triple) in triples.iter().enumerate() {
        others.remove(triple.path.as_path());
        let former = triple.path_on(Side::Original);
        if triple.sides.original.is_some() {
            had.extend(former.ancestors());
        }
        let has_own = triple.sides.local.is_some() && came_back[index] != Some(true);
        if has_own || lives_on[index] {
            has.extend(triple.path.ancestors().chain(former.ancestors()));
        }
    }
    has.extend(others.iter().flat_map(|path| path.ancestors()));
    let is_gone = |path: &Path| had.contains(path) && !has.contains(path);
    for (job, triple) in jobs.iter_mut().zip(triples) {
        // the package itself is no folder of it
        let folders = folders_above(&triple.path);
        job.gone = match folders.filter(|folder| is_gone(folder)).last() {
            Some(folder) => Some(Gone::Folder(folder.to_owned())),
            None => is_gone(&triple.path).then_some(Gone::File),
        };
    }
}

/// Makes one conflict of those about the documents of a file that local deleted.
pub(super) fn fold_file(triple: &FileTriple, outcome: &mut FileOutcome) {
    let is_new = |record: &FileConflict| record.conflict.values.original.is_none();
    let staying = || outcome.conflicts.iter().filter(|it| it.stays_deleted());
    if staying().count() > 1 || staying().any(is_new) {
        outcome.conflicts.retain(|it| !it.stays_deleted());
        outcome.conflicts.push(conflict(
            triple,
            ConflictKind::DeletedLocally,
            Resolution::Local,
        ));
    }
}

/// Makes one conflict of those about the files of a folder that local deleted.
pub(super) fn fold_folders(triples: &[FileTriple], jobs: &[Job], outcomes: &mut [FileOutcome]) {
    let mut folders: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        if let Some(Gone::Folder(folder)) = &job.gone
            && outcomes[index]
                .conflicts
                .iter()
                .any(FileConflict::stays_deleted)
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
            .push(of_folder(folder, triples));
    }
}

fn of_folder(folder: &Path, triples: &[FileTriple]) -> FileConflict {
    let within = || {
        triples
            .iter()
            .filter(|triple| triple.path.starts_with(folder))
    };
    let files = |count: usize| Some(format!("({count} files)").into());
    let values = Triple {
        original: files(within().filter(|it| it.sides.original.is_some()).count()),
        updated: files(within().filter(|it| it.sides.updated.is_some()).count()),
        local: None,
    };
    FileConflict::of_whole(
        folder,
        ConflictKind::DeletedLocally,
        values,
        Resolution::Local,
    )
}
