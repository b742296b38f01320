//! Pairs resources to which one side gave another name, namespace or API group (rules: Renamed
//! resources).

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::file_triple::FileTriple;
use super::jobs::{document_at, members};
use super::pair::{DocRef, Group, both};
use super::plan::Renamed;
use super::read::ReadFile;
use super::resource::ResourceId;
use super::similarity::Leaves;
use crate::triple::Side;

/// How many places apart two resources of one kind are compared at most: a file may hold thousands
/// of them.
const REACH: usize = 100;

/// Pairs what is left of the original with what is left of updated, then with what is left of
/// local, in one file; what upstream moved to another file, first with what local has there, for
/// that may have moved already (law 4).
///
/// Pairs are: of one kind, namespace and name, those that moved to another API group and have
/// mostly the same content; then of one group and kind, those that alone have one name, and those
/// with mostly the same content: the likest first, then the nearest by place.
pub(super) fn pair_renamed(groups: &mut Vec<Group>, files: &[ReadFile<'_>]) {
    let mut pairing = Pairing {
        groups,
        files,
        leaves: FxHashMap::default(),
    };
    pairing.unite(Side::Updated, Side::Original);
    pairing.unite(Side::Local, Side::Updated);
    pairing.unite(Side::Local, Side::Original);
    groups.retain(|group| !group.is_empty());
}

/// The local resources that have another name or namespace than what they pair with.
pub(super) fn renamed(
    triples: &[FileTriple],
    groups: &[Group],
    files: &[ReadFile<'_>],
) -> Vec<Renamed> {
    let find = |group: &Group| {
        let file = group.local?.triple;
        let members = members(files, group);
        let resources = members.map(|member| member?.resource.as_ref());
        let names = resources.map(|it| it.map(|it| (&it.pairing().namespace, &it.pairing().name)));
        let mut others = [names.original, names.updated].into_iter().flatten();
        let is_renamed = others.any(|name| Some(name) != names.local);
        let local = members.local?;
        (is_renamed && names.local.is_some()).then(|| Renamed {
            file: triples[file].path.clone(),
            line: local.document.line + local.line() + 1,
            names: resources.map(|it| it.map(|it| it.id.to_static())),
        })
    };
    groups.iter().filter_map(find).collect()
}

/// What is left of one group and kind in one file: groups by their index, in the order of the file.
#[derive(Debug, Default)]
struct Left {
    originals: Vec<usize>,
    others: Vec<usize>,
}

impl Left {
    fn of(&mut self, side: Side) -> &mut Vec<usize> {
        match side {
            Side::Original => &mut self.originals,
            Side::Updated | Side::Local => &mut self.others,
        }
    }
}

struct Pairing<'g, 'f, 'a> {
    groups: &'g mut Vec<Group>,
    files: &'f [ReadFile<'a>],
    /// The leaves of the documents that were compared.
    leaves: FxHashMap<(Side, DocRef), Leaves>,
}

