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
    known: (usize, usize),
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
            known: (0, base),
            drift: 0,
            slack: 0,
        }
    }

    /// Whether a mark and a byte offset are the same place.
    pub(crate) fn agree(&mut self, index: usize, byte: usize) -> bool {
        let shift = self.workarounds.shift(byte);
        if self.ascii {
            return self.base + index == byte + shift;
        }
        if byte < self.known.1 {
            self.known = (0, self.base);
        }
        let (characters, from) = self.known;
        let Some(between) = self.text.get(from..byte) else {
            return false;
        };
        let expected = characters + between.chars().count();
        self.known = (expected, byte);
        let least = expected + shift + self.drift;
        let agree = (least..=least + self.slack).contains(&index);
        if agree {
            self.drift = index - shift - expected;
            self.slack = 0;
        }
        agree
    }

    /// The parser has read a block scalar.
    pub(crate) fn off_by_up_to(&mut self, block_scalar: &str) {
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
            assert!(marks.agree(index, byte));
        }
    }

    #[test]
    fn agrees_on_places_in_any_order() {
        let mut marks = marks("é: é", 0);
        assert!(marks.agree(3, 4));
        assert!(marks.agree(0, 0));
        assert!(!marks.agree(1, 1), "inside a character");
        assert!(!marks.agree(2, 4));
    }

    #[test]
    fn allows_for_what_the_parser_may_be_off() {
        let mut marks = marks("|\n éé\n: b: c", 0);
        assert!(!marks.agree(9, 10), "off by one before the scalar");
        marks.off_by_up_to("|\n éé");
        assert!(!marks.agree(7, 10), "behind");
        assert!(!marks.agree(11, 10), "off by three");
        assert!(marks.agree(9, 10), "off by one");
        assert!(!marks.agree(11, 11), "and no more than that from here on");
        assert!(marks.agree(10, 11), "off by one still");
    }
}
