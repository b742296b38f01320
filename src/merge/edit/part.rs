//! What of the source comes: a whole entry as its text stands, or one of which parts are left out,
//! edited first.

use std::ops::Range;

use super::layout::lines;
use super::overview::Overview;
use super::{Aliases, Editor};
use crate::merge::decision::{Incoming, Outcome, Remarks};
use crate::yaml::{Entry, EntryId, NodeId, Tree};

/// The text of one entry, on lines of its own, its first byte in the column that it had.
pub(super) struct Piece {
    text: String,
}

impl Piece {
    /// Does `work` with the entry that the piece holds; `None` if the piece cannot be read alone.
    pub(super) fn with_entry<R>(&self, work: impl FnOnce(&Tree<'_>, EntryId) -> R) -> Option<R> {
        let tree = Tree::parse(&self.text).ok().flatten()?;
        let entry = tree.entries(tree.root().value).next()?;
        Some(work(&tree, entry))
    }
}

impl<'a> Editor<'a> {
    /// Whether an incoming value cannot be cut out of the source as it stands.
    pub(super) fn needs_rewriting(&self, incoming: &Incoming) -> bool {
        !incoming.is_whole() || (self.aliases == Aliases::WriteOut && self.source.has_aliases())
    }

    /// An entry of the source without the parts that do not come.
    pub(super) fn part_of_entry(&self, id: EntryId, part: &Outcome) -> Piece {
        let source = self.source;
        let mut editor = Editor::over(&self.of_source, &self.of_source, self.aliases);
        editor.cuts_part = true;
        let entry = source.entry(id);
        editor.value(entry, part, Remarks::default());
        let range = lines(source, entry);
        if self.aliases == Aliases::WriteOut {
            editor.write_out_aliases(range.clone());
            editor.drop_anchors(&range, &self.of_target);
        }
        editor.piece(entry, range)
    }

    fn piece(&mut self, entry: Entry<'_>, range: Range<u32>) -> Piece {
        let indent = if range.start == self.target.line_start(range.start) {
            0
        } else {
            self.target.column(entry.span.start) as usize
        };
        let mut text = " ".repeat(indent);
        text.push_str(&self.edits.take_text(self.target.text(), range));
        Piece { text }
    }

    /// Writes out every alias in a stretch of the target.
    pub(super) fn write_out_aliases(&mut self, range: Range<u32>) {
        for (owner, _) in self.aliases_in(&range) {
            if self.done_aliases.insert(owner.value) {
                self.write_out(owner, None);
            }
        }
    }

    /// The aliases in a stretch of the target that are values: the entry whose value each is, and
    /// what it stands for.
    pub(super) fn aliases_in(&self, range: &Range<u32>) -> Vec<(Entry<'a>, NodeId)> {
        let target = self.target;
        let aliases = self.of_target.aliases_in(range).iter();
        aliases
            .map(|(node, owner)| (target.entry(*owner), target.resolve(*node)))
            .collect()
    }

    /// Takes the anchors out of a stretch that would hide those of another tree.
    fn drop_anchors(&mut self, range: &Range<u32>, other: &Overview<'_>) {
        let target = self.target;
        for anchor in self.of_target.anchors_in(range) {
            if other.anchor_names().contains(target.slice(*anchor)) {
                let after = target.text()[anchor.end as usize..].starts_with(' ');
                self.edits
                    .delete(anchor.start..anchor.end + u32::from(after));
            }
        }
    }

    /// Puts what an alias stands for in its place, with an anchor where one is given.
    pub(super) fn write_out(&mut self, owner: Entry<'_>, anchor: Option<&str>) {
        let target = self.target.resolve(owner.value);
        let mut inner = Editor::over(&self.of_target, &self.of_target, self.aliases);
        inner.in_flow = self.in_flow || self.of_target.is_in_brackets(owner.span.start);
        inner.replace_with(owner, &Incoming::whole(target), Remarks::default(), anchor);
        self.edits.absorb(inner.edits);
    }

    /// An alias whose value is merged: what it stands for, edited, in its place.
    pub(super) fn write_out_merged(
        &mut self,
        owner: Entry<'_>,
        children: &[crate::merge::decision::Child],
    ) {
        let node = self.target.resolve(owner.value);
        let Some(holder) = self.of_target.holders().entry_of(node) else {
            return;
        };
        let mut inner = Editor::over(&self.of_target, &self.of_source, self.aliases);
        let entry = self.target.entry(holder);
        inner.collection(entry, node, children);
        if let Some(anchor) = self.target.node(node).anchor() {
            let after = self.target.text()[anchor.end as usize..].starts_with(' ');
            inner
                .edits
                .delete(anchor.start..anchor.end + u32::from(after));
        }
        let piece = inner.piece(entry, lines(self.target, entry));
        let text = piece.with_entry(|tree, id| self.rendered_over(owner, tree, id));
        if let Some(text) = text {
            self.put_in_place(owner, text, Remarks::default(), None);
        }
    }
}