impl<'f, 'a> Pairing<'_, 'f, 'a> {
    /// Pairs what is left of the original with what is left of a side in the file in which `place`
    /// has the original's.
    fn unite(&mut self, side: Side, place: Side) {
        for left in self.left(side, place, |id| ("", id.kind.as_ref())) {
            self.unite_moved(side, &left);
        }
        for mut left in self.left(side, place, |id| (id.group(), id.kind.as_ref())) {
            self.unite_named(side, Side::Original, &mut left);
            // local may have upstream's name already
            self.unite_named(side, Side::Updated, &mut left);
            // what upstream has still comes first: of what it deleted there is nothing to bring
            let is_kept = |index: &usize| self.groups[*index].updated.is_some();
            let (kept, gone): (Vec<_>, Vec<_>) = left.originals.iter().partition(|it| is_kept(it));
            self.unite_alike(side, &kept, &left.others);
            self.unite_alike(side, &gone, &left.others);
        }
    }

    /// What is left of the original and of a side in one file, where there is something of both,
    /// for each value of `kind`.
    fn left(
        &self,
        side: Side,
        place: Side,
        kind: fn(&'f ResourceId<'a>) -> (&'f str, &'f str),
    ) -> Vec<Left> {
        let mut of_kind: FxHashMap<(usize, (&str, &str)), Left> = FxHashMap::default();
        for (index, group) in self.groups.iter().enumerate() {
            let Some(of) = left_side(side, group) else {
                continue;
            };
            let triple = match of {
                Side::Original => triple_at(place, group),
                Side::Updated | Side::Local => group[of].map(|it| it.triple),
            };
            if let (Some(triple), Some(id)) = (triple, self.named(of, group)) {
                let left = of_kind.entry((triple, kind(id))).or_default();
                left.of(of).push(index);
            }
        }
        let of_kind = of_kind.into_values();
        let mut all: Vec<Left> = of_kind
            .filter(|left| !left.originals.is_empty() && !left.others.is_empty())
            .collect();
        for left in &mut all {
            let document = |side: Side| move |index: &usize| self.groups[*index][side];
            left.originals
                .sort_unstable_by_key(document(Side::Original));
            left.others.sort_unstable_by_key(document(side));
        }
        all
    }

    /// Pairs those that alone have a namespace and name, and mostly the same content: their API
    /// group moved.
    fn unite_moved(&mut self, side: Side, left: &Left) {
        let of_name = self.alone((Side::Original, side), left, |id| {
            (id.namespace.as_ref(), id.name.as_ref())
        });
        for (original, other) in of_name {
            self.unite_alike(side, &[original], &[other]);
        }
    }

    /// Pairs those that alone have a name; the original's, the one that they have on side `named`.
    fn unite_named(&mut self, side: Side, named: Side, left: &mut Left) {
        for (original, other) in self.alone((named, side), left, |id| ("", id.name.as_ref())) {
            if self.can_join(original, other) {
                self.join(original, other);
            }
        }
        left.originals
            .retain(|index| self.groups[*index][side].is_none());
        left.others.retain(|index| !self.groups[*index].is_empty());
    }

    /// What is left of the original and of a side that nothing else there shares its name with.
    /// `sides` say on which one each has it.
    fn alone(
        &self,
        sides: (Side, Side),
        left: &Left,
        name: fn(&'f ResourceId<'a>) -> (&'f str, &'f str),
    ) -> Vec<(usize, usize)> {
        let mut names: FxHashMap<(&str, &str), Left> = FxHashMap::default();
        let originals = left
            .originals
            .iter()
            .map(|it| (sides.0, Side::Original, *it));
        let others = left.others.iter().map(|it| (sides.1, sides.1, *it));
        for (named, of, index) in originals.chain(others) {
            if let Some(id) = self.named(named, &self.groups[index]) {
                names.entry(name(id)).or_default().of(of).push(index);
            }
        }
        let pairs = names.into_values().filter_map(|of_name| {
            match (&of_name.originals[..], &of_name.others[..]) {
                ([original], [other]) => Some((*original, *other)),
                _ => None,
            }
        });
        pairs.collect()
    }

    /// Pairs those that have mostly the same content: the likest first, then the nearest.
    fn unite_alike(&mut self, side: Side, originals: &[usize], others: &[usize]) {
        let mut pairs = Vec::new();
        for (place, original) in originals.iter().enumerate() {
            let near = others.iter().enumerate().take(place + REACH + 1);
            for (other_place, other) in near.skip(place.saturating_sub(REACH)) {
                if !self.can_join(*original, *other) {
                    continue;
                }
                if let Some(likeness) = self.likeness(side, *original, *other) {
                    let rank = (Reverse(likeness), place.abs_diff(other_place));
                    pairs.push((rank, place, *original, *other));
                }
            }
        }
        pairs.sort_unstable();
        for (_, _, original, other) in pairs {
            let is_free = self.groups[original][side].is_none();
            if is_free && !self.groups[other].is_empty() && self.can_join(original, other) {
                self.join(original, other);
            }
        }
    }

    /// Whether no side has both: local may have the old name beside the new one.
    fn can_join(&self, original: usize, other: usize) -> bool {
        let both = self.groups[original].zip(self.groups[other]);
        let is_free = |(original, other): (Option<DocRef>, Option<DocRef>)| {
            original.is_none() || other.is_none()
        };
        both.into_array().into_iter().all(is_free)
    }

    fn join(&mut self, original: usize, other: usize) {
        let other = std::mem::take(&mut self.groups[other]);
        let group = &mut self.groups[original];
        *group = both(*group, other);
    }

    /// How alike two resources are; `None` if they are not, for the most part. Upstream's version
    /// of the original counts as well: local may have its changes already.
    fn likeness(&mut self, side: Side, original: usize, other: usize) -> Option<usize> {
        let group = self.groups[original];
        // none where it is paired already
        let other = (side, self.groups[other][side]?);
        let original = group.original.map(|it| (Side::Original, it));
        let updated = group.updated.map(|it| (Side::Updated, it));
        let versions = [original, updated];
        for document in versions.into_iter().flatten().chain([other]) {
            if !self.leaves.contains_key(&document)
                && let Some(parsed) = document_at(self.files, document.0, document.1)
            {
                self.leaves.insert(document, Leaves::of(parsed));
            }
        }
        let leaves = |document| self.leaves.get(&document);
        let versions = versions.into_iter().flatten().filter_map(leaves);
        versions
            .filter_map(|version| version.likeness(leaves(other)?))
            .max()
    }

    /// What the member of a group is called.
    fn named(&self, side: Side, group: &Group) -> Option<&'f ResourceId<'a>> {
        let member = document_at(self.files, side, group[side]?)?;
        Some(member.resource.as_ref()?.pairing())
    }
}

/// The file in which a side has what is the original's; where that is upstream, only if it moved it
/// there.
fn triple_at(side: Side, group: &Group) -> Option<usize> {
    let triple = |side: Side| group[side].map(|it| it.triple);
    match side {
        Side::Original => triple(Side::Original),
        _ => triple(side).filter(|_| triple(side) != triple(Side::Original)),
    }
}

/// Whether a group is left of the original, or of a side that the original's are looked for on;
/// `None` if it is not left. What local and upstream both have is what upstream has: nobody gave
/// it its name.
fn left_side(side: Side, group: &Group) -> Option<Side> {
    if group.original.is_some() {
        return group[side].is_none().then_some(Side::Original);
    }
    let is_left = match side {
        Side::Local => group.local.is_some() && group.updated.is_none(),
        _ => group[side].is_some(),
    };
    is_left.then_some(side)
}
