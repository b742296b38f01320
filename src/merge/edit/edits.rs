//! Edits of a text, collected in any order and applied in one pass.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::line_breaks::push;
use crate::yaml::Span;

/// Replacements of ranges of a text that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    edits: BTreeMap<EditPosition, Edit>,
    /// The new texts of all edits in one string, because most are short.
    texts: String,
    /// The number of edits so far, including those that were taken out.
    count: u32,
}

/// The position of an edit in the order of application. Insertions at a byte come before the
/// replacement of that byte; insertions at one byte are in the order in which they were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EditPosition {
    start: u32,
    replaces: bool,
    count: u32,
}

impl EditPosition {
    /// Returns the places of all edits that start in a range or at its end.
    fn within(range: &Range<u32>) -> Range<Self> {
        let before = |start| Self {
            start,
            replaces: false,
            count: 0,
        };
        before(range.start)..before(range.end.max(range.start).saturating_add(1))
    }
}

#[derive(Debug)]
struct Edit {
    end: u32,
    /// The span of its new text in [`Edits::texts`].
    text: Span,
}

impl Edits {
    /// Replaces a range by `text`.
    pub(crate) fn replace(&mut self, range: Range<u32>, text: impl AsRef<str>) {
        let text = text.as_ref();
        if range.is_empty() && text.is_empty() {
            return;
        }
        let position = EditPosition {
            start: range.start,
            replaces: !range.is_empty(),
            count: self.count,
        };
        self.count += 1;
        let start = self.texts.len();
        self.texts.push_str(text);
        let edit = Edit {
            end: range.end,
            text: span(start, self.texts.len()),
        };
        self.edits.insert(position, edit);
    }

    /// Inserts `text` before the byte at `at`, after earlier insertions there.
    pub(crate) fn insert(&mut self, at: u32, text: impl AsRef<str>) {
        self.replace(at..at, text);
    }

    /// Deletes a range.
    pub(crate) fn delete(&mut self, range: Range<u32>) {
        self.replace(range, "");
    }

    /// Adds the edits of another collection.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (position, edit) in other.edits {
            let text = other.texts.get(edit.text.range());
            self.replace(position.start..edit.end, text.unwrap_or_default());
        }
    }

    /// Returns the text of a range with its edits applied, and removes these edits.
    pub(crate) fn take_text(&mut self, text: &str, range: Range<u32>) -> String {
        let inside: Vec<EditPosition> = self
            .edits
            .range(EditPosition::within(&range))
            .filter(|(_, edit)| edit.end <= range.end)
            .map(|(position, _)| *position)
            .collect();
        if inside.is_empty() {
            return text[range.start as usize..range.end as usize].to_owned();
        }
        let taken = inside.into_iter();
        let taken = taken.filter_map(|position| self.edits.remove_entry(&position));
        let taken: Vec<(EditPosition, Edit)> = taken.collect();
        let texts = taken.iter().map(|(_, edit)| edit.text);
        let first = texts.clone().map(|text| text.start as usize).min();
        let count: usize = texts.map(|text| text.range().len()).sum();
        let result = apply(taken.into_iter(), &self.texts, text, range, 0);
        // these are mostly the last edits: free their texts, which would add up at each depth
        if let Some(first) = first.filter(|first| first + count == self.texts.len()) {
            self.texts.truncate(first);
        }
        result
    }

    /// Returns the whole text with all edits applied.
    pub(crate) fn apply(self, text: &str) -> String {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        apply(
            self.edits.into_iter(),
            &self.texts,
            text,
            0..end,
            self.texts.len(),
        )
    }
}

/// Applies edits to a range of a text, in order. `new_bytes` is the expected number of new bytes.
fn apply(
    edits: impl Iterator<Item = (EditPosition, Edit)>,
    texts: &str,
    text: &str,
    range: Range<u32>,
    new_bytes: usize,
) -> String {
    let mut result = String::with_capacity(range.len() + new_bytes);
    let mut done = range.start;
    for (position, edit) in edits {
        if position.start > done {
            push(&mut result, &text[done as usize..position.start as usize]);
        }
        push(
            &mut result,
            texts.get(edit.text.range()).unwrap_or_default(),
        );
        done = done.max(edit.end);
    }
    push(&mut result, &text[done as usize..range.end as usize]);
    result
}

/// Returns a span of the texts, which are not longer than the largest document.
fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_the_order_of_the_text() {
        let mut edits = Edits::default();
        edits.delete(4..6);
        edits.insert(4, "x");
        edits.replace(0..1, "A");
        edits.insert(4, "y");
        assert_eq!(edits.apply("abcdefg"), "Abcdxyg");
    }

    #[test]
    fn a_range_can_be_taken_with_its_edits() {
        let mut edits = Edits::default();
        edits.replace(1..2, "B");
        edits.replace(5..6, "F");
        assert_eq!(edits.take_text("abcdefg", 0..3), "aBc");
        assert_eq!(edits.apply("abcdefg"), "abcdeFg");
    }
}
