//! The lines of a block collection as a row of items: its entries, and the comments and blank lines
//! between them. Rows are not part of the tree: they are read from the text when a merge needs
//! them.

use crate::white_space::trimmed_start;
use std::ops::Range;

use super::stored::{Tree, to_u32};
use super::stream::count_lines;
use super::tree::{Entry, EntryId, NodeId, Span};

/// The lines of a block collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The column of its entries.
    pub(crate) column: u32,
    /// The lines of the row: from the first line below its owner (or from the first entry, if that
    /// shares its line with a dash) to the end of the last line that belongs to the collection.
    pub(crate) span: Span,
    /// The comment lines and entries in the order of the text, and then the end.
    pub(crate) items: Vec<Item>,
}

/// An item of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    /// The kind of the item.
    pub(crate) kind: ItemKind,
    /// The start of the blank lines above the item.
    pub(crate) blank_start: u32,
    /// The number of blank lines above the item.
    pub(crate) blanks: u32,
    /// The lines of the item with their line breaks. The lines of an entry include the comments
    /// below it that are indented deeper.
    pub(crate) span: Span,
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// A comment on a line of its own.
    Comment,
    /// A field or an element.
    Entry(EntryId),
    /// The end of the row. The blank lines above it are those below the last entry or comment.
    End,
}

impl Item {
    /// Returns the blank lines above the item.
    pub(crate) const fn blank(&self) -> Span {
        Span::new(self.blank_start, self.span.start)
    }
}

impl Row {
    /// Returns the entries from an item on, each with the position of its item.
    pub(crate) fn entries_from(
        &self,
        start: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, EntryId)> + Clone {
        let items = self.items.iter().enumerate().skip(start);
        items.filter_map(|(at, item)| match item.kind {
            ItemKind::Entry(entry) => Some((at, entry)),
            ItemKind::Comment | ItemKind::End => None,
        })
    }

    /// Whether a comment is the last item, with no blank line below it.
    pub(crate) fn ends_in_comment(&self) -> bool {
        let [.., last, end] = self.items.as_slice() else {
            return false;
        };
        last.kind == ItemKind::Comment && end.blanks == 0
    }

    /// Removes the items and the blank lines outside of some lines.
    pub(crate) fn cut_to(&mut self, lines: Span) {
        if lines.end < self.span.end {
            self.span.end = lines.end;
            self.items.retain(|item| item.span.end <= lines.end);
            self.items.push(Item {
                kind: ItemKind::End,
                blank_start: lines.end,
                blanks: 0,
                span: Span::new(lines.end, lines.end),
            });
        }
        if lines.start > self.span.start && self.items.len() > 1 {
            self.span.start = lines.start;
            self.items.retain(|item| item.span.start >= lines.start);
        }
        if let Some(first) = self.items.first_mut()
            && first.blank_start < self.span.start
        {
            first.blank_start = first.span.start;
            first.blanks = 0;
        }
    }
}

