//! Comments that belong to a place (SPEC 7): set off by a blank line from the entry below them.

use rustc_hash::FxHashSet;

use crate::yaml::{Entry, Span, Tree};

/// The comment lines above an entry that a blank line sets off from it, from the first of them to the last; empty where
/// there are none.
///
/// A line that is indented deeper than the entry is none: it may be the end of a block scalar. An entry that does not
/// start its line has no place of its own.
pub(super) fn place_comment(tree: &Tree<'_>, entry: &Entry) -> Span {
    let line_start = tree.line_start(entry.span.start);
    let indent = &tree.text()[line_start as usize..entry.span.start as usize];
    let column = indent.len();
    if !indent.trim_start_matches(' ').is_empty() {
        return Span::new(line_start, line_start);
    }
    let mut at = own_start(tree, entry);
    let mut found = Span::new(at, at);
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
    let lines = tree.text().lines().map(str::trim);
    lines.filter(|line| line.starts_with('#')).collect()
}

/// Where an entry's own lines start, its comments included.
fn own_start(tree: &Tree<'_>, entry: &Entry) -> u32 {
    if entry.comments.leading.is_empty() {
        tree.line_start(entry.span.start)
    } else {
        entry.comments.leading.start
    }
}

fn line_above<'s>(tree: &Tree<'s>, at: u32) -> Option<(u32, &'s str)> {
    let before = at.checked_sub(1)?;
    let is_break = matches!(tree.text().as_bytes()[before as usize], b'\n' | b'\r');
    let start = tree.line_start(before);
    is_break.then(|| (start, &tree.text()[start as usize..at as usize]))
}
