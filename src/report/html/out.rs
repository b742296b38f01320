//! A page that is being written. Its markup is in the program's own text: whatever else goes in is
//! escaped, because there is no other way in.

use crate::visible::visible_lines;

/// HTML.
#[derive(Debug, Default)]
pub(super) struct Out(String);

impl Out {
    /// Adds markup, of the program's own.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds a text, right for content and for an attribute in quotes. What a reader would not see
    /// in it is written out.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in visible_lines(text).chars() {
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

    /// Adds a text between markup.
    pub(super) fn within(
        &mut self,
        open: &'static str,
        text: &str,
        close: &'static str,
    ) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        self.0.push_str(&number.to_string());
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
        out.within("<p title=\"", "\"><script>'&\u{202e}\u{1b}[2J", "\">");
        assert_eq!(
            out.finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\\u{202e}\\u{1b}[2J\">"
        );
    }
}
