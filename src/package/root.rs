//! The root value of a document, and the lines that it is on.

use crate::line_breaks::{cut_first_line, ends_line, lines_with_breaks};
use crate::merge::{Shape, shape};
use crate::triple::Triple;
use crate::yaml::{Document, Span, Tree};

use super::parsed::Parsed;

/// The root value of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Root {
    /// Its kind if it is a block collection: the comments around its entries are in its row.
    pub(super) block: Option<Shape>,
    /// The lines of the value in its chunk, without the comments above and below it. `None` if
    /// there is no value or it shares a line with a marker, and for a block scalar, below which
    /// text may look like comments.
    pub(super) lines: Option<Span>,
}

impl Root {
    pub(super) fn of(document: &Document<'_>, tree: &Tree<'_>) -> Self {
        let root = tree.root().value;
        let is_block = tree.is_block_collection(root);
        let last = tree.entries(root).next_back().filter(|_| is_block);
        let end = match last {
            // comments below the last entry that are indented deeper belong to it
            Some(last) => tree.end_of_lines(tree.entry(last)),
            None => tree.node(root).span.end,
        };
        let is_block_scalar = tree.scalar(root).is_some_and(|it| it.style.is_block());
        Self {
            block: is_block.then(|| shape(tree, root)),
            lines: match is_block_scalar {
                true => None,
                false => lines(document, end as usize),
            },
        }
    }
}

/// Returns the lines of a value that ends at `value_end` in its chunk; `None` if it shares a line
/// with a marker.
fn lines(document: &Document<'_>, value_end: usize) -> Option<Span> {
    let (text, body) = (document.text, document.body.range());
    let is_blank_or_comment =
        |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let above = lines_with_breaks(&text[body.clone()]).take_while(is_blank_or_comment);
    let start = body.start + above.map(str::len).sum::<usize>();
    let value_end = value_end.max(start);
    let end = match ends_line(&text[start..value_end]) {
        true => value_end,
        false => value_end + cut_first_line(text.get(value_end..body.end)?).0.len(),
    };
    let starts_line = start == 0 || ends_line(&text[..start]);
    let only_comments_follow =
        lines_with_breaks(&text[end..]).all(|line| is_blank_or_comment(&line));
    let offset = |at: usize| u32::try_from(at).ok();
    let lines = Span::new(offset(start)?, offset(end)?);
    (starts_line && only_comments_follow).then_some(lines)
}

/// Returns true if the text around the values of these documents merges apart from them: all are on
/// lines of their own, and not all are block maps or all block lists, whose rows have that text.
pub(super) fn merges_around(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let roots = members.map(|parsed| parsed.map(|parsed| parsed.root));
    let mut present = roots.into_iter().flatten();
    let has_all = |block| present.clone().all(|root| root.block == Some(block));
    let has_rows = has_all(Shape::Map) || has_all(Shape::List);
    !has_rows && present.all(|root| root.lines.is_some())
}
