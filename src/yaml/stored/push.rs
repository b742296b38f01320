//! A tree's nodes and entries as they are read, one by one.

use super::super::tree::{Comments, Extras, NodeId, Properties, ScalarStyle, ScalarType, Span};
use super::packed::{
    HAS_MORE, HAS_PROPERTIES, More, NOWHERE, OPEN, Packed, ShortEntry, StoredEntry, StoredKind,
    StoredNode,
};
use super::{Stored, number};

impl Stored<'_> {
    /// A scalar that says what is in the text, between its quotes if it has some.
    #[inline(always)]
    pub(in crate::yaml) fn push_scalar(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
    ) -> NodeId {
        self.push(span, StoredKind::Scalar(style, scalar_type))
    }

    /// A scalar that says what was resolved from a byte on.
    pub(in crate::yaml) fn push_resolved(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
        start: usize,
    ) -> NodeId {
        let content = Span::new(number(start), number(self.resolved.len()));
        self.push_more(span, StoredKind::Scalar(style, scalar_type), content)
    }

    /// A collection begins, whose end and entries are not known yet.
    pub(in crate::yaml) fn push_collection(
        &mut self,
        start: u32,
        is_map: bool,
        flow: bool,
    ) -> NodeId {
        let kind = StoredKind::Collection { is_map, flow };
        let id = self.push_more(Span::new(start, start), kind, Span::default());
        self.set_flags(id, |flags| flags | OPEN);
        id
    }

    pub(in crate::yaml) fn push_alias(&mut self, span: Span, target: NodeId) -> NodeId {
        let target = Span::new(target.number(), target.number());
        self.push_more(span, StoredKind::Alias, target)
    }

    #[inline(always)]
    fn push(&mut self, span: Span, kind: StoredKind) -> NodeId {
        // there are no more nodes than bytes
        let id = NodeId::new(number(self.nodes.len()));
        self.nodes.push(StoredNode {
            start: Packed::new(span.start, kind.code()),
            end: Packed::new(span.end, 0),
        });
        id
    }

    /// A node of which there is more to know.
    fn push_more(&mut self, span: Span, kind: StoredKind, more: Span) -> NodeId {
        let place = number(self.more.len());
        let (end, span) = (span.end, Span::new(span.start, place));
        self.more.push(More { end, span: more });
        let id = self.push(span, kind);
        self.set_flags(id, |flags| flags | HAS_MORE);
        id
    }

    fn set_flags(&mut self, id: NodeId, flags: impl Fn(u32) -> u32) {
        let end = &mut self.nodes[id.number() as usize].end;
        *end = Packed::new(end.offset(), flags(end.more()));
    }

    /// The anchor and the tag of the node that came last.
    pub(in crate::yaml) fn set_properties(&mut self, id: NodeId, properties: Properties) {
        if properties == Properties::default() {
            return;
        }
        self.set_flags(id, |flags| flags | HAS_PROPERTIES);
        self.properties.push((id, properties));
    }

    /// A collection ends at `end`, and has these entries.
    pub(in crate::yaml) fn end_collection(&mut self, id: NodeId, end: u32, own: &[ShortEntry]) {
        let start = number(self.entries.len());
        self.entries.extend_from_slice(own);
        let span = Span::new(start, number(self.entries.len()));
        self.set_flags(id, |flags| flags & !OPEN);
        let more = self.nodes[id.number() as usize].more();
        if let Some(more) = more.and_then(|at| self.more.get_mut(at)) {
            *more = More { end, span };
        }
    }

    /// An entry of which all is known, in few bytes.
    pub(in crate::yaml) fn shortened(&mut self, entry: &StoredEntry) -> ShortEntry {
        let mut short = ShortEntry::like(entry, self.span_of(entry.value()).start);
        if self.whole_of(short) != *entry {
            short = ShortEntry::elsewhere(number(self.whole.len()));
            self.whole.push(*entry);
        }
        short
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
