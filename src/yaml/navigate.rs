//! Finding things in a tree, and lines in its text.

use std::borrow::Cow;

use super::cursor::{same_bytes, spaces_at_end};
use super::keys::Identity;
use super::stored::LENGTH_LIMIT;
use super::tree::{EntryId, NodeId, Scalar, ScalarType, Span, Tree};
use super::{ParseError, events, lines};
use crate::line_breaks;

/// How far the end of a line is looked for before the table of all lines is asked.
const LONG_LINE: usize = 1024;

impl<'s> Tree<'s> {
    /// Reads one document: the text of a chunk that [`split`](super::stream::split) cut, markers,
    /// directives, comments and a byte order mark included.
    ///
    /// There is no tree where the document has no content.
    ///
    /// # Errors
    /// Where the text is no YAML, holds a second document, a key twice in one map, a key that is no
    /// scalar (rules: Keys), an alias without an anchor or inside what it stands for, collections
    /// nested deeper than 512 levels, aliases that stand for more than a million values, or 64 MiB
    /// and more.
    ///
    /// ```
    /// use merge3::yaml::Tree;
    ///
    /// let tree = Tree::parse("a: 1\nb: 2 # two\n").unwrap().unwrap();
    /// let entry = tree.entry(tree.find(tree.root().value, "b").unwrap());
    /// assert_eq!(tree.slice(entry.span), "b: 2");
    /// assert_eq!(tree.slice(entry.comments().line), "# two");
    /// assert!(Tree::parse("# nothing\n").unwrap().is_none());
    /// assert!(Tree::parse("a: 1\na: 2\n").is_err());
    /// ```
    pub fn parse(text: &'s str) -> Result<Option<Self>, ParseError> {
        is_readable(text)?;
        match lines::read(text) {
            Some(tree) => Ok(Some(tree)),
            None => events::parse(text),
        }
    }

    /// What [`Tree::parse`] returns, by the parser's events alone, whatever the document: slower,
    /// and to the last span the same.
    ///
    /// # Errors
    /// As [`Tree::parse`].
    pub fn parse_events(text: &'s str) -> Result<Option<Self>, ParseError> {
        is_readable(text)?;
        events::parse(text)
    }

    /// What [`Tree::parse`] returns, if the text is an ordinary document that is read without the
    /// parser; else none.
    pub fn parse_lines(text: &'s str) -> Option<Self> {
        is_readable(text).ok().and_then(|()| lines::read(text))
    }

    /// The field of a map whose key is the text `key` (a string; no field for the integer `1` where
    /// `"1"` is asked for). An alias of a map is looked through; `None` for anything else.
    pub fn find(&self, mapping: NodeId, key: &str) -> Option<EntryId> {
        self.entries(self.resolve(mapping)).find(|id| {
            let own = self.entry(*id).key;
            own.is_some_and(|own| self.says(own, ScalarType::Str, key))
        })
    }

    /// The value of a field, found as [`Tree::find`] does it.
    pub fn field(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        Some(self.entry(self.find(mapping, key)?).value)
    }

    /// What the scalar says that is the value of a field, found as [`Tree::find`] does it.
    pub fn field_text(&self, mapping: NodeId, key: &str) -> Option<&str> {
        Some(self.scalar(self.field(mapping, key)?)?.content)
    }

    /// The value at the end of a path of fields, from the root on.
    pub fn at(&self, path: &[&str]) -> Option<NodeId> {
        let mut keys = path.iter();
        keys.try_fold(self.root().value, |node, key| self.field(node, key))
    }

