//! Finds texts that may contain a Secret. It works on the text, so that it also works for texts
//! that cannot be parsed.

use crate::yaml::Tree;
use crate::yaml::stream::split;

/// The text that replaces a hidden value.
pub(crate) const HIDDEN: &str = "(secret)";

/// The fields of a Secret that hold no secret value, besides its metadata.
pub(crate) const PUBLIC_FIELDS: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];

/// The kinds that contain secret values, directly or in their items.
const KINDS: [&str; 2] = ["Secret", "SecretList"];

/// The maximum depth at which texts in texts are searched.
const MAX_DEPTH: usize = 4;

/// Whether a text may contain a Kubernetes Secret: whether it has `kind: Secret` anywhere, in any
/// style.
///
/// This may be true for a text without a Secret: it is better to hide too much than to show a
/// secret.
pub(crate) fn may_contain_secret(text: &[u8]) -> bool {
    may_be_at(text, MAX_DEPTH)
}

fn may_be_at(text: &[u8], depth: usize) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    // the kind may be written with escapes
    let is_possible = has(b"Secret") || has(b"\\");
    is_possible && (has_plain_kind(text) || has_secret_kind(&String::from_utf8_lossy(text), depth))
}

/// Whether a parsed `kind` is a Secret, even with a tag, an anchor, an alias or escapes. A text
/// that cannot be parsed counts as a Secret if it has both words, or escapes that could hide them.
fn has_secret_kind(text: &str, depth: usize) -> bool {
    split(text)
        .iter()
        .any(|document| match Tree::parse(document.text) {
            Ok(tree) => tree.is_some_and(|tree| tree_has_secret_kind(&tree, depth)),
            Err(_) => may_be_in_invalid(document.text),
        })
}

fn tree_has_secret_kind(tree: &Tree<'_>, depth: usize) -> bool {
    let content = |node| tree.scalar(tree.resolve(node)).map(|scalar| scalar.content);
    tree.all_entries().any(|id| {
        let entry = tree.entry(id);
        let Some(value) = content(entry.value) else {
            return false;
        };
        let is_kind = entry.key.and_then(content) == Some("kind");
        is_kind && KINDS.contains(&value)
            // the value may be a document itself
            || depth > 0 && value.contains("kind") && may_be_at(value.as_bytes(), depth - 1)
    })
}

fn may_be_in_invalid(text: &str) -> bool {
    let is_escaped = ["\\u", "\\x", "\\U", "\\\n", "\\\r"]
        .iter()
        .any(|it| text.contains(it));
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    is_escaped || text.contains("kind") && words.any(|word| KINDS.contains(&word))
}

/// Whether the text has `kind: Secret` in its usual notation.
fn has_plain_kind(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"Secret").any(|at| {
        let after = &text[at + b"Secret".len()..];
        let after = after.strip_prefix(b"List").unwrap_or(after);
        let is_word_end = !after.first().is_some_and(u8::is_ascii_alphanumeric);
        let key = without_quotes(&text[..at]).strip_suffix(b":");
        is_word_end && key.is_some_and(|key| without_quotes(key).ends_with(b"kind"))
    })
}

/// Returns the text without quotes, also escaped ones, and white space at its end.
fn without_quotes(text: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| !b"\"'\\ \t\n\r".contains(byte);
    &text[..text.iter().rposition(is_part).map_or(0, |at| at + 1)]
}

/// Whether a path in a resource of this kind leads to secret values. Returns `None` if the kind is
/// not enough to tell.
pub(crate) fn is_kept_by(kind: &str, path: &str) -> Option<bool> {
    match kind {
        "Secret" => Some(is_secret_path(path)),
        // a list can have items of any kind
        kind if kind.ends_with("List") => None,
        _ => Some(false),
    }
}

/// Whether a path in a report leads to the value at another path or into it.
pub(crate) fn is_at_or_below(path: &str, other: &str) -> bool {
    let rest = path.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ' ']))
}

/// Whether a path in a Secret leads to its secret values, or to a field that may repeat them.
fn is_secret_path(path: &str) -> bool {
    path.is_empty()
        || is_at_or_below(path, "data")
        || is_at_or_below(path, "stringData")
        || path == "metadata"
        || path.starts_with("metadata.annotations")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_in_any_notation() {
        for text in [
            "kind: Secret",
            "a: 1\nkind:   'Secret' # x\n",
            "{\"kind\":\"Secret\",\"data\":{}}",
            "items:\n- kind: Secret\n  data: [\n",
            "x: \"{\\\"kind\\\":\\\"Secret\\\"}\"",
            "kind: !!str Secret\n",
            "kind: &k Secret\n",
            "kind: !<tag:yaml.org,2002:str> &k 'Secret'\n",
            "kind: \"\\u0053ecret\"\n",
            "kind: \"Sec\\\n  ret\"\n",
            "\"k\\x69nd\": Secret\n",
            "? kind\n: Secret\n",
            "a: &k Secret\nkind: *k\n",
            "kind: SecretList\n",
            "x: |\n  kind: !!str Secret\n",
            "kind: !!str Secret\ndata: [\n",
            "kind: \"\\x53ecret\"\ndata: [\n",
        ] {
            assert!(may_contain_secret(text.as_bytes()), "{text}");
        }
        for text in [
            "kind: SecretStore",
            "kind: ExternalSecret",
            "# a Secret",
            "name: Secret",
            "kind: ConfigMap\nname: \"\\u0053ecret\"\n",
        ] {
            assert!(!may_contain_secret(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn only_some_fields_of_a_secret_are_secret() {
        for path in [
            "data.key",
            "data",
            "stringData[a.b]",
            "",
            "metadata.annotations[x]",
        ] {
            assert!(is_secret_path(path), "{path}");
        }
        for path in ["type", "database", "metadata.labels.a"] {
            assert!(!is_secret_path(path), "{path}");
        }
    }
}
