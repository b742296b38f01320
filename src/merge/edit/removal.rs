//! Edits collections that lose all their entries.

use super::Editor;
use super::layout::{blank_below, has_dash, lines_of_entries, starts_its_line};
use crate::yaml::{Entry, NodeId, NodeKind};

impl Editor<'_> {
    /// Returns the text of an empty map or list of the same kind.
    pub(super) fn brackets(&self, node: NodeId) -> &'static str {
        match self.target.node(node).kind {
            NodeKind::Sequence(_) => "[]",
            _ => "{}",
        }
    }

    /// Replaces a map or list of which no entry is left by `{}` or `[]` (rules: Maps).
    pub(super) fn empty_collection(&mut self, owner: Entry<'_>, node: NodeId) {
        let target = self.target;
        let brackets = self.brackets(node);
        let span = target.node(node).span;
        let entries = lines_of_entries(target, target.entries(node));
        let (Some((first, first_lines)), Some((_, last_lines))) = (entries.first(), entries.last())
        else {
            return;
        };
        let shares_line = !starts_its_line(target, target.entry(*first));
        if super::is_flow(target, node) {
            self.edits.replace(span, brackets);
        } else if shares_line || owner.span.start == span.start {
            // the collection follows an indicator on its line, or is the root
            let end = target.line_end(span.end).max(span.end);
            let start = if shares_line {
                first_lines.start
            } else {
                span.start
            };
            self.edits.replace(start..end, brackets);
        } else {
            self.edits
                .insert(self.after_properties(owner), format!(" {brackets}"));
            for (_, lines) in &entries {
                self.edits.delete(lines.clone());
                let limit = last_lines.end;
                let below = blank_below(target, lines.end, limit);
                self.edits.delete(lines.end..below);
            }
        }
    }

    /// Returns the offset at which a value starts on the line of its key or dash, after its anchor
    /// and tag.
    pub(super) fn after_properties(&self, owner: Entry<'_>) -> u32 {
        let node = self.target.node(owner.value);
        let indicator = match owner.colon() {
            Some(colon) => colon + 1,
            None if has_dash(self.target, owner) => owner.span.start + 1,
            None => owner.span.start,
        };
        [node.anchor(), node.tag()]
            .into_iter()
            .flatten()
            .map(|property| property.end)
            .fold(indicator, u32::max)
    }
}
