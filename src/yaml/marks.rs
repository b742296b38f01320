//! The parser counts characters; everything else here counts bytes.

/// The parser's character indexes and the byte offsets of one text.
///
/// Asked in ascending order it goes over the text once.
///
/// Where a block scalar holds characters of more than one byte, the parser counts some of those by their bytes, and is
/// off from there on by up to as many as there are such bytes: [`Marks::off_by_up_to`].
#[derive(Debug)]
pub(crate) struct Marks<'s> {
    text: &'s str,
    base: usize,
    ascii: bool,
    /// A place in characters and in bytes.
    known: (usize, usize),
    drift: usize,
    slack: usize,
}

impl<'s> Marks<'s> {
    /// For a parser that reads `text` from byte `base` on.
    pub(crate) fn new(text: &'s str, base: usize) -> Self {
        Self {
            text,
            base,
            ascii: text[base..].is_ascii(),
            known: (0, base),
            drift: 0,
            slack: 0,
        }
    }

    /// Whether a mark and a byte offset are the same place.
    pub(crate) fn agree(&mut self, index: usize, byte: usize) -> bool {
        if self.ascii {
            return self.base + index == byte;
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
        let least = expected + self.drift;
        let agree = (least..=least + self.slack).contains(&index);
        if agree {
            self.drift = index - expected;
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

    /// About the byte offset of a mark; the text's end for any beyond.
    pub(crate) fn byte(&self, index: usize) -> usize {
        if self.ascii {
            return (self.base + index).min(self.text.len());
        }
        let index = index.saturating_sub(self.drift);
        let (characters, from) = match self.known {
            known if known.0 <= index => known,
            _ => (0, self.base),
        };
        self.text[from..]
            .char_indices()
            .nth(index - characters)
            .map_or(self.text.len(), |(offset, _)| from + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_characters_past_the_byte_order_mark() {
        let text = "\u{feff}aé✓b";
        let marks = Marks::new(text, 3);
        let bytes = [0, 1, 2, 3, 4, 9].map(|index| marks.byte(index));
        assert_eq!(bytes, [3, 4, 6, 9, 10, 10]);
    }

    #[test]
    fn agrees_on_places_in_any_order() {
        let mut marks = Marks::new("é: é", 0);
        assert!(marks.agree(3, 4));
        assert!(marks.agree(0, 0));
        assert!(!marks.agree(1, 1), "inside a character");
        assert!(!marks.agree(2, 4));
    }

    #[test]
    fn allows_for_what_the_parser_may_be_off() {
        let mut marks = Marks::new("|\n éé\n: b: c", 0);
        assert!(!marks.agree(9, 10), "off by one before the scalar");
        marks.off_by_up_to("|\n éé");
        assert!(!marks.agree(7, 10), "behind");
        assert!(!marks.agree(11, 10), "off by three");
        assert!(marks.agree(9, 10), "off by one");
        assert!(!marks.agree(11, 11), "and no more than that from here on");
        assert!(marks.agree(10, 11), "off by one still");
        assert_eq!(marks.byte(10), 11);
    }
}
