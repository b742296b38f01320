//! Documents as text: puts a new body into the text of a document, and handles how a text ends.

use std::borrow::Cow;

use crate::line_breaks::{LineBreaks, ends_line, line_break_of};
use crate::white_space::{WHITE_SPACE, is_white_space};
use crate::yaml::{Document, Span};

/// Returns a document's own text, without what is around it: the text that law 2 is about.
pub(super) fn body<'a>(document: &Document<'a>) -> &'a str {
    &document.text[document.body.range()]
}

/// Returns the range of the body in `text`, which is `old` with another body. `body` is its range
/// in `old`.
pub(super) const fn body_in(text: &str, old: &str, body: Span) -> Span {
    let below = (old.len() as u32).saturating_sub(body.end);
    Span::new(body.start, (text.len() as u32).saturating_sub(below))
}

/// Whether local is the original apart from line breaks: the last one may be missing, and their
/// kinds may differ if neither text mixes kinds.
pub(super) fn is_same_but_line_breaks(original: Option<&str>, local: Option<&str>) -> bool {
    let (Some(original), Some(local)) = (original, local) else {
        return original == local;
    };
    let is_mixed = |text| matches!(LineBreaks::of(text), LineBreaks::Mixed);
    original == local
        || original.lines().eq(local.lines()) && !is_mixed(original) && !is_mixed(local)
}

/// Returns local's document with updated's body.
pub(super) fn with_body(local: &Document<'_>, updated: &Document<'_>) -> String {
    let text = local.text;
    let mut body = Cow::Borrowed(body(updated));
    let (mut before, after) = (
        &text[..local.body.start as usize],
        &text[local.body.end as usize..],
    );
    let marker_end = before.trim_end_matches(['\r', '\n']);
    if marker_end.ends_with("---") {
        // updated's body stays on the line of `---` if it is there, else it starts a new line
        let first_line = body.lines().next().unwrap_or_default();
        let is_on_line = !ends_line(&updated.text[..updated.body.start as usize]);
        if is_on_line && body.starts_with([' ', '\t']) && !is_white_space(first_line) {
            before = marker_end;
        } else if before == marker_end {
            body.to_mut().insert_str(0, line_break_of(text));
        }
    }
    join_parts(before, body, after, line_break_of(text))
}

/// Returns local's document with another body.
pub(super) fn with_merged_body<'b>(
    local: &Document<'_>,
    body: impl Into<Cow<'b, str>>,
) -> Cow<'b, str> {
    let (start, end) = (local.body.start as usize, local.body.end as usize);
    let body = body.into();
    match (&local.text[..start], &local.text[end..]) {
        ("", "") => body,
        (before, after) => join_parts(before, body, after, line_break_of(local.text)).into(),
    }
}

/// Joins a body and what is around it. `after` starts on a new line, and so does a body that does
/// not continue the line of a `---`.
fn join_parts(before: &str, body: Cow<'_, str>, after: &str, line_break: &str) -> String {
    let continues = body.is_empty() || body.starts_with(WHITE_SPACE);
    let start = match before.ends_with("---") && !continues {
        true => line_break,
        false => "",
    };
    let end = match after.is_empty() || body.is_empty() || ends_line(&body) {
        true => "",
        false => line_break,
    };
    format!("{before}{start}{body}{end}{after}")
}

/// Makes a merged text end as local's does, with or without a line break (law 5).
pub(super) fn with_end_of(mut merged: String, local: &str) -> String {
    if ends_line(&merged) && !ends_line(local) {
        merged.truncate(merged.trim_end_matches(['\n', '\r']).len());
    }
    with_line_end_of(merged, local)
}

/// Adds a line break at the end of a merged text if local's has one. It does not remove one that
/// local lacks: that is decided for the file, where another document may follow.
pub(super) fn with_line_end_of(mut merged: String, local: &str) -> String {
    if ends_line(local) && !ends_line(&merged) {
        merged.push_str(line_break_of(local));
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::stream::split;

    #[test]
    fn a_body_without_a_line_break_leaves_the_end_of_the_document_a_line() {
        let local = split("--- # ours\n{}\n...\n");
        let merged = with_merged_body(&local[0], "a: 1\n# The end.");
        assert_eq!(merged, "--- # ours\na: 1\n# The end.\n...\n");
    }
}
