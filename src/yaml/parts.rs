//! A tree that is being put together, whoever reads the text.

use rustc_hash::FxHashMap;

use super::ParseError;
use super::comments::{give, span};
use super::keys;
use super::line_table::LineTable;
pub(super) use super::tree::Properties;
use super::tree::{Collection, Entry, Node, NodeId, NodeKind, Span, Tree};

/// How deep collections may be nested, what an alias stands for included.
pub(super) const DEPTH_LIMIT: usize = 512;
/// What an entry has while its value is still to come.
pub(super) const NO_NODE: NodeId = NodeId(u32::MAX);
/// Where a collection ends that is still open.
pub(super) const OPEN: u32 = u32::MAX;

/// What a node is to what holds it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Root,
    Element,
    Key,
    Value,
}

/// Nodes in the order of the text, entries in the order in which their collections end.
pub(super) struct Parts<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<Node<'s>>,
    entries: Vec<Entry>,
    pub(super) root: Entry,
    /// The entries of the collections that are being read, the outer ones' first.
    pub(super) open: Vec<Entry>,
    pub(super) custom_tags: FxHashMap<NodeId, Box<str>>,
}

impl<'s> Parts<'s> {
    pub(super) fn new(text: &'s str, start: usize) -> Self {
        Self {
            text,
            nodes: Vec::new(),
            entries: Vec::new(),
            root: new_entry(start),
            open: Vec::new(),
            custom_tags: FxHashMap::default(),
        }
    }

    /// Makes room for what so many lines mostly hold.
    pub(super) fn reserve(&mut self, lines: usize) {
        self.nodes.reserve(lines * 5 / 2);
        self.entries.reserve(lines * 5 / 4);
        self.open.reserve(64);
    }

    pub(super) fn push(
        &mut self,
        span: Span,
        properties: Properties,
        kind: NodeKind<'s>,
    ) -> NodeId {
        // there are no more nodes than bytes
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node::new(span, properties, kind));
        id
    }

    /// A collection without anchor and tag begins.
    pub(super) fn begin_collection(&mut self, start: usize, is_map: bool, flow: bool) -> NodeId {
        let collection = Collection {
            flow,
            entries: 0..0,
        };
        let kind = if is_map {
            NodeKind::Mapping(collection)
        } else {
            NodeKind::Sequence(collection)
        };
        let open = Span::new(span(start, start).start, OPEN);
        self.push(open, Properties::default(), kind)
    }

    /// A field or element begins, with the comment lines that are its own.
    pub(super) fn begin_entry(&mut self, start: usize, leading: Option<Span>) {
        let mut entry = new_entry(start);
        if let Some(leading) = leading {
            entry.comments_mut().leading = leading;
        }
        self.open.push(entry);
    }

    /// A node is whole: what holds it gets it.
    pub(super) fn fill(&mut self, role: Role, node: NodeId, end: u32) {
        let entry = match role {
            Role::Root => Some(&mut self.root),
            Role::Element | Role::Key | Role::Value => self.open.last_mut(),
        };
        if let Some(entry) = entry {
            if role == Role::Key {
                entry.key = Some(node);
            } else {
                entry.value = node;
            }
            entry.span.end = end;
        }
    }

    /// Gives a comment at the end of the line that begins at `line_start` to the innermost entry that is being read; the
    /// root's is that of the `---`, where there is one.
    pub(super) fn give(&mut self, comment: Span, line_start: usize, marker: Option<usize>) {
        let (entry, first_line) = match self.open.last_mut() {
            Some(entry) => {
                let start = entry.span.start as usize;
                (entry, start)
            }
            None => {
                let start = marker.unwrap_or(self.root.span.start as usize);
                (&mut self.root, start)
            }
        };
        let ends_here = entry.value != NO_NODE && entry.span.end as usize >= line_start;
        give(entry, comment, first_line >= line_start, ends_here);
    }

    /// A collection ends, whose entries are the open ones from `first` on: at the end of its last entry, unless its
    /// bracket stands elsewhere. Returns where it ends.
    ///
    /// # Errors
    /// Where a key occurs twice in it.
    pub(super) fn end_collection(
        &mut self,
        node: NodeId,
        first: usize,
        bracket_end: Option<usize>,
    ) -> Result<u32, ParseError> {
        let start = self.nodes[node.0 as usize].span.start;
        let last = self.open[first..].last();
        let end = match bracket_end {
            Some(end) => span(end, end).end,
            None => last.map_or(start, |last| last.span.end),
        };
        let from = self.entries.len();
        self.entries.extend(self.open.drain(first..));
        let range = span(from, self.entries.len());
        let ended = &mut self.nodes[node.0 as usize];
        ended.span.end = end;
        let is_map = matches!(ended.kind, NodeKind::Mapping(_));
        if let NodeKind::Mapping(collection) | NodeKind::Sequence(collection) = &mut ended.kind {
            collection.entries = range.start..range.end;
        }
        if is_map {
            keys::check(
                self.text,
                &self.nodes,
                &self.entries[from..],
                &self.custom_tags,
            )?;
        }
        Ok(end)
    }

    pub(super) fn into_tree(self) -> Tree<'s> {
        Tree {
            text: self.text,
            nodes: self.nodes,
            entries: self.entries,
            root: self.root,
            custom_tags: self.custom_tags,
            lines: LineTable::default(),
        }
    }
}

fn new_entry(start: usize) -> Entry {
    Entry::new(span(start, start).start, NO_NODE)
}
