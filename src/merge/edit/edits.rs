//! Edits of a text, collected in any order and applied in one pass.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::line_breaks::push;

/// Replacements of stretches of a text that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    edits: BTreeMap<Place, Edit>,
    /// How many there were ever.
    count: u32,
}

/// Where an edit comes: what is put in at a byte comes before what replaces it, in the order of its
/// coming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: u32,
    replaces: bool,
    count: u32,
}

impl Place {
    /// The places of all edits that start in a stretch or at its end.
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
    text: String,
}

impl Edits {
    /// Puts `text` in the place of a stretch.
    pub(crate) fn replace(&mut self, range: Range<u32>, text: impl Into<String>) {
        let text = text.into();
        if range.is_empty() && text.is_empty() {
            return;
        }
        let place = Place {
            start: range.start,
            replaces: !range.is_empty(),
            count: self.count,
        };
        self.count += 1;
        let end = range.end;
        self.edits.insert(place, Edit { end, text });
    }

    /// Puts `text` before the byte at `at`, after what was put there earlier.
    pub(crate) fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Takes a stretch away.
    pub(crate) fn delete(&mut self, range: Range<u32>) {
        self.replace(range, String::new());
    }

    /// Takes over the edits of another collection.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (place, edit) in other.edits {
            self.replace(place.start..edit.end, edit.text);
        }
    }

    /// The text of a stretch with its edits applied; they count as done.
    pub(crate) fn take_text(&mut self, text: &str, range: Range<u32>) -> String {
        let inside: Vec<Place> = self
            .edits
            .range(Place::within(&range))
            .filter(|(_, edit)| edit.end <= range.end)
            .map(|(place, _)| *place)
            .collect();
        if inside.is_empty() {
            return text[range.start as usize..range.end as usize].to_owned();
        }
        let taken = inside.into_iter();
        let taken = taken.filter_map(|place| self.edits.remove_entry(&place));
        apply(taken, text, range, 0)
    }

    /// The whole text with all edits applied.
    pub(crate) fn apply(self, text: &str) -> String {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let comes = self.edits.values().map(|edit| edit.text.len()).sum();
        apply(self.edits.into_iter(), text, 0..end, comes)
    }
}

/// Applies edits, in their order, to a stretch of a text, in which about so many bytes come.
fn apply(
    edits: impl Iterator<Item = (Place, Edit)>,
    text: &str,
    range: Range<u32>,
    comes: usize,
) -> String {
    let mut result = String::with_capacity(range.len() + comes);
    let mut done = range.start;
    for (place, edit) in edits {
        if place.start > done {
            push(&mut result, &text[done as usize..place.start as usize]);
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
    fn a_stretch_can_be_taken_with_its_edits() {
        let mut edits = Edits::default();
        edits.replace(1..2, "B");
        edits.replace(5..6, "F");
        assert_eq!(edits.take_text("abcdefg", 0..3), "aBc");
        assert_eq!(edits.apply("abcdefg"), "abcdeFg");
    }
}
