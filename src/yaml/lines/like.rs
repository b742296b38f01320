//! Entries that another text has too, one that was read before: their nodes are taken over from its
//! tree.
//!
//! The versions of a document are mostly the same, and to read a line takes many times as long as
//! to see that it is the same. What an entry is depends on its column, its own lines, and how the
//! next line with content begins: where those are the same, so is what is read.

use std::ops::Range;

use super::super::comments::span;
use super::super::stored::{Stored, StoredEntry};
use super::super::tree::{Span, Tree};
use super::Reader;
use super::scalar::{Found, Stop};

/// How many entries are looked at for one that begins like the one at hand.
const SEARCHED: u32 = 32;

/// A tree of a text that is mostly the same.
pub(super) struct Like<'l> {
    pub(super) stored: &'l Stored<'l>,
    /// A stretch of the text that is being read, and where it begins in the other one, which has it
    /// too.
    same: Range<usize>,
    same_there: usize,
}

/// The collection in the other text's tree that stands where one stands that is being read; one
/// without entries where there is none.
#[derive(Clone, Copy, Default)]
pub(super) struct Counterpart {
    entries: Span,
    /// The first of its entries that may come next.
    next: u32,
    /// The one that begins like the entry that is being read.
    current: Option<u32>,
    /// The first node behind it.
    nodes_end: u32,
    /// Where the content below it begins, or the text ends.
    below: usize,
}

impl<'l> Like<'l> {
    /// None where the tree has what may mean something else in another place.
    pub(super) fn new(tree: &'l Tree<'_>) -> Option<Self> {
        let stored = &tree.stored;
        stored.is_ordinary.then_some(Self {
            stored,
            same: 0..0,
            same_there: 0,
        })
    }

    /// How many bytes from `at` on are the same as those from `there` on in the other text.
    fn common(&mut self, bytes: &[u8], at: usize, there: usize) -> usize {
        let is_known = self.same.contains(&at) && at - self.same.start + self.same_there == there;
        if !is_known {
            let theirs = self.stored.text.as_bytes().get(there..).unwrap_or_default();
            let length = common_prefix(&bytes[at..], theirs);
            self.same = at..at + length;
            self.same_there = there;
        }
        self.same.end - at
    }

    fn entry(&self, index: u32) -> Option<&'l StoredEntry> {
        self.stored.entries.get(index as usize)
    }
}

/// How many bytes two texts have in common from their starts on.
fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    let mut at = 0;
    let eight = |bytes: &[u8], at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        rest.first_chunk().map(|eight| u64::from_le_bytes(*eight))
    };
    while let (Some(left), Some(right)) = (eight(left, at), eight(right, at)) {
        let others = left ^ right;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = left[at..].iter().zip(&right[at..]);
    at + rest.take_while(|(left, right)| left == right).count()
}

impl Counterpart {
    /// The first node behind an entry, and where the content below it begins.
    fn after(&self, like: &Like<'_>, index: u32) -> (u32, usize) {
        match like
            .entry(index + 1)
            .filter(|_| index + 1 < self.entries.end)
        {
            Some(sibling) => (sibling.first_node().number(), sibling.span.start as usize),
            None => (self.nodes_end, self.below),
        }
    }

    /// Finds the entry that begins like the one at `at`: as a field by its key, as an element by
    /// its first line.
    fn seek(&mut self, like: &mut Like<'_>, bytes: &[u8], at: usize, is_list: bool) {
        let end = self.entries.end.min(self.next.saturating_add(SEARCHED));
        let mut found = None;
        for index in self.next..end {
            let Some(entry) = like.entry(index) else {
                break;
            };
            let start = entry.span.start as usize;
            let is_it = match entry.colon() {
                Some(colon) if !is_list => like.common(bytes, at, start) > colon as usize - start,
                _ => {
                    let rest = like.stored.text.as_bytes().get(start..);
                    let rest = rest.unwrap_or_default();
                    let line = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                    like.common(bytes, at, start) >= line
                }
            };
            if is_it {
                found = Some(index);
                break;
            }
        }
        // an element whose first line changed is mostly the next one
        self.current = found.or_else(|| (is_list && self.next < end).then_some(self.next));
        if let Some(found) = found {
            self.next = found + 1;
        }
    }

    /// The last of the entries, from `first` on, that stand so at `at` as well, and below which the
    /// next line begins alike; none where not even the first does.
    fn last_same(&self, like: &mut Like<'_>, bytes: &[u8], at: usize, first: u32) -> Option<u32> {
        let start = like.entry(first)?.span.start as usize;
        let common = like.common(bytes, at, start);
        let text = like.stored.text.as_bytes();
        let is_same_to_the_end = start + common == text.len() && at + common == bytes.len();
        let is_whole = |index: &u32| {
            let (_, below) = self.after(like, *index);
            match text.get(below) {
                // with white space behind it, it begins a list, which may be the value
                Some(b'-') => below + 2 <= start + common,
                Some(_) => below < start + common,
                None => is_same_to_the_end,
            }
        };
        (first..self.entries.end).take_while(is_whole).last()
    }
}

impl Reader<'_, '_> {
    /// What stands in the other text's tree where a block collection begins, in the same column.
    pub(super) fn counterpart(&self, column: usize, is_list: bool) -> Counterpart {
        let like = self.like.as_ref();
        let found = like.and_then(|like| self.counterpart_in(like, column, is_list));
        found.unwrap_or_default()
    }

