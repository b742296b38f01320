//! Pairs the elements of lists by keys.

use std::fmt;

use crate::merge::{ScalarKey, scalar_key};
use crate::schema::{FieldSchema, ListRule, MapKey};
use crate::yaml::{NodeId, ScalarType, Tree};

use super::Dialect;

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
    /// Returns how the elements of a list with this schema pair.
    pub(super) fn of(schema: Option<FieldSchema<'s>>, dialect: Dialect) -> Self {
        let Some(schema) = schema else {
            return Self::Atomic;
        };
        match (schema.patch_list(), schema.map_keys()) {
            (ListRule::Map(keys), listed @ [_, _, ..])
                if dialect == Dialect::Kustomize && keys.len() == 1 =>
            {
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

    /// Returns the key of an element, or `None` if it has none.
    pub(super) fn key(self, tree: &'s Tree<'_>, element: NodeId) -> Option<ElementKey<'s>> {
        let field = |name: &str| scalar_key(tree, tree.entry(tree.find(element, name)?).value);
        let mut key = [None; MAX_KEY_FIELDS];
        match self {
            Self::Fields(keys, defaults) => {
                for (part, name) in key.iter_mut().zip(keys) {
                    *part = field(name.name());
                }
                if key.iter().all(Option::is_none) {
                    return None;
                }
                for (part, name) in key.iter_mut().zip(keys) {
                    let default = name.default().filter(|_| defaults == Defaults::Used);
                    let default = default.map(|it| (it.scalar_type, &*it.content));
                    *part = part.or(default).or(Some((ScalarType::Str, "")));
                }
            }
            Self::Scalar | Self::Atomic => key[0] = Some(scalar_key(tree, element)?),
        }
        Some(ElementKey(key))
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
