//! Writes the lines of entries that come from the source (rules: Places and formats).

use super::Editor;
use super::reindent::Reindent;
use super::to_flow;
use crate::merge::decision::Incoming;
use crate::yaml::stream::starts_with_marker;
use crate::yaml::{EntryId, ScalarStyle, ScalarType, Tree, scalar};

impl Editor<'_> {
    /// Returns the lines of an entry in the first column with its key in quotes, if the key would
    /// be a document marker there; else the lines as they are.
    pub(super) fn with_marker_key_quoted(&self, id: EntryId, lines: String) -> String {
        let Some(key) = self.source.entry(id).key else {
            return lines;
        };
        let written = self.source.slice(self.source.node(key).span);
        if !starts_with_marker(written) {
            return lines;
        }
        let start = match lines.starts_with(written) {
            true => Some(0),
            false => lines.find(&format!("\n{written}")).map(|at| at + 1),
        };
        let content = self.source.scalar(key).map_or("", |key| key.content);
        let quoted = scalar::write(content, ScalarType::Str, ScalarStyle::DoubleQuoted, false);
        match (start, quoted) {
            (Some(start), Some(quoted)) => {
                let (above, rest) = lines.split_at(start);
                format!("{above}{quoted}{}", &rest[written.len()..])
            }
            _ => lines,
        }
    }

    /// Returns the lines of an entry that comes into a block collection, indented to a column.
    pub(super) fn arriving_lines(&self, id: EntryId, incoming: &Incoming, column: u32) -> String {
        if self.source.is_in_flow(id) {
            return self.flow_to_block(id, incoming, column);
        }
        if self.needs_rewriting(incoming) {
            let text = self.with_part(id, incoming.outcome(), |tree, id| {
                self.reindent(tree).entry(id, column)
            });
            if let Some(text) = text {
                return text;
            }
        }
        self.reindent(self.source).entry(id, column)
    }

    /// Returns a converter of lines of `tree`, which has the source's habits, to the target's
    /// habits.
    pub(super) fn reindent<'t>(&self, tree: &'t Tree<'t>) -> Reindent<'t> {
        Reindent {
            tree,
            from: self.source.habits(),
            to: self.moved_habits.unwrap_or_else(|| self.target.habits()),
            line_break: self.line_break,
        }
    }

    /// Returns the line of an entry that comes from a flow collection into a block collection.
    fn flow_to_block(&self, id: EntryId, incoming: &Incoming, column: u32) -> String {
        let entry = self.source.entry(id);
        let indent = " ".repeat(column as usize);
        let value = self.value_in_flow(incoming, false);
        let line = match entry.key {
            Some(key) => {
                let key = to_flow::text(self.source, key, false);
                let space = if value.is_empty() { "" } else { " " };
                format!("{key}:{space}{value}")
            }
            None => format!("- {value}"),
        };
        let mut text = indent;
        text.push_str(&line);
        text.push_str(&self.with_gap(entry.comments().beside()));
        text.push_str(self.line_break);
        text
    }

    /// Returns a value of the source in flow style, on one line.
    pub(super) fn value_in_flow(&self, incoming: &Incoming, json: bool) -> String {
        to_flow::part(self.source, incoming.node, incoming.outcome(), json)
    }
}
