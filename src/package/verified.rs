//! The check of an assembled file (law 6): it has the documents that it was assembled from, and no
//! others.

use crate::line_breaks::{ends_line, line_break_of, with_line_break};
use crate::yaml::stream::split;
use crate::yaml::{Tree, equal_documents};

/// The merged text with a line break at its end or without, what is best first. A line break that
/// comes, comes with the blank lines that upstream has there; without one there are none.
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

/// Whether a text holds these documents and no others (rules: Laws). Where it is cut into these
/// very texts, that is plain.
pub(super) fn is_verified(text: &str, chunks: &[&str]) -> bool {
    let documents = split(text);
    let same = documents.len() == chunks.len()
        && documents
            .iter()
            .zip(chunks)
            .all(|(document, chunk)| document.text == *chunk);
    same || holds(text, chunks)
}

/// Whether `text` holds the documents of these chunks and no others, each with its values (rules:
/// Laws): what is read from the assembled file is what was put into it.
pub(crate) fn holds(text: &str, chunks: &[&str]) -> bool {
    // a chunk may have `---` lines above its document, or below
    let mut wanted = chunks.iter().flat_map(|chunk| trees(chunk));
    let is_next = |found: Option<Tree<'_>>| {
        matches!((found, wanted.next()), (Some(found), Some(Some(wanted)))
            if equal_documents(&found, &wanted))
    };
    trees(text).all(is_next) && wanted.next().is_none()
}

/// The documents of a text that have content; `None` in the place of one that cannot be read.
pub(crate) fn trees(text: &str) -> impl Iterator<Item = Option<Tree<'_>>> {
    let documents = split(text).into_iter();
    let trees = documents.filter_map(|document| Tree::parse(document.text).transpose());
    trees.map(Result::ok)
}
