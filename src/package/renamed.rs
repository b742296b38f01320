//! Pairs resources to which one side gave another name, namespace or API group, or that have a name
//! in one version only (rules: Renamed resources). It works on what `pair` left unpaired.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::jobs::{document_at, members};
use super::pair::{DocRef, Group, has_common_side, union};
use super::plan::Renamed;
use super::read::ReadFile;
use super::resource::ResourceId;
use super::similarity::most_similar_first;
use crate::merge::Leaves;
use crate::triple::Side;

/// The largest distance of two resources of one kind that are compared, in positions.
const MAX_DISTANCE: usize = 100;

/// Pairs the unpaired resources of the original with those of updated, then with those of local, in
/// one file. Local's resources in a file that upstream moved the original's resource to pair before
/// those in the original's file, because local may have moved it already (law 4).
///
/// In each step, resources pair if they have one kind, namespace and name, other API groups and
/// mostly the same content; then, within one group and kind, if they alone have one name; then if
/// they have mostly the same content, the most similar first, then the nearest. Last, resources
/// pair with documents that have no name, and with resources of other kinds, if both sides changed
/// the kind.
pub(super) fn pair_renamed(groups: &mut Vec<Group>, files: &[ReadFile<'_>]) {
    let mut pairing = RenamePairing {
        groups,
        files,
        leaves: FxHashMap::default(),
    };
    pairing.pair_side(Side::Updated, Side::Original);
    pairing.pair_side(Side::Local, Side::Updated);
    pairing.pair_side(Side::Local, Side::Original);
    pairing.pair_with_unnamed(Side::Updated);
    pairing.pair_with_unnamed(Side::Local);
    pairing.pair_other_kinds();
    groups.retain(|group| !group.is_empty());
}

/// Returns the local resources whose name or namespace differs from that of their counterparts.
pub(super) fn renamed_resources(groups: &[Group], files: &[ReadFile<'_>]) -> Vec<Renamed> {
    let find = |group: &Group| {
        let file = group.local?.triple();
        let members = members(files, group);
        let resources = members.map(|member| member?.resource.as_ref());
        let names = resources.map(|it| it.map(|it| (&it.pairing().namespace, &it.pairing().name)));
        let mut others = [names.original, names.updated].into_iter().flatten();
        let is_renamed = others.any(|name| Some(name) != names.local);
        let local = members.local?;
        (is_renamed && names.local.is_some()).then(|| Renamed {
            file: files[file].triple.path.clone(),
            line: local.document.line + local.line() + 1,
            names: resources.map(|it| it.map(|it| it.id.to_static())),
        })
    };
    groups.iter().filter_map(find).collect()
}

/// The unpaired resources of one file with one key, in the order of the file: the indexes of groups
/// with a resource of the original, and of groups with one of the other side.
type Unpaired = [Vec<usize>; 2];

struct RenamePairing<'g, 'f, 'a> {
    groups: &'g mut Vec<Group>,
    files: &'f [ReadFile<'a>],
    /// The leaves of the documents that have been compared.
    leaves: FxHashMap<(Side, DocRef), Leaves>,
}