impl Tree<'_> {
    /// Returns the row of a block collection that is the value of `owner`, or of the document if
    /// there is no owner. Returns `None` for any other node.
    pub(crate) fn row(&self, collection: NodeId, owner: Option<Entry<'_>>) -> Option<Row> {
        if !self.is_block_collection(collection) {
            return None;
        }
        let mut entries = self.entries(collection).peekable();
        let first = self.entry(*entries.peek()?);
        let column = self.column(first.span.start);
        let start = self.row_start(first);
        let mut items = Vec::with_capacity(entries.len() + 1);
        let mut at = start;
        for id in entries {
            let entry = self.entry(id);
            let line = self.start_of_indent(entry.span.start);
            let line = line.unwrap_or(entry.span.start).max(at);
            let blank = self.push_comments(at..line, &mut items);
            at = self.end_of_lines(entry);
            items.push(self.new_item(ItemKind::Entry(id), blank, Span::new(line, at)));
        }
        let end = match owner {
            Some(owner) => self.end_of_lines(owner).max(at),
            None => self.end_of_gap(at),
        };
        Some(self.finish_row(column, start, items, at..end))
    }

    /// Ends a row with the comments in a range, and the end of that.
    fn finish_row(&self, column: u32, start: u32, mut items: Vec<Item>, rest: Range<u32>) -> Row {
        let end = rest.end;
        let blank = self.push_comments(rest, &mut items);
        items.push(self.new_item(ItemKind::End, blank, Span::new(end, end)));
        Row {
            column,
            span: Span::new(start, end),
            items,
        }
    }

    /// Returns the start of the row with this first entry.
    pub(crate) fn row_start(&self, first: Entry<'_>) -> u32 {
        match self.start_of_indent(first.span.start) {
            Some(line) => self.start_of_gap(line),
            None => first.span.start,
        }
    }

    /// Returns the row of comments above and below the value of an entry that belong to it, if the
    /// value is not a block collection. Its span has the lines below the value.
    pub(crate) fn row_of_comments(&self, entry: Entry<'_>) -> Row {
        self.row_of_entry(entry, None)
    }

    /// Like [`Self::row_of_comments`], with the entry itself as the item between the comments above
    /// and below the value. The blank lines above that item are those above the value.
    pub(crate) fn row_of_value(&self, id: EntryId) -> Row {
        self.row_of_entry(self.entry(id), Some(id))
    }

    fn row_of_entry(&self, entry: Entry<'_>, item: Option<EntryId>) -> Row {
        let (start, end) = (self.end_of_value_lines(entry), self.end_of_lines(entry));
        let column = self.column(entry.span.start);
        let mut items = Vec::new();
        let above = self.lines_above_value(entry);
        let blank = self.push_comments(above.start..above.end, &mut items);
        if let Some(id) = item {
            let lines = Span::new(above.end, start.max(above.end));
            items.push(self.new_item(ItemKind::Entry(id), blank, lines));
        }
        self.finish_row(column, start, items, start..end)
    }

    /// Returns the comments and blank lines between the key or dash of an entry and its value, if
    /// the value is on another line and not a block collection.
    pub(crate) fn lines_above_value(&self, entry: Entry<'_>) -> Span {
        let value = self.span_of(entry.value);
        let line = self.line_start(value.start);
        let behind_dash = || entry.key.map_or(Some(entry.span.start), |_| None);
        let indicator = entry.colon().or_else(behind_dash);
        let start = indicator.map_or(line, |indicator| self.next_line(indicator));
        let is_gap = start < line
            && !self.is_block_collection(entry.value)
            && self.end_of_gap(start) == line;
        Span::new(start, if is_gap { line } else { start })
    }

    /// Returns the row of comments above and below a document's value that is not a block
    /// collection.
    pub(crate) fn row_around(&self, root: NodeId) -> Row {
        let value = self.node(root).span;
        let first = self.line_start(value.start);
        let start = self.start_of_gap(first);
        let mut items = Vec::new();
        self.push_comments(start..first, &mut items);
        let below = self.next_line(value.end);
        self.finish_row(0, start, items, below..self.end_of_gap(below))
    }

    /// Returns all lines of an entry: from its first line (or its first byte, if it shares the line
    /// with a dash) to the last comment below it that is indented deeper.
    pub(crate) fn lines_of(&self, entry: Entry<'_>) -> Span {
        let start = self.start_of_indent(entry.span.start);
        Span::new(start.unwrap_or(entry.span.start), self.end_of_lines(entry))
    }

    /// Returns the comment lines directly above an entry, without a blank line in between, that
    /// belong to it.
    pub(crate) fn comments_above(&self, entry: Entry<'_>) -> Span {
        let Some(line) = self.start_of_indent(entry.span.start) else {
            return Span::new(entry.span.start, entry.span.start);
        };
        let column = entry.span.start - line;
        let is_own = |above| self.comment_indent(above).is_some_and(|it| it <= column);
        let start = match self.line_above(line).and_then(|it| self.comment_indent(it)) {
            Some(indent) if indent > column => self.start_of_deep_comments(entry, line),
            _ => None,
        };
        let start = start.unwrap_or_else(|| self.start_of_run(line, is_own));
        Span::new(start, line)
    }

    /// Returns all comment lines directly above an entry, without a blank line in between, at any
    /// indentation. The lines above a block collection belong to its first entry, also if it is
    /// the root, and those above a pair like `[a: b]` to the element.
    pub fn lines_above(&self, entry: Entry<'_>) -> Span {
        let line = self.line_start(entry.span.start);
        let starts_line = self.text()[..entry.span.start as usize].trim_end_matches([' ', '\t']);
        let is_block_root =
            entry.value == self.root().value && self.is_block_collection(entry.value);
        let nodes_above = (0..entry.key.unwrap_or(entry.value).number()).rev();
        let is_in_pair = nodes_above.clone().next().is_some_and(|parent| {
            let parent = NodeId::new(parent);
            self.span_of(parent).start == entry.span.start && self.is_flow(parent) == Some(true)
        });
        if starts_line.len() > line as usize || is_block_root || is_in_pair {
            return Span::default();
        }
        // a line that looks like a comment can be in a scalar
        let mut spans = nodes_above.map(|node| self.span_of(NodeId::new(node)));
        let before = spans.find(|span| span.start < entry.span.start);
        let limit = before.map_or(0, |span| match span.end <= entry.span.start {
            true => span.end,
            false => span.start,
        });
        let is_own = |above| above >= limit && self.comment_indent(above).is_some();
        Span::new(self.start_of_run(line, is_own), line)
    }

    /// Returns the comment lines inside an entry at any depth, below its first line.
    pub(crate) fn comments_within(&self, id: EntryId) -> Vec<Span> {
        let entry = self.entry(id);
        let row = match self.row(entry.value, Some(entry)) {
            Some(row) => row,
            None => self.row_of_comments(entry),
        };
        let mut found = Vec::new();
        for item in row.items {
            match item.kind {
                ItemKind::Comment => found.push(item.span),
                ItemKind::Entry(id) => found.extend(self.comments_within(id)),
                ItemKind::End => {}
            }
        }
        found
    }

    /// Returns the comments from the line that starts at `line` to the next line that is not a
    /// comment or blank.
    pub(crate) fn comments_from(&self, line: u32) -> impl Iterator<Item = Span> {
        self.comments_in(Span::new(line, self.end_of_gap(line)))
    }

    /// Returns the comment lines among these lines.
    pub(crate) fn comments_in(&self, lines: Span) -> impl Iterator<Item = Span> {
        let mut comments = Vec::new();
        self.push_comments(lines.start..lines.end, &mut comments);
        comments.into_iter().map(|item| item.span)
    }

    /// Whether a node is a collection in block style.
    pub(crate) fn is_block_collection(&self, node: NodeId) -> bool {
        self.is_flow(node) == Some(false)
    }

    /// Returns the end of the lines of an entry's key and value.
    pub(crate) fn end_of_value_lines(&self, entry: Entry<'_>) -> u32 {
        let comments = entry.comments();
        let ends = [entry.span.end, comments.tail.end, comments.line.end];
        self.next_line(ends.into_iter().fold(0, u32::max))
    }

    /// Returns the end of the lines of an entry, with the comments below it that are indented
    /// deeper, unless they belong to the element below, or are elements of its list that are
    /// commented out.
    pub(crate) fn end_of_lines(&self, entry: Entry<'_>) -> u32 {
        let end_of_value = self.end_of_value_lines(entry);
        let (mut end, mut at) = (end_of_value, end_of_value);
        // mostly, another entry follows on the next line
        let (mut column, mut end_of_deeper) = (None, None);
        while let Some(next) = self.end_of_gap_line(at) {
            let column = *column.get_or_insert_with(|| self.column(entry.span.start));
            let is_below_list = || at == end && self.has_list_in_column(entry);
            match self.comment_indent(at) {
                Some(indent) if indent > column => {
                    let last = || self.end_of_deeper_comments(entry, at);
                    if at >= *end_of_deeper.get_or_insert_with(last) {
                        break;
                    }
                    end = next;
                }
                Some(indent)
                    if indent == column
                        && is_below_list()
                        && self.is_commented_element(at, at > end_of_value) =>
                {
                    end = next;
                }
                Some(_) => break,
                None => {}
            }
            at = next;
        }
        end
    }

    /// Whether the value of an entry is a block sequence in the column of its key.
    fn has_list_in_column(&self, entry: Entry<'_>) -> bool {
        let first = self.entries(entry.value).next().map(|id| self.entry(id));
        let column = |entry: Entry<'_>| self.column(entry.span.start);
        let is_in_column = |first: Entry<'_>| first.key.is_none() && column(first) == column(entry);
        self.is_block_collection(entry.value) && first.is_some_and(is_in_column)
    }

    /// Whether the comment whose line starts at `at` is an element of a list that is commented out,
    /// or a line of one if it `continues` another comment.
    fn is_commented_element(&self, at: u32, continues: bool) -> bool {
        let line = trimmed_start(&self.text()[at as usize..]);
        let text = line.trim_start_matches('#');
        let text_behind_dash = text.trim_start_matches(' ').strip_prefix('-');
        text_behind_dash.is_some_and(|it| it.starts_with([' ', '\r', '\n']))
            || continues && text.starts_with("  ")
    }

    /// Whether other entries or brackets follow an entry on its last line.
    pub(crate) fn has_more_on_line(&self, entry: Entry<'_>) -> bool {
        let rest = &self.text().as_bytes()[entry.span.end as usize..];
        let mut rest = rest.iter().filter(|byte| !matches!(byte, b' ' | b'\t'));
        let next = match rest.next() {
            Some(b',') => rest.next(),
            next => next,
        };
        next.is_some_and(|next| !matches!(next, b'\n' | b'\r' | b'#'))
    }

    /// Returns an item with the blank lines above it.
    fn new_item(&self, kind: ItemKind, blank: Span, span: Span) -> Item {
        // trailing white space at the end of a text does not count as a line
        let blanks = match blank.is_empty() {
            true => 0,
            false => count_lines(self.slice(blank)),
        };
        Item {
            kind,
            blank_start: blank.start,
            blanks: to_u32(blanks),
            span,
        }
    }

    /// Adds the comments in a range as items. Returns the blank lines below the last comment.
    fn push_comments(&self, range: Range<u32>, items: &mut Vec<Item>) -> Span {
        let (mut at, mut blank) = (range.start, Span::new(range.start, range.start));
        while at < range.end {
            let next = self.next_line(at).min(range.end);
            if self.comment_indent(at).is_some() {
                items.push(self.new_item(ItemKind::Comment, blank, Span::new(at, next)));
                blank = Span::new(next, next);
            } else {
                blank.end = next;
            }
            at = next;
        }
        blank
    }
}

#[cfg(test)]
mod tests;
