//! Merges the last applied configuration, the configuration and the live object, as `kubectl apply`
//! does. It is the walk of a merge patch that also removes what was applied last and is no longer
//! in the configuration.

use crate::merge::{FieldIndex, Shape, key_of, shape};
use crate::patch::apply::LAST_APPLIED;
use crate::patch::directives::PatchMap;
use crate::patch::{Context, Dialect, Patcher};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

/// The fields of `metadata` that the server sets.
const SERVER_FIELDS: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The level of a value in an applied resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::patch) enum Level {
    Root,
    Metadata,
    Annotations,
    /// A field that no configuration changes: the server sets it, or it is the last-applied
    /// annotation, which is written at the end. The namespace is one as well, because a
    /// configuration may omit it.
    Protected,
    #[default]
    Below,
}

impl Level {
    pub(in crate::patch) fn of_field(self, name: &str) -> Self {
        match (self, name) {
            (Self::Root, "metadata") => Self::Metadata,
            (Self::Metadata, "annotations") => Self::Annotations,
            (Self::Root, "status") | (Self::Metadata, "namespace") => Self::Protected,
            (Self::Metadata, name) if SERVER_FIELDS.contains(&name) => Self::Protected,
            (Self::Annotations, LAST_APPLIED) => Self::Protected,
            _ => Self::Below,
        }
    }
}

impl<'a> Patcher<'a> {
    pub(in crate::patch) const fn is_apply(&self) -> bool {
        matches!(self.dialect, Dialect::Apply { .. })
    }

    /// Whether a map is one value.
    pub(in crate::patch) fn is_one_value(&self, schema: Option<FieldSchema<'a>>) -> bool {
        schema.is_some_and(|schema| match self.dialect {
            Dialect::Apply { is_custom: true } => schema.is_atomic_map(),
            _ => schema.is_patched_whole(),
        })
    }

    /// Whether fields that only the live object has are removed: a map with `patchStrategy:
    /// retainKeys` changes its variant, because a field is added or a scalar changes.
    pub(in crate::patch) fn clears_rest(
        &self,
        target: NodeId,
        patch_map: &PatchMap,
        context: Context<'a>,
    ) -> bool {
        let retains = context.retains_keys || context.schema.is_some_and(FieldSchema::retains_keys);
        let target_index = FieldIndex::of(self.target, target).in_json();
        let changes_variant = |entry: &EntryId| {
            let value = self.patch.entry(*entry).value;
            let Some(own) = key_of(self.patch, *entry).and_then(|key| target_index.find(key))
            else {
                return !self.patch.is_null(value);
            };
            let own = self.target.entry(own).value;
            shape(self.patch, value) == Shape::Scalar && !equal(self.patch, value, self.target, own)
        };
        self.is_apply() && retains && patch_map.fields.iter().any(changes_variant)
    }
}
