//! Finds the lines of entries and the blank lines around them.

use std::ops::Range;

use crate::line_breaks::lines_with_breaks;
use crate::white_space::is_white_space;
use crate::yaml::{Entry, NodeKind, Span, Tree};

/// Whether only white space is before an entry on its line.
pub(super) fn starts_its_line(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    is_blank(tree, tree.line_start(entry.span.start)..entry.span.start)
}

/// Returns the end of the blank lines from the line start `at` on, but not beyond `limit`, which is
/// the end of a line or of the text.
pub(super) fn blank_below(tree: &Tree<'_>, at: u32, limit: u32) -> u32 {
    let lines = lines_with_breaks(tree.slice(Span::new(at, limit)));
    let blank = lines.take_while(|line| is_white_space(line));
    at + blank.map(|line| line.len() as u32).sum::<u32>()
}

/// Whether a range is white space only.
pub(super) fn is_blank(tree: &Tree<'_>, range: Range<u32>) -> bool {
    is_white_space(tree.slice(Span::new(range.start, range.end)))
}

/// Whether an entry is an element of a block list, which starts with a dash.
pub(super) fn has_dash(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    entry.key.is_none()
        && tree.node(entry.value).span.start > entry.span.start
        && tree.text().as_bytes().get(entry.span.start as usize) == Some(&b'-')
}

/// Returns the offset after the colon or dash of an entry; the start of the root, which has neither.
pub(super) fn end_of_indicator(tree: &Tree<'_>, entry: Entry<'_>) -> u32 {
    match entry.colon() {
        Some(colon) => colon + 1,
        None => entry.span.start + u32::from(has_dash(tree, entry)),
    }
}

/// Whether the line that ends at `line_end` ends within a plain or quoted scalar of an entry. No
/// comment can be there.
pub(super) fn ends_within_text(tree: &Tree<'_>, entry: Entry<'_>, line_end: u32) -> bool {
    entry.key.into_iter().chain([entry.value]).any(|part| {
        let node = tree.node(part);
        let continues = node.span.start < line_end && line_end < node.span.end;
        continues
            && match &node.kind {
                NodeKind::Mapping(_) | NodeKind::Sequence(_) => tree
                    .entries(part)
                    .any(|id| ends_within_text(tree, tree.entry(id), line_end)),
                NodeKind::Scalar(scalar) => !scalar.style.is_block(),
                NodeKind::Alias(_) => false,
            }
    })
}

/// Returns the excess indentation of comment lines at the start of a text that are indented deeper
/// than a column. Blank lines may be between them.
pub(super) fn indents_of_comments(text: &str, column: u32) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in lines_with_breaks(text) {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = (line.len() - content.len()) as u32;
        if content.starts_with('#') && indent > column {
            found.push(at + column..at + indent);
        } else if !is_white_space(content) {
            break;
        }
        at += line.len() as u32;
    }
    found
}
