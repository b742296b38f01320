//! Checks that a merge by lines changed the lines of the entries that a side changed, and of no
//! entry that is like them (rules: Text).

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
    let check = LineCheck { merged, trees };
    check.collections(trees.map(|tree| tree.root().value), merged.root().value)
}

struct LineCheck<'a> {
    merged: &'a Tree<'a>,
    trees: Triple<&'a Tree<'a>>,
}

impl<'a> LineCheck<'a> {
    fn collections(&self, nodes: Triple<NodeId>, merged: NodeId) -> bool {
        let sides = self.trees.zip(nodes);
        let of_entries = |find: &dyn Fn(EntryId) -> Triple<Option<EntryId>>| {
            let mut entries = self.merged.entries(merged);
            entries.all(|entry| self.entry(find(entry), entry))
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
            let element = tree.entries(list).nth(at);
            element.filter(|element| first_line(tree, *element) == wanted)
        });
        found
            .transpose()
            .map_or_else(Triple::default, |all| all.map(Some))
    }

    fn entry(&self, sides: Triple<Option<EntryId>>, merged: EntryId) -> bool {
        match sides.into_array() {
            [Some(original), Some(updated), Some(local)] => {
                self.paired_entry(Triple::new(original, updated, local), merged)
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
        let whole = all.map(|(tree, entry)| lines(tree, entry));
        let is_unchanged =
            |[original, updated, local, merged]: [&str; 4]| original == updated && local == merged;
        if is_unchanged(comments) && is_unchanged(whole) {
            return true;
        }
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
        let has = |text: &str, line: &str| text.lines().any(|it| trimmed(it) == trimmed(line));
        let is_own = |line: &str| {
            let [original, local] =
                [self.trees.original, self.trees.local].map(|it| it.text().contains(trimmed(line)));
            local && !original
        };
        expected == merged
            || expected.lines().all(|line| has(merged, line))
                && merged
                    .lines()
                    .all(|line| has(expected, line) || is_own(line))
    }

    fn all<T>(&self, of_sides: Triple<T>, merged: T) -> [(&'a Tree<'a>, T); 4] {
        let [original, updated, local] = self.trees.zip(of_sides).into_array();
        [original, updated, local, (self.merged, merged)]
    }
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
