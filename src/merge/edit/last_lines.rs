//! Sets the number of line breaks at the end of block scalars.
//!
//! The blank lines at the end of a block scalar are part of its value if it keeps them (`|+`), or
//! if they have more spaces than its indentation. Else they only separate entries.

use std::ops::Range;

use super::edits::Edits;
use super::layout::blank_below;
use crate::line_breaks::line_break_of;
use crate::yaml::scalar::keeps_line_breaks;
use crate::yaml::{NodeId, Tree};

/// How a block scalar should end.
pub(crate) struct LastLines {
    pub(crate) scalar: NodeId,
    /// The number of line breaks at the end of its value.
    pub(crate) line_breaks: usize,
    /// Whether its last lines have spaces, which have to be removed.
    pub(crate) have_spaces: bool,
}

/// Returns the text of a tree with these ends of block scalars.
pub(crate) fn set_last_lines(tree: &Tree<'_>, last_lines: &[LastLines]) -> String {
    let mut edits = Edits::default();
    let line_break = line_break_of(tree.text());
    for last in last_lines {
        let Some(scalar) = tree.scalar(last.scalar) else {
            continue;
        };
        let wanted = last.line_breaks;
        let span = tree.node(tree.resolve(last.scalar)).span;
        let (written, start) = (tree.slice(span), span.start);
        let content = written.trim_end_matches([' ', '\t', '\r', '\n']);
        let content_end = start + content.len() as u32;
        let first_below = tree.next_line(content_end);
        let mut end = blank_below(tree, first_below, tree.text().len() as u32);
        let mut found = scalar.content.len() - scalar.content.trim_end_matches('\n').len();
        // spaces after the last line break of the text are not a line
        let last_line = tree.line_start(end);
        if last_line >= first_below && last_line < end {
            edits.delete(last_line..end);
            end = last_line;
            found = found.min(count_line_breaks(tree, content_end..end));
        }
        if last.have_spaces {
            delete_spaces(tree, first_below..end, &mut edits);
            found = match keeps_line_breaks(written) {
                true => count_line_breaks(tree, content_end..end),
                false => found
                    .max(wanted)
                    .min(count_line_breaks(tree, content_end..end)),
            };
        }
        if wanted > found {
            // without a line break at the end of the text, one more is needed
            let is_unfinished = usize::from(tree.line_start(end) != end);
            edits.insert(end, line_break.repeat(wanted - found + is_unfinished));
        } else {
            let start = (wanted..found).fold(end, |start, _| {
                tree.line_start(start.saturating_sub(1)).max(first_below)
            });
            edits.delete(start..end);
        }
    }
    edits.apply(tree.text())
}

/// Returns the number of line breaks in a range.
fn count_line_breaks(tree: &Tree<'_>, range: Range<u32>) -> usize {
    tree.line_number(range.end) - tree.line_number(range.start)
}

/// Deletes the spaces in a range of blank lines.
fn delete_spaces(tree: &Tree<'_>, range: Range<u32>, edits: &mut Edits) {
    let mut at = range.start;
    while at < range.end {
        edits.delete(at..tree.line_end(at));
        at = tree.next_line(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, wanted: usize) -> String {
        let tree = Tree::parse(text).unwrap().unwrap();
        let first = tree.entries(tree.root().value).next().unwrap();
        let last = LastLines {
            scalar: tree.entry(first).value,
            line_breaks: wanted,
            have_spaces: false,
        };
        set_last_lines(&tree, &[last])
    }

    #[test]
    fn lines_come_and_go_at_the_end() {
        for text in ["a: |+\n  x\n\nb: 1\n", "a: |+\n  x\n\n\n\nb: 1\n"] {
            assert_eq!(set(text, 1), "a: |+\n  x\nb: 1\n");
            assert_eq!(set(text, 3), "a: |+\n  x\n\n\nb: 1\n");
        }
        assert_eq!(set("a: |+ # c\n\n\n", 1), "a: |+ # c\n\n");
    }

    #[test]
    fn a_text_may_end_in_spaces() {
        for text in [
            "a: |+\n  x\n ",
            "a: |+\n  x\n\n ",
            "a: |+\n  x\n\n\n ",
            "a: |+\n  x\n  ",
        ] {
            for wanted in 1..4 {
                let set = set(text, wanted);
                let tree = Tree::parse(&set).unwrap().unwrap();
                let first = tree.entries(tree.root().value).next().unwrap();
                let content = &tree.scalar(tree.entry(first).value).unwrap().content;
                assert_eq!(
                    &**content,
                    format!("x{}", "\n".repeat(wanted)),
                    "{text:?} {set:?}"
                );
            }
        }
    }

    #[test]
    fn a_text_may_end_without_a_line_break() {
        assert_eq!(set("a: |+\n  x", 2), "a: |+\n  x\n\n");
        assert_eq!(set("a: |+\r\n  x\r\n", 2), "a: |+\r\n  x\r\n\r\n");
        assert_eq!(set("a: |+", 2), "a: |+\n\n\n");
    }
}
