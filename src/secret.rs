//! What Secrets keep: found by the look of a text, so that it works on one that does not parse, too.

/// Whether a text may hold a Secret of Kubernetes: whether it says `kind: Secret` anywhere, in whatever style.
///
/// That takes in what is no Secret but speaks of one. What is shown of a text is a courtesy; what is kept from it is a promise.
pub(crate) fn may_be_in(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"Secret").any(|at| {
        let ends = text
            .get(at + b"Secret".len())
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

/// Whether a path of a Secret leads to what it keeps, or to what may repeat that.
pub(crate) fn is_kept(path: &str) -> bool {
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
    fn a_secret_is_known_by_its_looks() {
        for text in [
            "kind: Secret",
            "a: 1\nkind:   'Secret' # x\n",
            "{\"kind\":\"Secret\",\"data\":{}}",
            "items:\n- kind: Secret\n  data: [\n",
            "x: \"{\\\"kind\\\":\\\"Secret\\\"}\"",
        ] {
            assert!(may_be_in(text.as_bytes()), "{text}");
        }
        for text in [
            "kind: SecretStore",
            "kind: ExternalSecret",
            "# a Secret",
            "name: Secret",
        ] {
            assert!(!may_be_in(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_secret_has_fields_that_are_none() {
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
