//! Builds a tree, for both readers.

use super::ParseError;
use super::comments::span;
use super::keys;
use super::stored::{Details, NONE, Place, StoredEntry, StoredKind, StoredNode, Tree, to_u32};
use super::tree::{Comments, NodeId, Properties, ScalarStyle, ScalarType, Span};

/// The maximum nesting of collections, with the collections that aliases refer to.
pub(super) const DEPTH_LIMIT: usize = 512;

/// A tree under construction. Nodes are in the order of the text, entries in the order in which
/// their collections end.
pub(super) struct TreeBuilder<'s> {
    pub(super) tree: Tree<'s>,
    /// The collections that are being read, outermost first.
    open: Vec<OpenCollection>,
    /// The root, and then the entries of the open collections. So the last one is the innermost
    /// current entry.
    entries: Vec<StoredEntry>,
    /// The offset of the `---`, if there is one.
    pub(super) marker: Option<usize>,
}

/// A collection that is being read.
struct OpenCollection {
    node: NodeId,
    /// The index of its first entry in [`TreeBuilder::entries`].
    first: usize,
}

impl<'s> TreeBuilder<'s> {
    /// Returns an empty tree with space for a number of nodes, and for the entries and collections
    /// that they usually have. The content of the text starts at `start`.
    pub(super) fn new(text: &'s str, start: usize, nodes: usize) -> Self {
        let mut tree = Tree::new(text);
        tree.nodes.reserve_exact(nodes);
        tree.entries.reserve_exact(nodes / 2);
        tree.details.reserve_exact(nodes / 5);
        Self {
            tree,
            open: Vec::with_capacity(16),
            entries: vec![StoredEntry::new(to_u32(start))],
            marker: None,
        }
    }

    /// Adds a scalar. Its content is in the text, or in the resolved contents from `resolved` on.
    #[inline(always)]
    pub(super) fn push_scalar(
        &mut self,
        span: Span,
        (style, scalar_type): (ScalarStyle, ScalarType),
        resolved: Option<usize>,
    ) -> NodeId {
        match resolved {
            None => self.push(span.start, span.end, StoredKind::Scalar(style, scalar_type)),
            Some(start) => {
                let content = Span::new(to_u32(start), to_u32(self.tree.resolved.len()));
                self.push_with_details(span, StoredKind::Resolved(style, scalar_type), content)
            }
        }
    }

    pub(super) fn push_alias(&mut self, span: Span, target: NodeId) -> NodeId {
        let target = Span::new(target.number(), target.number());
        self.push_with_details(span, StoredKind::Alias, target)
    }

    #[inline(always)]
    fn push(&mut self, start: u32, end: u32, kind: StoredKind) -> NodeId {
        self.tree.nodes.push(StoredNode {
            start,
            end,
            kind,
            place: Place::Value,
        });
        NodeId::new(to_u32(self.tree.nodes.len() - 1))
    }

    fn push_with_details(&mut self, node: Span, kind: StoredKind, span: Span) -> NodeId {
        let index = to_u32(self.tree.details.len());
        let end = node.end;
        self.tree.details.push(Details { end, span });
        self.push(node.start, index, kind)
    }

    /// Sets the anchor and the tag of the last node.
    pub(super) fn set_properties(&mut self, node: NodeId, properties: Properties) {
        if properties != Properties::default() {
            self.tree.properties.push((node, properties));
        }
    }

    /// Begins a collection.
    pub(super) fn begin_collection(&mut self, start: usize, is_map: bool, flow: bool) -> NodeId {
        let kind = StoredKind::Collection { is_map, flow };
        let node = self.push_with_details(span(start, start), kind, Span::default());
        let first = self.entries.len();
        self.open.push(OpenCollection { node, first });
        node
    }

    /// Whether a node is a collection that is still being read.
    pub(super) fn is_open(&self, node: NodeId) -> bool {
        self.open.iter().any(|open| open.node == node)
    }

    /// Begins a field or an element. `leading` are the comment lines above it.
    pub(super) fn begin_entry(&mut self, start: usize, leading: Option<Span>) {
        self.entries.push(StoredEntry::new(to_u32(start)));
        if let Some(leading) = leading {
            self.set_comments_above(leading);
        }
    }

