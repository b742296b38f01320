//! Builds the tree from the parser's events.
//!
//! The parser says what a document means, and the positions are read from the text. After each
//! event, the cursor skips white space and comments, reads the indicators that the structure
//! requires, and finds the end of the node that the event names. Each of them has to be in the text
//! where the cursor is: if the text and the events do not match, the result is an error.

use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::{ScanError, TScalarStyle};

use super::builder::{DEPTH_LIMIT, Role, TreeBuilder};
use super::cursor::Cursor;
use super::error::ParseError;
use super::stored::Tree;
use super::stream::{byte_order_mark, is_marker_line};
use super::tree::{NodeId, Properties, Span};
use super::workarounds::Workarounds;

/// The maximum number of nodes that the aliases of a document may expand to. A few lines with
/// aliases of aliases can expand to more than fits into memory.
const REPETITION_LIMIT: usize = 1_000_000;

mod indicators;
mod nodes;

type Result<T> = std::result::Result<T, ParseError>;

/// A collection that is being read.
struct Frame {
    shape: Shape,
    node: NodeId,
    /// Whether the key of a map was read, so that the value is next.
    after_key: bool,
    anchor: usize,
    /// The size of its content so far.
    extent: Extent,
}

/// The size of a node, with the nodes that its aliases refer to.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// The depth of the collections in it.
    height: usize,
    /// The number of nodes in it.
    nodes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    BlockMap,
    BlockList,
    FlowMap,
    FlowList,
    /// A single pair in a flow list, without brackets of its own.
    FlowPair,
}

/// Reads a document event by event.
struct EventReader<'s> {
    cursor: Cursor<'s>,
    builder: TreeBuilder<'s>,
    frames: Vec<Frame>,
    /// The anchored nodes, by the parser's number of the anchor.
    anchors: Vec<Option<(NodeId, Extent)>>,
    /// The number of nodes that all aliases together refer to.
    aliased_nodes: usize,
    /// The end of the last indicator, property or scalar.
    last_end: usize,
    /// The offset of the `---`, if there is one.
    marker: Option<usize>,
}

/// Parses a document with the parser.
pub(crate) fn parse(text: &str) -> Result<Option<Tree<'_>>> {
    let start = byte_order_mark(text);
    let mut workarounds = Workarounds::none();
    loop {
        let result = if workarounds.is_empty() {
            read(text, start, text[start..].chars())
        } else {
            read(text, start, workarounds.chars(text, start))
        };
        match result {
            Ok(tree) => return Ok(tree),
            Err(Failure::Tree(error)) => return Err(error),
            Err(Failure::Parser(error)) if workarounds.add_for(text, start, &error) => {}
            Err(Failure::Parser(error)) => {
                let offset = workarounds.position(text, start, error.marker());
                return Err(ParseError::from_scan(text, offset, &error));
            }
        }
    }
}

/// The source of an error.
enum Failure {
    Parser(ScanError),
    Tree(ParseError),
}

impl From<ScanError> for Failure {
    fn from(error: ScanError) -> Self {
        Self::Parser(error)
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Self {
        Self::Tree(error)
    }
}

fn read<'s>(
    text: &'s str,
    start: usize,
    source: impl Iterator<Item = char>,
) -> std::result::Result<Option<Tree<'s>>, Failure> {
    let mut parser = Parser::new(source);
    let mut reader = EventReader::new(text, start);
    loop {
        let (event, _) = parser.next_token()?;
        match event {
            Event::Nothing | Event::StreamStart => {}
            Event::StreamEnd => return Ok(None),
            Event::DocumentStart => reader.document_start()?,
            Event::DocumentEnd => break,
            Event::Scalar(content, TScalarStyle::Plain, 0, None)
                if content.is_empty() && reader.frames.is_empty() =>
            {
                reader.document_end(&mut parser)?;
                return Ok(None);
            }
            event => reader.event(event)?,
        }
    }
    reader.document_end(&mut parser)?;
    Ok(Some(reader.builder.into_tree()))
}

impl<'s> EventReader<'s> {
    fn new(text: &'s str, start: usize) -> Self {
        Self {
            cursor: Cursor { text, pos: start },
            builder: TreeBuilder::new(Tree::new(text), start),
            frames: Vec::new(),
            anchors: Vec::new(),
            aliased_nodes: 0,
            last_end: start,
            marker: None,
        }
    }

