//! Types and what is said of their fields.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::yaml::ScalarType;

/// A set of kinds and the types that they are made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Types {
    kinds: FxHashMap<Box<str>, Value>,
    types: Vec<Type>,
    /// The groups and kinds of objects that are in no namespace.
    cluster_scoped: FxHashSet<(Box<str>, Box<str>)>,
}

/// Which of a [`Types`]' types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeId(usize);

/// The fields of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) fields: FxHashMap<Box<str>, Value>,
    /// What is known of fields without a name in [`Type::fields`].
    pub(super) others: Value,
}

/// What is known of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// How a list merges by `listType`, as far as that is said.
    pub(super) list: ListRule,
    /// How a strategic merge patch merges a list (`patchStrategy: merge` with `patchMergeKey`).
    pub(super) patch_list: ListRule,
    /// `patchStrategy: replace`, of a map.
    pub(super) is_patched_whole: bool,
    /// `patchStrategy: retainKeys`.
    pub(super) retains_keys: bool,
    /// Whether a map is one value.
    pub(super) is_atomic_map: bool,
    pub(super) inside: Inside,
}

/// What is inside a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inside {
    /// Nothing is known.
    Unknown,
    /// Maps merge and lists are one value, at any depth.
    Plain,
    /// A map.
    Fields(TypeId),
    /// A list.
    Elements(Box<Value>),
}

/// How a list merges, by its `listType` with `listMapKeys` or by its `patchStrategy` with
/// `patchMergeKey`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListRule {
    /// Nothing is known.
    Unknown,
    /// It is one value.
    Atomic,
    /// It is a set of scalars.
    Set,
    /// These fields identify its elements.
    Map(Vec<MapKey>),
}

/// A field that identifies the elements of a list, alone or with others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MapKey {
    name: Box<str>,
    default: Option<KeyDefault>,
}

/// What an absent key field stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyDefault {
    /// The type of the scalar.
    pub scalar_type: ScalarType,
    /// What it says.
    pub content: Box<str>,
}

impl MapKey {
    /// A key field; `default` is what stands for it where it is absent.
    pub fn new(name: &str, default: Option<KeyDefault>) -> Self {
        Self {
            name: name.into(),
            default,
        }
    }

    /// The name of the field.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What an absent field stands for, where the schema gives a default.
    pub const fn default(&self) -> Option<&KeyDefault> {
        self.default.as_ref()
    }
}

impl Value {
    /// A value of which this is inside, and no more is said.
    pub(super) const fn new(inside: Inside) -> Self {
        Self {
            list: ListRule::Unknown,
            patch_list: ListRule::Unknown,
            is_patched_whole: false,
            retains_keys: false,
            is_atomic_map: false,
            inside,
        }
    }
}

impl Type {
    /// A map of whose fields this alone is known.
    pub(super) fn without_fields(others: Inside) -> Self {
        Self {
            fields: FxHashMap::default(),
            others: Value::new(others),
        }
    }
}

impl Types {
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<&Value> {
        self.kinds.get(name_of(api_version, kind).as_str())
    }

    pub(super) fn add_kind(&mut self, api_version: &str, kind: &str, value: Value) {
        self.kinds.insert(name_of(api_version, kind).into(), value);
    }

    pub(super) fn add_cluster_scoped(&mut self, group: &str, kind: &str) {
        self.cluster_scoped.insert((group.into(), kind.into()));
    }

    pub(super) fn is_cluster_scoped(&self, group: &str, kind: &str) -> bool {
        self.cluster_scoped.contains(&(group.into(), kind.into()))
    }

    pub(super) fn add_type(&mut self, fields: Type) -> TypeId {
        self.types.push(fields);
        TypeId(self.types.len() - 1)
    }

    pub(super) fn fields(&self, id: TypeId) -> &Type {
        &self.types[id.0]
    }

    pub(super) fn fields_mut(&mut self, id: TypeId) -> &mut Type {
        &mut self.types[id.0]
    }
}

fn name_of(api_version: &str, kind: &str) -> String {
    format!("{api_version}/{kind}")
}
