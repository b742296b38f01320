//! A parsed document. A document has several nodes and entries per line, so a tree keeps them in a
//! compact form: [`Node`] and [`Entry`] are views of it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::cursor::Cursor;
use super::line_table::LineTable;
use super::tree::{
    Collection, Comments, Entry, EntryId, Node, NodeId, NodeKind, Properties, Scalar, ScalarStyle,
    ScalarType, Span,
};

/// A parsed document: its text and its nodes.
#[derive(Debug, Clone)]
pub struct Tree<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<StoredNode>,
    pub(super) details: Vec<Details>,
    pub(super) entries: Vec<StoredEntry>,
    pub(super) root: StoredEntry,
    pub(super) comments: Vec<Comments>,
    /// The contents of scalars that the text has in another form, concatenated.
    pub(super) resolved: String,
    /// Anchors and tags, in the order of the nodes.
    pub(super) properties: Vec<(NodeId, Properties)>,
    /// The tags that are part of their node's value, as the parser resolved them.
    pub(super) custom_tags: FxHashMap<NodeId, Box<str>>,
    /// Whether it was read line by line. Then it has no anchors, aliases or tags.
    pub(super) is_ordinary: bool,
    pub(super) lines: LineTable,
}

/// A node in 12 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredNode {
    pub(super) start: u32,
    /// The end, or the index of the details if the kind has some.
    pub(super) end: u32,
    pub(super) kind: StoredKind,
    pub(super) place: Place,
}

/// The place of a node in its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A key. The next node is the value.
    Key,
    Value,
    /// A value in a flow collection that a comma follows.
    ValueBeforeComma,
}

/// The kind of a node. All but [`StoredKind::Scalar`] have [`Details`].
#[derive(Debug, Clone, Copy)]
pub(super) enum StoredKind {
    /// A scalar whose content is in the text, between its quotes if it has some.
    Scalar(ScalarStyle, ScalarType),
    /// A scalar whose content is in [`Tree::resolved`].
    Resolved(ScalarStyle, ScalarType),
    Collection {
        is_map: bool,
        flow: bool,
    },
    Alias,
}

/// The details of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Details {
    /// The end of the node.
    pub(super) end: u32,
    /// For a collection, the indexes of its entries. For a scalar, the position of its content. For
    /// an alias, an empty span at the index of the node that it refers to.
    pub(super) span: Span,
}

/// An entry in 12 bytes. It ends with its value. A key is the node before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredEntry {
    pub(super) start: u32,
    /// The value, which is missing only while the entry is read.
    pub(super) value: Option<NodeId>,
    /// The index of its comments, or [`NONE`].
    pub(super) comments: u32,
}

/// An index that is missing.
pub(super) const NONE: u32 = u32::MAX;

impl StoredEntry {
    pub(super) const fn new(start: u32) -> Self {
        Self {
            start,
            value: None,
            comments: NONE,
        }
    }
}

impl<'s> Tree<'s> {
    /// Returns the tree of an empty document, whose root is an empty scalar.
    pub fn empty() -> Self {
        let mut tree = Self::new("");
        tree.nodes.push(StoredNode {
            start: 0,
            end: 0,
            kind: StoredKind::Scalar(ScalarStyle::Plain, ScalarType::Null),
            place: Place::Value,
        });
        tree.root.value = Some(NodeId::new(0));
        tree
    }

    /// Returns a tree without nodes.
    pub(super) fn new(text: &'s str) -> Self {
        Self {
            text,
            nodes: Vec::new(),
            details: Vec::new(),
            entries: Vec::new(),
            root: StoredEntry::new(0),
            comments: Vec::new(),
            resolved: String::new(),
            properties: Vec::new(),
            custom_tags: FxHashMap::default(),
            is_ordinary: false,
            lines: LineTable::default(),
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
        self.view(self.root)
    }

    /// Returns an entry.
    #[inline(always)]
    pub fn entry(&self, id: EntryId) -> Entry<'_> {
        self.view(self.entries[id.number() as usize])
    }

