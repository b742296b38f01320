//! Checks that a merge by lines changed the lines of the entries that a side changed, and of no
//! entry that is like them (rules: Text).

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::Options;
use super::index::{FieldIndex, key_of};
use super::shape::{Shape, shape};
use super::walk::Walker;
use super::walk::keys::ListKey;
use crate::triple::{Change, Triple};
use crate::white_space::trimmed;
use crate::yaml::{Entry, EntryId, NodeId, Span, Tree};

/// Whether each entry that all versions and the merged document have merged three-way: its first
/// line, or its whole value if that is no block collection, and the comments directly above; and
/// whether each entry that only local has is as in local. What both sides changed in different ways
/// is not checked.
pub(crate) fn merged_in_place(merged: &Tree<'_>, trees: Triple<&Tree<'_>>) -> bool {
    let options = Options::default();
    let check = LineCheck {
        merged,
        trees,
        options: &options,
        walker: OnceCell::new(),
        own_comments: OnceCell::new(),
    };
    check.collections(trees.map(|tree| tree.root().value), merged.root().value)
}

struct LineCheck<'a> {
    merged: &'a Tree<'a>,
    trees: Triple<&'a Tree<'a>>,
    options: &'a Options,
    /// Pairs the elements of lists without a key.
    walker: OnceCell<Walker<'a>>,
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
        let [original, updated, local] = sides.into_array();
        let all = [original, updated, local, (self.merged, merged)];
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
                    return self.elements(nodes, merged);
                };
                let elements = sides.map(|(tree, list)| key.index(tree, Some(list)));
                of_entries(&|entry| elements.as_ref().map(|it| it.find(self.merged, entry)))
            }
            _ => true,
        }
    }

    /// Checks the elements of lists without a key, if upstream only changed elements and added some
    /// at the end: each is local's element at its position, merged with those that pair with that.
    fn elements(&self, lists: Triple<NodeId>, merged: NodeId) -> bool {
        let (tree, local) = (self.trees.local, lists.local);
        let is_unchanged =
            self.merged.slice(self.merged.node(merged).span) == tree.slice(tree.node(local).span);
        let elements = self.merged.entries(merged);
        if is_unchanged || elements.len() < tree.entries(local).len() {
            return true;
        }
        let new = || Walker::new(self.trees, false, self.options);
        let sides = self.walker.get_or_init(new).elements_of_local(lists);
        let mut elements = elements.zip(sides.into_iter().flatten());
        elements.all(|(element, sides)| self.entry(sides, (merged, element), lists))
    }

    /// Checks an entry of the merged collection `node`. `nodes` are the collections of the sides.
    fn entry(
        &self,
        sides: Triple<Option<EntryId>>,
        (node, merged): (NodeId, EntryId),
        nodes: Triple<NodeId>,
    ) -> bool {
        if let Some(entries) = sides.transpose() {
            let texts = self.trees.zip(nodes.zip(entries));
            let texts = texts.map(|(tree, (node, entry))| surroundings(tree, node, entry));
            let whole = surroundings(self.merged, node, merged);
            return texts.original == texts.updated && texts.local == whole
                || texts.original == texts.local && texts.updated == whole
                || self.paired_entry(entries, merged);
        }
        let (None, None, Some(local)) = (sides.original, sides.updated, sides.local) else {
            return true;
        };
        let both = [(self.trees.local, local), (self.merged, merged)];
        let [lines, merged_lines] = both.map(|(tree, id)| lines(tree, tree.entry(id)));
        let [above, merged_above] = both.map(|(tree, id)| above(tree, tree.entry(id)));
        lines == merged_lines && self.has_comments(above, merged_above)
    }

    fn paired_entry(&self, entries: Triple<EntryId>, merged: EntryId) -> bool {
        let sides = self.trees.zip(entries);
        let sides = sides.map(|(tree, id)| (tree, tree.entry(id)));
        let (tree, merged) = (self.merged, self.merged.entry(merged));
        let is_block =
            |(tree, entry): (&Tree<'_>, Entry<'_>)| tree.is_block_collection(entry.value);
        let are_blocks = is_block((tree, merged)) && sides.into_iter().all(is_block);
        let lines = sides.map(|(tree, entry)| own_lines(tree, entry, are_blocks));
        let comments = sides.map(|(tree, entry)| above(tree, entry));
        let is_merged = lines.change() == Change::BothDiffer
            || lines.merged() == own_lines(tree, merged, are_blocks);
        let values = sides.map(|(_, entry)| entry.value);
        is_merged
            && (comments.change() == Change::BothDiffer
                || self.has_comments(comments.merged(), above(tree, merged)))
            && (!are_blocks || self.collections(values, merged.value))
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
