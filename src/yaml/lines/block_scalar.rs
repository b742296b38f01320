//! Reads block scalars.

use super::super::builder::Role;
use super::super::comments::span;
use super::super::tree::{ScalarStyle, ScalarType};
use super::LineReader;

/// The treatment of line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl LineReader<'_> {
    /// Reads the block scalar whose `|` or `>` is at `at`. Returns `None` if it has no lines or an
    /// indentation indicator.
    pub(super) fn block_scalar(&mut self, at: usize, style: ScalarStyle) -> Option<()> {
        let (chomping, header_end) = match self.bytes.get(at + 1) {
            Some(b'-') => (Chomping::Strip, at + 2),
            Some(b'+') => (Chomping::Keep, at + 2),
            _ => (Chomping::Clip, at + 1),
        };
        let rest = self.skip_spaces(header_end);
        // a comment in the header belongs to the entry, so it is read before the value is set
        self.end_line(header_end, rest)?;
        let start = self.builder.tree.resolved.len();
        let end = self.block_lines(style, chomping)?;
        let kind = (style, ScalarType::Str);
        let node = self.builder.tree.push_resolved(span(at, end), kind, start);
        self.builder.set_node(Role::Value, node, span(end, end).end);
        Some(())
    }

    /// Resolves the content of the lines from here on, and moves behind them. Returns the end of
    /// the last line.
    fn block_lines(&mut self, style: ScalarStyle, chomping: Chomping) -> Option<usize> {
        let mut blank_lines = self.blank_lines(usize::MAX)?;
        let indent = self.skip_spaces(self.line) - self.line;
        let starts_with_tab = self.bytes.get(self.line + indent) == Some(&b'\t');
        if indent <= self.frames.last()?.column || blank_lines.widest > indent || starts_with_tab {
            return None;
        }
        let text = self.builder.tree.text;
        let (mut end, mut is_first, mut was_indented) = (0, true, false);
        while let Some(start) = self.line_content(indent) {
            end = self.line_end(start)?;
            let line = &text[start..end];
            let is_indented = line.starts_with([' ', '\t']);
            let folds = style == ScalarStyle::Folded && !is_first && !was_indented && !is_indented;
            match blank_lines.count {
                0 if folds => self.builder.tree.resolved.push(' '),
                count => {
                    // count the break that ends the line above, unless it is folded
                    let own = usize::from(!folds && !is_first);
                    self.push_line_breaks(count + own);
                }
            }
            self.builder.tree.resolved.push_str(line);
            (is_first, was_indented) = (false, is_indented);
            self.line = self.next_line(end)?;
            blank_lines = self.blank_lines(indent)?;
        }
        if chomping != Chomping::Strip {
            self.push_line_breaks(1);
        }
        if chomping == Chomping::Keep {
            self.push_line_breaks(blank_lines.count);
            end = blank_lines.last_end.unwrap_or(end);
        }
        Some(end)
    }

    /// Adds line breaks to the resolved content.
    pub(super) fn push_line_breaks(&mut self, count: usize) {
        let line_breaks = std::iter::repeat_n('\n', count);
        self.builder.tree.resolved.extend(line_breaks);
    }

    /// Returns the start of the content of this line, if it is indented by `indent`.
    fn line_content(&self, indent: usize) -> Option<usize> {
        let start = self.line + indent;
        let indentation = self.bytes.get(self.line..start)?;
        let is_content = start < self.bytes.len() && indentation.iter().all(|byte| *byte == b' ');
        is_content.then_some(start)
    }

    /// Skips lines with at most `indent` spaces and nothing else.
    fn blank_lines(&mut self, indent: usize) -> Option<BlankLines> {
        let mut lines = BlankLines::default();
        loop {
            let at = self.skip_spaces(self.line);
            if at == self.bytes.len() {
                // readers differ about spaces without a line break at the end of a text
                return (at == self.line).then_some(lines);
            }
            if at - self.line > indent || !self.is_line_end(at)? {
                return Some(lines);
            }
            lines.count += 1;
            lines.widest = lines.widest.max(at - self.line);
            lines.last_end = Some(at);
            self.line = self.next_line(at)?;
        }
    }
}

/// Consecutive blank lines.
#[derive(Default)]
struct BlankLines {
    count: usize,
    /// The maximum number of spaces in a line.
    widest: usize,
    last_end: Option<usize>,
}
