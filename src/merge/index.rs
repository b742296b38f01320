//! Finds the fields of maps by key, in constant time for large maps.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::shape::{Shape, entries_of, position, shape};
use crate::yaml::go_json::key_in_json;
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

/// The number of fields from which on a map gets a hash table.
const MIN_TABLE_SIZE: usize = 12;

/// The type and content of a key. Equal pairs are the same key.
pub(crate) type ScalarKey<'t> = (ScalarType, &'t str);

/// The fields of a map by key.
pub(crate) struct FieldIndex<'t> {
    tree: &'t Tree<'t>,
    fields: Vec<EntryId>,
    /// The position after the last field that was found. The next lookup tries it first.
    next: Cell<usize>,
    /// The positions of the fields by the hash of their keys. Built at the first lookup that needs
    /// it. Stores no hashes, to save memory.
    table: OnceCell<HashTable<u32>>,
    /// Whether keys compare as in JSON even if the document is not a resource.
    in_json: bool,
    /// The fields whose keys are not strings, by the key that they have in JSON. Built on demand.
    non_string_keys: OnceCell<FxHashMap<Cow<'t, str>, EntryId>>,
}

impl<'t> FieldIndex<'t> {
    /// Indexes some fields of a map.
    pub(crate) fn new(tree: &'t Tree<'_>, fields: impl Iterator<Item = EntryId>) -> Self {
        Self {
            tree,
            fields: fields.collect(),
            next: Cell::new(0),
            table: OnceCell::new(),
            in_json: false,
            non_string_keys: OnceCell::new(),
        }
    }

    /// Indexes all fields of a map. Aliases are resolved.
    pub(crate) fn of(tree: &'t Tree<'_>, map: NodeId) -> Self {
        Self::new(tree, entries_of(tree, map))
    }

    /// Compares keys as in JSON, for documents that may be a part of a resource.
    pub(crate) const fn in_json(mut self) -> Self {
        self.in_json = true;
        self
    }

    /// Returns the field with a key. In a resource, keys compare as in JSON: `9000` is the same key
    /// as `"9000"`, and `y` the same as `"true"` (rules: Keys).
    pub(crate) fn find(&self, key: ScalarKey<'_>) -> Option<EntryId> {
        self.find_exact(key).or_else(|| {
            let is_json = may_be_non_string(key) && (self.in_json || self.tree.is_resource());
            is_json.then(|| self.find_in_json(key)).flatten()
        })
    }

    /// Whether another map has the same keys in the same order.
    pub(super) fn has_keys_of(&self, other: &Self) -> bool {
        let is_key = |(own, other_own): (&EntryId, &EntryId)| {
            let key = self.tree.entry(*own).key;
            let other_key = key_of(other.tree, *other_own);
            matches!((key, other_key), (Some(key), Some((scalar_type, content)))
                if self.tree.says(key, scalar_type, content))
        };
        self.fields.len() == other.fields.len() && self.fields.iter().zip(&other.fields).all(is_key)
    }

    /// Whether both maps have keys, and none is in both.
    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        let is_new = |entry: &EntryId| {
            let key = key_of(other.tree, *entry);
            key.is_none_or(|key| self.find(key).is_none())
        };
        let have_keys = !self.fields.is_empty() && !other.fields.is_empty();
        have_keys && other.fields.iter().all(is_new)
    }

    /// Returns the field at the position that a field of another map has there.
    pub(super) fn at_position_of(&self, entry: EntryId, other: &Self) -> Option<EntryId> {
        let position = position(other.fields.iter().copied(), entry);
        self.fields.get(position).copied()
    }

    /// Returns the field with a key that is the same in JSON.
    fn find_in_json(&self, (scalar_type, content): ScalarKey<'_>) -> Option<EntryId> {
        let name = key_in_json(scalar_type, content);
        self.find_exact((ScalarType::Str, &name)).or_else(|| {
            let non_string_keys = self
                .non_string_keys
                .get_or_init(|| self.index_non_string_keys());
            non_string_keys.get(name.as_ref()).copied()
        })
    }

    fn index_non_string_keys(&self) -> FxHashMap<Cow<'t, str>, EntryId> {
        let non_string_key = |entry: EntryId| match key_of(self.tree, entry)? {
            (ScalarType::Str | ScalarType::Null, _) => None,
            (scalar_type, content) => Some((key_in_json(scalar_type, content), entry)),
        };
        let all = self.fields.iter().copied();
        all.filter_map(non_string_key).collect()
    }

    /// Returns the field with a key of the same type and content.
    fn find_exact(&self, key: ScalarKey<'_>) -> Option<EntryId> {
        let (scalar_type, content) = key;
        let has_key = |at: &usize| {
            let key_node = self.tree.entry(self.fields[*at]).key;
            key_node.is_some_and(|key_node| self.tree.says(key_node, scalar_type, content))
        };
        let (next, count) = (self.next.get(), self.fields.len());
        let found = match next < count && has_key(&next) {
            true => next,
            false if count < MIN_TABLE_SIZE => (0..count).find(has_key)?,
            false => {
                let table = self.table.get_or_init(|| self.table());
                let found = table.find(hash_of(key), |at| has_key(&(*at as usize)));
                *found? as usize
            }
        };
        self.next.set(found + 1);
        Some(self.fields[found])
    }

    fn table(&self) -> HashTable<u32> {
        let key = |at: u32| key_of(self.tree, self.fields[at as usize]);
        let count = self.fields.len() as u32;
        let mut table = HashTable::with_capacity(count as usize);
        for at in 0..count {
            if let Some(field_key) = key(at) {
                table.insert_unique(hash_of(field_key), at, |at| key(*at).map_or(0, hash_of));
            }
        }
        table
    }
}

/// Indexes the fields of a node. The index is empty if the node is not a map.
pub(crate) fn fields_of<'t>(tree: &'t Tree<'_>, node: Option<NodeId>) -> FieldIndex<'t> {
    match node {
        Some(node) if shape(tree, node) == Shape::Map => FieldIndex::of(tree, node),
        _ => FieldIndex::new(tree, std::iter::empty()),
    }
}

fn hash_of(key: ScalarKey<'_>) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// Returns the key of a field, if it is a scalar.
pub(crate) fn key_of<'t>(tree: &'t Tree<'_>, entry: EntryId) -> Option<ScalarKey<'t>> {
    scalar_key(tree, tree.entry(entry).key?)
}

/// Returns true if a key is not a string, or is a string that could have another type without
/// quotes.
fn may_be_non_string((scalar_type, content): ScalarKey<'_>) -> bool {
    match scalar_type {
        ScalarType::Int | ScalarType::Float | ScalarType::Bool | ScalarType::Timestamp => true,
        ScalarType::Str => {
            content.starts_with(|first: char| first.is_ascii_digit() || first == '-')
                || matches!(content, "true" | "false")
        }
        ScalarType::Null | ScalarType::Merge | ScalarType::Custom => false,
    }
}

/// Returns the key of a field as JSON has it.
pub(crate) fn name_of<'t>(tree: &'t Tree<'_>, entry: EntryId) -> Option<Cow<'t, str>> {
    let (scalar_type, content) = key_of(tree, entry)?;
    Some(key_in_json(scalar_type, content))
}

/// Returns a scalar as a key, or `None` for a map or list. Aliases are resolved.
pub(crate) fn scalar_key<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<ScalarKey<'t>> {
    let scalar = tree.scalar(node)?;
    Some(match scalar.scalar_type {
        ScalarType::Null => (ScalarType::Null, ""),
        scalar_type => (scalar_type, scalar.content),
    })
}
