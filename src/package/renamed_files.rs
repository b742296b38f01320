//! Files that one side renamed (rules: Renamed files): their sides become one triple.
//!
//! Resources have an identity and are found wherever they are (`pair`). This is about files without
//! any: values of a chart, templates, workflows, scripts.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::file_triple::FileTriple;
use super::parsed::{ParsedFile, Trees};
use crate::merge::pins::is_file_pinned;
use crate::triple::{Side, Triple};

/// A line that more new files have says nothing about where a file went.
const COMMON: usize = 100;

/// Joins the triples of each file that upstream or local renamed, at the new path.
pub(super) fn join_renamed(triples: &mut Vec<FileTriple>) {
    let mut joined = FxHashSet::default();
    for side in [Side::Updated, Side::Local] {
        for (from, to) in renames(triples, side) {
            let sides = sides_of(&triples[from], &triples[to], side);
            if let Some(sides) = sides.filter(|_| !has_resource(triples, from, to, side)) {
                triples[to] = triples[from].renamed_to(&triples[to], sides);
                joined.insert(triples[from].path.clone());
            }
        }
    }
    triples.retain(|triple| !joined.contains(&triple.path));
}

/// The sides of a file that `side` renamed, by which of two triples has them: `true` is the one at
/// the new path. `None` where a merge by paths does the same, or where local has a file at both.
fn sides_of(from: &FileTriple, to: &FileTriple, side: Side) -> Option<Triple<bool>> {
    let (old, new) = (from.bytes(), to.bytes());
    let (matters, renamed_by) = match (side, old.local, new.local) {
        (Side::Local, _, _) => (old.updated != old.original, Triple::new(false, false, true)),
        (_, local, None) => (
            local.is_some_and(|local| !is_file_pinned(local, from.yaml)) && old.original != local,
            Triple::new(false, true, false),
        ),
        // a merge before moved it (law 4), or both sides renamed it
        (_, None, local) => (new.updated != local, Triple::new(false, true, true)),
        (_, Some(_), Some(_)) => return None,
    };
    matters.then_some(renamed_by)
}

/// The files that a side renamed: one that it has no longer, and a new one, by their indexes. The
/// likest pair first, then those that keep their name. What a merge changes in the local package
/// changes nothing here (law 4).
fn renames(triples: &[FileTriple], side: Side) -> Vec<(usize, usize)> {
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for (index, triple) in triples.iter().enumerate() {
        let has = triple.sides.as_ref().map(Option::is_some);
        let (is_gone, is_new) = match side {
            Side::Local => (has.updated && !has.local, has.local && !has.updated),
            _ => (!has.updated, has.updated),
        };
        match has.original {
            true if is_gone => gone.push(index),
            false if is_new => new.push(index),
            _ => {}
        }
    }
    if !gone.iter().any(|index| may_matter(&triples[*index])) || new.is_empty() {
        return Vec::new();
    }
    let texts = new.iter().filter_map(|index| triples[*index].bytes()[side]);
    let index = LineIndex::of(texts.map(|bytes| &**bytes));
    let mut pairs = Vec::new();
    for from in gone {
        let bytes = triples[from].bytes();
        let mut likeness: FxHashMap<usize, usize> = FxHashMap::default();
        for known in [bytes.original, bytes.updated].into_iter().flatten() {
            for (to, alike) in index.alike(&Lines::of(known)) {
                let likest = likeness.entry(new[to]).or_default();
                *likest = alike.max(*likest);
            }
        }
        let is_of_one_sort = |to: usize| triples[to].yaml == triples[from].yaml;
        let likeness = likeness.into_iter().filter(|(to, _)| is_of_one_sort(*to));
        pairs.extend(likeness.map(|(to, likeness)| (likeness, from, to)));
    }
    let name = |index: usize| triples[index].path.file_name();
    pairs.sort_unstable_by_key(|(likeness, from, to)| {
        (Reverse(*likeness), name(*from) != name(*to), *from, *to)
    });
    let (mut moved, mut taken) = (FxHashSet::default(), FxHashSet::default());
    pairs.retain(|(_, from, to)| {
        let is_free = !moved.contains(from) && !taken.contains(to);
        is_free && moved.insert(*from) && taken.insert(*to)
    });
    pairs.into_iter().map(|(_, from, to)| (from, to)).collect()
}

/// Whether it matters where a file went: not where one side left it as it was.
fn may_matter(triple: &FileTriple) -> bool {
    let bytes = triple.bytes();
    bytes.local != bytes.original && bytes.updated != bytes.original
}

/// Whether a file has a resource on one of the sides that are compared.
fn has_resource(triples: &[FileTriple], from: usize, to: usize, side: Side) -> bool {
    let has = |triple: &FileTriple, side: Side| {
        let text = triple.bytes()[side].and_then(|it| std::str::from_utf8(it).ok());
        let text = text.filter(|_| triple.yaml);
        let file = text.and_then(|it| ParsedFile::parse(&triple.path, it, Trees::Dropped).ok());
        file.is_some_and(|it| it.documents.iter().any(|it| it.resource.is_some()))
    };
    has(&triples[from], Side::Original) || has(&triples[to], side)
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
