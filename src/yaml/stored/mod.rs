//! Nodes and entries as a tree keeps them, in as few bytes as they need: there are several for each
//! line of a document.

mod packed;

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::tree::{
    Collection, Comments, Entry, Extras, Node, NodeId, NodeKind, Properties, Scalar, ScalarStyle,
    ScalarType, Span,
};
use packed::{HAS_PROPERTIES, NOWHERE, OPEN, Packed, StoredKind, StoredNode};
pub(in crate::yaml) use packed::{StoredEntry, TOO_LONG};

/// All that is known of a document's text.
#[derive(Debug, Clone)]
pub(in crate::yaml) struct Stored<'s> {
    pub(in crate::yaml) text: &'s str,
    nodes: Vec<StoredNode>,
    pub(in crate::yaml) entries: Vec<StoredEntry>,
    pub(in crate::yaml) root: StoredEntry,
    /// Which entries are a collection's own.
    collections: Vec<Span>,
    /// Contents of scalars that the text has in another form, one after the other.
    pub(in crate::yaml) resolved: String,
    /// Where in it each of them is.
    contents: Vec<Span>,
    /// In the order of the nodes.
    properties: Vec<(NodeId, Properties)>,
    extras: Vec<Extras>,
    /// The tags that are part of their node's value, as the parser resolved them.
    pub(in crate::yaml) custom_tags: FxHashMap<NodeId, Box<str>>,
    /// Whether it was read line by line: then it has no anchors, aliases and tags.
    pub(in crate::yaml) is_ordinary: bool,
}

impl<'s> Stored<'s> {
    pub(in crate::yaml) fn new(text: &'s str) -> Self {
        Self {
            text,
            nodes: Vec::new(),
            entries: Vec::new(),
            root: StoredEntry::new(0),
            collections: Vec::new(),
            resolved: String::new(),
            contents: Vec::new(),
            properties: Vec::new(),
            extras: Vec::new(),
            custom_tags: FxHashMap::default(),
            is_ordinary: false,
        }
    }

