//! From the parser's events to the tree.
//!
//! The parser says what a document means; where things stand is read from the text, event by event: after each one the
//! cursor steps over white space and comments, reads the indicators that the structure demands, and looks for the end
//! of what the event names. Where text and events do not agree, it is an error, never a wrong span.

use std::borrow::Cow;
use std::str::Chars;

use rustc_hash::FxHashMap;
use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::{Marker, TScalarStyle};

use super::comments::{Above, give, span};
use super::cursor::Cursor;
use super::error::{ParseError, TEMPLATE_HELP, looks_like_template};
use super::keys;
use super::marks::Marks;
use super::scalar::type_of_tagged;
use super::stream::byte_order_mark;
use super::tree::{
    Collection, Comments, Entry, Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Span,
    Tree,
};

/// How deep collections may be nested, what an alias stands for included.
pub(crate) const DEPTH_LIMIT: usize = 512;

/// What an entry has while its value is still to come.
const NO_NODE: NodeId = NodeId(u32::MAX);
/// Where a collection ends that is still open.
const OPEN: u32 = u32::MAX;

type Result<T> = std::result::Result<T, ParseError>;

/// A collection that is being read.
struct Frame {
    shape: Shape,
    node: NodeId,
    /// Its first entry in [`Builder::open`].
    first: usize,
    /// In a map: the key was read, the value is next.
    after_key: bool,
    anchor: usize,
    /// The height of its highest child.
    height: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    BlockMap,
    BlockList,
    FlowMap,
    FlowList,
    /// A single pair inside a flow list, without brackets of its own.
    FlowPair,
}

/// What a node is to what holds it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Element,
    Key,
    Value,
}

/// A node's anchor and tag.
#[derive(Default)]
struct Properties {
    anchor: Option<Span>,
    tag: Option<Span>,
}

struct Builder<'s> {
    cursor: Cursor<'s>,
    marks: Marks<'s>,
    nodes: Vec<Node<'s>>,
    entries: Vec<Entry>,
    root: Entry,
    custom_tags: FxHashMap<NodeId, Box<str>>,
    /// The entries of the collections that are being read, the outer ones' first.
    open: Vec<Entry>,
    frames: Vec<Frame>,
    /// By the parser's number of the anchor: the node and its height.
    anchors: Vec<(NodeId, usize)>,
    /// The end of the last indicator, property or scalar.
    last_end: usize,
    above: Option<Above>,
    /// The comment lines right above the root.
    root_above: Option<Above>,
    /// The `---`, where there is one.
    marker: Option<usize>,
}

/// Reads one document's text.
pub(crate) fn parse(text: &str) -> Result<Option<Tree<'_>>> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::new(0, "a document of 4 GiB or more"));
    }
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        return Err(ParseError::new(
            at,
            "a NUL character, which no YAML can hold",
        ));
    }
    let start = byte_order_mark(text);
    let mut parser = Parser::new_from_str(&text[start..]);
    let mut builder = Builder::new(text, start);
    loop {
        let (event, mark) = parser
            .next_token()
            .map_err(|error| ParseError::from_scan(text, &error, &mut builder.marks))?;
        match event {
            Event::Nothing | Event::StreamStart => {}
            Event::StreamEnd => return Ok(None),
            Event::DocumentStart => builder.document_start()?,
            Event::DocumentEnd => break,
            Event::Scalar(content, TScalarStyle::Plain, 0, None)
                if content.is_empty() && builder.frames.is_empty() =>
            {
                builder.document_end(&mut parser)?;
                return Ok(None);
            }
            event => builder.event(event, mark)?,
        }
    }
    builder.document_end(&mut parser)?;
    Ok(Some(Tree {
        text,
        nodes: builder.nodes,
        entries: builder.entries,
        root: builder.root,
        custom_tags: builder.custom_tags,
    }))
}

