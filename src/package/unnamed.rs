//! Pairs the documents of a file that have no identity, by content and position (rules:
//! Documents).

use std::cell::OnceCell;
use std::hash::BuildHasher as _;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use super::similarity::{Leaves, most_similar_first};
use crate::merge::count_common;
use crate::triple::{Side, Triple};
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
    let Triple {
        original,
        updated,
        local,
    } = sides;
    let are_single = sides.as_ref().into_array().iter().all(|it| it.len() < 2);
    // what upstream deleted is not local's own document
    if are_single && (!updated.is_empty() || original.is_empty() || local.is_empty()) {
        let group = sides.as_ref().map(|side| (!side.is_empty()).then_some(0));
        return (!group.is_empty()).then_some(group).into_iter().collect();
    }
    let in_updated = Pairing::new(original.iter().map(|it| (it, None)), updated).run();
    // local may have upstream's changes already
    let versions = original.iter().zip(&in_updated);
    let versions = versions.map(|(it, at)| (it, at.map(|at| &updated[at])));
    let in_local = Pairing::new(versions, local).run();
    let mut added = Pairing::new(updated.iter().map(|it| (it, None)), local);
    for (updated, local) in in_updated.iter().zip(&in_local) {
        added.fix(*updated, *local);
    }
    let added = added.run();

    let known = in_updated.into_iter().zip(in_local).enumerate();
    let mut groups: Vec<_> = known
        .map(|(original, (updated, local))| Triple::new(Some(original), updated, local))
        .collect();
    let paired = |groups: &[Triple<Option<usize>>], side: Side| -> FxHashSet<usize> {
        groups.iter().filter_map(|group| group[side]).collect()
    };
    let has_original = paired(&groups, Side::Updated);
    let new = (0..updated.len()).filter(|at| !has_original.contains(at));
    groups.extend(new.map(|at| Triple::new(None, Some(at), added[at])));
    let has_others = paired(&groups, Side::Local);
    let own = (0..local.len()).filter(|at| !has_others.contains(at));
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
        self.parsed.document.text[self.parsed.document.body.range()].trim()
    }

    fn content(&self) -> &Content {
        self.content
            .get_or_init(|| Box::new(Content::of(self.parsed)))
    }

    /// Returns the similarity of two documents; `None` if their kinds differ, or if most of their
    /// content differs and they have no `kind`.
    fn similarity(&self, other: &Self) -> Option<u16> {
        let (own, other) = (self.content(), other.content());
        let have_kind = own.kind.is_some() && own.kind == other.kind;
        let similarity = own.leaves.similarity(&other.leaves);
        similarity
            .filter(|_| own.kind == other.kind)
            .or(have_kind.then_some(0))
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

/// Whether a document has a partner in the other list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Free,
    With(usize),
    /// It must not pair: the other version of it was deleted.
    Alone,
}

/// How often a list of documents has a text.
#[derive(Debug, Clone, Copy, Default)]
enum Occurrence {
    #[default]
    Never,
    /// In one document: its position, and the version that has the text.
    Once {
        version: u32,
        at: u32,
    },
    Often,
}

impl Occurrence {
    /// Counts the text of a version of the document at a position. If several versions of it have
    /// the text, the first one counts.
    const fn add(&mut self, version: u32, at: usize) {
        let at = at as u32;
        *self = match *self {
            Self::Never => Self::Once { version, at },
            Self::Once { at: known, .. } if known == at => *self,
            Self::Once { .. } | Self::Often => Self::Often,
        };
    }
}

