//! Changes the text for the parser where it rejects valid YAML.
//!
//! The parser rejects some texts that other readers accept: a closing bracket in the column of its
//! key (after a quoted element), a line of a quoted scalar that is not indented, a comment directly
//! after a comma, and a tab after a colon. It gets these texts with more spaces, at positions where
//! white space has no meaning. The tree has the offsets of the original text.

use std::borrow::Cow;

use yaml_rust2::scanner::{Marker, ScanError};

use super::cursor::{Cursor, is_blank, is_break};
use crate::line_breaks::{line_start, next_line};

/// The number of spaces in a pad.
const PAD: usize = 64;
/// The limits for workarounds, by number and by bytes that are read again: each workaround needs
/// another run of the parser.
const MAX_RUNS: usize = 256;
const MAX_BYTES: usize = 1 << 28;

/// The changes to the text that the parser reads.
#[derive(Debug, Default)]
pub(crate) struct Workarounds {
    /// The offsets with a [`PAD`] of spaces before them, ascending.
    pads: Vec<usize>,
}

impl Workarounds {
    /// Returns the text from byte `base` as the parser gets it.
    pub(crate) fn padded<'t>(&self, text: &'t str, base: usize) -> Cow<'t, str> {
        if self.pads.is_empty() {
            return text[base..].into();
        }
        let (mut padded, mut done) = (String::with_capacity(text.len()), base);
        for pad in self.pads.iter().copied() {
            padded.push_str(&text[done..pad]);
            padded.extend(std::iter::repeat_n(' ', PAD));
            done = pad;
        }
        (padded + &text[done..]).into()
    }

    /// Adds a workaround for an error. Returns false if there is none: the text is invalid.
    pub(crate) fn add_for(&mut self, text: &str, base: usize, error: &ScanError) -> bool {
        let runs = self.pads.len() + 1;
        if runs > MAX_RUNS || runs * text.len() > MAX_BYTES {
            return false;
        }
        let at = self.position(text, base, error.marker());
        match error.info() {
            // only flow collections get these errors here: a less indented line in a block ends the
            // block
            "invalid indentation" | "invalid indentation in flow construct" => {
                let line = line_start(text, at).max(base);
                if !text.as_bytes()[line..at].iter().all(|byte| is_blank(*byte)) {
                    return false;
                }
                self.pad(line)
            }
            "invalid indentation in quoted scalar" => self.pad_lines(text, at),
            "comments must be separated from other tokens by whitespace" => {
                let is_directive = text.as_bytes()[line_start(text, at).max(base)] == b'%';
                !is_directive && self.pad_once(at)
            }
            "':' must be followed by a valid YAML whitespace" => {
                let before = text[base..at].trim_end_matches([' ', '\t']);
                self.pad_once(base + before.len())
            }
            _ => false,
        }
    }

    /// Adds a pad. A line may need several.
    fn pad(&mut self, at: usize) -> bool {
        let place = self.pads.partition_point(|pad| *pad <= at);
        self.pads.insert(place, at);
        true
    }

    /// Adds a pad, unless there is one already: a second one would not help.
    fn pad_once(&mut self, at: usize) -> bool {
        self.pads.binary_search(&at).is_err() && self.pad(at)
    }

    /// Pads the lines of the quoted scalar that starts at `start`. Returns false if they are padded
    /// already.
    fn pad_lines(&mut self, text: &str, start: usize) -> bool {
        let end = Cursor { text, pos: start }.quoted_end();
        let lines = std::iter::successors(Some(next_line(text, start)), |line| {
            Some(next_line(text, *line))
        });
        lines
            .take_while(|line| end.is_some_and(|end| *line < end))
            .fold(false, |is_new, line| self.pad_once(line) | is_new)
    }

    /// Returns the byte offset of a mark, or the end of the text if the mark is beyond it. It uses
    /// the line and column of the mark, because the index is wrong after some block scalars.
    pub(crate) fn position(&self, text: &str, base: usize, mark: &Marker) -> usize {
        let line = (1..mark.line()).fold(base, |line, _| next_line(text, line));
        let first = self.pads.partition_point(|pad| *pad < line);
        let mut pads = self.pads[first..].iter().peekable();
        let mut left = mark.col();
        for (offset, c) in text[line..].char_indices() {
            while pads.next_if(|pad| **pad == line + offset).is_some() {
                left = left.saturating_sub(PAD);
            }
            if left == 0 || u8::try_from(c).is_ok_and(is_break) {
                return line + offset;
            }
            left -= 1;
        }
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::yaml::Tree;

    fn roots(text: &str) -> Vec<&str> {
        let tree = Tree::parse(text)
            .unwrap_or_else(|error| panic!("{error}: {text}"))
            .unwrap();
        let entries = tree.entries(tree.root().value);
        entries.map(|id| tree.slice(tree.entry(id).span)).collect()
    }

    #[test]
    fn a_bracket_in_the_column_of_its_key() {
        assert_eq!(
            roots("a: [\n  \"é\"\n] # c\nb: {\n\"x\": 'y',\n'z': [\n]\n}\né: |\n  é\nc: [\n]\n"),
            [
                "a: [\n  \"é\"\n]",
                "b: {\n\"x\": 'y',\n'z': [\n]\n}",
                "é: |\n  é",
                "c: [\n]"
            ]
        );
        let deep = format!("{}[\n'x'\n]\n", "- ".repeat(100));
        assert_eq!(roots(&deep), [deep.trim_end()]);
        assert_eq!(
            roots("\u{feff}a: [\r\n'x'\r\n]\r\nb: 1"),
            ["a: [\r\n'x'\r\n]", "b: 1"]
        );
    }

    #[test]
    fn a_quoted_text_with_lines_that_are_not_indented() {
        assert_eq!(
            roots("a:\n  b: \"é\n\n c \\\n  d\" # e\n  f: 'g\nh'\ni: [\"j\nk\", 'l\nm']\n"),
            [
                "a:\n  b: \"é\n\n c \\\n  d\" # e\n  f: 'g\nh'",
                "i: [\"j\nk\", 'l\nm']"
            ]
        );
        let tree = Tree::parse("a:\n  b: 'c\nd'\n").unwrap().unwrap();
        let text = tree.entries(tree.root().value).next().unwrap();
        let text = tree.entries(tree.entry(text).value).next().unwrap();
        let text = tree.scalar(tree.entry(text).value).unwrap();
        assert_eq!(text.content, "c d");
    }

    #[test]
    fn a_comment_right_behind_a_comma_or_a_quote() {
        assert_eq!(
            roots("é: [é,# c\n1] # d\nb: 'x'# e\nc: 1\n"),
            ["é: [é,# c\n1]", "b: 'x'", "c: 1"]
        );
    }

    #[test]
    fn a_tab_after_a_colon() {
        assert_eq!(
            roots("a:\tb\nc: \t d # e\nf:\t\t5\n"),
            ["a:\tb", "c: \t d", "f:\t\t5"]
        );
    }

    #[test]
    fn invalid_texts_stay_invalid() {
        for text in [
            "a:\n  b: 1\n c: 2\n",
            "a: [\nb: c\n",
            "a:\t- b\n",
            "a: [\n'b'\n",
            "a:\tb: c\n",
        ] {
            assert!(Tree::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn workarounds_are_limited() {
        let text = "- [\n'x'\n]\n".repeat(2_000);
        assert!(Tree::parse(&text).is_err());
    }
}
