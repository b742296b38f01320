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
    let mut joined = FxHashSet::default();
    for sides in sides_of_all(triples) {
        let is_renamed = sides.updated != sides.original || sides.local != sides.original;
        if !is_renamed || !should_join(triples, sides) {
            continue;
        }
        let target = match sides.local == sides.original {
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

/// Returns for each triple the indexes of the triples that have its file of the original on each
/// side. What a merge changes in the local package does not change the result (law 4).
fn sides_of_all(triples: &[FileTriple]) -> Vec<Triple<usize>> {
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
    let in_updated = match removed.iter().any(changed) {
        true => {
            let added = indexes_of(&|it| it.updated && !it.original);
            pair_files(triples, Side::Updated, &removed, &added, |_| None)
        }
        false => FxHashMap::default(),
    };
    let upstream = |from: usize| match has(from).updated {
        true => Some(from),
        // local may have it at upstream's path
        false => in_updated.get(&from).copied().filter(|to| !has(*to).local),
    };
    let mut removed = indexes_of(&|it| it.original && !it.local);
    removed.retain(|from| upstream(*from).is_some());
    let added = indexes_of(&|it| it.local && !it.original && !it.updated);
    let in_local = pair_files(triples, Side::Local, &removed, &added, upstream);
    let sides = |original: usize| {
        let updated = in_updated.get(&original).copied().unwrap_or(original);
        let local = match in_local.get(&original) {
            Some(local) => *local,
            None if !has(original).local && has(updated).local => updated,
            None => original,
        };
        Triple::new(original, updated, local)
    };
    (0..triples.len()).map(sides).collect()
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
    let candidates = |indexes: &[usize], side: Side| -> Vec<(usize, &[u8])> {
        let with_bytes = indexes
            .iter()
            .map(|index| Some((*index, bytes(*index, side)?)));
        let is_candidate = |it: &(usize, &[u8])| !looks_like_resource(it.1);
        with_bytes.flatten().filter(is_candidate).collect()
    };
    let removed = candidates(removed, Side::Original);
    if removed.is_empty() {
        return FxHashMap::default();
    }
    let added = candidates(added, side).into_iter();
    let added: Vec<(usize, Lines)> = added.map(|(to, bytes)| (to, Lines::of(bytes))).collect();
    let mut by_line: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, (_, lines)) in added.iter().enumerate() {
        for hash in lines.lines.keys() {
            by_line.entry(*hash).or_default().push(at);
        }
    }
    let name = |index: usize| triples[index].path.file_name();
    let mut pairs = Vec::new();
    for (from, original) in removed {
        let updated = updated(from).and_then(|updated| bytes(updated, Side::Updated));
        for version in [original].into_iter().chain(updated).map(Lines::of) {
            let similar = version
                .candidates(&by_line)
                .into_iter()
                .map(|at| &added[at]);
            for (to, lines) in similar.filter(|it| triples[it.0].yaml == triples[from].yaml) {
                let similarity = version.similarity(lines);
                let pair = |it| (Reverse(it), name(from) != name(*to), from, *to);
                pairs.extend(similarity.map(pair));
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
#[derive(Default)]
struct Lines {
    /// The length of each line, and how often the file has it.
    lines: FxHashMap<u64, (u64, u64)>,
    /// The length of all lines.
    len: u64,
}

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let mut of_file = Self::default();
        let all = bytes.split(|byte| *byte == b'\n');
        for text in all.map(<[u8]>::trim_ascii_end).filter(|it| !it.is_empty()) {
            let len = text.len() as u64;
            of_file.lines.entry(hash(text)).or_insert((len, 0)).1 += 1;
            of_file.len += len;
        }
        of_file
    }

    /// Returns the length of the common lines, in thousandths of the length of the longer file;
    /// `None` if it is less than half.
    fn similarity(&self, other: &Self) -> Option<u64> {
        let common = self.lines.iter().map(|(hash, (len, count))| {
            let same = other.lines.get(hash);
            same.map_or(0, |(_, other)| len * count.min(other))
        });
        let (common, longest) = (common.sum::<u64>(), self.len.max(other.len));
        (common > 0 && common * 2 >= longest).then(|| common * 1000 / longest)
    }

    /// Returns the files that have at least a third of these lines. `by_line` has the files with
    /// each line.
    fn candidates(&self, by_line: &FxHashMap<u64, Vec<usize>>) -> Vec<usize> {
        let mut common: FxHashMap<usize, u64> = FxHashMap::default();
        let mut indexed = 0;
        for (hash, (len, _)) in &self.lines {
            let files = by_line.get(hash).map_or(&[][..], Vec::as_slice);
            if files.len() <= MAX_FILES_PER_LINE {
                indexed += len;
                for file in files {
                    *common.entry(*file).or_default() += len;
                }
            }
        }
        common.retain(|_, common| *common * 3 >= indexed);
        common.into_keys().collect()
    }
}
