//! Compares the parser's positions, which count characters, with byte offsets.

use super::workarounds::Workarounds;

/// Compares the character indexes of the parser with byte offsets of a text.
///
/// It reads the text once if the offsets ascend.
///
/// If a block scalar has multibyte characters, the parser counts some of them by their bytes. From
/// there on, its indexes can be too high by up to the number of such extra bytes: see
/// [`Marks::allow_drift`].
#[derive(Debug)]
pub(crate) struct Marks<'s, 'p> {
    text: &'s str,
    base: usize,
    workarounds: &'p Workarounds,
    ascii: bool,
    /// The last compared position, in characters and in bytes.
    last: (usize, usize),
    /// The difference between the parser's indexes and the real ones at that position.
    drift: usize,
    /// The maximum by which the drift may have grown since then.
    slack: usize,
}

impl<'s, 'p> Marks<'s, 'p> {
    /// Returns the marks of a parser that reads `text` from byte `base`.
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

    /// Whether a character index and a byte offset are the same position.
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

    /// Allows for the drift of the parser after a block scalar.
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
    fn compares_positions_in_any_order() {
        let mut marks = marks("é: é", 0);
        assert!(marks.matches(3, 4));
        assert!(marks.matches(0, 0));
        assert!(!marks.matches(1, 1), "inside a character");
        assert!(!marks.matches(2, 4));
    }

    #[test]
    fn allows_for_the_drift_of_the_parser() {
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