    pub(super) fn event(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Scalar(content, style, anchor, tag) => self.scalar(content, style, anchor, tag),
            Event::Alias(anchor) => self.alias(anchor),
            Event::MappingStart(anchor, tag) => self.collection_start(true, anchor, tag),
            Event::SequenceStart(anchor, tag) => self.collection_start(false, anchor, tag),
            Event::MappingEnd | Event::SequenceEnd => self.collection_end(),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd => Err(self.mismatch("the end of the document")),
        }
    }

    /// Returns an error for a text that does not match the events.
    pub(super) fn mismatch(&self, what: &str) -> ParseError {
        ParseError::new(self.cursor.pos, format!("cannot locate {what} in the text"))
    }

    /// Skips white space and comments, and assigns the comments to entries. Returns whether there
    /// was a line break.
    pub(super) fn skip_trivia(&mut self) -> bool {
        let trivia = self.cursor.trivia();
        if let Some(comment) = trivia.trailing {
            self.add_comment(comment);
        }
        trivia.has_break
    }

    /// Assigns a comment to the innermost current entry.
    pub(super) fn add_comment(&mut self, comment: Span) {
        let line_start = self.cursor.line_start(comment.start as usize);
        self.builder.add_comment(comment, line_start, self.marker);
    }

    pub(super) fn document_start(&mut self) -> Result<()> {
        if !self.builder.has_no_root() {
            return Err(ParseError::new(self.cursor.pos, "a second document in one"));
        }
        self.skip_trivia();
        while self.at_line_start(b"%") || self.at_marker("...") {
            self.cursor.pos = self.cursor.line_end(self.cursor.pos);
            self.skip_trivia();
        }
        let at = self.cursor.pos;
        if self.at_marker("---") {
            self.marker = Some(at);
            self.cursor.pos = at + 3;
            self.last_end = at + 3;
        }
        Ok(())
    }

    /// Whether a marker (`---` or `...`) is here, with white space or the end of the text after it.
    fn at_marker(&self, marker: &str) -> bool {
        let (text, at) = (self.cursor.text, self.cursor.pos);
        text[at..].starts_with(marker) && is_marker_line(text, at)
    }

    pub(super) fn at_line_start(&self, what: &[u8]) -> bool {
        self.cursor.bytes()[self.cursor.pos..].starts_with(what)
            && self.cursor.line_start(self.cursor.pos) == self.cursor.pos
    }

    /// Reads the end of the document. Only comments and `...` may follow.
    pub(super) fn document_end(
        &mut self,
        parser: &mut Parser<impl Iterator<Item = char>>,
    ) -> std::result::Result<(), Failure> {
        self.skip_trivia();
        while self.cursor.text[self.cursor.pos..].starts_with("...") {
            self.cursor.pos += 3;
            self.cursor.trivia();
        }
        loop {
            let (event, _) = parser.next_token()?;
            match event {
                Event::StreamEnd if self.cursor.peek().is_none() => return Ok(()),
                Event::DocumentEnd => {}
                Event::DocumentStart => {
                    let message = "a second document in one";
                    return Err(ParseError::new(self.cursor.pos, message).into());
                }
                _ => return Err(self.mismatch("the end of the document").into()),
            }
        }
    }
}

fn too_many_aliases(at: usize) -> ParseError {
    ParseError::new(
        at,
        format!("the aliases up to here stand for more than {REPETITION_LIMIT} values"),
    )
    .with_help("write out what is used once or twice, and do not nest aliases in aliases")
}

fn misplaced_byte_order_mark(at: usize) -> ParseError {
    let message = "a byte order mark is only allowed at the start of a file";
    ParseError::new(at, message).with_help("remove it; most editors do not show it")
}

/// An error for `|` or `>` between brackets, which the parser reads as a plain scalar.
fn block_scalar_in_flow(at: usize) -> ParseError {
    let message = "a text that begins with `|` or `>` cannot stand between brackets";
    ParseError::new(at, message).with_help("quote it, or write what holds it without brackets")
}

fn too_deep(at: usize) -> ParseError {
    ParseError::new(at, format!("nested deeper than {DEPTH_LIMIT} levels"))
}

/// Returns a tag as the parser resolved it.
fn full_tag(tag: Tag) -> Box<str> {
    match tag.handle + &tag.suffix {
        // some parsers accept `!<>`, which names no tag
        empty if empty.is_empty() => "!".into(),
        name => name.into_boxed_str(),
    }
}

#[cfg(test)]
mod tests;
