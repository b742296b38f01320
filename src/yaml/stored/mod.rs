//! The tree of a document, with the compact form of its nodes and entries. A document has several
//! of them per line, so each takes few bytes.

mod packed;
mod push;

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::cursor::Cursor;
use super::line_table::LineTable;
use super::tree::{
    Collection, Comments, Entry, EntryId, Node, NodeId, NodeKind, Properties, Scalar, ScalarStyle,
    ScalarType, Span,
};
use packed::{Details, HAS_PROPERTIES, StoredKind, StoredNode};
pub(in crate::yaml) use packed::{LENGTH_LIMIT, ShortEntry, StoredEntry};

/// A parsed document: its text and its nodes.
#[derive(Debug, Clone)]
pub struct Tree<'s> {
    pub(in crate::yaml) text: &'s str,
    nodes: Vec<StoredNode>,
    /// The details of nodes that do not fit into [`StoredNode`].
    details: Vec<Details>,
    entries: Vec<ShortEntry>,
    /// The entries that do not follow from their nodes.
    full_entries: Vec<StoredEntry>,
    pub(in crate::yaml) stored_root: StoredEntry,
    /// The contents of scalars that the text has in another form, concatenated.
    pub(in crate::yaml) resolved: String,
    /// Anchors and tags, in the order of the nodes.
    properties: Vec<(NodeId, Properties)>,
    comments: Vec<Comments>,
    /// The tags that are part of their node's value, as the parser resolved them.
    pub(in crate::yaml) custom_tags: FxHashMap<NodeId, Box<str>>,
    /// Whether it was read line by line. Then it has no anchors, aliases or tags.
    pub(in crate::yaml) is_ordinary: bool,
    pub(in crate::yaml) lines: LineTable,
    /// Whether the comments above the elements of lists are indented deeper than these, once known.
    pub(in crate::yaml) has_deep_comments: OnceLock<bool>,
    /// Whether the document is a resource, once known.
    pub(in crate::yaml) is_resource: OnceLock<bool>,
}

impl<'s> Tree<'s> {
    /// Returns the tree of an empty document, whose root is an empty scalar.
    pub fn empty() -> Self {
        let mut tree = Self::new("", 0);
        let (style, scalar_type) = (ScalarStyle::Plain, ScalarType::Null);
        let empty = tree.push_scalar(Span::default(), style, scalar_type, None);
        tree.stored_root.set_value(empty);
        tree
    }

    /// Returns a tree without nodes, with space for a number of them and for the entries and
    /// collections that they usually have.
    pub(in crate::yaml) fn new(text: &'s str, nodes: usize) -> Self {
        Self {
            text,
            nodes: Vec::with_capacity(nodes),
            details: Vec::with_capacity(nodes / 5),
            entries: Vec::with_capacity(nodes / 2),
            full_entries: Vec::new(),
            stored_root: StoredEntry::new(0),
            resolved: String::new(),
            properties: Vec::new(),
            comments: Vec::new(),
            custom_tags: FxHashMap::default(),
            is_ordinary: false,
            lines: LineTable::default(),
            has_deep_comments: OnceLock::new(),
            is_resource: OnceLock::new(),
        }
    }

