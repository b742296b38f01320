//! The lists of an application: one value, a set, or elements with a key.

use crate::merge::{Child, ListKey, Outcome, Shape, shape};
use crate::patch::{At, Decided, Dialect, PatchError, Patcher};
use crate::schema::{FieldSchema, ListRule, MapKey};
use crate::triple::{Side, Triple};
use crate::yaml::{NodeId, ParseError, Tree};

/// A list on each side that has one.
type Lists = Triple<Option<NodeId>>;

impl<'a> Patcher<'a> {
    /// A list that the configuration and the live object both have.
    pub(in crate::patch) fn applied_list(
        &mut self,
        target: NodeId,
        patch: NodeId,
        at: At<'a>,
    ) -> Decided {
        let lists = Triple::new(at.last, Some(patch), Some(target));
        match self.applied_key(lists, at.schema)? {
            Some(key) => self.applied_elements(lists, &key, at),
            None => {
                let outcome = self.walker.exact_value(patch, target);
                self.has_unknown_lists |= at.schema.is_none() && outcome != Outcome::Keep;
                Ok(outcome)
            }
        }
    }

    /// Elements that pair by a key, or the members of a set: the table, the configuration's order,
    /// then what only the live object has.
    fn applied_elements(&mut self, lists: Lists, key: &ListKey, at: At<'a>) -> Decided {
        let (Some(patch), Some(target)) = (lists.updated, lists.local) else {
            return Ok(Outcome::Keep);
        };
        let (trees, below) = (self.trees(), at.schema.map(FieldSchema::element));
        let indexes = key.indexes(trees, lists);
        let mut children: Vec<Child> = Vec::new();
        for element in trees.updated.entries(trees.updated.resolve(patch)) {
            let identity = key.identity(trees.updated, element);
            let value = trees.updated.entry(element).value;
            let Some(own) = indexes.local.find(identity.as_ref()) else {
                children.push(self.taken(element, self.arriving(value, below)?));
                continue;
            };
            let last = indexes.original.find(identity.as_ref());
            let below = At {
                last: last.map(|last| trees.original.entry(last).value),
                retains: at.schema.is_some_and(FieldSchema::retains_keys),
                ..At::of(below)
            };
            let outcome = match key {
                ListKey::Scalar => Outcome::Keep,
                _ => self.value(trees.local.entry(own).value, value, below)?,
            };
            children.push(Child::local(own, outcome));
        }
        for element in trees.local.entries(trees.local.resolve(target)) {
            let identity = key.identity(trees.local, element);
            if indexes.updated.find(identity.as_ref()).is_none() {
                let was_applied = indexes.original.find(identity.as_ref()).is_some();
                children.push(match was_applied {
                    true => Child::local(element, Outcome::Remove),
                    false => Child::keep(element),
                });
            }
        }
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Whether a list of the configuration comes as it is, nulls and all: its elements pair by no
    /// field.
    pub(in crate::patch) fn comes_whole(
        &self,
        list: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided<bool> {
        let lists = Triple::new(None, Some(list), None);
        let key = self.applied_key(lists, schema)?;
        Ok(!matches!(key, Some(ListKey::Known(_))))
    }

    /// What identifies the elements of lists: for a built-in kind as `kubectl apply` has it, for a
    /// custom one as its definition says. `None` if they are one value.
    ///
    /// # Errors
    /// Where an element of a list that merges by a key has none that tells it from the others.
    fn applied_key(
        &self,
        lists: Lists,
        schema: Option<FieldSchema<'a>>,
    ) -> Decided<Option<ListKey>> {
        let Some(schema) = schema else {
            return Ok(None);
        };
        let set = || {
            let is_set = self.unkeyed(lists, &ListKey::Scalar).is_none();
            Ok(is_set.then_some(ListKey::Scalar))
        };
        let mut keys: Vec<Vec<MapKey>> = Vec::new();
        match schema.patch_list() {
            _ if self.dialect == (Dialect::Apply { is_custom: true }) => {}
            ListRule::Map(merged) => keys.push(merged.clone()),
            ListRule::Set => return set(),
            ListRule::Atomic | ListRule::Unknown => return Ok(None),
        }
        match schema.list() {
            ListRule::Map(listed) => keys.push(listed.clone()),
            ListRule::Set if keys.is_empty() => return set(),
            _ => {}
        }
        let mut wrong = None;
        for key in keys.into_iter().map(ListKey::Known) {
            match self.unkeyed(lists, &key) {
                None => return Ok(Some(key)),
                some => wrong = some,
            }
        }
        wrong.map_or(Ok(None), Err)
    }

    /// The first element without a key of its own, on any side.
    fn unkeyed(&self, lists: Lists, key: &ListKey) -> Option<PatchError> {
        // the configuration first: that is what people write
        let sides = [Side::Updated, Side::Local, Side::Original];
        sides.into_iter().find_map(|side| {
            let (tree, list) = (self.trees()[side], lists[side]);
            let list = list.filter(|list| shape(tree, *list) == Shape::List)?;
            let (element, is_twice) = key.first_without(tree, list)?;
            let keys = key.names().collect::<Vec<_>>().join(", ");
            let (whose, error): (_, fn(_) -> _) = match side {
                Side::Updated => ("", PatchError::Patch),
                Side::Local => ("", PatchError::Target),
                Side::Original => ("in what was applied last, ", PatchError::Last),
            };
            let (what, help) = match is_twice {
                false => (format!("no `{keys}`"), format!("give it `{keys}`")),
                true => (
                    format!("the same `{keys}` as one before it"),
                    "remove one of the two".to_owned(),
                ),
            };
            let message = format!("{whose}this element has {what}, by which the list merges");
            let at = tree.entry(element).span.start as usize;
            Some(error(ParseError::new(at, message).with_help(help)))
        })
    }

    /// What was applied last, the configuration, the live object.
    pub(in crate::patch) fn trees(&self) -> Triple<&'a Tree<'a>> {
        Triple::new(self.last.unwrap_or(self.target), self.patch, self.target)
    }
}