impl<'s> Builder<'s> {
    fn new(text: &'s str, start: usize) -> Self {
        Self {
            cursor: Cursor { text, pos: start },
            marks: Marks::new(text, start),
            nodes: Vec::new(),
            entries: Vec::new(),
            root: new_entry(start),
            custom_tags: FxHashMap::default(),
            open: Vec::new(),
            frames: Vec::new(),
            anchors: Vec::new(),
            last_end: start,
            above: None,
            root_above: None,
            marker: None,
        }
    }

    fn event(&mut self, event: Event, mark: Marker) -> Result<()> {
        match event {
            Event::Scalar(content, style, anchor, tag) => {
                self.scalar(content, style, anchor, tag, mark)
            }
            Event::Alias(anchor) => self.alias(anchor, mark),
            Event::MappingStart(anchor, tag) => self.collection_start(true, anchor, tag),
            Event::SequenceStart(anchor, tag) => self.collection_start(false, anchor, tag),
            Event::MappingEnd | Event::SequenceEnd => self.collection_end(),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd => Err(self.lost("the end of the document")),
        }
    }

    /// Text and events do not agree.
    fn lost(&self, what: &str) -> ParseError {
        ParseError::new(self.cursor.pos, format!("cannot locate {what} in the text"))
    }

    /// Steps over white space and comments, and gives the comments to their owners.
    fn skip_trivia(&mut self) -> bool {
        let from = self.cursor.pos;
        let trivia = self.cursor.trivia();
        if let Some(comment) = trivia.trailing {
            self.give(comment);
        }
        if self.cursor.pos > from {
            self.above = trivia.above;
        }
        trivia.broke
    }

    /// Gives the comment to the innermost entry that is being read.
    fn give(&mut self, comment: Span) {
        let line_start = self.cursor.line_start(comment.start as usize);
        let (entry, first_line) = match self.open.last_mut() {
            Some(entry) => {
                let start = entry.span.start as usize;
                (entry, start)
            }
            None => {
                let start = self.marker.unwrap_or(self.root.span.start as usize);
                (&mut self.root, start)
            }
        };
        let ends_here = entry.value != NO_NODE && entry.span.end as usize >= line_start;
        give(entry, comment, first_line >= line_start, ends_here);
    }

    fn document_start(&mut self) -> Result<()> {
        if self.root.value != NO_NODE {
            return Err(ParseError::new(
                self.cursor.pos,
                "a second document without a `---` line",
            ));
        }
        self.skip_trivia();
        while self.cursor.peek() == Some(b'%')
            && self.cursor.line_start(self.cursor.pos) == self.cursor.pos
        {
            self.cursor.pos = self.cursor.line_end(self.cursor.pos);
            self.cursor.trivia();
        }
        let at = self.cursor.pos;
        let is_marker = self.cursor.text[at..].starts_with("---")
            && self.cursor.line_start(at) == at
            && self
                .cursor
                .bytes()
                .get(at + 3)
                .is_none_or(u8::is_ascii_whitespace);
        if is_marker {
            self.marker = Some(at);
            self.cursor.pos = at + 3;
            self.last_end = at + 3;
            self.above = None;
        }
        Ok(())
    }

    /// Nothing but comments and `...` may follow.
    fn document_end(&mut self, parser: &mut Parser<Chars<'_>>) -> Result<()> {
        self.skip_trivia();
        while self.cursor.text[self.cursor.pos..].starts_with("...") {
            self.cursor.pos += 3;
            self.cursor.trivia();
        }
        loop {
            let (event, _) = parser.next_token().map_err(|error| {
                ParseError::from_scan(self.cursor.text, &error, &mut self.marks)
            })?;
            match event {
                Event::StreamEnd if self.cursor.peek().is_none() => return Ok(()),
                Event::DocumentEnd => {}
                Event::DocumentStart => {
                    let message = "a second document without a `---` line";
                    return Err(ParseError::new(self.cursor.pos, message));
                }
                _ => return Err(self.lost("the end of the document")),
            }
        }
    }

