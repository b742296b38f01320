//! Finds texts that may hold a Secret. It looks at the text alone, and so works where that does not
//! parse.

use crate::yaml::Tree;
use crate::yaml::stream::split;

/// What is shown in the place of a value.
pub(crate) const HIDDEN: &str = "(secret)";

/// The kinds of resources that keep something, or hold such ones.
const KINDS: [&str; 2] = ["Secret", "SecretList"];

/// How deep texts in texts are looked into.
const DEPTH: usize = 4;

/// Whether a text may hold a Secret of Kubernetes: whether it says `kind: Secret` anywhere, in
/// whatever style.
///
/// That takes in what is no Secret but speaks of one. What is shown of a text is a courtesy; what
/// is kept from it is a promise.
pub(crate) fn may_be_in(text: &[u8]) -> bool {
    may_be_at(text, DEPTH)
}

fn may_be_at(text: &[u8], depth: usize) -> bool {
    let has = |sought: &[u8]| memchr::memmem::find(text, sought).is_some();
    // it may be written with escapes
    let is_possible = has(b"Secret") || has(b"\\");
    is_possible && (looks_like_one(text) || says_so(&String::from_utf8_lossy(text), depth))
}

/// Whether `kind` is a Secret by its parsed value: with a tag, an anchor or escapes, or behind an
/// alias. Of a text that does not parse nobody can say, where it has both words or might have.
fn says_so(text: &str, depth: usize) -> bool {
    split(text)
        .iter()
        .any(|document| match Tree::parse(document.text) {
            Ok(tree) => tree.is_some_and(|tree| has_kind(&tree, depth)),
            Err(_) => may_be_in_broken(document.text),
        })
}

fn has_kind(tree: &Tree<'_>, depth: usize) -> bool {
    let content = |node| tree.scalar(tree.resolve(node)).map(|scalar| scalar.content);
    tree.all_entries().any(|id| {
        let entry = tree.entry(id);
        let Some(value) = content(entry.value) else {
            return false;
        };
        let is_kind = entry.key.and_then(content) == Some("kind");
        is_kind && KINDS.contains(&value)
            // a document in a text
            || depth > 0 && value.contains("kind") && may_be_at(value.as_bytes(), depth - 1)
    })
}

fn may_be_in_broken(text: &str) -> bool {
    let is_escaped = ["\\u", "\\x", "\\U", "\\\n", "\\\r"]
        .iter()
        .any(|it| text.contains(it));
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    is_escaped || text.contains("kind") && words.any(|word| KINDS.contains(&word))
}

/// Whether it is there as it is usually written.
fn looks_like_one(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"Secret").any(|at| {
        let after = &text[at + b"Secret".len()..];
        let after = after.strip_prefix(b"List").unwrap_or(after);
        let ends = after
            .first()
            .is_none_or(|next| !next.is_ascii_alphanumeric());
        let mut before = &text[..at];
        let mut colon = false;
        while let Some((last, rest)) = before.split_last() {
            match last {
                b'"' | b'\'' | b' ' | b'\t' | b'\n' | b'\r' => {}
                // a quote within a quoted text
                b'\\' => {}
                b':' if !colon => colon = true,
                _ => break,
            }
            before = rest;
        }
        ends && colon && before.ends_with(b"kind")
    })
}

/// Whether a path of a resource of some kind leads to what a Secret keeps; `None` if the kind
/// alone does not say.
pub(crate) fn is_kept_by(kind: &str, path: &str) -> Option<bool> {
    match kind {
        "Secret" => Some(is_kept(path)),
        // what is in a list can be anything
        kind if kind.ends_with("List") => None,
        _ => Some(false),
    }
}

/// Whether a path of a Secret leads to what it keeps, or to what may repeat that.
fn is_kept(path: &str) -> bool {
    let holds = |field: &str| {
        path.strip_prefix(field)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ' ']))
    };
    path.is_empty()
        || holds("data")
        || holds("stringData")
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
            assert!(may_be_in(text.as_bytes()), "{text}");
        }
        for text in [
            "kind: SecretStore",
            "kind: ExternalSecret",
            "# a Secret",
            "name: Secret",
            "kind: ConfigMap\nname: \"\\u0053ecret\"\n",
        ] {
            assert!(!may_be_in(text.as_bytes()), "{text}");
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
            assert!(is_kept(path), "{path}");
        }
        for path in ["type", "database", "metadata.labels.a"] {
            assert!(!is_kept(path), "{path}");
        }
    }
}
