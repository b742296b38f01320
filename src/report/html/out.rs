//! A page that is being written. Its markup is in the program's own text: whatever else goes in is
//! escaped, because there is no other way in.

use crate::visible::{visible, visible_lines};

/// HTML.
#[derive(Debug, Default)]
pub(super) struct Out(String);

impl Out {
    /// Adds markup, of the program's own.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds a text of several lines. What a reader would not see in it is written out.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.escaped(&visible_lines(text))
    }

    /// Adds markup with a text in the place of each `{}`: on one line, right for content and for an
    /// attribute in quotes.
    pub(super) fn fill<const N: usize>(
        &mut self,
        markup: &'static str,
        texts: [&str; N],
    ) -> &mut Self {
        let mut pieces = markup.split("{}");
        self.raw(pieces.next().unwrap_or_default());
        for (text, piece) in texts.into_iter().zip(pieces) {
            self.escaped(&visible(text)).raw(piece);
        }
        self
    }

    fn escaped(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        let mut out = Out::default();
        out.fill("<p title=\"{}\">", ["\"><script>\n'&\u{202e}\u{1b}[2J"])
            .text("\n<\u{9b}");
        assert_eq!(
            out.finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;\\n&#39;&amp;\\u{202e}\\u{1b}[2J\">\n&lt;\\u{9b}"
        );
    }
}
