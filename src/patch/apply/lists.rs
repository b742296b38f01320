//! Merges lists for `kubectl apply`: a list is one value, a set, or has elements with a key.

use crate::merge::{Child, ListKey, Outcome, Shape, shape};
use crate::patch::{Context, Dialect, PatchError, PatchResult, Patcher};
use crate::schema::{FieldSchema, ListRule, MapKey};
use crate::triple::{Side, Triple};
use crate::yaml::{NodeId, ParseError, Tree};

/// A list on each side that has it.
type Lists = Triple<Option<NodeId>>;

impl<'a> Patcher<'a> {
    /// Decides the outcome of a list that both the configuration and the live object have.
    pub(in crate::patch) fn applied_list(
        &mut self,
        target: NodeId,
        patch: NodeId,
        context: Context<'a>,
    ) -> PatchResult {
        let lists = Triple::new(context.last, Some(patch), Some(target));
        match self.applied_key(lists, context.schema)? {
            Some(key) => self.applied_elements(lists, &key, context),
            None => {
                let outcome = self.walker.exact_value(patch, target);
                self.has_unknown_lists |= context.schema.is_none() && outcome != Outcome::Keep;
                Ok(outcome)
            }
        }
    }

    /// Merges lists by a key, or as sets. The configuration's elements come first, in its order,
    /// and then those that only the live object has.
    fn applied_elements(
        &mut self,
        lists: Lists,
        key: &ListKey,
        context: Context<'a>,
    ) -> PatchResult {
        let (Some(patch), Some(target)) = (lists.updated, lists.local) else {
            return Ok(Outcome::Keep);
        };
        let (trees, element_schema) = (self.trees(), context.schema.map(FieldSchema::element));
        let indexes = trees.zip(lists).map(|(tree, list)| key.index(tree, list));
        let mut children: Vec<Child> = Vec::new();
        for element in trees.updated.entries(trees.updated.resolve(patch)) {
            let value = trees.updated.entry(element).value;
            let Some(live_element) = indexes.local.find(trees.updated, element) else {
                children.push(self.added_child(element, self.added_value(value, element_schema)?));
                continue;
            };
            let last = indexes.original.find(trees.updated, element);
            let element_context = Context {
                last: last.map(|last| trees.original.entry(last).value),
                retains_keys: context.schema.is_some_and(FieldSchema::retains_keys),
                ..Context::of(element_schema)
            };
            let outcome = match key {
                ListKey::Scalar => Outcome::Keep,
                _ => self.value(
                    trees.local.entry(live_element).value,
                    value,
                    element_context,
                )?,
            };
            children.push(Child::local(live_element, outcome));
        }
        for element in trees.local.entries(trees.local.resolve(target)) {
            if indexes.updated.find(trees.local, element).is_none() {
                let was_applied = indexes.original.find(trees.local, element).is_some();
                children.push(match was_applied {
                    true => Child::local(element, Outcome::Remove),
                    false => Child::keep(element),
                });
            }
        }
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Whether a list of the configuration is added unchanged, with its nulls: no field identifies
    /// its elements.
    pub(in crate::patch) fn is_added_whole(
        &self,
        list: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult<bool> {
        let lists = Triple::new(None, Some(list), None);
        let key = self.applied_key(lists, schema)?;
        Ok(!matches!(key, Some(ListKey::Known(_))))
    }

    /// Returns the key of the elements of a list: for a built-in kind as in `kubectl apply`, for a
    /// custom kind as its definition says. Returns `None` if the list is one value.
    ///
    /// # Errors
    /// Returns an error if elements of a keyed list have no key, or the same key.
    fn applied_key(
        &self,
        lists: Lists,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult<Option<ListKey>> {
        let Some(schema) = schema else {
            return Ok(None);
        };
        let set_key = || {
            let is_set = self.key_error(lists, &ListKey::Scalar).is_none();
            Ok(is_set.then_some(ListKey::Scalar))
        };
        let mut keys: Vec<Vec<MapKey>> = Vec::new();
        match schema.patch_list() {
            _ if self.dialect == (Dialect::Apply { is_custom: true }) => {}
            ListRule::Map(merged) => keys.push(merged.clone()),
            ListRule::Set => return set_key(),
            ListRule::Atomic | ListRule::Unknown => return Ok(None),
        }
        match schema.list() {
            ListRule::Map(listed) => keys.push(listed.clone()),
            ListRule::Set if keys.is_empty() => return set_key(),
            _ => {}
        }
        let mut first_error = None;
        for key in keys.into_iter().map(ListKey::Known) {
            match self.key_error(lists, &key) {
                None => return Ok(Some(key)),
                some => first_error = some,
            }
        }
        first_error.map_or(Ok(None), Err)
    }

    /// Returns an error for the first element without a key, or with the key of an earlier element.
    fn key_error(&self, lists: Lists, key: &ListKey) -> Option<PatchError> {
        // the configuration comes first, because users can change it most easily
        let sides = [Side::Updated, Side::Local, Side::Original];
        sides.into_iter().find_map(|side| {
            let (tree, list) = (self.trees()[side], lists[side]);
            let list = list.filter(|list| shape(tree, *list) == Shape::List)?;
            let (element, is_duplicate) = key.first_without(tree, list)?;
            let keys = key.names().collect::<Vec<_>>().join(", ");
            let (prefix, error): (_, fn(_) -> _) = match side {
                Side::Updated => ("", PatchError::Patch),
                Side::Local => ("", PatchError::Target),
                Side::Original => ("in what was applied last, ", PatchError::Last),
            };
            let (what, help) = match is_duplicate {
                false => (format!("no `{keys}`"), format!("give it `{keys}`")),
                true => (
                    format!("the same `{keys}` as one before it"),
                    "remove one of the two".to_owned(),
                ),
            };
            let message = format!("{prefix}this element has {what}, by which the list merges");
            let at = tree.entry(element).span.start as usize;
            Some(error(ParseError::new(at, message).with_help(help)))
        })
    }

    /// Returns the last applied configuration, the configuration and the live object.
    pub(in crate::patch) fn trees(&self) -> Triple<&'a Tree<'a>> {
        Triple::new(self.last.unwrap_or(self.target), self.patch, self.target)
    }
}
