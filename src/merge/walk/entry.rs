//! Merges one entry of a map or list: decides by which sides have it, and merges its comments.

use std::borrow::Cow;

use super::keys::ListKey;
use super::record::Segment;
use super::same_text::same_lines;
use super::{Entries, Nodes, Walker, entries_of};
use crate::line_breaks::lines;
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::merge::index::name_of;
use crate::merge::{ConflictKind, Sides};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

impl Walker<'_> {
    /// Merges an entry, with the path extended by it. Returns `None` if neither updated nor local
    /// has the entry.
    pub(super) fn merge_entry(&mut self, segment: Segment, entries: Entries) -> Option<Child> {
        let child = self.at(segment, entries, |walker| walker.merged_entry(entries))?;
        Some(child.with_sides(entries))
    }

    fn merged_entry(&mut self, entries: Entries) -> Option<Child> {
        let nodes = self.values_of(entries);
        Some(match (entries.original, entries.updated, entries.local) {
            (_, None, None) => return None,
            (_, None, Some(local)) if self.is_key_of_deleted_element(local) => Child::keep(local),
            (_, _, Some(local)) if self.pins.has(local) => {
                self.record_held_back(nodes);
                Child::keep(local)
            }
            (None, None, Some(local)) => Child::keep(local),
            (Some(original), None, Some(local)) => {
                Child::local(local, self.deleted_entry(original, local))
            }
            (_, Some(updated), None) => {
                let outcome = self.absent_locally(entries).unwrap_or(Outcome::Remove);
                Child::updated(updated, outcome)
            }
            (Some(original), Some(updated), Some(local)) if self.same_text(original, updated) => {
                Child::keep(local)
            }
            (None, Some(updated), Some(local)) if self.is_added_differently(nodes) => {
                let taken = Outcome::Take(Incoming::whole(self.trees.updated.entry(updated).value));
                Child::local(local, self.conflict(ConflictKind::BothAdded, nodes, taken))
            }
            (Some(original), Some(updated), Some(local))
                if self.is_renamed_differently(original, updated, local) =>
            {
                let value = self.trees.updated.entry(updated).value;
                let taken = Child::rewritten(local, value).into_outcome();
                Child::local(
                    local,
                    self.conflict(ConflictKind::BothChanged, nodes, taken),
                )
            }
            (_, Some(_), Some(local)) => self.merge_both(entries, local, Self::merge_value),
        })
    }

    /// Whether, in a merge of equal sides, the sides gave the current entry different new keys.
    fn is_renamed_differently(&self, original: EntryId, updated: EntryId, local: EntryId) -> bool {
        self.options.sides == Sides::Equal
            && self.is_renamed(original, (Side::Updated, updated))
            && self.is_renamed(original, (Side::Local, local))
            && self.name_of((Side::Updated, updated)) != self.name_of((Side::Local, local))
    }

    /// Whether the current entry has another key in the original than on a side: the side renamed
    /// it (rules: Renamed keys).
    pub(super) fn is_renamed(&self, original: EntryId, (side, entry): (Side, EntryId)) -> bool {
        self.name_of((Side::Original, original)) != self.name_of((side, entry))
    }

    /// Returns the key of the current entry on a side.
    fn name_of(&self, (side, entry): (Side, EntryId)) -> Option<Cow<'_, str>> {
        let tree = self.trees[side];
        match self.key_of_element() {
            Some(key) => Some(key.in_path(tree, entry).into()),
            None => name_of(tree, entry),
        }
    }

    /// Returns true if, in a merge of equal sides, both sides added the current element of an
    /// associative list with different values.
    fn is_added_differently(&self, nodes: Nodes) -> bool {
        self.options.sides == Sides::Equal
            && self.key_of_element().is_some()
            && !self.is_equal_updated_local(nodes)
    }

    /// Merges an entry that updated and local have: its value with `merge_value`, and its comments.
    pub(super) fn merge_both(
        &mut self,
        entries: Entries,
        local: EntryId,
        merge_value: fn(&mut Self, Nodes) -> Outcome,
    ) -> Child {
        if let Some(rewritten) = self.fast_forward(entries) {
            return rewritten;
        }
        let nodes = self.values_of(entries);
        let taken = self.fast_forward_value(nodes);
        let outcome = match taken.or_else(|| self.changed_alias(entries)) {
            Some(taken) => taken,
            None => merge_value(self, nodes),
        };
        let can_have_tag = matches!(outcome, Outcome::Keep | Outcome::Merge(_) | Outcome::Row(_));
        let tag = self.new_tag(entries).filter(|_| can_have_tag);
        let outcome = match tag {
            Some(_) => self.opened_for_tag(local, outcome),
            None => outcome,
        };
        let remarks = self.remarks(entries, &outcome);
        let comments = match self.on_own_lines.local {
            true => self.merge_value_comments(entries, &outcome),
            false => None,
        };
        let anchor = self.new_anchor(entries, &outcome);
        Child::local(local, outcome).with(|extras| {
            extras.remarks = remarks;
            extras.value_comments = comments;
            extras.anchor = anchor;
            extras.tag = tag;
        })
    }

    /// Runs `operation` on the entries of a collection: notes for each side whether they are, or
    /// would be, on lines of their own.
    pub(super) fn within<R>(&mut self, nodes: Nodes, operation: impl FnOnce(&mut Self) -> R) -> R {
        let on_own_lines = self.trees.zip(nodes).map(|(tree, node)| {
            node.is_none_or(|node| {
                entries_of(tree, node).len() == 0 || tree.is_block_collection(node)
            })
        });
        let outer = std::mem::replace(&mut self.on_own_lines, on_own_lines);
        let result = operation(self);
        self.on_own_lines = outer;
        result
    }

    /// Returns upstream's entry, byte for byte, if local did not change the entry.
    fn fast_forward(&self, entries: Entries) -> Option<Child> {
        let (original, updated, local) = (entries.original?, entries.updated?, entries.local?);
        let trees = self.trees;
        let value = trees.updated.entry(updated).value;
        let is_plain = self.merges_formats
            && self.on_own_lines == Triple::new(true, true, true)
            && (self.text_is_value || self.is_free_of_anchors(original, updated))
            && !self.holds_pin(self.values_of(entries))
            && (!self.nulls_clear || !holds_null(trees.updated, value));
        let column = |tree: &Tree<'_>, entry: EntryId| tree.column(tree.entry(entry).span.start);
        let keeps_column = || {
            column(trees.original, original) == column(trees.local, local)
                || !trees.updated.is_block_collection(value)
        };
        let is_unchanged = is_plain
            && same_lines((trees.original, original), (trees.local, local))
            && keeps_column();
        is_unchanged.then(|| Child::rewritten(local, value))
    }

    /// Returns upstream's value as it is written, if upstream changed how the value is written and
    /// local did not. Block collections merge entry by entry instead.
    fn fast_forward_value(&self, nodes: Nodes) -> Option<Outcome> {
        let (original, updated, local) = (nodes.original?, nodes.updated?, nodes.local?);
        let trees = self.trees;
        let sides = [
            (trees.original, original),
            (trees.updated, updated),
            (trees.local, local),
        ];
        let is_taken = self.merges_formats
            && sides.into_iter().all(is_plain_value)
            && is_written_alike(sides[0], sides[2])
            && !is_written_alike(sides[1], sides[2])
            && !self.holds_pin(nodes)
            && (!self.nulls_clear || !holds_null(trees.updated, updated))
            // the indicators of a block scalar do not say whether its lines changed
            && (!sides.into_iter().any(|(tree, value)| tree.is_block_scalar(value))
                || self.unchanged_upstream(nodes) && self.unchanged_locally(nodes));
        is_taken.then(|| Outcome::Take(Incoming::whole(updated)))
    }

    /// Returns the key by which the current entry is an element of an associative list.
    pub(super) fn key_of_element(&self) -> Option<&ListKey> {
        match &self.steps.last()?.segment {
            Segment::Element(key) => Some(key),
            Segment::Field | Segment::Index(_) => None,
        }
    }
}

/// Whether a value is a scalar or a flow collection, without an anchor or a tag.
fn is_plain_value((tree, value): (&Tree<'_>, NodeId)) -> bool {
    let node = tree.node(value);
    node.anchor().is_none()
        && node.tag().is_none()
        && !matches!(node.kind, NodeKind::Alias(_))
        && !tree.is_block_collection(value)
}

/// Whether two values have the same lines, apart from white space around them; of block scalars,
/// only the indicators above the lines are compared.
fn is_written_alike(left: (&Tree<'_>, NodeId), right: (&Tree<'_>, NodeId)) -> bool {
    let [left, right] = [left, right].map(|(tree, value)| {
        let text = tree.slice(tree.node(value).span);
        let text = match tree.is_block_scalar(value) {
            true => text.split_whitespace().next().unwrap_or_default(),
            false => text,
        };
        lines(text).map(trimmed)
    });
    left.eq(right)
}

/// Returns true if a value is null or contains a null.
pub(super) fn holds_null(tree: &Tree<'_>, node: NodeId) -> bool {
    let mut entries = tree.entries(node);
    tree.is_null(node) || entries.any(|entry| holds_null(tree, tree.entry(entry).value))
}
