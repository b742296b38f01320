//! Looking up the fields of a map, in constant time where it is large.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::yaml::go_json::key_in_json;
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

/// From this many fields on, a table is worth its making.
const TABLE_FROM: usize = 12;

/// What makes two scalars the same key: type and content.
pub(crate) type ScalarKey<'t> = (ScalarType, &'t str);

/// The fields of one map by their keys.
pub(crate) struct FieldIndex<'t> {
    tree: &'t Tree<'t>,
    fields: Fields,
    /// The one behind the last one that was found: mostly it is looked for next.
    next: Cell<usize>,
    /// Where each of many is, by the hash of its key: made when one is looked for out of turn. The
    /// hashes are not kept: there are as many as lines.
    table: OnceCell<HashTable<u32>>,
    /// Whether keys are those of JSON, whatever the document is.
    in_json: bool,
    /// The fields whose keys are no texts, by what these are in JSON: made when it is asked for.
    others: OnceCell<FxHashMap<Cow<'t, str>, EntryId>>,
}

/// The fields that are looked for.
enum Fields {
    /// All of a map, which are numbered in a row.
    All(Range<u32>),
    Some(Vec<EntryId>),
}

impl Fields {
    fn len(&self) -> usize {
        match self {
            Self::All(own) => own.len(),
            Self::Some(own) => own.len(),
        }
    }

    fn get(&self, at: usize) -> EntryId {
        match self {
            Self::All(own) => EntryId::new(own.start + at as u32),
            Self::Some(own) => own[at],
        }
    }
}

impl<'t> FieldIndex<'t> {
    /// Some fields of a map.
    pub(crate) fn new(tree: &'t Tree<'_>, entries: impl Iterator<Item = EntryId>) -> Self {
        Self::over(tree, Fields::Some(entries.collect()))
    }

    /// All fields of a map, or of what an alias stands for.
    pub(crate) fn of(tree: &'t Tree<'_>, map: NodeId) -> Self {
        let mut entries = tree.entries(tree.resolve(map));
        let count = entries.len() as u32;
        let first = entries.next().map_or(0, EntryId::number);
        Self::over(tree, Fields::All(first..first + count))
    }

    fn over(tree: &'t Tree<'_>, fields: Fields) -> Self {
        Self {
            tree,
            fields,
            next: Cell::new(0),
            table: OnceCell::new(),
            in_json: false,
            others: OnceCell::new(),
        }
    }

    /// The same of a document that may be a piece of a resource: its keys are those of JSON.
    pub(crate) const fn in_json(mut self) -> Self {
        self.in_json = true;
        self
    }

    /// The field of a key. In a resource keys are what Kubernetes makes of them: `9000` is one as
    /// `"9000"` is, and `y` as `"true"` (rules: Keys).
    pub(crate) fn find(&self, key: ScalarKey<'_>) -> Option<EntryId> {
        self.find_typed(key).or_else(|| {
            let is_json = may_be_no_text(key) && (self.in_json || is_resource(self.tree));
            is_json.then(|| self.find_in_json(key)).flatten()
        })
    }

    fn find_in_json(&self, (scalar_type, content): ScalarKey<'_>) -> Option<EntryId> {
        let name = key_in_json(scalar_type, content);
        self.find_typed((ScalarType::Str, &name)).or_else(|| {
            let others = self.others.get_or_init(|| self.without_texts());
            others.get(name.as_ref()).copied()
        })
    }

    fn without_texts(&self) -> FxHashMap<Cow<'t, str>, EntryId> {
        let other = |entry: EntryId| match key_of(self.tree, entry)? {
            (ScalarType::Str | ScalarType::Null, _) => None,
            (scalar_type, content) => Some((key_in_json(scalar_type, content), entry)),
        };
        let all = (0..self.fields.len()).map(|at| self.fields.get(at));
        all.filter_map(other).collect()
    }

    fn find_typed(&self, key: ScalarKey<'_>) -> Option<EntryId> {
        let (scalar_type, content) = key;
        let has_key = |at: &usize| {
            let own = self.tree.entry(self.fields.get(*at)).key;
            own.is_some_and(|own| self.tree.says(own, scalar_type, content))
        };
        let (next, count) = (self.next.get(), self.fields.len());
        let found = match next < count && has_key(&next) {
            true => next,
            false if count < TABLE_FROM => (0..count).find(has_key)?,
            false => {
                let table = self.table.get_or_init(|| self.table());
                let found = table.find(hash_of(key), |at| has_key(&(*at as usize)));
                *found? as usize
            }
        };
        self.next.set(found + 1);
        Some(self.fields.get(found))
    }

    fn table(&self) -> HashTable<u32> {
        let key = |at: u32| key_of(self.tree, self.fields.get(at as usize));
        let count = self.fields.len() as u32;
        let mut table = HashTable::with_capacity(count as usize);
        for at in 0..count {
            if let Some(own) = key(at) {
                table.insert_unique(hash_of(own), at, |at| key(*at).map_or(0, hash_of));
            }
        }
        table
    }
}

impl<'t> FieldIndex<'t> {
    /// The tree that the fields are of.
    pub(super) const fn tree(&self) -> &'t Tree<'t> {
        self.tree
    }
}

fn hash_of(key: ScalarKey<'_>) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// A field's key as a scalar.
pub(crate) fn key_of<'t>(tree: &'t Tree<'_>, entry: EntryId) -> Option<ScalarKey<'t>> {
    scalar_key(tree, tree.entry(entry).key?)
}

/// Whether a key is no text, or one that could be written without quotes and be none then.
fn may_be_no_text((scalar_type, content): ScalarKey<'_>) -> bool {
    match scalar_type {
        ScalarType::Int | ScalarType::Float | ScalarType::Bool | ScalarType::Timestamp => true,
        ScalarType::Str => {
            content.starts_with(|first: char| first.is_ascii_digit() || first == '-')
                || matches!(content, "true" | "false")
        }
        ScalarType::Null | ScalarType::Merge | ScalarType::Custom => false,
    }
}

/// A field's name: its key as JSON has it.
pub(crate) fn name_of<'t>(tree: &'t Tree<'_>, entry: EntryId) -> Option<Cow<'t, str>> {
    let (scalar_type, content) = key_of(tree, entry)?;
    Some(key_in_json(scalar_type, content))
}

/// Whether a document is a resource of Kubernetes, which reads it as JSON.
pub(crate) fn is_resource(tree: &Tree<'_>) -> bool {
    let root = tree.root().value;
    let has = |field| tree.find(root, field).is_some();
    has("kind") && has("metadata")
}

/// A scalar as a key, an alias being what it stands for; `None` for a map or a list.
pub(crate) fn scalar_key<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<ScalarKey<'t>> {
    let scalar = tree.scalar(node)?;
    Some(match scalar.scalar_type {
        ScalarType::Null => (ScalarType::Null, ""),
        scalar_type => (scalar_type, scalar.content),
    })
}
