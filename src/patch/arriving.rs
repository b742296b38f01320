//! What of a patch comes where the target has nothing: all of it but its directives and its nulls.

use crate::merge::{Child, Outcome, Shape, name_of, part_of, shape};
use crate::schema::Place;
use crate::yaml::{EntryId, NodeId};

use super::directives::{Command, Directed};
use super::order::{in_order, positions_in};
use super::patch_list::ElementDirective;
use super::{Decided, Patcher};

impl<'a> Patcher<'a> {
    /// The part of a value that comes, which is no null.
    pub(super) fn arriving(&self, patch: NodeId, place: Option<Place<'a>>) -> Decided {
        match shape(self.patch, patch) {
            Shape::Map => self.arriving_map(patch, place),
            Shape::List => self.arriving_list(patch, None, place),
            Shape::Scalar => Ok(Outcome::Keep),
        }
    }

    fn arriving_map(&self, patch: NodeId, place: Option<Place<'a>>) -> Decided {
        if self.is_apply() && self.is_one_value(place) {
            return Ok(Outcome::Keep);
        }
        let directed = self.directed(patch)?;
        let tree = self.patch;
        let mut children = Vec::new();
        for entry in tree.entries(tree.resolve(patch)) {
            let is_field = directed.fields.contains(&entry);
            let is_deleted = directed.command() == Some(Command::Delete);
            let part = if is_field && !is_deleted {
                let name = name_of(tree, entry).unwrap_or_default();
                self.arriving_field(tree.entry(entry).value, &name, &directed, place)?
            } else {
                None
            };
            children.push(Child::local(entry, part.unwrap_or(Outcome::Remove)));
        }
        Ok(part_of(children))
    }

    /// The part of a field that comes; `None` if nothing does.
    pub(super) fn arriving_field(
        &self,
        value: NodeId,
        name: &str,
        directed: &Directed,
        place: Option<Place<'a>>,
    ) -> Decided<Option<Outcome>> {
        if self.patch.is_null(value) {
            return Ok(None);
        }
        let below = place.map(|place| place.field(name));
        match shape(self.patch, value) {
            Shape::List => {
                let order = directed.order(name);
                self.arriving_list(value, order, below).map(Some)
            }
            Shape::Map if self.directed(value)?.command() == Some(Command::Delete) => Ok(None),
            Shape::Map | Shape::Scalar => self.arriving(value, below).map(Some),
        }
    }

    /// The part of a list that comes, in the order that `$setElementOrder` gives.
    fn arriving_list(
        &self,
        patch: NodeId,
        order: Option<NodeId>,
        place: Option<Place<'a>>,
    ) -> Decided {
        if self.is_apply() && self.comes_whole(patch, place)? {
            return Ok(Outcome::Keep);
        }
        let patch_list = self.patch_list(patch, place)?;
        let mut coming: Vec<EntryId> = patch_list
            .plain
            .iter()
            .map(|element| element.entry)
            .collect();
        if let Some(order) = order {
            let wanted: Vec<_> = self
                .ordered(order, &patch_list, place)?
                .into_iter()
                .map(Some)
                .collect();
            let keys: Vec<_> = patch_list.plain.iter().map(|element| element.key).collect();
            coming = in_order(
                &coming,
                &positions_in(&keys, &wanted),
                &vec![None; coming.len()],
            );
        }
        let mut children = Vec::new();
        for entry in coming {
            let element = place.map(Place::element);
            children.push(Child::local(entry, self.element_part(entry, element)?));
        }
        for ElementDirective { entry, .. } in patch_list.directives {
            children.push(Child::local(entry, Outcome::Remove));
        }
        let in_place = children.iter().map(|child| child.slot).eq(self
            .patch
            .entries(self.patch.resolve(patch))
            .map(crate::merge::Slot::Local));
        Ok(if in_place {
            part_of(children)
        } else {
            Outcome::Merge(children)
        })
    }

    /// The part of an element of the patch that comes.
    pub(super) fn element_part(&self, entry: EntryId, place: Option<Place<'a>>) -> Decided {
        let value = self.patch.entry(entry).value;
        if self.patch.is_null(value) {
            return Ok(Outcome::Keep);
        }
        self.arriving(value, place)
    }
}
