//! Recognizes what kpt writes into the files that it vendors: an annotation, a comment and its
//! formatting. These do not count as local changes (rules: Upgrades).

use std::path::Path;

use super::parsed::ParsedFile;
use crate::yaml::{NodeId, NodeKind, Tree, equal, equal_documents};

/// The annotation with the identity of the upstream resource.
const ANNOTATION: &str = "internal.kpt.dev/upstream-identifier";
/// The start of the comment with that identity.
const COMMENT: &str = "kpt-merge:";

/// Returns true if two documents have equal values, kpt's annotation and all comments aside.
pub(super) fn is_same_document(original: &Tree<'_>, local: &Tree<'_>) -> bool {
    equal_documents(original, local) || is_equal_but_annotation(original, local)
}

/// Returns true if kpt writes a comment by itself.
pub(super) fn is_comment_of_kpt(comment: &str) -> bool {
    let text = comment.trim_start_matches('#').trim_start();
    text.starts_with(COMMENT)
}

/// Returns true if two documents are equal apart from kpt's annotation. A missing map counts as
/// empty.
fn is_equal_but_annotation(original: &Tree<'_>, local: &Tree<'_>) -> bool {
    let (mut o, mut l) = (Some(original.root().value), Some(local.root().value));
    ["metadata", "annotations", ANNOTATION]
        .into_iter()
        .all(|ignored| {
            let original_fields = fields_except(original, o, ignored);
            let local_fields = fields_except(local, l, ignored);
            o = o.and_then(|map| original.field(map, ignored));
            l = l.and_then(|map| local.field(map, ignored));
            let (Some(originals), Some(locals)) = (original_fields, local_fields) else {
                return false;
            };
            let is_equal = |(name, value): &(&str, NodeId)| {
                let other = originals.iter().find(|(other, _)| other == name);
                other.is_some_and(|(_, other)| equal(original, *other, local, *value))
            };
            originals.len() == locals.len() && locals.iter().all(is_equal)
        })
}

/// Returns the fields of a map without the field `ignored`; `None` if the value is not a map.
fn fields_except<'t>(
    tree: &'t Tree<'_>,
    map: Option<NodeId>,
    ignored: &str,
) -> Option<Vec<(&'t str, NodeId)>> {
    let Some(map) = map.map(|map| tree.resolve(map)) else {
        return Some(Vec::new());
    };
    let is_map = matches!(tree.node(map).kind, NodeKind::Mapping(_));
    let entries = tree.entries(map);
    let name = |entry| tree.key_text(entry).unwrap_or_default();
    let fields = entries.map(|entry| (name(entry), tree.entry(entry).value));
    is_map.then(|| fields.filter(|(name, _)| *name != ignored).collect())
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
        let entry = tree.entry(entry);
        let comments = entry.comments();
        [tree.lines_above(entry), comments.line, comments.tail]
    });
    let lines = of_entries.flat_map(|span| tree.slice(span).lines());
    let texts = lines.map(|line| line.trim().trim_start_matches('#').trim());
    let mut texts: Vec<String> = texts
        .filter(|text| !text.is_empty() && !is_comment_of_kpt(text))
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
