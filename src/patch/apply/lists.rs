//! How lists merge in `kubectl apply`: as one value, as a set, or by the keys of their elements.

use crate::merge::{Shape, shape};
use crate::patch::pairing::{Defaults, Pairing};
use crate::patch::{Dialect, PatchError, PatchResult, Patcher};
use crate::schema::{FieldSchema, ListRule, MapKey};
use crate::triple::Side;
use crate::yaml::{NodeId, ParseError};

/// The list of the configuration, of the live object, and of the last applied configuration.
type Lists = [Option<NodeId>; 3];

impl<'a> Patcher<'a> {
    /// Returns how the elements of a list pair: for a built-in kind as in `kubectl apply`, for a
    /// custom kind as its definition says.
    ///
    /// # Errors
    /// Returns an error if elements of a keyed list have no key, or the same key.
    pub(in crate::patch) fn applied_pairing(
        &self,
        lists: Lists,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult<Pairing<'a>> {
        let Some(schema) = schema else {
            return Ok(Pairing::Atomic);
        };
        let as_set = || match self.key_error(lists, Pairing::Scalar) {
            None => Pairing::Scalar,
            Some(_) => Pairing::Atomic,
        };
        let mut keys: Vec<&'a [MapKey]> = Vec::new();
        match schema.patch_list() {
            _ if self.dialect == (Dialect::Apply { is_custom: true }) => {}
            ListRule::Map(merged) => keys.push(merged),
            ListRule::Set => return Ok(as_set()),
            ListRule::Atomic | ListRule::Unknown => return Ok(Pairing::Atomic),
        }
        match schema.list() {
            ListRule::Map(listed) => keys.push(listed),
            ListRule::Set if keys.is_empty() => return Ok(as_set()),
            _ => {}
        }
        let mut last_error = None;
        for keys in keys {
            let pairing = Pairing::Fields(keys, Defaults::Used);
            match self.key_error(lists, pairing) {
                None => return Ok(pairing),
                error => last_error = error,
            }
        }
        last_error.map_or(Ok(Pairing::Atomic), Err)
    }

    /// Returns an error for the first element without a key, or with the key of an earlier element.
    fn key_error(&self, lists: Lists, pairing: Pairing<'a>) -> Option<PatchError> {
        // the configuration comes first, because users can change it most easily
        let sides = [
            (Some(self.patch), "", Side::Updated),
            (Some(self.target), "", Side::Local),
            (self.last, "in what was applied last, ", Side::Original),
        ];
        let mut sides = sides.into_iter().zip(lists);
        sides.find_map(|((tree, prefix, side), list)| {
            let tree = tree?;
            let list = list.filter(|list| shape(tree, *list) == Shape::List)?;
            let (element, is_duplicate) = pairing.first_without_own_key(tree, list)?;
            let (what, help) = match is_duplicate {
                false => (format!("no `{pairing}`"), format!("give it `{pairing}`")),
                true => (
                    format!("the same `{pairing}` as one before it"),
                    "remove one of the two".to_owned(),
                ),
            };
            let message = format!("{prefix}this element has {what}, by which the list merges");
            let at = tree.entry(element).span.start as usize;
            let error = ParseError::new(at, message).with_help(help);
            Some(PatchError::Wrong(side, error))
        })
    }
}