    #[inline(always)]
    fn view(&self, stored: StoredEntry) -> Entry<'_> {
        let value = stored.value.unwrap_or(NodeId::new(0));
        let key = value.number().checked_sub(1).map(NodeId::new);
        Entry {
            key: key.filter(|key| self.place_of(*key) == Place::Key),
            value,
            span: Span::new(stored.start, self.span_of(value).end),
            comments: stored.comments,
            tree: self,
        }
    }

    /// Returns the entries of a collection in the order of the text. A scalar or an alias has none.
    pub fn entries(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = EntryId> + ExactSizeIterator + use<> {
        let stored = &self.nodes[id.number() as usize];
        let own = match stored.kind {
            StoredKind::Collection { .. } => self.details_of(stored).span,
            _ => Span::default(),
        };
        (own.start..own.end).map(EntryId::new)
    }

    /// Returns every entry of every map and list in the document.
    pub(crate) fn all_entries(&self) -> impl ExactSizeIterator<Item = EntryId> + use<> {
        (0..to_u32(self.entries.len())).map(EntryId::new)
    }

    /// Returns every node of the document.
    pub(crate) fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..to_u32(self.nodes.len())).map(NodeId::new)
    }

    /// Returns a node. It is always inlined, so that callers who need only the span do not pay for
    /// the content.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let stored = &self.nodes[id.number() as usize];
        let kind = match stored.kind {
            StoredKind::Scalar(style, scalar_type) | StoredKind::Resolved(style, scalar_type) => {
                NodeKind::Scalar(Scalar {
                    style,
                    scalar_type,
                    content: self.content_of(stored, style),
                })
            }
            StoredKind::Collection { is_map: true, flow } => NodeKind::Mapping(Collection { flow }),
            StoredKind::Collection { flow, .. } => NodeKind::Sequence(Collection { flow }),
            StoredKind::Alias => NodeKind::Alias(self.target(stored)),
        };
        Node {
            span: self.span_of(id),
            kind,
            properties: match self.properties.is_empty() {
                true => Properties::default(),
                false => self.properties(id),
            },
        }
    }

    #[cold]
    fn properties(&self, id: NodeId) -> Properties {
        let found = self.properties.binary_search_by_key(&id, |(id, _)| *id);
        found.map_or_else(|_| Properties::default(), |at| self.properties[at].1)
    }

    #[inline(always)]
    pub(super) fn place_of(&self, id: NodeId) -> Place {
        self.nodes[id.number() as usize].place
    }

    /// Returns the details of a node that has some.
    #[inline(always)]
    fn details_of(&self, stored: &StoredNode) -> Details {
        let details = self.details.get(stored.end as usize);
        details.copied().unwrap_or_default()
    }

    /// Returns the span of a node.
    #[inline(always)]
    pub(super) fn span_of(&self, id: NodeId) -> Span {
        let stored = &self.nodes[id.number() as usize];
        let end = match stored.kind {
            StoredKind::Scalar(..) => stored.end,
            _ => self.details_of(stored).end,
        };
        Span::new(stored.start, end)
    }

    /// Returns the node that an alias refers to, or the node itself if it is not an alias.
    #[inline(always)]
    pub fn resolve(&self, mut id: NodeId) -> NodeId {
        while let stored = &self.nodes[id.number() as usize]
            && let StoredKind::Alias = stored.kind
        {
            id = self.target(stored);
        }
        id
    }

    fn target(&self, alias: &StoredNode) -> NodeId {
        NodeId::new(self.details_of(alias).span.start)
    }

    /// Returns the scalar that a node is or refers to: its stored form, style and type.
    #[inline(always)]
    fn stored_scalar(&self, id: NodeId) -> Option<(&StoredNode, ScalarStyle, ScalarType)> {
        let stored = &self.nodes[self.resolve(id).number() as usize];
        match stored.kind {
            StoredKind::Scalar(style, scalar_type) | StoredKind::Resolved(style, scalar_type) => {
                Some((stored, style, scalar_type))
            }
            StoredKind::Collection { .. } | StoredKind::Alias => None,
        }
    }

    /// Returns where the content of a scalar is: in the text, or in the resolved contents.
    #[inline(always)]
    fn content_span(&self, scalar: &StoredNode, style: ScalarStyle) -> (&str, Span) {
        match (scalar.kind, style) {
            (StoredKind::Scalar(..), ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
                (self.text, Span::new(scalar.start + 1, scalar.end - 1))
            }
            (StoredKind::Scalar(..), _) => (self.text, Span::new(scalar.start, scalar.end)),
            _ => (&self.resolved, self.details_of(scalar).span),
        }
    }

    /// Returns the content of a scalar. It cannot panic, so that the compiler can drop unused
    /// calls.
    #[inline(always)]
    fn content_of(&self, scalar: &StoredNode, style: ScalarStyle) -> &str {
        let (text, span) = self.content_span(scalar, style);
        text.get(span.range()).unwrap_or_default()
    }

    /// Returns the scalar that a node is or refers to.
    #[inline]
    pub fn scalar(&self, id: NodeId) -> Option<Scalar<'_>> {
        match self.node(self.resolve(id)).kind {
            NodeKind::Scalar(scalar) => Some(scalar),
            NodeKind::Mapping(_) | NodeKind::Sequence(_) | NodeKind::Alias(_) => None,
        }
    }

    /// Returns the type and content of the scalar that a node is or refers to. The content is in
    /// bytes, which are faster to compare than a checked text.
    #[inline]
    pub(super) fn type_and_content(&self, id: NodeId) -> Option<(ScalarType, &[u8])> {
        let (stored, style, scalar_type) = self.stored_scalar(id)?;
        let (text, span) = self.content_span(stored, style);
        let bytes = text.as_bytes().get(span.range());
        Some((scalar_type, bytes.unwrap_or_default()))
    }

    /// Returns the content of the scalar that a node is or refers to. It is borrowed if the text
    /// has it in the same form.
    pub fn content(&self, id: NodeId) -> Option<Cow<'s, str>> {
        let (stored, style, _) = self.stored_scalar(id)?;
        let (_, span) = self.content_span(stored, style);
        Some(match stored.kind {
            StoredKind::Scalar(..) => Cow::Borrowed(self.slice(span)),
            _ => Cow::Owned(self.resolved[span.range()].to_owned()),
        })
    }

    /// Whether a node is null, or refers to one.
    pub fn is_null(&self, id: NodeId) -> bool {
        let scalar = self.stored_scalar(id);
        scalar.is_some_and(|(.., scalar_type)| scalar_type == ScalarType::Null)
    }

    /// Returns the resolved tag of a node, if the tag is part of its value: `None` for a tag that
    /// the node would have anyway.
    pub fn custom_tag(&self, id: NodeId) -> Option<&str> {
        self.custom_tags.get(&self.resolve(id)).map(AsRef::as_ref)
    }

    /// Whether the document has an alias. If it has, equal texts can have different values.
    pub fn has_aliases(&self) -> bool {
        let mut nodes = self.nodes.iter();
        !self.is_ordinary && nodes.any(|node| matches!(node.kind, StoredKind::Alias))
    }

    /// Returns the names of the anchors, each with its `&`.
    pub fn anchor_names(&self) -> impl Iterator<Item = &'s str> {
        let anchors = self.properties.iter().filter_map(|(_, it)| it.anchor);
        anchors.map(|anchor| self.slice(anchor))
    }

    /// Returns the end of the white space and comments at `from`.
    pub(super) fn skip_trivia(&self, from: u32) -> u32 {
        let mut cursor = Cursor {
            text: self.text,
            pos: from as usize,
        };
        cursor.trivia();
        to_u32(cursor.pos)
    }
}

/// Converts an offset or a count. The text of a tree is much shorter than 4 GiB.
pub(super) fn to_u32(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl PartialEq for Tree<'_> {
    fn eq(&self, other: &Self) -> bool {
        let facts = |entry: Entry<'_>| {
            let (colon, comma) = (entry.colon(), entry.comma());
            (
                entry.key,
                entry.value,
                entry.span,
                colon,
                comma,
                entry.comments(),
            )
        };
        self.text == other.text
            && self.nodes.len() == other.nodes.len()
            && self.entries.len() == other.entries.len()
            && self.custom_tags == other.custom_tags
            && facts(self.root()) == facts(other.root())
            && (self.node_ids())
                .all(|id| self.node(id) == other.node(id) && self.entries(id).eq(other.entries(id)))
            && (self.all_entries()).all(|id| facts(self.entry(id)) == facts(other.entry(id)))
    }
}

impl Eq for Tree<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_entries_are_small() {
        assert_eq!(size_of::<StoredNode>(), 12);
        assert_eq!(size_of::<StoredEntry>(), 12);
    }
}
