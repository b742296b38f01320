//! Finds nodes in a tree and lines in its text.

use super::cursor::same_bytes;
use super::stored::{LENGTH_LIMIT, Tree, to_u32};
use super::tree::{Entry, EntryId, NodeId, ScalarType, Span};
use super::{ParseError, events, lines};
use crate::line_breaks;
use crate::white_space::is_white_space;

/// The number of bytes that are searched for the end of a line before the line table is used.
const LONG_LINE: usize = 1024;

impl<'s> Tree<'s> {
    /// Parses one document: the text of a chunk that [`split`](super::stream::split) returned, with
    /// its markers, directives, comments and byte order mark. Returns `None` if the document has no
    /// content.
    ///
    /// # Errors
    /// Returns an error if the text is not valid YAML or has a second document, if a map has
    /// duplicate keys or a key that is not a scalar (rules: Keys), if an alias has no anchor or is
    /// inside the node that it refers to, if collections are nested deeper than 512 levels, if
    /// aliases expand to more than a million values, or if the text has 64 MiB or more.
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
        lines::read(text).map_or_else(|| events::parse(text), |tree| Ok(Some(tree)))
    }

    /// Parses as [`Tree::parse`] does, but always from the parser's events. This is slower and
    /// gives the same tree.
    ///
    /// # Errors
    /// As [`Tree::parse`].
    pub fn parse_events(text: &'s str) -> Result<Option<Self>, ParseError> {
        is_readable(text)?;
        events::parse(text)
    }

    /// Parses as [`Tree::parse`] does, but only ordinary documents, which `lines` can read. Returns
    /// `None` for all others.
    pub fn parse_lines(text: &'s str) -> Option<Self> {
        is_readable(text).ok().and_then(|()| lines::read(text))
    }

    /// Returns true if the document is a Kubernetes resource. Kubernetes reads these as JSON.
    pub(crate) fn is_resource(&self) -> bool {
        let root = self.root().value;
        let has = |field| self.find(root, field).is_some();
        *self
            .is_resource
            .get_or_init(|| has("kind") && has("metadata"))
    }

    /// Finds the field of a map by its key, which has to be a string: `"1"` does not find the
    /// integer key `1`. Follows an alias of a map. Returns `None` for a node that is not a map.
    pub fn find(&self, mapping: NodeId, key: &str) -> Option<EntryId> {
        self.entries(self.resolve(mapping)).find(|id| {
            let own = self.entry(*id).key;
            own.is_some_and(|own| self.says(own, ScalarType::Str, key))
        })
    }

    /// Returns the value of a field. Finds it as [`Tree::find`] does.
    pub fn field(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        Some(self.entry(self.find(mapping, key)?).value)
    }

    /// Returns the content of a field's value, if that is a scalar. Finds it as [`Tree::find`]
    /// does.
    pub fn field_text(&self, mapping: NodeId, key: &str) -> Option<&str> {
        Some(self.scalar(self.field(mapping, key)?)?.content)
    }

    /// Returns the values of the map or list that a node is or refers to, in the order of the text.
    pub fn values(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + '_ {
        let entries = self.entries(self.resolve(id));
        entries.map(|entry| self.entry(entry).value)
    }

    /// Returns the text of a field's key; `None` for an element, and for a key that is a map or a
    /// list.
    pub fn key_text(&self, entry: EntryId) -> Option<&str> {
        Some(self.scalar(self.entry(entry).key?)?.content)
    }

    /// Returns the value at a path of fields from the root.
    pub fn at(&self, path: &[&str]) -> Option<NodeId> {
        self.below(self.root().value, path)
    }

    /// Returns the value at a path of fields from a map.
    pub(crate) fn below(&self, map: NodeId, path: &[&str]) -> Option<NodeId> {
        let mut keys = path.iter();
        keys.try_fold(map, |node, key| self.field(node, key))
    }

    /// Whether a node is null, or refers to one.
    pub fn is_null(&self, id: NodeId) -> bool {
        let scalar = self.scalar(id);
        scalar.is_some_and(|scalar| scalar.scalar_type == ScalarType::Null)
    }

    /// Whether a node is or refers to a scalar with this type and content. All nulls are equal.
    #[inline]
    pub(crate) fn says(&self, id: NodeId, scalar_type: ScalarType, content: &str) -> bool {
        self.scalar(id).is_some_and(|own| {
            own.scalar_type == scalar_type
                && (scalar_type == ScalarType::Null
                    || same_bytes(own.content.as_bytes(), content.as_bytes()))
        })
    }

    /// Returns an entry and the entries in its value at any depth, in the order of the text.
    pub(crate) fn entries_within<'t>(&'t self, entry: Entry<'t>) -> Vec<Entry<'t>> {
        let (mut found, mut open) = (Vec::new(), vec![entry]);
        while let Some(entry) = open.pop() {
            found.push(entry);
            let entries = self.entries(entry.value);
            open.extend(entries.rev().map(|id| self.entry(id)));
        }
        found
    }

    /// Returns an error at the start of a node.
    pub(crate) fn error_at(&self, node: NodeId, message: impl Into<String>) -> ParseError {
        ParseError::new(self.node(node).span.start as usize, message)
    }

    /// Returns the text of a node as the text of a document: without the indentation of its first
    /// line. An alias gives the text of the node that it refers to.
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

    /// Returns the text of a span. Lines after the first lose the indentation of the first.
    pub(crate) fn outdented(&self, span: Span) -> String {
        let text = self.slice(span);
        // avoid computing the column, which is slow for the many values of a long line
        if !text.contains(['\n', '\r']) {
            return text.to_owned();
        }
        let indentation = " ".repeat(self.column(span.start) as usize);
        let (first, below) = line_breaks::cut_first_line(text);
        let below = line_breaks::lines_with_breaks(below).map(|line| {
            let blank = is_white_space(line);
            let blank = blank.then(|| line.trim_start_matches([' ', '\t']));
            line.strip_prefix(indentation.as_str()).or(blank)
        });
        let below: Option<String> = below.collect();
        below.map_or_else(|| text.to_owned(), |below| first.to_owned() + &below)
    }

    /// Returns the start of the line of `offset`. The first line starts after a byte order mark.
    #[inline]
    pub fn line_start(&self, offset: u32) -> u32 {
        let bytes = self.text.as_bytes();
        // the LF of a CRLF is on the line that it ends
        let within_break = offset > 0
            && bytes.get(offset as usize) == Some(&b'\n')
            && bytes[offset as usize - 1] == b'\r';
        let end = offset as usize - usize::from(within_break);
        let limit = end.saturating_sub(LONG_LINE);
        let start = match memchr::memrchr2(b'\n', b'\r', &bytes[limit..end]) {
            Some(at) => return to_u32(limit + at + 1),
            None if limit == 0 => 0,
            None => self.lines.start(self.text, offset),
        };
        match start {
            0 => to_u32(super::stream::byte_order_mark(self.text)).min(offset),
            start => start,
        }
    }

    /// Returns the start of the line of `offset`, if only spaces precede `offset` on that line.
    pub(crate) fn start_of_indent(&self, offset: u32) -> Option<u32> {
        let line = self.line_start(offset);
        let before = &self.text.as_bytes()[line as usize..offset as usize];
        before.iter().all(|byte| *byte == b' ').then_some(line)
    }

    /// Returns the end of the line of `offset`, without its line break.
    #[inline]
    pub fn line_end(&self, offset: u32) -> u32 {
        // most calls are about the end of a value, which is mostly the end of its line
        if self.is_line_end(offset) {
            return offset;
        }
        let bytes = self.text.as_bytes();
        let limit = bytes.len().min(offset as usize + LONG_LINE);
        match memchr::memchr2(b'\n', b'\r', &bytes[offset as usize..limit]) {
            Some(at) => offset + to_u32(at),
            None if limit == bytes.len() => to_u32(limit),
            None => self.lines.end(self.text, offset),
        }
    }

    /// Returns the span of a field's key with its tag, and with the white space in front of its
    /// colon if that is on the same line. `None` for an element.
    pub(crate) fn span_to_colon(&self, entry: Entry<'_>) -> Option<Span> {
        let key = self.node(entry.key?);
        let Span { start, end } = key.span_with_tag();
        let is_apart = |at: &u32| *at > end && self.white_space_before(*at).start == end;
        let colon = entry.colon().filter(is_apart);
        Some(Span::new(start, colon.unwrap_or(end)))
    }

    /// Returns the white space between the colon of a field and its value or the end of the line.
    /// `None` if a comment follows, or a block collection, whose column depends on it.
    pub(crate) fn white_space_behind_key(&self, entry: Entry<'_>) -> Option<Span> {
        let start = entry.colon()? + 1;
        let rest = &self.text.as_bytes()[start as usize..];
        let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let end = start + to_u32(spaces.count());
        let is_comment = self.text.as_bytes().get(end as usize) == Some(&b'#');
        let is_alone = self.is_line_end(end) || !self.is_block_collection(entry.value);
        (is_alone && !is_comment).then_some(Span::new(start, end))
    }

    /// Returns the white space before `offset` on its line.
    pub(crate) fn white_space_before(&self, offset: u32) -> Span {
        let before = &self.text[..offset as usize];
        Span::new(to_u32(before.trim_end_matches([' ', '\t']).len()), offset)
    }

    /// Whether a line break or the end of the text is at `offset`.
    #[inline]
    pub(crate) fn is_line_end(&self, offset: u32) -> bool {
        let next = self.text.as_bytes().get(offset as usize);
        matches!(next, None | Some(b'\n' | b'\r'))
    }

    /// Returns the start of the line after that of `offset`, or the end of the text.
    pub fn next_line(&self, offset: u32) -> u32 {
        let end = self.line_end(offset);
        match &self.text.as_bytes()[end as usize..] {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        }
    }

    /// Returns the number of bytes before `offset` on its line.
    pub fn column(&self, offset: u32) -> u32 {
        offset - self.line_start(offset)
    }

    /// Returns the number of the line of `offset`, from 0.
    pub fn line_number(&self, offset: u32) -> usize {
        self.lines.number(self.text, offset)
    }
}

/// Returns an error for a text that no reader accepts: it is too long, or it has a NUL character.
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
            "a NUL character, which YAML does not allow",
        )),
        None => Ok(()),
    }
}
