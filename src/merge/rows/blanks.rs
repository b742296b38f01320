//! Merges the number of the blank lines above a piece (rules: Text).

use crate::line_breaks::lines;
use crate::triple::{Side, Triple};
use crate::yaml::stream::count_lines;

/// The blank lines above a piece of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlanksAbove<'t> {
    /// The position of the piece in its row.
    pub(crate) at: usize,
    pub(crate) lines: &'t str,
}

impl BlanksAbove<'_> {
    /// Whether updated removed everything above a piece, so that it is the first one of its row.
    /// The first piece of a row has no blank lines, which is no change of their number.
    pub(super) fn became_first(original: Self, updated: Self) -> bool {
        updated.at == 0 && original.at > 0 && count_lines(updated.lines) == 0
    }
}

/// Returns the side whose blank lines are the result of a three-way merge. Where both sides changed
/// their number, it is the side with the larger one.
pub(crate) fn side_of_blanks(sides: &Triple<BlanksAbove<'_>>) -> Side {
    let texts = sides.map(|blanks| blanks.lines);
    let counts = texts.map(count_lines);
    let is_updated = match counts.updated == counts.original {
        // only the white space in them may differ
        true => texts.updated != texts.original && lines(texts.original).eq(lines(texts.local)),
        false => counts.local == counts.original || counts.local < counts.updated,
    };
    if is_updated && !BlanksAbove::became_first(sides.original, sides.updated) {
        Side::Updated
    } else {
        Side::Local
    }
}
