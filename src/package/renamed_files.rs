//! Files that one side renamed (rules: Renamed files): their sides become one triple.
//!
//! Resources have an identity and are found wherever they are (`pair`). This is about files without
//! any: values of a chart, templates, workflows, scripts.

use std::cmp::Reverse;

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::disk::hash;
use super::file_triple::FileTriple;
use super::parsed::ParsedFile;
use crate::triple::{Side, Triple};

/// A line that more new files have says nothing about where a file went.
const COMMON: usize = 100;

/// Joins the triples of each file that upstream or local renamed: at local's path where local
/// renamed it, else at upstream's.
pub(super) fn join_renamed(triples: &mut Vec<FileTriple>) {
    let renamed = FileRenames::of(triples);
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
struct FileRenames {
    updated: FxHashMap<usize, usize>,
    local: FxHashMap<usize, usize>,
}

impl FileRenames {
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
    let bytes = |index: usize, side: Side| triples[index].bytes()[side].map(|it| &**it);
    let is_candidate = |index: &usize, side: Side| {
        let bytes = bytes(*index, side);
        bytes.is_some_and(|bytes| !looks_like_resource(bytes))
    };
    let candidates = |of: &[usize], side: Side| -> Vec<usize> {
        let candidates = of.iter().filter(|index| is_candidate(index, side));
        candidates.copied().collect()
    };
    let gone = candidates(gone, Side::Original);
    if gone.is_empty() {
        return FxHashMap::default();
    }
    let new = candidates(new, side);
    let index = LineIndex::of(new.iter().filter_map(|to| bytes(*to, side)));
    let name = |index: usize| triples[index].path.file_name();
    let mut pairs = Vec::new();
    for from in gone {
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

/// Whether a text looks like a resource and not like the template of one: that has an identity, and
/// there is no need to look at its lines.
fn looks_like_resource(bytes: &[u8]) -> bool {
    let has = |text: &str| memmem::find(bytes, text.as_bytes()).is_some();
    has("kind:") && has("\nmetadata:") && !has("{{")
}

/// A line by its hash, with how often a file has it, and how long it is. White space at its end
/// plays no part: one side may have CRLF.
#[derive(Debug, Clone, Copy)]
struct Line {
    hash: u64,
    count: u32,
    len: u32,
}

/// The lines of a file, by their hashes.
struct Lines(Vec<Line>);

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let line = |line: &[u8]| Line {
            hash: hash(line.trim_ascii_end()),
            count: 1,
            len: u32::try_from(line.trim_ascii_end().len()).unwrap_or(u32::MAX),
        };
        let lines = bytes.split(|byte| *byte == b'\n').map(line);
        let mut lines: Vec<Line> = lines.filter(|line| line.len > 0).collect();
        lines.sort_unstable_by_key(|line| line.hash);
        lines.dedup_by(|next, line| {
            let is_same = next.hash == line.hash;
            line.count += u32::from(is_same);
            is_same
        });
        lines.shrink_to_fit();
        Self(lines)
    }

    fn len(&self) -> u64 {
        let lens = self.0.iter();
        lens.map(|line| u64::from(line.len) * u64::from(line.count))
            .sum()
    }

    /// The bytes of the lines that both have, in thousandths of the longer one; `None` below half.
    fn likeness(&self, other: &Self) -> Option<u64> {
        let mut others = other.0.iter().peekable();
        let mut common = 0;
        for line in &self.0 {
            while others.next_if(|it| it.hash < line.hash).is_some() {}
            if let Some(same) = others.next_if(|it| it.hash == line.hash) {
                common += u64::from(line.len) * u64::from(line.count.min(same.count));
            }
        }
        let longest = self.len().max(other.len());
        (common > 0 && common * 2 >= longest).then(|| common * 1000 / longest)
    }
}

/// Some files, and which of them have a line.
struct LineIndex {
    files: Vec<Lines>,
    /// By the hash of the line.
    with: Vec<(u64, u32)>,
}

impl LineIndex {
    fn of<'b>(files: impl Iterator<Item = &'b [u8]>) -> Self {
        let files: Vec<Lines> = files.map(Lines::of).collect();
        let numbered = (0..).zip(&files);
        let lines =
            numbered.flat_map(|(file, lines)| lines.0.iter().map(move |it| (it.hash, file)));
        let mut with: Vec<(u64, u32)> = lines.collect();
        with.sort_unstable();
        Self { files, with }
    }

    /// The files that are like another one, by their indexes, and how much.
    fn alike(&self, other: &Lines) -> Vec<(usize, u64)> {
        let mut common: FxHashMap<u32, u64> = FxHashMap::default();
        let mut most = 0;
        for line in &other.0 {
            let start = self.with.partition_point(|(hash, _)| *hash < line.hash);
            let files = self.with[start..]
                .iter()
                .take_while(|(hash, _)| *hash == line.hash);
            if files.clone().nth(COMMON).is_none() {
                most += u64::from(line.len);
                for (_, file) in files {
                    *common.entry(*file).or_default() += u64::from(line.len);
                }
            }
        }
        let candidates = common.into_iter().filter(|(_, common)| common * 3 >= most);
        let alike = candidates.filter_map(|(file, _)| {
            let file = file as usize;
            Some((file, other.likeness(&self.files[file])?))
        });
        alike.collect()
    }
}
