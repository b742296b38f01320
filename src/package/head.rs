//! What stands above a document's content: the comments at the head of its file, directives, and the `---`.

use crate::line_breaks::with_line_break;
use crate::yaml::Document;

/// A document's chunk as it goes into another file: without the comments at the head of its file that a blank line sets
/// off (they belong to that file), and with the other file's line breaks.
pub(crate) fn portable(document: &Document<'_>, text: &str, line_break: &str) -> String {
    let first = document.start == 0;
    let head = if first && !has_marker(document) {
        head_left(document, text)
    } else if first {
        text.len() - text.trim_start_matches('\u{feff}').len()
    } else {
        0
    };
    with_line_break(&text[head..], line_break).into_owned()
}

/// A document whose body begins below what [`portable`] leaves behind.
pub(crate) fn without_head<'a>(document: &Document<'a>) -> Document<'a> {
    let mut without = *document;
    if document.start == 0 && !has_marker(document) {
        let head = head_length(document, document.text);
        without.body.start = u32::try_from(head).unwrap_or(document.body.start);
    }
    without
}

/// Whether a document has a `---` line.
pub(super) fn has_marker(document: &Document<'_>) -> bool {
    marker(document.text).is_some()
}

/// Where the `---` of a chunk stands: before it there are comments, directives and blank lines only.
pub(super) fn marker(text: &str) -> Option<usize> {
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    for line in text[at..].split_inclusive('\n') {
        let words = line.trim_end();
        if words == "---" || words.starts_with("--- ") || words.starts_with("---\t") {
            return Some(at);
        }
        if !(words.is_empty() || words.trim_start().starts_with('#') || words.starts_with('%')) {
            return None;
        }
        at += line.len();
    }
    None
}

/// How long the head of the file is in what became of its first document. Below one that stayed as it was, a comment is the document's,
/// though a blank line sets it off.
pub(super) fn head_left(document: &Document<'_>, text: &str) -> usize {
    let head = &document.text[..head_length(document, document.text)];
    match text.starts_with(head) {
        true => head.len(),
        false => head_length(document, text),
    }
}

/// How long the head of a file is: a byte order mark, and the comments before the first document's content that a blank
/// line sets off; with the `---` above them, if they have one above.
fn head_length(document: &Document<'_>, text: &str) -> usize {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let start = match marker(text) {
        Some(_) => document.body.start as usize,
        None => mark,
    };
    let Some(body) = text.get(start..) else {
        return mark;
    };
    let mut at = start;
    let mut end = mark;
    let mut commented = false;
    for line in body.split_inclusive('\n') {
        let words = line.trim();
        at += line.len();
        if words.starts_with('#') {
            commented = true;
        } else if !words.is_empty() {
            break;
        } else if commented {
            end = at;
        }
    }
    end
}

/// A chunk without its `---` line, where it can do without.
pub(super) fn without_marker(text: &str) -> Option<String> {
    let at = marker(text)?;
    let above = &text[..at];
    let line = text[at..].split_inclusive('\n').next()?;
    if line.trim_end() != "---" || above.lines().any(|line| line.starts_with('%')) {
        return None;
    }
    Some(format!("{above}{}", &text[at + line.len()..]))
}

/// Whether a chunk has directives above its `---`.
pub(super) fn has_directives(text: &str) -> bool {
    marker(text).is_some_and(|at| text[..at].lines().any(|line| line.starts_with('%')))
}
