//! Checks that a merge by lines changed the lines of the entries that a side changed, and of no
//! entry that is like them (rules: Text).

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::walk::index::{FieldIndex, key_of};
use super::walk::keys::ListKey;
use super::walk::{Shape, position, shape};
use crate::triple::{Change, Triple};
use crate::white_space::trimmed;
use crate::yaml::{Entry, EntryId, NodeId, Span, Tree};

/// Whether each entry that all versions and the merged document have merged three-way: its first
/// line, or its whole value if that is no block collection, and the comments directly above; and
/// whether each entry that only local has is as in local. What both sides changed in different ways
/// is not checked.
pub(crate) fn merged_in_place(merged: &Tree<'_>, trees: Triple<&Tree<'_>>) -> bool {
    let check = LineCheck {
        merged,
        trees,
        own_comments: OnceCell::new(),
    };
    check.collections(trees.map(|tree| tree.root().value), merged.root().value)
}

struct LineCheck<'a> {
    merged: &'a Tree<'a>,
    trees: Triple<&'a Tree<'a>>,
    /// The comment lines that local has and the original does not.
    own_comments: OnceCell<FxHashSet<&'a str>>,
}

impl<'a> LineCheck<'a> {
    fn collections(&self, nodes: Triple<NodeId>, merged: NodeId) -> bool {
        let sides = self.trees.zip(nodes);
        let of_entries = |find: &dyn Fn(EntryId) -> Triple<Option<EntryId>>| {
            let mut entries = self.merged.entries(merged);
            entries.all(|entry| self.entry(find(entry), (merged, entry), nodes))
        };
        let all = self.all(nodes, merged);
        match all.map(|(tree, node)| shape(tree, node)) {
            [Shape::Map, Shape::Map, Shape::Map, Shape::Map] => {
                let fields = sides.map(|(tree, map)| FieldIndex::of(tree, map));
                of_entries(&|entry| {
                    let key = key_of(self.merged, entry);
                    fields.as_ref().map(|fields| fields.find(key?))
                })
            }
            [Shape::List, Shape::List, Shape::List, Shape::List] => {
                let Some(key) = ListKey::of(&all, || None, &[]) else {
                    return of_entries(&|entry| self.elements_beside(sides, (merged, entry)));
                };
                let elements = sides.map(|(tree, list)| key.index(tree, Some(list)));
                of_entries(&|entry| elements.as_ref().map(|it| it.find(self.merged, entry)))
            }
            _ => true,
        }
    }

    /// Returns the elements at the position of a merged one, if all begin with the same line.
    fn elements_beside(
        &self,
        sides: Triple<(&'a Tree<'a>, NodeId)>,
        (list, merged): (NodeId, EntryId),
    ) -> Triple<Option<EntryId>> {
        let at = position(self.merged.entries(list), merged);
        let first_line = |tree: &'a Tree<'a>, id| {
            let start = tree.entry(id).span.start;
            tree.slice(Span::new(start, tree.line_end(start)))
        };
        let wanted = first_line(self.merged, merged);
        let found = sides.map(|(tree, list)| {
            let (mut elements, at) = (tree.entries(list), at as u32);
            let is_there = (at as usize) < elements.len();
            let first = elements.next().filter(|_| is_there)?;
            // the numbers of the elements follow each other
            Some(EntryId::new(first.number() + at))
                .filter(|element| first_line(tree, *element) == wanted)
        });
        found
            .transpose()
            .map_or_else(Triple::default, |all| all.map(Some))
    }

    /// Checks an entry of the merged collection `node`. `nodes` are the collections of the sides.
    fn entry(
        &self,
        sides: Triple<Option<EntryId>>,
        (node, merged): (NodeId, EntryId),
        nodes: Triple<NodeId>,
    ) -> bool {
        match sides.into_array() {
            [Some(original), Some(updated), Some(local)] => {
                let entries = Triple::new(original, updated, local);
                let all = self.all(nodes.zip(entries), (node, merged));
                let [original, updated, local, whole] =
                    all.map(|(tree, (node, entry))| surroundings(tree, node, entry));
                original == updated && local == whole
                    || original == local && updated == whole
                    || self.paired_entry(entries, merged)
            }
            [None, None, Some(local)] => {
                let both = [(self.trees.local, local), (self.merged, merged)];
                let [lines, merged_lines] = both.map(|(tree, id)| lines(tree, tree.entry(id)));
                let [above, merged_above] = both.map(|(tree, id)| above(tree, tree.entry(id)));
                lines == merged_lines && self.has_comments(above, merged_above)
            }
            _ => true,
        }
    }

