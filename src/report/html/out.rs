//! Writes HTML. Markup must be a string constant of the program; all other text is escaped, because
//! the interface accepts it in no other way. Lines of YAML and JSON get colours.

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

    /// Writes a line with elements around its key, value and comment. A line that is part of a
    /// block scalar may get wrong colours, because the lines around it are not known; the text is
    /// always right.
    pub(super) fn yaml(&mut self, line: &str) {
        let body = line.trim_start_matches([' ', '\t', '-']);
        // a dash without a space after it is part of a key or value
        let body = match line[..line.len() - body.len()].ends_with('-') && !body.is_empty() {
            true => line.trim_start_matches([' ', '\t']),
            false => body,
        };
        self.text(&line[..line.len() - body.len()]);
        let (body, comment) = body.split_at(comment_start(body));
        let key_len = key_len(body);
        if key_len > 0 {
            self.raw("<span class=\"k\">")
                .text(&body[..key_len])
                .raw("</span>");
        }
        let value = &body[key_len..];
        let colon_len = value.len() - value.trim_start_matches([':', ' ']).len();
        let (colon, value) = value.split_at(if key_len > 0 { colon_len } else { 0 });
        self.text(colon);
        let core = value.trim_end_matches([' ', ',', '\r']);
        match start_tag(core) {
            Some(tag) => drop(self.raw(tag).text(core).raw("</span>")),
            None => drop(self.text(core)),
        }
        self.text(&value[core.len()..]);
        if !comment.is_empty() {
            self.raw("<span class=\"c\">").text(comment).raw("</span>");
        }
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Returns the offset of a line's comment, or the length of the line if it has none.
fn comment_start(line: &str) -> usize {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before == ' ' || before == '\t' => return at,
            (None, '"' | '\'') if " \t[{,:".contains(before) => quote = Some(c),
            (Some(open), c) if open == c && before != '\\' => quote = None,
            _ => {}
        }
        before = c;
    }
    line.len()
}

/// Returns the length of the key at the start of a line; 0 if there is none.
fn key_len(line: &str) -> usize {
    let quote = line.chars().next().filter(|c| "\"'".contains(*c));
    let end = match quote {
        Some(quote) => line[1..].find(quote).map(|at| at + 2),
        None => line
            .match_indices(':')
            .map(|(at, _)| at)
            .find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t'])),
    };
    let end = end.unwrap_or(0);
    let is_key = end > 0 && line[end..].starts_with(':') && !line[..end].contains(['{', '[']);
    if is_key { end } else { 0 }
}

/// Returns the start tag for a value; `None` for values without a colour.
fn start_tag(value: &str) -> Option<&'static str> {
    let is_number = value.parse::<f64>().is_ok();
    match value {
        "" => None,
        "true" | "false" | "null" | "~" => Some("<span class=\"n\">"),
        _ if is_number => Some("<span class=\"n\">"),
        _ if value.starts_with(['"', '\'']) => Some("<span class=\"s\">"),
        _ => None,
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

    #[test]
    fn a_line_keeps_its_text_and_gets_colours() {
        let written = |line: &str| {
            let mut out = Out::default();
            out.yaml(line);
            let text = out.finish();
            text.replace("<span class=\"", "<")
                .replace("\">", ">")
                .replace("</span>", "</>")
        };
        assert_eq!(written("  - name: a # b"), "  - <k>name</>: a <c># b</>");
        assert_eq!(written("\"a:b\": 1,"), "<k>&quot;a:b&quot;</>: <n>1</>,");
        assert_eq!(written("-x: '#1'"), "<k>-x</>: <s>&#39;#1&#39;</>");
        assert_eq!(written("---"), "---");
        assert_eq!(written("- --flag=a:b"), "- --flag=a:b");
        assert_eq!(written("{a: 1}"), "{a: 1}");
        assert_eq!(written("größe: \"ü"), "<k>größe</>: <s>&quot;ü</>");
        assert_eq!(written("'"), "<s>&#39;</>");
    }
}
