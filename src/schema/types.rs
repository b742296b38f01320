//! The data of schemas: kinds, types and the rules of their fields.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use crate::yaml::ScalarType;

/// A set of kinds, with their types.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub(super) struct Types {
    /// The schemas of kinds, by `API_VERSION/KIND`.
    pub(super) kinds: FxHashMap<String, ValueSchema>,
    /// The types of maps, by name.
    pub(super) types: FxHashMap<Box<str>, Type>,
    /// The schema of a resource of which only the `metadata` is known.
    pub(super) any_resource: ValueSchema,
    /// The cluster-scoped kinds, as `GROUP/KIND`.
    pub(super) cluster_scoped: FxHashSet<String>,
}

/// The type of a map.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Type {
    pub(super) fields: FxHashMap<Box<str>, ValueSchema>,
    /// The schema of all fields that are not in [`Type::fields`].
    pub(super) other_fields: ValueSchema,
}

/// The schema of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Content {
    /// There is no information.
    Unknown,
    /// Maps merge and lists are one value, at any depth.
    #[default]
    Default,
    /// A map, with the name of its type in [`Types::types`].
    Fields(Box<str>),
    /// A list.
    Elements(Box<ValueSchema>),
}

/// How a list merges, by its `listType` with `listMapKeys` or by its `patchStrategy` with
/// `patchMergeKey`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListRule {
    /// There is no information.
    #[default]
    Unknown,
    /// The list is one value.
    Atomic,
    /// The list is a set of scalars.
    Set,
    /// These fields identify the elements.
    Map(Vec<MapKey>),
}

/// A field that identifies the elements of a list, possibly together with others.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub struct MapKey {
    name: Box<str>,
    default: Option<KeyDefault>,
}

/// The default of a key field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub struct KeyDefault {
    /// The type of the scalar. In the embedded table, all are strings.
    #[serde(skip, default = "text")]
    pub scalar_type: ScalarType,
    /// The content of the scalar.
    pub content: Box<str>,
}

const fn text() -> ScalarType {
    ScalarType::Str
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

impl Types {
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<&ValueSchema> {
        self.kinds.get(&format!("{api_version}/{kind}"))
    }

    /// Adds the type of a map.
    pub(super) fn add_type(&mut self, fields: Type) -> Content {
        let name: Box<str> = self.types.len().to_string().into();
        self.types.insert(name.clone(), fields);
        Content::Fields(name)
    }
}
