//! Adds nodes and entries while a document is read.

use super::super::tree::{Comments, Extras, NodeId, Properties, ScalarStyle, ScalarType, Span};
use super::packed::{
    Details, HAS_DETAILS, HAS_PROPERTIES, NONE, OPEN, Packed, ShortEntry, StoredEntry, StoredKind,
    StoredNode,
};
use super::{Tree, to_u32};

impl Tree<'_> {
    /// Adds a scalar whose content is in the text, between its quotes if it has some.
    #[inline(always)]
    pub(in crate::yaml) fn push_scalar(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
    ) -> NodeId {
        self.push(span, StoredKind::Scalar(style, scalar_type))
    }

    /// Adds a scalar whose content is in the resolved contents, from `start` on.
    pub(in crate::yaml) fn push_resolved(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
        start: usize,
    ) -> NodeId {
        let content = Span::new(to_u32(start), to_u32(self.resolved.len()));
        self.push_with_details(span, StoredKind::Scalar(style, scalar_type), content)
    }

    /// Begins a collection. Its end and entries are set later.
    pub(in crate::yaml) fn push_collection(
        &mut self,
        start: u32,
        is_map: bool,
        flow: bool,
    ) -> NodeId {
        let kind = StoredKind::Collection { is_map, flow };
        let id = self.push_with_details(Span::new(start, start), kind, Span::default());
        self.set_flags(id, |flags| flags | OPEN);
        id
    }

    pub(in crate::yaml) fn push_alias(&mut self, span: Span, target: NodeId) -> NodeId {
        let target = Span::new(target.number(), target.number());
        self.push_with_details(span, StoredKind::Alias, target)
    }

    #[inline(always)]
    fn push(&mut self, span: Span, kind: StoredKind) -> NodeId {
        // there are no more nodes than bytes
        let id = NodeId::new(to_u32(self.nodes.len()));
        self.nodes.push(StoredNode {
            start: Packed::new(span.start, kind.code()),
            end: Packed::new(span.end, 0),
        });
        id
    }

    /// Adds a node with details.
    fn push_with_details(&mut self, span: Span, kind: StoredKind, span_of_details: Span) -> NodeId {
        let index = to_u32(self.details.len());
        let (end, span) = (span.end, Span::new(span.start, index));
        self.details.push(Details {
            end,
            span: span_of_details,
        });
        let id = self.push(span, kind);
        self.set_flags(id, |flags| flags | HAS_DETAILS);
        id
    }

    fn set_flags(&mut self, id: NodeId, flags: impl Fn(u32) -> u32) {
        let end = &mut self.nodes[id.number() as usize].end;
        *end = Packed::new(end.offset(), flags(end.bits()));
    }

    /// Sets the anchor and the tag of the last node.
    pub(in crate::yaml) fn set_properties(&mut self, id: NodeId, properties: Properties) {
        if properties == Properties::default() {
            return;
        }
        self.set_flags(id, |flags| flags | HAS_PROPERTIES);
        self.properties.push((id, properties));
    }

    /// Ends a collection at `end`, with its entries.
    pub(in crate::yaml) fn end_collection(&mut self, id: NodeId, end: u32, own: &[ShortEntry]) {
        let start = to_u32(self.entries.len());
        self.entries.extend_from_slice(own);
        let span = Span::new(start, to_u32(self.entries.len()));
        self.set_flags(id, |flags| flags & !OPEN);
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

    /// Sets the comma after an entry.
    pub(in crate::yaml) fn set_comma(&mut self, entry: &mut StoredEntry, at: u32) {
        match entry.extras {
            NONE => entry.set_lone_comma(at),
            _ => self.extras_of(entry).comma = Some(at),
        }
    }

    /// Returns the comments of an entry for changing them.
    pub(in crate::yaml) fn comments_of(&mut self, entry: &mut StoredEntry) -> &mut Comments {
        &mut self.extras_of(entry).comments
    }

    fn extras_of(&mut self, entry: &mut StoredEntry) -> &mut Extras {
        if self.extras.get(entry.extras as usize).is_none() {
            let comma = entry.lone_comma();
            entry.extras = to_u32(self.extras.len());
            self.extras.push(Extras {
                comma,
                ..Extras::default()
            });
        }
        &mut self.extras[entry.extras as usize]
    }
}
