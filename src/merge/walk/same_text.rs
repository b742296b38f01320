//! Compares the text of entries.

use super::Walker;
use crate::white_space::is_white_space;
use crate::yaml::{EntryId, NodeKind, Span, Tree, same_bytes};

impl Walker<'_> {
    /// Returns true if an entry has no anchor or alias in original and updated, and no value that
    /// contains it is an alias or has an anchor.
    pub(super) fn is_free_of_anchors(&self, original: EntryId, updated: EntryId) -> bool {
        let has_anchor_sign = |tree: &Tree<'_>, id: EntryId| {
            let lines = tree.lines_of(tree.entry(id));
            tree.slice(lines).contains(['*', '&'])
        };
        let is_anchored = |tree: &Tree<'_>, entry| {
            let node = tree.node(tree.entry(entry).value);
            node.anchor().is_some() || matches!(node.kind, NodeKind::Alias(_))
        };
        let is_in_anchored = self.steps.iter().any(|step| {
            let are_anchored = self.each(step.entries, is_anchored).into_array();
            are_anchored.contains(&Some(true))
        });
        !is_in_anchored
            && !has_anchor_sign(self.trees.original, original)
            && !has_anchor_sign(self.trees.updated, updated)
    }

    /// Returns true if an entry has the same lines in original and updated, comments included.
    /// Nothing in it changed upstream then.
    pub(super) fn same_text(&self, original: EntryId, updated: EntryId) -> bool {
        self.text_is_value
            && same_entry_text([
                (self.trees.original, original),
                (self.trees.updated, updated),
            ])
    }
}

/// Returns true if two entries have the same text, including the comments in them.
pub(super) fn same_entry_text(entries: [(&Tree<'_>, EntryId); 2]) -> bool {
    let [left, right] = entries.map(|(tree, entry)| {
        let entry = tree.entry(entry);
        let end = match tree.has_more_on_line(entry) {
            true => entry.span.end,
            false => tree.end_of_lines(entry),
        };
        tree.slice(Span::new(entry.span.start, end)).as_bytes()
    });
    same_bytes(left, right)
}

/// Returns true if two entries have the same lines, apart from line breaks and a common
/// indentation.
pub(super) fn same_lines(left: (&Tree<'_>, EntryId), right: (&Tree<'_>, EntryId)) -> bool {
    lines_of(left).eq(lines_of(right))
}

/// Like [`same_lines`], apart from blank lines.
pub(super) fn same_lines_with_text(
    left: (&Tree<'_>, EntryId),
    right: (&Tree<'_>, EntryId),
) -> bool {
    let with_text = |side| lines_of(side).filter(|(_, line)| !is_white_space(line));
    with_text(left).eq(with_text(right))
}

/// Returns the lines of an entry without the column of the first one; one that begins left of that
/// column is as it is, behind the column.
fn lines_of<'t>((tree, entry): (&Tree<'t>, EntryId)) -> impl Iterator<Item = (usize, &'t str)> {
    let entry = tree.entry(entry);
    let span = Span::new(entry.span.start, tree.end_of_lines(entry));
    let column = tree.column(entry.span.start) as usize;
    let lines = crate::line_breaks::lines(tree.slice(span)).enumerate();
    lines.map(move |(at, line)| {
        let text = line.trim_start_matches(' ');
        match at {
            0 => (0, line),
            _ if is_white_space(line) => (0, text),
            _ if line.len() - text.len() >= column => (0, &line[column..]),
            _ => (column, line),
        }
    })
}
