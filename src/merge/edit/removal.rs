//! Edits collections that lose all their entries.

use super::Editor;
use super::layout::{blank_below, end_of_indicator, is_blank};
use crate::yaml::{Entry, NodeId, NodeKind};

impl Editor<'_> {
    /// Returns the text of an empty map or list of the same kind.
    pub(super) fn brackets(&self, node: NodeId) -> &'static str {
        match self.target.node(node).kind {
            NodeKind::Sequence(_) => "[]",
            _ => "{}",
        }
    }

    /// Replaces a map or list of which no entry is left by `{}` or `[]` (rules: Maps). Returns the
    /// offset behind it if it replaced the text of the entries; `None` if their lines were deleted.
    pub(super) fn empty_collection(&mut self, owner: Entry<'_>, node: NodeId) -> Option<u32> {
        let target = self.target;
        let brackets = self.brackets(node);
        let span = target.node(node).span;
        let shares_line = !is_blank(target, target.line_start(span.start)..span.start);
        if target.is_flow(node) == Some(true) {
            self.edits.replace(span, brackets);
            Some(self.end_of_entry(owner))
        } else if shares_line || owner.span.start == span.start {
            // the collection follows an indicator on its line, or is the root
            let end = target.line_end(span.end);
            self.edits.replace(span.start..end, brackets);
            Some(end)
        } else {
            self.edits
                .insert(self.after_properties(owner), format!(" {brackets}"));
            let lines_of = |id| target.lines_of(target.entry(id));
            let end = target.entries(node).next_back().map(lines_of);
            for lines in target.entries(node).map(lines_of) {
                let below = blank_below(target, lines.end, end.unwrap_or(lines).end);
                self.edits.delete(lines.start..below);
            }
            None
        }
    }

    /// Returns the offset at which a value starts on the line of its key or dash, after its anchor
    /// and tag.
    pub(super) fn after_properties(&self, owner: Entry<'_>) -> u32 {
        let node = self.target.node(owner.value);
        [node.anchor(), node.tag()]
            .into_iter()
            .flatten()
            .map(|property| property.end)
            .fold(end_of_indicator(self.target, owner), u32::max)
    }
}
