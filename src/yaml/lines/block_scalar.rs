//! Reads block scalars.

use std::iter::repeat_n;

use super::super::cursor::{Cursor, skip_spaces};
use super::super::tree::ScalarStyle;
use super::LineReader;
use super::scalar::{ScannedScalar, Stop};

impl LineReader<'_> {
    /// Reads the block scalar whose `|` or `>` is at `at`. Returns `None` if it has no lines or an
    /// indentation indicator.
    pub(super) fn block_scalar(&mut self, at: usize, style: ScalarStyle) -> Option<()> {
        let chomping = self.bytes.get(at + 1).copied();
        let chomping = chomping.filter(|byte| matches!(byte, b'-' | b'+'));
        let header_end = at + 1 + usize::from(chomping.is_some());
        let rest = skip_spaces(self.bytes, header_end);
        // a comment in the header belongs to the entry, so it is read before the value is set
        self.end_line(header_end, rest)?;
        let column = self.frames.last()?.column;
        let text = self.builder.tree.text;
        // readers differ about spaces without a line break at the end of a text
        if text.ends_with(' ') {
            return None;
        }
        let mut cursor = Cursor { text, pos: at };
        cursor.block_scalar(Some(column));
        let end = cursor.pos;
        let start = self.builder.tree.resolved.len();
        let blank_lines = self.block_lines(text.get(self.line..end)?, style, column)?;
        self.push_line_breaks(match chomping {
            Some(b'-') => 0,
            Some(_) => 1 + blank_lines,
            None => 1,
        });
        self.line = self.next_line(end);
        let scanned = ScannedScalar {
            style,
            resolved: Some(start),
            end,
            stop: Stop::Other,
        };
        self.push_scalar(at, scanned);
        Some(())
    }

    /// Resolves the content of the lines of a block scalar. Returns the number of blank lines at
    /// its end.
    fn block_lines(&mut self, lines: &str, style: ScalarStyle, column: usize) -> Option<usize> {
        let (mut indent, mut blank_lines, mut widest) = (None, 0, 0);
        let mut is_above_indented = None;
        for line in lines.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let spaces = skip_spaces(line.as_bytes(), 0);
            if spaces == line.len() && indent.is_none_or(|indent| spaces <= indent) {
                blank_lines += 1;
                widest = widest.max(spaces);
                continue;
            }
            let starts_with_tab = line[spaces..].starts_with('\t');
            if indent.is_none() && (spaces <= column || widest > spaces || starts_with_tab) {
                return None;
            }
            let line = line.get(*indent.get_or_insert(spaces)..)?;
            let is_indented = line.starts_with([' ', '\t']);
            let folds =
                style == ScalarStyle::Folded && is_above_indented == Some(false) && !is_indented;
            // the break that ends the line above counts, unless it is folded
            let own = usize::from(!folds && is_above_indented.is_some());
            match blank_lines + own {
                0 if folds => self.builder.tree.resolved.push(' '),
                count => self.push_line_breaks(count),
            }
            self.builder.tree.resolved.push_str(line);
            (is_above_indented, blank_lines) = (Some(is_indented), 0);
        }
        is_above_indented.map(|_| blank_lines)
    }

    /// Adds line breaks to the resolved content.
    fn push_line_breaks(&mut self, count: usize) {
        self.builder.tree.resolved.extend(repeat_n('\n', count));
    }
}
