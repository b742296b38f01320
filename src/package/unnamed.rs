//! Pairs the documents of a file that have no identity, by content and position (rules:
//! Documents).

use std::cell::OnceCell;
use std::hash::BuildHasher as _;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use super::similarity::most_similar_first;
use crate::merge::{Leaves, count_common};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::NodeKind;

/// The largest distance of two documents that are compared, in positions.
const MAX_DISTANCE: usize = 100;

/// How much larger the distance may be than the difference of the two lists' lengths.
const MORE_DISTANCE: usize = 10;

/// Pairs the documents without an identity in one file.
pub(super) fn pair_unnamed(triple: usize, files: &Triple<Option<&ParsedFile<'_>>>) -> Vec<Group> {
    let sides = files.map(|file| file.map_or_else(Vec::new, Unnamed::all_of));
    pair_positions(&sides)
        .into_iter()
        .map(|positions| {
            Side::ALL.map(|side| Some(DocRef::new(triple, sides[side][positions[side]?].index)))
        })
        .collect()
}

/// Returns the paired documents by their positions among the documents without an identity.
fn pair_positions(sides: &Triple<Vec<Unnamed<'_, '_>>>) -> Vec<Triple<Option<usize>>> {
    let (original, updated, local) = (&sides.original, &sides.updated, &sides.local);
    let are_single = sides.as_ref().into_array().iter().all(|it| it.len() < 2);
    // what upstream deleted is not local's own document
    if are_single && (!updated.is_empty() || original.is_empty() || local.is_empty()) {
        let group = sides.as_ref().map(|side| (!side.is_empty()).then_some(0));
        return (!group.is_empty()).then_some(group).into_iter().collect();
    }
    let in_updated = Pairing::new(original.iter().map(|it| [Some(it), None]), updated).run();
    // local may have upstream's changes already
    let versions = original.iter().zip(&in_updated);
    let versions = versions.map(|(it, at)| [Some(it), at.map(|at| &updated[at])]);
    let in_local = Pairing::new(versions, local).run();
    let mut added = Pairing::new(updated.iter().map(|it| [Some(it), None]), local);
    for (updated, local) in in_updated.iter().zip(&in_local) {
        added.fix(*updated, *local);
    }
    let added = added.run();

    let known = in_updated.into_iter().zip(in_local).enumerate();
    let mut groups: Vec<_> = known
        .map(|(original, (updated, local))| Triple::new(Some(original), updated, local))
        .collect();
    let unpaired = |groups: &[Triple<Option<usize>>], side: Side| {
        let paired: FxHashSet<usize> = groups.iter().filter_map(|group| group[side]).collect();
        (0..sides[side].len()).filter(move |at| !paired.contains(at))
    };
    let new = unpaired(&groups, Side::Updated);
    groups.extend(new.map(|at| Triple::new(None, Some(at), added[at])));
    let own = unpaired(&groups, Side::Local);
    groups.extend(own.map(|at| Triple::new(None, None, Some(at))));
    groups
}

/// A document without an identity.
struct Unnamed<'p, 'a> {
    /// The index among the documents of the file.
    index: usize,
    parsed: &'p Parsed<'a>,
    /// Boxed, because few documents need it.
    content: OnceCell<Box<Content>>,
}

/// What tells documents apart.
#[derive(Default)]
struct Content {
    leaves: Leaves,
    kind: Option<Box<str>>,
    /// The hashes of the keys at the top of a map, sorted; `None` for other values.
    keys: Option<Box<[u64]>>,
}

impl<'p, 'a> Unnamed<'p, 'a> {
    fn all_of(file: &'p ParsedFile<'a>) -> Vec<Self> {
        let documents = file.documents.iter().enumerate();
        let unnamed = documents.filter(|(_, parsed)| parsed.resource.is_none());
        let of = |(index, parsed)| Self {
            index,
            parsed,
            content: OnceCell::new(),
        };
        unnamed.map(of).collect()
    }

