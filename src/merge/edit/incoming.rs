//! Writes the lines of entries that come from the source (rules: Places and formats).

use super::Editor;
use super::habits::Habits;
use super::reindent::Reindent;
use super::to_flow;
use crate::merge::decision::Incoming;
use crate::yaml::stream::starts_with_marker;
use crate::yaml::{EntryId, NodeId, Tree};

impl Editor<'_> {
    /// Returns the key of an entry of the source that would be a document marker in the first
    /// column; `None` for other keys.
    pub(super) fn marker_key(&self, id: EntryId) -> Option<NodeId> {
        let key = self.source.entry(id).key?;
        let text = self.source.slice(self.source.node(key).span);
        starts_with_marker(text).then_some(key)
    }

    /// Returns the lines of an entry that comes into a block collection, indented to a column.
    pub(super) fn arriving_lines(&self, id: EntryId, incoming: &Incoming, column: u32) -> String {
        if self.source.is_in_flow(id) {
            return self.flow_to_block(id, incoming, column);
        }
        let needs_quotes = column == 0 && self.marker_key(id).is_some();
        let text = (needs_quotes || self.needs_rewriting(incoming)).then(|| {
            self.with_part(id, incoming.outcome(), |tree, id| {
                self.reindent(tree).entry(id, column)
            })
        });
        text.flatten()
            .unwrap_or_else(|| self.reindent(self.source).entry(id, column))
    }

    /// Returns a converter of lines of `tree`, which has the source's habits, to the target's own
    /// habits.
    pub(super) fn reindent<'t>(&self, tree: &'t Tree<'t>) -> Reindent<'t> {
        Reindent {
            tree,
            from: self.source.habits(),
            to: self.own_habits(),
            line_break: self.line_break,
        }
    }

    /// Returns the habits of the target that it does not share with the original.
    fn own_habits(&self) -> Habits {
        let habits = self.moved_habits.unwrap_or_else(|| self.target.habits());
        habits.without(self.original.habits())
    }

    /// Returns the line of an entry that comes from a flow collection into a block collection.
    fn flow_to_block(&self, id: EntryId, incoming: &Incoming, column: u32) -> String {
        let entry = self.source.entry(id);
        let text = to_flow::entry(self.source, id, incoming.outcome(), false);
        let dash = if entry.key.is_none() { "- " } else { "" };
        let indent = " ".repeat(column as usize);
        let comment = self.with_gap(entry.comments().beside());
        format!("{indent}{dash}{text}{comment}{}", self.line_break)
    }

    /// Returns a value of the source in flow style, on one line.
    pub(super) fn value_in_flow(&self, incoming: &Incoming) -> String {
        let (source, part) = (self.source, incoming.outcome());
        to_flow::part(source, incoming.node, part, self.is_json())
    }
}
