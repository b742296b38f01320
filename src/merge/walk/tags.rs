//! Decides about the tags of maps and lists that upstream changed (rules: Tags).

use super::{Entries, Nodes, Shape, Walker};
use crate::merge::decision::{Child, Outcome};
use crate::triple::Side;
use crate::yaml::{EntryId, Tree};

impl Walker<'_> {
    /// Whether a map or list merges as one value, because upstream changed its tag and the tag
    /// cannot merge on its own.
    pub(super) fn is_replaced_with_tag(&self, nodes: Nodes) -> bool {
        let can_merge = || {
            let step = self.steps.last();
            step.is_some_and(|step| self.new_tag(step.entries).is_some())
        };
        self.has_changed_tag(nodes) && !can_merge()
    }

    /// Returns the updated entry whose tag a map or list of local's gets: upstream changed it, and
    /// local did not.
    pub(super) fn new_tag(&self, entries: Entries) -> Option<EntryId> {
        let nodes = self.values_of(entries);
        let tags = self.each(nodes, Tree::custom_tag);
        let (tree, updated) = (self.trees.updated, self.trees.updated.node(nodes.updated?));
        // the handle of a tag is declared above its own document
        let has_handle = |tag: &str| {
            let name = tag.trim_start_matches('!');
            !tag.starts_with("!<") && name.contains('!')
        };
        let is_plain = |tag| !has_handle(tree.slice(tag));
        let can_merge = self.has_changed_tag(nodes)
            && tags.local == tags.original
            && self.on_own_lines.local
            && updated.tag().is_none_or(is_plain)
            && self.trees.local.alias_name(nodes.local?).is_none();
        entries.updated.filter(|_| can_merge)
    }

    /// Whether a side's value has another tag than the original's. A part of it would not have the
    /// tag, so it comes and goes as a whole.
    pub(super) fn has_tag_of_its_own(&self, nodes: Nodes, side: Side) -> bool {
        let tags = self.each(nodes, Tree::custom_tag);
        tags[side] != tags.original
    }

    /// Whether upstream changed the tag of a map or list, and local has another one.
    fn has_changed_tag(&self, nodes: Nodes) -> bool {
        let tags = self.each(nodes, Tree::custom_tag);
        let shapes = self.shapes(nodes);
        // an alias has the tag of its anchor, which merges at the anchor
        let names = self.each(nodes, Tree::alias_name).map(Option::flatten);
        let is_alias = || names.local.is_some() && names.local == names.updated;
        tags.updated != tags.local
            && tags.updated != tags.original
            && matches!(shapes.updated, Some(Shape::Map | Shape::List))
            && shapes.updated == shapes.local
            && !is_alias()
            && !self.holds_pin(nodes)
    }

    /// Returns the outcome for a value of local's that gets another tag: its entries stay, but it is
    /// not kept as a whole.
    pub(super) fn opened_for_tag(&self, local: EntryId, outcome: Outcome) -> Outcome {
        if outcome != Outcome::Keep {
            return outcome;
        }
        let tree = self.trees.local;
        let children = tree.entries(tree.entry(local).value).map(Child::keep);
        Outcome::merge(children.collect())
    }
}
