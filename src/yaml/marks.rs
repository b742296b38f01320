//! The parser counts characters; everything else here counts bytes.

use super::workarounds::Workarounds;

/// The parser's character indexes and the byte offsets of one text.
///
/// Asked in ascending order it goes over the text once.
///
/// Where a block scalar holds characters of more than one byte, the parser counts some of those by
/// their bytes, and is off from there on by up to as many as there are such bytes:
/// [`Marks::off_by_up_to`].
#[derive(Debug)]
pub(crate) struct Marks<'s, 'p> {
    text: &'s str,
    base: usize,
    workarounds: &'p Workarounds,
    ascii: bool,
    /// A place in characters and in bytes.
    last: (usize, usize),
    drift: usize,
    slack: usize,
}

impl<'s, 'p> Marks<'s, 'p> {
    /// For a parser that reads `text` from byte `base` on, with what is worked around.
    pub(crate) fn new(text: &'s str, base: usize, workarounds: &'p Workarounds) -> Self {
        Self {
            text,
            base,
            workarounds,
            ascii: text[base..].is_ascii(),
            last: (0, base),
            drift: 0,
            slack: 0,
        }
    }

    /// Whether a mark and a byte offset are the same place.
    pub(crate) fn matches(&mut self, index: usize, byte: usize) -> bool {
        let shift = self.workarounds.shift(byte);
        if self.ascii {
            return self.base + index == byte + shift;
        }
        if byte < self.last.1 {
            self.last = (0, self.base);
        }
        let (characters, from) = self.last;
        let Some(between) = self.text.get(from..byte) else {
            return false;
        };
        let expected = characters + between.chars().count();
        self.last = (expected, byte);
        let lowest = expected + shift + self.drift;
        let matches = (lowest..=lowest + self.slack).contains(&index);
        if matches {
            self.drift = index - shift - expected;
            self.slack = 0;
        }
        matches
    }

    /// The parser has read a block scalar.
    pub(crate) fn allow_drift(&mut self, block_scalar: &str) {
        if !self.ascii {
            self.slack += block_scalar.len() - block_scalar.chars().count();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &'static str, base: usize) -> Marks<'static, 'static> {
        static NONE: Workarounds = Workarounds::none();
        Marks::new(text, base, &NONE)
    }

    #[test]
    fn counts_characters_past_the_byte_order_mark() {
        let mut marks = marks("\u{feff}aé✓b", 3);
        for (index, byte) in [3, 4, 6, 9].into_iter().enumerate() {
            assert!(marks.matches(index, byte));
        }
    }

    #[test]
    fn agrees_on_places_in_any_order() {
        let mut marks = marks("é: é", 0);
        assert!(marks.matches(3, 4));
        assert!(marks.matches(0, 0));
        assert!(!marks.matches(1, 1), "inside a character");
        assert!(!marks.matches(2, 4));
    }

    #[test]
    fn allows_for_what_the_parser_may_be_off() {
        let mut marks = marks("|\n éé\n: b: c", 0);
        assert!(!marks.matches(9, 10), "off by one before the scalar");
        marks.allow_drift("|\n éé");
        assert!(!marks.matches(7, 10), "behind");
        assert!(!marks.matches(11, 10), "off by three");
        assert!(marks.matches(9, 10), "off by one");
        assert!(!marks.matches(11, 11), "and no more than that from here on");
        assert!(marks.matches(10, 11), "off by one still");
    }
}
