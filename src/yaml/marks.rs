//! The parser counts characters; everything else here counts bytes.

/// Turns the parser's character indexes into byte offsets of one text.
///
/// Asked in ascending order it goes over the text once.
#[derive(Debug)]
pub(crate) struct Marks<'s> {
    text: &'s str,
    base: usize,
    ascii: bool,
    known: (usize, usize),
}

impl<'s> Marks<'s> {
    /// For a parser that reads `text` from byte `base` on.
    pub(crate) fn new(text: &'s str, base: usize) -> Self {
        Self {
            text,
            base,
            ascii: text[base..].is_ascii(),
            known: (0, base),
        }
    }

    /// The byte offset of the character with this index; the text's end for any beyond.
    pub(crate) fn byte(&mut self, index: usize) -> usize {
        if self.ascii {
            return (self.base + index).min(self.text.len());
        }
        if index < self.known.0 {
            self.known = (0, self.base);
        }
        let (from, at) = self.known;
        let byte = self.text[at..]
            .char_indices()
            .nth(index - from)
            .map_or(self.text.len(), |(offset, _)| at + offset);
        if byte < self.text.len() {
            self.known = (index, byte);
        }
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_characters_past_the_byte_order_mark() {
        let text = "\u{feff}aé✓b";
        let mut marks = Marks::new(text, 3);
        let bytes: Vec<usize> = [0, 1, 2, 3, 4, 9, 1].map(|index| marks.byte(index)).into();
        assert_eq!(bytes, [3, 4, 6, 9, 10, 10, 4]);
    }
}
