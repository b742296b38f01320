//! Comments above the elements of lists that are indented deeper than these (rules: Text).
//!
//! By its indentation, such a comment would belong to the element above.

use super::stored::Tree;
use super::tree::{Entry, NodeId};

impl Tree<'_> {
    /// Returns the start of the comments directly above an element of a list, which starts in
    /// `line`, if they belong to it at any indentation: the element above is on one line.
    pub(super) fn start_of_deep_comments(&self, element: Entry<'_>, line: u32) -> Option<u32> {
        if element.key.is_some() || !self.has_deep_comments_above_elements() {
            return None;
        }
        let start = self.start_of_run(line, |above| self.comment_indent(above).is_some());
        let gap = self.start_of_gap(start);
        let (indent, _) = self.first_of_line(self.line_above(gap)?);
        // a line that looks like a comment can be in a scalar
        let before = element.value.number().checked_sub(1);
        let before = before.map(|node| self.span_of(NodeId::new(node)));
        let is_in_scalar = before.is_some_and(|it| it.start < start && start < it.end);
        (indent <= self.column(element.span.start) && !is_in_scalar).then_some(start)
    }

    /// Makes the trees of three versions agree about the comments above elements: they are indented
    /// deeper than these if those above the first element of a list are in any version.
    pub(crate) fn share_deep_comments(versions: [&Self; 3]) {
        let known = |tree: &&Self| tree.has_deep_comments.get().copied();
        let known = versions.iter().find_map(known);
        let begin_list = || versions.iter().any(|it| it.begins_list_with_deep_comment());
        let has_deep_comments = known.unwrap_or_else(begin_list);
        for tree in versions {
            tree.has_deep_comments.get_or_init(|| has_deep_comments);
        }
    }

    /// Whether the comments above the elements of lists are indented deeper than these.
    pub(crate) fn has_deep_comments_above_elements(&self) -> bool {
        self.has_deep_comments.get() == Some(&true)
    }

    fn begins_list_with_deep_comment(&self) -> bool {
        let has_deep_comment = |element: Entry<'_>| {
            let line = self.start_of_indent(element.span.start);
            let above = line.and_then(|line| self.comment_indent(self.line_above(line)?));
            above > Some(self.column(element.span.start))
        };
        let lists = self
            .node_ids()
            .filter(|node| self.is_block_collection(*node));
        let mut first = lists.filter_map(|list| Some(self.entry(self.entries(list).next()?)));
        first.any(|entry| entry.key.is_none() && has_deep_comment(entry))
    }

    /// Returns the end of the comments in the lines from `line` on, which are below an entry, that
    /// belong to the entry if they are indented deeper.
    pub(super) fn end_of_deeper_comments(&self, entry: Entry<'_>, line: u32) -> u32 {
        let below = self.end_of_gap(line);
        let is_element = self.first_of_line(below) == (self.column(entry.span.start), Some(b'-'));
        let own = is_element.then(|| self.start_of_deep_comments(entry, below));
        own.flatten().unwrap_or(below).max(line)
    }
}
