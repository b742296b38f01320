//! Comments that belong to a place (SPEC 7): set off by a blank line from the entry below them.

use rustc_hash::FxHashSet;

use crate::line_breaks;
use crate::yaml::{Entry, Span, Tree};

/// The comment lines above an entry that a blank line sets off from it, from the first of them to the last; empty where
/// there are none.
///
/// A line that is indented deeper than the entry is none: it may be the end of a block scalar. An entry that does not
/// start its line has no place of its own.
pub(super) fn place_comment(tree: &Tree<'_>, entry: Entry<'_>) -> Span {
    let Some(line_start) = tree.start_of_indent(entry.span.start) else {
        let line_start = tree.line_start(entry.span.start);
        return Span::new(line_start, line_start);
    };
    let column = (entry.span.start - line_start) as usize;
    let leading = entry.comments().leading;
    let mut at = match leading.is_empty() {
        true => line_start,
        false => leading.start,
    };
    let mut found = Span::new(at, at);
    if !is_below_blank_line(tree.text().as_bytes(), at) {
        return found;
    }
    let mut set_off = false;
    while let Some((line_start, line)) = line_above(tree, at) {
        let content = line.trim_start_matches(' ');
        if line.trim().is_empty() {
            set_off = true;
        } else if set_off && content.starts_with('#') && line.len() - content.len() <= column {
            if found.is_empty() {
                found.end = at;
            }
            found.start = line_start;
        } else {
            break;
        }
        at = line_start;
    }
    found
}

/// All lines of a text that are comments, or look like one.
pub(super) fn comment_lines<'t>(tree: &'t Tree<'_>) -> FxHashSet<&'t str> {
    let lines = line_breaks::lines(tree.text()).map(str::trim);
    lines.filter(|line| line.starts_with('#')).collect()
}

/// Whether the line above the one that starts at `at` is blank: above most entries it is not, and there is nothing to look for.
fn is_below_blank_line(bytes: &[u8], at: u32) -> bool {
    let above = bytes[..at as usize].strip_suffix(b"\n");
    let above = above.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    // a line break that is a CR alone is rare: look then
    above.is_none_or(|above| above.last().is_none_or(u8::is_ascii_whitespace))
}

fn line_above<'s>(tree: &Tree<'s>, at: u32) -> Option<(u32, &'s str)> {
    let before = at.checked_sub(1)?;
    let is_break = matches!(tree.text().as_bytes()[before as usize], b'\n' | b'\r');
    let start = tree.line_start(before);
    is_break.then(|| (start, &tree.text()[start as usize..at as usize]))
}