    // Where a node stands in what holds it

    /// Reads the indicators before the node that comes next.
    fn enter(&mut self, empty: bool) -> Result<Role> {
        let Some(frame) = self.frames.last() else {
            self.skip_trivia();
            self.root.span.start = span(self.cursor.pos, 0).start;
            self.root_above = self.above.filter(|above| above.at == self.cursor.pos);
            return Ok(Role::Root);
        };
        let (shape, after_key) = (frame.shape, frame.after_key);
        if after_key {
            self.colon(shape, empty)?;
            return Ok(Role::Value);
        }
        if matches!(shape, Shape::FlowMap | Shape::FlowList) {
            self.separator()?;
        }
        self.skip_trivia();
        let start = self.cursor.pos;
        let mut entry = new_entry(start);
        if let Some(above) = self.above.take_if(|above| above.at == start) {
            entry.comments.leading = above.lines;
        }
        self.open.push(entry);
        match shape {
            Shape::BlockList if self.cursor.at_indicator(b'-') => self.indicator(),
            Shape::BlockList => return Err(self.lost("a `-`")),
            Shape::FlowList => return Ok(Role::Element),
            Shape::BlockMap | Shape::FlowMap | Shape::FlowPair => {
                if self.cursor.at_indicator(b'?') {
                    self.indicator();
                } else {
                    self.last_end = start;
                }
                return Ok(Role::Key);
            }
        }
        Ok(Role::Element)
    }

    fn indicator(&mut self) {
        self.cursor.pos += 1;
        self.last_end = self.cursor.pos;
    }

    /// The comma before an entry of a flow collection that is not its first.
    fn separator(&mut self) -> Result<()> {
        if self
            .frames
            .last()
            .is_none_or(|frame| frame.first == self.open.len())
        {
            return Ok(());
        }
        self.skip_trivia();
        if self.cursor.peek() != Some(b',') {
            return Err(self.lost("a `,`"));
        }
        self.comma();
        Ok(())
    }

    fn comma(&mut self) {
        if let Some(entry) = self.open.last_mut() {
            entry.comma = Some(span(self.cursor.pos, 0).start);
        }
        self.cursor.pos += 1;
    }

    /// The colon after a key; there is none after a key that has no value.
    fn colon(&mut self, shape: Shape, empty: bool) -> Result<()> {
        let broke = self.skip_trivia();
        let at = self.cursor.pos;
        let here = match shape {
            Shape::BlockMap => {
                self.cursor.at_indicator(b':')
                    && (!broke || self.cursor.column(at) == self.block_column().unwrap_or(0))
            }
            _ => self.cursor.peek() == Some(b':'),
        };
        if here {
            self.indicator();
            if let Some(entry) = self.open.last_mut() {
                entry.colon = Some(span(at, 0).start);
            }
            return Ok(());
        }
        if empty {
            Ok(())
        } else {
            Err(self.lost("a `:`"))
        }
    }

    /// The column of the innermost block collection.
    fn block_column(&self) -> Option<usize> {
        let frame = self.frames.last()?;
        let entry = self.open.get(frame.first)?;
        Some(self.cursor.column(entry.span.start as usize))
    }

    /// The anchor and the tag that the event says are there.
    fn properties(&mut self, anchor: usize, tag: Option<&Tag>) -> Result<Properties> {
        let mut properties = Properties::default();
        let in_flow = self.frames.last().is_some_and(|frame| {
            matches!(
                frame.shape,
                Shape::FlowList | Shape::FlowMap | Shape::FlowPair
            )
        });
        for _ in 0..usize::from(anchor > 0) + usize::from(tag.is_some()) {
            self.skip_trivia();
            let start = self.cursor.pos;
            let (slot, end) = match self.cursor.peek() {
                Some(b'&') => (&mut properties.anchor, self.cursor.anchor_end()),
                Some(b'!') => (&mut properties.tag, self.cursor.tag_end(in_flow)),
                _ => return Err(self.lost("an anchor or a tag")),
            };
            if slot.replace(span(start, end)).is_some() {
                return Err(self.lost("an anchor or a tag"));
            }
            self.cursor.pos = end;
            self.last_end = end;
        }
        Ok(properties)
    }

