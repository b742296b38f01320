//! Finds the key that identifies the elements of a list (rules: Lists with a key).

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::{Nodes, Shape, Walker, entries_of, shape};
use crate::merge::Lists;
use crate::merge::index::{ScalarKey, key_of, scalar_key};
use crate::schema::MapKey;
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
const PAIRS: [(&str, &str); 5] = [
    ("containerPort", "protocol"),
    ("port", "protocol"),
    ("mountPath", "subPath"),
    ("name", "namespace"),
    ("name", "kind"),
];

/// The name of a field of a key.
type Name = Cow<'static, str>;

/// The key that tells the elements of a list apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListKey {
    /// One field of each element, and possibly a second one, which an element may lack.
    Named(Name, Option<Name>),
    /// The fields that a schema names. A missing field counts as its default. At least one field
    /// must be present.
    Known(Vec<MapKey>),
    /// The elements are scalars, and the list is a set of them.
    Scalar,
}

/// The identity of an element under a [`ListKey`]: the first field, the second one and the others.
type Identity<'t> = (ScalarKey<'t>, ScalarKey<'t>, Vec<ScalarKey<'t>>);

/// The value that a missing second field counts as.
const MISSING: ScalarKey<'static> = (ScalarType::Str, "");

impl ListKey {
    /// Returns the key that identifies the elements of all `lists`: that of a rule if it does, else
    /// the first that does of the built-in single keys, `extra_names` (`--key`) and the pairs.
    pub(crate) fn of(
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
        let names = SINGLE_KEYS.into_iter().map(Name::from).chain(extra_names);
        let pairs = PAIRS.into_iter();
        let pairs = pairs.map(|(first, second)| Self::Named(first.into(), Some(second.into())));
        let mut known = names.map(|name| Self::Named(name, None)).chain(pairs);
        by_rule()
            .filter(identifies_all)
            .or_else(|| known.find(identifies_all))
    }

    /// Returns the key that a rule names with one or two fields.
    pub(super) fn of_rule(names: &[String]) -> Option<Self> {
        match names {
            [name] => Some(Self::Named(name.clone().into(), None)),
            [first, second] => Some(Self::Named(
                first.clone().into(),
                Some(second.clone().into()),
            )),
            _ => None,
        }
    }

    /// Returns the names of the fields of the key.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let (first, second, schema_keys): (_, _, &[MapKey]) = match self {
            Self::Named(first, second) => (Some(first), second.as_ref(), &[]),
            Self::Known(keys) => (None, None, keys),
            Self::Scalar => (None, None, &[]),
        };
        let names = first.into_iter().chain(second).map(AsRef::as_ref);
        names.chain(schema_keys.iter().map(MapKey::name))
    }

    /// Returns true if a field of an element is part of the key.
    pub(super) fn has_field(&self, tree: &Tree<'_>, field: EntryId) -> bool {
        key_of(tree, field).is_some_and(|(_, name)| self.names().any(|part| part == name))
    }

    /// Returns the identity of an element as paths show it.
    pub(super) fn in_path(&self, tree: &Tree<'_>, element: EntryId) -> String {
        let value = tree.entry(element).value;
        let fields = self.names();
        let fields = fields.filter_map(|name| Some((name, field_or(tree, value, name, None)?.1)));
        let fields: Vec<String> = fields.map(|(name, key)| format!("{name}={key}")).collect();
        fields.join(",")
    }

    /// Returns the identity of an element, or `None` if it has none.
    fn identity<'t>(&'t self, tree: &'t Tree<'_>, element: EntryId) -> Option<Identity<'t>> {
        let value = tree.entry(element).value;
        match self {
            Self::Named(first, second) => {
                let first = field_or(tree, value, first, None)?;
                let second = match second {
                    Some(name) => field_or(tree, value, name, Some(MISSING))?,
                    None => MISSING,
                };
                Some((first, second, Vec::new()))
            }
            Self::Known(keys) => {
                let mut found = keys.iter().filter_map(|key| tree.find(value, key.name()));
                found.next()?;
                let mut parts = keys.iter().map(|key| {
                    let default = key.default();
                    let default = default.map_or(MISSING, |it| (it.scalar_type, &*it.content));
                    field_or(tree, value, key.name(), Some(default))
                });
                let (first, second) = (parts.next()??, parts.next().unwrap_or(Some(MISSING))?);
                Some((first, second, parts.collect::<Option<_>>()?))
            }
            Self::Scalar => Some((scalar_key(tree, value)?, MISSING, Vec::new())),
        }
    }

    /// Indexes the elements of a list by identity. The index of any other node is empty.
    pub(crate) fn index<'t>(&'t self, tree: &'t Tree<'t>, list: Option<NodeId>) -> Elements<'t> {
        let list = list.filter(|list| shape(tree, *list) == Shape::List);
        let all = list.map(|list| entries_of(tree, list));
        let mut elements = Elements::new(self, tree, all.as_ref().map_or(0, |all| all.len()));
        for element in all.into_iter().flatten() {
            if let Some(identity) = self.identity(tree, element) {
                elements.insert(&identity, element);
            }
        }
        elements
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

    /// Returns the element that has the identity of an element of another list.
    pub(crate) fn find(&self, tree: &Tree<'_>, element: EntryId) -> Option<EntryId> {
        let identity = self.key.identity(tree, element)?;
        let is_wanted =
            |it: &EntryId| self.key.identity(self.tree, *it).as_ref() == Some(&identity);
        self.table.find(hash_of(&identity), is_wanted).copied()
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

/// Returns the value of a field, or `default` if the map lacks it. Returns `None` for a null, a map
/// and a list.
fn field_or<'t>(
    tree: &'t Tree<'_>,
    element: NodeId,
    name: &str,
    default: Option<ScalarKey<'t>>,
) -> Option<ScalarKey<'t>> {
    let Some(field) = tree.field(element, name) else {
        return default;
    };
    scalar_key(tree, field).filter(|(scalar_type, _)| *scalar_type != ScalarType::Null)
}

impl Walker<'_> {
    /// Returns the key by which the elements of lists pair: the key of an associative list, or
    /// [`ListKey::Scalar`] for a list of scalars that merges as a set (`--lists set`), in which no
    /// scalar repeats. Returns `None` if the list merges in another way.
    pub(super) fn pairing_key(&self, nodes: Nodes) -> Option<ListKey> {
        let lists = self.lists_with_elements(nodes);
        let by_rule = self.lists_by_rule(nodes);
        if by_rule.is_none() {
            let key = ListKey::of(&lists, || self.key_by_rule(nodes), &self.options.keys);
            if key.is_some() {
                return key;
            }
        }
        let is_set = by_rule.unwrap_or(self.options.lists) == Lists::Set
            && lists
                .into_iter()
                .all(|(tree, list)| ListKey::Scalar.identifies(tree, list));
        is_set.then_some(ListKey::Scalar)
    }

    fn lists_with_elements(&self, nodes: Nodes) -> Vec<(&Tree<'_>, NodeId)> {
        let lists = self.trees.zip(nodes).into_array().into_iter();
        let lists = lists.filter_map(|(tree, node)| Some((tree, node?)));
        let has_elements = |(tree, node): &(&Tree<'_>, NodeId)| {
            shape(tree, *node) == Shape::List && entries_of(tree, *node).len() > 0
        };
        lists.filter(has_elements).collect()
    }
}