/// A document, and another version of it if there is one.
type Versions<'u, 'p, 'a> = (&'u Unnamed<'p, 'a>, Option<&'u Unnamed<'p, 'a>>);

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
            of_left: vec![Slot::Free; left.len()],
            of_right: vec![Slot::Free; right.len()],
            left,
            right,
        }
    }

    /// Pairs two documents. If there is only one, it stays without a partner.
    fn fix(&mut self, left: Option<usize>, right: Option<usize>) {
        let slot = |partner: Option<usize>| partner.map_or(Slot::Alone, Slot::With);
        if let Some(left) = left {
            self.of_left[left] = slot(right);
        }
        if let Some(right) = right {
            self.of_right[right] = slot(left);
        }
    }

    /// Pairs documents with equal texts; then those that have mostly the same content or one
    /// `kind`; then the rest by position. Returns the partners of the first list.
    fn run(mut self) -> Vec<Option<usize>> {
        self.pair_equal();
        self.pair_equal_in_place();
        self.pair_similar();
        self.pair_by_position();
        let partner = |slot: Slot| match slot {
            Slot::With(partner) => Some(partner),
            Slot::Free | Slot::Alone => None,
        };
        self.of_left.into_iter().map(partner).collect()
    }

    /// Pairs documents whose text occurs once in each list, first versions first.
    fn pair_equal(&mut self) {
        let mut by_text: FxHashMap<&str, [Occurrence; 2]> = FxHashMap::default();
        for at in free(&self.of_left) {
            for (version, document) in (0..).zip(versions(self.left[at])) {
                by_text.entry(document.text()).or_default()[0].add(version, at);
            }
        }
        for at in free(&self.of_right) {
            if let Some([_, found]) = by_text.get_mut(self.right[at].text()) {
                found.add(0, at);
            }
        }
        let unique = by_text.into_values().filter_map(|found| match found {
            [
                Occurrence::Once { version, at },
                Occurrence::Once { at: other, .. },
            ] => Some((version, at, other)),
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
            if versions(self.left[one]).any(|version| version.text() == text) {
                self.pair_if_free(one, other);
            }
        }
    }

    fn pair_similar(&mut self) {
        let (left, right) = (free(&self.of_left), free(&self.of_right));
        let max_distance = left.len().abs_diff(right.len()) + MORE_DISTANCE;
        let pairs = most_similar_first(
            left.len(),
            right.len(),
            max_distance.min(MAX_DISTANCE),
            |one, other| {
                let versions = versions(self.left[left[one]]);
                let other = &self.right[right[other]];
                versions.filter_map(|it| it.similarity(other)).max()
            },
        );
        for [one, other] in pairs {
            self.pair_if_free(left[one as usize], right[other as usize]);
        }
    }

    /// Pairs documents that are like each other by their position between paired ones: by index,
    /// if both lists have the same number there, else as far as they follow or precede a pair.
    fn pair_by_position(&mut self) {
        let mut start = 0;
        while start < self.of_left.len() {
            let is_free = |slot: &&Slot| **slot == Slot::Free;
            let len = self.of_left[start..].iter().take_while(is_free).count();
            self.pair_between(start..start + len);
            start += len + 1;
        }
    }

    fn pair_between(&mut self, range: Range<usize>) {
        let above = match range.start.checked_sub(1).map(|at| self.of_left[at]) {
            None => Some(0),
            Some(Slot::With(at)) => Some(at + 1),
            Some(_) => None,
        };
        let below = match self.of_left.get(range.end) {
            None => Some(self.right.len()),
            Some(Slot::With(at)) => Some(*at),
            Some(_) => None,
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
        let mut versions = versions(self.left[left]);
        versions.any(|version| version.is_like(&self.right[right]))
            && self.pair_if_free(left, right)
    }

    fn pair_if_free(&mut self, left: usize, right: usize) -> bool {
        let are_free = self.of_left[left] == Slot::Free && self.of_right[right] == Slot::Free;
        if are_free {
            self.fix(Some(left), Some(right));
        }
        are_free
    }
}

/// Returns the versions of a document.
fn versions<'u, 'p, 'a>(
    (one, other): Versions<'u, 'p, 'a>,
) -> impl Iterator<Item = &'u Unnamed<'p, 'a>> {
    [one].into_iter().chain(other)
}

/// Returns the positions of the documents that have no partner yet.
fn free(slots: &[Slot]) -> Vec<usize> {
    let slots = slots.iter().enumerate();
    slots
        .filter(|(_, slot)| **slot == Slot::Free)
        .map(|(at, _)| at)
        .collect()
}
