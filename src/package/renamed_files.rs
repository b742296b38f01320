//! Files that one side renamed (rules: Renamed files): their sides become one triple.
//!
//! Resources have an identity and are found wherever they are (`pair`). This is about files without
//! any: values of a chart, templates, workflows, scripts.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::file_triple::FileTriple;
use super::parsed::ParsedFile;
use crate::triple::{Side, Triple};

/// A line that more new files have says nothing about where a file went.
const COMMON: usize = 100;

/// Joins the triples of each file that upstream or local renamed: at local's path where local
/// renamed it, else at upstream's.
pub(super) fn join_renamed(triples: &mut Vec<FileTriple>) {
    let renamed = Renames::of(triples);
    let mut joined = FxHashSet::default();
    for original in 0..triples.len() {
        let sides = renamed.sides(triples, original);
        if sides.updated == original && sides.local == original || !matters(triples, sides) {
            continue;
        }
        let target = match sides.local == original {
            true => sides.updated,
            false => sides.local,
        };
        triples[target] = FileTriple::joined(triples, target, sides);
        let others = sides.into_array().into_iter();
        joined.extend(
            others
                .filter(|it| *it != target)
                .map(|it| triples[it].path.clone()),
        );
    }
    triples.retain(|triple| !joined.contains(&triple.path));
}

/// Whether a merge by paths does something else: not where local deleted the file or left it as it
/// was. What local has at both paths are two files; resources are paired by their identity, and
/// what is pinned stays.
fn matters(triples: &[FileTriple], sides: Triple<usize>) -> bool {
    let file = |side: Side| (&triples[sides[side]], triples[sides[side]].bytes()[side]);
    let bytes = Side::ALL.map(|side| file(side).1);
    let is_changed = sides.local != sides.original || bytes.local != bytes.original;
    let is_own = bytes.local.is_some() && is_changed && !triples[sides.local].is_pinned();
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
    is_own && !has_both && !Side::ALL.map(has_resource).into_array().contains(&true)
}

/// Where the files of the original went, by the indexes of their triples. What a merge changes in
/// the local package changes nothing here (law 4).
struct Renames {
    updated: FxHashMap<usize, usize>,
    local: FxHashMap<usize, usize>,
}

impl Renames {
    fn of(triples: &[FileTriple]) -> Self {
        let has = |index: usize| triples[index].sides.as_ref().map(Option::is_some);
        let those = |wanted: &dyn Fn(Triple<bool>) -> bool| -> Vec<usize> {
            let indexes = 0..triples.len();
            indexes.filter(|index| wanted(has(*index))).collect()
        };
        let changed = |index: &usize| {
            let bytes = triples[*index].bytes();
            bytes.local != bytes.original
        };
        let gone = those(&|it| it.original && !it.updated);
        let updated = match gone.iter().any(changed) {
            true => {
                let new = those(&|it| it.updated && !it.original);
                pairs(triples, Side::Updated, &gone, &new, |_| None)
            }
            false => FxHashMap::default(),
        };
        let upstream = |from: usize| match has(from).updated {
            true => Some(from),
            // local may have it at upstream's path
            false => updated.get(&from).copied().filter(|to| !has(*to).local),
        };
        let mut gone = those(&|it| it.original && !it.local);
        gone.retain(|from| upstream(*from).is_some());
        let new = those(&|it| it.local && !it.original && !it.updated);
        let local = pairs(triples, Side::Local, &gone, &new, upstream);
        Self { updated, local }
    }

    /// Which triple has a file of the original on each side.
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

/// Pairs files of the original that a side has no longer with its new files, by their indexes: the
/// likest first, then those that keep their name. Upstream's version, at the index that `updated`
/// says, counts as well.
fn pairs(
    triples: &[FileTriple],
    side: Side,
    gone: &[usize],
    new: &[usize],
    updated: impl Fn(usize) -> Option<usize>,
) -> FxHashMap<usize, usize> {
    if gone.is_empty() || new.is_empty() {
        return FxHashMap::default();
    }
    let bytes = |index: usize, side: Side| triples[index].bytes()[side].map(|it| &**it);
    let index = LineIndex::of(new.iter().filter_map(|to| bytes(*to, side)));
    let name = |index: usize| triples[index].path.file_name();
    let mut pairs = Vec::new();
    for from in gone.iter().copied() {
        let updated = updated(from).and_then(|updated| bytes(updated, Side::Updated));
        let versions = bytes(from, Side::Original).into_iter().chain(updated);
        for (to, likeness) in versions.flat_map(|version| index.alike(&Lines::of(version))) {
            let to = new[to];
            if triples[to].yaml == triples[from].yaml {
                pairs.push((Reverse(likeness), name(from) != name(to), from, to));
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

/// The lines of a file, and how often it has each. White space at their ends plays no part: one side
/// may have CRLF.
struct Lines<'b>(FxHashMap<&'b [u8], usize>);

impl<'b> Lines<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        let mut counts = FxHashMap::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            *counts.entry(line.trim_ascii_end()).or_default() += 1;
        }
        Self(counts)
    }

    fn len(&self) -> usize {
        self.0.iter().map(|(line, count)| line.len() * count).sum()
    }

    /// The bytes of the lines that both have, in thousandths of the longer one; `None` below half.
    fn likeness(&self, other: &Self) -> Option<usize> {
        let common = |(line, count): (&&[u8], &usize)| {
            line.len() * other.0.get(line).map_or(0, |others| *others.min(count))
        };
        let common: usize = self.0.iter().map(common).sum();
        let longest = self.len().max(other.len());
        (common > 0 && common * 2 >= longest).then(|| common * 1000 / longest)
    }
}

/// Some files, and which of them have a line.
struct LineIndex<'b> {
    files: Vec<Lines<'b>>,
    with: FxHashMap<&'b [u8], Vec<usize>>,
}

impl<'b> LineIndex<'b> {
    fn of(files: impl Iterator<Item = &'b [u8]>) -> Self {
        let files: Vec<_> = files.map(Lines::of).collect();
        let mut with: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (index, lines) in files.iter().enumerate() {
            for line in lines.0.keys() {
                with.entry(*line).or_default().push(index);
            }
        }
        Self { files, with }
    }

    /// The files that are like another one, by their indexes, and how much.
    fn alike(&self, other: &Lines<'_>) -> Vec<(usize, usize)> {
        let mut common: FxHashMap<usize, usize> = FxHashMap::default();
        let mut most = 0;
        for line in other.0.keys() {
            let files = self.with.get(line).map_or(&[][..], Vec::as_slice);
            if files.len() <= COMMON {
                most += line.len();
                for file in files {
                    *common.entry(*file).or_default() += line.len();
                }
            }
        }
        let candidates = common.into_iter().filter(|(_, common)| common * 3 >= most);
        candidates
            .filter_map(|(file, _)| Some((file, other.likeness(&self.files[file])?)))
            .collect()
    }
}
