//! Merges the last applied configuration, the configuration and the live object, as `kubectl apply`
//! does. It is the walk of a merge patch that also removes what was applied last and is no longer
//! in the configuration.

use crate::merge::{Child, FieldIndex, Outcome, Shape, fields_of, key_of, part_of, shape};
use crate::patch::apply::LAST_APPLIED;
use crate::patch::{Context, Dialect, PatchResult, Patcher};
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
    /// Decides the outcome of a live object. If its kind is unknown, a list is one value, as in a
    /// JSON merge patch.
    pub(in crate::patch) fn applied(&mut self, schema: Option<FieldSchema<'a>>) -> PatchResult {
        let (target, patch) = (self.target.root().value, self.patch.root().value);
        let patch_map = self.patch_map(patch)?;
        let context = Context {
            last: self.last.map(|last| last.root().value),
            level: Level::Root,
            ..Context::of(schema)
        };
        self.fields(target, patch, &patch_map, context)
    }

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

    /// Returns the fields of a map in the last applied configuration, by key.
    pub(in crate::patch) fn last_fields(&self, context: Context<'a>) -> FieldIndex<'a> {
        fields_of(self.trees().original, context.last).in_json()
    }

    /// Decides the outcome of annotations that the configuration lacks: those that were applied
    /// last are removed. The map itself stays, because an applied object always has the
    /// last-applied annotation.
    pub(in crate::patch) fn applied_annotations(
        &self,
        target: NodeId,
        context: Context<'a>,
    ) -> Outcome {
        let last_index = self.last_fields(context);
        let was_applied = |entry: EntryId| {
            let key = key_of(self.target, entry).filter(|(_, name)| *name != LAST_APPLIED);
            key.is_some_and(|key| last_index.find(key).is_some())
        };
        let entries = self.target.entries(self.target.resolve(target));
        let children = entries.map(|entry| match was_applied(entry) {
            true => Child::local(entry, Outcome::Remove),
            false => Child::keep(entry),
        });
        part_of(children.collect())
    }

    /// Whether a map with `patchStrategy: retainKeys` changes its variant: a field is added, or a
    /// scalar changes. Then the fields that only the live object has are removed.
    pub(in crate::patch) fn is_changed_as_union(
        &self,
        fields: &[EntryId],
        target_index: &FieldIndex<'_>,
    ) -> bool {
        fields.iter().any(|entry| {
            let value = self.patch.entry(*entry).value;
            let Some(own) = key_of(self.patch, *entry).and_then(|key| target_index.find(key))
            else {
                return !self.patch.is_null(value);
            };
            let own = self.target.entry(own).value;
            shape(self.patch, value) == Shape::Scalar && !equal(self.patch, value, self.target, own)
        })
    }
}
