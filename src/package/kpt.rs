//! Recognizes what kpt writes into the files that it vendors: an annotation, a comment and its
//! formatting. These do not count as local changes (rules: Upgrades).

use std::path::Path;

use super::parsed::ParsedFile;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree, equal, equal_documents};

/// The annotation with the identity of the upstream resource.
const ANNOTATION: &str = "internal.kpt.dev/upstream-identifier";
/// The start of the comment with that identity.
const COMMENT: &str = "kpt-merge:";

/// Returns true if two documents have equal values, kpt's annotation and all comments aside.
pub(super) fn is_same_document(original: &Tree<'_>, local: &Tree<'_>) -> bool {
    let sides = [original, local].map(|tree| (tree, Some(tree.root().value)));
    equal_documents(original, local) || is_equal_but_annotation(sides, &["metadata", "annotations"])
}

/// A map in a tree; `None` if it is missing, which counts as empty.
type MapIn<'a, 's> = (&'a Tree<'s>, Option<NodeId>);

/// Returns true if two maps are equal apart from kpt's annotation, which is in the map at `path`.
fn is_equal_but_annotation(sides: [MapIn<'_, '_>; 2], path: &[&str]) -> bool {
    let is_map = |(tree, node): &MapIn<'_, '_>| {
        node.is_none_or(|node| matches!(tree.node(tree.resolve(node)).kind, NodeKind::Mapping(_)))
    };
    if !sides.iter().all(is_map) {
        return false;
    }
    let ignored = path.first().copied().unwrap_or(ANNOTATION);
    let [(original, o), (local, l)] = sides;
    let (local_fields, original_fields) = (
        fields_except(local, l, ignored),
        fields_except(original, o, ignored),
    );
    let is_equal = |(name, value): &(&str, NodeId)| {
        let other = original_fields.iter().find(|(other, _)| other == name);
        other.is_some_and(|(_, other)| equal(original, *other, local, *value))
    };
    if local_fields.len() != original_fields.len() || !local_fields.iter().all(is_equal) {
        return false;
    }
    let Some((first, rest)) = path.split_first() else {
        return true;
    };
    let below = |(tree, map): MapIn<'_, '_>| map.and_then(|map| tree.field(map, first));
    is_equal_but_annotation(
        [(original, below((original, o))), (local, below((local, l)))],
        rest,
    )
}

/// Returns the fields of a map without the field `ignored`.
fn fields_except<'t>(
    tree: &'t Tree<'_>,
    map: Option<NodeId>,
    ignored: &str,
) -> Vec<(&'t str, NodeId)> {
    let entries = map
        .into_iter()
        .flat_map(|map| tree.entries(tree.resolve(map)));
    entries
        .map(|entry| (name(tree, entry), tree.entry(entry).value))
        .filter(|(name, _)| *name != ignored)
        .collect()
}

/// Returns the key of a field as text.
fn name<'t>(tree: &'t Tree<'_>, entry: EntryId) -> &'t str {
    let key = tree.entry(entry).key.and_then(|key| tree.scalar(key));
    key.map_or("", |key| key.content)
}

/// Returns true if a file of a package is unchanged from upstream: equal bytes, or, if kpt marked
/// the file, equal values and comments.
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

/// Returns the texts of the comments of all entries, without kpt's own, sorted.
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
    fn what_kpt_writes_is_not_a_change() {
        let marked = "# a\napiVersion: v1\nkind: A\nmetadata: # kpt-merge: /a\n  name: a\n  annotations:\n    internal.kpt.dev/upstream-identifier: 'x|A|default|a'\n\
            spec: {b: c} # d\n";
        assert!(is_as_upstream(marked));
        assert!(is_as_upstream(
            &marked.replace("spec: {b: c}", "spec:\n  b: c")
        ));
    }

    #[test]
    fn other_changes_count() {
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
        // without kpt's marks, every byte counts
        assert!(!is_as_upstream(&UPSTREAM.replace("{b: c}", "{b:  c}")));
    }
}
