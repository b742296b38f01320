//! Edits of a text, collected in any order and applied in one pass.

use std::collections::BTreeMap;

use crate::line_breaks::push;
use crate::yaml::Span;

/// Replacements of ranges of a text that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    edits: BTreeMap<EditPosition, Edit>,
    /// The number of edits so far, including those that were taken out.
    count: u32,
}

/// The position of an edit in the order of application. Insertions at a byte come before the
/// replacement of that byte; insertions at one byte are in the order in which they were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EditPosition {
    start: u32,
    replaces: bool,
    count: u32,
}

#[derive(Debug)]
pub(crate) struct Edit {
    end: u32,
    text: Box<str>,
}

impl Edits {
    /// Replaces a range by `text`.
    pub(crate) fn replace(&mut self, range: impl Into<Span>, text: impl Into<Box<str>>) {
        let (range, text) = (range.into(), text.into());
        if range.is_empty() && text.is_empty() {
            return;
        }
        let position = EditPosition {
            start: range.start,
            replaces: !range.is_empty(),
            count: self.count,
        };
        self.count += 1;
        let end = range.end;
        self.edits.insert(position, Edit { end, text });
    }

    /// Inserts `text` before the byte at `at`, after earlier insertions there.
    pub(crate) fn insert(&mut self, at: u32, text: impl Into<Box<str>>) {
        self.replace(at..at, text);
    }

    /// Deletes a range.
    pub(crate) fn delete(&mut self, range: impl Into<Span>) {
        self.replace(range, "");
    }

    /// Adds the edits of another thread, which come after these.
    pub(crate) fn append(&mut self, other: Self) {
        let first = self.count;
        let later = other.edits.into_iter().map(|(position, edit)| {
            let count = first + position.count;
            (EditPosition { count, ..position }, edit)
        });
        self.edits.extend(later);
        self.count += other.count;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the text of a range with its edits applied, and removes these edits.
    pub(crate) fn take_text(&mut self, text: &str, range: impl Into<Span>) -> String {
        let range = range.into();
        if self.edits.is_empty() {
            return text[range.range()].to_owned();
        }
        apply(self.take(range).into_iter(), text, range)
    }

    /// Removes the edits within a range, and returns them in order.
    pub(crate) fn take(&mut self, range: Span) -> Vec<(EditPosition, Edit)> {
        let before = |start| EditPosition {
            start,
            replaces: false,
            count: 0,
        };
        let within = before(range.start)..before(range.end.max(range.start) + 1);
        let inside = self.edits.range(within);
        let inside = inside.filter(|(_, edit)| edit.end <= range.end);
        let inside: Vec<EditPosition> = inside.map(|(position, _)| *position).collect();
        let taken = inside.iter().filter_map(|it| self.edits.remove_entry(it));
        taken.collect()
    }

    /// Returns the whole text with all edits applied.
    pub(crate) fn apply(self, text: &str) -> String {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        apply(self.edits.into_iter(), text, Span::new(0, end))
    }
}

/// Applies edits to a range of a text, in order.
fn apply(edits: impl Iterator<Item = (EditPosition, Edit)>, text: &str, range: Span) -> String {
    let mut result = String::with_capacity(range.range().len());
    let mut done = range.start;
    for (position, edit) in edits {
        if position.start > done {
            push(&mut result, &text[done as usize..position.start as usize]);
        }
        push(&mut result, &edit.text);
        done = done.max(edit.end);
    }
    push(&mut result, &text[done as usize..range.end as usize]);
    result
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
