//! What identifies the elements of a list.

use std::fmt;

use crate::merge::{ScalarKey, scalar_key};
use crate::schema::{FieldSchema, ListRule, MapKey};
use crate::yaml::{NodeId, ScalarType, Tree};

use super::Dialect;

/// The most fields that may identify an element. No definition of a list has more.
const MOST: usize = 4;

/// How the elements of a list pair up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing<'s> {
    /// By these fields of theirs. For one that is missing its default stands, where those count.
    Fields(&'s [MapKey], Defaults),
    /// By what they are.
    Scalar,
    /// Not at all: the list is one value.
    Nothing,
}

/// Whether the defaults of key fields count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    Count,
    Ignored,
}

/// What identifies an element; unused parts are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ElementKey<'t>([Option<ScalarKey<'t>>; MOST]);

impl<'s> Pairing<'s> {
    pub(super) fn of(schema: Option<FieldSchema<'s>>, dialect: Dialect) -> Self {
        let Some(schema) = schema else {
            return Self::Nothing;
        };
        match (schema.patch_list(), schema.map_keys()) {
            (ListRule::Map(keys), listed @ [_, _, ..])
                if dialect == Dialect::Kustomize && keys.len() == 1 =>
            {
                Self::Fields(listed, Defaults::Ignored)
            }
            (ListRule::Map(keys), _) if keys.len() <= MOST => Self::Fields(keys, Defaults::Count),
            (ListRule::Set, _) => Self::Scalar,
            _ => Self::Nothing,
        }
    }

    /// Whether fields identify the elements, which are maps.
    pub(super) const fn is_by_fields(self) -> bool {
        matches!(self, Self::Fields(..))
    }

    /// The names of the fields that identify an element.
    pub(super) fn names(self) -> impl Iterator<Item = &'s str> {
        let keys: &[MapKey] = match self {
            Self::Fields(keys, _) => keys,
            Self::Scalar | Self::Nothing => &[],
        };
        keys.iter().map(MapKey::name)
    }

    /// What identifies an element of a list of a document; `None` if nothing does.
    pub(super) fn key(self, tree: &'s Tree<'_>, element: NodeId) -> Option<ElementKey<'s>> {
        let field = |name: &str| scalar_key(tree, tree.entry(tree.find(element, name)?).value);
        let mut key = [None; MOST];
        match self {
            Self::Fields(keys, defaults) => {
                for (part, name) in key.iter_mut().zip(keys) {
                    *part = field(name.name());
                }
                if key.iter().all(Option::is_none) {
                    return None;
                }
                for (part, name) in key.iter_mut().zip(keys) {
                    let default = name.default().filter(|_| defaults == Defaults::Count);
                    let default = default.map(|it| (it.scalar_type, &*it.content));
                    *part = part.or(default).or(Some((ScalarType::Str, "")));
                }
            }
            Self::Scalar | Self::Nothing => key[0] = Some(scalar_key(tree, element)?),
        }
        Some(ElementKey(key))
    }
}

impl fmt::Display for Pairing<'_> {
    /// The names of the fields.
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
