//! Knows what kpt writes into the files that it vendors. Such marks are no changes of the user's.

use std::path::Path;

use super::parsed::ParsedFile;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree, equal, equal_documents};

/// The annotation that says which of upstream's resources one was.
const ANNOTATION: &str = "internal.kpt.dev/upstream-identifier";
/// How the comment begins that says the same.
const COMMENT: &str = "kpt-merge:";

/// Whether a document says what upstream's does, kpt's annotation and all comments aside.
pub(super) fn is_same_document(original: &Tree<'_>, local: &Tree<'_>) -> bool {
    let sides = [original, local].map(|tree| (tree, Some(tree.root().value)));
    equal_documents(original, local) || is_same(sides, &["metadata", "annotations"])
}

/// A map of a tree; none where it is not there, which is as good as empty.
type MapIn<'a, 's> = (&'a Tree<'s>, Option<NodeId>);

/// Whether two maps are the same but for the annotation, which is in the one that `way` leads to.
fn is_same(sides: [MapIn<'_, '_>; 2], way: &[&str]) -> bool {
    let is_map = |(tree, node): &MapIn<'_, '_>| {
        node.is_none_or(|node| matches!(tree.node(tree.resolve(node)).kind, NodeKind::Mapping(_)))
    };
    if !sides.iter().all(is_map) {
        return false;
    }
    let ignored = way.first().copied().unwrap_or(ANNOTATION);
    let [(original, o), (local, l)] = sides;
    let (ours, theirs) = (others(local, l, ignored), others(original, o, ignored));
    let is_equal = |(name, value): &(&str, NodeId)| {
        let other = theirs.iter().find(|(other, _)| other == name);
        other.is_some_and(|(_, other)| equal(original, *other, local, *value))
    };
    if ours.len() != theirs.len() || !ours.iter().all(is_equal) {
        return false;
    }
    let Some((first, rest)) = way.split_first() else {
        return true;
    };
    let below = |(tree, map): MapIn<'_, '_>| map.and_then(|map| tree.field(map, first));
    is_same(
        [(original, below((original, o))), (local, below((local, l)))],
        rest,
    )
}

/// The fields of a map but for one.
fn others<'t>(tree: &'t Tree<'_>, map: Option<NodeId>, ignored: &str) -> Vec<(&'t str, NodeId)> {
    let entries = map
        .into_iter()
        .flat_map(|map| tree.entries(tree.resolve(map)));
    entries
        .map(|entry| (name(tree, entry), tree.entry(entry).value))
        .filter(|(name, _)| *name != ignored)
        .collect()
}

fn name<'t>(tree: &'t Tree<'_>, entry: EntryId) -> &'t str {
    let key = tree.entry(entry).key.and_then(|key| tree.scalar(key));
    key.map_or("", |key| key.content)
}

/// Whether a file of a package is as upstream had it: to the byte, or with what kpt writes into it,
/// formatted as it likes.
pub(crate) fn is_as_upstream(path: &Path, original: &[u8], local: &[u8]) -> bool {
    if original == local {
        return true;
    }
    let read = |bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        ParsedFile::parse(path, text).ok()
    };
    let (Some(original), Some(local)) = (read(original), read(local)) else {
        return false;
    };
    let (originals, locals) = (trees(&original), trees(&local));
    let is_marked = local.text.contains(ANNOTATION) || local.text.contains(COMMENT);
    is_marked
        && originals.len() == locals.len()
        && originals.iter().zip(&locals).all(|(original, local)| {
            is_same_document(original, local) && comments(original) == comments(local)
        })
}

fn trees<'f, 'a>(file: &'f ParsedFile<'a>) -> Vec<&'f Tree<'a>> {
    let documents = file.documents.iter();
    documents.filter_map(|parsed| parsed.kept()).collect()
}

/// The comments of entries, kpt's own aside, in some order.
fn comments(tree: &Tree<'_>) -> Vec<String> {
    let of_entries = tree.all_entries().flat_map(|entry| {
        let comments = tree.entry(entry).comments();
        [comments.leading, comments.line, comments.tail]
    });
    let lines = of_entries.flat_map(|span| tree.slice(span).lines());
    let texts = lines.map(|line| line.trim().trim_start_matches('#').trim());
    let mut texts: Vec<String> = texts
        .filter(|text| !text.is_empty() && !text.starts_with(COMMENT))
        .map(str::to_owned)
        .collect();
    texts.sort_unstable();
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPSTREAM: &str = "# a\napiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec: {b: c} # d\n";

    fn is_as_upstream(local: &str) -> bool {
        super::is_as_upstream(Path::new("a.yaml"), UPSTREAM.as_bytes(), local.as_bytes())
    }

    #[test]
    fn what_kpt_wrote_is_no_change() {
        let marked = "# a\napiVersion: v1\nkind: A\nmetadata: # kpt-merge: /a\n  name: a\n  annotations:\n    internal.kpt.dev/upstream-identifier: 'x|A|default|a'\n\
            spec: {b: c} # d\n";
        assert!(is_as_upstream(marked));
        assert!(is_as_upstream(
            &marked.replace("spec: {b: c}", "spec:\n  b: c")
        ));
    }

    #[test]
    fn what_somebody_else_wrote_is_one() {
        let marked = "# a\napiVersion: v1\nkind: A\nmetadata: # kpt-merge: /a\n  name: a\n  annotations:\n    internal.kpt.dev/upstream-identifier: 'x|A|default|a'\n\
            spec: {b: c} # d\n";
        for (text, other) in [
            ("{b: c}", "{b: x}"),
            ("# d", "# ours"),
            ("# a\n", ""),
            ("  annotations:\n", "  annotations:\n    team: shop\n"),
            ("  name: a\n", "  name: a\n  labels: {a: b}\n"),
        ] {
            assert!(!is_as_upstream(&marked.replace(text, other)), "{other}");
        }
        // without kpt's marks it is to the byte
        assert!(!is_as_upstream(&UPSTREAM.replace("{b: c}", "{b:  c}")));
    }
}