    /// The scalar that a node is, or stands for.
    #[inline]
    pub fn scalar(&self, id: NodeId) -> Option<Scalar<'_>> {
        self.stored.scalar(id)
    }

    /// The content of the scalar that a node is, or stands for: borrowed from the text, if it is
    /// written so there.
    pub fn content(&self, id: NodeId) -> Option<Cow<'s, str>> {
        self.stored.to_cow(id)
    }

    /// Whether a node is, or stands for, a null.
    pub fn is_null(&self, id: NodeId) -> bool {
        self.stored.type_of(id) == Some(ScalarType::Null)
    }

    /// Whether a node is, or stands for, a scalar of that type and content; one null is as good as
    /// another.
    #[inline]
    pub(crate) fn says(&self, id: NodeId, scalar_type: ScalarType, content: &str) -> bool {
        self.stored
            .type_and_content(id)
            .is_some_and(|(own_type, own)| {
                own_type == scalar_type
                    && (own_type == ScalarType::Null || same_bytes(own, content.as_bytes()))
            })
    }

    /// What makes a scalar, or what an alias stands for, equal to another (rules: Equality); `None`
    /// for a collection.
    #[inline]
    pub(crate) fn identity(&self, scalar: NodeId) -> Option<Identity<'_>> {
        self.stored.identity(scalar)
    }

    /// The tag that is part of a node's value, as a reader resolves it; `None` if the tag says
    /// what was so already.
    pub fn custom_tag(&self, id: NodeId) -> Option<&str> {
        self.stored
            .custom_tags
            .get(&self.resolve(id))
            .map(AsRef::as_ref)
    }

    /// Every entry of every map and list in it.
    pub(crate) fn all_entries(&self) -> impl ExactSizeIterator<Item = EntryId> + use<> {
        (0..to_u32(self.stored.entry_count())).map(EntryId::new)
    }

    /// Every node in it.
    pub(crate) fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        self.stored.node_ids()
    }

    /// Whether an alias occurs in it: then the same text need not mean the same value.
    pub fn has_aliases(&self) -> bool {
        self.stored.has_aliases()
    }

    /// The names of its anchors, each with its `&`.
    pub fn anchor_names(&self) -> impl Iterator<Item = &'s str> {
        self.stored.anchors().map(|anchor| self.slice(anchor))
    }

    /// A node's text as one of its own: an alias as what it stands for, and lines after the first
    /// without the indentation that the first one has.
    ///
    /// ```
    /// use merge3::yaml::Tree;
    ///
    /// let tree = Tree::parse("a:\n  b: 1\n  c: 2\n").unwrap().unwrap();
    /// let entry = tree.entry(tree.find(tree.root().value, "a").unwrap());
    /// assert_eq!(tree.text_of(entry.value), "b: 1\nc: 2");
    /// ```
    pub fn text_of(&self, id: NodeId) -> String {
        self.outdented(self.node(self.resolve(id)).span)
    }

    /// A stretch of the text, lines after the first without the indentation that the first one has.
    pub(crate) fn outdented(&self, span: Span) -> String {
        let text = self.slice(span);
        // a line may be long, and hold many values
        if !text.contains(['\n', '\r']) {
            return text.to_owned();
        }
        let indentation = " ".repeat(self.column(span.start) as usize);
        let is_indented = |line: &str| line.trim().is_empty() || line.starts_with(&indentation);
        if indentation.is_empty() || !line_breaks::lines(text).skip(1).all(is_indented) {
            return text.to_owned();
        }
        line_breaks::lines_with_breaks(text)
            .enumerate()
            .map(|(index, line)| match index {
                0 => line,
                _ => line
                    .strip_prefix(indentation.as_str())
                    .unwrap_or_else(|| line.trim_start_matches([' ', '\t'])),
            })
            .collect()
    }

    /// The start of the line that `offset` is in; in the first line, after a byte order mark.
    #[inline]
    pub fn line_start(&self, offset: u32) -> u32 {
        let bytes = self.text().as_bytes();
        // The second half of a CRLF is on the line that it ends.
        let within_break = offset > 0
            && bytes.get(offset as usize) == Some(&b'\n')
            && bytes[offset as usize - 1] == b'\r';
        let end = offset as usize - usize::from(within_break);
        let near = end.saturating_sub(LONG_LINE);
        let start = match memchr::memrchr2(b'\n', b'\r', &bytes[near..end]) {
            Some(at) => return to_u32(near + at + 1),
            None if near == 0 => 0,
            None => self.start_of_long_line(offset),
        };
        match start {
            0 => to_u32(super::stream::byte_order_mark(self.text())).min(offset),
            start => start,
        }
    }

    /// The start of the line that `offset` is in, where only spaces are before it there.
    pub(crate) fn start_of_indent(&self, offset: u32) -> Option<u32> {
        let before = &self.text().as_bytes()[..offset as usize];
        let spaces = spaces_at_end(before);
        let start = before.len() - spaces;
        let starts_line = match before[..start].last() {
            Some(byte) => {
                matches!(byte, b'\n' | b'\r')
                    || start == super::stream::byte_order_mark(self.text())
            }
            None => true,
        };
        starts_line.then(|| to_u32(start))
    }

    /// Where the line break of the line that `offset` is in stands, or the end of the text.
    #[inline]
    pub fn line_end(&self, offset: u32) -> u32 {
        let bytes = self.text().as_bytes();
        let near = bytes.len().min(offset as usize + LONG_LINE);
        match memchr::memchr2(b'\n', b'\r', &bytes[offset as usize..near]) {
            Some(at) => offset + to_u32(at),
            None if near == bytes.len() => to_u32(near),
            None => self.end_of_long_line(offset),
        }
    }

    #[cold]
    fn start_of_long_line(&self, offset: u32) -> u32 {
        self.lines.start(self.text(), offset)
    }

    #[cold]
    fn end_of_long_line(&self, offset: u32) -> u32 {
        let Some(next) = self.lines.next(self.text(), offset) else {
            return to_u32(self.text().len());
        };
        let is_crlf = self.text().as_bytes()[..next as usize].ends_with(b"\r\n");
        next - 1 - u32::from(is_crlf)
    }

    /// The start of the line after the one that `offset` is in, or the end of the text.
    pub fn next_line(&self, offset: u32) -> u32 {
        let end = self.line_end(offset);
        match &self.text().as_bytes()[end as usize..] {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        }
    }

    /// How many bytes are before `offset` on its line.
    pub fn column(&self, offset: u32) -> u32 {
        offset - self.line_start(offset)
    }

    /// The line that `offset` is in, from 0.
    pub fn line_number(&self, offset: u32) -> usize {
        self.lines.number(self.text(), offset)
    }
}

/// What no reader takes.
pub(crate) fn is_readable(text: &str) -> Result<(), ParseError> {
    if text.len() >= LENGTH_LIMIT {
        let most = LENGTH_LIMIT >> 20;
        let message =
            format!("a document of {most} MiB or more, which is too long to be read as YAML");
        return Err(ParseError::new(0, message).with_help("divide it into several documents"));
    }
    match memchr::memchr(0, text.as_bytes()) {
        Some(at) => Err(ParseError::new(
            at,
            "a NUL character, which no YAML can hold",
        )),
        None => Ok(()),
    }
}

/// A text that a tree is over is shorter than 4 GiB by far.
fn to_u32(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
