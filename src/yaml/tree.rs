//! The nodes and entries of a tree. Nodes are spans of its text, and entries own comments.
//!
//! All positions are byte offsets into [`Tree::text`](super::Tree::text).

use std::num::NonZeroU32;
use std::ops::Range;

/// A range of a document's text in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The end, exclusive.
    pub end: u32,
}

/// The identifier of a node of a [`Tree`](super::Tree).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(NonZeroU32);

/// The identifier of an entry of a [`Tree`](super::Tree): a field of a map or an element of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(NonZeroU32);

impl NodeId {
    pub(crate) const fn new(number: u32) -> Self {
        Self(one_more(number))
    }

    /// Returns the index of the node.
    pub(crate) const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

impl EntryId {
    pub(crate) const fn new(number: u32) -> Self {
        Self(one_more(number))
    }

    /// Returns the index of the entry.
    pub(crate) const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// Returns `number + 1`, so that an `Option` of an identifier needs no extra bytes. It does not
/// saturate, because texts are too short to have that many nodes.
const fn one_more(number: u32) -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(number)
}

/// A scalar, a map, a list, or an alias of a [`Tree`](super::Tree).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'t> {
    /// The text of the node, without its anchor and tag.
    ///
    /// - A block collection: from the start of its first entry to the end of its last entry.
    /// - A flow collection: from bracket to bracket.
    /// - A quoted scalar: from quote to quote.
    /// - A block scalar: from its `|` or `>` to the end of its last line, without the line break.
    ///   With `+`, blank lines that belong to the value are included.
    /// - An empty scalar: an empty span right after the preceding indicator or property.
    pub span: Span,
    /// The kind of the node, with its content.
    pub kind: NodeKind<'t>,
    pub(super) properties: Properties,
}

/// A node's anchor and tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Properties {
    pub(super) anchor: Option<Span>,
    pub(super) tag: Option<Span>,
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind<'t> {
    /// A scalar.
    Scalar(Scalar<'t>),
    /// A map, whose entries have keys.
    Mapping(Collection),
    /// A list, whose entries have no keys.
    Sequence(Collection),
    /// An alias (`*name`) of the node with that anchor.
    Alias(NodeId),
}

/// A scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar<'t> {
    /// The style in the text.
    pub style: ScalarStyle,
    /// The type that a reader resolves it to.
    pub scalar_type: ScalarType,
    /// The content, with escapes resolved and lines folded.
    pub content: &'t str,
}

/// The style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarStyle {
    /// No quotes.
    Plain,
    /// `'...'`
    SingleQuoted,
    /// `"..."`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// The type of a scalar for readers of YAML 1.1 or 1.2 (rules: Equality).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// `null`, `~`, or nothing.
    Null,
    /// `true` and `false`, and in YAML 1.1 also `on`, `yes`, `n` and the like.
    Bool,
    /// An integer, in any notation.
    Int,
    /// A floating point number.
    Float,
    /// A date.
    Timestamp,
    /// The merge key, `<<`.
    Merge,
    /// Text.
    Str,
    /// A value with a custom tag, whose meaning depends on the application.
    Custom,
}

/// The form of a map or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Whether it is in flow style (`{}`, `[]`). This includes the pair in `[a: b]`, a map without
    /// brackets of its own, whose span starts with its key.
    pub flow: bool,
}

/// A field of a map, an element of a list, or the root of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The key of a field. An element has none.
    pub key: Option<NodeId>,
    /// The value.
    pub value: NodeId,
    /// The text of the entry: from its first byte (`-`, `?`, or the key with its anchor and tag) to
    /// the end of its value, or to the end of its indicator if it has no value. In a flow
    /// collection, the comma is not included.
    pub span: Span,
    pub(super) colon: Option<u32>,
    pub(super) comma: Option<u32>,
    pub(super) comments: Option<&'t Comments>,
}

/// The comments that an entry owns (rules: Text). The span of a missing comment is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Comments {
    /// The comment on the line of the key (or dash), unless an inner entry owns it: from `#` to the
    /// last byte, without trailing white space and line break.
    pub line: Span,
    /// The comment on the line where the entry ends, if that is another line than that of the key,
    /// unless an inner entry owns it.
    pub tail: Span,
}

impl Node<'_> {
    /// Returns the anchor, with its `&`.
    pub const fn anchor(&self) -> Option<Span> {
        self.properties.anchor
    }

    /// Returns the tag, with its `!`.
    pub const fn tag(&self) -> Option<Span> {
        self.properties.tag
    }

    /// Returns the span of the node with its tag.
    pub(crate) fn span_with_tag(&self) -> Span {
        let start = self.tag().map_or(self.span.start, |tag| tag.start);
        Span::new(start, self.span.end)
    }
}

impl Entry<'_> {
    /// Returns the offset of the `:` of a field.
    pub const fn colon(&self) -> Option<u32> {
        self.colon
    }

    /// Returns the offset of the comma after an entry of a flow collection.
    pub fn comma(&self) -> Option<u32> {
        self.comma
    }

    /// Returns the comments of the entry.
    pub fn comments(&self) -> Comments {
        self.comments.copied().unwrap_or_default()
    }
}

impl ScalarStyle {
    /// Whether this is a block style, `|` or `>`.
    pub const fn is_block(self) -> bool {
        matches!(self, Self::Literal | Self::Folded)
    }
}

impl Comments {
    /// Returns the comment beside the value: on the line of the key, or else on the line where the
    /// value ends.
    pub const fn beside(&self) -> Span {
        if self.line.is_empty() {
            self.tail
        } else {
            self.line
        }
    }

    /// Returns the comment on the line where the value ends, if there also is one on the line of
    /// the key.
    pub const fn behind(&self) -> Span {
        if self.line.is_empty() {
            self.line
        } else {
            self.tail
        }
    }
}

impl Span {
    /// Returns the span from `start` to `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Whether the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Returns the span as a range for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<u32>> for Span {
    fn from(range: Range<u32>) -> Self {
        Self::new(range.start, range.end)
    }
}