    /// The parser saw the node where the cursor stands.
    fn agree(&mut self, mark: Marker) -> Result<()> {
        if self.marks.byte(mark.index()) == self.cursor.pos {
            Ok(())
        } else {
            Err(self.lost("a value"))
        }
    }

    // The nodes

    fn scalar(
        &mut self,
        content: String,
        style: TScalarStyle,
        anchor: usize,
        tag: Option<Tag>,
        mark: Marker,
    ) -> Result<()> {
        let is_empty = style == TScalarStyle::Plain && content.is_empty();
        let role = self.enter(is_empty && anchor == 0 && tag.is_none())?;
        let properties = self.properties(anchor, tag.as_ref())?;
        let span = if is_empty {
            span(self.last_end, self.last_end)
        } else {
            self.skip_trivia();
            self.scalar_span(&content, style, mark)?
        };
        let (style, quotes) = match style {
            TScalarStyle::Plain => (ScalarStyle::Plain, 0),
            TScalarStyle::SingleQuoted => (ScalarStyle::SingleQuoted, 1),
            TScalarStyle::DoubleQuoted => (ScalarStyle::DoubleQuoted, 1),
            TScalarStyle::Literal => (ScalarStyle::Literal, 0),
            TScalarStyle::Folded => (ScalarStyle::Folded, 0),
        };
        let source = &self.cursor.text[span.start as usize + quotes..span.end as usize - quotes];
        let content = if source == content {
            Cow::Borrowed(source)
        } else {
            Cow::Owned(content)
        };
        let tag = tag.map(full_tag);
        let scalar_type = type_of_tagged(&content, style, tag.as_deref());
        let id = self.push(
            span,
            properties,
            NodeKind::Scalar(Scalar {
                style,
                scalar_type,
                content,
            }),
        );
        if scalar_type == ScalarType::Custom {
            self.custom_tags.extend(tag.map(|tag| (id, tag)));
        }
        self.anchor(anchor, id, 0);
        self.complete(role, id, span.end);
        self.comment_after();
        Ok(())
    }

    fn scalar_span(&mut self, content: &str, style: TScalarStyle, mark: Marker) -> Result<Span> {
        let start = self.cursor.pos;
        let end = match style {
            TScalarStyle::Plain => {
                self.agree(mark)?;
                self.cursor.plain_end(content)
            }
            TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted => {
                self.agree(mark)?;
                let quote = matches!(self.cursor.peek(), Some(b'\'' | b'"'));
                quote.then(|| self.cursor.quoted_end()).flatten()
            }
            TScalarStyle::Literal | TScalarStyle::Folded => {
                let header = matches!(self.cursor.peek(), Some(b'|' | b'>'));
                header.then(|| self.block_scalar())
            }
        };
        let Some(end) = end else {
            return Err(self.lost("a value"));
        };
        self.cursor.pos = end;
        self.last_end = end;
        Ok(span(start, end))
    }

    fn block_scalar(&mut self) -> usize {
        let block = self.cursor.block_scalar(self.block_column());
        if let Some((start, end)) = block.comment {
            self.give(span(start, end));
        }
        block.end
    }

