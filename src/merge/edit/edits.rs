//! Edits of a text, collected in any order and applied in one pass.

use std::ops::Range;

/// Replacements of stretches of a text that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    edits: Vec<Edit>,
}

#[derive(Debug)]
struct Edit {
    range: Range<u32>,
    text: String,
}

impl Edits {
    /// Puts `text` in the place of a stretch.
    pub(crate) fn replace(&mut self, range: Range<u32>, text: impl Into<String>) {
        let text = text.into();
        if !(range.is_empty() && text.is_empty()) {
            self.edits.push(Edit { range, text });
        }
    }

    /// Puts `text` before the byte at `at`, after what was put there earlier.
    pub(crate) fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Takes a stretch away.
    pub(crate) fn delete(&mut self, range: Range<u32>) {
        self.replace(range, String::new());
    }

    /// Whether an edit changes a part of a stretch.
    pub(crate) fn touch(&self, range: Range<u32>) -> bool {
        self.edits.iter().any(|edit| {
            edit.range.start < range.end && range.start < edit.range.end
                || edit.range.is_empty()
                    && range.start < edit.range.start
                    && edit.range.start <= range.end
        })
    }

    /// Whether an edit replaces all of a stretch.
    pub(crate) fn cover(&self, range: Range<u32>) -> bool {
        self.edits
            .iter()
            .any(|edit| edit.range.start <= range.start && range.end <= edit.range.end)
    }

    /// Takes over the edits of another collection.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.edits.extend(other.edits);
    }

    /// The text of a stretch with its edits applied; they count as done.
    pub(crate) fn take_text(&mut self, text: &str, range: Range<u32>) -> String {
        let inside = |edit: &Edit| edit.range.start >= range.start && edit.range.end <= range.end;
        let (taken, left) = std::mem::take(&mut self.edits)
            .into_iter()
            .partition(inside);
        self.edits = left;
        apply(taken, text, range)
    }

    /// The whole text with all edits applied.
    pub(crate) fn apply(self, text: &str) -> String {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        apply(self.edits, text, 0..end)
    }
}

/// Applies edits to a stretch of a text. What is inserted at a byte comes before what replaces it.
fn apply(mut edits: Vec<Edit>, text: &str, range: Range<u32>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty()));
    let mut result = String::with_capacity(
        range.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>(),
    );
    let mut done = range.start;
    for edit in edits {
        if edit.range.start > done {
            result.push_str(&text[done as usize..edit.range.start as usize]);
        }
        result.push_str(&edit.text);
        done = done.max(edit.range.end);
    }
    result.push_str(&text[done as usize..range.end as usize]);
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
    fn a_stretch_can_be_taken_with_its_edits() {
        let mut edits = Edits::default();
        edits.replace(1..2, "B");
        edits.replace(5..6, "F");
        assert_eq!(edits.take_text("abcdefg", 0..3), "aBc");
        assert_eq!(edits.apply("abcdefg"), "abcdeFg");
    }
}
