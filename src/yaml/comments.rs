//! The comments between a document's nodes, and which entry owns them (SPEC 7).

use super::cursor::{Cursor, is_break};
use super::tree::{Entry, Span};

/// Comment lines that stand right above something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Above {
    /// The lines, from the first one's start to the last one's end with its line break.
    pub(crate) lines: Span,
    /// Where what they stand above begins.
    pub(crate) at: usize,
}

/// A run of white space, line breaks and comments, read.
#[derive(Debug, Default)]
pub(crate) struct Trivia {
    /// Whether there was a line break in it.
    pub(crate) broke: bool,
    /// The comment that ends the line on which the run begins.
    pub(crate) trailing: Option<Span>,
    /// The comment lines right above its end.
    pub(crate) above: Option<Above>,
}

pub(crate) fn span(start: usize, end: usize) -> Span {
    // a text longer than u32 is refused before anything is read
    Span::new(
        u32::try_from(start).unwrap_or(u32::MAX),
        u32::try_from(end).unwrap_or(u32::MAX),
    )
}

impl Cursor<'_> {
    /// Reads white space, line breaks and comments up to something else.
    pub(crate) fn trivia(&mut self) -> Trivia {
        let mut trivia = Trivia {
            broke: self.pos == self.line_start_after_mark(),
            ..Trivia::default()
        };
        let mut lines: Option<Span> = None;
        let mut line_start = self.pos;
        loop {
            self.skip_blanks();
            if self.peek() == Some(b'#') {
                let comment = self.comment();
                if trivia.broke {
                    let first = lines.map_or(line_start, |lines| lines.start as usize);
                    self.skip_break();
                    lines = Some(span(first, self.pos));
                    line_start = self.pos;
                    continue;
                }
                trivia.trailing = Some(comment);
            }
            let blank = trivia.broke && self.peek().is_none_or(is_break);
            if !self.skip_break() {
                break;
            }
            if blank {
                lines = None;
            }
            trivia.broke = true;
            line_start = self.pos;
        }
        trivia.above = lines.map(|lines| Above {
            lines,
            at: self.pos,
        });
        trivia
    }

    /// The comment on the rest of this line; the cursor stops before its `#` or what else there is.
    pub(crate) fn comment_on_line(&mut self) -> Option<Span> {
        self.skip_blanks();
        (self.peek() == Some(b'#')).then(|| self.comment())
    }

    fn comment(&mut self) -> Span {
        let end = self.line_end(self.pos);
        let text = self.text[self.pos..end].trim_end_matches([' ', '\t']);
        let comment = span(self.pos, self.pos + text.len());
        self.pos = end;
        comment
    }

    /// The text's start, if the cursor stands there: nothing before it on its line.
    fn line_start_after_mark(&self) -> usize {
        super::stream::byte_order_mark(self.text)
    }
}

/// Gives a comment at the end of a line to the entry that is being read there: as the comment of its first line or of
/// its last one. Nobody's where it already has one there.
pub(crate) fn give(entry: &mut Entry, comment: Span, key_line: bool, last_line: bool) {
    let comments = &mut entry.comments;
    if key_line {
        if comments.line.is_empty() {
            comments.line = comment;
        }
    } else if last_line && comments.tail.is_empty() {
        comments.tail = comment;
    }
}
