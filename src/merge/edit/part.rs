//! Cuts entries out of a tree: leaves parts out that do not come, and writes aliases out.

use super::layout::{has_dash, is_blank};
use super::{Aliases, Editor};
use crate::merge::decision::{Child, Incoming, Outcome, Remarks};
use crate::yaml::scalar::write_text;
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, Tree};

impl<'a> Editor<'a> {
    /// Whether an incoming value has to be edited before it can be used: parts of it do not come,
    /// or aliases are written out.
    pub(super) fn needs_rewriting(&self, incoming: &Incoming) -> bool {
        !incoming.is_whole() || (self.aliases.are_written_out() && self.source.has_aliases())
    }

    /// Calls `work` with an entry of the source without the parts that do not come, and with its
    /// key in quotes if that looks like a document marker; `None` if it cannot be parsed on its
    /// own.
    pub(super) fn with_part<R>(
        &self,
        id: EntryId,
        part: &Outcome,
        work: impl FnOnce(&Tree<'_>, EntryId) -> R,
    ) -> Option<R> {
        let mut editor = Editor::new(self.source.on_all_sides(), self.aliases);
        editor.cuts_part = true;
        let entry = self.source.tree.entry(id);
        editor.edit_value(entry, part, Remarks::default());
        if let Some(key) = self.marker_key(id) {
            let content = self.source.scalar(key).map_or("", |key| key.content);
            let quoted = write_text(content, false);
            editor.edits.replace(self.source.node(key).span, quoted);
        }
        if self.aliases.are_written_out() {
            editor.write_out_aliases(entry);
            for inner in self.source.entries_within(entry) {
                let nodes = inner.key.into_iter().chain([inner.value]);
                let is_known = |node: &NodeId| {
                    let anchor = self.source.node(*node).anchor();
                    anchor.is_some_and(|it| self.target.has_anchor(self.source.slice(it)))
                };
                nodes
                    .filter(is_known)
                    .for_each(|node| editor.drop_anchor(node));
            }
        }
        editor.with_edited_entry(entry, work)
    }

    /// Calls `work` with the edited text of an entry of the target, which is on lines of its own
    /// with its first byte in its column, below an entry with the anchors that it refers to; `None`
    /// if it cannot be parsed on its own.
    fn with_edited_entry<R>(
        mut self,
        entry: Entry<'a>,
        work: impl FnOnce(&Tree<'_>, EntryId) -> R,
    ) -> Option<R> {
        let indent = " ".repeat(self.target.column(entry.span.start) as usize);
        let mut text = String::new();
        for (owner, _) in self.aliases_within(entry) {
            let start = match (text.is_empty(), entry.key) {
                (true, Some(_)) => format!("{indent}'': ["),
                (true, None) => format!("{indent}- ["),
                (false, _) => ", ".to_owned(),
            };
            let alias = self.target.slice(self.target.node(owner.value).span);
            text += &format!("{start}{} 0", alias.replacen('*', "&", 1));
        }
        if !text.is_empty() {
            text += "]\n";
        }
        let lines = self.target.lines_of(entry);
        if lines.start != self.target.line_start(lines.start) {
            text += &indent;
        }
        text += &self.edits.take_text(self.target.text(), lines);
        let tree = Tree::parse(&text).ok().flatten()?;
        let entry = tree.entries(tree.root().value).next_back()?;
        Some(work(&tree, entry))
    }

    /// Writes out all aliases in an entry of the target.
    pub(super) fn write_out_aliases(&mut self, entry: Entry<'a>) {
        for (owner, _) in self.aliases_within(entry) {
            let name = self.target.alias_name(owner.value);
            let stays = name.is_some_and(|name| self.aliases.stay(name));
            if !stays && self.done_aliases.insert(owner.value) {
                self.write_out(owner, "");
            }
        }
    }

    /// Returns the aliases in an entry of the target that are values, in order: the entry of each,
    /// and the node that it refers to.
    pub(super) fn aliases_within(&self, entry: Entry<'a>) -> Vec<(Entry<'a>, NodeId)> {
        let entries = self.target.entries_within(entry).into_iter();
        let aliases = entries.filter_map(|entry| match self.target.node(entry.value).kind {
            NodeKind::Alias(node) => Some((entry, node)),
            _ => None,
        });
        aliases.collect()
    }

    /// Deletes the anchor of a node of the target. A block collection below a dash moves up to its
    /// line.
    fn drop_anchor(&mut self, node: NodeId) {
        let (tree, start) = (self.target, self.target.node(node).span.start);
        if let Some(anchor) = tree.node(node).anchor() {
            let gap = tree.column(start).checked_sub(tree.column(anchor.start));
            let owner = tree.entry_of(node).map(|owner| tree.entry(owner));
            if let Some(gap) = gap
                && tree.is_block_collection(node)
                && owner.is_some_and(|owner| has_dash(tree, owner))
                && is_blank(tree, anchor.end..start)
            {
                let gap = " ".repeat(gap as usize);
                return self.edits.replace(anchor.start..start, gap);
            }
            // without the anchor, no white space stays at the end of its line
            let below = &tree.text()[anchor.end as usize..];
            let start = match below.starts_with(['\r', '\n']) {
                true => tree.white_space_before(anchor.start).start,
                false => anchor.start,
            };
            let end = anchor.end + u32::from(below.starts_with(' '));
            self.edits.delete(start..end);
        }
    }

    /// Replaces an alias by the value that it refers to, with an anchor unless that is empty.
    pub(super) fn write_out(&mut self, owner: Entry<'_>, anchor: &str) {
        let target = self.target.resolve(owner.value);
        let aliases = match self.aliases.are_written_out() {
            true => self.aliases,
            false => Aliases::WriteOut,
        };
        let mut inner = Editor::new(self.target.on_all_sides(), aliases);
        let entry = self.target.entry_of(owner.value);
        let is_in_flow = entry.is_some_and(|entry| self.target.is_in_flow(entry));
        inner.flow = is_in_flow.then(Default::default);
        inner.edits = std::mem::take(&mut self.edits);
        inner.replace(owner, &Incoming::whole(target), Remarks::default(), anchor);
        self.edits = inner.edits;
    }

    /// Replaces an alias whose value is merged by the edited value that it refers to.
    pub(super) fn write_out_merged(&mut self, owner: Entry<'_>, children: &[Child]) {
        let node = self.target.resolve(owner.value);
        let Some(parent) = self.target.entry_of(node) else {
            return;
        };
        let mut inner = Editor::new(self.trees(), self.aliases);
        let entry = self.target.entry(parent);
        inner.edit_collection(entry, node, children, Remarks::default());
        inner.drop_anchor(node);
        let text = inner.with_edited_entry(entry, |tree, id| self.rendered_over(owner, tree, id));
        if let Some(text) = text {
            self.put_value(owner, text, Remarks::default());
        }
    }
}
