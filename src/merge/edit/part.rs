//! Cuts entries out of a tree: leaves parts out that do not come, and writes aliases out.

use std::ops::Range;

use super::layout::lines;
use super::overview::Overview;
use super::{Aliases, Editor};
use crate::merge::decision::{Incoming, Outcome, Remarks};
use crate::yaml::{Entry, EntryId, NodeId, Tree};

/// The text of one entry on lines of its own, with its first byte in its original column.
pub(super) struct EntryText {
    text: String,
}

impl EntryText {
    /// Parses the text and calls `work` with the entry; `None` if it cannot be parsed on its own.
    pub(super) fn with_entry<R>(&self, work: impl FnOnce(&Tree<'_>, EntryId) -> R) -> Option<R> {
        let tree = Tree::parse(&self.text).ok().flatten()?;
        let entry = tree.entries(tree.root().value).next()?;
        Some(work(&tree, entry))
    }
}

impl<'a> Editor<'a> {
    /// Whether an incoming value has to be edited before it can be used: parts of it do not come,
    /// or aliases are written out.
    pub(super) fn needs_rewriting(&self, incoming: &Incoming) -> bool {
        !incoming.is_whole() || (self.aliases == Aliases::WriteOut && self.source.has_aliases())
    }

    /// Returns an entry of the source without the parts that do not come.
    pub(super) fn part_of_entry(&self, id: EntryId, part: &Outcome) -> EntryText {
        let source = self.source;
        let mut editor = Editor::over(&self.source_overview, &self.source_overview, self.aliases);
        editor.cuts_part = true;
        let entry = source.entry(id);
        editor.edit_value(entry, part, Remarks::default());
        let range = lines(source, entry);
        if self.aliases == Aliases::WriteOut {
            editor.write_out_aliases(range.clone());
            editor.drop_anchors(&range, &self.target_overview);
        }
        editor.entry_text(entry, range)
    }

    /// Takes a range with its edits as the text of an entry.
    fn entry_text(&mut self, entry: Entry<'_>, range: Range<u32>) -> EntryText {
        let indent = if range.start == self.target.line_start(range.start) {
            0
        } else {
            self.target.column(entry.span.start) as usize
        };
        let mut text = " ".repeat(indent);
        text.push_str(&self.edits.take_text(self.target.text(), range));
        EntryText { text }
    }

    /// Writes out all aliases in a range of the target.
    pub(super) fn write_out_aliases(&mut self, range: Range<u32>) {
        for (owner, _) in self.aliases_in(&range) {
            if self.done_aliases.insert(owner.value) {
                self.write_out(owner, None);
            }
        }
    }

    /// Returns the aliases in a range of the target that are values: the entry of each, and the
    /// node that it refers to.
    pub(super) fn aliases_in(&self, range: &Range<u32>) -> Vec<(Entry<'a>, NodeId)> {
        let target = self.target;
        let aliases = self.target_overview.aliases_in(range).iter();
        aliases
            .map(|(node, owner)| (target.entry(*owner), target.resolve(*node)))
            .collect()
    }

    /// Deletes the anchors in a range whose names another tree has too.
    fn drop_anchors(&mut self, range: &Range<u32>, other: &Overview<'_>) {
        let target = self.target;
        for anchor in self.target_overview.anchors_in(range) {
            if other.anchor_names().contains(target.slice(*anchor)) {
                let after = target.text()[anchor.end as usize..].starts_with(' ');
                self.edits
                    .delete(anchor.start..anchor.end + u32::from(after));
            }
        }
    }

    /// Replaces an alias by the value that it refers to, with an anchor if one is given.
    pub(super) fn write_out(&mut self, owner: Entry<'_>, anchor: Option<&str>) {
        let target = self.target.resolve(owner.value);
        let mut inner = Editor::over(&self.target_overview, &self.target_overview, self.aliases);
        inner.in_flow =
            self.in_flow || self.target_overview.is_in_flow_collection(owner.span.start);
        inner.replace_with(owner, &Incoming::whole(target), Remarks::default(), anchor);
        self.edits.absorb(inner.edits);
    }

    /// Replaces an alias whose value is merged by the edited value that it refers to.
    pub(super) fn write_out_merged(
        &mut self,
        owner: Entry<'_>,
        children: &[crate::merge::decision::Child],
    ) {
        let node = self.target.resolve(owner.value);
        let Some(parent) = self.target_overview.parents().entry_of(node) else {
            return;
        };
        let mut inner = Editor::over(&self.target_overview, &self.source_overview, self.aliases);
        let entry = self.target.entry(parent);
        inner.edit_collection(entry, node, children);
        if let Some(anchor) = self.target.node(node).anchor() {
            let after = self.target.text()[anchor.end as usize..].starts_with(' ');
            inner
                .edits
                .delete(anchor.start..anchor.end + u32::from(after));
        }
        let entry_text = inner.entry_text(entry, lines(self.target, entry));
        let text = entry_text.with_entry(|tree, id| self.rendered_over(owner, tree, id));
        if let Some(text) = text {
            self.put_value(owner, text, Remarks::default(), None);
        }
    }
}
