//! What identifies the elements of a list (rules: Lists with a key).

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::index::{ScalarKey, scalar_key};
use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::Lists;
use crate::schema::MapKey;
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

/// The keys tried first, in this order.
const SINGLE_KEYS: [&str; 7] = [
    "mountPath",
    "devicePath",
    "ip",
    "type",
    "topologyKey",
    "name",
    "containerPort",
];

/// The pairs tried where no single key will do; the second part may be missing.
const PAIRS: [[&str; 2]; 5] = [
    ["containerPort", "protocol"],
    ["port", "protocol"],
    ["mountPath", "subPath"],
    ["name", "namespace"],
    ["name", "kind"],
];

/// What tells the elements of one list apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListKey {
    /// One field of each element.
    Field(Cow<'static, str>),
    /// Two fields, the second of which may be missing.
    Pair([&'static str; 2]),
    /// Two fields that a rule names, the second of which may be missing.
    Ruled([String; 2]),
    /// The fields that a schema names. Where one is missing, its default stands for it; not all of
    /// them may be.
    Known(Vec<MapKey>),
    /// The elements are scalars, and the list is a set of them.
    Scalar,
}

/// The identity of one element under a [`ListKey`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Identity<'t> {
    first: ScalarKey<'t>,
    second: ScalarKey<'t>,
    others: Vec<ScalarKey<'t>>,
}

/// What a second part that is missing counts as: empty.
const NOTHING: ScalarKey<'static> = (ScalarType::Str, "");

impl ListKey {
    /// The key that identifies the elements of lists: the one that is `ruled`, else the first of
    /// the known ones and those `given`.
    pub(super) fn of(
        lists: &[(&Tree<'_>, NodeId)],
        ruled: impl FnOnce() -> Option<Self>,
        given: &[String],
    ) -> Option<Self> {
        let every = |key: &Self| lists.iter().all(|(tree, list)| key.identifies(tree, *list));
        let (tree, list) = lists.first()?;
        let first = entries_of(tree, *list).next()?;
        if shape(tree, tree.entry(first).value) != Shape::Map {
            return None;
        }
        let given = given.iter().map(|name| name.clone().into());
        let known = SINGLE_KEYS.into_iter().map(Cow::Borrowed).chain(given);
        let known = known.map(Self::Field);
        let mut known = known.chain(PAIRS.into_iter().map(Self::Pair));
        ruled().filter(every).or_else(|| known.find(every))
    }

    /// The key that a rule names, one field or two.
    pub(super) fn ruled(names: &[String]) -> Option<Self> {
        match names {
            [name] => Some(Self::Field(name.clone().into())),
            [first, second] => Some(Self::Ruled([first.clone(), second.clone()])),
            _ => None,
        }
    }

    /// The names of the fields that the key is made of.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let (names, known): ([Option<&str>; 2], &[MapKey]) = match self {
            Self::Field(name) => ([Some(name), None], &[]),
            Self::Pair([first, second]) => ([Some(first), Some(second)], &[]),
            Self::Ruled([first, second]) => ([Some(first), Some(second)], &[]),
            Self::Known(keys) => ([None, None], keys),
            Self::Scalar => ([None, None], &[]),
        };
        names
            .into_iter()
            .flatten()
            .chain(known.iter().map(MapKey::name))
    }

    /// An element's key as a path shows it.
    pub(super) fn in_path(&self, tree: &Tree<'_>, element: EntryId) -> String {
        let value = tree.entry(element).value;
        let fields = self.names();
        let fields = fields.filter_map(|name| Some((name, field_key(tree, value, name)?.1)));
        let fields: Vec<String> = fields.map(|(name, key)| format!("{name}={key}")).collect();
        fields.join(",")
    }

    /// An element's identity; `None` if the element cannot have one.
    pub(crate) fn identity<'t>(
        &'t self,
        tree: &'t Tree<'_>,
        element: EntryId,
    ) -> Option<Identity<'t>> {
        let value = tree.entry(element).value;
        match self {
            Self::Field(name) => Some(Identity::of(field_key(tree, value, name)?)),
            Self::Pair([first, second]) => pair_key(tree, value, first, second),
            Self::Ruled([first, second]) => pair_key(tree, value, first, second),
            Self::Known(keys) => known_key(tree, value, keys),
            Self::Scalar => Some(Identity::of(scalar_key(tree, value)?)),
        }
    }

    /// The elements of a list by identity.
    pub(super) fn index<'t>(&'t self, tree: &'t Tree<'t>, list: NodeId) -> Elements<'t> {
        let all = entries_of(tree, list);
        let mut elements = Elements::new(self, tree, all.len());
        for element in all {
            if let Some(identity) = self.identity(tree, element) {
                elements.insert(&identity, element);
            }
        }
        elements
    }

    /// The elements of all sides by identity; none of a side that has no list.
    pub(crate) fn indexes<'t>(
        &'t self,
        trees: Triple<&'t Tree<'t>>,
        nodes: Nodes,
    ) -> Triple<Elements<'t>> {
        trees.zip(nodes).map(|(tree, node)| {
            node.filter(|node| shape(tree, *node) == Shape::List)
                .map_or_else(
                    || Elements::new(self, tree, 0),
                    |list| self.index(tree, list),
                )
        })
    }

    /// Whether every element of a list has an identity of its own.
    fn identifies(&self, tree: &Tree<'_>, list: NodeId) -> bool {
        self.first_without(tree, list).is_none()
    }

    /// The first element of a list without an identity of its own, and whether that is because
    /// another one has the same.
    pub(crate) fn first_without(&self, tree: &Tree<'_>, list: NodeId) -> Option<(EntryId, bool)> {
        let mut elements = entries_of(tree, list);
        if elements.len() == 1 {
            let element = elements.next()?;
            let has_none = self.identity(tree, element).is_none();
            return has_none.then_some((element, false));
        }
        let mut seen = Elements::new(self, tree, elements.len());
        elements.find_map(|element| match self.identity(tree, element) {
            None => Some((element, false)),
            Some(identity) => (!seen.insert(&identity, element)).then_some((element, true)),
        })
    }
}