    fn counterpart_in(&self, like: &Like<'_>, column: usize, is_list: bool) -> Option<Counterpart> {
        let stored = like.stored;
        let (node, nodes_end, below) = match self.frames.last() {
            None => (stored.root.value(), stored.node_count(), stored.text.len()),
            Some(frame) => {
                let holder = &frame.counterpart;
                let current = holder.current?;
                let (nodes_end, below) = holder.after(like, current);
                (like.entry(current)?.value(), nodes_end, below)
            }
        };
        let entries = stored.entries_of_block(node, is_list)?;
        let start = stored.start_of(node) as usize;
        let line = start.checked_sub(column)?;
        let text = stored.text.as_bytes();
        let is_line_start = line == 0 || text[line - 1] == b'\n';
        let is_same_column = is_line_start && memchr::memchr(b'\n', &text[line..start]).is_none();
        is_same_column.then_some(Counterpart {
            entries,
            next: entries.start,
            current: None,
            nodes_end,
            below,
        })
    }

    /// Finds the entry of the other text's tree that begins like the one at `at` of the innermost
    /// collection.
    pub(super) fn seek(&mut self, at: usize) {
        if let (Some(like), Some(frame)) = (&mut self.like, self.frames.last_mut()) {
            let is_list = frame.is_list;
            frame.counterpart.seek(like, self.bytes, at, is_list);
        }
    }

    /// The entries from `at` on of the innermost collection that the other text has too. Goes on to
    /// the line behind them; none where it has not got the first.
    pub(super) fn taken_over(&mut self, at: usize) -> Option<()> {
        self.seek(at);
        let like = self.like.as_mut()?;
        let frame = self.frames.last_mut()?;
        let counterpart = &mut frame.counterpart;
        let first = counterpart.current?;
        let last = counterpart.last_same(like, self.bytes, at, first)?;
        let (nodes_end, _) = counterpart.after(like, last);
        let moved = span(at, at)
            .start
            .wrapping_sub(like.entry(first)?.span.start);
        let end = like.entry(last)?.span.end.wrapping_add(moved);
        counterpart.next = last + 1;
        let stored = like.stored;
        let next_line = self.next_line(self.line_end(end as usize)?)?;
        let leading = self.above.take().unwrap_or_default();
        self.parts
            .take_over(stored, first..last + 1, nodes_end, moved, leading);
        self.line = next_line;
        Some(())
    }

    /// The key at `at`, where the other text has it too.
    pub(super) fn known_key(&self, at: usize) -> Option<Found> {
        let like = self.like.as_ref()?;
        let counterpart = &self.frames.last()?.counterpart;
        let entry = like.entry(counterpart.current?)?;
        let (span, style) = like.stored.written(entry.key()?)?;
        let length = |to: u32| (to - entry.span.start) as usize;
        let colon = at + length(entry.colon()?);
        self.is_white(colon + 1).then_some(Found {
            style,
            resolved: None,
            end: at + length(span.end),
            stop: Stop::Colon(colon),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many lines are taken over at the start of a map, or of a list, that begins both texts.
    fn lines_taken_over(text: &str, like: &str) -> usize {
        let like = Tree::parse(like).unwrap().unwrap();
        let mut reader = Reader::new(text, Like::new(&like));
        reader.start(0, 0, text.starts_with("- ")).unwrap();
        match reader.taken_over(0) {
            Some(()) => text[..reader.line].lines().count(),
            None => 0,
        }
    }

    #[test]
    fn entries_are_taken_over_up_to_the_first_that_differs() {
        let old = "a: 1\nb:\n  c: x # why\n# d\nd: 4\ne: 5\n";
        assert_eq!(lines_taken_over(old, old), 6);
        // comments above an entry are read again
        assert_eq!(lines_taken_over(&old.replace("4", "5"), old), 3);
        assert_eq!(lines_taken_over(&old.replace("x", "y"), old), 1);
        assert_eq!(lines_taken_over(&old.replace("a: 1", "a: 2"), old), 0);
        let list = "- a: 1\n  b: 2\n- c\n- d\n";
        assert_eq!(lines_taken_over(&list.replace("- d", "- e"), list), 3);
        assert_eq!(lines_taken_over(&list.replace("2", "3"), list), 0);
    }

    #[test]
    fn what_stands_elsewhere_is_found() {
        let old = "a: 1\nb: 2\nc: 3\n";
        assert_eq!(lines_taken_over("b: 2\nc: 3\n", old), 2);
        assert_eq!(lines_taken_over("c: 3\na: 1\n", old), 0);
        // where the last line ends without a line break, the next one could go on
        assert_eq!(lines_taken_over("a: 1\nb: 2\nc: 3", old), 2);
    }

    #[test]
    fn the_line_below_has_to_begin_alike() {
        // the value goes on, is another text, or a list
        assert_eq!(lines_taken_over("a: x\n  y\n", "a: x\nb: y\n"), 0);
        assert_eq!(lines_taken_over("a: |\n x\n # y\n", "a: |\n x\n"), 0);
        assert_eq!(lines_taken_over("a:\n- b: 1\n", "a:\n-b: 1\n"), 0);
        assert_eq!(lines_taken_over("a:\n-b: 2\n", "a:\n-b: 1\n"), 1);
    }

    #[test]
    fn nothing_is_taken_over_from_another_column_or_another_kind() {
        let nested = "a:\n  b: 1\n  c: 2\n";
        assert_eq!(lines_taken_over("b: 1\nc: 2\n", nested), 0);
        assert_eq!(lines_taken_over("- a\n- b\n", "a: 1\n"), 0);
        // an anchor is known by its place in the document
        assert_eq!(lines_taken_over("a: 1\nb: 2\n", "a: 1\nb: &x 2\n"), 0);
    }
}
