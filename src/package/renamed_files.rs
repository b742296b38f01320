//! Joins the triples of files that one side renamed (rules: Renamed files).
//!
//! This is about files without resources, such as chart values, templates, workflows and scripts.
//! Resources have an identity and pair wherever they are (`pair`).

use std::cmp::Reverse;

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::disk::hash;
use super::file_triple::FileTriple;
use super::parsed::ParsedFile;
use crate::triple::{Side, Triple};

/// A line in more new files than this does not count when looking for candidates.
const MAX_FILES_PER_LINE: usize = 100;

/// Joins the triples of each file that upstream or local renamed. The result is at local's path if
/// local renamed the file, else at upstream's.
pub(super) fn join_renamed(triples: &mut Vec<FileTriple>) {
    let renames = FileRenames::of(triples);
    let mut joined = FxHashSet::default();
    for original in 0..triples.len() {
        let sides = renames.sides(triples, original);
        if sides.updated == original && sides.local == original || !should_join(triples, sides) {
            continue;
        }
        let target = match sides.local == original {
            true => sides.updated,
            false => sides.local,
        };
        triples[target] = FileTriple::joined(triples, target, sides);
        let others = sides.into_iter().filter(|it| *it != target);
        joined.extend(others.map(|it| triples[it].path.clone()));
    }
    triples.retain(|triple| !joined.contains(&triple.path));
}

/// Returns true if joining the sides makes a difference and is allowed: local has the file and
/// changed or renamed it, it is not pinned, local does not also have a file at the other path, and
/// no side has a resource in it, which pairs by its identity.
fn should_join(triples: &[FileTriple], sides: Triple<usize>) -> bool {
    let file = |side: Side| (&triples[sides[side]], triples[sides[side]].bytes()[side]);
    let bytes = Side::ALL.map(|side| file(side).1);
    let is_changed = sides.local != sides.original || bytes.local != bytes.original;
    let is_changed_by_local =
        bytes.local.is_some() && is_changed && !triples[sides.local].is_pinned();
    let has_both = [sides.original, sides.updated]
        .into_iter()
        .any(|it| it != sides.local && triples[it].sides.local.is_some());
    let has_resource = |side: Side| {
        let (triple, bytes) = file(side);
        let text = bytes.and_then(|it| std::str::from_utf8(it).ok());
        let text = text.filter(|_| triple.yaml);
        let file = text.and_then(|it| ParsedFile::parse(&triple.path, it).ok());
        file.is_some_and(|it| it.documents.iter().any(|it| it.resource.is_some()))
    };
    is_changed_by_local && !has_both && !Side::ALL.map(has_resource).into_array().contains(&true)
}

/// The renamed files: for an index of a triple with a file of the original, the index of the triple
/// that has it now. What a merge changes in the local package does not change the result (law 4).
struct FileRenames {
    updated: FxHashMap<usize, usize>,
    local: FxHashMap<usize, usize>,
}

impl FileRenames {
    fn of(triples: &[FileTriple]) -> Self {
        let has = |index: usize| triples[index].sides.as_ref().map(Option::is_some);
        let indexes_of = |condition: &dyn Fn(Triple<bool>) -> bool| -> Vec<usize> {
            let indexes = 0..triples.len();
            indexes.filter(|index| condition(has(*index))).collect()
        };
        let changed = |index: &usize| {
            let bytes = triples[*index].bytes();
            bytes.local != bytes.original
        };
        let removed = indexes_of(&|it| it.original && !it.updated);
        let updated = match removed.iter().any(changed) {
            true => {
                let added = indexes_of(&|it| it.updated && !it.original);
                pair_files(triples, Side::Updated, &removed, &added, |_| None)
            }
            false => FxHashMap::default(),
        };
        let upstream = |from: usize| match has(from).updated {
            true => Some(from),
            // local may have it at upstream's path
            false => updated.get(&from).copied().filter(|to| !has(*to).local),
        };
        let mut removed = indexes_of(&|it| it.original && !it.local);
        removed.retain(|from| upstream(*from).is_some());
        let added = indexes_of(&|it| it.local && !it.original && !it.updated);
        let local = pair_files(triples, Side::Local, &removed, &added, upstream);
        Self { updated, local }
    }

    /// Returns the index of the triple that has a file of the original on each side.
    fn sides(&self, triples: &[FileTriple], original: usize) -> Triple<usize> {
        let updated = self.updated.get(&original).copied().unwrap_or(original);
        let has_local = |triple: usize| triples[triple].sides.local.is_some();
        let local = match self.local.get(&original) {
            Some(local) => *local,
            None if !has_local(original) && has_local(updated) => updated,
            None => original,
        };
        Triple::new(original, updated, local)
    }
}

