//! Checks an assembled file (law 6): it must have the documents that it was assembled from, and no
//! others.

use crate::line_breaks::{ends_line, line_break_of, with_line_break};
use crate::yaml::stream::split;
use crate::yaml::{Tree, equal_documents};

/// Returns the merged text with a line break at its end, or without one, in two variants, the
/// preferred one first; `None` if a variant is not needed. An added line break comes with the blank
/// lines that upstream has there; without one there are no blank lines.
pub(super) fn with_end(text: &str, ends: bool, updated: Option<&str>) -> [Option<String>; 2] {
    if ends {
        let end = updated.map_or("", |updated| {
            &updated[updated.trim_end_matches(['\r', '\n']).len()..]
        });
        let line_break = line_break_of(text);
        let ends = [with_line_break(end, line_break), line_break.into()];
        let lacks_end = !text.is_empty() && !ends_line(text);
        return ends.map(|end| (lacks_end && !end.is_empty()).then(|| text.to_owned() + &end));
    }
    let without_last = text.strip_suffix('\n');
    let without_last = without_last.map(|text| text.strip_suffix('\r').unwrap_or(text));
    let without_all = without_last.map(|text| text.trim_end_matches(['\r', '\n']));
    [without_all, without_last].map(|text| text.map(str::to_owned))
}

/// Returns true if a text has the documents of these chunks and no others (rules: Laws). If it
/// splits into these very chunks, their values need no comparison.
pub(super) fn is_verified(text: &str, chunks: &[&str]) -> bool {
    let documents = split(text);
    let splits_into_chunks = documents.len() == chunks.len()
        && documents
            .iter()
            .zip(chunks)
            .all(|(document, chunk)| document.text == *chunk);
    splits_into_chunks || holds(text, chunks)
}

/// Returns true if `text` has the documents of these chunks and no others, each with equal values
/// (rules: Laws).
pub(crate) fn holds(text: &str, chunks: &[&str]) -> bool {
    // a chunk may have `---` lines above its document, or below
    let mut expected = chunks.iter().flat_map(|chunk| trees(chunk));
    let is_next = |found: Option<Tree<'_>>| {
        matches!((found, expected.next()), (Some(found), Some(Some(expected)))
            if equal_documents(&found, &expected))
    };
    trees(text).all(is_next) && expected.next().is_none()
}

/// Returns the trees of the documents with content; `None` for one that cannot be parsed.
pub(crate) fn trees(text: &str) -> impl Iterator<Item = Option<Tree<'_>>> {
    let documents = split(text).into_iter();
    let trees = documents.filter_map(|document| Tree::parse(document.text).transpose());
    trees.map(Result::ok)
}