/// Elements of a list by identity. The identities are not kept: a list may have as many elements
/// as a file has lines.
pub(crate) struct Elements<'t> {
    key: &'t ListKey,
    tree: &'t Tree<'t>,
    table: HashTable<EntryId>,
}

impl<'t> Elements<'t> {
    /// None yet, with room for so many.
    fn new(key: &'t ListKey, tree: &'t Tree<'t>, count: usize) -> Self {
        Self {
            key,
            tree,
            table: HashTable::with_capacity(count),
        }
    }

    /// The element of an identity, if there is one.
    pub(crate) fn find(&self, identity: Option<&Identity<'_>>) -> Option<EntryId> {
        let is_wanted = |it: &EntryId| self.key.identity(self.tree, *it).as_ref() == identity;
        self.table.find(hash_of(identity?), is_wanted).copied()
    }

    /// Puts an element in the place of the one with its identity; whether there was none.
    fn insert(&mut self, identity: &Identity<'_>, element: EntryId) -> bool {
        let own = |it: &EntryId| self.key.identity(self.tree, *it);
        let is_same = |it: &EntryId| own(it).as_ref() == Some(identity);
        let hash = |it: &EntryId| own(it).as_ref().map_or(0, hash_of);
        match self.table.entry(hash_of(identity), is_same, hash) {
            Entry::Occupied(mut occupied) => {
                *occupied.get_mut() = element;
                false
            }
            Entry::Vacant(vacant) => {
                vacant.insert(element);
                true
            }
        }
    }
}

fn hash_of(identity: &Identity<'_>) -> u64 {
    FxBuildHasher.hash_one(identity)
}

