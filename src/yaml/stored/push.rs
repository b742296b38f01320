//! Adds nodes and entries while a document is read.

use super::super::tree::{Comments, NodeId, Properties, ScalarStyle, ScalarType, Span};
use super::packed::{
    Details, HAS_DETAILS, HAS_PROPERTIES, Packed, ShortEntry, StoredEntry, StoredKind, StoredNode,
};
use super::{Tree, to_u32};

impl Tree<'_> {
    /// Adds a scalar. Its content is in the resolved contents, from `resolved` on, or else in the
    /// text, between its quotes if it has some.
    #[inline(always)]
    pub(in crate::yaml) fn push_scalar(
        &mut self,
        span: Span,
        style: ScalarStyle,
        scalar_type: ScalarType,
        resolved: Option<usize>,
    ) -> NodeId {
        let kind = StoredKind::Scalar(style, scalar_type);
        let Some(start) = resolved else {
            return self.push(span, kind, 0);
        };
        let content = Span::new(to_u32(start), to_u32(self.resolved.len()));
        self.push_with_details(span, kind, content)
    }

    /// Begins a collection. Its end and entries are set later.
    pub(in crate::yaml) fn push_collection(
        &mut self,
        start: u32,
        is_map: bool,
        flow: bool,
    ) -> NodeId {
        let kind = StoredKind::Collection { is_map, flow };
        self.push_with_details(Span::new(start, start), kind, Span::default())
    }

    pub(in crate::yaml) fn push_alias(&mut self, span: Span, target: NodeId) -> NodeId {
        let target = Span::new(target.number(), target.number());
        self.push_with_details(span, StoredKind::Alias, target)
    }

    #[inline(always)]
    fn push(&mut self, span: Span, kind: StoredKind, flags: u32) -> NodeId {
        // there are no more nodes than bytes
        let id = NodeId::new(to_u32(self.nodes.len()));
        self.nodes.push(StoredNode {
            start: Packed::new(span.start, kind.code()),
            end: Packed::new(span.end, flags),
        });
        id
    }

    /// Adds a node with details.
    fn push_with_details(&mut self, span: Span, kind: StoredKind, span_of_details: Span) -> NodeId {
        let index = to_u32(self.details.len());
        self.details.push(Details {
            end: span.end,
            span: span_of_details,
        });
        self.push(Span::new(span.start, index), kind, HAS_DETAILS)
    }

    /// Sets the anchor and the tag of the last node.
    pub(in crate::yaml) fn set_properties(&mut self, id: NodeId, properties: Properties) {
        if properties == Properties::default() {
            return;
        }
        let end = &mut self.nodes[id.number() as usize].end;
        *end = Packed::new(end.offset(), end.bits() | HAS_PROPERTIES);
        self.properties.push((id, properties));
    }

    /// Ends a collection at `end`, with its entries.
    pub(in crate::yaml) fn end_collection(&mut self, id: NodeId, end: u32, own: &[ShortEntry]) {
        let start = to_u32(self.entries.len());
        self.entries.extend_from_slice(own);
        let span = Span::new(start, to_u32(self.entries.len()));
        let index = self.nodes[id.number() as usize].details_index();
        if let Some(details) = index.and_then(|at| self.details.get_mut(at)) {
            *details = Details { end, span };
        }
    }

    /// Returns the short form of a complete entry, and stores the full one if needed.
    pub(in crate::yaml) fn compressed(&mut self, entry: &StoredEntry) -> ShortEntry {
        let mut short = ShortEntry::compress(entry, self.span_of(entry.value()).start);
        if self.full_entry(short) != *entry {
            short = ShortEntry::reference(to_u32(self.full_entries.len()));
            self.full_entries.push(*entry);
        }
        short
    }

    /// Returns the comments of an entry for changing them.
    pub(in crate::yaml) fn comments_of(&mut self, entry: &mut StoredEntry) -> &mut Comments {
        if self.comments.get(entry.comments as usize).is_none() {
            entry.comments = to_u32(self.comments.len());
            self.comments.push(Comments::default());
        }
        &mut self.comments[entry.comments as usize]
    }
}
