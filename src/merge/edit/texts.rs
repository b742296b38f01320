//! Replaces the content of a block scalar of the target.

use super::Editor;
use super::layout::trimmed;
use crate::line_breaks::lines;
use crate::yaml::Entry;

impl Editor<'_> {
    /// Replaces a block scalar of the target by a literal one with this content, in its own
    /// indentation.
    pub(super) fn replace_lines(&mut self, entry: Entry<'_>, content: &str) {
        let target = self.target;
        let span = target.node(entry.value).span;
        let written = target.slice(span);
        let mut lines = lines(written);
        let header = lines.next().unwrap_or_default();
        let header_end =
            span.start + header.split([' ', '\t']).next().unwrap_or(header).len() as u32;
        let column = target.column(entry.span.start) as usize;
        let width = lines
            .find(|line| !trimmed(line).is_empty())
            .map_or(column + 2, |line| {
                line.len() - line.trim_start_matches(' ').len()
            });
        let indicated: String = written[..(header_end - span.start) as usize]
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        let (width, indicator) = match indicated.parse::<usize>() {
            Ok(indicated) => (column + indicated, indicated.to_string()),
            Err(_) if content.trim_start_matches('\n').starts_with(' ') => {
                (width, (width - column).to_string())
            }
            Err(_) => (width, String::new()),
        };
        let body = content.trim_end_matches('\n');
        let breaks = content.len() - body.len();
        let chomping = match breaks {
            0 => "-",
            1 => "",
            _ => "+",
        };
        self.edits
            .replace(span.start..header_end, format!("|{indicator}{chomping}"));
        let lines_start = target.next_line(span.start).min(span.end);
        let margin = " ".repeat(width);
        let blank_below = std::iter::repeat_n("", breaks.saturating_sub(1));
        let lines = body.split('\n').chain(blank_below).map(|line| match line {
            "" => String::new(),
            line => format!("{margin}{line}"),
        });
        let text = lines.collect::<Vec<_>>().join(self.line_break);
        self.edits.replace(lines_start..span.end, text);
    }
}
