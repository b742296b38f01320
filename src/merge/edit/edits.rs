//! Edits of a text, collected in any order and applied in one pass.

use crate::line_breaks::push;
use crate::yaml::Span;

/// Replacements of ranges of a text that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    /// The edits in the order of application. There can be one for each line, so they share one
    /// buffer for their texts. Most come in this order.
    edits: Vec<Edit>,
    texts: String,
    /// The bytes of `texts` that are no longer needed.
    unused: usize,
    /// The number of edits so far, including those that were taken out.
    count: u32,
}

/// An edit. Insertions at a byte come before the replacement of that byte; insertions at one byte
/// are in the order in which they were added.
#[derive(Debug, Clone, Copy)]
struct Edit {
    range: Span,
    count: u32,
    /// Its text in the buffer.
    text: Span,
}

impl Edit {
    const fn position(&self) -> (u32, bool, u32) {
        (self.range.start, !self.range.is_empty(), self.count)
    }
}

impl Edits {
    /// Replaces a range by `text`.
    pub(crate) fn replace(&mut self, range: impl Into<Span>, text: impl AsRef<str>) {
        let (range, text) = (range.into(), text.as_ref());
        if range.is_empty() && text.is_empty() {
            return;
        }
        let start = self.texts.len() as u32;
        self.texts.push_str(text);
        let edit = Edit {
            range,
            count: self.count,
            text: Span::new(start, self.texts.len() as u32),
        };
        self.count += 1;
        let is_above = |other: &Edit| other.position() < edit.position();
        let at = match self.edits.last() {
            Some(last) if !is_above(last) => self.edits.partition_point(is_above),
            _ => self.edits.len(),
        };
        self.edits.insert(at, edit);
    }

    /// Inserts `text` before the byte at `at`, after earlier insertions there.
    pub(crate) fn insert(&mut self, at: u32, text: impl AsRef<str>) {
        self.replace(at..at, text);
    }

    /// Deletes a range.
    pub(crate) fn delete(&mut self, range: impl Into<Span>) {
        self.replace(range, "");
    }

    /// Adds the edits of another thread, which come after these.
    pub(crate) fn append(&mut self, other: Self) {
        for edit in &other.edits {
            self.replace(edit.range, other.text_of(edit));
        }
    }

    /// Whether an edit that starts at `start` or below replaces the bytes before and after `at`.
    pub(crate) fn replaces_around(&self, start: u32, at: u32) -> bool {
        let before = &self.edits[..self.edits.partition_point(|edit| edit.range.start < at)];
        let mut near = before
            .iter()
            .rev()
            .take_while(|edit| edit.range.start >= start);
        near.any(|edit| edit.range.end > at)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the text of a range with its edits applied, and removes these edits.
    pub(crate) fn take_text(&mut self, text: &str, range: impl Into<Span>) -> String {
        let range = range.into();
        let taken = self.removed(range);
        if taken.is_empty() {
            return text[range.range()].to_owned();
        }
        let applied = self.applied(&taken, text, range);
        self.forget(&taken);
        applied
    }

    /// Removes the edits within a range.
    pub(crate) fn drop_within(&mut self, range: Span) {
        let taken = self.removed(range);
        self.forget(&taken);
    }

    /// Returns the whole text with all edits applied.
    pub(crate) fn apply(self, text: &str) -> String {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.applied(&self.edits, text, Span::new(0, end))
    }

    /// Removes the edits within a range, and returns them in order.
    fn removed(&mut self, range: Span) -> Vec<Edit> {
        let start = |at| self.edits.partition_point(|edit| edit.range.start < at);
        let within = start(range.start)..start(range.end.max(range.start) + 1);
        let is_inside = |edit: &mut Edit| edit.range.end <= range.end;
        self.edits.extract_if(within, is_inside).collect()
    }

    /// Frees the texts of removed edits, if most of the buffer is unused.
    fn forget(&mut self, removed: &[Edit]) {
        let lengths = removed.iter().map(|edit| edit.text.range().len());
        self.unused += lengths.sum::<usize>();
        if self.unused <= self.texts.len() / 2 {
            return;
        }
        let old = std::mem::take(&mut self.texts);
        for edit in &mut self.edits {
            let start = self.texts.len() as u32;
            self.texts.push_str(&old[edit.text.range()]);
            edit.text = Span::new(start, self.texts.len() as u32);
        }
        self.unused = 0;
    }

    fn text_of(&self, edit: &Edit) -> &str {
        &self.texts[edit.text.range()]
    }

    /// Applies edits to a range of a text, in order.
    fn applied(&self, edits: &[Edit], text: &str, range: Span) -> String {
        let mut result = String::with_capacity(range.range().len());
        let mut done = range.start;
        for edit in edits {
            if edit.range.start > done {
                push(&mut result, &text[done as usize..edit.range.start as usize]);
            }
            push(&mut result, self.text_of(edit));
            done = done.max(edit.range.end);
        }
        push(&mut result, &text[done as usize..range.end as usize]);
        result
    }
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