/// Pairs `removed`, the files of the original that `side` no longer has, with `added`, its new
/// files: the most similar first, then those that keep their name. Upstream's version of a file, in
/// the triple that `updated` returns, counts as well.
fn pair_files(
    triples: &[FileTriple],
    side: Side,
    removed: &[usize],
    added: &[usize],
    updated: impl Fn(usize) -> Option<usize>,
) -> FxHashMap<usize, usize> {
    let bytes = |index: usize, side: Side| triples[index].bytes()[side].map(|it| &**it);
    let candidates = |indexes: &[usize], side: Side| -> Vec<usize> {
        let is_candidate =
            |index: &usize| bytes(*index, side).is_some_and(|bytes| !looks_like_resource(bytes));
        indexes.iter().copied().filter(is_candidate).collect()
    };
    let removed = candidates(removed, Side::Original);
    if removed.is_empty() {
        return FxHashMap::default();
    }
    let added = candidates(added, side);
    let index = LineIndex::of(added.iter().filter_map(|to| bytes(*to, side)));
    let name = |index: usize| triples[index].path.file_name();
    let mut pairs = Vec::new();
    for from in removed {
        let updated = updated(from).and_then(|updated| bytes(updated, Side::Updated));
        let versions = bytes(from, Side::Original).into_iter().chain(updated);
        for (to, similarity) in versions.flat_map(|version| index.similar(&Lines::of(version))) {
            let to = added[to];
            if triples[to].yaml == triples[from].yaml {
                pairs.push((Reverse(similarity), name(from) != name(to), from, to));
            }
        }
    }
    pairs.sort_unstable();
    let (mut paired, mut taken) = (FxHashMap::default(), FxHashSet::default());
    for (_, _, from, to) in pairs {
        if !paired.contains_key(&from) && taken.insert(to) {
            paired.insert(from, to);
        }
    }
    paired
}

/// Returns true if a text looks like a resource and not like the template of one. Resources pair by
/// identity, so their lines need not be compared.
fn looks_like_resource(bytes: &[u8]) -> bool {
    let has = |text: &str| memmem::find(bytes, text.as_bytes()).is_some();
    has("kind:") && has("\nmetadata:") && !has("{{")
}

/// The distinct lines of a file, by hash. White space at the end of a line does not count, because
/// one side may have CRLF.
struct Lines {
    lines: FxHashMap<u64, Line>,
    /// The length of all lines.
    len: u64,
}

/// A distinct line: its length, and how often the file has it.
#[derive(Default)]
struct Line {
    len: u64,
    count: u64,
}

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let (mut lines, mut len): (FxHashMap<u64, Line>, _) = (FxHashMap::default(), 0);
        let all = bytes
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::trim_ascii_end);
        for text in all.filter(|text| !text.is_empty()) {
            let line = lines.entry(hash(text)).or_default();
            line.len = text.len() as u64;
            line.count += 1;
            len += line.len;
        }
        Self { lines, len }
    }

    /// Returns the length of the common lines, in thousandths of the length of the longer file;
    /// `None` if it is less than half.
    fn similarity(&self, other: &Self) -> Option<u64> {
        let common = self.lines.iter().map(|(hash, line)| {
            let same = other.lines.get(hash);
            same.map_or(0, |same| line.len * line.count.min(same.count))
        });
        let (common, longest) = (common.sum::<u64>(), self.len.max(other.len));
        (common > 0 && common * 2 >= longest).then(|| common * 1000 / longest)
    }
}

/// The lines of some files, and an index from a line to the files that have it.
struct LineIndex {
    files: Vec<Lines>,
    files_by_line: FxHashMap<u64, Vec<usize>>,
}

impl LineIndex {
    fn of<'b>(files: impl Iterator<Item = &'b [u8]>) -> Self {
        let files: Vec<Lines> = files.map(Lines::of).collect();
        let mut files_by_line: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (file, lines) in files.iter().enumerate() {
            for hash in lines.lines.keys() {
                files_by_line.entry(*hash).or_default().push(file);
            }
        }
        Self {
            files,
            files_by_line,
        }
    }

    /// Returns the indexes of the files that are similar to `other`, with their similarity.
    fn similar(&self, other: &Lines) -> Vec<(usize, u64)> {
        let mut common: FxHashMap<usize, u64> = FxHashMap::default();
        let mut indexed = 0;
        for (hash, line) in &other.lines {
            let files = self.files_by_line.get(hash).map_or(&[][..], Vec::as_slice);
            if files.len() <= MAX_FILES_PER_LINE {
                indexed += line.len;
                for file in files {
                    *common.entry(*file).or_default() += line.len;
                }
            }
        }
        common.retain(|_, common| *common * 3 >= indexed);
        let similarity = |file: usize| Some((file, other.similarity(&self.files[file])?));
        common.into_keys().filter_map(similarity).collect()
    }
}