/// Two fields of a map as a key; the second may be missing.
fn pair_key<'t>(
    tree: &'t Tree<'_>,
    element: NodeId,
    first: &str,
    second: &str,
) -> Option<Identity<'t>> {
    let first = field_key(tree, element, first)?;
    let second = match tree.find(tree.resolve(element), second) {
        None => NOTHING,
        Some(_) => field_key(tree, element, second)?,
    };
    Some(Identity {
        second,
        ..Identity::of(first)
    })
}

/// The fields of a map that a schema names as its key.
fn known_key<'t>(tree: &'t Tree<'_>, element: NodeId, keys: &'t [MapKey]) -> Option<Identity<'t>> {
    let map = tree.resolve(element);
    let mut is_named = false;
    let mut parts = Vec::with_capacity(keys.len());
    for key in keys {
        parts.push(match (tree.find(map, key.name()), key.default()) {
            (Some(_), _) => {
                is_named = true;
                field_key(tree, element, key.name())?
            }
            (None, Some(default)) => (default.scalar_type, &*default.content),
            (None, None) => NOTHING,
        });
    }
    let mut parts = parts.into_iter();
    is_named.then(|| Identity {
        first: parts.next().unwrap_or(NOTHING),
        second: parts.next().unwrap_or(NOTHING),
        others: parts.collect(),
    })
}

impl<'t> Identity<'t> {
    const fn of(key: ScalarKey<'t>) -> Self {
        Self {
            first: key,
            second: NOTHING,
            others: Vec::new(),
        }
    }
}

/// A field of a map as a key: a scalar that is not null.
fn field_key<'t>(tree: &'t Tree<'_>, element: NodeId, name: &str) -> Option<ScalarKey<'t>> {
    let map = tree.resolve(element);
    let field = tree.find(map, name)?;
    scalar_key(tree, tree.entry(field).value)
        .filter(|(scalar_type, _)| *scalar_type != ScalarType::Null)
}

impl Walker<'_> {
    /// The key that identifies the elements of a list in each side that has elements; `None` if
    /// the list is not associative. A side that is no list is not asked.
    fn list_key(&self, nodes: Nodes) -> Option<ListKey> {
        let lists = self.lists_with_elements(nodes);
        ListKey::of(&lists, || self.ruled_key(nodes), &self.options.keys)
    }

    /// The key of a list of scalars that merges as a set, where that is asked for (`--lists set`).
    /// A list in which a scalar occurs twice is no set.
    pub(super) fn set_key(&self, nodes: Nodes) -> Option<ListKey> {
        if self.ruled_lists(nodes).unwrap_or(self.options.lists) != Lists::Set {
            return None;
        }
        let are_sets = self
            .lists_with_elements(nodes)
            .into_iter()
            .all(|(tree, list)| ListKey::Scalar.identifies(tree, list));
        are_sets.then_some(ListKey::Scalar)
    }

    /// The key of a list whose elements are maps with an identity; `None` if the list merges
    /// otherwise.
    pub(super) fn element_key(&self, nodes: Nodes) -> Option<ListKey> {
        match self.ruled_lists(nodes) {
            Some(_) => None,
            None => self.list_key(nodes),
        }
    }

    /// The key by which the elements of a list pair, maps or members of a set.
    pub(super) fn pairing_key(&self, nodes: Nodes) -> Option<ListKey> {
        self.element_key(nodes).or_else(|| self.set_key(nodes))
    }

    fn lists_with_elements(&self, nodes: Nodes) -> Vec<(&Tree<'_>, NodeId)> {
        self.trees
            .zip(nodes)
            .into_array()
            .into_iter()
            .filter_map(|(tree, node)| {
                let node = node?;
                let has_elements =
                    shape(tree, node) == Shape::List && entries_of(tree, node).len() > 0;
                has_elements.then_some((tree, node))
            })
            .collect()
    }

    /// An element's key as a path shows it.
    pub(super) fn key_for_path(&self, key: &ListKey, sides: Triple<Option<EntryId>>) -> String {
        let found = self.trees.zip(sides).into_array().into_iter().rev();
        for (tree, element) in found {
            let Some(element) = element else { continue };
            return key.in_path(tree, element);
        }
        String::new()
    }
}
