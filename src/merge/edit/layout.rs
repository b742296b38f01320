//! Which lines an entry takes up, and the blank ones around it.

use std::ops::Range;

use crate::line_breaks::lines_with_breaks;
use crate::yaml::{Entry, EntryId, NodeKind, Tree};

/// Whether nothing but white space is before an entry on its line.
pub(super) fn starts_its_line(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    own_line(tree, entry).is_some()
}

/// The start of the line that an entry begins on, where nothing but white space is before it
/// there.
fn own_line(tree: &Tree<'_>, entry: Entry<'_>) -> Option<u32> {
    tree.start_of_indent(entry.span.start).or_else(|| {
        let start = tree.line_start(entry.span.start);
        is_blank(tree, start..entry.span.start).then_some(start)
    })
}

/// The lines of an entry, with the comments below that are indented deeper. Where it shares its
/// first line with a dash, from its own first byte.
pub(super) fn lines(tree: &Tree<'_>, entry: Entry<'_>) -> Range<u32> {
    let span = tree.lines_of(entry);
    span.start..span.end
}

/// The blank lines from `at`, a line's start, on, and not beyond `limit`: where they end.
pub(super) fn blank_below(tree: &Tree<'_>, at: u32, limit: u32) -> u32 {
    let mut end = at;
    while end < limit {
        let next = tree.next_line(end);
        if next > limit || next == end || !is_blank(tree, end..next) {
            break;
        }
        end = next;
    }
    end
}

/// Whether a stretch is white space alone.
pub(super) fn is_blank(tree: &Tree<'_>, range: Range<u32>) -> bool {
    tree.text().as_bytes()[range.start as usize..range.end as usize]
        .iter()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// The entries of a collection with their lines.
pub(super) fn lines_of_entries(
    tree: &Tree<'_>,
    entries: impl Iterator<Item = EntryId>,
) -> Vec<(EntryId, Range<u32>)> {
    entries
        .map(|id| (id, lines(tree, tree.entry(id))))
        .collect()
}

/// Whether an entry is an element of a block list: it starts with a dash of its own.
pub(super) fn has_dash(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    let value = tree.node(entry.value);
    let value_start = [value.anchor(), value.tag(), Some(value.span)]
        .into_iter()
        .flatten()
        .map(|span| span.start)
        .fold(u32::MAX, u32::min);
    entry.key.is_none()
        && value_start > entry.span.start
        && tree.text().as_bytes().get(entry.span.start as usize) == Some(&b'-')
}

/// Whether the line that ends at `line_end` ends within a text of an entry, without quotes or
/// between them: no comment can be there.
pub(super) fn ends_within_text(tree: &Tree<'_>, entry: Entry<'_>, line_end: u32) -> bool {
    entry.key.into_iter().chain([entry.value]).any(|part| {
        let node = tree.node(part);
        let goes_on = node.span.start < line_end && line_end < node.span.end;
        goes_on
            && match &node.kind {
                NodeKind::Mapping(_) | NodeKind::Sequence(_) => tree
                    .entries(part)
                    .any(|id| ends_within_text(tree, tree.entry(id), line_end)),
                NodeKind::Scalar(scalar) => !scalar.style.is_block(),
                NodeKind::Alias(_) => false,
            }
    })
}

/// Of the comment lines that a text begins with, blank ones between them, and that are indented
/// deeper than a column: what is too much.
pub(super) fn indents_of_comments(text: &str, column: u32) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in lines_with_breaks(text) {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = (line.len() - content.len()) as u32;
        if content.starts_with('#') && indent > column {
            found.push(at + column..at + indent);
        } else if !trimmed(content).is_empty() {
            break;
        }
        at += line.len() as u32;
    }
    found
}

/// A text without YAML's white space around it. Any other white space is a letter.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}