    /// Whether the innermost collection has an entry.
    pub(super) fn has_entries(&self) -> bool {
        (self.open.last()).is_some_and(|open| open.first < self.entries.len())
    }

    /// Returns the start of the innermost current entry.
    pub(super) fn start_of_entry(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.start as usize)
    }

    /// Whether the root is still missing.
    pub(super) fn has_no_root(&self) -> bool {
        self.entries
            .first()
            .is_some_and(|root| root.value.is_none())
    }

    /// Sets the start of the root.
    pub(super) fn begin_root(&mut self, start: usize) {
        self.entries[0].start = to_u32(start);
    }

    /// Sets the comment lines above the innermost current entry.
    pub(super) fn set_comments_above(&mut self, lines: Span) {
        self.comments_mut().leading = lines;
    }

    /// Returns the innermost current entry.
    fn entry_mut(&mut self) -> &mut StoredEntry {
        let last = self.entries.len() - 1;
        &mut self.entries[last]
    }

    /// Sets the comma after the last entry of the innermost collection.
    pub(super) fn set_comma(&mut self) {
        if let Some(value) = self.entry_mut().value {
            self.tree.nodes[value.number() as usize].place = Place::ValueBeforeComma;
        }
    }

    /// Sets the last node as the key of its entry. The next node will be the value.
    pub(super) fn set_key(&mut self) {
        if let Some(key) = self.tree.nodes.last_mut() {
            key.place = Place::Key;
        }
    }

    /// Sets a complete node as the value of its entry.
    pub(super) fn set_value(&mut self, node: NodeId) {
        self.entry_mut().value = Some(node);
    }

    /// Assigns a comment at the end of the line that starts at `line_start` to the innermost
    /// current entry: as the comment of its first line or of its last line. A second comment at the
    /// same place belongs to no entry. The first line of the root is that of the `---`, if there is
    /// one.
    pub(super) fn add_comment(&mut self, comment: Span, line_start: usize) {
        let entry = *self.entry_mut();
        let first_line = match self.marker {
            Some(marker) if self.entries.len() == 1 => marker,
            _ => entry.start as usize,
        };
        let ends_at = |end: Span| end.end as usize >= line_start;
        let is_of_first_line = first_line >= line_start;
        let ends_here = entry.value.is_some_and(|it| ends_at(self.tree.span_of(it)));
        if !is_of_first_line && !ends_here {
            return;
        }
        let Comments { line, tail, .. } = self.comments_mut();
        let slot = if is_of_first_line { line } else { tail };
        if slot.is_empty() {
            *slot = comment;
        }
    }

    /// Returns the comments of the innermost current entry.
    fn comments_mut(&mut self) -> &mut Comments {
        let index = match self.entry_mut().comments {
            NONE => {
                self.tree.comments.push(Comments::default());
                self.tree.comments.len() - 1
            }
            index => index as usize,
        };
        self.entry_mut().comments = to_u32(index);
        &mut self.tree.comments[index]
    }

    /// Ends the innermost collection, at its bracket or at the end of its last entry, and sets it
    /// as the value of its entry.
    ///
    /// # Errors
    /// Returns an error if it is a map with duplicate keys (rules: Keys).
    pub(super) fn end_collection(&mut self, bracket_end: Option<usize>) -> Result<(), ParseError> {
        let Some(OpenCollection { node, first }) = self.open.pop() else {
            return Ok(());
        };
        let tree = &mut self.tree;
        let last_value = self.entries[first..].last().and_then(|entry| entry.value);
        let stored = tree.nodes[node.number() as usize];
        let end = match (bracket_end, last_value) {
            (Some(end), _) => to_u32(end),
            (None, Some(value)) => tree.span_of(value).end,
            (None, None) => stored.start,
        };
        let own = Span::new(
            to_u32(tree.entries.len()),
            to_u32(tree.entries.len() + self.entries.len() - first),
        );
        tree.entries.extend(self.entries.drain(first..));
        tree.details[stored.end as usize] = Details { end, span: own };
        self.set_value(node);
        match stored.kind {
            StoredKind::Collection { is_map: true, .. } => keys::check_unique(&self.tree, own),
            _ => Ok(()),
        }
    }

    pub(super) fn into_tree(mut self) -> Tree<'s> {
        self.tree.root = self.entries[0];
        self.tree
    }
}
