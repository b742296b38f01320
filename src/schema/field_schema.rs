//! What is known of one place in a resource.

use super::types::{Inside, ListRule, MapKey, Types, Value};

/// A kind that is known.
#[derive(Debug, Clone, Copy)]
pub struct Kind<'s> {
    /// The resource's root.
    pub root: FieldSchema<'s>,
    /// Whether it is of a custom resource definition, and not built into Kubernetes.
    pub is_custom: bool,
}

/// What is known of the value at one place in a resource.
#[derive(Debug, Clone, Copy)]
pub struct FieldSchema<'s> {
    types: &'s Types,
    value: &'s Value,
}

static UNKNOWN: Value = Value::new(Inside::Unknown);
static PLAIN: Value = Value::new(Inside::Plain);

impl<'s> FieldSchema<'s> {
    pub(super) const fn new(types: &'s Types, value: &'s Value) -> Self {
        Self { types, value }
    }

    /// A field of the map here.
    pub fn field(self, name: &str) -> Self {
        self.at(match &self.value.inside {
            Inside::Plain => &PLAIN,
            Inside::Fields(id) => {
                let fields = self.types.fields(*id);
                fields.fields.get(name).unwrap_or(&fields.others)
            }
            Inside::Unknown | Inside::Elements(_) => &UNKNOWN,
        })
    }

    /// An element of the list here, any of them.
    pub fn element(self) -> Self {
        self.at(match &self.value.inside {
            Inside::Plain => &PLAIN,
            Inside::Elements(element) => element,
            Inside::Unknown | Inside::Fields(_) => &UNKNOWN,
        })
    }

    const fn at(self, value: &'s Value) -> Self {
        Self { value, ..self }
    }

    /// Whether anything is known of the value here.
    pub fn is_known(self) -> bool {
        self.value.inside != Inside::Unknown
    }

    /// How a list here merges.
    pub fn list(self) -> &'s ListRule {
        match (&self.value.list, &self.value.inside) {
            (ListRule::Unknown, Inside::Plain | Inside::Elements(_)) => &ListRule::Atomic,
            (said, _) => said,
        }
    }

    /// The fields that identify the elements of the list here; none where nothing does.
    pub fn map_keys(self) -> &'s [MapKey] {
        match self.list() {
            ListRule::Map(keys) => keys,
            ListRule::Unknown | ListRule::Atomic | ListRule::Set => &[],
        }
    }

    /// Whether a map here is one value (`x-kubernetes-map-type`); else it merges field by field.
    pub const fn is_atomic_map(self) -> bool {
        self.value.is_atomic_map
    }

    /// How a strategic merge patch merges a list here.
    pub fn patch_list(self) -> &'s ListRule {
        match (&self.value.patch_list, &self.value.inside) {
            (_, Inside::Unknown | Inside::Fields(_)) => &ListRule::Unknown,
            (ListRule::Unknown, _) => &ListRule::Atomic,
            (said, _) => said,
        }
    }

    /// Whether a strategic merge patch replaces the map here and does not merge it
    /// (`patchStrategy: replace`).
    pub const fn is_patched_whole(self) -> bool {
        self.value.is_patched_whole
    }

    /// Whether a strategic merge patch made by `kubectl apply` clears the fields that it does not
    /// name, in the map here or in each element of the list here (`patchStrategy: retainKeys`).
    pub const fn retains_keys(self) -> bool {
        self.value.retains_keys
    }
}