    fn paired_entry(&self, entries: Triple<EntryId>, merged: EntryId) -> bool {
        let all = self.all(entries, merged);
        let all = all.map(|(tree, id)| (tree, tree.entry(id)));
        let comments = all.map(|(tree, entry)| above(tree, entry));
        let are_blocks = all.map(|(tree, entry)| tree.is_block_collection(entry.value));
        let are_blocks = are_blocks == [true; 4];
        let [original, updated, local, merged] =
            all.map(|(tree, entry)| own_lines(tree, entry, are_blocks));
        let of_sides = Triple::new(original, updated, local);
        let [original, updated, local, merged_comments] = comments;
        let comments = Triple::new(original, updated, local);
        let [original, updated, local, value] = all.map(|(_, entry)| entry.value);
        let is_merged = of_sides.change() == Change::BothDiffer || of_sides.merged() == merged;
        is_merged
            && (comments.change() == Change::BothDiffer
                || self.has_comments(comments.merged(), merged_comments))
            && (!are_blocks || self.collections(Triple::new(original, updated, local), value))
    }

    /// Whether `merged`, the comments above a merged entry, are the `expected` ones. There may be
    /// more that local wrote: those above an entry that upstream removed.
    fn has_comments(&self, expected: &str, merged: &str) -> bool {
        if expected == merged {
            return true;
        }
        let [expected, merged]: [FxHashSet<&str>; 2] =
            [expected, merged].map(|text| text.lines().map(trimmed).collect());
        let own = self.own_comments.get_or_init(|| {
            let [mut own, original] =
                [self.trees.local, self.trees.original].map(|tree| comment_lines(tree.text()));
            own.retain(|line| !original.contains(line));
            own
        });
        expected.is_subset(&merged) && merged.difference(&expected).all(|line| own.contains(line))
    }

    fn all<T>(&self, of_sides: Triple<T>, merged: T) -> [(&'a Tree<'a>, T); 4] {
        let [original, updated, local] = self.trees.zip(of_sides).into_array();
        [original, updated, local, (self.merged, merged)]
    }
}

/// Returns the text of an entry of a collection, from the end of the entry above to the start of
/// the entry below. The numbers of the entries of a collection follow each other.
fn surroundings<'t>(tree: &'t Tree<'t>, collection: NodeId, id: EntryId) -> &'t str {
    let (mut entries, entry) = (tree.entries(collection), tree.entry(id));
    let (first, last) = (entries.next(), entries.next_back());
    let start = match first == Some(id) {
        true => tree.comments_above(entry).start,
        false => tree.entry(EntryId::new(id.number() - 1)).span.end,
    };
    let end = match last.or(first) == Some(id) {
        true => tree.lines_of(entry).end,
        false => tree.entry(EntryId::new(id.number() + 1)).span.start,
    };
    tree.slice(Span::new(start, end))
}

fn comment_lines(text: &str) -> FxHashSet<&str> {
    let lines = text.lines().map(trimmed);
    lines.filter(|line| line.starts_with('#')).collect()
}

fn above<'t>(tree: &'t Tree<'t>, entry: Entry<'_>) -> &'t str {
    tree.slice(tree.comments_above(entry))
}

fn lines<'t>(tree: &'t Tree<'t>, entry: Entry<'_>) -> &'t str {
    tree.slice(tree.lines_of(entry))
}

/// Returns the first line of an entry that `is_block`, else its whole value. The first line of an
/// element is that of its first field.
fn own_lines<'t>(tree: &'t Tree<'t>, entry: Entry<'_>, is_block: bool) -> &'t str {
    let start = tree.lines_of(entry).start;
    let end = match (is_block, entry.key) {
        (true, Some(_)) => tree.line_end(entry.span.start),
        (true, None) => start,
        (false, _) => tree.end_of_value_lines(entry),
    };
    tree.slice(Span::new(start, end.max(start)))
}
