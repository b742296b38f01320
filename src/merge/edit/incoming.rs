//! Entries that come: cut out of the source, moved to their place (rules: Places and formats).

use super::Editor;
use super::reindent::Reindent;
use super::to_flow;
use crate::merge::decision::Incoming;
use crate::yaml::stream::starts_with_marker;
use crate::yaml::{EntryId, ScalarStyle, ScalarType, Tree, scalar};

impl Editor<'_> {
    /// The lines of an entry that comes into the first column, its key between quotes where it
    /// would be a marker there.
    pub(super) fn without_marker(&self, id: EntryId, lines: String) -> String {
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

    /// The lines of an entry that comes into a block collection.
    pub(super) fn arriving_lines(&self, id: EntryId, incoming: &Incoming, column: u32) -> String {
        if self.comes_from_brackets(id) {
            return self.out_of_brackets(id, incoming, column);
        }
        if self.needs_rewriting(incoming) {
            let piece = self.part_of_entry(id, incoming.outcome());
            let text = piece.with_entry(|tree, id| self.reindent(tree).entry(id, column));
            if let Some(text) = text {
                return text;
            }
        }
        self.reindent(self.source).entry(id, column)
    }

    /// Moves lines of `tree`, which has the source's habits, into the target's.
    pub(super) fn reindent<'t>(&self, tree: &'t Tree<'t>) -> Reindent<'t> {
        Reindent {
            tree,
            from: self.of_source.habits(),
            to: self.moved_habits.unwrap_or_else(|| self.of_target.habits()),
            line_break: self.line_break,
        }
    }

    /// Whether an entry of the source is between brackets.
    pub(super) fn comes_from_brackets(&self, id: EntryId) -> bool {
        self.of_source
            .holders()
            .collection_of(id)
            .is_some_and(|node| super::is_flow(self.source, node))
    }

    /// An entry from between brackets on a line of its own.
    fn out_of_brackets(&self, id: EntryId, incoming: &Incoming, column: u32) -> String {
        let entry = self.source.entry(id);
        let indent = " ".repeat(column as usize);
        let value = self.value_in_brackets(incoming, false);
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
        let comment = entry.comments().beside();
        if !comment.is_empty() {
            text.push_str(self.gap_before(comment));
            text.push_str(self.source.slice(comment));
        }
        text.push_str(self.line_break);
        text
    }

    /// A value of the source on one line, in brackets where it is a collection.
    pub(super) fn value_in_brackets(&self, incoming: &Incoming, json: bool) -> String {
        to_flow::part(self.source, incoming.node, incoming.outcome(), json)
    }
}
