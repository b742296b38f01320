//! The data of schemas: kinds, types and the rules of their fields.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::yaml::ScalarType;

/// A set of kinds, with their types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Types {
    kinds: FxHashMap<Box<str>, ValueSchema>,
    types: Vec<Type>,
    /// The API groups and kinds of cluster-scoped objects.
    cluster_scoped: FxHashSet<(Box<str>, Box<str>)>,
}

/// The index of a type in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeId(usize);

/// The type of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) fields: FxHashMap<Box<str>, ValueSchema>,
    /// The schema of all fields that are not in [`Type::fields`].
    pub(super) other_fields: ValueSchema,
}

/// The schema of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueSchema {
    /// How a list merges by `listType`, if that is known.
    pub(super) list: ListRule,
    /// How a strategic merge patch merges a list (`patchStrategy: merge` with `patchMergeKey`).
    pub(super) patch_list: ListRule,
    /// Whether a map has `patchStrategy: replace`.
    pub(super) is_patched_whole: bool,
    /// Whether it has `patchStrategy: retainKeys`.
    pub(super) retains_keys: bool,
    /// Whether a map is one value.
    pub(super) is_atomic_map: bool,
    pub(super) content: Content,
}

/// The content of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// There is no information.
    Unknown,
    /// Maps merge and lists are one value, at any depth.
    Default,
    /// A map.
    Fields(TypeId),
    /// A list.
    Elements(Box<ValueSchema>),
}

/// How a list merges, by its `listType` with `listMapKeys` or by its `patchStrategy` with
/// `patchMergeKey`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListRule {
    /// There is no information.
    Unknown,
    /// The list is one value.
    Atomic,
    /// The list is a set of scalars.
    Set,
    /// These fields identify the elements.
    Map(Vec<MapKey>),
}

/// A field that identifies the elements of a list, possibly together with others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MapKey {
    name: Box<str>,
    default: Option<KeyDefault>,
}

/// The default of a key field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyDefault {
    /// The type of the scalar.
    pub scalar_type: ScalarType,
    /// The content of the scalar.
    pub content: Box<str>,
}

impl MapKey {
    /// Returns a key field with its default.
    pub fn new(name: &str, default: Option<KeyDefault>) -> Self {
        Self {
            name: name.into(),
            default,
        }
    }

    /// Returns the name of the field.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the default of the field, if the schema has one.
    pub const fn default(&self) -> Option<&KeyDefault> {
        self.default.as_ref()
    }
}

impl ValueSchema {
    /// Returns the schema of a value with this content and no rules.
    pub(super) const fn new(content: Content) -> Self {
        Self {
            list: ListRule::Unknown,
            patch_list: ListRule::Unknown,
            is_patched_whole: false,
            retains_keys: false,
            is_atomic_map: false,
            content,
        }
    }
}

impl Type {
    /// Returns the type of a map without named fields.
    pub(super) fn without_fields(other_fields: Content) -> Self {
        Self {
            fields: FxHashMap::default(),
            other_fields: ValueSchema::new(other_fields),
        }
    }
}

impl Types {
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<&ValueSchema> {
        self.kinds.get(name_of(api_version, kind).as_str())
    }

    pub(super) fn add_kind(&mut self, api_version: &str, kind: &str, value: ValueSchema) {
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
