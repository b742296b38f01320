//! Reads the comments between the nodes of a document and assigns them to entries (rules: Text).

use super::cursor::{Cursor, is_blank, is_break};
use super::stored::to_u32;
use super::stream::byte_order_mark;
use super::tree::Span;
use crate::line_breaks::{line_end, next_line};

pub(crate) fn span(start: usize, end: usize) -> Span {
    Span::new(to_u32(start), to_u32(end))
}

impl Cursor<'_> {
    /// Reads white space, line breaks and comments. Returns whether there is a line break, and the
    /// comment on the line where they start.
    pub(crate) fn trivia(&mut self) -> (bool, Option<Span>) {
        let is_at_start = self.pos == byte_order_mark(self.text);
        let comment = self.comment_on_line().filter(|_| !is_at_start);
        let mut has_break = is_at_start;
        while self.peek().is_some_and(is_break) {
            has_break = true;
            self.pos = next_line(self.text, self.pos);
            self.comment_on_line();
        }
        (has_break, comment)
    }

    /// Reads the comment on the rest of the line, if there is one, and moves behind it.
    pub(crate) fn comment_on_line(&mut self) -> Option<Span> {
        while self.peek().is_some_and(is_blank) {
            self.pos += 1;
        }
        self.peek().filter(|next| *next == b'#')?;
        let end = line_end(self.text, self.pos);
        let text = self.text[self.pos..end].trim_end_matches([' ', '\t']);
        let comment = span(self.pos, self.pos + text.len());
        self.pos = end;
        Some(comment)
    }
}

#[cfg(test)]
mod tests {
    use crate::yaml::{Entry, Tree};

    /// Returns the comments of every entry: the start of the entry, and then its leading, line and
    /// tail comments.
    fn owned(text: &str) -> Vec<String> {
        let tree = Tree::parse(text).unwrap().unwrap();
        let mut found = Vec::new();
        let mut todo = vec![tree.root()];
        while let Some(entry) = todo.pop() {
            let below = tree.entries(entry.value).rev();
            todo.extend(below.map(|id| tree.entry(id)));
            found.extend(describe(&tree, entry));
        }
        found
    }

    fn describe(tree: &Tree<'_>, entry: Entry<'_>) -> Vec<String> {
        let name = match entry.key {
            Some(key) => tree.slice(tree.node(key).span),
            None if entry == tree.root() => "root",
            None => tree.slice(entry.span).lines().next().unwrap_or(""),
        };
        let comments = entry.comments();
        [
            ("above", tree.lines_above(entry)),
            ("line", comments.line),
            ("tail", comments.tail),
        ]
        .into_iter()
        .filter(|(_, span)| !span.is_empty())
        .map(|(position, span)| format!("{name} {position} {}", tree.slice(span).escape_debug()))
        .collect()
    }

    #[test]
    fn comments_directly_above_entries() {
        let text = "# 1\n# 2\na: x\n\n# apart\n\n  # 3\nb:\n  # 4\n  - c\n  # 5\n  - d\n# end\n";
        assert_eq!(
            owned(text),
            [
                "a above # 1\\n# 2\\n",
                "b above   # 3\\n",
                "- c above   # 4\\n",
                "- d above   # 5\\n",
            ]
        );
    }

    #[test]
    fn a_field_on_the_line_of_a_dash_has_no_comments_above() {
        assert_eq!(
            owned("# 1\n- a: x # 2\n  # 3\n  b: y\n"),
            ["- a: x # 2 above # 1\\n", "a line # 2", "b above   # 3\\n"]
        );
    }

    #[test]
    fn comments_on_the_line_of_a_key_or_dash() {
        let text =
            "a: # 1\n  b: 5 # 2\n  c: | # 3\n    # text\nd:\n- # 4\n  e: x\n- f # 5\nk: # 6\n";
        assert_eq!(
            owned(text),
            [
                "a line # 1",
                "b line # 2",
                "c line # 3",
                "- # 4 line # 4",
                "- f line # 5",
                "k line # 6"
            ]
        );
    }

    #[test]
    fn comments_on_the_line_where_a_value_ends() {
        let text = "a:\n  x # 1\nb: 'y\n  z' # 2\nc: &c # 3\n  - d\ne: [\n  f\n] # 4\n";
        assert_eq!(
            owned(text),
            ["a tail # 1", "b tail # 2", "c line # 3", "e tail # 4"]
        );
    }

    #[test]
    fn comments_between_brackets() {
        let text = "a: [ # 1\n  # 2\n  b, # 3\n  c, d, # 4\n  {\n    e: f # 5\n  }, # 6\n  'g\n   h' # 7\n  , # 8\n  # end\n]\n";
        assert_eq!(
            owned(text),
            [
                "a line # 1",
                "b above   # 2\\n",
                "b line # 3",
                "d line # 4",
                "{ tail # 6",
                "e line # 5",
                "'g tail # 7",
            ]
        );
    }

    #[test]
    fn comments_of_the_document() {
        assert_eq!(
            owned("--- # 1\na: b # 2\n"),
            ["root line # 1", "a line # 2"]
        );
        assert_eq!(owned("--- 5 # 1\n"), ["root line # 1"]);
        assert_eq!(
            owned("# 1\n5 # 2\n"),
            ["root above # 1\\n", "root line # 2"]
        );
        assert_eq!(
            owned("---\n# 1\n{\na: b\n} # 2\n"),
            ["root above # 1\\n", "root tail # 2"]
        );
        assert_eq!(owned("# apart\n---\na: b\n...\n# end\n"), [""; 0]);
        assert_eq!(owned("# 1\n&a # 2\nk: v\n"), ["root line # 2"]);
    }

    #[test]
    fn a_number_sign_in_a_value_is_not_a_comment() {
        assert_eq!(
            owned("a: 'x # y'\nb: |\n  # z\nc: d#e\nf: \"# g\"\n"),
            [""; 0]
        );
    }
}
