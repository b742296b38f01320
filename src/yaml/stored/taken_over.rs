//! What another text's tree has, where the same lines stand in both.

use std::ops::Range;

use super::super::tree::{NodeId, ScalarStyle, Span};
use super::packed::{NOWHERE, StoredKind, StoredNode};
use super::{Stored, StoredEntry, number};

impl Stored<'_> {
    /// Where a scalar stands and how it is written, where it says what stands there; none for any
    /// other node.
    pub(in crate::yaml) fn written(&self, id: NodeId) -> Option<(Span, ScalarStyle)> {
        let stored = self.nodes.get(id.number() as usize)?;
        match stored.kind() {
            StoredKind::Scalar(style, _) if stored.number == NOWHERE => {
                Some((stored.span(), style))
            }
            _ => None,
        }
    }

    /// The entries of a block map or a block list; none for any other node.
    pub(in crate::yaml) fn entries_of_block(&self, id: NodeId, is_list: bool) -> Option<Span> {
        let stored = self.nodes.get(id.number() as usize)?;
        let block = StoredKind::Collection {
            is_map: !is_list,
            flow: false,
        };
        let is_it = stored.kind().code() == block.code();
        is_it.then(|| self.entries_of(id))
    }

    /// How many nodes there are.
    pub(in crate::yaml) fn node_count(&self) -> u32 {
        number(self.nodes.len())
    }

    /// Entries of one collection of another tree and all that is in them, whose nodes end before
    /// `nodes_end`. Their text stands `moved` bytes further down here (with wrapping), below these
    /// comment lines. The entries themselves go to the end of `open`: they are still to be put
    /// among those of what holds them.
    ///
    /// The other tree has no anchors, aliases and tags.
    pub(in crate::yaml) fn take_over(
        &mut self,
        open: &mut Vec<StoredEntry>,
        other: &Stored<'_>,
        own: Range<u32>,
        nodes_end: u32,
        moved: u32,
        leading: Span,
    ) {
        let own = &other.entries[own.start as usize..own.end as usize];
        let Some(first) = own.first() else { return };
        let first_node = first.first_node().number();
        let renumbered = number(self.nodes.len()).wrapping_sub(first_node);
        let inner = self.take_over_nodes(other, first_node..nodes_end, moved);
        for entry in &other.entries[inner] {
            let extras = other.extras_at(entry);
            let extras = extras.map_or(NOWHERE, |extras| self.push_extras(extras.moved(moved)));
            self.entries.push(entry.moved(moved, renumbered, extras));
        }
        for (index, entry) in own.iter().enumerate() {
            let extras = other.extras_at(entry);
            let extras = extras.map(|extras| extras.moved(moved));
            let extras = match (index, extras) {
                (0, extras) => {
                    let mut extras = extras.unwrap_or_default();
                    extras.comments.leading = leading;
                    self.push_extras(extras)
                }
                (_, Some(extras)) => self.push_extras(extras),
                (_, None) => NOWHERE,
            };
            open.push(entry.moved(moved, renumbered, extras));
        }
    }

    /// Returns which entries are those of the collections among the nodes: they stand in a row, as
    /// these collections end one after the other.
    fn take_over_nodes(
        &mut self,
        other: &Stored<'_>,
        nodes: Range<u32>,
        moved: u32,
    ) -> Range<usize> {
        let first_collection = self.collections.len();
        let mut entries = Span::new(u32::MAX, 0);
        let nodes = &other.nodes[nodes.start as usize..nodes.end as usize];
        self.nodes.reserve(nodes.len());
        for node in nodes {
            let number = match node.kind() {
                StoredKind::Collection { .. } => {
                    let own = other.collections[node.number as usize];
                    entries.start = entries.start.min(own.start);
                    entries.end = entries.end.max(own.end);
                    self.collections.push(own);
                    number(self.collections.len() - 1)
                }
                _ if node.number == NOWHERE => NOWHERE,
                _ => {
                    let content = other.contents[node.number as usize];
                    let start = self.resolved.len();
                    self.resolved.push_str(&other.resolved[content.range()]);
                    self.push_content(start)
                }
            };
            self.nodes.push(StoredNode {
                start: node.start.moved(moved),
                end: node.end.moved(moved),
                number,
            });
        }
        if first_collection == self.collections.len() {
            return 0..0;
        }
        let moved_entries = number(self.entries.len()).wrapping_sub(entries.start);
        for own in &mut self.collections[first_collection..] {
            *own = own.moved(moved_entries);
        }
        entries.range()
    }
}
