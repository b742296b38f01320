//! Pairs the elements of lists by keys.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::merge::{ScalarKey, scalar_key};
use crate::schema::{FieldSchema, ListRule, MapKey};
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

/// The maximum number of fields that identify an element. No schema of a list has more.
const MAX_KEY_FIELDS: usize = 4;

/// How the elements of two lists pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing<'s> {
    /// By the values of these fields. The default of a missing field counts if `Defaults` says so.
    Fields(&'s [MapKey], Defaults),
    /// By their scalar values.
    Scalar,
    /// They do not pair: the list is one value.
    Atomic,
}

/// Whether the default of a missing key field counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    Used,
    Ignored,
}

/// The key of an element. Unused parts are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ElementKey<'t>([Option<ScalarKey<'t>>; MAX_KEY_FIELDS]);

impl<'s> Pairing<'s> {
    /// Returns how the elements of a list with this schema pair: in kustomize by all of its keys.
    pub(super) fn of(schema: FieldSchema<'s>, is_kustomize: bool) -> Self {
        match (schema.patch_list(), schema.map_keys()) {
            (ListRule::Map(keys), listed @ [_, _, ..]) if is_kustomize && keys.len() == 1 => {
                Self::Fields(listed, Defaults::Ignored)
            }
            (ListRule::Map(keys), _) if keys.len() <= MAX_KEY_FIELDS => {
                Self::Fields(keys, Defaults::Used)
            }
            (ListRule::Set, _) => Self::Scalar,
            _ => Self::Atomic,
        }
    }

    /// Whether fields identify the elements, which are maps.
    pub(super) const fn is_by_fields(self) -> bool {
        matches!(self, Self::Fields(..))
    }

    /// Returns the names of the fields that identify an element.
    pub(super) fn names(self) -> impl Iterator<Item = &'s str> {
        let keys: &[MapKey] = match self {
            Self::Fields(keys, _) => keys,
            Self::Scalar | Self::Atomic => &[],
        };
        keys.iter().map(MapKey::name)
    }

    /// Returns the key of an element, or `None` if it has none: a field of it is not a scalar or is
    /// null, or all are missing.
    pub(super) fn key(self, tree: &'s Tree<'_>, element: NodeId) -> Option<ElementKey<'s>> {
        let mut key = [None; MAX_KEY_FIELDS];
        let Self::Fields(fields, defaults) = self else {
            key[0] = Some(scalar_key(tree, element)?);
            return Some(ElementKey(key));
        };
        let mut has_field = false;
        for (part, field) in key.iter_mut().zip(fields) {
            let default = field.default().filter(|_| defaults == Defaults::Used);
            let default = default.map(|it| (it.scalar_type, &*it.content));
            *part = Some(match tree.find(element, field.name()) {
                Some(entry) => {
                    has_field = true;
                    let value = scalar_key(tree, tree.entry(entry).value);
                    value.filter(|(scalar_type, _)| *scalar_type != ScalarType::Null)?
                }
                None => default.unwrap_or((ScalarType::Str, "")),
            });
        }
        has_field.then_some(ElementKey(key))
    }

    /// Returns the first element of a list that has no key, and with the key of an earlier element
    /// `true`.
    pub(super) fn first_without_own_key(
        self,
        tree: &'s Tree<'_>,
        list: NodeId,
    ) -> Option<(EntryId, bool)> {
        let mut seen = FxHashSet::default();
        let mut elements = tree.entries(tree.resolve(list));
        elements.find_map(|element| match self.key(tree, tree.entry(element).value) {
            None => Some((element, false)),
            Some(key) => (!seen.insert(key)).then_some((element, true)),
        })
    }
}

impl fmt::Display for Pairing<'_> {
    /// Writes the names of the fields.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        formatter.write_str(&names.join(", "))
    }
}

impl fmt::Display for ElementKey<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = self
            .0
            .iter()
            .flatten()
            .map(|(_, content)| *content)
            .collect();
        formatter.write_str(&parts.join(", "))
    }
}