    /// Returns the text of the document, as it was parsed.
    pub const fn text(&self) -> &'s str {
        self.text
    }

    /// Returns the text of a span.
    pub fn slice(&self, span: Span) -> &'s str {
        &self.text[span.range()]
    }

    /// Returns the root as an entry without a key. Its comments are those of the document: the
    /// comment after `---`, and the comment lines directly above a root that is not a block
    /// collection.
    pub fn root(&self) -> Entry<'_> {
        self.expanded(&self.stored_root)
    }

    /// Returns an entry.
    #[inline(always)]
    pub fn entry(&self, id: EntryId) -> Entry<'_> {
        self.expanded(&self.stored_entry(id.number()))
    }

    /// Returns the entries of a collection in the order of the text. A scalar or an alias has none.
    pub fn entries(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = EntryId> + ExactSizeIterator + use<> {
        let own = self.entries_of(id);
        (own.start..own.end).map(EntryId::new)
    }

    /// Returns a node. It is always inlined, so that callers who need only the span do not pay for
    /// the content.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let stored = &self.nodes[id.number() as usize];
        let kind = match stored.kind() {
            StoredKind::Scalar(style, scalar_type) => {
                NodeKind::Scalar(self.scalar_of(stored, style, scalar_type))
            }
            StoredKind::Collection { is_map: true, flow } => NodeKind::Mapping(Collection { flow }),
            StoredKind::Collection { flow, .. } => NodeKind::Sequence(Collection { flow }),
            StoredKind::Alias => NodeKind::Alias(self.target(stored)),
        };
        Node {
            span: self.span(stored),
            kind,
            properties: match stored.end.bits() & HAS_PROPERTIES {
                0 => Properties::default(),
                _ => self.properties(id),
            },
        }
    }

    /// Returns the scalar that a node is or refers to. It is always inlined, so that callers who
    /// need only the style or the type do not pay for the content.
    #[inline(always)]
    pub fn scalar(&self, id: NodeId) -> Option<Scalar<'_>> {
        let stored = &self.nodes[self.resolve(id).number() as usize];
        match stored.kind() {
            StoredKind::Scalar(style, scalar_type) => {
                Some(self.scalar_of(stored, style, scalar_type))
            }
            StoredKind::Collection { .. } | StoredKind::Alias => None,
        }
    }

    /// Returns a scalar with its content. It cannot panic, so that the compiler can drop unused
    /// calls.
    #[inline(always)]
    fn scalar_of(
        &self,
        stored: &StoredNode,
        style: ScalarStyle,
        scalar_type: ScalarType,
    ) -> Scalar<'_> {
        let content = match self.details(stored) {
            Some(details) => self.resolved.get(details.span.range()),
            None => self
                .text
                .get(content_of_quoted(self.span(stored), style).range()),
        };
        Scalar {
            style,
            scalar_type,
            content: content.unwrap_or_default(),
        }
    }

    /// Returns the style of the scalar that a node is or refers to.
    pub(crate) fn style_of(&self, id: NodeId) -> Option<ScalarStyle> {
        Some(self.scalar(id)?.style)
    }

    /// Returns the indexes of a collection's entries. Other nodes have none.
    #[inline]
    pub(in crate::yaml) fn entries_of(&self, id: NodeId) -> Span {
        let stored = &self.nodes[id.number() as usize];
        let own = match stored.kind() {
            StoredKind::Collection { .. } => self.details(stored),
            StoredKind::Scalar(..) | StoredKind::Alias => None,
        };
        own.map_or(Span::default(), |details| details.span)
    }

    /// Returns the details of a node, if it has some.
    #[inline(always)]
    fn details(&self, stored: &StoredNode) -> Option<&Details> {
        self.details.get(stored.details_index()?)
    }

    #[inline(always)]
    fn span(&self, stored: &StoredNode) -> Span {
        let details = self.details(stored);
        let end = details.map_or(stored.end.offset(), |details| details.end);
        Span::new(stored.start.offset(), end)
    }

    /// Returns the node that an alias refers to.
    fn target(&self, alias: &StoredNode) -> NodeId {
        NodeId::new(self.details(alias).map_or(0, |details| details.span.start))
    }

    /// Returns the span of a node, or an empty span if there is no such node.
    #[inline(always)]
    pub(in crate::yaml) fn span_of(&self, id: NodeId) -> Span {
        let stored = self.nodes.get(id.number() as usize);
        stored.map_or(Span::default(), |stored| self.span(stored))
    }

    /// Whether a node is a scalar written with `|` or `>`.
    pub(crate) fn is_block_scalar(&self, id: NodeId) -> bool {
        self.style_of(id).is_some_and(ScalarStyle::is_block)
    }

    /// Whether a map or list is in flow style; `None` for a scalar or an alias.
    #[inline]
    pub(crate) fn is_flow(&self, id: NodeId) -> Option<bool> {
        match self.nodes[id.number() as usize].kind() {
            StoredKind::Collection { flow, .. } => Some(flow),
            StoredKind::Scalar(..) | StoredKind::Alias => None,
        }
    }

    #[cold]
    fn properties(&self, id: NodeId) -> Properties {
        let found = self.properties.binary_search_by_key(&id, |(id, _)| *id);
        found.map_or_else(|_| Properties::default(), |at| self.properties[at].1)
    }

    /// Returns the content of the scalar that a node is or refers to. It is borrowed if the text
    /// has it in the same form.
    pub fn content(&self, id: NodeId) -> Option<Cow<'s, str>> {
        let scalar = self.scalar(id)?;
        let span = content_of_quoted(self.span_of(self.resolve(id)), scalar.style);
        let written = self.text.get(span.range());
        let written = written.filter(|written| *written == scalar.content);
        Some(written.map_or_else(|| Cow::Owned(scalar.content.to_owned()), Cow::Borrowed))
    }

    /// Returns the node that an alias refers to, or the node itself if it is not an alias.
    #[inline(always)]
    pub fn resolve(&self, mut id: NodeId) -> NodeId {
        while let stored = &self.nodes[id.number() as usize]
            && let StoredKind::Alias = stored.kind()
        {
            id = self.target(stored);
        }
        id
    }

    /// Returns every entry of every map and list in the document.
    pub(crate) fn all_entries(&self) -> impl ExactSizeIterator<Item = EntryId> + use<> {
        (0..to_u32(self.entries.len())).map(EntryId::new)
    }

    /// Returns an entry by its index.
    #[inline(always)]
    pub(in crate::yaml) fn stored_entry(&self, number: u32) -> StoredEntry {
        self.full_entry(self.entries[number as usize])
    }

    #[inline(always)]
    fn full_entry(&self, short: ShortEntry) -> StoredEntry {
        let full = short.full_index().and_then(|at| self.full_entries.get(at));
        full.map_or_else(|| short.expand(|node| self.span_of(node)), |full| *full)
    }

    #[inline(always)]
    fn expanded(&self, stored: &StoredEntry) -> Entry<'_> {
        let comma = || self.comma_behind(stored.span.end);
        Entry {
            key: stored.key(),
            value: stored.value(),
            span: stored.span,
            colon: stored.colon(),
            comma: stored.has_comma().then(comma),
            comments: self.comments.get(stored.comments as usize),
        }
    }

    /// Returns the offset of the comma behind an entry that ends at `end`.
    fn comma_behind(&self, end: u32) -> u32 {
        let (text, pos) = (self.text, end as usize);
        let mut cursor = Cursor { text, pos };
        // mostly nothing is between
        if cursor.peek() != Some(b',') {
            cursor.trivia();
        }
        to_u32(cursor.pos)
    }

    /// Returns every node of the document.
    pub(crate) fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..to_u32(self.nodes.len())).map(NodeId::new)
    }

    /// Whether the document has an alias. If it has, equal texts can have different values.
    pub fn has_aliases(&self) -> bool {
        let mut nodes = self.nodes.iter();
        !self.is_ordinary && nodes.any(|node| matches!(node.kind(), StoredKind::Alias))
    }

    /// Returns the name of the anchor that an alias refers to, with the `&`; `None` for any other
    /// node.
    pub(crate) fn alias_name(&self, node: NodeId) -> Option<&'s str> {
        match self.node(node).kind {
            NodeKind::Alias(target) => Some(self.slice(self.node(target).anchor()?)),
            _ => None,
        }
    }

    /// Returns the names of the anchors, each with its `&`, in the order of the text.
    pub fn anchor_names(&self) -> impl Iterator<Item = &'s str> {
        let anchors = self.properties.iter().filter_map(|(_, it)| it.anchor);
        anchors.map(|anchor| self.slice(anchor))
    }

    /// Returns the resolved tag of a node, if the tag is part of its value: `None` for a tag that
    /// the node would have anyway.
    pub fn custom_tag(&self, id: NodeId) -> Option<&str> {
        self.custom_tags.get(&self.resolve(id)).map(AsRef::as_ref)
    }
}

impl PartialEq for Tree<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            && self.nodes.len() == other.nodes.len()
            && self.entries.len() == other.entries.len()
            && self.root() == other.root()
            && self.custom_tags == other.custom_tags
            && self.node_ids().all(|id| {
                self.node(id) == other.node(id) && self.entries_of(id) == other.entries_of(id)
            })
            && self
                .all_entries()
                .all(|id| self.entry(id) == other.entry(id))
    }
}

impl Eq for Tree<'_> {}

/// Returns the span of a scalar's content, without quotes.
#[inline]
fn content_of_quoted(span: Span, style: ScalarStyle) -> Span {
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            Span::new(span.start + 1, span.end - 1)
        }
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => span,
    }
}

/// Converts a count of things in a text, which is much shorter than 4 GiB.
pub(super) fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
