//! Writes HTML. Markup must be a string constant of the program; all other text is escaped, because
//! the interface accepts it in no other way.

use crate::visible::{replaced, visible, visible_lines};

/// HTML that is being written.
#[derive(Debug, Default)]
pub(super) struct Out(String);

impl Out {
    /// Adds markup.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds a text of one or more lines, escaped. Control and invisible characters are written out.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.escaped(&visible_lines(text))
    }

    /// Adds markup with a text in the place of each `{}`. The texts are escaped and put on one
    /// line, so they are safe as content and in quoted attributes.
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
        self.0 += &replaced(text, |_, c| match c {
            '&' => Some("&amp;"),
            '<' => Some("&lt;"),
            '>' => Some("&gt;"),
            '"' => Some("&quot;"),
            '\'' => Some("&#39;"),
            _ => None,
        });
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
