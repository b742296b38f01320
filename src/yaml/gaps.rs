//! Finds the blank lines and comments between other lines.

use super::Tree;
use super::stream::byte_order_mark;

impl Tree<'_> {
    /// Returns the start of the blank lines and comments above a line.
    pub(super) fn start_of_gap(&self, line: u32) -> u32 {
        self.start_of_run(line, |above| self.end_of_gap_line(above).is_some())
    }

    /// Returns the start of the lines directly above a line that are all part of it. `is_part`
    /// takes the start of a line.
    pub(super) fn start_of_run(&self, line: u32, is_part: impl Fn(u32) -> bool) -> u32 {
        let mut start = line;
        while let Some(above) = self.line_above(start).filter(|above| is_part(*above)) {
            start = above;
        }
        start
    }

    /// Returns the end of the blank lines and comments that start at a line.
    pub(super) fn end_of_gap(&self, line: u32) -> u32 {
        let mut end = line;
        while let Some(next) = self.end_of_gap_line(end) {
            end = next;
        }
        end
    }

    /// Returns the end of the line that starts at `at`, if it is blank or a comment.
    pub(super) fn end_of_gap_line(&self, at: u32) -> Option<u32> {
        let (_, first) = self.first_of_line(at);
        let is_gap = matches!(first, None | Some(b'#' | b'\n' | b'\r'));
        (is_gap && (at as usize) < self.text().len()).then(|| self.next_line(at))
    }

    /// Returns the indentation of the comment whose line starts at `at`, or `None` if that line is
    /// not a comment.
    pub(crate) fn comment_indent(&self, at: u32) -> Option<u32> {
        let (indent, first) = self.first_of_line(at);
        (first == Some(b'#')).then_some(indent)
    }

    /// Returns the indentation of the line that starts at `at`, and the first byte behind it.
    pub(super) fn first_of_line(&self, at: u32) -> (u32, Option<u8>) {
        let rest = &self.text().as_bytes()[at as usize..];
        let mut indented = (0..).zip(rest);
        let first = indented.find(|(_, byte)| !matches!(byte, b' ' | b'\t'));
        first.map_or((0, None), |(indent, byte)| (indent, Some(*byte)))
    }

    pub(super) fn line_above(&self, line: u32) -> Option<u32> {
        let first = byte_order_mark(self.text());
        let before = line.checked_sub(1)?;
        (line as usize > first).then(|| self.line_start(before))
    }
}
