//! The lists of an application: one value, a set, or elements with a key.

use super::super::keys::ListKey;
use super::super::{Nodes, Shape, Walker, entries_of, shape};
use super::{Level, Rules};
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::schema::{ListRule, MapKey, PatchRule, Place};
use crate::triple::{Side, Triple};

/// An element of a list that merges by a key, and has none that tells it from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unkeyed {
    /// Where: the original is what was applied last, updated the configuration, local the live
    /// object.
    pub side: Side,
    /// Where in that side's document the element is, in bytes.
    pub offset: u32,
    /// The fields that would tell it from the others.
    pub keys: String,
    /// Whether another element has the same; else it lacks one.
    pub is_twice: bool,
}

/// How a list merges.
pub(super) enum Way {
    Replace,
    Set,
    Keyed(ListKey),
}

impl Walker<'_> {
    pub(super) fn applied_list(
        &mut self,
        rules: &mut Rules,
        nodes: Nodes,
        at: Option<Place<'_>>,
    ) -> Outcome {
        match self.way(rules, nodes, at) {
            Way::Replace => {
                let outcome = self.replaced(nodes);
                rules.has_unknown_lists |= at.is_none() && outcome != Outcome::Keep;
                outcome
            }
            Way::Set => self.applied_elements(rules, nodes, at, &ListKey::Scalar),
            Way::Keyed(key) => self.applied_elements(rules, nodes, at, &key),
        }
    }

    /// Elements that pair by a key, or the members of a set: the table, the configuration's order,
    /// then what only the live object has.
    fn applied_elements(
        &mut self,
        rules: &mut Rules,
        nodes: Nodes,
        at: Option<Place<'_>>,
        key: &ListKey,
    ) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let Triple {
            original: originals,
            updated: updateds,
            local: locals,
        } = key.indexes(trees, nodes);
        let retains = at.is_some_and(Place::retains_keys);
        let below = at.map(Place::element);
        let mut children: Vec<Child> = Vec::new();
        for element in entries_of(trees.updated, updated) {
            let identity = key.identity(trees.updated, element);
            let Some(resident) = locals.find(identity.as_ref()) else {
                let value = trees.updated.entry(element).value;
                let part = self.without_nulls(rules, value, below);
                let taken = Outcome::Take(Incoming::part(value, part));
                children.push(Child::updated(element, taken));
                continue;
            };
            let sides = Triple::new(
                originals.find(identity.as_ref()),
                Some(element),
                Some(resident),
            );
            let outcome = match key {
                ListKey::Scalar => Outcome::Keep,
                _ => self.applied(rules, self.values_of(sides), below, Level::Below, retains),
            };
            children.push(Child::local(resident, outcome));
        }
        for element in entries_of(trees.local, local) {
            let identity = key.identity(trees.local, element);
            if updateds.find(identity.as_ref()).is_none() {
                let was_applied = originals.find(identity.as_ref()).is_some();
                children.push(match was_applied {
                    true => Child::local(element, Outcome::Remove),
                    false => Child::keep(element),
                });
            }
        }
        self.merged(nodes, children)
    }

    /// How a list merges: for a built-in kind as `kubectl apply` has it, for a custom one as its
    /// definition says.
    pub(super) fn way(&self, rules: &mut Rules, nodes: Nodes, at: Option<Place<'_>>) -> Way {
        let Some(at) = at else {
            return Way::Replace;
        };
        let listed = match at.list() {
            ListRule::Map(keys) => Some(keys),
            _ => None,
        };
        let mut keys: Vec<Vec<MapKey>> = Vec::new();
        match at.patch_list() {
            _ if rules.is_custom => {}
            PatchRule::MergeBy(name) => keys.push(vec![MapKey::new(name, None)]),
            PatchRule::Merge => return self.set_or_value(nodes),
            PatchRule::MergeByAll(_) => {}
            PatchRule::Replace | PatchRule::Unknown => return Way::Replace,
        }
        keys.extend(listed.map(<[MapKey]>::to_vec));
        if keys.is_empty() {
            return match at.list() {
                ListRule::Set => self.set_or_value(nodes),
                _ => Way::Replace,
            };
        }
        let mut unkeyed = None;
        for keys in keys {
            let key = ListKey::Known(keys);
            match self.unkeyed(nodes, &key) {
                None => return Way::Keyed(key),
                some => unkeyed = some,
            }
        }
        rules.unkeyed = rules.unkeyed.take().or(unkeyed);
        Way::Replace
    }

    fn set_or_value(&self, nodes: Nodes) -> Way {
        match self.unkeyed(nodes, &ListKey::Scalar) {
            None => Way::Set,
            Some(_) => Way::Replace,
        }
    }

    /// The first element without a key of its own, on any side.
    fn unkeyed(&self, nodes: Nodes, key: &ListKey) -> Option<Unkeyed> {
        // the configuration first: that is what people write
        let sides = [Side::Updated, Side::Local, Side::Original];
        sides.into_iter().find_map(|side| {
            let (tree, list) = (self.trees[side], nodes[side]);
            let list = list.filter(|list| shape(tree, *list) == Shape::List)?;
            let (element, is_twice) = key.first_without(tree, list)?;
            Some(Unkeyed {
                side,
                offset: tree.entry(element).span.start,
                keys: key.names().collect::<Vec<_>>().join(", "),
                is_twice,
            })
        })
    }
}
