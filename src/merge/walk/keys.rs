//! Finds the key that identifies the elements of a list (rules: Lists with a key).

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

/// The fields that are tried first, in this order.
const SINGLE_KEYS: [&str; 7] = [
    "mountPath",
    "devicePath",
    "ip",
    "type",
    "topologyKey",
    "name",
    "containerPort",
];

/// The pairs of fields that are tried if no single field is a key. The second field may be missing.
const PAIRS: [[&str; 2]; 5] = [
    ["containerPort", "protocol"],
    ["port", "protocol"],
    ["mountPath", "subPath"],
    ["name", "namespace"],
    ["name", "kind"],
];

/// The key that tells the elements of a list apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListKey {
    /// One field of each element.
    Field(Cow<'static, str>),
    /// Two fields. The second one may be missing.
    Pair([&'static str; 2]),
    /// Two fields from a rule. The second one may be missing.
    RulePair([String; 2]),
    /// The fields that a schema names. A missing field counts as its default. At least one field
    /// must be present.
    Known(Vec<MapKey>),
    /// The elements are scalars, and the list is a set of them.
    Scalar,
}

/// The identity of an element under a [`ListKey`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Identity<'t> {
    first: ScalarKey<'t>,
    second: ScalarKey<'t>,
    others: Vec<ScalarKey<'t>>,
}

/// The value that a missing second field counts as.
const MISSING: ScalarKey<'static> = (ScalarType::Str, "");

impl ListKey {
    /// Returns the key that identifies the elements of all `lists`: that of a rule if it does, else
    /// the first that does of the built-in single keys, `extra_names` (`--key`) and the pairs.
    pub(super) fn of(
        lists: &[(&Tree<'_>, NodeId)],
        by_rule: impl FnOnce() -> Option<Self>,
        extra_names: &[String],
    ) -> Option<Self> {
        let identifies_all =
            |key: &Self| lists.iter().all(|(tree, list)| key.identifies(tree, *list));
        let (tree, list) = lists.first()?;
        let first = entries_of(tree, *list).next()?;
        if shape(tree, tree.entry(first).value) != Shape::Map {
            return None;
        }
        let extra_names = extra_names.iter().map(|name| name.clone().into());
        let known = SINGLE_KEYS
            .into_iter()
            .map(Cow::Borrowed)
            .chain(extra_names);
        let known = known.map(Self::Field);
        let mut known = known.chain(PAIRS.into_iter().map(Self::Pair));
        by_rule()
            .filter(identifies_all)
            .or_else(|| known.find(identifies_all))
    }

    /// Returns the key that a rule names with one or two fields.
    pub(super) fn of_rule(names: &[String]) -> Option<Self> {
        match names {
            [name] => Some(Self::Field(name.clone().into())),
            [first, second] => Some(Self::RulePair([first.clone(), second.clone()])),
            _ => None,
        }
    }

    /// Returns the names of the fields of the key.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let (names, schema_keys): ([Option<&str>; 2], &[MapKey]) = match self {
            Self::Field(name) => ([Some(name), None], &[]),
            Self::Pair([first, second]) => ([Some(first), Some(second)], &[]),
            Self::RulePair([first, second]) => ([Some(first), Some(second)], &[]),
            Self::Known(keys) => ([None, None], keys),
            Self::Scalar => ([None, None], &[]),
        };
        names
            .into_iter()
            .flatten()
            .chain(schema_keys.iter().map(MapKey::name))
    }

    /// Returns the identity of an element as paths show it.
    pub(super) fn in_path(&self, tree: &Tree<'_>, element: EntryId) -> String {
        let value = tree.entry(element).value;
        let fields = self.names();
        let fields = fields.filter_map(|name| Some((name, field_key(tree, value, name)?.1)));
        let fields: Vec<String> = fields.map(|(name, key)| format!("{name}={key}")).collect();
        fields.join(",")
    }

    /// Returns the identity of an element, or `None` if it has none.
    pub(crate) fn identity<'t>(
        &'t self,
        tree: &'t Tree<'_>,
        element: EntryId,
    ) -> Option<Identity<'t>> {
        let value = tree.entry(element).value;
        match self {
            Self::Field(name) => Some(Identity::of(field_key(tree, value, name)?)),
            Self::Pair([first, second]) => pair_identity(tree, value, first, second),
            Self::RulePair([first, second]) => pair_identity(tree, value, first, second),
            Self::Known(keys) => schema_identity(tree, value, keys),
            Self::Scalar => Some(Identity::of(scalar_key(tree, value)?)),
        }
    }

    /// Indexes the elements of a list by identity.
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

    /// Indexes the elements of each side by identity. The index of a side without a list is empty.
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

    /// Returns true if each element of a list has a unique identity.
    fn identifies(&self, tree: &Tree<'_>, list: NodeId) -> bool {
        self.first_without(tree, list).is_none()
    }

    /// Returns the first element of a list without a unique identity, and true if it repeats
    /// another element's, false if it has none.
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