    fn text(&self) -> &'a str {
        trimmed(self.parsed.body())
    }

    fn content(&self) -> &Content {
        self.content
            .get_or_init(|| Box::new(Content::of(self.parsed)))
    }

    /// Returns the similarity of two documents; `None` if their kinds differ, or if most of their
    /// content differs and they have no `kind`.
    fn similarity(&self, other: &Self) -> Option<u16> {
        let (own, other) = (self.content(), other.content());
        if own.kind != other.kind {
            return None;
        }
        let similarity = own.leaves.similarity(&other.leaves);
        similarity.or(own.kind.is_some().then_some(0))
    }

    /// Returns true if two documents may be versions of one, by their position: maps that share a
    /// field, or values of which none is a map.
    fn is_like(&self, other: &Self) -> bool {
        let (own, other) = (self.content(), other.content());
        own.kind == other.kind
            && match (&own.keys, &other.keys) {
                (Some(own), Some(other)) => count_common(own, other) > 0,
                (own, other) => own.is_none() && other.is_none(),
            }
    }
}

impl Content {
    fn of(parsed: &Parsed<'_>) -> Self {
        let Some(tree) = parsed.tree() else {
            return Self::default();
        };
        let root = tree.root().value;
        let is_map = matches!(tree.node(root).kind, NodeKind::Mapping(_));
        let keys = || {
            let keys = tree.entries(root).filter_map(|entry| tree.key_text(entry));
            let mut keys: Box<[u64]> = keys.map(|key| FxBuildHasher.hash_one(key)).collect();
            keys.sort_unstable();
            keys
        };
        Self {
            leaves: Leaves::in_tree(&tree),
            kind: tree.field_text(root, "kind").map(Box::from),
            keys: is_map.then(keys),
        }
    }
}

/// The partner of a document in the other list, `Some(None)` if it must not have one: the other
/// version of it was deleted. `None` if the document is free.
type Slot = Option<Option<usize>>;

/// How many documents of a list have a text: their number, and the version and the position of the
/// last one.
type Occurrence = (u32, u32, u32);

/// Counts the text of a version of the document at a position. If several versions of it have the
/// text, the first one counts.
const fn count(found: &mut Occurrence, version: u32, at: usize) {
    let at = at as u32;
    if found.0 == 0 || found.2 != at {
        *found = (found.0 + 1, version, at);
    }
}

/// A document, and another version of it if there is one.
type Versions<'u, 'p, 'a> = [Option<&'u Unnamed<'p, 'a>>; 2];

/// The pairing of two lists of documents.
struct Pairing<'u, 'p, 'a> {
    /// The versions of each document of the first list.
    left: Vec<Versions<'u, 'p, 'a>>,
    right: &'u [Unnamed<'p, 'a>],
    of_left: Vec<Slot>,
    of_right: Vec<Slot>,
}

impl<'u, 'p, 'a> Pairing<'u, 'p, 'a> {
    fn new(left: impl Iterator<Item = Versions<'u, 'p, 'a>>, right: &'u [Unnamed<'p, 'a>]) -> Self {
        let left: Vec<_> = left.collect();
        Self {
            of_left: vec![None; left.len()],
            of_right: vec![None; right.len()],
            left,
            right,
        }
    }

    /// Pairs two documents. If there is only one, it stays without a partner.
    fn fix(&mut self, left: Option<usize>, right: Option<usize>) {
        if let Some(left) = left {
            self.of_left[left] = Some(right);
        }
        if let Some(right) = right {
            self.of_right[right] = Some(left);
        }
    }

    /// Pairs documents with equal texts; then those that have mostly the same content or one
    /// `kind`; then the rest by position. Returns the partners of the first list.
    fn run(mut self) -> Vec<Option<usize>> {
        self.pair_equal();
        self.pair_equal_in_place();
        self.pair_similar();
        self.pair_by_position();
        self.of_left.into_iter().map(Option::flatten).collect()
    }

    /// Returns the versions of a document of the first list.
    fn versions(&self, left: usize) -> impl Iterator<Item = &'u Unnamed<'p, 'a>> + use<'u, 'p, 'a> {
        self.left[left].into_iter().flatten()
    }

