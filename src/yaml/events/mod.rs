//! Builds the tree from the parser's events.
//!
//! The parser says what a document means, and the positions are read from the text. After each
//! event, the cursor skips white space and comments, reads the indicators that the structure
//! requires, and finds the end of the node that the event names. Each of them has to be in the text
//! where the cursor is: if the text and the events do not match, the result is an error.

use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::{ScanError, TScalarStyle};

use super::builder::{DEPTH_LIMIT, TreeBuilder};
use super::cursor::Cursor;
use super::error::ParseError;
use super::stored::Tree;
use super::stream::{byte_order_mark, is_marker_line};
use super::tree::{NodeId, Properties, Span};
use super::workarounds::Workarounds;
use crate::line_breaks::line_end;

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
    let mut workarounds = Workarounds::default();
    loop {
        match read(text, start, &workarounds.padded(text, start)) {
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
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Parser(#[from] ScanError),
    #[error(transparent)]
    Tree(#[from] ParseError),
}

/// Reads a document. `source` is its text as the parser gets it.
fn read<'s>(
    text: &'s str,
    start: usize,
    source: &str,
) -> std::result::Result<Option<Tree<'s>>, Failure> {
    let mut parser = Parser::new(source.chars());
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
            Event::Scalar(content, style, anchor, tag) => {
                reader.scalar(content, style, anchor, tag)?;
            }
            Event::Alias(anchor) => reader.alias(anchor)?,
            Event::MappingStart(anchor, tag) => reader.collection_start(true, anchor, tag)?,
            Event::SequenceStart(anchor, tag) => reader.collection_start(false, anchor, tag)?,
            Event::MappingEnd | Event::SequenceEnd => reader.collection_end()?,
        }
    }
    reader.document_end(&mut parser)?;
    Ok(Some(reader.builder.tree))
}

impl<'s> EventReader<'s> {
    fn new(text: &'s str, start: usize) -> Self {
        Self {
            cursor: Cursor { text, pos: start },
            builder: TreeBuilder::new(Tree::new(text, 0), start),
            frames: Vec::new(),
            anchors: Vec::new(),
            aliased_nodes: 0,
            last_end: start,
            marker: None,
        }
    }

    /// Returns an error for a text that does not match the events.
    pub(super) fn mismatch(&self, what: &str) -> ParseError {
        ParseError::new(self.cursor.pos, format!("cannot locate {what} in the text"))
    }

    /// Skips white space and comments, and assigns the comments to entries. Returns whether there
    /// was a line break.
    pub(super) fn skip_trivia(&mut self) -> bool {
        let (has_break, comment) = self.cursor.trivia();
        if let Some(comment) = comment {
            self.add_comment(comment);
        }
        has_break
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
        let at_directive = |cursor: &Cursor<'_>| {
            cursor.peek() == Some(b'%') && cursor.line_start(cursor.pos) == cursor.pos
        };
        while at_directive(&self.cursor) || self.at_marker("...") {
            self.cursor.pos = line_end(self.cursor.text, self.cursor.pos);
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