/// The elements of a list by identity. Stores no identities, to save memory: a list can have as
/// many elements as a file has lines.
pub(crate) struct Elements<'t> {
    key: &'t ListKey,
    tree: &'t Tree<'t>,
    table: HashTable<EntryId>,
}

impl<'t> Elements<'t> {
    /// Creates an empty index with the given capacity.
    fn new(key: &'t ListKey, tree: &'t Tree<'t>, count: usize) -> Self {
        Self {
            key,
            tree,
            table: HashTable::with_capacity(count),
        }
    }

    /// Returns the element with the given identity.
    pub(crate) fn find(&self, identity: Option<&Identity<'_>>) -> Option<EntryId> {
        let is_wanted = |it: &EntryId| self.key.identity(self.tree, *it).as_ref() == identity;
        self.table.find(hash_of(identity?), is_wanted).copied()
    }

    /// Inserts an element. Returns false if it replaced an element with the same identity.
    fn insert(&mut self, identity: &Identity<'_>, element: EntryId) -> bool {
        let identity_of = |it: &EntryId| self.key.identity(self.tree, *it);
        let is_same = |it: &EntryId| identity_of(it).as_ref() == Some(identity);
        let hash = |it: &EntryId| identity_of(it).as_ref().map_or(0, hash_of);
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

/// Returns the identity given by two fields of a map. The second one may be missing.
fn pair_identity<'t>(
    tree: &'t Tree<'_>,
    element: NodeId,
    first: &str,
    second: &str,
) -> Option<Identity<'t>> {
    let first = field_key(tree, element, first)?;
    let second = match tree.find(tree.resolve(element), second) {
        None => MISSING,
        Some(_) => field_key(tree, element, second)?,
    };
    Some(Identity {
        second,
        ..Identity::of(first)
    })
}

/// Returns the identity given by the fields that a schema names.
fn schema_identity<'t>(
    tree: &'t Tree<'_>,
    element: NodeId,
    keys: &'t [MapKey],
) -> Option<Identity<'t>> {
    let map = tree.resolve(element);
    let mut has_field = false;
    let mut parts = Vec::with_capacity(keys.len());
    for key in keys {
        parts.push(match (tree.find(map, key.name()), key.default()) {
            (Some(_), _) => {
                has_field = true;
                field_key(tree, element, key.name())?
            }
            (None, Some(default)) => (default.scalar_type, &*default.content),
            (None, None) => MISSING,
        });
    }
    let mut parts = parts.into_iter();
    has_field.then(|| Identity {
        first: parts.next().unwrap_or(MISSING),
        second: parts.next().unwrap_or(MISSING),
        others: parts.collect(),
    })
}

impl<'t> Identity<'t> {
    const fn of(key: ScalarKey<'t>) -> Self {
        Self {
            first: key,
            second: MISSING,
            others: Vec::new(),
        }
    }
}

/// Returns the value of a field, if it is a scalar and not null.
fn field_key<'t>(tree: &'t Tree<'_>, element: NodeId, name: &str) -> Option<ScalarKey<'t>> {
    let map = tree.resolve(element);
    let field = tree.find(map, name)?;
    scalar_key(tree, tree.entry(field).value)
        .filter(|(scalar_type, _)| *scalar_type != ScalarType::Null)
}

impl Walker<'_> {
    /// Returns the key that identifies the elements of a list on each side that has elements, or
    /// `None` if the list is not associative.
    fn list_key(&self, nodes: Nodes) -> Option<ListKey> {
        let lists = self.lists_with_elements(nodes);
        ListKey::of(&lists, || self.key_by_rule(nodes), &self.options.keys)
    }

    /// Returns the key of a list of scalars that merges as a set (`--lists set`). A list in which a
    /// scalar repeats is no set.
    pub(super) fn set_key(&self, nodes: Nodes) -> Option<ListKey> {
        if self.lists_by_rule(nodes).unwrap_or(self.options.lists) != Lists::Set {
            return None;
        }
        let are_sets = self
            .lists_with_elements(nodes)
            .into_iter()
            .all(|(tree, list)| ListKey::Scalar.identifies(tree, list));
        are_sets.then_some(ListKey::Scalar)
    }

    /// Returns the key of a list whose elements are maps with an identity, or `None` if the list
    /// merges in another way.
    pub(super) fn element_key(&self, nodes: Nodes) -> Option<ListKey> {
        match self.lists_by_rule(nodes) {
            Some(_) => None,
            None => self.list_key(nodes),
        }
    }

    /// Returns the key by which elements pair, in an associative list or in a set.
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

    /// Returns the identity of an element as paths show it, from local if local has the element.
    pub(super) fn key_for_path(&self, key: &ListKey, sides: Triple<Option<EntryId>>) -> String {
        let found = self.trees.zip(sides).into_array().into_iter().rev();
        for (tree, element) in found {
            let Some(element) = element else { continue };
            return key.in_path(tree, element);
        }
        String::new()
    }
}
