//! Builds a tree, for both readers.

use super::ParseError;
use super::comments::span;
use super::keys;
use super::stored::{ShortEntry, StoredEntry, Tree};
use super::tree::{Comments, NodeId, Span};

/// The maximum nesting of collections, with the collections that aliases refer to.
pub(super) const DEPTH_LIMIT: usize = 512;

/// The role of a node in its entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Root,
    Element,
    Key,
    Value,
}

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
    /// The index of its first entry in [`TreeBuilder::finished`].
    first: usize,
    /// Its last entry, which is not complete yet.
    last: Option<StoredEntry>,
}

impl<'s> TreeBuilder<'s> {
    /// Returns an empty tree. The content of the text starts at `start`.
    pub(super) fn new(mut tree: Tree<'s>, start: usize) -> Self {
        tree.stored_root = new_entry(start);
        Self {
            tree,
            open: Vec::with_capacity(16),
            finished: Vec::with_capacity(64),
        }
    }

    /// Begins a collection.
    pub(super) fn begin_collection(&mut self, start: usize, is_map: bool, flow: bool) -> NodeId {
        let start = span(start, start).start;
        self.open.push(OpenCollection {
            first: self.finished.len(),
            last: None,
        });
        self.tree.push_collection(start, is_map, flow)
    }

    /// Begins a field or an element.
    pub(super) fn begin_entry(&mut self, start: usize) {
        let entry = new_entry(start);
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
        self.tree.stored_root.span.start = span(start, start).start;
    }

    /// Sets the colon of the current field.
    pub(super) fn set_colon(&mut self, at: usize) {
        if let Some(entry) = self.last_entry_mut() {
            entry.set_colon(span(at, at).start);
        }
    }

    /// Sets the comma after the last entry.
    pub(super) fn set_comma(&mut self, at: usize) {
        let innermost = self.open.last_mut();
        if let Some(entry) = innermost.and_then(|open| open.last.as_mut()) {
            self.tree.set_comma(entry, span(at, at).start);
        }
    }

    /// Sets a complete node as the key or the value of its entry.
    pub(super) fn set_node(&mut self, role: Role, node: NodeId, end: u32) {
        let entry = match role {
            Role::Root => Some(&mut self.tree.stored_root),
            Role::Element | Role::Key | Role::Value => self.last_entry_mut(),
        };
        if let Some(entry) = entry {
            match role {
                Role::Key => entry.set_key(),
                Role::Root | Role::Element | Role::Value => entry.set_value(node),
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

    /// Ends the innermost collection, at its bracket or at the end of its last entry. Returns its
    /// end.
    pub(super) fn end_collection(&mut self, node: NodeId, bracket_end: Option<usize>) -> u32 {
        let (first, last) = match self.open.pop() {
            Some(open) => (open.first, open.last),
            None => (self.finished.len(), None),
        };
        let end = match (bracket_end, last) {
            (Some(end), _) => span(end, end).end,
            (None, Some(last)) => last.span.end,
            (None, None) => self.tree.span_of(node).start,
        };
        if let Some(last) = last {
            let last = self.tree.compressed(&last);
            self.finished.push(last);
        }
        self.tree.end_collection(node, end, &self.finished[first..]);
        self.finished.truncate(first);
        end
    }

    /// Checks the keys of the last collection that ended.
    ///
    /// # Errors
    /// Returns an error if the node is a map with duplicate keys (rules: Keys).
    pub(super) fn check_keys(&self, node: NodeId) -> Result<(), ParseError> {
        match self.tree.is_map(node) {
            true => keys::check_unique(&self.tree, self.tree.entries_of(node)),
            false => Ok(()),
        }
    }

    pub(super) fn into_tree(self) -> Tree<'s> {
        self.tree
    }
}

fn new_entry(start: usize) -> StoredEntry {
    StoredEntry::new(span(start, start).start)
}