impl<'f, 'a> RenamePairing<'_, 'f, 'a> {
    /// Pairs the unpaired resources of the original with those of `side`, in the file that
    /// `file_side` has the original's resource in.
    fn pair_side(&mut self, side: Side, file_side: Side) {
        let sides = [side, file_side, Side::Original];
        let moved = self.unpaired(sides, |id, _| ["", &id.kind, &id.namespace, &id.name]);
        for (original, other) in unique_pairs(&moved) {
            self.pair_similar(side, &[original], &[other]);
        }
        // local may have upstream's name already
        for name_side in [Side::Original, Side::Updated] {
            let sides = [side, file_side, name_side];
            let named = |id: &'f ResourceId<'a>, name: &'f ResourceId<'a>| {
                [id.group(), &id.kind, "", &name.name]
            };
            for (original, other) in unique_pairs(&self.unpaired(sides, named)) {
                if self.can_combine(original, other) {
                    self.combine(original, other);
                }
            }
        }
        for [originals, others] in self.unpaired(sides, |id, _| [id.group(), &id.kind, "", ""]) {
            // resources that upstream deleted pair last: they have no changes to merge
            let is_kept = |index: &usize| self.groups[*index].updated.is_some();
            let (kept, deleted): (Vec<_>, Vec<_>) = originals.iter().partition(|it| is_kept(it));
            self.pair_similar(side, &kept, &others);
            self.pair_similar(side, &deleted, &others);
        }
    }

    /// Pairs documents of one kind of which only one has a name, because `side` added or removed it:
    /// the most similar first, then the nearest.
    fn pair_with_unnamed(&mut self, side: Side) {
        let kind = |own: Side, group: &Group| match self.id_of(own, group) {
            Some(id) => Some(id.kind.to_string()),
            None => {
                let tree = document_at(self.files, own, group[own]?)?.tree()?;
                Some(tree.field_text(tree.root().value, "kind")?.to_owned())
            }
        };
        for [originals, others] in self.unpaired_by(side, Side::Original, kind) {
            let is_named = |own: Side, it: &usize| self.id_of(own, &self.groups[*it]).is_some();
            let split = |own: Side, all: Vec<usize>| -> [Vec<usize>; 2] {
                all.into_iter().partition(|it| is_named(own, it)).into()
            };
            let [named, unnamed] = split(Side::Original, originals);
            let [named_others, unnamed_others] = split(side, others);
            for (originals, others) in [(named, unnamed_others), (unnamed, named_others)] {
                self.pair_alike(side, &originals, &others, |it, side, original, other| {
                    Some(it.similarity(side, original, other).unwrap_or(0))
                });
            }
        }
    }

    /// Pairs a resource of the original whose kind both sides changed with theirs: they alone have
    /// its name and namespace, and mostly the same content.
    fn pair_other_kinds(&mut self) {
        let [updated, local] = [Side::Updated, Side::Local].map(|side| {
            let sides = [side, Side::Original, Side::Original];
            unique_pairs(&self.unpaired(sides, |id, _| ["", "", &id.namespace, &id.name]))
        });
        let local: FxHashMap<usize, usize> = local.into_iter().collect();
        for (original, updated) in updated {
            let own = self.groups[updated].local.map(|_| updated);
            let is_similar = |it: &mut Self, side, other| {
                it.can_combine(original, other) && it.similarity(side, original, other).is_some()
            };
            if let Some(local) = own.or_else(|| local.get(&original).copied())
                && is_similar(self, Side::Updated, updated)
                && is_similar(self, Side::Local, local)
            {
                self.combine(original, updated);
                self.combine(original, local);
            }
        }
    }

    /// Returns the unpaired resources of the original and of `side` by file and key. `key` makes
    /// the key from the identity of a resource and the one that names it, which `name_side` has for
    /// the original's.
    fn unpaired(
        &self,
        [side, file_side, name_side]: [Side; 3],
        key: impl Fn(&'f ResourceId<'a>, &'f ResourceId<'a>) -> [&'f str; 4],
    ) -> Vec<Unpaired> {
        self.unpaired_by(side, file_side, |own_side, group| {
            let name_side = match own_side {
                Side::Original => name_side,
                _ => own_side,
            };
            let name = self.id_of(name_side, group)?;
            Some(key(self.id_of(own_side, group)?, name))
        })
    }

    /// Returns the unpaired documents of the original and of `side` by file and key. `key` gets the
    /// side of which a group has a document.
    fn unpaired_by<K: Hash + Eq>(
        &self,
        side: Side,
        file_side: Side,
        key: impl Fn(Side, &Group) -> Option<K>,
    ) -> Vec<Unpaired> {
        let mut by_key: FxHashMap<(usize, K), Unpaired> = FxHashMap::default();
        for (index, group) in self.groups.iter().enumerate() {
            let Some(own_side) = unpaired_side(side, group) else {
                continue;
            };
            let (triple, list) = match own_side {
                Side::Original => (file_of_original(file_side, group), 0),
                _ => (group[own_side].map(|it| it.triple()), 1),
            };
            if let (Some(triple), Some(key)) = (triple, key(own_side, group)) {
                by_key.entry((triple, key)).or_default()[list].push(index);
            }
        }
        let mut all: Vec<Unpaired> = by_key.into_values().collect();
        for [originals, others] in &mut all {
            originals.sort_unstable_by_key(|index| self.groups[*index].original);
            others.sort_unstable_by_key(|index| self.groups[*index][side]);
        }
        all
    }

    /// Pairs resources that have mostly the same content: the most similar first, then the nearest.
    fn pair_similar(&mut self, side: Side, originals: &[usize], others: &[usize]) {
        self.pair_alike(side, originals, others, Self::similarity);
    }

    /// Pairs documents for which `similarity` returns a value.
    fn pair_alike(
        &mut self,
        side: Side,
        originals: &[usize],
        others: &[usize],
        similarity: fn(&mut Self, Side, usize, usize) -> Option<u16>,
    ) {
        let pairs = most_similar_first(originals, others, MAX_DISTANCE, |original, other| {
            self.can_combine(original, other)
                .then(|| similarity(self, side, original, other))?
        });
        for pair in pairs {
            let [original, other] = pair.map(|index| index as usize);
            let is_free = self.groups[original][side].is_none();
            if is_free && !self.groups[other].is_empty() && self.can_combine(original, other) {
                self.combine(original, other);
            }
        }
    }

    /// Returns true if no side has both resources: local may have the old name beside the new one.
    fn can_combine(&self, original: usize, other: usize) -> bool {
        !has_common_side(&self.groups[original], &self.groups[other])
    }

    fn combine(&mut self, original: usize, other: usize) {
        let other = std::mem::take(&mut self.groups[other]);
        let group = &mut self.groups[original];
        *group = union(*group, other);
    }

    /// Returns the similarity of two resources; `None` if most of their content differs. Upstream's
    /// version of the original counts as well, because local may have its changes already.
    fn similarity(&mut self, side: Side, original: usize, other: usize) -> Option<u16> {
        let group = self.groups[original];
        // `None` if it has been paired already
        let other = (side, self.groups[other][side]?);
        let original = group.original.map(|it| (Side::Original, it));
        let updated = group.updated.map(|it| (Side::Updated, it));
        let versions = [original, updated];
        for (side, at) in versions.into_iter().flatten().chain([other]) {
            let parsed = || document_at(self.files, side, at);
            let leaves = || parsed().map(Leaves::of_document).unwrap_or_default();
            self.leaves.entry((side, at)).or_insert_with(leaves);
        }
        let leaves = |document| self.leaves.get(&document);
        let versions = versions.into_iter().flatten().filter_map(leaves);
        versions
            .filter_map(|version| version.similarity(leaves(other)?))
            .max()
    }

    /// Returns the identity of the group's member on a side.
    fn id_of(&self, side: Side, group: &Group) -> Option<&'f ResourceId<'a>> {
        let member = document_at(self.files, side, group[side]?)?;
        Some(member.resource.as_ref()?.pairing())
    }
}

/// Returns the resources that alone have their key.
fn unique_pairs(all: &[Unpaired]) -> Vec<(usize, usize)> {
    let pair = |unpaired: &Unpaired| match unpaired.each_ref().map(Vec::as_slice) {
        [&[original], &[other]] => Some((original, other)),
        _ => None,
    };
    all.iter().filter_map(pair).collect()
}

/// Returns the file in which `side` has the original's resource; for another side than the
/// original, only if it is another file than the original's.
fn file_of_original(side: Side, group: &Group) -> Option<usize> {
    let triple = |side: Side| group[side].map(|it| it.triple());
    match side {
        Side::Original => triple(Side::Original),
        _ => triple(side).filter(|_| triple(side) != triple(Side::Original)),
    }
}

/// Returns the side of which an unpaired group has a resource: the original, or `side`. `None` if
/// the group is not unpaired. A resource that both local and upstream have and the original has not
/// was not renamed by local.
fn unpaired_side(side: Side, group: &Group) -> Option<Side> {
    if group.original.is_some() {
        return group[side].is_none().then_some(Side::Original);
    }
    let is_left = match side {
        Side::Local => group.local.is_some() && group.updated.is_none(),
        _ => group[side].is_some(),
    };
    is_left.then_some(side)
}
