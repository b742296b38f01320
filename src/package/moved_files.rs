//! Joins the triples of files with resources that upstream or local moved as a whole to another
//! path (rules: Renamed resources).
//!
//! Resources pair wherever they are (`pair`), so the groups say which files moved. The joined file
//! then merges like one that never moved. `renamed_files` joins files without resources.

use rustc_hash::{FxHashMap, FxHashSet};

use super::file_triple::FileTriple;
use super::pair::{DocRef, Group};
use super::read::ReadFile;
use crate::triple::{Side, Triple};

/// The files that moved as a whole.
#[derive(Debug, Default)]
pub(super) struct MovedFiles {
    /// For each file, the index of its joined triple, and the triple that had it on each side.
    moves: Vec<(usize, Triple<usize>)>,
    /// The triples that replace others, with their indexes: the joined ones, and what these leave
    /// of the others.
    replaced: Vec<(usize, FileTriple)>,
}

impl MovedFiles {
    /// Finds the files that moved. `triples` are those of `files`, and `groups` their paired
    /// documents.
    pub(super) fn find(triples: &[FileTriple], files: &[ReadFile<'_>], groups: &[Group]) -> Self {
        let mut moved = Self::default();
        for (target, sides) in moves(files, groups) {
            let others = sides.into_iter().filter(|index| *index != target);
            let others = others.map(|index| (index, without(&triples[index], index, sides)));
            moved.replaced.extend(others);
            let joined = FileTriple::joined(triples, target, sides);
            moved.replaced.push((target, joined));
            moved.moves.push((target, sides));
        }
        moved
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Joins the parsed files that moved.
    pub(super) fn join<'a>(&'a self, mut files: Vec<ReadFile<'a>>) -> Vec<ReadFile<'a>> {
        let mut joined = Vec::with_capacity(self.moves.len());
        for (target, sides) in &self.moves {
            let readings = Side::ALL.map(|side| files[sides[side]].readings[side].take());
            joined.push((*target, readings));
        }
        for (index, triple) in &self.replaced {
            files[*index].triple = triple;
        }
        for (target, readings) in joined {
            files[target].readings = readings;
        }
        files
    }

    /// Replaces the triples of the files that moved.
    pub(super) fn replace_triples(self, triples: &mut [FileTriple]) {
        for (index, triple) in self.replaced {
            triples[index] = triple;
        }
    }
}

/// Returns a triple without the sides that are in the joined triple of `sides`.
fn without(triple: &FileTriple, index: usize, sides: Triple<usize>) -> FileTriple {
    let rest = triple.sides.as_ref().zip(sides);
    let rest = rest.map(|(source, moved)| source.clone().filter(|_| moved != index));
    FileTriple::new(triple.path.clone(), triple.yaml, rest)
}

/// Returns the files that moved: the triple whose path the merged file gets, and the triple that
/// has the file on each side. The path merges like a value: local's stays if local moved the file.
///
/// The result is the same if the merge runs again (law 4): the moves of a merge do not change it.
fn moves(files: &[ReadFile<'_>], groups: &[Group]) -> Vec<(usize, Triple<usize>)> {
    let has = |triple: usize, side: Side| files[triple].file(side).is_some();
    let in_updated = paths(files, groups, Side::Updated);
    let in_local = paths(files, groups, Side::Local);
    let others = OtherDocuments::of(groups);
    let moved = in_updated.iter().filter_map(|(original, updated)| {
        let (original, updated) = (*original, *updated);
        let local = *in_local.get(&original)?;
        let target = if local == original { updated } else { local };
        let is_moved_upstream = updated != original;
        if target == original || is_moved_upstream && has(original, Side::Updated) {
            return None;
        }
        let stays_apart = match (local == original, local == updated) {
            (true, _) => has(updated, Side::Local),
            // a file of local's own keeps the head that upstream's lacks
            (_, true) => {
                let head = files[updated].file(Side::Updated)?.head;
                head.is_empty() && others.only_local.contains(&local)
            }
            // upstream's new documents come to the path that they have upstream
            _ => {
                others.not_moved.contains(&updated)
                    || has(local, Side::Updated)
                    || is_moved_upstream && has(updated, Side::Local)
            }
        };
        let is_joined = !stays_apart && !files[local].triple.is_pinned();
        is_joined.then(|| (target, Triple::new(original, updated, local)))
    });
    let mut moved: Vec<_> = moved.collect();
    moved.sort_unstable_by_key(|(target, _)| *target);
    moved
}

/// The triples with documents that did not move there from a file of the original.
#[derive(Default)]
struct OtherDocuments {
    /// The triples in which local has documents of its own.
    only_local: FxHashSet<usize>,
    /// The triples in which upstream has documents that are new, or that local has there too.
    not_moved: FxHashSet<usize>,
}

impl OtherDocuments {
    fn of(groups: &[Group]) -> Self {
        let mut others = Self::default();
        for group in groups {
            let at = group.map(|member| member.map(DocRef::triple));
            match (at.original, at.updated, at.local) {
                (None, None, Some(local)) => {
                    others.only_local.insert(local);
                }
                (None, Some(updated), None) => {
                    others.not_moved.insert(updated);
                }
                (_, Some(updated), Some(local)) if updated == local => {
                    others.not_moved.insert(updated);
                }
                _ => {}
            }
        }
        others
    }
}

/// Returns the triple in which a side has each file of the original: the one at the same path if
/// the side still has a document of the file there. Else it is the one that has all documents of
/// the file that all three have, if the original does not have it and no document of another file
/// of the original is in it. A document that local has in upstream's new file does not count,
/// unless local has no others.
fn paths(files: &[ReadFile<'_>], groups: &[Group], side: Side) -> FxHashMap<usize, usize> {
    let shared = groups.iter().filter_map(|group| group.transpose());
    let (mut pairs, mut upstream_moves) = (FxHashSet::default(), FxHashSet::default());
    for at in shared.map(|group| group.map(DocRef::triple)) {
        let is_upstream_move = side == Side::Local && at.local == at.updated;
        match is_upstream_move && at.local != at.original {
            true => upstream_moves.insert((at.original, at.local)),
            false => pairs.insert((at.original, at[side])),
        };
    }
    let other_files: FxHashSet<usize> = pairs.iter().map(|(from, _)| *from).collect();
    upstream_moves.retain(|(from, _)| !other_files.contains(from));
    pairs.extend(upstream_moves);
    let (mut targets, mut sources) = (vec![0; files.len()], vec![0; files.len()]);
    for (from, to) in &pairs {
        targets[*from] += 1;
        sources[*to] += 1;
    }
    let is_path = |(from, to): &(usize, usize)| {
        let is_new = files[*to].file(Side::Original).is_none();
        from == to || targets[*from] == 1 && is_new && sources[*to] == 1
    };
    pairs.into_iter().filter(is_path).collect()
}
