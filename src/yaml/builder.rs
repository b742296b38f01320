//! Builds a tree, for both readers.

use super::ParseError;
use super::keys;
use super::stored::{ShortEntry, StoredEntry, Tree, to_u32};
use super::tree::{Comments, NodeId, Span};

/// The maximum nesting of collections, with the collections that aliases refer to.
pub(super) const DEPTH_LIMIT: usize = 512;

/// A tree under construction. Nodes are in the order of the text, entries in the order in which
/// their collections end.
pub(super) struct TreeBuilder<'s> {
    pub(super) tree: Tree<'s>,
    /// The collections that are being read, outermost first.
    open: Vec<OpenCollection>,
    /// The entries of the open collections, except the last entry of each.
    finished: Vec<ShortEntry>,
}

/// A collection that is being read.
struct OpenCollection {
    node: NodeId,
    is_map: bool,
    /// The index of its first entry in [`TreeBuilder::finished`].
    first: usize,
    /// Its last entry, which is not complete yet.
    last: Option<StoredEntry>,
}

impl<'s> TreeBuilder<'s> {
    /// Returns an empty tree. The content of the text starts at `start`.
    pub(super) fn new(mut tree: Tree<'s>, start: usize) -> Self {
        tree.stored_root = StoredEntry::new(to_u32(start));
        Self {
            tree,
            open: Vec::with_capacity(16),
            finished: Vec::with_capacity(64),
        }
    }

    /// Begins a collection.
    pub(super) fn begin_collection(&mut self, start: usize, is_map: bool, flow: bool) -> NodeId {
        let start = to_u32(start);
        let node = self.tree.push_collection(start, is_map, flow);
        self.open.push(OpenCollection {
            node,
            is_map,
            first: self.finished.len(),
            last: None,
        });
        node
    }

    /// Whether a node is a collection that is still being read.
    pub(super) fn is_open(&self, node: NodeId) -> bool {
        self.open.iter().any(|open| open.node == node)
    }

    /// Begins a field or an element.
    pub(super) fn begin_entry(&mut self, start: usize) {
        let entry = StoredEntry::new(to_u32(start));
        let innermost = self.open.last_mut();
        if let Some(finished) = innermost.and_then(|open| open.last.replace(entry)) {
            let finished = self.tree.compressed(&finished);
            self.finished.push(finished);
        }
    }

    /// Returns the last entry of the innermost collection, if it has one.
    pub(super) fn last_entry(&self) -> Option<&StoredEntry> {
        self.open.last()?.last.as_ref()
    }

    fn last_entry_mut(&mut self) -> Option<&mut StoredEntry> {
        self.open.last_mut()?.last.as_mut()
    }

    /// Whether the root is still missing.
    pub(super) fn has_no_root(&self) -> bool {
        !self.tree.stored_root.has_value()
    }

    /// Sets the start of the root.
    pub(super) fn begin_root(&mut self, start: usize) {
        self.tree.stored_root.span.start = to_u32(start);
    }

    /// Sets the colon of the current field.
    pub(super) fn set_colon(&mut self, at: usize) {
        if let Some(entry) = self.last_entry_mut() {
            entry.colon = to_u32(at);
        }
    }

    /// Records that a comma is behind the last entry.
    pub(super) fn set_comma(&mut self) {
        if let Some(entry) = self.last_entry_mut() {
            entry.set_comma();
        }
    }

    /// Whether the next node is the key of a field.
    pub(super) fn expects_key(&self) -> bool {
        let is_map = self.open.last().is_some_and(|open| open.is_map);
        is_map && self.last_entry().is_some_and(|entry| entry.key().is_none())
    }

    /// Whether the next node is the value of a field.
    pub(super) fn expects_value(&self) -> bool {
        let entry = self.last_entry();
        entry.is_some_and(|entry| entry.key().is_some() && !entry.has_value())
    }

    /// Sets a complete node as the key or the value of its entry, or as the root.
    pub(super) fn set_node(&mut self, node: NodeId, end: u32) {
        let is_key = self.expects_key();
        let entry = match self.open.last_mut() {
            Some(open) => open.last.as_mut(),
            None => Some(&mut self.tree.stored_root),
        };
        if let Some(entry) = entry {
            match is_key {
                true => entry.set_key(),
                false => entry.set_value(node),
            }
            entry.span.end = end;
        }
    }

    /// Assigns a comment at the end of the line that starts at `line_start` to the innermost
    /// current entry: as the comment of its first line or of its last line. A second comment at the
    /// same place belongs to no entry. The first line of the root is that of the `---`, if there is
    /// one.
    pub(super) fn add_comment(&mut self, comment: Span, line_start: usize, marker: Option<usize>) {
        let mut root = self.tree.stored_root;
        let mut open = self.open.iter_mut().rev();
        let innermost = open.find_map(|open| open.last.as_mut());
        let marker = marker.filter(|_| innermost.is_none());
        let entry = innermost.unwrap_or(&mut root);
        let first_line = marker.unwrap_or(entry.span.start as usize);
        let ends_here = entry.has_value() && entry.span.end as usize >= line_start;
        let is_of_first_line = first_line >= line_start;
        if !is_of_first_line && !ends_here {
            return;
        }
        let Comments { line, tail } = self.tree.comments_of(entry);
        let slot = if is_of_first_line { line } else { tail };
        if slot.is_empty() {
            *slot = comment;
        }
        self.tree.stored_root = root;
    }

    /// Ends the innermost collection, at its bracket or at the end of its last entry, and sets it
    /// as a value.
    ///
    /// # Errors
    /// Returns an error if it is a map with duplicate keys (rules: Keys).
    pub(super) fn end_collection(&mut self, bracket_end: Option<usize>) -> Result<(), ParseError> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let end = match (bracket_end, open.last) {
            (Some(end), _) => to_u32(end),
            (None, Some(last)) => last.span.end,
            (None, None) => self.tree.span_of(open.node).start,
        };
        if let Some(last) = open.last {
            let last = self.tree.compressed(&last);
            self.finished.push(last);
        }
        let own = &self.finished[open.first..];
        self.tree.end_collection(open.node, end, own);
        self.finished.truncate(open.first);
        self.set_node(open.node, end);
        match open.is_map {
            true => keys::check_unique(&self.tree, self.tree.entries_of(open.node)),
            false => Ok(()),
        }
    }
}
