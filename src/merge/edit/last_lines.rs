//! The blank lines at the ends of block scalars. Those of one that keeps its line breaks (`|+`) are
//! a value's, and no distance between entries; and so are those of any, where there are spaces in
//! them that reach further than its text is indented.

use std::ops::Range;

use super::edits::Edits;
use super::layout::blank_below;
use crate::line_breaks::line_break_of;
use crate::yaml::scalar::keeps_line_breaks;
use crate::yaml::{NodeId, Tree};

/// What a block scalar should end in.
pub(crate) struct LastLines {
    pub(crate) scalar: NodeId,
    /// How many line breaks it should have at its end.
    pub(crate) line_breaks: usize,
    /// Whether there are spaces on its last lines, which should not be.
    pub(crate) have_spaces: bool,
}

/// The text of a tree in which each of these block scalars ends as it should.
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
        let last_word = start + trimmed_end(written).len() as u32;
        let first_below = tree.next_line(last_word);
        let mut end = blank_below(tree, first_below, tree.text().len() as u32);
        let mut found = scalar.content.len() - scalar.content.trim_end_matches('\n').len();
        // spaces at the end of the text are no line, whatever they count as
        let last_line = tree.line_start(end);
        if last_line >= first_below && last_line < end {
            edits.delete(last_line..end);
            end = last_line;
            found = found.min(breaks(tree, last_word..end));
        }
        if last.have_spaces {
            empty_lines(tree, first_below..end, &mut edits);
            found = match keeps_line_breaks(written) {
                true => breaks(tree, last_word..end),
                false => found.max(wanted).min(breaks(tree, last_word..end)),
            };
        }
        if wanted > found {
            // the end of the text counts as a line break, and the header's own is none of the
            // value's
            let unended = usize::from(tree.line_start(end) != end);
            edits.insert(end, line_break.repeat(wanted - found + unended));
        } else {
            let start = (wanted..found).fold(end, |start, _| {
                tree.line_start(start.saturating_sub(1)).max(first_below)
            });
            edits.delete(start..end);
        }
    }
    edits.apply(tree.text())
}

fn trimmed_end(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n'])
}

/// How many line breaks there are in a stretch.
fn breaks(tree: &Tree<'_>, range: Range<u32>) -> usize {
    tree.line_number(range.end) - tree.line_number(range.start)
}

/// Takes the spaces out of a stretch of blank lines.
fn empty_lines(tree: &Tree<'_>, range: Range<u32>, edits: &mut Edits) {
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
