//! What `kubectl apply` makes of the last applied configuration, the configuration and the live
//! object: the walk of a merge patch, in which what was applied last and is not in the
//! configuration goes.

use crate::merge::{Child, FieldIndex, Outcome, Shape, fields_of, key_of, part_of, shape};
use crate::patch::apply::LAST_APPLIED;
use crate::patch::{At, Decided, Dialect, Patcher};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

/// The fields of `metadata` that the server writes.
const SERVER_FIELDS: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Where in a resource that is applied a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::patch) enum Level {
    Root,
    Metadata,
    Annotations,
    /// What no configuration changes: what the server writes, and the annotation that is written
    /// afterwards. A resource keeps its namespace, which a configuration may leave out.
    LeftAlone,
    #[default]
    Below,
}

impl Level {
    pub(in crate::patch) fn below(self, name: &str) -> Self {
        match (self, name) {
            (Self::Root, "metadata") => Self::Metadata,
            (Self::Metadata, "annotations") => Self::Annotations,
            (Self::Root, "status") | (Self::Metadata, "namespace") => Self::LeftAlone,
            (Self::Metadata, name) if SERVER_FIELDS.contains(&name) => Self::LeftAlone,
            (Self::Annotations, LAST_APPLIED) => Self::LeftAlone,
            _ => Self::Below,
        }
    }
}

impl<'a> Patcher<'a> {
    /// What becomes of a live object. Of a kind of which nothing is known, lists are one value, as
    /// in a merge patch.
    pub(in crate::patch) fn applied(&mut self, schema: Option<FieldSchema<'a>>) -> Decided {
        let (target, patch) = (self.target.root().value, self.patch.root().value);
        let directed = self.directed(patch)?;
        let at = At {
            last: self.last.map(|last| last.root().value),
            level: Level::Root,
            ..At::of(schema)
        };
        self.fields(target, patch, &directed, at)
    }

    pub(in crate::patch) const fn is_apply(&self) -> bool {
        matches!(self.dialect, Dialect::Apply { .. })
    }

    /// Whether the map here is one value.
    pub(in crate::patch) fn is_one_value(&self, schema: Option<FieldSchema<'a>>) -> bool {
        schema.is_some_and(|schema| match self.dialect {
            Dialect::Apply { is_custom: true } => schema.is_atomic_map(),
            _ => schema.is_patched_whole(),
        })
    }

    /// The fields of a map that was applied last, by their keys.
    pub(in crate::patch) fn last_fields(&self, at: At<'a>) -> FieldIndex<'a> {
        fields_of(self.trees().original, at.last).in_json()
    }

    /// Annotations that the configuration does not have: as it is applied, it always has some, the
    /// last applied one.
    pub(in crate::patch) fn applied_annotations(&self, target: NodeId, at: At<'a>) -> Outcome {
        let lasts = self.last_fields(at);
        let was_applied = |entry: EntryId| {
            let key = key_of(self.target, entry).filter(|(_, name)| *name != LAST_APPLIED);
            key.is_some_and(|key| lasts.find(key).is_some())
        };
        let entries = self.target.entries(self.target.resolve(target));
        let children = entries.map(|entry| match was_applied(entry) {
            true => Child::local(entry, Outcome::Remove),
            false => Child::keep(entry),
        });
        part_of(children.collect())
    }

    /// Whether a map that is one of several things becomes another: a field comes, or a scalar
    /// changes. That clears what only the live object has.
    pub(in crate::patch) fn is_changed_as_union(
        &self,
        fields: &[EntryId],
        targets: &FieldIndex<'_>,
    ) -> bool {
        fields.iter().any(|entry| {
            let value = self.patch.entry(*entry).value;
            let Some(own) = key_of(self.patch, *entry).and_then(|key| targets.find(key)) else {
                return !self.patch.is_null(value);
            };
            let own = self.target.entry(own).value;
            shape(self.patch, value) == Shape::Scalar && !equal(self.patch, value, self.target, own)
        })
    }
}