    /// Pairs documents whose text occurs once in each list, first versions first.
    fn pair_equal(&mut self) {
        let mut by_text: FxHashMap<&str, [Occurrence; 2]> = FxHashMap::default();
        for at in free(&self.of_left) {
            for (version, document) in (0..).zip(self.versions(at)) {
                let found = by_text.entry(document.text()).or_default();
                count(&mut found[0], version, at);
            }
        }
        for at in free(&self.of_right) {
            if let Some([_, found]) = by_text.get_mut(self.right[at].text()) {
                count(found, 0, at);
            }
        }
        let unique = by_text.into_values().filter_map(|found| match found {
            [(1, version, at), (1, _, other)] => Some((version, at, other)),
            _ => None,
        });
        let mut unique: Vec<_> = unique.collect();
        unique.sort_unstable();
        for (_, one, other) in unique {
            self.pair_if_free(one as usize, other as usize);
        }
    }

    /// Pairs the documents at the same position among the free ones that have the same text. Texts
    /// that occur often pair here: comparing each of them with many others would take long.
    fn pair_equal_in_place(&mut self) {
        for (one, other) in free(&self.of_left).into_iter().zip(free(&self.of_right)) {
            let text = self.right[other].text();
            if self.versions(one).any(|version| version.text() == text) {
                self.pair_if_free(one, other);
            }
        }
    }

    fn pair_similar(&mut self) {
        let (left, right) = (free(&self.of_left), free(&self.of_right));
        let max_distance = left.len().abs_diff(right.len()) + MORE_DISTANCE;
        let max_distance = max_distance.min(MAX_DISTANCE);
        let pairs = most_similar_first(&left, &right, max_distance, |one, other| {
            let other = &self.right[other];
            let versions = self.versions(one);
            versions.filter_map(|it| it.similarity(other)).max()
        });
        for [one, other] in pairs {
            self.pair_if_free(one as usize, other as usize);
        }
    }

    /// Pairs documents that are like each other by their position between paired ones: by index,
    /// if both lists have the same number there, else as far as they follow or precede a pair.
    fn pair_by_position(&mut self) {
        let mut start = 0;
        while start < self.of_left.len() {
            let is_free = |slot: &&Slot| slot.is_none();
            let len = self.of_left[start..].iter().take_while(is_free).count();
            self.pair_between(start..start + len);
            start += len + 1;
        }
    }

    fn pair_between(&mut self, range: Range<usize>) {
        let partner = |at: usize| self.of_left[at].flatten();
        let above = match range.start {
            0 => Some(0),
            start => partner(start - 1).map(|at| at + 1),
        };
        let below = match range.end == self.of_left.len() {
            true => Some(self.right.len()),
            false => partner(range.end),
        };
        let have_same_len = above.is_some_and(|above| below == Some(above + range.len()));
        let down = above.map(|above| range.clone().zip(above..self.right.len()));
        for (one, other) in down.into_iter().flatten() {
            if !self.pair_if_like(one, other) && !have_same_len {
                break;
            }
        }
        let up = below.map(|below| range.rev().zip((0..below).rev()));
        for (one, other) in up.into_iter().flatten() {
            if !self.pair_if_like(one, other) {
                break;
            }
        }
    }

    fn pair_if_like(&mut self, left: usize, right: usize) -> bool {
        let other = &self.right[right];
        self.versions(left).any(|version| version.is_like(other)) && self.pair_if_free(left, right)
    }

    fn pair_if_free(&mut self, left: usize, right: usize) -> bool {
        let are_free = self.of_left[left].is_none() && self.of_right[right].is_none();
        if are_free {
            self.fix(Some(left), Some(right));
        }
        are_free
    }
}

/// Returns the positions of the documents that have no partner yet.
fn free(slots: &[Slot]) -> Vec<usize> {
    let all = 0..slots.len();
    all.filter(|at| slots[*at].is_none()).collect()
}
