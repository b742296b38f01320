//! The tree over a document's text: nodes are spans of it, comments are owned by entries.
//!
//! Everything is an offset into [`Tree::text`]; nothing is printed from here.

use std::num::NonZeroU32;
use std::ops::Range;

use super::line_table::LineTable;
use super::stored::Stored;

/// A stretch of a document's text, in bytes; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(NonZeroU32);

/// An entry (a field of a map, an element of a list) of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(NonZeroU32);

impl NodeId {
    pub(crate) const fn new(number: u32) -> Self {
        Self(one_more(number))
    }

    /// Its number, from 0.
    pub(crate) const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

impl EntryId {
    pub(crate) const fn new(number: u32) -> Self {
        Self(one_more(number))
    }

    /// Its number, from 0.
    pub(crate) const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// One more: so that there may be none in as few bytes. (There are no more nodes than bytes.)
const fn one_more(number: u32) -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(number)
}

/// A scalar, a map, a list, or an alias of one: what a [`Tree`] says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'t> {
    /// The node's own text, without anchor and tag.
    ///
    /// A block collection reaches from its first entry's start to its last entry's end, a flow
    /// collection from bracket to bracket, a quoted scalar from quote to quote, a block scalar from
    /// its `|` or `>` to the end of its last line that belongs to the value (without that line's
    /// line break, unless the chomping is `+` and blank lines belong to the value: then to the end
    /// of the last of those). An empty scalar is an empty span right after the indicator or
    /// property before it.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind<'t>,
    pub(super) properties: Properties,
}

/// A node's anchor and tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Properties {
    pub(super) anchor: Option<Span>,
    pub(super) tag: Option<Span>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind<'t> {
    /// A single value.
    Scalar(Scalar<'t>),
    /// A map; its entries have keys.
    Mapping(Collection),
    /// A list; its entries have none.
    Sequence(Collection),
    /// `*name`: stands for the node that carries the anchor.
    Alias(NodeId),
}

/// A single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar<'t> {
    /// How it is written.
    pub style: ScalarStyle,
    /// What a reader takes it for.
    pub scalar_type: ScalarType,
    /// What it says, escapes resolved and lines folded.
    pub content: &'t str,
}

/// How a scalar is written.
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

/// What a reader, of YAML 1.1 or of 1.2, takes a scalar for (rules: Equality).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// `null`, `~`, or nothing.
    Null,
    /// `true`, and for YAML 1.1 `on`, `yes`, `n` and their like.
    Bool,
    /// An integer in any notation.
    Int,
    /// A floating point number.
    Float,
    /// A date.
    Timestamp,
    /// The merge key, `<<`.
    Merge,
    /// Text.
    Str,
    /// Whatever an application makes of its own tag.
    Custom,
}

/// The entries of a map or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Whether it is written with brackets (`{}`, `[]`). True too for the one pair in `[a: b]`, a
    /// map without brackets of its own: its span begins with its key.
    pub flow: bool,
    /// Which of the tree's entries are its own, in the order of the text.
    pub(super) entries: Span,
}

/// A field of a map, an element of a list, or a document's root: what a [`Tree`] says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'t> {
    /// A field's key; none in a list.
    pub key: Option<NodeId>,
    /// The field's or element's value.
    pub value: NodeId,
    /// From its first byte (`-`, `?`, or the key with its anchor and tag) to the last byte of its
    /// value; where there is no value, to the end of its indicator. In a flow collection without
    /// the comma.
    pub span: Span,
    pub(super) colon: Option<u32>,
    pub(super) comma: Option<u32>,
    /// Few have any.
    pub(super) extras: Option<&'t Extras>,
}

/// What most entries have not got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extras {
    pub(super) comma: Option<u32>,
    pub(super) comments: Comments,
}