    fn alias(&mut self, anchor: usize, mark: Marker) -> Result<()> {
        let role = self.enter(false)?;
        self.skip_trivia();
        self.agree(mark)?;
        let start = self.cursor.pos;
        if self.cursor.peek() != Some(b'*') {
            return Err(self.lost("an alias"));
        }
        let end = self.cursor.anchor_end();
        let Some((target, height)) = self.anchors.get(anchor).copied() else {
            return Err(self.lost("an alias' anchor"));
        };
        let node = &self.nodes[target.0 as usize];
        if node.span.end == OPEN {
            return Err(ParseError::new(start, "an alias inside what it stands for"));
        }
        if role == Role::Key && !matches!(node.kind, NodeKind::Scalar(_)) {
            return Err(self.complex_key(start));
        }
        self.cursor.pos = end;
        self.last_end = end;
        self.raise(height);
        let span = span(start, end);
        let id = self.push(span, Properties::default(), NodeKind::Alias(target));
        self.complete(role, id, span.end);
        self.comment_after();
        Ok(())
    }

    fn collection_start(&mut self, map: bool, anchor: usize, tag: Option<Tag>) -> Result<()> {
        let role = self.enter(false)?;
        let properties = self.properties(anchor, tag.as_ref())?;
        self.skip_trivia();
        let start = self.cursor.pos;
        if role == Role::Key {
            return Err(self.complex_key(start));
        }
        if self.frames.len() == DEPTH_LIMIT {
            return Err(too_deep(start));
        }
        let in_list = self
            .frames
            .last()
            .is_some_and(|frame| frame.shape == Shape::FlowList);
        let shape = match (map, self.cursor.peek()) {
            (true, Some(b'{')) => Shape::FlowMap,
            (false, Some(b'[')) => Shape::FlowList,
            (true, _) if in_list && anchor == 0 && tag.is_none() => Shape::FlowPair,
            (true, _) => Shape::BlockMap,
            (false, _) => Shape::BlockList,
        };
        let collection = Collection {
            flow: !matches!(shape, Shape::BlockMap | Shape::BlockList),
            entries: 0..0,
        };
        let kind = if map {
            NodeKind::Mapping(collection)
        } else {
            NodeKind::Sequence(collection)
        };
        let open = Span::new(span(start, 0).start, OPEN);
        let node = self.push(open, properties, kind);
        let core = if map {
            "tag:yaml.org,2002:map"
        } else {
            "tag:yaml.org,2002:seq"
        };
        if let Some(tag) = tag
            .map(full_tag)
            .filter(|tag| &**tag != core && &**tag != "!")
        {
            self.custom_tags.insert(node, tag);
        }
        self.anchor(anchor, node, 0);
        if matches!(shape, Shape::FlowMap | Shape::FlowList) {
            self.indicator();
        }
        self.frames.push(Frame {
            shape,
            node,
            first: self.open.len(),
            after_key: false,
            anchor,
            height: 0,
        });
        Ok(())
    }

    fn complex_key(&self, at: usize) -> ParseError {
        let error = ParseError::new(at, "a key that is a map or a list");
        if looks_like_template(self.cursor.text, at) {
            error.with_help(TEMPLATE_HELP)
        } else {
            error.with_help(
                "merge3 merges maps whose keys are scalars; quote the key if it is meant as text",
            )
        }
    }