    /// The same, empty as it is, with room for so many nodes, and as many entries and collections
    /// as they mostly are.
    pub(in crate::yaml) fn with_room(self, nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            entries: Vec::with_capacity(nodes / 2),
            collections: Vec::with_capacity(nodes / 5),
            ..self
        }
    }

    /// A node. (Always inline: who asks for its span does not pay for what a scalar says.)
    #[inline(always)]
    pub(in crate::yaml) fn node(&self, id: NodeId) -> Node<'_> {
        let stored = &self.nodes[id.number() as usize];
        let kind = match stored.kind() {
            StoredKind::Scalar(style, scalar_type) => NodeKind::Scalar(Scalar {
                style,
                scalar_type,
                content: self.content(stored, style),
            }),
            StoredKind::Collection { is_map, flow } => {
                let entries = self.collections.get(stored.number as usize);
                let entries = entries.copied().unwrap_or_default();
                let collection = Collection { flow, entries };
                match is_map {
                    true => NodeKind::Mapping(collection),
                    false => NodeKind::Sequence(collection),
                }
            }
            StoredKind::Alias => NodeKind::Alias(NodeId::new(stored.number)),
        };
        Node {
            span: stored.span(),
            kind,
            properties: match stored.end.more() & HAS_PROPERTIES {
                0 => Properties::default(),
                _ => self.properties(id),
            },
        }
    }

    /// The scalar that a node is, or stands for.
    #[inline]
    pub(in crate::yaml) fn scalar(&self, id: NodeId) -> Option<Scalar<'_>> {
        let stored = &self.nodes[self.resolve(id).number() as usize];
        let StoredKind::Scalar(style, scalar_type) = stored.kind() else {
            return None;
        };
        Some(Scalar {
            style,
            scalar_type,
            content: self.content(stored, style),
        })
    }

    /// What a scalar is, and says in bytes, which are sooner compared than a text is cut out;
    /// `None` for a collection.
    #[inline]
    pub(in crate::yaml) fn said(&self, id: NodeId) -> Option<(ScalarType, &[u8])> {
        let stored = &self.nodes[self.resolve(id).number() as usize];
        let StoredKind::Scalar(style, scalar_type) = stored.kind() else {
            return None;
        };
        let (text, span) = self.place_of_content(stored, style);
        let said = text.as_bytes().get(span.range());
        Some((scalar_type, said.unwrap_or_default()))
    }

    /// What a scalar is; `None` for a collection.
    #[inline]
    pub(in crate::yaml) fn type_of(&self, id: NodeId) -> Option<ScalarType> {
        match self.nodes[self.resolve(id).number() as usize].kind() {
            StoredKind::Scalar(_, scalar_type) => Some(scalar_type),
            StoredKind::Collection { .. } | StoredKind::Alias => None,
        }
    }

    /// Which entries are a collection's own; none for anything else.
    #[inline]
    pub(in crate::yaml) fn entries_of(&self, id: NodeId) -> Span {
        let stored = &self.nodes[id.number() as usize];
        let own = match stored.kind() {
            StoredKind::Collection { .. } => self.collections.get(stored.number as usize),
            StoredKind::Scalar(..) | StoredKind::Alias => None,
        };
        own.copied().unwrap_or_default()
    }

    /// Where a node starts.
    #[inline]
    pub(in crate::yaml) fn start_of(&self, id: NodeId) -> u32 {
        self.nodes[id.number() as usize].start.offset()
    }

    /// Whether a node is a map.
    #[inline]
    pub(in crate::yaml) fn is_map(&self, id: NodeId) -> bool {
        let kind = self.nodes[id.number() as usize].kind();
        matches!(kind, StoredKind::Collection { is_map: true, .. })
    }

    /// Whether a node is a collection that is still being read.
    pub(in crate::yaml) fn is_open(&self, id: NodeId) -> bool {
        self.nodes[id.number() as usize].end.more() & OPEN != 0
    }

    #[cold]
    fn properties(&self, id: NodeId) -> Properties {
        let found = self.properties.binary_search_by_key(&id, |(id, _)| *id);
        found.map_or_else(|_| Properties::default(), |at| self.properties[at].1)
    }

    /// What a scalar says. (Without a way to panic, so that nobody pays for it who does not ask.)
    #[inline(always)]
    fn content(&self, scalar: &StoredNode, style: ScalarStyle) -> &str {
        let (text, span) = self.place_of_content(scalar, style);
        text.get(span.range()).unwrap_or_default()
    }

    /// Where the content of a scalar is: in the document's text, or among what was resolved.
    #[inline(always)]
    fn place_of_content(&self, scalar: &StoredNode, style: ScalarStyle) -> (&str, Span) {
        match self.contents.get(scalar.number as usize) {
            Some(resolved) => (&self.resolved, *resolved),
            None => (self.text, within_quotes(scalar.span(), style)),
        }
    }

    /// What a scalar says, for as long as the text is there; `None` for a collection.
    pub(in crate::yaml) fn to_cow(&self, id: NodeId) -> Option<Cow<'s, str>> {
        let scalar = self.scalar(id)?;
        let stored = &self.nodes[self.resolve(id).number() as usize];
        Some(match stored.number {
            NOWHERE => {
                Cow::Borrowed(&self.text[within_quotes(stored.span(), scalar.style).range()])
            }
            _ => Cow::Owned(scalar.content.to_owned()),
        })
    }

    /// The node that an alias stands for, and any other node itself.
    #[inline(always)]
    pub(in crate::yaml) fn resolve(&self, mut id: NodeId) -> NodeId {
        while let stored = &self.nodes[id.number() as usize]
            && let StoredKind::Alias = stored.kind()
        {
            id = NodeId::new(stored.number);
        }
        id
    }

    #[inline(always)]
    pub(in crate::yaml) fn entry(&self, stored: &StoredEntry) -> Entry<'_> {
        let extras = self.extras.get(stored.extras as usize);
        Entry {
            key: stored.key(),
            value: stored.value(),
            span: stored.span,
            colon: stored.colon(),
            comma: extras.map_or(stored.lone_comma(), |extras| extras.comma),
            extras,
        }
    }

    /// The numbers of all nodes.
    pub(in crate::yaml) fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..number(self.nodes.len())).map(NodeId::new)
    }

    /// Whether any of the nodes is an alias.
    pub(in crate::yaml) fn has_aliases(&self) -> bool {
        let mut nodes = self.nodes.iter();
        !self.is_ordinary && nodes.any(|node| matches!(node.kind(), StoredKind::Alias))
    }

    /// The anchors, in the order of the text.
    pub(in crate::yaml) fn anchors(&self) -> impl Iterator<Item = Span> {
        self.properties.iter().filter_map(|(_, it)| it.anchor)
    }

    /// A scalar that says what is in the text, between its quotes if it has some.
    #[inline(always)]
    pub(in crate::yaml) fn push_scalar(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
    ) -> NodeId {
        self.push(span, StoredKind::Scalar(style, scalar_type), NOWHERE)
    }

    /// A scalar that says what was resolved from a byte on.
    pub(in crate::yaml) fn push_resolved(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
        start: usize,
    ) -> NodeId {
        let content = self.push_content(start);
        self.push(span, StoredKind::Scalar(style, scalar_type), content)
    }

    /// What was resolved from a byte on is what one scalar says.
    fn push_content(&mut self, start: usize) -> u32 {
        let content = Span::new(number(start), number(self.resolved.len()));
        self.contents.push(content);
        number(self.contents.len() - 1)
    }

    /// A collection begins, whose end and entries are not known yet.
    pub(in crate::yaml) fn push_collection(
        &mut self,
        start: u32,
        is_map: bool,
        flow: bool,
    ) -> NodeId {
        let entries = number(self.collections.len());
        self.collections.push(Span::default());
        let kind = StoredKind::Collection { is_map, flow };
        let id = self.push(Span::new(start, start), kind, entries);
        let end = &mut self.nodes[id.number() as usize].end;
        *end = Packed::new(end.offset(), end.more() | OPEN);
        id
    }

    pub(in crate::yaml) fn push_alias(&mut self, span: Span, target: NodeId) -> NodeId {
        self.push(span, StoredKind::Alias, target.number())
    }

    #[inline(always)]
    fn push(&mut self, span: Span, kind: StoredKind, number_of_kind: u32) -> NodeId {
        // there are no more nodes than bytes
        let id = NodeId::new(number(self.nodes.len()));
        self.nodes.push(StoredNode {
            start: Packed::new(span.start, kind.code()),
            end: Packed::new(span.end, 0),
            number: number_of_kind,
        });
        id
    }

    /// The anchor and the tag of the node that came last.
    pub(in crate::yaml) fn set_properties(&mut self, id: NodeId, properties: Properties) {
        if properties == Properties::default() {
            return;
        }
        let end = &mut self.nodes[id.number() as usize].end;
        *end = Packed::new(end.offset(), end.more() | HAS_PROPERTIES);
        self.properties.push((id, properties));
    }

    /// A collection ends at `end`, and has these entries.
    pub(in crate::yaml) fn end_collection(&mut self, id: NodeId, end: u32, entries: Span) {
        let node = &mut self.nodes[id.number() as usize];
        node.end = Packed::new(end, node.end.more() & !OPEN);
        if let Some(own) = self.collections.get_mut(node.number as usize) {
            *own = entries;
        }
    }

    /// The comma behind an entry.
    pub(in crate::yaml) fn set_comma(&mut self, entry: &mut StoredEntry, at: u32) {
        match entry.extras {
            NOWHERE => entry.set_lone_comma(at),
            _ => self.extras_of(entry).comma = Some(at),
        }
    }

    /// An entry's comments, to give it one more.
    pub(in crate::yaml) fn comments_of(&mut self, entry: &mut StoredEntry) -> &mut Comments {
        &mut self.extras_of(entry).comments
    }

    /// The root's comments, to give it one more.
    pub(in crate::yaml) fn comments_of_root(&mut self) -> &mut Comments {
        let mut root = self.root;
        self.extras_of(&mut root);
        self.root = root;
        self.comments_of(&mut root)
    }

    fn extras_of(&mut self, entry: &mut StoredEntry) -> &mut Extras {
        if self.extras.get(entry.extras as usize).is_none() {
            let extras = self.extras_at(entry).unwrap_or_default();
            entry.extras = number(self.extras.len());
            self.extras.push(extras);
        }
        &mut self.extras[entry.extras as usize]
    }

    /// What an entry has beyond the usual.
    fn extras_at(&self, entry: &StoredEntry) -> Option<Extras> {
        let alone = || {
            let comma = entry.lone_comma();
            comma.map(|at| Extras::with_comma(Some(at)))
        };
        let extras = self.extras.get(entry.extras as usize).copied();
        extras.or_else(alone)
    }
}

impl PartialEq for Stored<'_> {
    fn eq(&self, other: &Self) -> bool {
        let entry = |of: &Self, index: usize| of.entries.get(index).copied();
        self.text == other.text
            && self.nodes.len() == other.nodes.len()
            && self.entries.len() == other.entries.len()
            && self.entry(&self.root) == other.entry(&other.root)
            && self.custom_tags == other.custom_tags
            && self.node_ids().all(|id| self.node(id) == other.node(id))
            && (0..self.entries.len()).all(|index| {
                let (own, others) = (entry(self, index), entry(other, index));
                own.map(|own| self.entry(&own)) == others.map(|others| other.entry(&others))
            })
    }
}

/// The stretch of the text that a scalar says, where it says what is there.
#[inline]
fn within_quotes(span: Span, style: ScalarStyle) -> Span {
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            Span::new(span.start + 1, span.end - 1)
        }
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => span,
    }
}

/// A number of things that a text holds, which is shorter than 4 GiB by far.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
