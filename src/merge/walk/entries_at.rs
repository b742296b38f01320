//! Finds the entries in a range of a document's text, with their paths.

use std::fmt::Write as _;
use std::ops::Range;

use super::keys::ListKey;
use super::record::write_field;
use crate::merge::index::key_of;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

/// Returns the outermost entries that lie completely in a range of the text, with their paths as in
/// conflicts. If the range is inside an entry, returns the innermost such entry.
pub(crate) fn entries_at(tree: &Tree<'_>, range: &Range<u32>) -> Vec<(String, EntryId)> {
    let mut found = Vec::new();
    search(tree, tree.root().value, "", range, &mut found);
    found
}

fn search(
    tree: &Tree<'_>,
    node: NodeId,
    path: &str,
    range: &Range<u32>,
    found: &mut Vec<(String, EntryId)>,
) {
    let is_list = matches!(tree.node(node).kind, NodeKind::Sequence(_));
    let key = ListKey::of(&[(tree, node)], || None, &[]).filter(|_| is_list);
    for (index, entry) in tree.entries(node).enumerate() {
        let span = tree.entry(entry).span;
        if span.end <= range.start || span.start >= range.end {
            continue;
        }
        let mut inner = path.to_owned();
        // Writing to a String cannot fail.
        let _ = match (&key, key_of(tree, entry)) {
            (_, Some((_, name))) => write_field(&mut inner, name),
            (Some(key), None) => write!(inner, "[{}]", key.in_path(tree, entry)),
            (None, None) => write!(inner, "[{index}]"),
        };
        let before = found.len();
        if span.start < range.start || span.end > range.end {
            search(tree, tree.entry(entry).value, &inner, range, found);
        }
        if found.len() == before {
            // Conflicts between elements without a key have the path of the list.
            let is_of_list = is_list && key.is_none() && !path.is_empty();
            found.push((if is_of_list { path.to_owned() } else { inner }, entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_has_the_outermost_entries_in_it() {
        let text = "a:\n  b: 1\n  c:\n  - name: x\n    v: |\n      one\n      two\n  - name: y\nd.e: [1]\n";
        let tree = Tree::parse(text).unwrap().unwrap();
        let paths = |from: &str, to: &str| {
            let (from, to) = (text.find(from).unwrap(), text.find(to).unwrap());
            let found = entries_at(&tree, &(from as u32..to as u32));
            found.into_iter().map(|(path, _)| path).collect::<Vec<_>>()
        };
        assert_eq!(paths("  b:", "  - name: x"), ["a.b", "a.c"]);
        assert_eq!(paths("  - name: x", "    v:"), ["a.c[name=x].name"]);
        assert_eq!(paths("      one", "      two"), ["a.c[name=x].v"]);
        assert_eq!(paths("  - name: y", "d.e"), ["a.c[name=y]"]);
        assert_eq!(paths("d.e", "]\n"), ["[\"d.e\"]"]);
    }
}