    fn collection_end(&mut self) -> Result<()> {
        let Some(frame) = self.frames.last() else {
            return Err(self.lost("the end of a collection"));
        };
        let (shape, node) = (frame.shape, frame.node);
        match shape {
            Shape::FlowMap => self.closing(b'}')?,
            Shape::FlowList => self.closing(b']')?,
            Shape::BlockMap | Shape::BlockList | Shape::FlowPair => {}
        }
        let Some(frame) = self.frames.pop() else {
            return Err(self.lost("the end of a collection"));
        };
        if frame.after_key {
            return Err(self.lost("a value"));
        }
        let bracketed = matches!(shape, Shape::FlowMap | Shape::FlowList);
        let end = if bracketed {
            span(self.cursor.pos, 0).start
        } else {
            self.open[frame.first..]
                .last()
                .map_or(span(self.last_end, 0).start, |last| last.span.end)
        };
        let from = self.entries.len();
        self.entries.extend(self.open.drain(frame.first..));
        if matches!(shape, Shape::BlockMap | Shape::FlowMap) {
            keys::check(
                self.cursor.text,
                &self.nodes,
                &self.entries[from..],
                &self.custom_tags,
            )?;
        }
        let range = span(from, self.entries.len());
        let opened = &mut self.nodes[node.0 as usize];
        opened.span.end = end;
        if let NodeKind::Mapping(collection) | NodeKind::Sequence(collection) = &mut opened.kind {
            collection.entries = range.start..range.end;
        }
        let height = frame.height + 1;
        if height > DEPTH_LIMIT {
            return Err(too_deep(opened.span.start as usize));
        }
        self.anchor(frame.anchor, node, height);
        self.raise(height);
        let role = match self.frames.last() {
            None => Role::Root,
            Some(frame) if frame.after_key => Role::Value,
            Some(_) => Role::Element,
        };
        self.complete(role, node, end);
        if bracketed {
            self.comment_after();
        }
        Ok(())
    }

    /// The bracket that ends a flow collection, and a comma before it.
    fn closing(&mut self, bracket: u8) -> Result<()> {
        self.skip_trivia();
        let has_entries = self
            .frames
            .last()
            .is_some_and(|frame| frame.first < self.open.len());
        if has_entries && self.cursor.peek() == Some(b',') {
            self.comma();
            self.skip_trivia();
        }
        if self.cursor.peek() != Some(bracket) {
            return Err(self.lost("a closing bracket"));
        }
        self.indicator();
        Ok(())
    }

    fn push(&mut self, span: Span, properties: Properties, kind: NodeKind<'s>) -> NodeId {
        // there are no more nodes than bytes
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node {
            span,
            anchor: properties.anchor,
            tag: properties.tag,
            kind,
        });
        id
    }

    /// Remembers the node that an anchor stands at.
    fn anchor(&mut self, anchor: usize, node: NodeId, height: usize) {
        if anchor == 0 {
            return;
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, (NO_NODE, 0));
        }
        self.anchors[anchor] = (node, height);
    }

    fn raise(&mut self, height: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.height = frame.height.max(height);
        }
    }

    /// A node is whole: what holds it gets it.
    fn complete(&mut self, role: Role, node: NodeId, end: u32) {
        let entry = match role {
            Role::Root => {
                if self.owns_lines_above(node) {
                    self.root.comments.leading =
                        self.root_above.map_or(Span::default(), |above| above.lines);
                }
                Some(&mut self.root)
            }
            _ => self.open.last_mut(),
        };
        if let Some(entry) = entry {
            if role == Role::Key {
                entry.key = Some(node);
            } else {
                entry.value = node;
            }
            entry.span.end = end;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.after_key = role == Role::Key;
        }
    }

    /// Above a block collection at the root, comment lines are its first entry's.
    fn owns_lines_above(&self, root: NodeId) -> bool {
        match &self.nodes[root.0 as usize].kind {
            NodeKind::Mapping(collection) | NodeKind::Sequence(collection) => collection.flow,
            NodeKind::Scalar(_) | NodeKind::Alias(_) => true,
        }
    }

    /// The comment after a value, while the innermost entry is still at hand.
    fn comment_after(&mut self) {
        if let Some(comment) = self.cursor.comment_on_line() {
            self.give(comment);
        }
    }
}

fn too_deep(at: usize) -> ParseError {
    ParseError::new(at, format!("nested deeper than {DEPTH_LIMIT} levels"))
}

fn new_entry(start: usize) -> Entry {
    Entry {
        key: None,
        value: NO_NODE,
        span: span(start, start),
        colon: None,
        comma: None,
        comments: Comments::default(),
    }
}

/// A tag as the parser resolved it.
fn full_tag(tag: Tag) -> Box<str> {
    (tag.handle + &tag.suffix).into_boxed_str()
}