/// The comments that an entry owns (rules: Text); an empty span where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Comments {
    /// The comment lines right above it, no blank line between: from the first one's line start to
    /// the last one's line end, its line break included.
    pub leading: Span,
    /// The comment on the line of its key (or dash), where no entry inside it owns that comment:
    /// from `#` to its last byte, without white space at the end and line break.
    pub line: Span,
    /// The comment on the line where it ends, where that is not the line of its key and no entry
    /// inside it owns that comment.
    pub tail: Span,
}

/// A document's nodes over its text.
#[derive(Debug, Clone)]
pub struct Tree<'s> {
    pub(super) stored: Stored<'s>,
    pub(super) lines: LineTable,
}

impl Node<'_> {
    /// The anchor, with its `&`.
    pub const fn anchor(&self) -> Option<Span> {
        self.properties.anchor
    }

    /// The tag, with its `!`.
    pub const fn tag(&self) -> Option<Span> {
        self.properties.tag
    }
}

impl Entry<'_> {
    /// Where the `:` of a field stands.
    pub const fn colon(&self) -> Option<u32> {
        self.colon
    }

    /// Where the comma after an entry of a flow collection stands.
    pub fn comma(&self) -> Option<u32> {
        self.comma
    }

    /// The comments that are its own.
    pub fn comments(&self) -> Comments {
        self.extras
            .map_or_else(Comments::default, |extras| extras.comments)
    }
}

impl Extras {
    /// Nothing but a comma, or not even that.
    pub(super) fn with_comma(comma: Option<u32>) -> Self {
        Self {
            comma,
            ..Self::default()
        }
    }
}

impl ScalarStyle {
    /// Whether it has lines of its own below: `|` or `>`.
    pub const fn is_block(self) -> bool {
        matches!(self, Self::Literal | Self::Folded)
    }
}

impl Comments {
    /// The comment beside the value: on its key's line, or, where none is there, on the line where
    /// it ends.
    pub const fn beside(&self) -> Span {
        if self.line.is_empty() {
            self.tail
        } else {
            self.line
        }
    }

    /// A second comment, on the line where a value ends whose key has one on its own line.
    pub const fn behind(&self) -> Span {
        if self.line.is_empty() {
            self.line
        } else {
            self.tail
        }
    }
}

impl Span {
    /// From `start` to `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// As a range for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<'s> Tree<'s> {
    /// The tree of a document that is not there: an empty scalar.
    pub fn empty() -> Self {
        let mut stored = Stored::new("");
        let nothing = (ScalarStyle::Plain, ScalarType::Null);
        let nothing = stored.push_scalar(Span::default(), nothing);
        stored.root.set_value(nothing);
        Self::of(stored)
    }

    pub(super) fn of(stored: Stored<'s>) -> Self {
        Self {
            stored,
            lines: LineTable::default(),
        }
    }

    /// The document's text, as it was parsed.
    pub const fn text(&self) -> &'s str {
        self.stored.text
    }

    /// The root as an entry: no key; its comments are those of the document (`--- # comment`, and
    /// the comment lines right above a root that is not a block collection).
    pub fn root(&self) -> Entry<'_> {
        self.stored.entry(&self.stored.root)
    }

    /// A node.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        self.stored.node(id)
    }

    /// An entry.
    #[inline(always)]
    pub fn entry(&self, id: EntryId) -> Entry<'_> {
        self.stored.entry(&self.stored.stored_entry(id.number()))
    }

    /// The entries of a collection, in the order of the text; none for a scalar or an alias.
    pub fn entries(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = EntryId> + ExactSizeIterator + use<> {
        let own = self.stored.entries_of(id);
        (own.start..own.end).map(EntryId::new)
    }

    /// The node that an alias stands for, and any other node itself.
    #[inline]
    pub fn resolve(&self, id: NodeId) -> NodeId {
        self.stored.resolve(id)
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'s str {
        &self.text()[span.range()]
    }
}

impl PartialEq for Tree<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.stored == other.stored
    }
}

impl Eq for Tree<'_> {}
